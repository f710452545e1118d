#include "runner/app/verbose.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <array>
#include <utility>

#include "kit/process/fio_by_hand.hpp"
#include "kit/table/summary.hpp"
#include "sthd/metrics.hpp"
#include "sthd/text.hpp"

namespace sthd::app {
namespace {

std::string microseconds(std::optional<double> ns) {
  return ns ? fmt::format("{:.1f}", *ns / 1e3) : "-";
}

/// Text of a child, line by line.
std::string indented(const std::string& raw) {
  std::string out;
  std::size_t begin = 0;
  while (begin < raw.size()) {
    std::size_t end = raw.find('\n', begin);
    if (end == std::string::npos) end = raw.size();
    out += "  " + display(std::string_view(raw).substr(begin, end - begin)) + "\n";
    begin = end + 1;
  }
  return out;
}

std::string ladder(const ResultRecord& record, Op op, std::string_view name) {
  static constexpr std::array kSteps{"p1",  "p5",    "p10",   "p20",    "p30",   "p40",
                                     "p50", "p60",   "p70",   "p80",    "p90",   "p95",
                                     "p99", "p99_5", "p99_9", "p99_95", "p99_99"};
  std::string out = fmt::format("    {:<4} percentiles (us):", name);
  for (const char* step : kSteps) {
    const auto value = metric(record, op, fmt::format("{}.{}", name, step));
    if (value)
      out += fmt::format(" {}={}{:.1f}", step, value->rough ? "~" : "", value->value / 1e3);
  }
  return out + "\n";
}

std::string latency(std::string_view name, const std::optional<LatencyHistogram>& histogram) {
  if (!histogram || histogram->count() == 0) return {};
  const auto as_double = [](std::optional<std::uint64_t> v) {
    return v ? std::optional<double>(static_cast<double>(*v)) : std::nullopt;
  };
  return fmt::format("    {:<4} (us): min={}, mean={}, max={}, n={}\n", name,
                     microseconds(as_double(histogram->min_ns())),
                     microseconds(histogram->mean_ns()),
                     microseconds(as_double(histogram->max_ns())), histogram->count());
}

std::string facts(const ResultRecord& record, Op op) {
  const auto result = merged(record, op);
  if (!result) return {};
  const auto iops = metric(record, op, "iops");
  const auto bw = metric(record, op, "bw");
  std::string out = fmt::format("  {}: IOPS={}, {} MB/s, {} in {}\n", to_text(op),
                                iops ? fmt::format("{:.0f}", iops->value) : "-",
                                bw ? fmt::format("{:.2f}", bw->value / kMB) : "-",
                                human_size(result->bytes), human_duration(result->elapsed_ns));
  out += latency("slat", result->slat) + latency("clat", result->clat) +
         latency("lat", result->lat) + latency("response", result->response) +
         latency("sync", result->sync);
  if (result->lat.count() > 0) out += ladder(record, op, "lat");
  for (const auto& [name, part] :
       {std::pair("response", &result->response), std::pair("sync", &result->sync)}) {
    if (*part && (*part)->count() > 0) out += ladder(record, op, name);
  }
  return out;
}

/// One line for each thread, where there are several.
std::string threads(const ResultRecord& record) {
  if (record.job.workload.threads < 2) return {};
  std::string out;
  for (std::size_t i = 0; i < record.loops.size(); ++i) {
    const std::string loop = record.loops.size() > 1 ? fmt::format("loop {}, ", i + 1) : "";
    for (const ThreadResult& t : record.loops[i].per_thread) {
      const double seconds = static_cast<double>(t.elapsed_ns) / static_cast<double>(kSecond);
      const double rate = seconds > 0 ? static_cast<double>(t.bytes) / seconds / kMB : 0;
      const std::string first =
          t.first_ns ? fmt::format("first I/O at {}, ", human_duration(*t.first_ns)) : "";
      out += fmt::format("  {}thread {} {}: ios={}, {:.2f} MB/s, {}last at {:.3f}s\n", loop,
                         t.thread, to_text(t.op), t.ios, rate, first, seconds);
    }
  }
  return out;
}

/// Both directions of a mixed job share the depth that was asked for, as in the footnote.
std::string in_flight(const ResultRecord& record) {
  const Workload& workload = record.job.workload;
  const auto depth = depth_reached(record, workload.op);
  if (!depth) return {};
  return fmt::format("  in flight: {:.1f} of {}\n", *depth,
                     std::uint64_t{workload.queue_depth} * workload.threads);
}

/// How much of the threads' time the submissions took, and whether the kernel needed own threads.
std::string submission(const ResultRecord& record) {
  std::string out;
  if (const auto share = metric(record, record.job.workload.op, "submit_share")) {
    out += fmt::format("  in submission calls: {:.1f} % of the threads' time\n", share->value);
  }
  std::optional<std::uint32_t> workers;
  for (const auto& loop : record.loops) {
    if (loop.kernel_workers) workers = std::max(workers.value_or(0), *loop.kernel_workers);
  }
  if (workers) out += fmt::format("  I/O threads of the kernel (io-wq): {}\n", *workers);
  return out;
}

std::string cpu(const ResultRecord& record) {
  CpuUse total{.voluntary_switches = 0, .involuntary_switches = 0};
  double elapsed = 0;
  for (const auto& loop : record.loops) {
    if (!loop.cpu) return {};
    total += *loop.cpu;
    elapsed += static_cast<double>((loop.read ? loop.read : loop.write)->elapsed_ns);
  }
  if (elapsed <= 0) return {};
  std::string switches;
  if (total.voluntary_switches && total.involuntary_switches) {
    switches = fmt::format(", ctx={} (voluntary {})",
                           *total.voluntary_switches + *total.involuntary_switches,
                           *total.voluntary_switches);
  }
  return fmt::format("  cpu: usr={:.1f} %, sys={:.1f} % of one core{}\n",
                     static_cast<double>(total.user_ns) * 100 / elapsed,
                     static_cast<double>(total.system_ns) * 100 / elapsed, switches);
}

/// Where the time went: as the analysis says, else what application and disks counted.
std::string layers(const ResultRecord& record) {
  std::vector<Layer> known = record.verdict.layers;
  const Op op = record.job.workload.op;
  const auto application = metric(record, op, "lat.mean");
  const auto device = device_mean_ns(record, op);
  if (known.empty() && application && device) {
    known = {{"application", application->value}, {"device", *device}};
  }
  return known.empty() ? "" : fmt::format("  layers: {}\n", table::layers_text(known));
}

/// "read 12 ios, 48 KiB, mean 85.3 us"; empty where nothing of the kind happened or was counted.
std::string disk_part(const ResultRecord& record, std::size_t disk, std::string_view what) {
  const auto figure = [&](std::string_view name) {
    return disk_total(record, fmt::format("{}_{}", what, name), disk);
  };
  const auto ios = figure("ios");
  if (!ios || *ios <= 0) return {};
  std::string text = fmt::format(", {} {:.0f} ios", what, *ios);
  if (const auto bytes = figure("bytes")) {
    text += " (" + human_size(static_cast<std::uint64_t>(*bytes)) + ")";
  }
  if (const auto ticks = figure("ticks_ns"))
    text += fmt::format(", mean {:.1f} us", *ticks / *ios / 1e3);
  return text;
}

/// A line for each leaf disk: all that it did during the row, whoever asked for it.
std::string disks(const ResultRecord& record) {
  std::string out;
  const auto window_ns = counter_total(record, "window_ns");
  for (std::size_t i = 0; i < disk_count(record); ++i) {
    const auto name = fact_text(record.loops[0].counters, fmt::format("disk.{}.name", i));
    out += fmt::format("  disk {}", display(name.value_or("?")));
    std::string did;
    for (const char* what : {"read", "write", "flush", "discard"})
      did += disk_part(record, i, what);
    if (did.empty()) did = disk_total(record, "read_ios", i) ? ", idle" : ", not counted";
    if (const auto busy = disk_total(record, "busy_ns", i); busy && window_ns && *window_ns > 0) {
      did += fmt::format(", busy {:.1f} %", std::min(*busy * 100 / *window_ns, 100.0));
    }
    out += ":" + did.substr(1) + "\n";
  }
  return out;
}

/// The row as a line to run by hand, or why there is none.
std::string by_fio(const ResultRecord& record) {
  if (!record.fio_command.empty()) return "  fio: " + display(record.fio_command) + "\n";
  const std::string why = process::fio_by_hand(record.job, record.resolution, "").why_not;
  return why.empty() ? "" : "  fio: none: " + display(why) + "\n";
}

}  // namespace

std::string verbose_text(const ResultRecord& record, const std::string& raw) {
  const auto& resolution = record.resolution;
  std::string out = fmt::format("--- {} ({}): {}\n", display(record.job.label),
                                display(record.job.id), to_text(record.status));
  if (record.reason) out += "  reason: " + display(*record.reason) + "\n";
  for (const auto& attempt : resolution.tried) {
    out += fmt::format("  refused: {}: {}\n", display(attempt.what), display(attempt.refused));
  }
  for (const auto& loop : record.loops) {
    for (const auto& note : loop.notes) out += "  note: " + display(note) + "\n";
  }
  if (!raw.empty()) out += indented(raw);
  for (const Op op : {Op::read, Op::write}) out += facts(record, op);
  out += threads(record) + in_flight(record) + submission(record);
  out += layers(record) + disks(record);
  if (!record.loops.empty() && (record.loops[0].read || record.loops[0].write)) out += cpu(record);
  return out + by_fio(record);
}

}  // namespace sthd::app
