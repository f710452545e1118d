#include <fmt/format.h>

#include <map>
#include <set>
#include <string>
#include <variant>

#include "random_report.hpp"
#include "same.hpp"
#include "support/catch.hpp"

namespace sthd::record::test {

namespace {

/// The values that each member, named by its place in the structs around it, was seen to have.
class Seen {
 public:
  template <class T>
  void add(const std::string& path, const T& value) {
    if constexpr (requires { members(value); }) {
      int index = 0;
      std::apply([&](const auto&... x) { (add(fmt::format("{}.{}", path, index++), x), ...); },
                 members(value));
    } else if constexpr (std::is_enum_v<T>) {
      note(path, fmt::format("{}", static_cast<int>(value)));
    } else {
      note(path, fmt::format("{}", value));
    }
  }
  template <class T>
  void add(const std::string& path, const std::optional<T>& value) {
    note(path, value ? "set" : "unset");
    if (value) add(path + "?", *value);
  }
  template <class T>
  void add(const std::string& path, const std::vector<T>& values) {
    note(path, fmt::format("{}", values.size()));
    for (const T& value : values) add(path + "[]", value);
  }
  template <class A, class B>
  void add(const std::string& path, const std::pair<A, B>& value) {
    add(path + ".first", value.first);
    add(path + ".second", value.second);
  }
  template <class... T>
  void add(const std::string& path, const std::variant<T...>& value) {
    note(path, fmt::format("kind {}", value.index()));
  }
  void add(const std::string& path, const LatencyHistogram& value) {
    note(path, fmt::format("{} {}", value.count(), value.has_bins()));
  }

  /// Those that never changed.
  [[nodiscard]] std::vector<std::string> constant() const {
    std::vector<std::string> paths;
    for (const auto& [path, values] : values_) {
      if (values.size() < 2) paths.push_back(path);
    }
    return paths;
  }
  [[nodiscard]] std::size_t size() const { return values_.size(); }

 private:
  void note(const std::string& path, std::string value) {
    auto& known = values_[path];
    if (known.size() < 2) known.insert(std::move(value));
  }
  std::map<std::string, std::set<std::string>> values_;
};

}  // namespace

TEST_CASE("A random report leaves no member at its default", "[record][report]") {
  Seen seen;
  for (std::uint64_t seed = 0; seed < 200; ++seed) seen.add("report", random_report(seed));
  const std::vector<std::string> constant = seen.constant();
  CAPTURE(constant);
  CHECK(constant.empty());
  CHECK(seen.size() > 150);
}

TEST_CASE("A member that is never set is found", "[record][report]") {
  Seen seen;
  for (const char* path : {"/mnt/a", "/mnt/b"}) {
    Target target;
    target.path = path;
    seen.add("target", target);
  }
  CHECK(seen.constant().size() == seen.size() - 1);
}

}  // namespace sthd::record::test
