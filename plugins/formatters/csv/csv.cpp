#include "kit/table/csv.hpp"
#include "kit/table/comparison_table.hpp"
#include "sthd/abi.hpp"

namespace sthd {
namespace {

/// All facts, one line a job and direction; an empty field is an unknown one.
class Csv final : public FormatterPlugin {
 protected:
  [[nodiscard]] FormatterInfo describe() const override {
    return {.extensions = {"csv"}, .compares = true};
  }

  [[nodiscard]] std::string format(const FormatInput& input) const override {
    if (input.comparison != nullptr) return compared(*input.comparison);
    std::string out = table::csv_head(table::fields(input.report, ResultRecord{}, Op::read));
    for (const ResultRecord& record : input.report.records) {
      for (const Op op : {Op::read, Op::write}) {
        const Op asked = record.job.workload.op;
        if (asked != op && asked != Op::mixed) continue;
        out += table::csv_line(table::fields(input.report, record, op));
      }
    }
    return out;
  }

 private:
  /// One line a row and side.
  static std::string compared(const Comparison& comparison) {
    const table::ComparisonLines all = table::comparison_lines(comparison);
    std::string out = table::csv_head(all.head);
    for (const auto& line : all.lines) out += table::csv_line(line);
    return out;
  }
};

}  // namespace
}  // namespace sthd

STHD_FORMATTER_PLUGIN(sthd::Csv, "csv", "Every fact, one line a job and direction")
