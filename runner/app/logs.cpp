#include "runner/app/logs.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <array>
#include <cmath>
#include <iterator>
#include <optional>

namespace sthd::app {
namespace {

constexpr std::array kKinds{LogKind::bw, LogKind::iops, LogKind::lat};
constexpr std::array<std::string_view, kKinds.size()> kNames{"bw", "iops", "lat"};

/// One direction in one slice.
struct Row {
  Op op = Op::read;
  std::uint64_t end_ns = 0;     ///< from the start of the first loop
  std::uint64_t length_ns = 0;  ///< of the slice
  const Sample* sample = nullptr;
};

void add_rows(const std::optional<OpResult>& result, Op op, std::uint64_t begin_ns,
              std::vector<Row>& rows) {
  if (!result) return;
  std::uint64_t before = 0;
  for (const Sample& sample : result->samples) {
    rows.push_back({op, begin_ns + sample.at_ns, sample.at_ns - before, &sample});
    before = sample.at_ns;
  }
}

/// Both directions in order of time.
std::vector<Row> rows_of(const ResultRecord& record) {
  std::vector<Row> rows;
  std::uint64_t begin_ns = 0;
  for (const LoopResult& loop : record.loops) {
    add_rows(loop.read, Op::read, begin_ns, rows);
    add_rows(loop.write, Op::write, begin_ns, rows);
    begin_ns +=
        std::max(loop.read ? loop.read->elapsed_ns : 0, loop.write ? loop.write->elapsed_ns : 0);
  }
  std::ranges::stable_sort(rows, {}, &Row::end_ns);
  return rows;
}

std::optional<double> mean_ns(const CoarseBins& bins) {
  double count = 0;
  double sum = 0;
  for (const auto& [index, n] : bins) {
    count += static_cast<double>(n);
    sum += static_cast<double>(n) * static_cast<double>(CoarseGrid::midpoint_of(index));
  }
  return count > 0 ? std::optional(sum / count) : std::nullopt;
}

std::optional<double> value_of(const Row& row, LogKind kind) {
  if (kind == LogKind::lat) return mean_ns(row.sample->lat);
  if (row.length_ns == 0) return std::nullopt;
  const double seconds = static_cast<double>(row.length_ns) / kSecond;
  const auto amount =
      static_cast<double>(kind == LogKind::bw ? row.sample->bytes : row.sample->ios);
  return amount / (kind == LogKind::bw ? kKiB : 1) / seconds;
}

std::string text_of(const std::vector<Row>& rows, LogKind kind) {
  std::string text;
  for (const Row& row : rows) {
    const auto value = value_of(row, kind);
    if (!value) continue;
    fmt::format_to(std::back_inserter(text), "{}, {:.0f}, {}, 0, 0\n", row.end_ns / kMillisecond,
                   *value, row.op == Op::read ? 0 : 1);
  }
  return text;
}

}  // namespace

std::string log_file(std::string_view prefix, LogKind kind, std::size_t number) {
  return fmt::format("{}_{}.{}.log", prefix, kNames.at(static_cast<std::size_t>(kind)), number);
}

std::vector<Log> logs_of(const Report& report, std::string_view prefix) {
  std::vector<Log> logs;
  for (std::size_t i = 0; i < report.plan.jobs.size(); ++i) {
    const auto record = std::ranges::find_if(report.records, [&](const ResultRecord& each) {
      return each.job.id == report.plan.jobs[i].id;
    });
    const std::vector<Row> rows =
        record == report.records.end() ? std::vector<Row>() : rows_of(*record);
    for (const LogKind kind : kKinds) {
      logs.push_back({log_file(prefix, kind, i + 1), text_of(rows, kind)});
    }
  }
  return logs;
}

}  // namespace sthd::app
