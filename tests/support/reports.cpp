#include "support/reports.hpp"

#include <fmt/format.h>

#include <array>
#include <cstdint>
#include <initializer_list>
#include <optional>
#include <utility>

namespace sthd::test {
namespace {

std::vector<Column> cdm_columns() {
  return {{"read_bw", "Read (MB/s)", "bw", Op::read, "MB/s", 2},
          {"write_bw", "Write (MB/s)", "bw", Op::write, "MB/s", 2},
          {"read_iops", "Read (IOPS)", "iops", Op::read, "", 0},
          {"write_iops", "Write (IOPS)", "iops", Op::write, "", 0}};
}

std::vector<Column> slog_columns() {
  return {{"iops", "IOPS", "iops", Op::write, "", 0},
          {"bw", "MB/s", "bw", Op::write, "MB/s", 2},
          {"p50", "p50 lat(us)", "lat.p50", Op::write, "us", 1},
          {"p99", "p99 lat(us)", "lat.p99", Op::write, "us", 1}};
}

Report base_report(std::string profile, std::string title) {
  Report report;
  report.tool = {"speedtest-hd", "0.1.0", "release"};
  report.run_id = "6f1c9a52-3c1e-4d0b-9f52-0d6f3a1b2c3d";
  report.started_utc = "2025-01-02T03:04:05Z";
  report.argv = {"speedtest-hd", "run", profile, "/mnt/pool"};
  report.profile = {std::move(profile), std::move(title), {}, "00ff", {}};
  report.environment = {"nas", "6.1.0", "Debian GNU/Linux 12", "a CPU", 8, 16 * kGiB};
  report.target.path = "/mnt/pool";
  report.target.resolved_path = "/mnt/pool";
  report.target.filesystem = "ext4";
  report.target.mount_point = "/mnt/pool";
  report.elapsed_ns = 64 * kSecond;
  return report;
}

struct Shape {
  Pattern pattern = Pattern::sequential;
  std::uint64_t block_size = kMiB;
  std::uint32_t queue_depth = 1;
  std::uint32_t threads = 1;
};

/// Plans a job and returns it.
Job& add_job(Report& report, std::string id, std::string label, Op op, const Shape& shape) {
  Job job;
  job.template_id = id.substr(0, id.find('/'));
  job.id = std::move(id);
  job.label = std::move(label);
  job.workload.op = op;
  job.workload.pattern = shape.pattern;
  job.workload.block_size = shape.block_size;
  job.workload.queue_depth = shape.queue_depth;
  job.workload.threads = shape.threads;
  job.workload.runtime_ns = 5 * kSecond;
  job.workload.ramp_ns = kSecond;
  job.workload.engines = {"psync"};
  return report.plan.jobs.emplace_back(std::move(job));
}

ResultRecord& add_record(Report& report, const Job& job) {
  ResultRecord record;
  record.job = job;
  record.resolution.backend = "native-psync";
  record.resolution.engine = "psync";
  record.resolution.direct_effective = true;
  record.resolution.direct_reason = "ext4 passes direct I/O to the device";
  record.resolution.queue_depth_effective = job.workload.queue_depth;
  record.resolution.workers = job.workload.threads;
  return report.records.emplace_back(std::move(record));
}

/// `ios` I/Os in `elapsed_ns`: 80 % took `usual`, 19.5 % `slow`, the others twice that.
OpResult result_of(std::uint64_t ios, std::uint64_t block_size, std::uint64_t elapsed_ns,
                   std::uint64_t usual, std::uint64_t slow) {
  OpResult result;
  result.ios = ios;
  result.bytes = ios * block_size;
  result.elapsed_ns = elapsed_ns;
  const std::uint64_t most = ios - ios / 5;
  const std::uint64_t many = ios / 5 - ios / 200;
  if (most > 0) result.lat.add_binned(usual, most);
  if (many > 0) result.lat.add_binned(slow, many);
  if (ios / 200 > 0) result.lat.add_binned(2 * slow, ios / 200);
  return result;
}

void add_loop(ResultRecord& record, Op op, OpResult result) {
  LoopResult loop;
  loop.cache = {CacheMode::warm, "read once", true};
  loop.cpu = CpuUse{kSecond, 2 * kSecond, 1000, 10};
  (op == Op::read ? loop.read : loop.write) = std::move(result);
  record.loops.push_back(std::move(loop));
}

CoarseBins bins_of(std::initializer_list<std::pair<std::uint64_t, std::uint64_t>> counts) {
  CoarseBins bins;
  for (const auto& [ns, count] : counts) {
    bins.emplace_back(static_cast<std::uint16_t>(CoarseGrid::index_of(ns)), count);
  }
  return bins;
}

/// Three slices: as usual, stalled, and one of which only the counts are known.
void add_series(OpResult& result) {
  const std::uint64_t part = result.ios / 2;
  const std::uint64_t block_size = result.bytes / result.ios;
  result.samples = {
      {100 * kMillisecond, part, part * block_size, 370'688,
       bins_of({{85'504, part - part / 5}, {185'344, part / 5}})},
      {200 * kMillisecond, 0, 0, std::nullopt, {}},
      {300 * kMillisecond, result.ios - part, result.bytes - part * block_size, std::nullopt, {}}};
}

/// All that an open loop on an asynchronous engine knows, for the last job.
void add_open_loop_facts(Report& report, Op op) {
  ResultRecord& record = report.records.back();
  for (Workload* workload : {&record.job.workload, &report.plan.jobs.back().workload}) {
    workload->rate_iops = 100'000;
    workload->distribution = Distribution::zipf;
    workload->zipf_theta = 0.99;
    workload->sqpoll = true;
  }
  for (LoopResult& loop : record.loops) {
    OpResult& result = op == Op::read ? *loop.read : *loop.write;
    result.response.emplace().add_binned(1'007'616, result.ios);
    add_series(result);
    loop.submit_ns = kSecond;
    loop.kernel_workers = 4;
    loop.per_thread = {{0, op, result.bytes, result.ios, 5 * kSecond, 90'000}};
  }
}

/// Plan, record and one loop of five seconds.
ResultRecord& add_measured(Report& report, std::string id, std::string label, Op op,
                           const Shape& shape, std::uint64_t iops) {
  const Job job = add_job(report, std::move(id), std::move(label), op, shape);
  ResultRecord& record = add_record(report, job);
  add_loop(record, op, result_of(5 * iops, shape.block_size, 5 * kSecond, 85'504, 185'344));
  return record;
}

/// What host and disks told before and during the run: of two disks, one of which counts no
/// flushes.
void add_counted(Report& report) {
  report.facts = {{"host.kernel", "6.1.0", ""},
                  {"cpu.cores", 8.0, ""},
                  {"cpu.governor", {}, "no cpufreq driver is loaded"},
                  {"disk.0.name", "nvme0n1", ""},
                  {"disk.1.name", "sda", ""}};
  for (ResultRecord& record : report.records) {
    record.verdict = {CacheClass::device,
                      Durability::not_shown,
                      Validity::ok,
                      {{"application", 107'520}, {"host", 107'300}, {"device", 19'150}}};
    for (LoopResult& loop : record.loops) {
      loop.counters = {{"window_ns", 5e9, ""},
                       {"disk.0.name", "nvme0n1", ""},
                       {"disk.0.read_ios", 500'000.0, ""},
                       {"disk.0.read_bytes", 2'048'000'000.0, ""},
                       {"disk.0.read_ticks_ns", 9.575e9, ""},
                       {"disk.0.flush_ios", {}, "it needs Linux 5.5"},
                       {"disk.1.name", "sda", ""},
                       {"disk.1.read_ios", 0.0, ""},
                       {"disk.1.read_bytes", 0.0, ""},
                       {"disk.1.read_ticks_ns", 0.0, ""},
                       {"disk.1.flush_ios", 7.0, ""}};
    }
  }
}

Finding finding(std::string code, Severity severity, std::string job, std::optional<Op> op,
                std::string mark, std::string text) {
  Finding result;
  result.code = std::move(code);
  result.severity = severity;
  result.job = std::move(job);
  result.op = op;
  result.mark = std::move(mark);
  result.text = std::move(text);
  result.remedy = "Do something about it.";
  return result;
}

constexpr Shape kSeq8{Pattern::sequential, kMiB, 8, 1};
constexpr Shape kSeq1{Pattern::sequential, kMiB, 1, 1};
constexpr Shape kRandom32{Pattern::random, 4096, 32, 1};
constexpr Shape kRandom32x16{Pattern::random, 4096, 32, 16};

}  // namespace

Report ok_report() {
  Report report = base_report("cdm", "CrystalDiskMark rows");
  report.columns = cdm_columns();
  for (const Op op : {Op::read, Op::write}) {
    add_measured(report, fmt::format("seq/op={}", to_text(op)), "SEQ1M Q8T1", op, kSeq8, 3000);
    ResultRecord& record = add_measured(report, fmt::format("rnd/op={}", to_text(op)),
                                        "RND4K Q32T1", op, kRandom32, 100'000);
    record.resolution.note = "queue depth served by 32 threads";
    add_loop(record, op, result_of(250'000, 4096, 5 * kSecond, 90'000, 200'000));
    add_open_loop_facts(report, op);
  }
  add_counted(report);
  report.records[0].fio_command =
      "fio '--filename=/mnt/pool, too/speedtest-hd.fio.bench' --name=row --rw=read --bs=1048576";
  report.findings = {finding("depth-not-reached", Severity::suspect, "rnd/op=write", Op::write,
                             "reached depth 1.1 of 32", "The queue held 1.1 I/Os, not 32.")};
  return report;
}

Report mixed_report() {
  Report report = base_report("team", "A run that did not go well");
  report.columns = cdm_columns();
  report.columns.push_back({"p99", "p99 (ms)", "lat.p99", Op::write, "ms", 3});
  add_measured(report, "a/op=read", "SEQ1M Q8T1", Op::read, kSeq8, 100);
  const Job skipped = add_job(report, "a/op=write", "SEQ1M Q8T1", Op::write, kSeq8);
  ResultRecord& skip = add_record(report, skipped);
  skip.status = Status::skipped;
  skip.reason = "tmpfs has no O_DIRECT and direct = \"required\"";
  skip.resolution = {};
  const Job failed = add_job(report, "b/op=read", "SEQ1M Q1T1", Op::read, kSeq1);
  ResultRecord& fail = add_record(report, failed);
  fail.status = Status::failed;
  fail.reason = "pread at offset 4096: Input/output error (EIO)";
  ResultRecord& partial = add_measured(report, "b/op=write", "SEQ1M Q1T1", Op::write, kSeq1, 20);
  partial.status = Status::interrupted;
  partial.reason = "SIGINT after 2.5s";
  partial.resolution.direct_effective = false;
  partial.resolution.direct_reason = "data=journal buffers it";
  const Job rough = add_job(report, "c/op=write", "RND4K Q32T1", Op::write, kRandom32);
  add_loop(add_record(report, rough), Op::write, result_of(300, 4096, kSecond, 85'504, 185'344));
  add_job(report, "c/op=read", "RND4K Q32T1", Op::read, kRandom32);
  add_job(report, "d", "not run yet", Op::read, kRandom32x16);
  report.findings = {
      finding("n1", Severity::note, "", std::nullopt, "", "The CPU was a quarter asleep."),
      finding("buffered", Severity::suspect, "a/op=read", Op::read, "may be RAM",
              "The reads were buffered."),
      finding("depth", Severity::note, "a/op=read", std::nullopt, "reached depth 1.1 of 8",
              "The queue held 1.1 I/Os, not 8."),
      finding("cached", Severity::invalidates, "c/op=write", Op::write, "may be RAM",
              "84 % of the writes never reached the device."),
      finding("buffered", Severity::suspect, "b/op=write", Op::read, "not this direction",
              "The reads were buffered."),
      finding("n2", Severity::note, "gone", std::nullopt, "", "A job that is not in the plan."),
      finding("n3", Severity::note, "c/op=write", std::nullopt, "may be RAM", "Once more.")};
  return report;
}

Report empty_report() { return {}; }

Report unicode_report() {
  Report report = base_report("tëam|`x`", "</script><img src=x onerror=alert(1)>|x \x1b]0;x\a");
  report.target.path = "/mnt/\xe2\x80\xaegnp\xff/a\nb\t| `c`";
  report.environment.hostname = "@SUM(1+1)";
  report.columns = slog_columns();
  report.columns[1].title = "MB/s | ‖";
  const std::array<std::string, 6> labels{
      "書き込み T1",        "cafe\u0301 | `rm` <b>",
      "=cmd|' /C calc'!A0", "tab\tnew\nline \x7f\u0085",
      "+1, \"quoted\"",     "a label that is far longer than its column"};
  std::uint32_t threads = 1;
  for (const std::string& label : labels) {
    add_measured(report, fmt::format("sync4k/threads={}", threads), label, Op::write,
                 {Pattern::random, 4096, 1, threads}, std::uint64_t{1000} * threads);
    add_series(*report.records.back().loops[0].write);
    ++threads;
  }
  report.records[1].status = Status::interrupted;
  report.records[1].reason = "日本語 \xc3\x28 | [link](http://example.org) *bold* _x_ # &amp;";
  report.records[2].resolution.note = "\u202ethe child said: \x1b[31mred\x1b[0m";
  report.facts = {{"host.\x1b[31mname|", "</script>\xff", ""}, {"=1+1", {}, "|\u202e`why`"}};
  report.records[3].verdict.layers = {{"applic|ation <b>", 1000}, {"\x1b[0mdevice", 0.04}};
  report.findings = {finding("wide", Severity::note, "sync4k/threads=1", Op::write, "幅 | `wide`",
                             "Wide characters: 幅 | <br>.")};
  return report;
}

Report huge_report() {
  Report report = base_report("huge", "Figures at the ends of their types");
  report.columns = slog_columns();
  report.columns[0].precision = 9;
  report.elapsed_ns = UINT64_MAX;
  const std::array<std::uint64_t, 3> ios{UINT64_MAX, 1'000'000'007, 1};
  for (std::size_t i = 0; i < ios.size(); ++i) {
    const Job job = add_job(report, fmt::format("top/n={}", i), fmt::format("top {}", i), Op::write,
                            {Pattern::random, 4096, UINT32_MAX, UINT32_MAX});
    OpResult result;
    result.ios = ios[i];
    result.bytes = UINT64_MAX;
    result.elapsed_ns = i == 2 ? 0 : 1;
    result.lat.add_binned(UINT64_MAX, ios[i] / 2);
    result.lat.add_binned(0, ios[i] - ios[i] / 2);
    result.lat.set_exact(0, UINT64_MAX, UINT64_MAX);
    result.samples = {
        {UINT64_MAX, UINT64_MAX, UINT64_MAX, UINT64_MAX, bins_of({{UINT64_MAX, UINT64_MAX}})}};
    add_loop(add_record(report, job), Op::write, std::move(result));
  }
  for (int i = 0; i < 12; ++i) {
    const std::string id = fmt::format("many/n={}", i);
    add_measured(report, id, fmt::format("row {}", i), Op::write, kRandom32, 1'234'567'890'123);
    report.findings.push_back(finding(fmt::format("f{}", i), Severity::note, id, std::nullopt,
                                      fmt::format("footnote {}", i), "A note."));
  }
  report.records.back().status = Status::failed;
  report.records.back().reason = std::string(300, 'x');
  return report;
}

Report repeated_report() {
  Report report = base_report("doctor", "Conditions in turns");
  report.columns = slog_columns();
  const auto add = [&report](Condition condition, const std::vector<std::uint64_t>& iops) -> auto& {
    const std::string word(to_text(condition));
    Job& job =
        add_job(report, "sync4k/condition=" + word, word, Op::write, {Pattern::random, 4096, 1, 1});
    job.workload.condition = condition;
    job.workload.repeat = 3;
    ResultRecord& record = add_record(report, job);
    for (std::uint32_t repeat = 0; repeat < iops.size(); ++repeat) {
      add_loop(record, Op::write,
               result_of(5 * iops[repeat], 4096, 5 * kSecond, 1'000'000'000 / iops[repeat],
                         2'000'000'000 / iops[repeat]));
      record.loops.back().repeat = repeat;
    }
    return record;
  };
  add(Condition::as_is, {10'000, 10'400, 9'900});
  ResultRecord& cut = add(Condition::cores_awake, {20'000, 41'000});
  cut.status = Status::interrupted;
  cut.reason = "SIGINT after 22s";
  ResultRecord& none = add(Condition::governor_performance, {});
  none.status = Status::skipped;
  none.reason = "governor-performance: this machine has no CPU frequency control";
  none.resolution = {};
  return report;
}

Report original_cdm_report() {
  Report report = base_report("cdm", "CrystalDiskMark-style: four rows, read and write");
  report.columns = cdm_columns();
  struct Figures {
    const char* label;
    Shape shape;
    std::uint64_t read;
    std::uint64_t write;
  };
  const std::array<Figures, 4> rows{{{"SEQ1M Q8T1", kSeq8, 6873, 9},
                                     {"SEQ1M Q1T1", kSeq1, 1608, 20},
                                     {"RND4K Q32T1", kRandom32, 137'728, 2764},
                                     {"RND4K Q32T16", kRandom32x16, 176'384, 66'816}}};
  for (const Op op : {Op::read, Op::write}) {
    for (const Figures& row : rows) {
      add_measured(report, fmt::format("{}/op={}", row.label, to_text(op)), row.label, op,
                   row.shape, op == Op::read ? row.read : row.write);
    }
  }
  return report;
}

Report original_slog_report() {
  Report report = base_report("slog", "Sync-write latency (ZFS ZIL / SLOG, NFS, iSCSI, VM)");
  report.columns = slog_columns();
  struct Figures {
    std::uint32_t threads;
    std::uint64_t iops;
    std::uint64_t p50;
    std::uint64_t p99;
  };
  // fio's bin midpoints, but for 117.8 and 180.0: the script averaged the medians of its jobs.
  // There the smallest sample is made the median.
  const std::array<Figures, 4> rows{{{1, 10'687, 85'504, 185'344},
                                     {4, 29'873, 117'755, 317'440},
                                     {8, 52'612, 136'192, 391'168},
                                     {16, 77'939, 180'000, 505'856}}};
  for (const Figures& row : rows) {
    const Job job = add_job(report, fmt::format("sync4k/threads={}", row.threads),
                            fmt::format("4K sync T{}", row.threads), Op::write,
                            {Pattern::random, 4096, 1, row.threads});
    ResultRecord& record = add_record(report, job);
    record.resolution.direct_effective = false;
    record.resolution.direct_reason = "direct = \"off\" in the profile";
    add_loop(record, Op::write, result_of(5 * row.iops, 4096, 5 * kSecond, row.p50, row.p99));
  }
  return report;
}

Report expected_report() {
  Report report = original_slog_report();
  report.facts = {{"disk.0.name", "nvme0n1", ""},
                  {"disk.0.role", "log", ""},
                  {"disk.0.model", "INTEL SSDPEK1A118GA", ""}};
  const std::vector<ExpectedRange> healthy{{"iops", 15000, 25000, {}}, {"lat.p50", 40e3, 65e3, {}}};
  const ExpectedRange required{"lat.p99", {}, 1e6, {}};
  const ExpectedRange spec{"iops", 36000, {}, 40000};
  const auto id = [](int threads) { return fmt::format("sync4k/threads={}", threads); };
  report.expectations = {
      {"optane",
       ExpectKind::healthy,
       {id(1)},
       {{"log_device_model", "*SSDPEK1A*"}},
       "a page <of> ours",
       "Check the governor.",
       healthy},
      {"nfs", ExpectKind::require, {id(4), id(16)}, {}, "", "", {required}},
      {"sheet", ExpectKind::vendor_spec, {id(8)}, {}, "a data sheet", "", {spec}},
      {"other", ExpectKind::healthy, {id(1)}, {{"filesystem", "zfs"}}, "a page", "", healthy}};
  report.judgements = {
      {"optane", id(1), Op::write, healthy[0], 10687, Expected::missed, ""},
      {"optane", id(1), Op::write, healthy[1], 85'504, Expected::missed, ""},
      {"nfs", id(4), Op::write, required, 317'440, Expected::met, ""},
      {"nfs", id(16), Op::write, required, {}, Expected::unknown, "the row has no lat.p99"},
      {"sheet", id(8), Op::write, spec, 52'612, Expected::above, ""},
      {"other", id(1), Op::write, healthy[0], 10687, Expected::unknown, "filesystem is not known"}};
  report.findings = {finding("above-spec", Severity::suspect, id(8), Op::write, "above spec",
                             "iops 52612 is 1.3 times better than the maker says (40000)."),
                     finding("expectation-missed", Severity::note, id(1), Op::write, "",
                             "Not as \"optane\" expects: iops 10687, not 15000 to 25000.")};
  return report;
}

std::vector<CannedReport> canned_reports() {
  return {{"ok", ok_report()},
          {"mixed", mixed_report()},
          {"empty", empty_report()},
          {"unicode", unicode_report()},
          {"huge", huge_report()},
          {"repeated", repeated_report()},
          {"original-cdm", original_cdm_report()},
          {"original-slog", original_slog_report()},
          {"expected", expected_report()}};
}

}  // namespace sthd::test
