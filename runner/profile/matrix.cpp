#include "runner/profile/matrix.hpp"

#include <fmt/format.h>
#include <fmt/ranges.h>

#include <algorithm>
#include <optional>
#include <range/v3/range/conversion.hpp>
#include <range/v3/view/filter.hpp>
#include <range/v3/view/transform.hpp>

namespace sthd::profile {
namespace {

namespace views = ranges::views;

/// The keys that one value of an axis sets.
using Point = std::vector<std::pair<std::string, Assigned>>;

struct Axis {
  std::string name;
  Place place;
  std::vector<Point> points;
};

/// Used where neither the profile nor its parents say anything.
SetValues fallbacks() {
  const auto text = [](const char* key, const char* word) {
    Value value;
    value.kind = Kind::string;
    value.text = word;
    return std::pair<std::string, Value>(key, std::move(value));
  };
  const auto one = [](const char* key) {
    Value value;
    value.kind = Kind::integer;
    value.integer = 1;
    return std::pair<std::string, Value>(key, std::move(value));
  };
  return {one("queue_depth"),     one("threads"),         one("loops"),
          text("sync", "none"),   text("direct", "auto"), text("cache", "as_is"),
          text("runtime", "5s"),  text("ramp", "1s"),     text("size", "1GiB"),
          text("region", "auto"), text("layout", "full"), text("buffer", "random")};
}

/// Precondition: read_setting() has accepted the value before.
Assigned assigned(std::string_view key, const Value& value, bool of_job) {
  return Assigned{read_setting(key, value).value(), value.place, of_job};
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

Point point_of(const std::string& axis, const Value& value) {
  if (value.kind != Kind::table) return {{axis, assigned(axis, value, true)}};
  return value.entries |
         views::filter([](const Entry& entry) { return is_workload_key(entry.key); }) |
         views::transform([](const Entry& entry) {
           return std::pair(entry.key, assigned(entry.key, entry.value, true));
         }) |
         ranges::to<Point>();
}

bool same(const Point& a, const Point& b) {
  return std::equal(a.begin(), a.end(), b.begin(), b.end(), [](const auto& x, const auto& y) {
    return x.first == y.first && x.second.setting == y.second.setting;
  });
}

/// `set` beats the axis; values that become equal by it are one.
void override_axis(const SetValues& set, Axis& axis) {
  bool touched = false;
  for (Point& point : axis.points) {
    for (auto& [key, value] : point) {
      for (const auto& [set_key, set_value] : set) {
        if (set_key != key) continue;
        value = assigned(key, set_value, true);
        touched = true;
      }
    }
  }
  if (!touched) return;
  std::vector<Point> kept;
  for (Point& point : axis.points) {
    const bool seen = std::any_of(kept.begin(), kept.end(),
                                  [&point](const Point& other) { return same(point, other); });
    if (!seen) kept.push_back(std::move(point));
  }
  axis.points = std::move(kept);
}

std::vector<Axis> axes_of(const Value& job, const SetValues& set, Diagnostics& faults) {
  std::vector<Axis> axes;
  const Value* matrix = job.find("matrix");
  if (matrix == nullptr) return axes;
  std::map<std::string, std::string> setters;  // key to axis
  for (const Entry& entry : matrix->entries) {
    Axis axis{entry.key, entry.key_place, {}};
    for (const Value& value : entry.value.items) axis.points.push_back(point_of(entry.key, value));
    for (const Point& point : axis.points) {
      for (const auto& [key, value] : point) {
        const auto [setter, fresh] = setters.try_emplace(key, entry.key);
        if (fresh || setter->second == entry.key) continue;
        faults.push_back(fault_at(entry.key_place,
                                  fmt::format("the axes {} and {} both set {}",
                                              in_quotes(setter->second), in_quotes(entry.key), key),
                                  "leave it to one of them"));
      }
    }
    override_axis(set, axis);
    axes.push_back(std::move(axis));
  }
  return axes;
}

/// Any of the listed values (or the one) is the case's.
bool matches(const std::string& key, const Value& wanted, const Case& candidate) {
  const auto found = candidate.settings.find(key);
  if (found == candidate.settings.end()) return false;
  const auto equal = [&](const Value& value) {
    return read_setting(key, value).value() == found->second.setting;
  };
  if (wanted.kind != Kind::array) return equal(wanted);
  return std::any_of(wanted.items.begin(), wanted.items.end(), equal);
}

bool excluded(const Value& job, const Case& candidate) {
  const std::vector<const Value*> tables = tables_of(job, "exclude");
  return std::any_of(tables.begin(), tables.end(), [&candidate](const Value* table) {
    return std::all_of(table->entries.begin(), table->entries.end(), [&](const Entry& entry) {
      return matches(entry.key, entry.value, candidate);
    });
  });
}

std::optional<std::size_t> product(const std::vector<Axis>& axes) {
  std::size_t count = 1;
  for (const Axis& axis : axes) {
    if (axis.points.size() > kMostCases / count) return std::nullopt;
    count *= axis.points.size();
  }
  return count;
}

/// Case number `index`: the last axis turns fastest.
Case nth_case(const Case& base, const std::vector<Axis>& axes, std::size_t index) {
  Case result = base;
  for (auto axis = axes.rbegin(); axis != axes.rend(); ++axis) {
    for (const auto& [key, value] : axis->points[index % axis->points.size()]) {
      result.settings.insert_or_assign(key, value);
      result.axes.push_back(key);
    }
    index /= axis->points.size();
  }
  return result;
}

Case base_case(const Value& profile, const Value& job) {
  static const SetValues kFallbacks = fallbacks();
  Case base;
  base.job = &job;
  base.template_id = text_of(job, "id");
  for (const auto& [key, value] : kFallbacks) {
    base.settings.insert_or_assign(key, assigned(key, value, false));
  }
  assign_all(profile.find("defaults"), false, base);
  assign_all(&job, true, base);
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

std::vector<Case> cases_of(const Value& profile, const Value& job, const SetValues& set,
                           Diagnostics& faults) {
  const Case base = base_case(profile, job);
  const std::vector<const Value*> includes = tables_of(job, "include");
  const std::vector<Axis> axes = axes_of(job, set, faults);
  std::vector<Case> cases;
  const auto count = product(axes);
  if (!count || *count + includes.size() > kMostCases) {
    faults.push_back(fault_at(job.find("id")->place,
                              fmt::format("the matrix of {} makes more than {} cases",
                                          in_quotes(base.template_id), kMostCases),
                              "shorten its axes"));
    return cases;
  }
  if (axes.empty() && job.find("exclude") != nullptr) {
    faults.push_back(
        fault_at(job.entry("exclude")->key_place, "[[job.exclude]] has no [job.matrix] to act on"));
  }
  const bool only_includes = axes.empty() && !includes.empty();
  for (std::size_t i = 0; i < *count && !only_includes; ++i) {
    Case next = nth_case(base, axes, i);
    assign_set(set, next);
    if (!excluded(job, next)) cases.push_back(std::move(next));
  }
  for (const Value* include : includes) {
    Case next = base;
    assign_all(include, true, next);
    for (const Entry& entry : include->entries) next.axes.push_back(entry.key);
    assign_set(set, next);
    cases.push_back(std::move(next));
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
