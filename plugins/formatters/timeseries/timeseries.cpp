#include <fmt/format.h>

#include "kit/chart/slice.hpp"
#include "kit/table/csv.hpp"
#include "sthd/abi.hpp"
#include "sthd/text.hpp"

namespace sthd {
namespace {

/// How each job went over time: CSV, one line a slice and direction, an empty field is unknown. A
/// quantile is that of the slice, within 6.3 %.
class TimeSeries final : public FormatterPlugin {
 protected:
  // No extension: a .csv file is the csv format's.
  [[nodiscard]] FormatterInfo describe() const override { return {{}, false}; }

  [[nodiscard]] std::string format(const FormatInput& input) const override {
    std::string out = table::csv_head(fields({}, {}, Op::read, {}));
    for (const ResultRecord& record : input.report.records) {
      for (std::size_t loop = 0; loop < record.loops.size(); ++loop) {
        const LoopResult& result = record.loops[loop];
        const Place place{loop, result.repeat};
        if (result.read) append(record.job, place, Op::read, *result.read, out);
        if (result.write) append(record.job, place, Op::write, *result.write, out);
      }
    }
    return out;
  }

 private:
  /// Of a loop, from 0 on.
  struct Place {
    std::size_t loop = 0;  ///< in its job
    std::uint32_t repeat = 0;
  };

  static void append(const Job& job, Place place, Op op, const OpResult& result, std::string& out) {
    for (const Sample& sample : result.samples) {
      out += table::csv_line(fields(job, place, op, sample));
    }
  }

  /// A slice's end counts from the start of its loop.
  static std::vector<table::Field> fields(const Job& job, Place place, Op op,
                                          const Sample& sample) {
    return {{"id", display(job.id), false},
            {"label", display(job.label), false},
            {"op", std::string(to_text(op)), false},
            {"loop", fmt::to_string(place.loop + 1), true},
            {"repeat", fmt::to_string(place.repeat + 1), true},
            {"time_s", scaled(sample.at_ns, 1e9), true},
            {"ios", fmt::to_string(sample.ios), true},
            {"bytes", fmt::to_string(sample.bytes), true},
            {"p50_us", scaled(chart::quantile_ns(sample, 0.5), 1e3), true},
            {"p99_us", scaled(chart::quantile_ns(sample, 0.99), 1e3), true},
            {"max_us", scaled(sample.max_ns, 1e3), true}};
  }

  static std::string scaled(std::optional<std::uint64_t> ns, double unit) {
    return ns ? fmt::format("{:.12g}", static_cast<double>(*ns) / unit) : "";
  }
};

}  // namespace
}  // namespace sthd

STHD_FORMATTER_PLUGIN(sthd::TimeSeries, "timeseries", "How each job went over time, as CSV")
