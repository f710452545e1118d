#include "runner/profile/figure.hpp"

#include <fmt/format.h>

#include <utility>

#include "runner/profile/diagnostics.hpp"
#include "sthd/units.hpp"

namespace sthd::profile {
namespace {

Error refused(std::string message) { return {ErrorCode::refused, std::move(message), 0}; }

bool is_number(const Value& value) {
  return value.kind == Kind::integer || value.kind == Kind::floating;
}

Outcome<double> read_plain(const Value& value) {
  if (!is_number(value)) return refused(fmt::format("{} is no number", in_quotes(value.text)));
  const double number = number_of(value);
  if (number < 0) return refused(fmt::format("{} is below 0", number));
  return number;
}

Error without_unit(const Value& value, std::string_view example) {
  return refused(fmt::format("{} has no unit (write {})", number_of(value), example));
}

/// Bytes a second.
Outcome<double> read_rate(const Value& value) {
  if (is_number(value)) return without_unit(value, "3140MB/s");
  std::string_view text = value.text;
  if (text.ends_with("B/s")) {
    text.remove_suffix(2);
    if (const auto bytes = parse_size(text)) return static_cast<double>(*bytes);
  }
  return refused(fmt::format("{} is not a rate (write 3140MB/s or 1GiB/s)", in_quotes(value.text)));
}

Outcome<double> read_bytes(const Value& value) {
  if (value.kind == Kind::floating) {
    return refused(fmt::format("{} is not a whole number of bytes", value.floating));
  }
  if (is_number(value)) return read_plain(value);
  const auto bytes = parse_size(value.text);
  if (!bytes) return bytes.error();
  return static_cast<double>(*bytes);
}

Outcome<double> read_ns(const Value& value) {
  if (is_number(value)) return without_unit(value, "10ms");
  const auto ns = parse_duration(value.text);
  if (!ns) return ns.error();
  return static_cast<double>(*ns);
}

}  // namespace

double number_of(const Value& value) {
  return value.kind == Kind::integer ? static_cast<double>(value.integer) : value.floating;
}

Outcome<double> read_figure(std::string_view metric, const Value& value) {
  if (metric == "bw") return read_rate(value);
  if (metric == "bytes") return read_bytes(value);
  if (metric == "iops" || metric == "depth" || metric == "submit_share") return read_plain(value);
  const auto ns = read_ns(value);
  if (!ns || metric != "seconds") return ns;
  return *ns / static_cast<double>(kSecond);
}

}  // namespace sthd::profile
