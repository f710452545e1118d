#include "random_report.hpp"

#include <array>

namespace sthd::record::test {

namespace {

class Dice {
 public:
  Dice(std::uint64_t seed, unsigned bits) : engine_(seed), shift_(64 - bits) {}

  // The standard distributions differ between libraries; the engine does not.
  std::uint64_t below(std::uint64_t limit) { return engine_() % limit; }
  bool coin() { return below(2) == 1; }
  std::uint64_t u64() { return engine_() >> (below(8) == 0 ? 0 : below(64 - shift_)) >> shift_; }
  std::uint32_t u32() { return static_cast<std::uint32_t>(u64()); }
  double number() {
    const auto mantissa = static_cast<double>(below(1U << 30));
    return coin() ? mantissa : mantissa / static_cast<double>(1 + below(1000000)) - 5.0;
  }
  std::string text() {
    static constexpr std::array<std::string_view, 12> kPieces{
        "a", "Z9", " ", "\"", "\\", "\n", "\x1b[0m", "|", "é", "日本", "\xf0\x9f\x92\xbe", "\x7f"};
    std::string out;
    for (std::uint64_t n = below(6); n > 0; --n) out += kPieces.at(below(kPieces.size()));
    if (below(20) == 0) out += '\0';
    return out;
  }
  template <class E>
  E word() {
    return static_cast<E>(below(kEnumTexts<E>.size()));
  }
  template <class F>
  auto maybe(F make) -> std::optional<decltype(make())> {
    return coin() ? std::optional(make()) : std::nullopt;
  }
  template <class F>
  auto some(std::uint64_t most, F make) {
    std::vector<decltype(make())> all;
    for (std::uint64_t n = below(most + 1); n > 0; --n) all.push_back(make());
    return all;
  }
  std::vector<std::string> texts() {
    return some(3, [&] { return text(); });
  }

  std::uint64_t largest() const { return UINT64_MAX >> shift_; }

