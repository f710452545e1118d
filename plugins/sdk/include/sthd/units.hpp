#pragma once

#include <cstdint>
#include <string>
#include <string_view>

#include "sthd/outcome.hpp"

namespace sthd {

inline constexpr std::uint64_t kKiB = 1024;
inline constexpr std::uint64_t kMiB = 1024 * kKiB;
inline constexpr std::uint64_t kGiB = 1024 * kMiB;
inline constexpr std::uint64_t kMicrosecond = 1'000;
inline constexpr std::uint64_t kMillisecond = 1'000'000;
inline constexpr std::uint64_t kSecond = 1'000'000'000;
/// Rates are MB/s, 1 MB = 10^6 bytes.
inline constexpr double kMB = 1e6;

/// Largest size and duration accepted anywhere: 2^62 bytes, 30 days.
inline constexpr std::uint64_t kMaxBytes = std::uint64_t{1} << 62;
inline constexpr std::uint64_t kMaxDuration = 30ULL * 24 * 3600 * kSecond;

/// Whole-string size in bytes. `k m g t` and `KiB MiB GiB TiB` (any case) are binary, `kB MB GB TB`
/// decimal (told apart from `k`+`b` by having no `i`); a bare number is bytes. 0, negative,
/// fractions of a byte, overflow and trailing text are errors; the message is one sentence without
/// the position.
Outcome<std::uint64_t> parse_size(std::string_view text);

/// Whole-string duration in nanoseconds: `500us 500ms 5s 1m 2h 1d`. A bare number is refused unless
/// `bare_is_seconds`. 0 is accepted ("0s", a ramp of nothing); negative and overflow are errors.
Outcome<std::uint64_t> parse_duration(std::string_view text, bool bare_is_seconds = false);

/// Shortest exact binary form for labels: 4096 -> "4K", 1048576 -> "1M", 1000 -> "1000".
std::string short_size(std::uint64_t bytes);

/// "1.00 GiB", "512 B": for people, never parsed back.
std::string human_size(std::uint64_t bytes);

/// "5s", "1m30s", "500ms", "85.5us": for people, never parsed back.
std::string human_duration(std::uint64_t nanoseconds);

/// Bytes and nanoseconds to MB/s; precondition: nanoseconds > 0.
inline double megabytes_per_second(std::uint64_t bytes, std::uint64_t nanoseconds) {
  return static_cast<double>(bytes) * 1e9 / static_cast<double>(nanoseconds) / kMB;
}

}  // namespace sthd
