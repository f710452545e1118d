#pragma once

#include <array>
#include <optional>
#include <string>
#include <string_view>
#include <vector>

#include "sthd/facts.hpp"
#include "sthd/job.hpp"

namespace sthd {

/// What a figure outside of its range means.
enum class ExpectKind {
  healthy,      ///< something may be wrong: a note, with the remedy
  vendor_spec,  ///< not what the maker says; far better is suspicious too
  require       ///< the run has failed its purpose: exit code 3
};
template <>
inline constexpr std::array<std::string_view, 3> kEnumTexts<ExpectKind>{"healthy", "vendor-spec",
                                                                        "require"};

/// Where a metric is expected, in its base unit (metrics.hpp). An end that is unset is open.
struct ExpectedRange {
  std::string metric;  ///< "iops", "lat.p99"
  std::optional<double> low;
  std::optional<double> high;
  std::optional<double> spec;  ///< the maker's own figure; vendor_spec only
};

/// A fact that must match for an expectation to be judged: `only_if` of the profile.
struct FactPattern {
  std::string name;  ///< of a fact ("cpu.governor"), or one of short_fact_names()
  std::string glob;  ///< as fnmatch(3) takes it; the whole text of the fact has to match
};

/// Names that a FactPattern may have beside those of facts, which have a dot: "filesystem",
/// "platform", "data_device_model" and "log_device_model" (all disks of that role must match, and
/// there must be one).
const std::vector<std::string>& short_fact_names();

/// Whether the facts are as `wanted`; empty where they do not tell.
std::optional<bool> matches(const FactPattern& wanted, const Facts& facts);

/// An [[expect]] of the profile.
struct Expectation {
  std::string id;
  ExpectKind kind = ExpectKind::healthy;
  std::vector<std::string> jobs;  ///< ids of the jobs it is about, in plan order
  std::vector<FactPattern> only_if;
  std::string source;  ///< where the figures come from; empty = the profile's own word (require)
  std::string remedy;  ///< may be empty
  std::vector<ExpectedRange> ranges;
};

/// The first of `only_if` of which the facts do not tell whether it holds; nullptr when they tell
/// of all, or when one does not hold.
const FactPattern* untold(const Expectation& expectation, const Facts& facts);

/// Whether all of `only_if` holds: empty where one is untold() and no other fails.
std::optional<bool> applies(const Expectation& expectation, const Facts& facts);

enum class Expected {
  unknown,  ///< not judged: `reason` says why
  met,
  missed,
  above  ///< of a vendor_spec: so much better than the maker says that it is suspicious
};
template <>
inline constexpr std::array<std::string_view, 4> kEnumTexts<Expected>{"unknown", "met", "missed",
                                                                      "above"};

/// What became of one range of one expectation on one row.
struct Judgement {
  std::string expectation;  ///< its id
  std::string job;
  Op op = Op::read;
  ExpectedRange range;
  std::optional<double> value;  ///< measured, in the metric's base unit
  Expected verdict = Expected::unknown;
  std::string reason;  ///< of unknown
};

}  // namespace sthd