 private:
  std::mt19937_64 engine_;
  unsigned shift_;
};

LatencyHistogram histogram(Dice& dice) {
  LatencyHistogram histogram;
  for (std::uint64_t n = dice.below(40); n > 0; --n) histogram.add(dice.u64() >> 16);
  if (dice.below(10) == 0) histogram.add(dice.largest() >> 1);
  if (dice.below(6) == 0) {  // one whose bins nobody knows
    const std::uint64_t least = dice.u64() >> 1;
    histogram.set_summary(dice.u64(), least, least + (dice.u64() >> 1), dice.u64());
  }
  return histogram;
}

Sample sample(Dice& dice) {
  Sample sample{dice.u64(), dice.u64(), dice.u64(), dice.maybe([&] { return dice.u64(); }), {}};
  const std::uint64_t step = CoarseGrid::kBins / 8;
  for (std::uint64_t bin = dice.below(step); bin < CoarseGrid::kBins; bin += 1 + dice.below(step)) {
    sample.lat.emplace_back(static_cast<std::uint16_t>(bin), dice.u64() >> 16);
  }
  if (dice.coin()) sample.lat.clear();
  return sample;
}

OpResult op_result(Dice& dice) {
  OpResult op;
  op.bytes = dice.u64();
  op.ios = dice.u64();
  op.elapsed_ns = dice.u64();
  op.lat = histogram(dice);
  op.slat = dice.maybe([&] { return histogram(dice); });
  op.clat = dice.maybe([&] { return histogram(dice); });
  op.sync = dice.maybe([&] { return histogram(dice); });
  op.response = dice.maybe([&] { return histogram(dice); });
  op.samples = dice.some(4, [&] { return sample(dice); });
  return op;
}

Facts facts(Dice& dice) {
  Facts facts;
  for (std::uint64_t n = dice.below(5); n > 0; --n) {  // a name occurs once
    Fact& fact = facts.emplace_back(Fact{dice.text() + std::to_string(n), {}, {}});
    switch (dice.below(3)) {
      case 0:
        fact.value = dice.number();
        break;
      case 1:
        fact.value = dice.text();
        break;
      default:
        fact.unknown_because = dice.text();
    }
  }
  return facts;
}

Verdict verdict(Dice& dice) {
  Verdict verdict;
  verdict.cache_class = dice.word<CacheClass>();
  verdict.durability = dice.word<Durability>();
  verdict.validity = dice.word<Validity>();
  verdict.layers = dice.some(3, [&] { return Layer{dice.text(), dice.number()}; });
  return verdict;
}

LoopResult loop(Dice& dice) {
  LoopResult loop;
  loop.read = dice.maybe([&] { return op_result(dice); });
  loop.write = dice.maybe([&] { return op_result(dice); });
  loop.per_thread = dice.some(3, [&] {
    return ThreadResult{dice.u32(), dice.word<Op>(), dice.u64(),
                        dice.u64(), dice.u64(),      dice.maybe([&] { return dice.u64(); })};
  });
  loop.cache = {dice.word<CacheMode>(), dice.text(), dice.maybe([&] { return dice.coin(); })};
  loop.cpu = dice.maybe([&] {
    return CpuUse{dice.u64(), dice.u64(), dice.maybe([&] { return dice.u64(); }),
                  dice.maybe([&] { return dice.u64(); })};
  });
  loop.repeat = dice.u32();
  loop.end_fsync_ns = dice.maybe([&] { return dice.u64(); });
  loop.submit_ns = dice.maybe([&] { return dice.u64(); });
  loop.kernel_workers = dice.maybe([&] { return dice.u32(); });
  loop.counters = facts(dice);
  loop.notes = dice.texts();
  return loop;
}

Job job(Dice& dice) {
  Workload w;
  w.op = dice.word<Op>();
  w.pattern = dice.word<Pattern>();
  w.block_size = dice.u64();
  w.queue_depth = dice.u32();
  w.threads = dice.u32();
  w.sync = dice.word<SyncMode>();
  w.direct = dice.word<DirectMode>();
  w.cache = dice.word<CacheMode>();
  w.end_fsync = dice.coin();
  w.runtime_ns = dice.u64();
  w.ramp_ns = dice.u64();
  w.loops = dice.u32();
  w.repeat = dice.u32();
  w.order = dice.word<Order>();
  w.score = dice.word<Score>();
  w.interval_ns = dice.u64();
  w.condition = dice.word<Condition>();
  w.ios = dice.u64();
  w.bytes = dice.u64();
  w.size = dice.u64();
  w.region = dice.word<Region>();
  w.layout = dice.word<Layout>();
  w.buffer = dice.word<BufferKind>();
  w.read_percent = dice.u32();
  w.rate_iops = dice.u64();
  w.distribution = dice.word<Distribution>();
  w.zipf_theta = dice.number();
  w.poll = dice.coin();
  w.sqpoll = dice.coin();
  w.sample_ns = dice.u64();
  w.engines = dice.texts();
  w.backends = dice.texts();
  w.engine_named = dice.coin();
  w.backend_named = dice.coin();
  return {dice.text(), dice.text(), dice.text(), dice.text(), w};
}

Resolution resolution(Dice& dice) {
  Resolution r;
  r.backend = dice.text();
  r.engine = dice.text();
  r.backend_version = dice.text();
  r.direct_effective = dice.maybe([&] { return dice.coin(); });
  r.direct_reason = dice.text();
  r.queue_depth_effective = dice.u32();
  r.workers = dice.u32();
  r.note = dice.text();
  r.reason = dice.text();
  r.tried = dice.some(3, [&] { return Attempt{dice.text(), dice.text()}; });
  return r;
}

ResultRecord record(Dice& dice, const Job& planned) {
  ResultRecord record;
  record.job = planned;
  record.status = dice.word<Status>();
  record.reason = dice.maybe([&] { return dice.text(); });
  record.resolution = resolution(dice);
  record.loops = dice.some(2, [&] { return loop(dice); });
  record.verdict = verdict(dice);
  record.fio_command = dice.text();
  return record;
}

Finding finding(Dice& dice) {
  static constexpr std::array<std::string_view, 4> kCodes{"depth-collapsed", "x", "a-1",
                                                          "cached-reads-possible"};
  Finding f;
  f.code = kCodes.at(dice.below(kCodes.size()));
  f.severity = dice.word<Severity>();
  f.job = dice.text();
  f.op = dice.maybe([&] { return dice.word<Op>(); });
  for (std::uint64_t n = dice.below(4); n > 0; --n) {  // names differ within a finding
    const std::string name = dice.text() + std::to_string(n);
    if (dice.coin()) {
      f.evidence.push_back({name, dice.number()});
    } else {
      f.evidence.push_back({name, dice.text()});
    }
  }
  f.mark = dice.text();
  f.text = dice.text();
  f.remedy = dice.text();
  return f;
}

ExpectedRange range(Dice& dice) {
  const auto end = [&] { return dice.maybe([&] { return dice.number(); }); };
  static constexpr std::array<std::string_view, 4> kMetrics{"iops", "bw", "lat.p99", "sync.max"};
  std::string metric = dice.coin() ? std::string(kMetrics.at(dice.below(4))) : dice.text();
  ExpectedRange range{std::move(metric), end(), end(), end()};
  return range;
}

Expectation expectation(Dice& dice, const std::vector<Job>& jobs) {
  Expectation e;
  e.id = dice.text();
  e.kind = dice.word<ExpectKind>();
  e.jobs = dice.texts();
  if (!jobs.empty()) e.jobs.push_back(jobs.at(dice.below(jobs.size())).id);
  e.only_if = dice.some(1, [&] { return FactPattern{dice.text(), dice.text()}; });
  e.source = dice.text();
  e.remedy = dice.text();
  e.ranges = dice.some(3, [&] { return range(dice); });
  return e;
}

Judgement judgement(Dice& dice) {
  return {dice.text(),
          dice.text(),
          dice.word<Op>(),
          range(dice),
          dice.maybe([&] { return dice.number(); }),
          dice.word<Expected>(),
          dice.text()};
}

Target target(Dice& dice) {
  Target t;
  t.path = dice.text();
  t.resolved_path = dice.text();
  t.kind = static_cast<TargetKind>(dice.below(3));
  t.filesystem = dice.text();
  t.mount_point = dice.text();
  t.mount_options = dice.text();
  t.source = dice.text();
  t.filesystem_version = dice.text();
  t.device = dice.text();
  t.total_bytes = dice.maybe([&] { return dice.u64(); });
  t.available_bytes = dice.maybe([&] { return dice.u64(); });
  t.direct_memory_alignment = dice.u32();
  t.direct_offset_alignment = dice.u32();
  t.direct_reported = dice.coin();
  return t;
}

}  // namespace

Report random_report(std::uint64_t seed, unsigned bits) {
  Dice dice(seed, bits);
  const auto text = [&] { return dice.text(); };
  const auto u64 = [&] { return dice.u64(); };
  Report r;
  r.tool = {text(), text(), text()};
  r.run_id = text();
  r.started_utc = text();
  r.argv = dice.texts();
  r.profile.name = text();
  r.profile.title = text();
  r.profile.files = dice.some(2, [&] { return ProfileFile{text(), text(), text()}; });
  r.profile.expanded_sha256 = text();
  r.profile.overrides = dice.texts();
  r.columns = dice.some(3, [&] {
    return Column{text(), text(),
                  text(), dice.maybe([&] { return dice.word<Op>(); }),
                  text(), static_cast<int>(dice.below(18))};
  });
  r.environment = {text(),         text(), text(), text(), dice.maybe([&] { return dice.u32(); }),
                   dice.maybe(u64)};
  r.target = target(dice);
  r.facts = facts(dice);
  r.plan.jobs = dice.some(4, [&] { return job(dice); });
  r.plan.estimated_seconds = dice.maybe([&] { return dice.number(); });
  r.plan.space_bytes = dice.maybe(u64);
  r.plan.written_bytes = dice.maybe(u64);
  for (const Job& planned : r.plan.jobs) {
    if (dice.below(4) != 0) r.records.push_back(record(dice, planned));
    // Never seen so far, but nothing forbids it: a job that ran as something else.
    if (dice.below(10) == 0 && !r.records.empty()) r.records.back().job.workload.threads ^= 1U;
  }
  r.findings = dice.some(3, [&] { return finding(dice); });
  r.expectations = dice.some(2, [&] { return expectation(dice, r.plan.jobs); });
  r.judgements = dice.some(3, [&] { return judgement(dice); });
  r.elapsed_ns = dice.maybe(u64);
  return r;
}

}  // namespace sthd::record::test
