#include "runner/record/fio_figures.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <array>
#include <charconv>
#include <cmath>
#include <limits>

#include "sthd/units.hpp"

namespace sthd::record {

namespace {

constexpr std::uint64_t kMost = std::numeric_limits<std::uint64_t>::max();
constexpr double kMostSum = 1.8e19;  // below 2^64

void add(std::uint64_t& into, std::uint64_t more, const Reader& where) {
  if (__builtin_add_overflow(into, more, &into)) where.fail("holds more than can be added up");
}

std::uint64_t milliseconds(const Reader& json) {
  const std::uint64_t value = json.u64();
  if (value > kMaxDuration / kMillisecond) json.fail("is longer than 30 days");
  return value * kMillisecond;
}

double decimal(const Reader& json) {
  const double value = json.number();
  if (!(value >= 0) || !std::isfinite(value)) json.fail("is no positive number");
  return value;
}

std::uint64_t key_of(const std::string& text, const Reader& bins) {
  std::uint64_t value = 0;
  const auto read = std::from_chars(text.data(), text.data() + text.size(), value);
  if (read.ec != std::errc{} || *read.ptr != '\0') {
    bins.fail(fmt::format("has the key \"{}\", which is no time in ns", text));
  }
  return value;
}

/// The keys are midpoints of LatencyHistogram's own bins.
LatencyHistogram read_bins(const Reader& bins) {
  if (!bins.json().is_object()) bins.fail("is no object");
  LatencyHistogram histogram;
  for (const auto& [text, value] : bins.json().items()) {
    const std::uint64_t ns = key_of(text, bins);
    const std::uint64_t count = bins.find(text) ? bins.at(text).u64() : 0;
    if (count > kMost - histogram.count()) bins.fail("holds more I/Os than can be added up");
    histogram.add_binned(ns, count);
  }
  return histogram;
}

/// "99.950000" as "p99_95"; empty for what is no percentile.
std::string percentile_name(std::string text) {
  if (text.find_first_not_of("0123456789.") != std::string::npos) return {};
  if (const auto dot = text.find('.'); dot != std::string::npos) {
    while (text.back() == '0') text.pop_back();
    if (text.back() == '.') text.pop_back();
    if (dot < text.size()) text[dot] = '_';
  }
  return text.empty() || text == "0" ? std::string() : "p" + text;
}

/// "read_ticks", in ms, as "disk.0.read_ticks_ns".
void add_disk(Facts& facts, const Reader& disk, std::size_t index) {
  const auto name = [&](std::string_view part) { return fmt::format("disk.{}.{}", index, part); };
  facts.push_back({name("name"), disk.at("name").text(), {}});
  for (const std::string_view op : {"read", "write"}) {
    const auto value = [&](std::string_view part) {
      const auto found = disk.find(fmt::format("{}_{}", op, part));
      return found ? std::optional(decimal(*found)) : std::nullopt;
    };
    const auto put = [&](std::string_view part, std::optional<double> known, double unit,
                         const char* why) {
      Fact fact{name(fmt::format("{}_{}", op, part)), {}, why};
      if (known) fact = {fact.name, *known * unit, {}};
      facts.push_back(std::move(fact));
    };
    constexpr double kSector = 512;
    put("ios", value("ios"), 1, "fio does not tell");
    put("bytes", value("sectors"), kSector, "fio tells it since 3.36");
    put("ticks_ns", value("ticks"), 1e6, "fio does not tell");
  }
  facts.push_back({name("flush_ios"), {}, "fio does not tell"});
}

}  // namespace

std::optional<LatencyHistogram> read_fio_latency(const Reader& direction, std::string_view key,
                                                 std::uint64_t ios) {
  const auto latency = direction.find(key);
  if (!latency) return std::nullopt;
  const double mean = decimal(latency->at("mean"));
  const auto said = latency->find("N");
  std::uint64_t count = said ? said->u64() : mean > 0 ? ios : 0;
  if (count == 0) return std::nullopt;
  std::optional<LatencyHistogram> histogram;
  if (const auto bins = latency->find("bins")) {
    histogram = read_bins(*bins);
    count = histogram->count();
    if (count == 0) return std::nullopt;
  }
  const std::uint64_t min = latency->at("min").u64();
  const std::uint64_t max = latency->at("max").u64();
  if (min > max) latency->at("min").fail(fmt::format("is {}, more than its max {}", min, max));
  const double sum = mean * static_cast<double>(count);
  if (sum > kMostSum) latency->at("mean").fail("is too long for so many I/Os");
  const auto whole = static_cast<std::uint64_t>(std::round(sum));
  if (histogram) {
    histogram->set_exact(min, max, whole);
  } else {
    histogram.emplace().set_summary(count, min, max, whole);
  }
  return histogram;
}

OpResult read_fio_direction(const Reader& direction) {
  OpResult op;
  op.bytes = direction.at("io_bytes").u64();
  op.ios = direction.at("total_ios").u64();
  op.elapsed_ns = milliseconds(direction.at("runtime"));
  if (op.ios > 0 && op.elapsed_ns == 0) op.elapsed_ns = kMillisecond;  // it rounds down
  op.slat = read_fio_latency(direction, "slat_ns", op.ios);
  op.clat = read_fio_latency(direction, "clat_ns", op.ios);
  if (auto lat = read_fio_latency(direction, "lat_ns", op.ios)) op.lat = std::move(*lat);
  return op;
}

void add_fio_thread(OpResult& into, const OpResult& more, const Reader& where) {
  add(into.bytes, more.bytes, where);
  add(into.ios, more.ios, where);
  into.elapsed_ns = std::max(into.elapsed_ns, more.elapsed_ns);
  const auto merge = [&](LatencyHistogram& all, const LatencyHistogram& part) {
    if (part.count() > kMost - all.count() || part.sum_ns() > kMost - all.sum_ns()) {
      where.fail("holds more I/Os than can be added up");
    }
    all.merge(part);
  };
  merge(into.lat, more.lat);
  const auto merge_part = [&](std::optional<LatencyHistogram>& all,
                              const std::optional<LatencyHistogram>& part) {
    if (!part) return;
    if (!all) all.emplace();
    merge(*all, *part);
  };
  merge_part(into.slat, more.slat);
  merge_part(into.clat, more.clat);
  merge_part(into.sync, more.sync);
}

void add_fio_percentiles(Facts& facts, const Reader& direction, Op op) {
  for (const std::string_view kind : {"slat", "clat", "lat"}) {
    const auto latency = direction.find(fmt::format("{}_ns", kind));
    if (!latency || latency->find("bins")) continue;
    const auto percentiles = latency->find("percentile");
    if (!percentiles || !percentiles->json().is_object()) continue;
    for (const auto& [text, value] : percentiles->json().items()) {
      const std::string name = percentile_name(text);
      if (name.empty() || !value.is_number()) continue;
      Fact fact{fmt::format("fio.{}.{}_{}_ns", to_text(op), kind, name),
                decimal(percentiles->at(text)),
                {}};
      if (find_fact(facts, fact.name) == nullptr) facts.push_back(std::move(fact));
    }
  }
}

std::optional<CpuUse> read_fio_cpu(const Reader& entry) {
  const auto runtime = entry.find("job_runtime");
  if (!runtime) return std::nullopt;
  const double percent_ns = static_cast<double>(milliseconds(*runtime)) / 100;
  const auto part = [&](std::string_view key) {
    const Reader percent = entry.at(key);
    const double ns = decimal(percent) * percent_ns;
    if (ns > kMostSum) percent.fail("is too much for this runtime");
    return static_cast<std::uint64_t>(std::round(ns));
  };
  CpuUse cpu;  // without switches: fio's "ctx" is one sum of both kinds
  cpu.user_ns = part("usr_cpu");
  cpu.system_ns = part("sys_cpu");
  return cpu;
}

Facts read_fio_disks(const Reader& document) {
  Facts facts;
  const auto disks = document.find("disk_util");
  if (!disks) return facts;
  std::size_t count = 0;
  for (const Reader& disk : disks->items()) {
    // Of md and dm devices fio prints sums over the disks below, which follow as rows of their own.
    if (disk.find("aggr_read_ios")) continue;
    add_disk(facts, disk, count++);
  }
  return facts;
}

}  // namespace sthd::record
