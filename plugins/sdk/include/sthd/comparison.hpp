#pragma once

#include <array>
#include <cstddef>
#include <optional>
#include <string>
#include <string_view>
#include <vector>

#include "sthd/job.hpp"

namespace sthd {

/// One of the records that are compared.
struct Side {
  std::string label;  ///< "before", or the record's file or id
  std::string run_id;
  std::string started_utc;
};

/// What is not the same on all sides: "kernel", "engine of sync4k/threads=1".
struct Difference {
  std::string what;
  std::vector<std::string> values;  ///< one a side; empty = unknown
};

enum class Change { unknown, none_shown, better, worse };
template <>
inline constexpr std::array<std::string_view, 4> kEnumTexts<Change>{"unknown", "none shown",
                                                                    "better", "worse"};

/// A side's figure ÷ the first side's, with the 95 % interval of that ratio.
struct Ratio {
  std::optional<double> ratio;  ///< unset = one of the figures is unknown or 0
  std::optional<double> low;    ///< unset = too few repeats or samples for an interval
  std::optional<double> high;
  Change change = Change::unknown;  ///< better or worse only when the interval leaves out 1
};

/// One metric of one row on all sides.
struct ComparedRow {
  std::string job;
  std::string label;
  Op op = Op::read;
  std::string metric;
  std::string title;  ///< of its column: "p99 lat(us)"
  std::string unit;
  int precision = 0;
  std::vector<std::optional<double>> values;  ///< one a side, in `unit`; unset = unknown
  std::vector<Ratio> ratios;                  ///< one a side after the first
};

/// A row that is not compared, and why: "only in B", "block_size 4096 against 8192".
struct NotCompared {
  std::string label;
  std::string reason;
};

/// The before/after table of a write-up: one row a side, chosen columns.
struct StageTable {
  std::string label_title;  ///< head of the first column
  std::vector<std::string> titles;
  struct Row {
    std::string label;
    std::vector<std::string> cells;  ///< ready text, one a title
  };
  std::vector<Row> rows;
  std::string sentence;  ///< the net improvement; empty where nothing is known
};

enum class LimitVerdict { unknown, kept, exceeded, inconclusive };
template <>
inline constexpr std::array<std::string_view, 4> kEnumTexts<LimitVerdict>{
    "unknown", "kept", "exceeded", "inconclusive"};

/// One `--fail-if`.
struct LimitResult {
  std::string limit;  ///< as it was given
  LimitVerdict verdict = LimitVerdict::unknown;
  std::string text;  ///< one sentence
};

/// What `compare` found. The texts are ready; a formatter lays them out.
struct Comparison {
  std::vector<Side> sides;
  std::vector<Difference> differences;
  std::vector<ComparedRow> rows;
  std::vector<NotCompared> not_compared;
  std::optional<StageTable> stages;  ///< with it, the rows are left out of what is shown
  std::vector<LimitResult> limits;
};

}  // namespace sthd
