#pragma once

#include <cstdint>
#include <optional>
#include <string>
#include <string_view>
#include <variant>
#include <vector>

#include "sthd/backend.hpp"
#include "sthd/outcome.hpp"
#include "sthd/resolution.hpp"
#include "sthd/result.hpp"
#include "sthd/target.hpp"

// What the keeper's children send to the runner: one JSON object a line, over a pipe.
namespace sthd::record {

struct PhaseLine {
  Phase phase = Phase::prepare;
  std::uint32_t loop = 0;
};
struct ProgressLine {  ///< of a job's loop, or of the layout (bytes only)
  Progress progress;
};
struct RawLine {
  std::string text;
};
/// The next slices of a loop's time series, at most kMostInALine: they come before its LoopLine,
/// which then has none. No process holds a series as text or as a tree at once.
struct SamplesLine {
  Op op = Op::read;
  std::vector<Sample> samples;
};
inline constexpr std::size_t kMostInALine = 32;
struct LoopLine {
  LoopResult loop;
};
struct TargetLine {
  Target target;
};
struct CapabilityLine {
  Capability capability;
};
/// Whether O_DIRECT works on the test file, and whether it meant anything.
struct DirectLine {
  bool works = false;        ///< a direct I/O succeeded
  std::optional<bool> real;  ///< it went past the cache; empty = cannot be told
  std::string reason;        ///< one clause
};
struct ErrorLine {
  Error error;
};
struct DoneLine {};

using Line = std::variant<PhaseLine, ProgressLine, RawLine, SamplesLine, LoopLine, TargetLine,
                          CapabilityLine, DirectLine, ErrorLine, DoneLine>;

/// One line without its newline; never contains one. Invalid UTF-8 in texts is replaced, not
/// refused.
std::string encode(const Line& line);
/// The inverse; an Error names what was wrong with the line.
Outcome<Line> decode(std::string_view text);

}  // namespace sthd::record
