#include "sthd/units.hpp"

#include <array>
#include <charconv>
#include <cmath>
#include <cstddef>
#include <optional>

#include "sthd/text.hpp"

namespace sthd {
namespace {

// Wide enough for any 20-digit number times the largest unit: nothing wraps before it is compared.
__extension__ using Wide = unsigned __int128;

constexpr std::size_t kMaxWholeDigits = 20;
constexpr std::size_t kMaxFractionDigits = 12;

struct Unit {
  std::string_view suffix;
  std::uint64_t factor;
};

constexpr std::array<Unit, 12> kSizeUnits{{{"k", kKiB},
                                           {"kib", kKiB},
                                           {"kb", 1'000},
                                           {"m", kMiB},
                                           {"mib", kMiB},
                                           {"mb", 1'000'000},
                                           {"g", kGiB},
                                           {"gib", kGiB},
                                           {"gb", 1'000'000'000},
                                           {"t", 1024 * kGiB},
                                           {"tib", 1024 * kGiB},
                                           {"tb", 1'000'000'000'000}}};

constexpr std::array<Unit, 6> kTimeUnits{{{"us", kMicrosecond},
                                          {"ms", kMillisecond},
                                          {"s", kSecond},
                                          {"m", 60 * kSecond},
                                          {"h", 3600 * kSecond},
                                          {"d", 86400 * kSecond}}};

bool is_digit(char c) { return c >= '0' && c <= '9'; }

Error refused(std::string_view text, std::string_view why) {
  std::string message = "\"" + display(text) + "\" ";
  message += why;
  return Error{ErrorCode::refused, std::move(message), 0};
}

/// "1.5GiB" as {1, "5", "GiB"}: digits only, no sign, no exponent, no blanks.
struct Number {
  std::string_view whole;
  std::string_view fraction;
  std::string_view suffix;
};

std::optional<Number> split(std::string_view text) {
  const auto digits_from = [text](std::size_t at) {
    while (at < text.size() && is_digit(text[at])) ++at;
    return at;
  };
  const std::size_t whole_end = digits_from(0);
  if (whole_end == 0) return std::nullopt;
  std::size_t end = whole_end;
  std::string_view fraction;
  if (end < text.size() && text[end] == '.') {
    end = digits_from(whole_end + 1);
    fraction = text.substr(whole_end + 1, end - whole_end - 1);
    if (fraction.empty()) return std::nullopt;
  }
  return Number{text.substr(0, whole_end), fraction, text.substr(end)};
}

std::string_view without_zeros(std::string_view digits) {
  while (digits.size() > 1 && digits.front() == '0') digits.remove_prefix(1);
  return digits;
}

enum class Fault { too_large, fraction };

/// whole.fraction times `factor` as a whole number up to `limit`, or what is wrong with it.
std::optional<std::uint64_t> scaled(const Number& number, std::uint64_t factor, std::uint64_t limit,
                                    Fault* fault) {
  const std::string_view whole = without_zeros(number.whole);
  std::string_view fraction = number.fraction;
  while (!fraction.empty() && fraction.back() == '0') fraction.remove_suffix(1);
  *fault = Fault::too_large;
  if (whole.size() > kMaxWholeDigits) return std::nullopt;
  Wide value = 0;
  for (const char c : whole) value = value * 10 + static_cast<unsigned>(c - '0');
  value *= factor;
  if (value > limit) return std::nullopt;
  *fault = Fault::fraction;
  if (fraction.size() > kMaxFractionDigits) return std::nullopt;
  Wide part = 0;
  Wide power = 1;
  for (const char c : fraction) {
    part = part * 10 + static_cast<unsigned>(c - '0');
    power *= 10;
  }
  part *= factor;
  if (part % power != 0) return std::nullopt;
  value += part / power;
  *fault = Fault::too_large;
  if (value > limit) return std::nullopt;
  return static_cast<std::uint64_t>(value);
}

std::string lower(std::string_view text) {
  std::string result(text);
  for (char& c : result) {
    if (c >= 'A' && c <= 'Z') c = static_cast<char>(c - 'A' + 'a');
  }
  return result;
}

template <std::size_t N>
std::optional<std::uint64_t> factor_of(const std::array<Unit, N>& units, std::string_view suffix) {
  for (const Unit& unit : units) {
    if (unit.suffix == suffix) return unit.factor;
  }
  return std::nullopt;
}

/// Fixed-point without any locale; `trim` drops zeros after the point.
std::string fixed(double value, int precision, bool trim) {
  std::array<char, 64> buffer{};
  const auto end = std::to_chars(buffer.data(), buffer.data() + buffer.size(), value,
                                 std::chars_format::fixed, precision);
  std::string text(buffer.data(), end.ptr);
  if (trim && text.find('.') != std::string::npos) {
    while (text.back() == '0') text.pop_back();
    if (text.back() == '.') text.pop_back();
  }
  return text;
}

/// "2h5m": the larger part and, unless it is 0, the smaller.
std::string two_parts(std::uint64_t units, std::uint64_t in_larger, char larger, char smaller) {
  std::string text = std::to_string(units / in_larger) + larger;
  if (units % in_larger != 0) text += std::to_string(units % in_larger) + smaller;
  return text;
}

std::uint64_t rounded(std::uint64_t value, std::uint64_t unit) {
  return value / unit + (value % unit >= unit - value % unit ? 1 : 0);
}

}  // namespace

Outcome<std::uint64_t> parse_size(std::string_view text) {
  const std::optional<Number> number = split(text);
  if (!number) return refused(text, "is not a size (write 4096, 4k, 1MiB or 1GB)");
  std::optional<std::uint64_t> factor = 1;
  if (!number->suffix.empty()) factor = factor_of(kSizeUnits, lower(number->suffix));
  if (!factor) {
    return refused(text,
                   "has an unknown unit (k, m, g, t and KiB, MiB, GiB, TiB are binary; kB, MB, GB, "
                   "TB are decimal)");
  }
  Fault fault{};
  const auto value = scaled(*number, *factor, kMaxBytes, &fault);
  if (!value && fault == Fault::fraction) return refused(text, "is not a whole number of bytes");
  if (!value) return refused(text, "is more than 4 EiB, the largest size");
  if (*value == 0) return refused(text, "is not a size: it must be at least 1 byte");
  return *value;
}

Outcome<std::uint64_t> parse_duration(std::string_view text, bool bare_is_seconds) {
  const std::optional<Number> number = split(text);
  if (!number) return refused(text, "is not a time (write 500ms, 5s, 1m or 2h)");
  std::optional<std::uint64_t> factor = kSecond;
  if (!number->suffix.empty()) {
    factor = factor_of(kTimeUnits, number->suffix);
  } else if (!bare_is_seconds) {
    return refused(text, "has no unit (write 500ms, 5s, 1m or 2h)");
  }
  if (!factor) return refused(text, "has an unknown unit (us, ms, s, m, h or d)");
  Fault fault{};
  const auto value = scaled(*number, *factor, kMaxDuration, &fault);
  if (!value && fault == Fault::fraction) {
    return refused(text, "is not a whole number of nanoseconds");
  }
  if (!value) return refused(text, "is more than 30 days, the longest time");
  return *value;
}

std::string short_size(std::uint64_t bytes) {
  constexpr std::string_view kSuffixes = "KMGT";
  std::size_t unit = 0;
  while (bytes != 0 && bytes % 1024 == 0 && unit < kSuffixes.size()) {
    bytes /= 1024;
    ++unit;
  }
  std::string text = std::to_string(bytes);
  if (unit > 0) text += kSuffixes[unit - 1];
  return text;
}

std::string human_size(std::uint64_t bytes) {
  constexpr std::array<std::string_view, 6> kUnits{"KiB", "MiB", "GiB", "TiB", "PiB", "EiB"};
  if (bytes < kKiB) return std::to_string(bytes) + " B";
  double value = static_cast<double>(bytes) / 1024;
  std::size_t unit = 0;
  while (value >= 1023.995 && unit + 1 < kUnits.size()) {  // would print as 1024.00
    value /= 1024;
    ++unit;
  }
  return fixed(value, 2, false) + " " + std::string(kUnits[unit]);
}

std::string human_duration(std::uint64_t nanoseconds) {
  const auto ns = static_cast<double>(nanoseconds);
  if (nanoseconds < kMicrosecond) {
    return nanoseconds == 0 ? "0s" : std::to_string(nanoseconds) + "ns";
  }
  if (ns < 999'950) return fixed(ns / 1e3, 1, true) + "us";
  if (ns < 999'950'000) return fixed(ns / 1e6, 1, true) + "ms";
  if (ns < 59.95e9) return fixed(ns / 1e9, 1, true) + "s";
  const std::uint64_t seconds = rounded(nanoseconds, kSecond);
  if (seconds < 3600) return two_parts(seconds, 60, 'm', 's');
  const std::uint64_t minutes = rounded(seconds, 60);
  if (minutes < 1440U) return two_parts(minutes, 60, 'h', 'm');
  return two_parts(rounded(minutes, 60), 24, 'd', 'h');
}

}  // namespace sthd
