#include "counted_report.hpp"
#include "support/catch.hpp"
#include "support/repeated_row.hpp"

// repeat-outlier: a repeat that has little in common with the others.
namespace sthd::analyze::test {

namespace {

ResultRecord row(const std::vector<std::uint64_t>& ios) {
  ResultRecord record = sthd::test::repeated_row(ios);
  record.job.id = record.job.label = "j";
  return record;
}

constexpr const char* kCause =
    " | See what else ran then: -f timeseries:FILE shows its course. More repeats (--repeat 10) "
    "tell chance from cause.";

}  // namespace

TEST_CASE("A repeat far from the others is named", "[analyze][repeat]") {
  CHECK(line(row({7034, 7100, 2012, 6990, 7060}), "repeat-outlier") ==
        std::string("note j write [outlier among the repeats] Repeat 3 of 5 did 2012 IOPS; the "
                    "median is 7034.") +
            kCause);
  CHECK(line(row({20000, 7100, 7034, 6990, 7060}), "repeat-outlier") ==
        std::string("note j write [outlier among the repeats] Repeat 1 of 5 did 20000 IOPS; the "
                    "median is 7060.") +
            kCause);
  CHECK(numbers(only(report_of({row({7034, 7100, 2012, 6990, 7060})}), "repeat-outlier")) ==
        "repeats=5 iops=2012 median_iops=7034 median_deviation_iops=44");
}

TEST_CASE("Several outliers are one finding", "[analyze][repeat]") {
  CHECK(line(row({7034, 100, 2012, 6990, 7060, 7050, 7045}), "repeat-outlier") ==
        std::string("note j write [outlier among the repeats] Repeats 2 and 3 of 7 did 100 and "
                    "2012 IOPS; the median is 7034.") +
            kCause);
}

TEST_CASE("Fewer than five repeats have no outlier", "[analyze][repeat]") {
  CHECK(silent(row({7034, 7100, 2012, 6990}), "repeat-outlier"));
  CHECK(silent(row({7034}), "repeat-outlier"));
  ResultRecord cut = row({7034, 7100, 2012, 6990, 7060});
  CHECK_FALSE(silent(cut, "repeat-outlier"));
  cut.status = Status::interrupted;  // the last one did not come to its end
  cut.job.workload.loops = 2;
  CHECK(silent(cut, "repeat-outlier"));
}

TEST_CASE("What varies much, or hardly differs, is no outlier", "[analyze][repeat]") {
  CHECK(silent(row({700, 1300, 1000, 900, 1200}), "repeat-outlier"));
  CHECK(silent(row({7034, 7035, 7033, 7036, 6400}), "repeat-outlier"));        // 9 %
  CHECK_FALSE(silent(row({7034, 7035, 7033, 7036, 6200}), "repeat-outlier"));  // 12 %
  CHECK(silent(row({1000, 1000, 1000, 1000, 500}), "repeat-outlier"));         // no deviation
  CHECK(silent(row({1000, 1100, 900, 1050, 500}), "repeat-outlier"));          // z = 3.4
}

TEST_CASE("The best repeat that is an outlier stands for its row, and that is said",
          "[analyze][repeat][score]") {
  ResultRecord best = row({20000, 7100, 7034, 6990, 7060});
  best.job.workload.score = Score::max;
  CHECK(
      line(best, "repeat-outlier") ==
      "note j write [outlier among the repeats] Repeat 1 of 5 did 20000 IOPS; the median is 7060. "
      "Repeat 1 stands for the row. | Let the median stand for the row: --set score=median.");
  ResultRecord worst = row({2000, 7100, 7034, 6990, 7060});
  worst.job.workload.score = Score::max;
  CHECK(line(worst, "repeat-outlier").find("stands for the row") == std::string::npos);
}

TEST_CASE("Where I/Os were not counted, the bytes tell", "[analyze][repeat]") {
  ResultRecord record = row({7034, 7100, 2012, 6990, 7060});
  for (LoopResult& loop : record.loops) {
    loop.write->bytes = loop.write->ios * 1'000'000;
    loop.write->ios = 0;
  }
  CHECK(line(record, "repeat-outlier") ==
        std::string("note j write [outlier among the repeats] Repeat 3 of 5 did 2012.00 MB/s; the "
                    "median is 7034.00.") +
            kCause);
}

TEST_CASE("Of a mixed row both directions count together", "[analyze][repeat]") {
  ResultRecord record = row({3517, 3550, 1006, 3495, 3530});
  record.job.workload.op = Op::mixed;
  for (LoopResult& loop : record.loops) loop.read = loop.write;
  CHECK(line(record, "repeat-outlier") ==
        std::string("note j [outlier among the repeats] Repeat 3 of 5 did 2012 IOPS; the median is "
                    "7034.") +
            kCause);
}

}  // namespace sthd::analyze::test
