#pragma once

#include <filesystem>
#include <map>
#include <string>
#include <string_view>
#include <vector>

#include "runner/host/plugin_host.hpp"

namespace sthd::test {

/// A private temporary folder with plugins to be judged, and another for the traces that their
/// constructors leave. Removed with everything in it.
class Sandbox {
 public:
  Sandbox();
  ~Sandbox();
  Sandbox(const Sandbox&) = delete;
  Sandbox& operator=(const Sandbox&) = delete;

  /// Where the plugins are.
  [[nodiscard]] const std::filesystem::path& plugins() const { return plugins_; }
  [[nodiscard]] std::filesystem::path file(std::string_view name) const { return plugins_ / name; }

  /// Copies the fake of this case into plugins(), as `name` (default: "<case>.so"); a new inode, so
  /// that its constructor runs anew.
  std::filesystem::path add(const std::string& fake, const std::string& name = {}) const;
  /// Same, into another folder.
  static std::filesystem::path copy(const std::string& fake, const std::filesystem::path& to);

  [[nodiscard]] host::PluginHost load() const { return host::PluginHost({{plugins_, false}}); }

  /// Cases whose constructor ran, sorted.
  [[nodiscard]] std::vector<std::string> traces() const;
  /// `text` with the path of plugins() written as "DIR".
  [[nodiscard]] std::string scrub(std::string text) const;
  /// "<gate>: <scrubbed sentence>" of every refusal.
  [[nodiscard]] std::vector<std::string> refusals(const host::PluginHost& host) const;

 private:
  std::filesystem::path root_;
  std::filesystem::path plugins_;
};

/// The whole text of a file, and a new file of this text with mode 0644.
std::string read_file(const std::filesystem::path& path);
void write_file(const std::filesystem::path& path, std::string_view text);

/// Names of what was loaded.
std::vector<std::string> formatter_names(const host::PluginHost& host);

}  // namespace sthd::test
