#include "sthd/expectation.hpp"

#include <fnmatch.h>

#include <algorithm>
#include <array>
#include <charconv>
#include <string_view>

namespace sthd {
namespace {

/// The fact as a text to be matched; empty where it is not to be had.
std::optional<std::string> text_of(const Fact* fact) {
  if (fact == nullptr) return std::nullopt;
  if (const auto* text = std::get_if<std::string>(&fact->value)) return *text;
  const auto* number = std::get_if<double>(&fact->value);
  if (number == nullptr) return std::nullopt;
  std::array<char, 32> digits{};
  const auto end = std::to_chars(digits.data(), digits.data() + digits.size(), *number);
  return std::string(digits.data(), end.ptr);
}

std::optional<bool> fits(const Fact* fact, const std::string& glob) {
  const auto text = text_of(fact);
  if (!text) return std::nullopt;
  return ::fnmatch(glob.c_str(), text->c_str(), 0) == 0;
}

/// All disks of a role. Without one of that role, but with others: no.
std::optional<bool> models_fit(std::string_view role, const std::string& glob, const Facts& facts) {
  std::optional<bool> all;
  for (std::size_t i = 0;; ++i) {
    const std::string key = "disk." + std::to_string(i) + ".";
    const auto found = fact_text(facts, key + "role");
    if (!found) return all;
    if (*found != role) {
      all = all.value_or(false);
      continue;
    }
    const auto one = fits(find_fact(facts, key + "model"), glob);
    if (one != true) return one;
    all = true;
  }
}

}  // namespace

const std::vector<std::string>& short_fact_names() {
  static const std::vector<std::string> kNames{"data_device_model", "filesystem",
                                               "log_device_model", "platform"};
  return kNames;
}

std::optional<bool> matches(const FactPattern& wanted, const Facts& facts) {
  if (wanted.name == "log_device_model") return models_fit("log", wanted.glob, facts);
  if (wanted.name == "data_device_model") return models_fit("data", wanted.glob, facts);
  if (wanted.name == "filesystem") {
    return fits(find_fact(facts, "target.filesystem"), wanted.glob);
  }
  if (wanted.name == "platform") return fits(find_fact(facts, "host.platform"), wanted.glob);
  return fits(find_fact(facts, wanted.name), wanted.glob);
}

const FactPattern* untold(const Expectation& expectation, const Facts& facts) {
  const FactPattern* first = nullptr;
  for (const FactPattern& pattern : expectation.only_if) {
    const auto holds = matches(pattern, facts);
    if (holds == false) return nullptr;
    if (!holds && first == nullptr) first = &pattern;
  }
  return first;
}

std::optional<bool> applies(const Expectation& expectation, const Facts& facts) {
  if (untold(expectation, facts) != nullptr) return std::nullopt;
  return std::all_of(expectation.only_if.begin(), expectation.only_if.end(),
                     [&facts](const FactPattern& each) { return matches(each, facts) == true; });
}

}  // namespace sthd
