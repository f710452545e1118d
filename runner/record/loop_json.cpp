#include <fmt/format.h>

#include <string>

#include "runner/record/bins_json.hpp"
#include "runner/record/codec.hpp"

namespace sthd::record {

namespace {

Json write_optional(const std::optional<LatencyHistogram>& histogram) {
  return histogram ? write_histogram(*histogram) : Json(nullptr);
}

std::optional<LatencyHistogram> read_optional(const Reader& json, std::string_view key) {
  const auto found = json.at_or_null(key);
  return found ? std::optional(read_histogram(*found)) : std::nullopt;
}

void check_scheme(const Reader& scheme, std::string_view wanted) {
  const std::string found = scheme.text();
  if (found != wanted) scheme.fail(fmt::format("is \"{}\", not \"{}\"", found, wanted));
}

Json write_op(const OpResult& op) {
  return {{"bytes", op.bytes},
          {"ios", op.ios},
          {"elapsed_ns", op.elapsed_ns},
          {"lat", op.lat.count() == 0 ? Json(nullptr) : write_histogram(op.lat)},
          {"samples_bins_scheme", scheme_of<CoarseGrid>()},
          {"samples", write_samples(op.samples)},
          {"slat", write_optional(op.slat)},
          {"clat", write_optional(op.clat)},
          {"sync", write_optional(op.sync)},
          {"response", write_optional(op.response)}};
}

OpResult read_op(const Reader& json) {
  OpResult op;
  op.bytes = json.at("bytes").u64();
  op.ios = json.at("ios").u64();
  op.elapsed_ns = json.at("elapsed_ns").u64();
  if (auto lat = read_optional(json, "lat")) op.lat = std::move(*lat);
  op.slat = read_optional(json, "slat");
  op.clat = read_optional(json, "clat");
  op.sync = read_optional(json, "sync");
  op.response = read_optional(json, "response");
  check_scheme(json.at("samples_bins_scheme"), scheme_of<CoarseGrid>());
  op.samples = read_samples(json.at("samples"));
  return op;
}

Json write_threads(const std::vector<ThreadResult>& threads) {
  Json all = Json::array();
  for (const ThreadResult& thread : threads) {
    all.push_back({{"thread", thread.thread},
                   {"op", word(thread.op)},
                   {"bytes", thread.bytes},
                   {"ios", thread.ios},
                   {"elapsed_ns", thread.elapsed_ns},
                   {"first_ns", null_if_unset(thread.first_ns)}});
  }
  return all;
}

ThreadResult read_thread(const Reader& json) {
  return {json.at("thread").u32(), json.at("op").one_of<Op>(),  json.at("bytes").u64(),
          json.at("ios").u64(),    json.at("elapsed_ns").u64(), json.maybe_u64("first_ns")};
}

Json write_cache(const CacheState& cache) {
  return {{"asked", word(cache.asked)},
          {"reached_by", null_if_empty(cache.reached_by)},
          {"verified", null_if_unset(cache.verified)}};
}

CacheState read_cache(const Reader& json) {
  return {json.at("asked").one_of<CacheMode>(), json.text_or_empty("reached_by"),
          json.maybe_boolean("verified")};
}

Json write_cpu(const CpuUse& cpu) {
  return {{"user_ns", cpu.user_ns},
          {"system_ns", cpu.system_ns},
          {"voluntary_switches", null_if_unset(cpu.voluntary_switches)},
          {"involuntary_switches", null_if_unset(cpu.involuntary_switches)}};
}

CpuUse read_cpu(const Reader& json) {
  return {json.at("user_ns").u64(), json.at("system_ns").u64(),
          json.maybe_u64("voluntary_switches"), json.maybe_u64("involuntary_switches")};
}

}  // namespace

Json write_histogram(const LatencyHistogram& histogram) {
  const auto maybe = [](const std::optional<std::uint64_t>& ns) {
    return ns ? fmt::format("{}", *ns) : std::string("null");
  };
  std::string text = fmt::format(
      R"({{"count": {}, "min_ns": {}, "max_ns": {}, "sum_ns": {}, "bins_scheme": "{}", "bins": )",
      histogram.count(), maybe(histogram.min_ns()), maybe(histogram.max_ns()), histogram.sum_ns(),
      scheme_of<LatencyHistogram>());
  BinsText<LatencyHistogram> bins(text);
  if (histogram.has_bins()) {
    for (const auto& [lower, count] : histogram.bins()) {
      bins.add(LatencyHistogram::index_of(lower), count);
    }
  }
  bins.end();
  text += '}';
  return printed(text);
}

LatencyHistogram read_histogram(const Reader& json) {
  check_scheme(json.at("bins_scheme"), scheme_of<LatencyHistogram>());
  LatencyHistogram histogram;
  const auto bins = json.at_or_null("bins");
  if (bins) {
    read_bins<LatencyHistogram>(*bins, [&histogram](std::size_t index, std::uint64_t count) {
      histogram.add_binned(LatencyHistogram::lower_of(index), count);
    });
  }
  const std::uint64_t count = json.at("count").u64();
  if (bins && count != histogram.count()) {
    json.at("count").fail(fmt::format("is {}, but the bins hold {}", count, histogram.count()));
  }
  const std::uint64_t sum = json.at("sum_ns").u64();
  if (count == 0) return LatencyHistogram();
  const std::uint64_t min = json.at("min_ns").u64();
  const std::uint64_t max = json.at("max_ns").u64();
  if (min > max) json.at("min_ns").fail(fmt::format("is {}, more than max_ns {}", min, max));
  if (bins) {
    histogram.set_exact(min, max, sum);
  } else {
    histogram.set_summary(count, min, max, sum);
  }
  return histogram;
}

Json write_loop(const LoopResult& loop) {
  Json json = Json::object();
  json["repeat"] = loop.repeat;
  if (loop.read) json["read"] = write_op(*loop.read);
  if (loop.write) json["write"] = write_op(*loop.write);
  json["per_thread"] = write_threads(loop.per_thread);
  json["cache"] = write_cache(loop.cache);
  json["cpu"] = loop.cpu ? write_cpu(*loop.cpu) : Json(nullptr);
  json["end_fsync_ns"] = null_if_unset(loop.end_fsync_ns);
  json["submit_ns"] = null_if_unset(loop.submit_ns);
  json["kernel_workers"] = null_if_unset(loop.kernel_workers);
  write_facts(json, "counters", loop.counters);
  json["notes"] = loop.notes;
  return json;
}

LoopResult read_loop(const Reader& json) {
  LoopResult loop;
  loop.repeat = json.at("repeat").u32();
  if (const auto read = json.find("read")) loop.read = read_op(*read);
  if (const auto write = json.find("write")) loop.write = read_op(*write);
  for (const Reader& thread : json.at("per_thread").items()) {
    loop.per_thread.push_back(read_thread(thread));
  }
  loop.cache = read_cache(json.at("cache"));
  if (const auto cpu = json.at_or_null("cpu")) loop.cpu = read_cpu(*cpu);
  loop.end_fsync_ns = json.maybe_u64("end_fsync_ns");
  loop.submit_ns = json.maybe_u64("submit_ns");
  if (const auto workers = json.at_or_null("kernel_workers")) loop.kernel_workers = workers->u32();
  loop.counters = read_facts(json, "counters");
  loop.notes = json.at("notes").texts();
  return loop;
}

}  // namespace sthd::record
