#include "kit/table/evidence.hpp"

#include <fmt/format.h>

namespace sthd::table {

std::string evidence_value(const Evidence& item) {
  constexpr double kWhole = 1000;
  const auto* number = std::get_if<double>(&item.value);
  if (number == nullptr) return std::get<std::string>(item.value);
  return *number >= kWhole ? fmt::format("{:.0f}", *number) : fmt::format("{:.4g}", *number);
}

std::string evidence_text(const Finding& finding) {
  std::string out;
  for (const Evidence& item : finding.evidence) {
    out += fmt::format("{}{} {}", out.empty() ? "" : ", ", item.name, evidence_value(item));
  }
  return out;
}

}  // namespace sthd::table
