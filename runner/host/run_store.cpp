#include "runner/host/run_store.hpp"

#include <dirent.h>
#include <fcntl.h>
#include <fmt/format.h>
#include <sys/file.h>
#include <sys/stat.h>
#include <unistd.h>

#include <algorithm>
#include <cerrno>
#include <map>
#include <memory>
#include <utility>

#include "runner/host/run_files.hpp"
#include "runner/host/whole_file.hpp"
#include "sthd/text.hpp"

namespace sthd::host {
namespace {

namespace fs = std::filesystem;
using process::Descriptor;

constexpr const char* kOwn = "speedtest-hd";
constexpr const char* kRuns = "runs";

/// Makes `folder` and those above it that lack, but never the home. 0 or an errno.
int make_folders(const fs::path& folder, const fs::path& home) {
  if (folder == home) return ::access(folder.c_str(), F_OK) == 0 ? 0 : errno;
  if (::mkdir(folder.c_str(), S_IRWXU) == 0 || errno == EEXIST) return 0;
  if (errno != ENOENT || !folder.has_relative_path()) return errno;
  if (const int code = make_folders(folder.parent_path(), home)) return code;
  return ::mkdir(folder.c_str(), S_IRWXU) == 0 || errno == EEXIST ? 0 : errno;
}

Descriptor open_below(const Descriptor& above, const char* name) {
  return Descriptor(::openat(above.get(), name, O_RDONLY | O_DIRECTORY | O_NOFOLLOW | O_CLOEXEC));
}

/// The last two folders are ours, and are not followed elsewhere. Closed, with errno.
Descriptor open_folder(const fs::path& base, bool make) {
  Descriptor fd(::open(base.c_str(), O_PATH | O_DIRECTORY | O_CLOEXEC));
  for (const char* name : {kOwn, kRuns}) {
    if (!fd.open()) return fd;
    if (make && ::mkdirat(fd.get(), name, S_IRWXU) != 0 && errno != EEXIST) return Descriptor();
    fd = open_below(fd, name);
  }
  return fd;
}

Error unknown_place() {
  return {ErrorCode::failed, "there is no home folder; set HOME or XDG_STATE_HOME", 0};
}

Error not_reached(const fs::path& folder, int code) {
  return system_error("cannot open " + display(folder.string()), code);
}

std::int64_t changed_ns(const struct stat& facts) {
  return facts.st_mtim.tv_sec * std::int64_t{1'000'000'000} + facts.st_mtim.tv_nsec;
}

std::string_view began(const KeptRun& run) { return std::string_view(run.name).substr(0, 20); }

bool is_locked(int folder, const std::string& file) {
  const Descriptor fd(
      ::openat(folder, file.c_str(), O_RDONLY | O_NOFOLLOW | O_NONBLOCK | O_CLOEXEC));
  return fd.open() && ::flock(fd.get(), LOCK_SH | LOCK_NB) != 0 && errno == EWOULDBLOCK;
}

}  // namespace

std::string KeptRun::file() const { return name + (whole ? kRecordEnd : kJournalEnd); }

fs::path RunStore::folder_of(const InvokingUser& user) {
  const fs::path base = xdg_folder(user, "XDG_STATE_HOME", ".local/state");
  return base.empty() ? base : base / kOwn / kRuns;
}

Outcome<RunStore> RunStore::open(const InvokingUser& user) {
  const fs::path folder = folder_of(user);
  if (folder.empty()) return unknown_place();
  const ActAs as(user);
  Descriptor fd = open_folder(folder.parent_path().parent_path(), false);
  if (!fd.open() && errno != ENOENT && errno != ENOTDIR) return not_reached(folder, errno);
  return RunStore(user, folder, std::move(fd));
}

Outcome<RunStore> RunStore::make(const InvokingUser& user) {
  const fs::path folder = folder_of(user);
  if (folder.empty()) return unknown_place();
  const ActAs as(user);
  if (!as.ok()) {
    return Error{ErrorCode::failed,
                 fmt::format("the kernel does not let us act as user {}", user.uid), EPERM};
  }
  const fs::path base = folder.parent_path().parent_path();
  if (const int code = make_folders(base, user.home)) return not_reached(folder, code);
  Descriptor fd = open_folder(base, true);
  struct stat facts {};
  if (!fd.open() || ::fstat(fd.get(), &facts) != 0) return not_reached(folder, errno);
  if (facts.st_uid != user.uid) {
    return Error{ErrorCode::failed,
                 fmt::format("{} belongs to user {}, not to user {}", display(folder.string()),
                             facts.st_uid, user.uid),
                 EPERM};
  }
  if ((facts.st_mode & (S_IRWXG | S_IRWXO)) != 0) ::fchmod(fd.get(), S_IRWXU);
  return RunStore(user, folder, std::move(fd));
}

Outcome<std::vector<KeptRun>> RunStore::runs() const {
  std::vector<KeptRun> found;
  if (fd() < 0) return found;
  const ActAs as(user_);
  const int list = ::openat(fd(), ".", O_RDONLY | O_DIRECTORY | O_CLOEXEC);
  const std::unique_ptr<DIR, int (*)(DIR*)> listing(list < 0 ? nullptr : ::fdopendir(list),
                                                    &::closedir);
  if (!listing) return not_reached(folder_, errno);
  std::map<std::string, KeptRun> by_name;
  while (const dirent* entry = ::readdir(listing.get())) {
    const auto [name, end] = split_ending(entry->d_name);
    auto run = parse_run_name(name);
    struct stat facts {};
    if (!run || ::fstatat(fd(), entry->d_name, &facts, AT_SYMLINK_NOFOLLOW) != 0) continue;
    // A temporary file is what is left of one that became whole, or stands beside its journal.
    if (!S_ISREG(facts.st_mode) || end.empty() || end == kTemporaryEnd) continue;
    KeptRun& known = by_name.try_emplace(run->name, *run).first->second;
    known.changed_ns = std::max(known.changed_ns, changed_ns(facts));
    known.bytes += static_cast<std::uint64_t>(facts.st_size);
    known.whole = known.whole || end == kRecordEnd;
    known.running = known.running || (end == kJournalEnd && is_locked(fd(), entry->d_name));
  }
  for (auto& [name, run] : by_name) found.push_back(std::move(run));
  std::sort(found.begin(), found.end(), [](const KeptRun& a, const KeptRun& b) {
    return std::pair(began(a), a.changed_ns) > std::pair(began(b), b.changed_ns);
  });
  return found;
}

Outcome<std::string> RunStore::read(const KeptRun& run) const {
  const std::string shown = "cannot read " + display((folder_ / run.file()).string());
  const ActAs as(user_);
  const Descriptor file(
      ::openat(fd(), run.file().c_str(), O_RDONLY | O_NOFOLLOW | O_NONBLOCK | O_CLOEXEC));
  if (!file.open()) return system_error(shown, errno);
  auto text = read_all(file.get());
  if (text) return text;
  return Error{text.error().code, shown + text.error().message, text.error().system_errno};
}

void RunStore::prune(const StoreLimits& limits, std::string_view keep) const {
  auto all = runs();
  if (!all) return;
  const ActAs as(user_);
  const auto remove = [this](const std::string& file) { ::unlinkat(fd(), file.c_str(), 0); };
  std::size_t kept = all->size();
  std::uint64_t bytes = 0;
  for (const KeptRun& run : *all) bytes += run.bytes;
  for (auto run = all->rbegin(); run != all->rend(); ++run) {
    if (run->running || run->name == keep) continue;
    remove(run->name + kTemporaryEnd);
    if (run->whole) remove(run->name + kJournalEnd);
    if (kept <= limits.runs && bytes <= limits.bytes) continue;
    remove(run->file());
    --kept;
    bytes -= run->bytes;
  }
}

}  // namespace sthd::host
