#include "runner/analyze/effects.hpp"

#include <algorithm>
#include <array>
#include <cmath>
#include <numbers>
#include <tuple>
#include <utility>

#include "runner/analyze/effect_text.hpp"
#include "runner/analyze/measured.hpp"
#include "runner/analyze/remedies.hpp"

namespace sthd::analyze {

namespace {

constexpr double kConfidence = 0.95;
constexpr double kSame = 0.05;   // of the ratio, to both sides
constexpr double kMostly = 0.5;  // of a row's bytes: where the intent log put them

/// Share of Student's t with `degrees` of freedom that lies within ±t.
double within(double t, std::size_t degrees) {
  const double angle = std::atan(t / std::sqrt(static_cast<double>(degrees)));
  const double cosine = std::cos(angle);
  const bool odd = degrees % 2 == 1;
  // odd:  2/π (θ + sin θ (cos θ + 2/3 cos³θ + … )), even: sin θ (1 + 1/2 cos²θ + 3/8 cos⁴θ + …)
  double term = odd ? cosine : 1;
  double sum = 0;
  for (std::size_t k = odd ? 3 : 2; k <= degrees; k += 2) {
    sum += term;
    term *= cosine * cosine * static_cast<double>(k - 1) / static_cast<double>(k);
  }
  if (!odd) return std::sin(angle) * sum;
  return 2 / std::numbers::pi * (angle + std::sin(angle) * sum);
}

std::vector<double> logarithms(const std::vector<double>& values, std::size_t count) {
  std::vector<double> logs;
  for (std::size_t i = 0; i < count; ++i) logs.push_back(std::log(values[i]));
  return logs;
}

enum class Key { condition, sync, block_size, threads };
constexpr std::array<std::pair<Key, const char*>, 4> kKeys{{{Key::condition, "condition"},
                                                            {Key::sync, "sync"},
                                                            {Key::block_size, "block_size"},
                                                            {Key::threads, "threads"}}};

std::uint64_t value_of(const Workload& w, Key key) {
  switch (key) {
    case Key::condition:
      return static_cast<std::uint64_t>(w.condition);
    case Key::sync:
      return static_cast<std::uint64_t>(w.sync);
    case Key::block_size:
      return w.block_size;
    case Key::threads:
      return w.threads;
  }
  return 0;
}

/// What else shapes a row: rows that differ in it are not compared.
bool alike(const Workload& a, const Workload& b) {
  const auto rest = [](const Workload& w) {
    return std::tuple(w.op, w.pattern, w.queue_depth, w.direct, w.cache, w.end_fsync, w.runtime_ns,
                      w.ramp_ns, w.loops, w.ios, w.bytes, w.size, w.region, w.layout, w.buffer,
                      w.read_percent, w.rate_iops, w.distribution, w.zipf_theta, w.poll, w.sqpoll);
  };
  return rest(a) == rest(b);
}

/// The one key in which two rows differ.
std::optional<Key> only_difference(const ResultRecord& a, const ResultRecord& b) {
  const Workload& one = a.job.workload;
  const Workload& two = b.job.workload;
  if (a.resolution.backend != b.resolution.backend || a.resolution.engine != b.resolution.engine ||
      !alike(one, two)) {
    return std::nullopt;
  }
  std::optional<Key> found;
  for (const auto& [key, name] : kKeys) {
    if (value_of(one, key) == value_of(two, key)) continue;
    if (found) return std::nullopt;
    found = key;
  }
  return found;
}

/// The measured rows of one template, in the order of the report.
using Rows = std::vector<const ResultRecord*>;

std::vector<Rows> templates_of(const Report& report) {
  std::vector<Rows> groups;
  for (const ResultRecord& record : report.records) {
    if (record.status != Status::ok && record.status != Status::interrupted) continue;
    const auto& id = record.job.template_id;
    auto group = std::find_if(groups.begin(), groups.end(), [&id](const Rows& rows) {
      return rows.front()->job.template_id == id;
    });
    if (group == groups.end()) group = groups.insert(groups.end(), Rows{});
    group->push_back(&record);
  }
  return groups;
}

/// The row that `row` is compared with in `key`: the same but for a smaller value, the smallest.
const ResultRecord* base_of(const Rows& rows, const ResultRecord& row, Key key) {
  const ResultRecord* base = nullptr;
  for (const ResultRecord* other : rows) {
    if (other == &row || !other->job.checks.empty()) continue;  // of a cross-check
    if (only_difference(*other, row) != key) continue;
    const std::uint64_t value = value_of(other->job.workload, key);
    if (value >= value_of(row.job.workload, key)) continue;
    if (base == nullptr || value < value_of(base->job.workload, key)) base = other;
  }
  return base;
}

std::string remedy_of(const Report& report, const Effect& effect, Condition condition) {
  const bool helps = effect.shown == Shown::differs && effect.ratio->low > 1;
  if (!helps) return {};
  return keeping(report, condition);
}

Effect compare(const Report& report, const ResultRecord& base, const ResultRecord& row, Key key,
               const char* name) {
  const Op op = row.job.workload.op;
  const auto without = by_repeat(base, op, "iops");
  const auto with = by_repeat(row, op, "iops");
  Effect effect{.job = row.job.id, .base = base.job.id, .key = name};
  effect.ratio = paired_ratio(without, with);
  effect.shown = shown_by(effect.ratio);
  effect.evidence = {{"compared_with", base.job.id},
                     {"pairs", static_cast<double>(std::min(without.size(), with.size()))}};
  if (const auto& ratio = effect.ratio) {
    effect.evidence.push_back({"base_iops", ratio->base});
    effect.evidence.push_back({"iops", ratio->changed});
    effect.evidence.push_back({"ratio", ratio->ratio});
    effect.evidence.push_back({"ratio_low", ratio->low});
    effect.evidence.push_back({"ratio_high", ratio->high});
  }
  const EffectSides sides{base.job.workload, row.job.workload, effect.shown,
                          effect.ratio.value_or(PairedRatio{}),
                          std::min(without.size(), with.size())};
  switch (key) {
    case Key::condition:
      effect.text = condition_text(sides);
      effect.remedy = remedy_of(report, effect, row.job.workload.condition);
      break;
    case Key::sync:
      effect.text = sync_text(sides);
      break;
    case Key::block_size:
      effect.text = block_text(sides);
      break;
    case Key::threads:
      effect.text = threads_text(sides);
      break;
  }
  return effect;
}

/// Rows measured once, and by no condition, were not meant to be compared; what drifted between
/// grouped ones is in the difference.
bool meant(const ResultRecord& base, const ResultRecord& row, Key key) {
  for (const ResultRecord* each : {&base, &row}) {
    if (each->job.workload.order == Order::grouped) return false;
  }
  return key == Key::condition || (base.job.workload.repeat > 1 && row.job.workload.repeat > 1);
}

void compare_rows(const Report& report, const Rows& rows, std::vector<Effect>& found) {
  const bool conditions = std::any_of(rows.begin(), rows.end(), [&rows](const auto* row) {
    return row->job.workload.condition != rows.front()->job.workload.condition;
  });
  for (const auto& [key, name] : kKeys) {
    if (conditions && key != Key::condition) continue;
    for (const ResultRecord* row : rows) {
      if (row->job.workload.rate_iops > 0 || !row->job.checks.empty()) continue;  // a given rate
      const ResultRecord* base = base_of(rows, *row, key);
      if (base == nullptr || !meant(*base, *row, key)) continue;
      found.push_back(compare(report, *base, *row, key, name));
    }
  }
}

/// Whether the log device took the row's sync writes; empty where that is not clear.
std::optional<bool> log_took(const Report& report, const ResultRecord& record) {
  const auto zil = zil_of(record);
  const auto bytes = job_bytes(record, Op::write);
  if (!zil || !bytes || *bytes < kFewBytes || !writes_durably(report, record)) return std::nullopt;
  const double around = zil->pool + zil->indirect;
  if (zil->log >= kMostly * *bytes && zil->log > around) return true;
  if (around >= kMostly * *bytes && around > zil->log) return false;
  return std::nullopt;
}

/// The smallest block of a template that went past the log, and the largest below it that did not.
void find_log_limit(const Report& report, Rows rows, std::vector<Effect>& found) {
  std::stable_sort(rows.begin(), rows.end(), [](const auto* a, const auto* b) {
    return a->job.workload.block_size < b->job.workload.block_size;
  });
  const ResultRecord* taken = nullptr;
  for (const ResultRecord* row : rows) {
    const auto took = log_took(report, *row);
    if (took == true) taken = row;
    if (took != false || taken == nullptr) continue;
    if (only_difference(*taken, *row) != Key::block_size) continue;
    const auto zil = zil_of(*row);
    found.push_back({.job = row->job.id,
                     .base = taken->job.id,
                     .key = "block_size",
                     .shown = Shown::by_counts,
                     .text = log_limit_text(taken->job.workload, row->job.workload),
                     .remedy = {},
                     .evidence = {{"compared_with", taken->job.id},
                                  {"zil_slog_bytes", zil->log},
                                  {"zil_normal_bytes", zil->pool},
                                  {"zil_indirect_bytes", zil->indirect}}});
    return;
  }
}

}  // namespace

double student_t(std::size_t degrees) {
  double low = 0;
  double high = 16;  // t of one degree is 12.7
  for (int i = 0; i < 60; ++i) {
    const double middle = (low + high) / 2;
    (within(middle, degrees) < kConfidence ? low : high) = middle;
  }
  return (low + high) / 2;
}

std::optional<PairedRatio> paired_ratio(const std::vector<double>& base,
                                        const std::vector<double>& changed) {
  const std::size_t pairs = std::min(base.size(), changed.size());
  if (pairs < kFewestPairs) return std::nullopt;
  const auto positive = [](double value) { return value > 0; };
  if (!std::all_of(base.begin(), base.end(), positive) ||
      !std::all_of(changed.begin(), changed.end(), positive)) {
    return std::nullopt;
  }
  const std::vector<double> without = logarithms(base, pairs);
  const std::vector<double> with = logarithms(changed, pairs);
  const double mean = mean_of(with) - mean_of(without);
  double squares = 0;
  for (std::size_t i = 0; i < pairs; ++i) {
    const double off = with[i] - without[i] - mean;
    squares += off * off;
  }
  const auto n = static_cast<double>(pairs);
  const double half = student_t(pairs - 1) * std::sqrt(squares / (n - 1) / n);
  return PairedRatio{std::exp(mean_of(without)), std::exp(mean_of(with)), std::exp(mean),
                     std::exp(mean - half),      std::exp(mean + half),   pairs};
}

Shown shown_by(const std::optional<PairedRatio>& ratio) {
  if (!ratio) return Shown::too_few;
  if (ratio->low > 1 || ratio->high < 1) return Shown::differs;
  const bool narrow = ratio->low >= 1 / (1 + kSame) && ratio->high <= 1 + kSame;
  return narrow ? Shown::same : Shown::nothing;
}

std::string keeping(const Report& report, Condition condition) {
  switch (condition) {
    case Condition::cores_awake:
      return idle_remedy(report);
    case Condition::governor_performance:
      return governor_remedy(report);
    case Condition::cores_busy:
      return "cores-busy is a test and no setting: see whether cores-awake or governor-performance "
             "gains the same, for those can be kept.";
    case Condition::as_is:
      break;
  }
  return {};
}

std::vector<Effect> effects(const Report& report) {
  std::vector<Effect> found;
  const std::vector<Rows> groups = templates_of(report);
  for (const Rows& rows : groups) compare_rows(report, rows, found);
  for (const Rows& rows : groups) find_log_limit(report, rows, found);
  return found;
}

}  // namespace sthd::analyze
