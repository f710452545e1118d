#pragma once

#include <filesystem>
#include <memory>
#include <string>
#include <string_view>
#include <vector>

#include "sthd/abi.hpp"

namespace sthd::host {

struct PluginFolder {
  std::filesystem::path path;
  bool bundled = false;  ///< of this installation: wins over a duplicate name
};

/// Why a file was not loaded: one sentence naming the file, what was found, what was wanted, what
/// to do.
struct PluginRefusal {
  std::filesystem::path file;
  int gate = 0;  ///< 0 file, 1 marker, 2 descriptor, 3 create
  std::string sentence;
};

struct PluginEntry {
  std::string name;
  std::string version;
  std::string summary;
  std::filesystem::path file;
  bool bundled = false;
};
struct BackendEntry : PluginEntry {
  Backend* backend = nullptr;  ///< owned by the PluginHost
  BackendInfo info;
};
struct FormatterEntry : PluginEntry {
  Formatter* formatter = nullptr;  ///< owned by the PluginHost
  FormatterInfo info;
};

/// Loads plugins through the gates, in order; a bad one never stops the others. Libraries are never
/// unloaded.
class PluginHost {
 public:
  explicit PluginHost(const std::vector<PluginFolder>& folders);
  ~PluginHost();
  PluginHost(PluginHost&&) noexcept;
  PluginHost& operator=(PluginHost&&) noexcept;

  [[nodiscard]] const std::vector<BackendEntry>& backends() const;
  [[nodiscard]] const std::vector<FormatterEntry>& formatters() const;
  [[nodiscard]] const std::vector<PluginRefusal>& refusals() const;
  [[nodiscard]] const BackendEntry* backend(std::string_view name) const;
  [[nodiscard]] const FormatterEntry* formatter(std::string_view name) const;

 private:
  struct State;
  std::unique_ptr<State> state_;
};

/// Bundled first (../lib/speedtest-hd/plugins beside the binary's folder), then `--plugin-dir`,
/// $STHD_PLUGIN_PATH,
/// ~/.local/lib/speedtest-hd; the last two are ignored when AT_SECURE or SUDO_UID is set.
std::vector<PluginFolder> plugin_folders(const std::vector<std::string>& from_command_line);

}  // namespace sthd::host
