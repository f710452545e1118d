#include "runner/profile/matrix.hpp"

#include <fmt/format.h>
#include <fmt/ranges.h>

#include <algorithm>
#include <range/v3/range/conversion.hpp>
#include <range/v3/view/transform.hpp>

#include "runner/profile/axes.hpp"

namespace sthd::profile {
namespace {

namespace views = ranges::views;

/// Used where neither the profile nor its parents say anything.
SetValues fallbacks() {
  const auto text = [](const char* key, const char* word) {
    Value value;
    value.kind = Kind::string;
    value.text = word;
    return std::pair<std::string, Value>(key, std::move(value));
  };
  const auto number = [](const char* key, std::int64_t n) {
    Value value;
    value.kind = Kind::integer;
    value.integer = n;
    return std::pair<std::string, Value>(key, std::move(value));
  };
  const auto off = [](const char* key) {
    Value value;
    value.kind = Kind::boolean;
    return std::pair<std::string, Value>(key, std::move(value));
  };
  return {number("queue_depth", 1),
          number("threads", 1),
          number("loops", 1),
          number("repeat", 1),
          number("read_percent", 70),  // as CrystalDiskMark's mix
          text("sync", "none"),
          text("direct", "auto"),
          text("cache", "as_is"),
          text("runtime", "5s"),
          text("ramp", "1s"),
          text("size", "1GiB"),
          text("region", "auto"),
          text("layout", "full"),
          text("buffer", "random"),
          text("condition", "as-is"),
          text("order", "interleaved"),
          text("score", "median"),
          text("interval", "0s"),
          text("distribution", "uniform"),
          text("sample", "100ms"),
          off("poll"),
          off("sqpoll")};
}

void assign_all(const Value* table, bool of_job, Case& into) {
  if (table == nullptr) return;
  for (const Entry& entry : table->entries) {
    if (!is_workload_key(entry.key)) continue;
    into.settings.insert_or_assign(entry.key, assigned(entry.key, entry.value, of_job));
  }
}

void assign_set(const SetValues& set, Case& into) {
  for (const auto& [key, value] : set)
    into.settings.insert_or_assign(key, assigned(key, value, true));
}

bool excluded(const Value& job, const Case& candidate) {
  const std::vector<const Value*> tables = tables_of(job, "exclude");
  return std::any_of(tables.begin(), tables.end(), [&candidate](const Value* table) {
    return std::all_of(table->entries.begin(), table->entries.end(), [&](const Entry& entry) {
      return matches(entry.key, entry.value, candidate);
    });
  });
}

void add_axis_key(const std::string& key, Case& to) {
  if (std::find(to.axes.begin(), to.axes.end(), key) == to.axes.end()) to.axes.push_back(key);
}

/// Case number `index`: the last axis turns fastest.
Case nth_case(const Case& base, const std::vector<Axis>& axes, std::size_t index) {
  Case result = base;
  for (auto axis = axes.rbegin(); axis != axes.rend(); ++axis) {
    for (const auto& [key, value] : axis->points[index % axis->points.size()]) {
      result.settings.insert_or_assign(key, value);
      add_axis_key(key, result);
    }
    index /= axis->points.size();
  }
  return result;
}

/// Columns pick the direction, so a row may have both and its label need not name it; but not where
/// a column has no op, or where a direction comes from two cases.
bool one_row_for_all_ops(const Value& profile, const Value& ops) {
  const auto mixed = [](const Value& op) { return op.text == to_text(Op::mixed); };
  const auto picks = [](const Value* column) { return column->find("op") != nullptr; };
  const std::vector<const Value*> columns = tables_of(profile, "column");
  return std::none_of(ops.items.begin(), ops.items.end(), mixed) &&
         std::all_of(columns.begin(), columns.end(), picks);
}

Case base_case(const Value& profile, const Value& job, const SetValues& axes) {
  static const SetValues kFallbacks = fallbacks();
  Case base;
  base.job = &job;
  base.template_id = text_of(job, "id");
  for (const auto& [key, value] : kFallbacks) {
    base.settings.insert_or_assign(key, assigned(key, value, false));
  }
  assign_all(profile.find("defaults"), false, base);
  assign_all(&job, true, base);
  for (const auto& [key, list] : axes) {
    if (key != "op" || !one_row_for_all_ops(profile, list)) base.added.push_back(key);
  }
  return base;
}

}  // namespace

std::string Case::id() const {
  std::vector<std::string> keys = axes;
  std::sort(keys.begin(), keys.end());
  const auto texts = keys | views::transform([this](const std::string& key) {
                       return key + "=" + id_text(key, settings.find(key)->second.setting);
                     }) |
                     ranges::to<std::vector>();
  return texts.empty() ? template_id : fmt::format("{}/{}", template_id, fmt::join(texts, ","));
}

bool matches(const std::string& key, const Value& wanted, const Case& candidate) {
  const auto found = candidate.settings.find(key);
  if (found == candidate.settings.end()) return false;
  const auto equal = [&](const Value& value) {
    return read_setting(key, value).value() == found->second.setting;
  };
  if (wanted.kind != Kind::array) return equal(wanted);
  return std::any_of(wanted.items.begin(), wanted.items.end(), equal);
}

std::vector<Case> cases_of(const Value& profile, const Value& job, const CommandLine& given,
                           Diagnostics& faults) {
  const Case base = base_case(profile, job, given.axes);
  const std::vector<const Value*> includes = tables_of(job, "include");
  const std::vector<Axis> added = added_axes(given.axes);
  std::vector<Axis> axes = axes_of(job, given.set, faults);
  const bool has_matrix = !axes.empty();
  add_axes(added, axes);
  std::vector<Case> cases;
  const auto count = product(axes);
  const auto each = product(added);
  if (!count || !each || *count + includes.size() * *each > kMostCases) {
    faults.push_back(fault_at(job.find("id")->place,
                              fmt::format("the matrix of {} makes more than {} cases",
                                          in_quotes(base.template_id), kMostCases),
                              "shorten its axes"));
    return cases;
  }
  if (!has_matrix && job.find("exclude") != nullptr) {
    faults.push_back(
        fault_at(job.entry("exclude")->key_place, "[[job.exclude]] has no [job.matrix] to act on"));
  }
  const bool only_includes = !has_matrix && !includes.empty();
  for (std::size_t i = 0; i < *count && !only_includes; ++i) {
    Case next = nth_case(base, axes, i);
    assign_set(given.set, next);
    if (!excluded(job, next)) cases.push_back(std::move(next));
  }
  for (const Value* include : includes) {
    Case whole = base;
    assign_all(include, true, whole);
    for (const Entry& entry : include->entries) add_axis_key(entry.key, whole);
    for (std::size_t i = 0; i < *each; ++i) {
      Case next = nth_case(whole, added, i);
      assign_set(given.set, next);
      cases.push_back(std::move(next));
    }
  }
  if (cases.empty()) {
    faults.push_back(
        fault_at(job.find("id")->place,
                 fmt::format("every case of {} is excluded", in_quotes(base.template_id)),
                 "drop an [[job.exclude]], or the job"));
  }
  return cases;
}

}  // namespace sthd::profile
