#include "runner/run/governors.hpp"

#include <dirent.h>
#include <fmt/format.h>
#include <sys/file.h>
#include <sys/stat.h>

#include <algorithm>
#include <cctype>
#include <cstdlib>
#include <optional>
#include <sstream>

#include "runner/run/small_file.hpp"

namespace sthd::run {
namespace {

constexpr const char* kPolicies = "/sys/devices/system/cpu/cpufreq";
constexpr const char* kGovernor = "scaling_governor";
constexpr const char* kWanted = "performance";
constexpr const char* kNoteName = "governors";

std::string below(const std::string& sysroot, std::string_view path) {
  std::string root = sysroot;
  while (root.ends_with('/')) root.pop_back();
  return root.append(path);
}

Error unavailable(std::string message) { return {ErrorCode::unavailable, std::move(message), 0}; }

Error cannot_write(const std::string& shown, int code) {
  Error error = system_error("cannot write " + shown, code, ErrorCode::unavailable);
  error.message += code == EROFS ? "; it is read-only here, as in most containers: run on the host"
                                 : "; run as root";
  return error;
}

/// "policy0", "policy4", …, by their numbers.
std::vector<std::string> policies(const std::string& folder) {
  std::vector<std::string> names;
  DIR* open = ::opendir(folder.c_str());
  if (open == nullptr) return names;
  while (const dirent* entry = ::readdir(open)) {
    const std::string_view name = entry->d_name;
    const std::string_view number = name.substr(std::min<std::size_t>(6, name.size()));
    if (!name.starts_with("policy") || number.empty() || number.size() > 6) continue;
    if (number.find_first_not_of("0123456789") == number.npos) names.emplace_back(name);
  }
  ::closedir(open);
  std::sort(names.begin(), names.end(), [](const auto& a, const auto& b) {
    return std::pair(a.size(), a) < std::pair(b.size(), b);
  });
  return names;
}

/// A line of the note: what stood in a file of a policy.
struct Saved {
  std::string policy;
  std::string file;
  std::string value;
};

std::optional<Saved> parse(const std::string& line) {
  std::istringstream in(line);
  Saved saved;
  std::string more;
  if (!(in >> saved.policy >> saved.file >> saved.value) || in >> more) return std::nullopt;
  const auto plain = [](const std::string& text) {
    return std::all_of(text.begin(), text.end(), [](unsigned char c) {
      return std::isalnum(c) != 0 || c == '_' || c == '-';
    });
  };
  const bool known = saved.file == kGovernor || saved.file == "energy_performance_preference" ||
                     saved.file == "scaling_setspeed";
  if (!known || !saved.policy.starts_with("policy") || !plain(saved.policy) || !plain(saved.value))
    return std::nullopt;
  return saved;
}

/// Writes a line's value back where another stands now; 0 or an errno.
int put_back(const std::string& folder, const Saved& saved) {
  const std::string file = fmt::format("{}/{}/{}", folder, saved.policy, saved.file);
  const auto now = read_small(file);
  if (!now) return errno;
  return *now == saved.value ? 0 : write_small(file, saved.value);
}

/// The governor first: the other files follow it, and some are changed by its change.
std::vector<std::string> lines_of(const std::string& folder, const std::string& policy) {
  const std::string base = fmt::format("{}/{}/", folder, policy);
  std::vector<std::string> lines;
  for (const char* file : {kGovernor, "energy_performance_preference", "scaling_setspeed"}) {
    const auto value = read_small(base + file);
    if (!value) continue;
    const std::string line = fmt::format("{} {} {}", policy, file, *value);
    if (parse(line)) lines.push_back(line);  // not "<unsupported>"
  }
  return lines;
}

/// Of root in /run, of others in their own runtime folder; empty = there is none.
std::string note_folder(const std::string& sysroot) {
  if (::geteuid() == 0) return below(sysroot, "/run/speedtest-hd");
  const char* runtime = ::secure_getenv("XDG_RUNTIME_DIR");
  if (runtime == nullptr || runtime[0] != '/') return {};
  return fmt::format("{}/speedtest-hd", runtime);
}

/// Whether nobody else can have written there.
bool is_private(const std::string& folder) {
  struct stat facts {};
  return ::lstat(folder.c_str(), &facts) == 0 && S_ISDIR(facts.st_mode) &&
         facts.st_uid == ::geteuid() && (facts.st_mode & (S_IWGRP | S_IWOTH)) == 0;
}

/// The note, locked; -1 with errno: EWOULDBLOCK when another holds it. One that its owner has
/// removed meanwhile is not it any more.
int lock_note(const std::string& note, int flags) {
  for (int attempt = 0; attempt < 10; ++attempt) {
    const int fd = ::open(note.c_str(), O_RDWR | O_NOFOLLOW | O_CLOEXEC | flags, 0600);
    if (fd < 0) return -1;
    struct stat facts {};
    const bool locked = ::flock(fd, LOCK_EX | LOCK_NB) == 0;
    const int code = errno;
    if (locked && ::fstat(fd, &facts) == 0 && facts.st_nlink > 0) return fd;
    ::close(fd);
    errno = code;
    if (!locked) return -1;
  }
  errno = EWOULDBLOCK;
  return -1;
}

std::vector<Saved> read_note(const std::string& note) {
  std::vector<Saved> all;
  std::istringstream in(read_small(note).value_or(""));
  for (std::string line; std::getline(in, line);) {
    if (auto saved = parse(line)) all.push_back(std::move(*saved));
  }
  return all;
}

}  // namespace

Outcome<Done> Governors::check(const std::string& sysroot) {
  const std::string folder = below(sysroot, kPolicies);
  const auto names = policies(folder);
  if (names.empty()) {
    return unavailable(fmt::format(
        "this machine has no CPU frequency control (no policy in {}); leave this condition out",
        kPolicies));
  }
  for (const auto& name : names) {
    const std::string shown = fmt::format("{}/{}/{}", kPolicies, name, kGovernor);
    const auto offered = read_small(fmt::format("{}/{}/scaling_available_governors", folder, name));
    if (offered && (" " + *offered + " ").find(fmt::format(" {} ", kWanted)) == offered->npos) {
      return unavailable(
          fmt::format("{} cannot be set to {}: there are only {}; load the module "
                      "cpufreq_{}",
                      shown, kWanted, *offered, kWanted));
    }
    const int fd =
        ::open(fmt::format("{}/{}/{}", folder, name, kGovernor).c_str(), O_WRONLY | O_CLOEXEC);
    if (fd < 0) return cannot_write(shown, errno);
    ::close(fd);
  }
  if (note_folder(sysroot).empty()) {
    return unavailable(
        "there is no place to note what the governors were; run as root, or set XDG_RUNTIME_DIR");
  }
  return Done{};
}

Outcome<Done> Governors::open_note(const std::string& sysroot) {
  const std::string folder = note_folder(sysroot);
  note_ = folder + '/' + kNoteName;
  ::mkdir(folder.c_str(), 0700);  // the check tells what it cannot
  if (!is_private(folder)) {
    return unavailable(fmt::format(
        "what the governors were cannot be noted in {}: it is no folder that only this user can "
        "write; remove it",
        folder));
  }
  note_fd_ = lock_note(note_, O_CREAT);
  if (note_fd_ < 0 && errno == EWOULDBLOCK) {
    return unavailable("another run holds the governors at performance; wait for it to end");
  }
  if (note_fd_ < 0) {
    return system_error("cannot note what the governors were in " + note_, errno,
                        ErrorCode::unavailable);
  }
  return Done{};
}

Outcome<Done> Governors::set(const std::string& sysroot) {
  restore();
  if (auto good = check(sysroot); !good) return good;
  restore_left_governors(sysroot);  // or what is noted below would be the leftover
  folder_ = below(sysroot, kPolicies);
  if (auto opened = open_note(sysroot); !opened) return opened;
  const auto names = policies(folder_);
  for (const auto& name : names) {
    for (auto& line : lines_of(folder_, name)) saved_.push_back(std::move(line));
  }
  const std::string text = fmt::format("{}\n", fmt::join(saved_, "\n"));
  if (::write(note_fd_, text.data(), text.size()) != static_cast<ssize_t>(text.size())) {
    const Error error = system_error("cannot note what the governors were in " + note_, errno,
                                     ErrorCode::unavailable);
    restore();
    return error;
  }
  for (const auto& name : names) {
    const int code = put_back(folder_, {name, kGovernor, kWanted});
    if (code == 0) continue;
    restore();
    return cannot_write(fmt::format("{}/{}/{}", kPolicies, name, kGovernor), code);
  }
  return Done{};
}

void Governors::restore() noexcept {
  if (note_fd_ < 0) return;
  try {
    for (const auto& line : saved_) {
      if (const auto saved = parse(line)) put_back(folder_, *saved);
    }
  } catch (const std::exception&) {
    return forget();  // the note stays
  }
  ::unlink(note_.c_str());
  forget();
}

void Governors::forget() noexcept {
  if (note_fd_ >= 0) ::close(note_fd_);
  note_fd_ = -1;
  saved_.clear();
}

std::vector<std::string> restore_left_governors(const std::string& sysroot) {
  std::vector<std::string> lines;
  const std::string folder = note_folder(sysroot);
  if (folder.empty() || !is_private(folder)) return lines;
  const std::string note = folder + '/' + kNoteName;
  const int fd = lock_note(note, 0);
  if (fd < 0) return lines;  // there is none, or its run goes on
  bool failed = false;
  for (const Saved& saved : read_note(note)) {
    const bool is_governor = saved.file == kGovernor;
    const std::string policies = below(sysroot, kPolicies);
    const bool differs =
        read_small(fmt::format("{}/{}/{}", policies, saved.policy, saved.file)) != saved.value;
    const int code = put_back(policies, saved);
    failed = failed || code != 0;
    if (!is_governor || !differs) continue;
    lines.push_back(
        code == 0 ? fmt::format("restored the governor of {} to {}, which a run that was killed "
                                "had left at {}",
                                saved.policy, saved.value, kWanted)
                  : fmt::format("left the governor of {} as it is, which was {}: {}", saved.policy,
                                saved.value, cannot_write(saved.file, code).message));
  }
  if (!failed) ::unlink(note.c_str());
  ::close(fd);
  return lines;
}

}  // namespace sthd::run
