#pragma once

#include <filesystem>
#include <initializer_list>
#include <optional>
#include <string>
#include <string_view>
#include <vector>

#include "sthd/facts.hpp"
#include "sthd/target.hpp"

// Private to runner/host/facts*: where facts come from and where they go.
namespace sthd::host::facts {

/// Files of /proc, /sys and /etc below a root. All paths are absolute and below it.
class Sysroot {
 public:
  explicit Sysroot(const std::filesystem::path& root);

  /// Facts of the machine that we run on, rather than of a tree made for a test.
  [[nodiscard]] bool real() const { return root_.empty(); }
  /// "" for the real root, else without a slash at its end.
  [[nodiscard]] const std::string& root() const { return root_; }
  /// The whole text; empty when it cannot be read.
  [[nodiscard]] std::string text(const std::string& path) const;
  /// The text without blanks and line ends around it.
  [[nodiscard]] std::string line(const std::string& path) const;
  /// The line as a number; empty when it is none.
  [[nodiscard]] std::optional<double> number(const std::string& path) const;
  [[nodiscard]] bool exists(const std::string& path) const;
  /// Names in a directory, "state2" before "state10"; empty when there is none.
  [[nodiscard]] std::vector<std::string> names(const std::string& folder) const;
  /// Where a symbolic link points, as it says; empty when it is none.
  [[nodiscard]] std::filesystem::path link(const std::string& path) const;

 private:
  std::string root_;
};

/// Facts in the order in which they are added.
class FactList {
 public:
  /// An empty text or number is unknown, with that reason; without a reason it is left out.
  void text(std::string name, std::string value, std::string_view unknown_because = {});
  void number(std::string name, std::optional<double> value, std::string_view unknown_because = {});
  [[nodiscard]] const Facts& facts() const { return facts_; }
  [[nodiscard]] Facts take() { return std::move(facts_); }

 private:
  Facts facts_;
};

/// A number at the front of `text`; empty when it does not begin with one.
std::optional<double> leading_number(std::string_view text);
/// The value of "key=…" in a comma-separated list of options; empty when it is not there.
std::string option_value(std::string_view options, std::string_view key);
std::string_view trimmed(std::string_view text);

// One for each subject; each adds its facts.
void add_host(const Sysroot& sysroot, FactList& out);
void add_cpu(const Sysroot& sysroot, FactList& out);
void add_clock(const Sysroot& sysroot, FactList& out);
void add_memory(const Sysroot& sysroot, FactList& out);
void add_cgroup(const Sysroot& sysroot, FactList& out);
void add_nfs(const Target& target, FactList& out);

}  // namespace sthd::host::facts
