#include "runner/profile/axes.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <map>
#include <range/v3/range/conversion.hpp>
#include <range/v3/view/filter.hpp>
#include <range/v3/view/transform.hpp>

namespace sthd::profile {
namespace {

namespace views = ranges::views;

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

void merge_equal(Axis& axis) {
  std::vector<Point> kept;
  for (Point& point : axis.points) {
    const bool seen = std::any_of(kept.begin(), kept.end(),
                                  [&point](const Point& other) { return same(point, other); });
    if (!seen) kept.push_back(std::move(point));
  }
  axis.points = std::move(kept);
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
  if (touched) merge_equal(axis);
}

void drop_key(const std::string& key, Axis& axis) {
  bool dropped = false;
  for (Point& point : axis.points) {
    dropped =
        std::erase_if(point, [&key](const auto& part) { return part.first == key; }) > 0 || dropped;
  }
  if (dropped) merge_equal(axis);
}

}  // namespace

Assigned assigned(std::string_view key, const Value& value, bool of_job) {
  return Assigned{read_setting(key, value).value(), value.place, of_job};
}

std::vector<Axis> added_axes(const SetValues& given) {
  std::vector<Axis> axes;
  for (const auto& [key, list] : given) {
    Axis axis{key, {}};
    for (const Value& value : list.items) axis.points.push_back(point_of(key, value));
    axes.push_back(std::move(axis));
  }
  return axes;
}

void add_axes(std::vector<Axis> added, std::vector<Axis>& axes) {
  for (Axis& axis : added) {
    const auto same_name = [&axis](const Axis& other) { return other.name == axis.name; };
    const auto place = std::find_if(axes.begin(), axes.end(), same_name);
    if (place != axes.end()) {
      *place = std::move(axis);
    } else {
      for (Axis& other : axes) drop_key(axis.name, other);
      axes.push_back(std::move(axis));
    }
  }
}

std::vector<Axis> axes_of(const Value& job, const SetValues& set, Diagnostics& faults) {
  std::vector<Axis> axes;
  const Value* matrix = job.find("matrix");
  if (matrix == nullptr) return axes;
  std::map<std::string, std::string> setters;  // key to axis
  for (const Entry& entry : matrix->entries) {
    Axis axis{entry.key, {}};
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

std::optional<std::size_t> product(const std::vector<Axis>& axes) {
  std::size_t count = 1;
  for (const Axis& axis : axes) {
    if (axis.points.size() > kMostCases / count) return std::nullopt;
    count *= axis.points.size();
  }
  return count;
}

}  // namespace sthd::profile
