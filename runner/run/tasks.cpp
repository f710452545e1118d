#include "runner/run/tasks.hpp"

#include <fcntl.h>
#include <fmt/format.h>
#include <signal.h>
#include <sys/file.h>
#include <sys/stat.h>
#include <sys/xattr.h>
#include <unistd.h>

#include <algorithm>
#include <cerrno>
#include <cstdlib>
#include <vector>

#include "kit/native/buffers.hpp"
#include "kit/native/random.hpp"
#include "runner/host/direct.hpp"
#include "runner/host/target.hpp"
#include "runner/record/lines.hpp"
#include "runner/run/conditions.hpp"
#include "runner/run/job.hpp"
#include "sthd/text.hpp"

namespace sthd::run {
namespace {

// Control messages: one letter and a payload.
constexpr char kTellTarget = 't';
constexpr char kTellFile = 'f';

void tell_target(const Task& task, const Target& target, int directory) {
  send_message(task.control, kTellTarget + record::encode(record::TargetLine{target}), directory);
}

void answer(const Task& task, const record::Line& line) {
  send_line(task.out, record::encode(line));
}

/// Ask::look holds and locks nothing: who only looks disturbs no run, and is disturbed by none.
Outcome<Done> inspect(const Task& task) {
  auto directory = host::open_directory(task.request.path);
  if (!directory) return directory.error();
  const bool holds = task.request.ask == Ask::inspect;
  if (holds && ::flock(*directory, LOCK_EX | LOCK_NB) != 0 && errno == EWOULDBLOCK) {
    return Error{
        ErrorCode::refused,
        fmt::format("another run holds {}: two at once would spoil both; wait for it to end",
                    display(task.request.path)),
        EWOULDBLOCK};
  }
  auto target = host::inspect(*directory, task.request.path);
  if (!target) return target.error();
  if (holds) {
    for (const auto& line : clean_directory(*directory, false)) {
      answer(task, record::RawLine{line});
    }
    for (const auto& line : restore_left_governors(task.inherited.sysroot)) {
      answer(task, record::RawLine{line});
    }
    tell_target(task, *target, *directory);
  }
  answer(task, record::TargetLine{*target});
  return Done{};
}

Error cannot_create(const Task& task, int code) {
  Error error =
      system_error(fmt::format("cannot create a test file in {}", display(task.held.target.path)),
                   code, ErrorCode::refused);
  error.message += code == EROFS    ? "; mount it read-write or choose another directory"
                   : code == ENOSPC ? "; free some space or inodes there"
                                    : "; choose a directory that you may write to";
  return error;
}

Outcome<Done> create(const Task& task) {
  const int fd = ::openat(task.held.directory, task.held.name.c_str(),
                          O_RDWR | O_CREAT | O_EXCL | O_NOFOLLOW | O_CLOEXEC, 0600);
  if (fd < 0) return cannot_create(task, errno);
  struct stat facts {};
  if (::fstat(fd, &facts) != 0) return system_error("fstat of the test file", errno);
  send_message(task.control, fmt::format("{}{} {}", kTellFile, facts.st_dev, facts.st_ino), fd);
  ::flock(fd, LOCK_EX | LOCK_NB);
  const auto& id = task.inherited.run_id;
  ::fsetxattr(fd, kOwnerAttribute, id.data(), id.size(), 0);  // not every filesystem has them
  std::vector<std::byte> data(64 * kKiB);  // each new page of a larger one costs a fault
  for (std::size_t done = 0; done < kMiB;) {
    native::fill_random(data.data(), data.size(), native::fresh_seed());
    const std::size_t length = std::min(data.size(), kMiB - done);
    const ssize_t n = ::pwrite(fd, data.data(), length, static_cast<off_t>(done));
    if (n < 0 && errno == EINTR) continue;
    if (n <= 0)
      return system_error("writing the first MiB of the test file", n < 0 ? errno : ENOSPC);
    done += static_cast<std::size_t>(n);
  }
  return Done{};  // not synced: whoever reads it past the cache syncs it first
}

Outcome<Done> direct(const Task& task) {
  // A sync that fails may be reported once only: here, and not inside the verdict, it fails the
  // run.
  if (::fdatasync(task.held.file) != 0) return system_error("fdatasync of the test file", errno);
  Target target = task.held.target;
  const auto verdict = host::judge_direct(task.held.file, target);
  tell_target(task, target, -1);
  answer(task, record::TargetLine{target});
  answer(task, record::DirectLine{verdict.works, verdict.real, verdict.reason});
  return Done{};
}

Outcome<Done> probe(const Task& task) {
  const Job& job = task.inherited.jobs.at(task.request.job);
  const auto* entry = task.inherited.plugins.backend(task.request.backend);
  if (entry == nullptr) return Error{ErrorCode::internal, "no such backend", 0};
  auto fd = reopen(task.held.file, job.workload, task.request.direct);
  if (!fd) return fd.error();
  if (!entry->info.native && task.held.scratch.empty()) {
    return Error{
        ErrorCode::unavailable,
        "no folder for temporary files could be made; set TMPDIR to one that can be written", 0};
  }
  if (!task.held.scratch.empty()) ::setenv("TMPDIR", task.held.scratch.c_str(), 1);
  const ProbeRequest request{.target = task.held.target,
                             .job = job,
                             .engine = task.request.engine,
                             .named = task.request.named,
                             .direct = task.request.direct,
                             .fd = *fd,
                             .path = fmt::format("/proc/{}/fd/{}", ::getpid(), *fd)};
  auto found = entry->backend->probe(request);
  if (!found) return found.error();
  answer(task, record::CapabilityLine{*found});
  return Done{};
}

Outcome<Done> cleanup(const Task& task) {
  for (const auto& line : clean_directory(task.held.directory, true)) {
    answer(task, record::RawLine{line});
  }
  return Done{};
}

Outcome<Done> perform(const Task& task) {
  switch (task.request.ask) {
    case Ask::inspect:
    case Ask::look:
      return inspect(task);
    case Ask::create:
      return create(task);
    case Ask::direct:
      return direct(task);
    case Ask::probe:
      return probe(task);
    case Ask::layout:
      return lay_out(task);
    case Ask::job:
      return run_job(task);
    case Ask::remove:
      return remove_test_file(task.held);
    case Ask::cleanup:
      return cleanup(task);
    case Ask::condition:
      return check_condition(task.inherited.jobs.at(task.request.job).workload.condition,
                             task.inherited.sysroot);
    case Ask::cancel:
    case Ask::kill:
      break;
  }
  return Error{ErrorCode::internal, "the keeper was asked for nothing it knows", 0};
}

void reset_signals() {
  listen_for_cancel();
  for (const int signal : {SIGINT, SIGHUP, SIGQUIT}) ::signal(signal, SIG_DFL);
  for (const int signal : {SIGPIPE, SIGXFSZ}) ::signal(signal, SIG_IGN);
  sigset_t none;
  ::sigemptyset(&none);
  ::sigprocmask(SIG_SETMASK, &none, nullptr);
}

}  // namespace

Outcome<Done> remove_test_file(const Holdings& held) {
  if (held.file < 0) return Done{};  // never created
  // Truncated first: on a full copy-on-write pool an unlink alone may not succeed. Where a quota is
  // exceeded the truncation may fail and the unlink succeed.
  const bool truncated = ::ftruncate(held.file, 0) == 0;
  struct stat facts {};
  if (::fstatat(held.directory, held.name.c_str(), &facts, AT_SYMLINK_NOFOLLOW) != 0) {
    return system_error("finding the test file " + held.name + " again", errno);
  }
  if (facts.st_dev != held.device || facts.st_ino != held.inode) {
    return Error{ErrorCode::failed, held.name + " is another file now; it was left alone", 0};
  }
  if (::unlinkat(held.directory, held.name.c_str(), 0) != 0) {
    return system_error(fmt::format("removing the test file {}{}", held.name,
                                    truncated ? "" : " (it could not be truncated either)"),
                        errno);
  }
  return Done{};
}

void take_control_message(const std::string& text, int fd, Holdings& held) {
  if (text.empty()) return;
  if (text[0] == kTellTarget) {
    if (auto line = record::decode(std::string_view(text).substr(1))) {
      if (auto* target = std::get_if<record::TargetLine>(&line.value()))
        held.target = target->target;
    }
    if (fd >= 0) held.directory = fd;
  } else if (text[0] == kTellFile) {
    unsigned long long device = 0;
    unsigned long long inode = 0;
    if (std::sscanf(text.c_str() + 1, "%llu %llu", &device, &inode) == 2 && fd >= 0) {
      held.file = fd;
      held.device = device;
      held.inode = inode;
    }
  }
}

int run_task(const Task& task) noexcept {
  try {
    reset_signals();
    const auto done = perform(task);
    const record::Line last =
        done ? record::Line(record::DoneLine{}) : record::ErrorLine{done.error()};
    send_line(task.out, record::encode(last));
    return done ? 0 : 1;
  } catch (const std::exception& e) {
    try {
      send_line(task.out, record::encode(record::ErrorLine{{ErrorCode::internal, e.what(), 0}}));
    } catch (const std::exception&) {
      return 2;
    }
  }
  return 1;
}

}  // namespace sthd::run
