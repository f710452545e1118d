#include "sthd/facts.hpp"

#include <algorithm>

namespace sthd {

const Fact* find_fact(const Facts& facts, std::string_view name) noexcept {
  const auto found =
      std::find_if(facts.begin(), facts.end(), [name](const Fact& f) { return f.name == name; });
  return found == facts.end() ? nullptr : &*found;
}

std::optional<double> fact_number(const Facts& facts, std::string_view name) noexcept {
  const Fact* fact = find_fact(facts, name);
  const auto* number = fact == nullptr ? nullptr : std::get_if<double>(&fact->value);
  return number == nullptr ? std::nullopt : std::optional(*number);
}

std::optional<std::string_view> fact_text(const Facts& facts, std::string_view name) noexcept {
  const Fact* fact = find_fact(facts, name);
  const auto* text = fact == nullptr ? nullptr : std::get_if<std::string>(&fact->value);
  return text == nullptr ? std::nullopt : std::optional<std::string_view>(*text);
}

}  // namespace sthd
