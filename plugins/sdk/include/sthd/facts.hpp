#pragma once

#include <optional>
#include <string>
#include <string_view>
#include <variant>
#include <vector>

namespace sthd {

/// One thing known, or not to be had, about the host, the target or a measured window. Untrusted
/// text: pass through display() before showing.
///
/// Names are stable, dotted, lower case; the last part carries the unit ("cpu.mhz_max",
/// "memory.available_bytes"). Parts that repeat are numbered: "disk.0.model", "zfs.log.1.device".
struct Fact {
  std::string name;
  std::variant<std::monostate, double, std::string> value;  ///< monostate = not to be had
  std::string unknown_because;  ///< one clause, set where the value is missing
};

/// In the order in which they are shown; a name occurs once.
using Facts = std::vector<Fact>;

/// The fact of that name, or nullptr.
const Fact* find_fact(const Facts& facts, std::string_view name) noexcept;
/// Its number; empty when there is none.
std::optional<double> fact_number(const Facts& facts, std::string_view name) noexcept;
/// Its text; empty when there is none.
std::optional<std::string_view> fact_text(const Facts& facts, std::string_view name) noexcept;

}  // namespace sthd
