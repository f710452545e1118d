#include "runner/host/counters_text.hpp"

#include <charconv>
#include <filesystem>

#include "runner/host/kernel_calls.hpp"
#include "runner/host/mountinfo.hpp"

namespace sthd::host::counters {
namespace {

namespace fs = std::filesystem;

/// The part of a cgroup's path below the root of the mount, which is not "/" in a container that
/// sees its host's cgroups.
std::string below(const std::string& root, const std::string& path) {
  if (root == "/") return path;
  if (path.starts_with(root)) return path.substr(root.size());
  return "/";
}

/// A quota is set: cpu.max begins with a number (v2), cpu.cfs_quota_us is one (v1: else -1).
bool has_quota(const std::string& folder) {
  for (const char* file : {"/cpu.max", "/cpu.cfs_quota_us"}) {
    const std::string text = read_small_file(folder + file);
    if (!text.empty() && text[0] >= '0' && text[0] <= '9') return true;
  }
  return false;
}

struct Hierarchy {
  std::string mount_point;
  std::string path;  ///< of this process's cgroup in it, "/a/b" or "/"
};

/// Where this process's cgroups with a CPU controller are, v2 first.
std::vector<Hierarchy> hierarchies(const std::string& sysroot) {
  const auto mounts = parse_mountinfo(read_small_file(sysroot + "/proc/self/mountinfo"));
  std::vector<Hierarchy> found;
  each_line(read_small_file(sysroot + "/proc/self/cgroup"), [&](std::string_view line) {
    const auto first = line.find(':');
    const auto second = first == line.npos ? line.npos : line.find(':', first + 1);
    if (second == line.npos) return;
    const std::string controllers(line.substr(first + 1, second - first - 1));
    const std::string path(line.substr(second + 1));
    for (const Mount& mount : mounts) {
      const bool v2 = controllers.empty() && mount.filesystem == "cgroup2";
      const bool v1 = has_option(controllers, "cpu") && mount.filesystem == "cgroup" &&
                      has_option(mount.super_options, "cpu");
      if (!v1 && !v2) continue;
      found.insert(v2 ? found.begin() : found.end(),
                   {sysroot + mount.mount_point, below(mount.root, path)});
    }
  });
  return found;
}

}  // namespace

std::vector<std::string_view> words(std::string_view text) {
  constexpr std::string_view kBlank = " \t";
  std::vector<std::string_view> found;
  for (auto begin = text.find_first_not_of(kBlank); begin != text.npos;) {
    const auto end = text.find_first_of(kBlank, begin);
    found.push_back(text.substr(begin, end == text.npos ? end : end - begin));
    begin = end == text.npos ? end : text.find_first_not_of(kBlank, end);
  }
  return found;
}

std::optional<std::uint64_t> number(std::string_view text) {
  std::uint64_t value = 0;
  const auto [end, fault] = std::from_chars(text.data(), text.data() + text.size(), value);
  if (fault != std::errc{} || end != text.data() + text.size()) return std::nullopt;
  return value;
}

std::optional<std::uint64_t> value_of(std::string_view text, std::string_view key,
                                      std::size_t column) {
  std::optional<std::uint64_t> value;
  each_line(text, [&](std::string_view line) {
    if (value || !line.starts_with(key)) return;
    const auto parts = words(line);
    if (parts.size() > column && parts[0] == key) value = number(parts[column]);
  });
  return value;
}

std::optional<NfsCounts> nfs_counts(std::string_view mountstats, std::string_view mount_point) {
  constexpr std::size_t kOps = 1;
  constexpr std::size_t kRtt = 7;
  constexpr std::size_t kExecute = 8;
  std::optional<NfsCounts> counts;
  bool ours = false;
  bool per_op = false;
  each_line(mountstats, [&](std::string_view line) {
    const auto parts = words(line);
    if (parts.empty()) return;
    if (parts[0] == "device") {  // device SERVER:/EXPORT mounted on /MNT with fstype nfs4 …
      ours = parts.size() > 7 && parts[4] == mount_point && parts[7].starts_with("nfs");
      per_op = false;
      if (ours) counts = NfsCounts{};
      return;
    }
    if (parts[0] == "per-op") per_op = ours;
    const bool moves_data = parts[0] == "READ:" || parts[0] == "WRITE:" || parts[0] == "COMMIT:";
    if (!per_op || !moves_data || parts.size() <= kExecute) return;
    counts->ops += number(parts[kOps]).value_or(0);
    counts->rtt_ms += number(parts[kRtt]).value_or(0);
    counts->execute_ms += number(parts[kExecute]).value_or(0);
  });
  return counts;
}

std::string escaped_path(std::string_view path) {
  std::string out;
  for (const char c : path) {
    switch (c) {
      case ' ':
        out += "\\040";
        break;
      case '\t':
        out += "\\011";
        break;
      case '\n':
        out += "\\012";
        break;
      case '\\':
        out += "\\134";
        break;
      default:
        out += c;
    }
  }
  return out;
}

std::string cgroup_stat_file(const std::string& sysroot) {
  std::string nearest;
  for (const Hierarchy& hierarchy : hierarchies(sysroot)) {
    std::string path = hierarchy.path;
    while (true) {
      if (path == "/") path.clear();
      const std::string folder = hierarchy.mount_point + path;
      std::string file = folder + "/cpu.stat";
      if (value_of(read_small_file(file), "nr_throttled")) {
        if (has_quota(folder)) return file;
        if (nearest.empty()) nearest = file;
      }
      const auto slash = path.rfind('/');
      if (slash == std::string::npos) break;
      path.resize(slash);
    }
  }
  return nearest;
}

std::string zil_stat_file(const std::string& sysroot, std::string_view dataset) {
  constexpr int kMostDatasets = 4096;  // a file each: what a start may cost
  const std::string folder = sysroot + "/proc/spl/kstat/zfs/";
  const std::string pool(dataset.substr(0, dataset.find('/')));
  std::error_code ignored;
  int seen = 0;
  if (!pool.empty()) {
    for (const auto& file : fs::directory_iterator(folder + pool, ignored)) {
      if (!file.path().filename().string().starts_with("objset-")) continue;
      if (++seen > kMostDatasets) break;
      const std::string text = read_small_file(file.path().string());
      bool same = false;
      each_line(text, [&](std::string_view line) {
        if (!line.starts_with("dataset_name ")) return;
        const auto parts = words(line);  // dataset_name 7 tank/a b: a name may hold blanks
        if (parts.size() < 3) return;
        const std::string_view name = parts[2];
        same = line.substr(static_cast<std::size_t>(name.data() - line.data())) == dataset;
      });
      if (same && value_of(text, "zil_commit_count", 2)) return file.path().string();
      if (same) break;
    }
  }
  const std::string global = folder + "zil";
  return value_of(read_small_file(global), "zil_commit_count", 2) ? global : "";
}

}  // namespace sthd::host::counters
