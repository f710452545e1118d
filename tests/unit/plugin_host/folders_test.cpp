#include <cstdlib>
#include <optional>

#include "sandbox.hpp"
#include "support/catch.hpp"

namespace fs = std::filesystem;
using sthd::test::Sandbox;
using strings = std::vector<std::string>;

namespace {

/// Sets or removes a variable, and puts the old value back.
class Variable {
 public:
  Variable(const char* name, const char* value) : name_(name) {
    if (const char* old = std::getenv(name)) old_ = old;
    set(value);
  }
  ~Variable() { set(old_ ? old_->c_str() : nullptr); }
  Variable(const Variable&) = delete;
  Variable& operator=(const Variable&) = delete;

 private:
  void set(const char* value) const {
    if (value == nullptr) {
      ::unsetenv(name_);
    } else {
      ::setenv(name_, value, 1);
    }
  }
  const char* name_;
  std::optional<std::string> old_;
};

strings paths(const std::vector<std::string>& from_command_line) {
  strings result;
  for (const auto& folder : sthd::host::plugin_folders(from_command_line)) {
    result.push_back((folder.bundled ? "bundled " : "") + folder.path.string());
  }
  return result;
}

std::string bundled() {
  return "bundled " + (fs::read_symlink("/proc/self/exe").parent_path().parent_path() / "lib" /
                       "speedtest-hd" / "plugins")
                          .string();
}

}  // namespace

TEST_CASE("Plugin folders: bundled, command line, environment, home", "[plugin][folders]") {
  const Sandbox home;
  const fs::path own = home.plugins() / ".local" / "lib" / "speedtest-hd";
  fs::create_directories(own);
  const Variable no_sudo("SUDO_UID", nullptr);
  const Variable list("STHD_PLUGIN_PATH", "/opt/a::relative:/opt/b");
  const Variable at_home("HOME", home.plugins().c_str());
  CHECK(paths({"/opt/cli", "here/../there"}) ==
        strings{bundled(), "/opt/cli", (fs::current_path() / "there").string(), "/opt/a",
                "relative", "/opt/b", own.string()});
}

TEST_CASE("Plugin folders: under sudo the environment does not count", "[plugin][folders]") {
  const Sandbox home;
  fs::create_directories(home.plugins() / ".local" / "lib" / "speedtest-hd");
  const Variable sudo("SUDO_UID", "1000");
  const Variable list("STHD_PLUGIN_PATH", "/opt/a");
  const Variable at_home("HOME", home.plugins().c_str());
  CHECK(paths({"/opt/cli"}) == strings{bundled(), "/opt/cli"});
}

TEST_CASE("Plugin folders: a home without plugins is no fault", "[plugin][folders]") {
  const Sandbox home;
  const Variable no_sudo("SUDO_UID", nullptr);
  const Variable list("STHD_PLUGIN_PATH", nullptr);
  const Variable at_home("HOME", home.plugins().c_str());
  CHECK(paths({}) == strings{bundled()});
}
