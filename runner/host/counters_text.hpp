#pragma once

#include <array>
#include <cstdint>
#include <optional>
#include <string>
#include <string_view>
#include <vector>

// Private to runner/host/counters*: how the kernel's counters are written.
namespace sthd::host::counters {

/// The words of a line, separated by blanks and tabs.
std::vector<std::string_view> words(std::string_view text);

/// Calls `use` with each line, without its end.
template <class F>
void each_line(std::string_view text, F use) {
  while (!text.empty()) {
    const auto end = text.find('\n');
    use(text.substr(0, end));
    if (end == std::string_view::npos) return;
    text.remove_prefix(end + 1);
  }
}

/// A whole decimal number; empty when it is anything else, or too large.
std::optional<std::uint64_t> number(std::string_view text);

/// The number in column `column` (0-based) of the line whose first word is `key`.
std::optional<std::uint64_t> value_of(std::string_view text, std::string_view key,
                                      std::size_t column = 1);

/// RPCs of one NFS mount: READ, WRITE and COMMIT, those that move the data of a file.
struct NfsCounts {
  std::uint64_t ops = 0;
  std::uint64_t rtt_ms = 0;      ///< from the request's sending to its reply
  std::uint64_t execute_ms = 0;  ///< the wait for a slot included
};
/// Of the mount at `mount_point`, written with its escapes; the last one there counts.
std::optional<NfsCounts> nfs_counts(std::string_view mountstats, std::string_view mount_point);

/// A path as the kernel writes it into mountinfo and mountstats: "\040" for a blank.
std::string escaped_path(std::string_view path);

/// cpu.stat of the nearest cgroup of this process that has a CPU quota; else of the nearest that
/// counts throttling; empty = none does.
std::string cgroup_stat_file(const std::string& sysroot);

/// The dataset's own ZIL counters (OpenZFS 2.2 and later), else those of all pools; empty = none.
std::string zil_stat_file(const std::string& sysroot, std::string_view dataset);

}  // namespace sthd::host::counters
