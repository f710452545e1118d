#include "runner/analyze/effects.hpp"

#include <fmt/format.h>

#include "counted_report.hpp"
#include "support/catch.hpp"
#include "support/repeated_row.hpp"

namespace sthd::analyze::test {

namespace {

/// A row of template "t" that did so many I/Os in each of its repeats of a second.
ResultRecord repeated(const std::string& id, const std::vector<std::uint64_t>& ios) {
  ResultRecord record = sthd::test::repeated_row(ios);
  record.job.id = record.job.label = id;
  record.job.template_id = "t";
  return record;
}

ResultRecord with(ResultRecord record, Condition condition) {
  record.job.workload.condition = condition;
  return record;
}
ResultRecord with(ResultRecord record, SyncMode sync) {
  record.job.workload.sync = sync;
  return record;
}
ResultRecord blocks_of(ResultRecord record, std::uint64_t size) {
  record.job.workload.block_size = size;
  for (LoopResult& loop : record.loops) loop.write->bytes = loop.write->ios * size;
  return record;
}
ResultRecord by_threads(ResultRecord record, std::uint32_t threads) {
  record.job.workload.threads = threads;
  return record;
}

/// The text of the only effect.
std::string told(const Report& report) {
  const std::vector<Effect> found = effects(report);
  return found.size() == 1 ? found[0].text : fmt::format("{} found", found.size());
}
std::string told(const ResultRecord& base, const ResultRecord& changed) {
  return told(report_of({base, changed}));
}

const std::vector<std::uint64_t> kAsIs{1000, 1010, 990, 1000, 1005};
const std::vector<std::uint64_t> kNoisy{700, 1300, 1000, 900, 1200};

}  // namespace

TEST_CASE("Student's t is that of the printed tables", "[analyze][effects]") {
  // Two-sided 95 %, as every table of the distribution gives it.
  const std::pair<std::size_t, double> table[] = {{1, 12.706}, {2, 4.303},  {3, 3.182},
                                                  {4, 2.776},  {5, 2.571},  {9, 2.262},
                                                  {10, 2.228}, {29, 2.045}, {100, 1.984}};
  for (const auto& [degrees, t] : table) {
    CAPTURE(degrees);
    CHECK(student_t(degrees) == Catch::Detail::Approx(t).margin(0.0005));
  }
}

TEST_CASE("A ratio has the interval of its paired logarithms", "[analyze][effects]") {
  // By another program: the logarithms of the ratios are ln 2, ln 2.2, ln 1.8; their mean is
  // 0.68980 and their standard deviation 0.10038; t(2) = 4.30265 makes half an interval of 0.24935.
  const auto ratio = paired_ratio({100, 1000, 50}, {200, 2200, 90});
  REQUIRE(ratio);
  CHECK(ratio->pairs == 3);
  CHECK(ratio->ratio == Catch::Detail::Approx(1.993311).epsilon(1e-5));
  CHECK(ratio->low == Catch::Detail::Approx(1.553400).epsilon(1e-5));
  CHECK(ratio->high == Catch::Detail::Approx(2.557801).epsilon(1e-5));
  CHECK(ratio->base == Catch::Detail::Approx(170.998).epsilon(1e-4));
  CHECK(ratio->changed / ratio->base == Catch::Detail::Approx(ratio->ratio));
}

TEST_CASE("A drift that meets both sides of each pair does not widen the interval",
          "[analyze][effects]") {
  const auto ratio = paired_ratio({1000, 2000, 4000}, {1100, 2200, 4400});
  REQUIRE(ratio);
  CHECK(ratio->low == Catch::Detail::Approx(1.1));
  CHECK(ratio->high == Catch::Detail::Approx(1.1));
}

TEST_CASE("One outlier takes a claim away and never makes one", "[analyze][effects]") {
  CHECK(shown_by(paired_ratio({100, 101, 99, 100, 100}, {110, 112, 109, 110, 111})) ==
        Shown::differs);
  CHECK(shown_by(paired_ratio({100, 101, 99, 100, 100}, {110, 112, 109, 110, 30})) ==
        Shown::nothing);
  CHECK(shown_by(paired_ratio({100, 101, 99, 100, 100}, {100, 100, 100, 100, 900})) ==
        Shown::nothing);
}

TEST_CASE("What an interval allows to be said", "[analyze][effects]") {
  const auto of = [](double low, double high) {
    return shown_by(PairedRatio{1, 1, 1, low, high, 5});
  };
  CHECK(of(1.01, 1.02) == Shown::differs);
  CHECK(of(0.5, 0.99) == Shown::differs);
  CHECK(of(0.97, 1.03) == Shown::same);
  CHECK(of(1.0, 1.05) == Shown::same);
  CHECK(of(0.97, 1.06) == Shown::nothing);
  CHECK(of(0.9, 1.03) == Shown::nothing);
  CHECK(shown_by(std::nullopt) == Shown::too_few);
}

TEST_CASE("Fewer than three pairs, or a rate of nothing, have no ratio", "[analyze][effects]") {
  CHECK_FALSE(paired_ratio({1, 2}, {2, 4}));
  CHECK_FALSE(paired_ratio({1, 2, 3}, {2, 4}));
  CHECK_FALSE(paired_ratio({}, {}));
  CHECK_FALSE(paired_ratio({1, 2, 3}, {2, 0, 4}));
  CHECK(paired_ratio({1, 2, 3, 4}, {2, 4, 6})->pairs == 3);
}

TEST_CASE("A condition is told as what it took away", "[analyze][effects]") {
  const ResultRecord base = repeated("a", kAsIs);
  const std::vector<std::uint64_t> faster{1600, 1650, 1590, 1610, 1600};
  CHECK(told(base, with(repeated("b", faster), Condition::cores_awake)) ==
        "Idle states cost 38 % of the latency of 4K sync writes at T1 (cores-awake against as-is: "
        "37 to 39 %, 5 pairs).");
  CHECK(told(base, with(repeated("b", faster), Condition::governor_performance)) ==
        "The CPU governor costs 38 % of the latency of 4K sync writes at T1 (governor-performance "
        "against as-is: 37 to 39 %, 5 pairs).");
  CHECK(told(base, with(repeated("b", {900, 920, 880, 900, 900}), Condition::cores_busy)) ==
        "4K sync writes at T1 take 11 % longer than as-is with cores-busy (10 to 12 %, 5 pairs).");
  CHECK(told(base, with(repeated("b", {1002, 1011, 988, 1001, 1004}), Condition::cores_awake)) ==
        "Idle states cost nothing here: 4K sync writes at T1 take the same time cores-awake and "
        "as-is (-0.2 to +0.2 %, 5 pairs).");
  CHECK(told(base, with(repeated("b", kNoisy), Condition::cores_awake)) ==
        "No difference shown between cores-awake and as-is in 4K sync writes at T1 (-26 to +36 % "
        "of the time, 5 pairs).");
  CHECK(told(repeated("a", {1000, 1000}),
             with(repeated("b", {2000, 2000}), Condition::cores_awake)) ==
        "cores-awake against as-is: 2 pairs of measurements say nothing yet; use --repeat 3 or "
        "more.");
}

TEST_CASE("Sync modes, blocks and threads are told in their own words", "[analyze][effects]") {
  const ResultRecord base = repeated("a", kAsIs);
  CHECK(told(base, with(repeated("b", {1000, 1008, 993, 1001, 1003}), SyncMode::o_dsync)) ==
        "O_SYNC and O_DSYNC cost the same in 4K writes at T1 (-0.3 to +0.3 % of the time, 5 "
        "pairs).");
  CHECK(told(base, with(repeated("b", {1250, 1260, 1240, 1250, 1251}), SyncMode::o_dsync)) ==
        "O_DSYNC takes 20 % less time than O_SYNC in 4K writes at T1 (20 to 20 %, 5 pairs).");
  CHECK(told(base, with(repeated("b", {500, 501, 499, 500, 502}), SyncMode::fdatasync)) ==
        "fdatasync after each write takes 100 % longer than O_SYNC in 4K writes at T1 (99 to 101 "
        "%, 5 pairs).");
  CHECK(told(base, blocks_of(repeated("b", {800, 805, 790, 800, 801}), 16 * kKiB)) ==
        "A 16K sync write takes 1.25 times as long as one of 4K at T1 (1.25 to 1.26, 5 pairs).");
  CHECK(told(base, blocks_of(repeated("b", kNoisy), 16 * kKiB)) ==
        "No difference shown between sync writes of 16K and 4K at T1 (-26 to +36 % of the time, 5 "
        "pairs).");
  CHECK(told(base, by_threads(repeated("b", {2600, 2610, 2590, 2600, 2603}), 4)) ==
        "4 threads do 2.60 times as many 4K sync writes as 1 (2.58 to 2.61, 5 pairs).");
  CHECK(told(base, by_threads(repeated("b", kNoisy), 4)) ==
        "No difference shown between 4 threads and 1 in 4K sync writes (-26 to +34 % of the rate, "
        "5 pairs).");
}

TEST_CASE("Only rows that took turns and differ in one key are compared", "[analyze][effects]") {
  const ResultRecord base = repeated("a", kAsIs);
  CHECK(told(base, repeated("b", kAsIs)) == "0 found");
  CHECK(told(base, by_threads(blocks_of(repeated("b", kAsIs), kMiB), 4)) == "0 found");
  ResultRecord other = by_threads(repeated("b", kAsIs), 4);
  other.job.template_id = "u";
  CHECK(told(base, other) == "0 found");
  ResultRecord shallow = by_threads(repeated("b", kAsIs), 4);
  shallow.job.workload.size = 5 * kMiB;
  CHECK(told(base, shallow) == "0 found");
  ResultRecord elsewhere = by_threads(repeated("b", kAsIs), 4);
  elsewhere.resolution.engine = "libaio";
  CHECK(told(base, elsewhere) == "0 found");
  CHECK(told(repeated("a", {1000}), by_threads(repeated("b", {2000}), 4)) == "0 found");
  ResultRecord failed = by_threads(repeated("b", kAsIs), 4);
  failed.status = Status::failed;
  CHECK(told(base, failed) == "0 found");
}

TEST_CASE("Rows that did not take turns are not compared", "[analyze][effects]") {
  const std::vector<std::uint64_t> twice{2000, 2020, 1980, 2000, 2010};
  const auto grouped = [](ResultRecord record) {
    record.job.workload.order = Order::grouped;
    return record;
  };
  const ResultRecord base = repeated("a", kAsIs);
  const ResultRecord threads = by_threads(repeated("b", twice), 4);
  const ResultRecord busy = with(repeated("b", twice), Condition::cores_busy);
  CHECK(told(base, threads) != "0 found");
  CHECK(told(base, busy) != "0 found");
  CHECK(told(grouped(base), grouped(threads)) == "0 found");
  CHECK(told(grouped(base), threads) == "0 found");
  CHECK(told(base, grouped(busy)) == "0 found");
}

TEST_CASE("Each row is compared with the smallest, and conditions alone where they took turns",
          "[analyze][effects]") {
  const auto compared = [](std::vector<ResultRecord> records) {
    std::string text;
    for (const Effect& effect : effects(report_of(std::move(records)))) {
      text += fmt::format("{} {}:{} ", effect.key, effect.base, effect.job);
    }
    return text;
  };
  CHECK(compared({by_threads(repeated("16", kAsIs), 16), repeated("1", kAsIs),
                  by_threads(repeated("4", kAsIs), 4)}) == "threads 1:16 threads 1:4 ");
  const auto awake = [](ResultRecord row) { return with(std::move(row), Condition::cores_awake); };
  CHECK(compared({repeated("1", kAsIs), awake(repeated("1a", kAsIs)),
                  by_threads(repeated("4", kAsIs), 4),
                  awake(by_threads(repeated("4a", kAsIs), 4))}) ==
        "condition 1:1a condition 4:4a ");
}

TEST_CASE("Block sizes that went past the log device are told by the counters",
          "[analyze][effects]") {
  ResultRecord small = blocks_of(repeated("small", {1000}), 64 * kKiB);
  ResultRecord large = blocks_of(repeated("large", {1000}), 128 * kKiB);
  count_zil(small, 64e6, 0, 0);
  count_zil(large, 1e6, 0, 131e6);
  const std::vector<Effect> found = effects(on_pool({small, large}));
  REQUIRE(found.size() == 1);
  CHECK(found[0].shown == Shown::by_counts);
  CHECK(found[0].job == "large");
  CHECK(found[0].text ==
        "128K sync writes leave the log device for the data disks; those of 64K still go to it, by "
        "the counters of the intent log.");
  ResultRecord taken = blocks_of(repeated("large", {1000}), 128 * kKiB);
  count_zil(taken, 131e6, 0, 0);
  CHECK(effects(on_pool({small, taken})).empty());
}

TEST_CASE("An effect is a note with its figures, and says how to keep what helps",
          "[analyze][effects]") {
  Report report =
      report_of({repeated("a", kAsIs),
                 with(repeated("b", {1600, 1650, 1590, 1610, 1600}), Condition::cores_awake)});
  const Finding finding = only(report, "measured-effect");
  CHECK(finding.severity == Severity::note);
  CHECK(finding.job == "b");
  CHECK(finding.mark.empty());
  CHECK(finding.remedy ==
        "Add `intel_idle.max_cstate=1 processor.max_cstate=1 pcie_aspm=off "
        "nvme_core.default_ps_max_latency_us=0` to the kernel's command line, and restart.");
  REQUIRE(finding.evidence.size() == 7);
  CHECK(finding.evidence[0].name == "compared_with");
  CHECK(std::get<std::string>(finding.evidence[0].value) == "a");
  CHECK(numbers(finding).starts_with("pairs=5 base_iops=1000.97"));
  CHECK(numbers(finding).find(" ratio_low=1.") != std::string::npos);
  fact(report, "host.virtualisation", "kvm");
  CHECK(only(report, "measured-effect").remedy ==
        "This machine is virtual: set the host's power profile to performance.");
  report.records[1] = with(repeated("b", kAsIs), Condition::cores_awake);
  CHECK(only(report, "measured-effect").remedy == "");
}

TEST_CASE("try says rates, gain and interval", "[analyze][effects]") {
  const auto of = [](double ratio, double low, double high) {
    return gain_text(Condition::cores_awake, {3520, 3520 * ratio, ratio, low, high, 5});
  };
  CHECK(of(1.165, 1.12, 1.21) == "cores-awake: 3520 -> 4101 IOPS, +17 % (12 to 21 %), 5 pairs");
  CHECK(of(1.03, 1.01, 1.05) == "cores-awake: 3520 -> 3626 IOPS, +3.0 % (1.0 to 5.0 %), 5 pairs");
  CHECK(of(0.9, 0.85, 0.95) == "cores-awake: 3520 -> 3168 IOPS, -10 % (-15 to -5.0 %), 5 pairs");
  CHECK(of(1.01, 0.98, 1.04) ==
        "cores-awake: 3520 -> 3555 IOPS, no difference shown (-2.0 to +4.0 %, 5 pairs)");
}

TEST_CASE("What the machine alone costs is told for the row that was done to tmpfs too",
          "[analyze][effects]") {
  Report report = report_of({durable(1000, 216'000)});
  CHECK(silent(report, "host-floor"));
  fact(report, "floor.block_size_bytes", 4096);
  fact(report, "floor.sync", "o_sync");
  fact(report, "floor.mean_ns", 4200);
  CHECK(line(report, "host-floor") ==
        "note j write The same 4K sync writes at T1 to tmpfs take 4.2 us: that is what this "
        "machine alone costs of the 216.0 us.");
  report.records[0].job.workload.condition = Condition::cores_awake;
  CHECK(silent(report, "host-floor"));
  report.records[0].job.workload.condition = Condition::as_is;
  report.records[0].job.workload.sync = SyncMode::o_dsync;
  CHECK(silent(report, "host-floor"));
}

}  // namespace sthd::analyze::test
