#include "kit/table/fields.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <array>
#include <cmath>
#include <cstdint>
#include <set>
#include <string_view>

#include "kit/table/delta.hpp"
#include "sthd/metrics.hpp"
#include "sthd/text.hpp"

namespace sthd::table {
namespace {

class Builder {
 public:
  void text(std::string name, std::string_view value) {
    fields_.push_back({std::move(name), display(value), false});
  }
  void flag(std::string name, std::optional<bool> value) {
    std::string_view word;
    if (value) word = *value ? "true" : "false";
    text(std::move(name), word);
  }
  void count(std::string name, std::optional<std::uint64_t> value) {
    fields_.push_back({std::move(name), value ? fmt::to_string(*value) : "", true});
  }
  /// A count whose 0 means "none" or "not known".
  void positive(std::string name, std::uint64_t value) {
    count(std::move(name), value == 0 ? std::nullopt : std::optional(value));
  }
  void number(std::string name, std::optional<double> value) {
    const bool known = value && std::isfinite(*value);
    fields_.push_back({std::move(name), known ? fmt::format("{:.12g}", *value) : "", true});
  }
  std::vector<Field> take() { return std::move(fields_); }

 private:
  std::vector<Field> fields_;
};

std::optional<double> seconds(std::optional<std::uint64_t> ns) {
  if (!ns) return std::nullopt;
  return static_cast<double>(*ns) / 1e9;
}

std::optional<double> value_of(const std::optional<MetricValue>& metric, double unit) {
  if (!metric) return std::nullopt;
  return metric->value / unit;
}

void add_identity(const ResultRecord& record, Op op, Builder& out) {
  const Resolution& resolution = record.resolution;
  out.text("id", record.job.id);
  out.text("label", record.job.label);
  out.text("checks", record.job.checks);
  out.text("op", to_text(op));
  out.text("status", to_text(record.status));
  out.text("reason", record.reason.value_or(""));
  out.text("backend", resolution.backend);
  out.text("engine", resolution.engine);
  out.flag("direct", resolution.direct_effective);
  out.text("direct_reason", resolution.direct_reason);
  out.text("backend_version", resolution.backend_version);
  out.positive("queue_depth_effective", resolution.queue_depth_effective);
  out.positive("workers", resolution.workers);
  out.text("note", resolution.note);
}

void add_workload(const Workload& workload, Builder& out) {
  out.text("pattern", to_text(workload.pattern));
  out.count("block_size_bytes", workload.block_size);
  out.count("queue_depth", workload.queue_depth);
  out.count("threads", workload.threads);
  out.text("sync", to_text(workload.sync));
  out.text("direct_asked", to_text(workload.direct));
  out.text("cache_asked", to_text(workload.cache));
  out.flag("end_fsync", workload.end_fsync);
  out.number("runtime_s", workload.runtime_ns == 0 ? std::nullopt : seconds(workload.runtime_ns));
  out.number("ramp_s", seconds(workload.ramp_ns));
  out.count("loops", workload.loops);
  out.count("repeat", workload.repeat);
  out.text("order", to_text(workload.order));
  out.text("score", to_text(workload.score));
  out.number("interval_s", seconds(workload.interval_ns));
  out.text("condition", to_text(workload.condition));
  out.positive("ios_limit", workload.ios);
  out.positive("bytes_limit_bytes", workload.bytes);
  out.positive("size_bytes", workload.size);
  out.text("region", to_text(workload.region));
  out.text("layout", to_text(workload.layout));
  out.text("buffer", to_text(workload.buffer));
  const bool mixed = workload.op == Op::mixed;
  const bool zipf = workload.distribution == Distribution::zipf;
  out.count("read_percent", mixed ? std::optional(workload.read_percent) : std::nullopt);
  out.positive("rate_iops_per_s", workload.rate_iops);
  out.text("distribution", to_text(workload.distribution));
  out.number("zipf_theta", zipf ? std::optional(workload.zipf_theta) : std::nullopt);
  out.flag("poll", workload.poll);
  out.flag("sqpoll", workload.sqpoll);
  out.number("sample_s", seconds(workload.sample_ns));
}

void add_latencies(const ResultRecord& record, Op op, Builder& out) {
  constexpr std::array<std::string_view, 9> kFigures{"min", "mean",  "p50",    "p90", "p95",
                                                     "p99", "p99_9", "p99_99", "max"};
  for (const std::string_view histogram : {"lat", "clat", "slat", "sync", "response"}) {
    for (const std::string_view figure : kFigures) {
      const auto value = typical(record, op, fmt::format("{}.{}", histogram, figure));
      out.number(fmt::format("{}_{}_us", histogram, figure), value_of(value, 1e3));
      if (!quantile_of(figure)) continue;
      const auto samples = value ? std::optional(value->samples) : std::nullopt;
      out.count(fmt::format("{}_{}_n", histogram, figure), samples);
    }
  }
}

void add_rates(const ResultRecord& record, Op op, Builder& out) {
  const bool known = metric(record, op, "bytes").has_value();
  const std::optional<OpResult> result = known ? merged(record, op) : std::nullopt;
  const auto iops = typical(record, op, "iops");
  const auto bandwidth = typical(record, op, "bw");
  const bool ios_known = result && (result->ios != 0 || result->bytes == 0);
  out.count("bytes", result ? std::optional(result->bytes) : std::nullopt);
  out.count("ios", ios_known ? std::optional(result->ios) : std::nullopt);
  out.number("elapsed_s", value_of(metric(record, op, "seconds"), 1));
  out.number("iops_per_s", value_of(iops, 1));
  out.number("bw_bytes_per_s", value_of(bandwidth, 1));
  out.number("bw_MB_per_s", value_of(bandwidth, kMB));
  out.number("depth_reached", depth_reached(record, op));
  out.number("submit_share_percent", value_of(metric(record, op, "submit_share"), 1));
}

/// "10000 10400 9900": what each repeat of a row has measured, in their order; nothing of a row
/// that has none.
std::string each_repeat(const ResultRecord& record, Op op, std::string_view name, double unit) {
  std::string text;
  if (record.job.workload.repeat <= 1) return text;
  for (const double value : by_repeat(record, op, name)) {
    text += fmt::format("{}{:.12g}", text.empty() ? "" : " ", value / unit);
  }
  return text;
}

/// The ends of what the repeats of a row have measured, and all of it; nothing of a row that has
/// none.
void add_range(const ResultRecord& record, Op op, std::string_view name, std::string_view field,
               double unit, Builder& out) {
  const bool repeated = record.job.workload.repeat > 1;
  const auto all = repeated ? spread(record, op, name) : std::nullopt;
  out.number(fmt::format("{}_min", field), all ? std::optional(all->min / unit) : std::nullopt);
  out.number(fmt::format("{}_max", field), all ? std::optional(all->max / unit) : std::nullopt);
  out.text(fmt::format("{}_each", field), each_repeat(record, op, name, unit));
}

void add_ranges(const ResultRecord& record, Op op, Builder& out) {
  add_range(record, op, "iops", "iops_per_s", 1, out);
  add_range(record, op, "bw", "bw_bytes_per_s", 1, out);
  for (const std::string_view figure : {"mean", "p50", "p99"}) {
    add_range(record, op, fmt::format("lat.{}", figure), fmt::format("lat_{}_us", figure), 1e3,
              out);
  }
}

/// When the first I/O of direction `op` ended in the earliest loop and thread, and the last one in
/// the latest. A thread without I/O has no say; one that does not know its first makes it unknown.
void add_ends(const std::vector<LoopResult>& loops, Op op, Builder& out) {
  std::optional<std::uint64_t> first_ns;
  std::optional<std::uint64_t> last_ns;
  bool all_known = true;
  for (const LoopResult& loop : loops) {
    for (const ThreadResult& thread : loop.per_thread) {
      if (thread.op != op || thread.ios == 0) continue;
      last_ns = std::max(last_ns.value_or(0), thread.elapsed_ns);
      all_known = all_known && thread.first_ns;
      if (thread.first_ns) first_ns = std::min(first_ns.value_or(UINT64_MAX), *thread.first_ns);
    }
  }
  out.number("first_io_s", seconds(all_known ? first_ns : std::nullopt));
  out.number("last_io_s", seconds(last_ns));
}

/// Of the whole job: both directions, all loops. What one loop does not know, the sum does not.
void add_loops(const std::vector<LoopResult>& loops, Builder& out) {
  bool cpu_known = !loops.empty();
  bool fsync_known = !loops.empty();
  std::optional<std::uint64_t> kernel_workers;
  if (!loops.empty()) kernel_workers = 0;
  CpuUse cpu{.voluntary_switches = 0, .involuntary_switches = 0};
  std::uint64_t fsync_ns = 0;
  for (const LoopResult& loop : loops) {
    cpu_known = cpu_known && loop.cpu;
    fsync_known = fsync_known && loop.end_fsync_ns;
    fsync_ns += loop.end_fsync_ns.value_or(0);
    if (!loop.kernel_workers) kernel_workers.reset();
    if (kernel_workers)
      kernel_workers = std::max<std::uint64_t>(*kernel_workers, *loop.kernel_workers);
    cpu += loop.cpu.value_or(CpuUse{});
  }
  const auto known = [](bool is, std::uint64_t value) {
    return is ? std::optional(value) : std::nullopt;
  };
  out.count("loops_done", loops.size());
  out.text("cache_reached_by", loops.empty() ? "" : loops.front().cache.reached_by);
  out.flag("cache_verified", loops.empty() ? std::nullopt : loops.front().cache.verified);
  out.number("end_fsync_s", seconds(known(fsync_known, fsync_ns)));
  out.count("kernel_workers", kernel_workers);
  out.number("cpu_user_s", seconds(known(cpu_known, cpu.user_ns)));
  out.number("cpu_system_s", seconds(known(cpu_known, cpu.system_ns)));
  out.count("voluntary_switches", cpu_known ? cpu.voluntary_switches : std::nullopt);
  out.count("involuntary_switches", cpu_known ? cpu.involuntary_switches : std::nullopt);
}

/// Of the whole job, as the analysis sees it.
void add_verdict(const ResultRecord& record, Builder& out) {
  const Verdict& verdict = record.verdict;
  const bool judged = record.status == Status::ok || record.status == Status::interrupted;
  out.text("validity", judged ? to_text(verdict.validity) : "");
  out.text("cache_class", judged ? to_text(verdict.cache_class) : "");
  out.text("durability", judged ? to_text(verdict.durability) : "");
  for (const std::string_view name : {"application", "host", "wait", "device"}) {
    // A log device or a server is what the row's I/O waited for, as a disk is.
    const auto is_it = [name](const Layer& layer) {
      const bool other = layer.name == "log device" || layer.name == "server";
      return layer.name == name || (name == "device" && other);
    };
    const auto found = std::find_if(verdict.layers.begin(), verdict.layers.end(), is_it);
    out.number(fmt::format("{}_mean_us", name),
               found == verdict.layers.end() ? std::nullopt : std::optional(found->mean_ns / 1e3));
  }
}

/// What the leaf disks counted during the job's windows, everybody's I/O included.
void add_disks(const ResultRecord& record, Op op, Builder& out) {
  const auto mean_ns = device_mean_ns(record, op);
  out.number("disk_bytes", device_bytes(record, op));
  out.number("disk_ios", disk_total(record, fmt::format("{}_ios", to_text(op))));
  out.number("disk_mean_us", mean_ns ? std::optional(*mean_ns / 1e3) : std::nullopt);
  out.number("disk_flushes", disk_total(record, "flush_ios"));
}

/// How the job does against what is expected of it: the worst of its verdicts, empty for none.
std::string_view expected_text(const Report& report, const std::string& job) {
  for (const Expected worst :
       {Expected::missed, Expected::above, Expected::unknown, Expected::met}) {
    for (const Judgement& judgement : report.judgements) {
      if (judgement.job == job && judgement.verdict == worst) return to_text(worst);
    }
  }
  return "";
}

void add_run(const Report& report, const ResultRecord& record, Op op, Builder& out) {
  std::string codes;
  std::set<std::string_view> seen;
  for (const Finding& finding : report.findings) {
    const bool here = finding.job.empty() || finding.job == record.job.id;
    if (!here || (finding.op && *finding.op != op && *finding.op != Op::mixed)) continue;
    if (seen.insert(finding.code).second) codes += (codes.empty() ? "" : " ") + finding.code;
  }
  out.text("findings", codes);
  out.text("expected", expected_text(report, record.job.id));
  out.text("profile", report.profile.name);
  out.text("target", report.target.path);
  out.text("filesystem", report.target.filesystem);
  out.text("hostname", report.environment.hostname);
  out.text("kernel", report.environment.kernel);
  out.text("run_id", report.run_id);
  out.text("started_utc", report.started_utc);
  out.text("tool_version", report.tool.version);
}

}  // namespace

std::vector<Field> fields(const Report& report, const ResultRecord& record, Op op) {
  Builder out;
  add_identity(record, op, out);
  add_rates(record, op, out);
  out.number("ours_vs_fio_percent", ours_vs_fio_percent(report, record, op));
  add_latencies(record, op, out);
  add_ranges(record, op, out);
  add_workload(record.job.workload, out);
  add_ends(record.loops, op, out);
  add_loops(record.loops, out);
  add_verdict(record, out);
  add_disks(record, op, out);
  add_run(report, record, op, out);
  out.text("fio_command", record.fio_command);
  return out.take();
}

}  // namespace sthd::table
