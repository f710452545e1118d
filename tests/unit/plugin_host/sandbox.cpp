#include "sandbox.hpp"

#include <sys/stat.h>

#include <algorithm>
#include <cstdlib>
#include <fstream>
#include <iterator>
#include <stdexcept>

#include "fmt/format.h"

namespace sthd::test {

namespace fs = std::filesystem;

Sandbox::Sandbox() {
  std::string pattern = (fs::temp_directory_path() / "sthd-plugins-XXXXXX").string();
  if (::mkdtemp(pattern.data()) == nullptr) throw std::runtime_error("mkdtemp " + pattern);
  root_ = fs::canonical(pattern);
  plugins_ = root_ / "plugins";
  fs::create_directory(plugins_);
  fs::create_directory(root_ / "traces");
  fs::permissions(plugins_, fs::perms(0755));
  ::setenv("STHD_TEST_MARKER", (root_ / "traces" / "").c_str(), 1);
}

Sandbox::~Sandbox() {
  std::error_code ignored;
  fs::remove_all(root_, ignored);
}

fs::path Sandbox::add(const std::string& fake, const std::string& name) const {
  const fs::path to = plugins_ / (name.empty() ? fake + ".so" : name);
  return copy(fake, to);
}

fs::path Sandbox::copy(const std::string& fake, const fs::path& to) {
  fs::copy_file(fs::path(STHD_FAKE_DIR) / fake / (fake + ".so"), to);
  fs::permissions(to, fs::perms(0755));
  return to;
}

std::vector<std::string> Sandbox::traces() const {
  std::vector<std::string> names;
  for (const auto& entry : fs::directory_iterator(root_ / "traces")) {
    names.push_back(entry.path().filename().string());
  }
  std::ranges::sort(names);
  return names;
}

std::string Sandbox::scrub(std::string text) const {
  const std::string found = plugins_.string();
  for (auto at = text.find(found); at != std::string::npos; at = text.find(found, at)) {
    text.replace(at, found.size(), "DIR");
  }
  return text;
}

std::vector<std::string> Sandbox::refusals(const host::PluginHost& host) const {
  std::vector<std::string> texts;
  for (const auto& refusal : host.refusals()) {
    texts.push_back(fmt::format("{}: {}", refusal.gate, scrub(refusal.sentence)));
  }
  return texts;
}

std::string read_file(const fs::path& path) {
  std::ifstream in(path, std::ios::binary);
  return {std::istreambuf_iterator<char>(in), {}};
}

void write_file(const fs::path& path, std::string_view text) {
  {
    std::ofstream out(path, std::ios::binary);
    out << text;
  }
  fs::permissions(path, fs::perms(0644));
}

std::vector<std::string> formatter_names(const host::PluginHost& host) {
  std::vector<std::string> names;
  for (const auto& entry : host.formatters()) names.push_back(entry.name);
  return names;
}

}  // namespace sthd::test
