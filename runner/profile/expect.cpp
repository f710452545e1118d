#include "runner/profile/expect.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <utility>

#include "runner/profile/figure.hpp"
#include "sthd/metrics.hpp"

namespace sthd::profile {
namespace {

constexpr double kTolerance = 10;  // percent; what data sheets and their tests differ by anyway

/// "lat.p99" and its range, of each metric.
using Ranges = std::vector<std::pair<std::string, const Entry*>>;

Ranges ranges_in(const Value& expect) {
  Ranges ranges;
  const Value* metrics = expect.find("metrics");
  if (metrics == nullptr) return ranges;
  for (const Entry& entry : metrics->entries) {
    if (is_metric(entry.key)) {
      ranges.emplace_back(entry.key, &entry);
      continue;
    }
    if (!is_metric(entry.key + ".p50")) continue;  // unknown, as the schema says
    for (const Entry& figure : entry.value.entries) {
      ranges.emplace_back(entry.key + "." + figure.key, &figure);
    }
  }
  return ranges;
}

std::vector<const Value*> figures_in(const Value& range) {
  std::vector<const Value*> figures;
  for (const Entry& entry : range.entries) {
    if (entry.key == "typical") {
      for (const Value& end : entry.value.items) figures.push_back(&end);
    } else if (entry.key == "min" || entry.key == "max" || entry.key == "spec") {
      figures.push_back(&entry.value);
    }
  }
  return figures;
}

/// Reads the ranges of one [[expect]].
class RangeReader {
 public:
  RangeReader(ExpectKind kind, Diagnostics& faults) : kind_(kind), faults_(faults) {}

  /// Of no use where it leaves faults.
  ExpectedRange read(const std::string& metric, const Entry& entry) {
    ExpectedRange range;
    range.metric = metric;
    const std::size_t before = faults_.size();
    check_keys(entry.value);
    if (faults_.size() > before) return range;
    kind_ == ExpectKind::vendor_spec ? read_spec(entry, range) : read_ends(entry.value, range);
    return range;
  }

 private:
  void fault(const Place& place, std::string message, std::string suggestion = {}) {
    faults_.push_back(fault_at(place, std::move(message), std::move(suggestion)));
  }

  /// A maker's figure stands alone, and only there.
  void check_keys(const Value& range) {
    const bool vendor = kind_ == ExpectKind::vendor_spec;
    const bool both_ends = range.find("typical") != nullptr;
    for (const Entry& entry : range.entries) {
      const bool of_spec = entry.key == "spec" || entry.key == "tolerance";
      if (of_spec != vendor) {
        fault(entry.key_place,
              fmt::format("{} does not go with kind = {}", entry.key, in_quotes(to_text(kind_))),
              vendor ? "it takes spec, and tolerance" : "it takes typical, min or max");
      } else if (both_ends && entry.key != "typical") {
        fault(entry.key_place, fmt::format("typical has both ends, so {} is too much", entry.key),
              "leave one of them out");
      }
    }
  }

  static double figure(const ExpectedRange& range, const Value& value) {
    return read_figure(range.metric, value).value();
  }

  void read_ends(const Value& range, ExpectedRange& into) {
    const Value* low = range.find("min");
    const Value* high = range.find("max");
    if (const Value* both = range.find("typical")) {
      low = both->items.data();
      high = both->items.data() + 1;
    }
    if (low != nullptr) into.low = figure(into, *low);
    if (high != nullptr) into.high = figure(into, *high);
    if (into.low && into.high && *into.low > *into.high) {
      fault(high->place, fmt::format("the high end of {} is below the low one", into.metric),
            "swap them");
    }
  }

  void read_spec(const Entry& entry, ExpectedRange& into) {
    const Value* spec = entry.value.find("spec");
    if (spec == nullptr) {
      return fault(entry.key_place, fmt::format("{} has no spec", into.metric),
                   "write the maker's figure");
    }
    into.spec = figure(into, *spec);
    if (*into.spec <= 0) return fault(spec->place, "spec must be above 0");
    const Value* given = entry.value.find("tolerance");
    const double share = (given != nullptr ? number_of(*given) : kTolerance) / 100;
    if (lower_is_better(into.metric)) {
      into.high = *into.spec * (1 + share);
    } else {
      into.low = *into.spec * (1 - share);
    }
  }

  ExpectKind kind_;
  Diagnostics& faults_;
};

void check_source(const Value& expect, ExpectKind kind, Diagnostics& faults) {
  if (kind == ExpectKind::require || expect.find("source") != nullptr) return;
  faults.push_back(fault_at(
      expect.place, fmt::format("expect {} has no \"source\"", in_quotes(text_of(expect, "id"))),
      fmt::format("say where the figures of a {} expectation come from",
                  in_quotes(to_text(kind)))));
}

void check_fact(const Entry& pattern, Diagnostics& faults) {
  const std::vector<std::string>& known = short_fact_names();
  if (pattern.key.find('.') != std::string::npos ||
      std::find(known.begin(), known.end(), pattern.key) != known.end()) {
    return;
  }
  const std::string near = did_you_mean(pattern.key, known);
  faults.push_back(
      fault_at(pattern.key_place, fmt::format("unknown fact {} in only_if", in_quotes(pattern.key)),
               near.empty() ? fmt::format("known are {}, and what probe -f json shows, such as "
                                          "\"cpu.governor\"",
                                          list_in_quotes(known))
                            : near));
}

}  // namespace

void figure_faults(const Value& expect, const std::function<bool(const Place&)>& faulty,
                   Diagnostics& faults) {
  for (const auto& [metric, entry] : ranges_in(expect)) {
    if (faulty(entry->key_place)) continue;
    if (!is_metric(metric)) {
      faults.push_back(fault_at(entry->key_place,
                                fmt::format("unknown metric {}", in_quotes(metric)),
                                "percentiles are p1 to p99, or p99_9 for 99.9"));
      continue;
    }
    for (const Value* figure : figures_in(entry->value)) {
      if (faulty(figure->place)) continue;
      const auto read = read_figure(metric, *figure);
      if (read) continue;
      faults.push_back(
          fault_at(figure->place, fmt::format("{}: {}", metric, read.error().message)));
    }
  }
  const Value* only_if = expect.find("only_if");
  if (only_if == nullptr) return;
  for (const Entry& pattern : only_if->entries) {
    if (!faulty(pattern.value.place)) check_fact(pattern, faults);
  }
}

std::vector<Expectation> expectations_of(const Value& profile, Diagnostics& faults) {
  std::vector<Expectation> all;
  for (const Value* table : tables_of(profile, "expect")) {
    Expectation& one = all.emplace_back();
    one.id = text_of(*table, "id");
    one.kind = from_text<ExpectKind>(text_of(*table, "kind")).value();
    one.source = text_of(*table, "source");
    one.remedy = text_of(*table, "remedy");
    check_source(*table, one.kind, faults);
    if (const Value* only_if = table->find("only_if")) {
      for (const Entry& pattern : only_if->entries) {
        one.only_if.push_back({pattern.key, pattern.value.text});
      }
    }
    RangeReader reader(one.kind, faults);
    for (const auto& [metric, entry] : ranges_in(*table)) {
      one.ranges.push_back(reader.read(metric, *entry));
    }
  }
  return all;
}

}  // namespace sthd::profile
