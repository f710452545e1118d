#include <fmt/format.h>

#include <algorithm>
#include <memory>

#include "runner/profile/load.hpp"
#include "runner/profile/resolve.hpp"
#include "runner/profile/schema.hpp"

namespace sthd::profile {
namespace {

constexpr std::string_view kWhere = "command line: ";

Value string_value(std::string_view text) {
  Value value;
  value.kind = Kind::string;
  value.text = text;
  return value;
}

void forget_places(Value& value) {
  value.place = {};
  for (Value& item : value.items) forget_places(item);
  for (Entry& entry : value.entries) forget_places(entry.value);
}

/// `text` as the right-hand side of a TOML line, or nothing.
std::optional<Value> as_toml(const std::string& text) {
  if (text.find('\n') != std::string::npos) return std::nullopt;
  const auto file = std::make_shared<const SourceFile>(SourceFile{{}, "value = " + text});
  auto tree = parse(file);
  auto* table = std::get_if<Value>(&tree);
  if (table == nullptr || table->entries.size() != 1) return std::nullopt;
  Value value = std::move(table->entries.front().value);
  forget_places(value);
  return value;
}

/// Cut at the commas.
std::vector<std::string> parts(std::string_view text) {
  std::vector<std::string> result;
  for (;;) {
    const std::size_t comma = text.find(',');
    result.emplace_back(text.substr(0, comma));
    if (comma == std::string_view::npos) return result;
    text.remove_prefix(comma + 1);
  }
}

Value value_of(std::string_view key, const std::string& text) {
  if (auto value = as_toml(text)) {
    const bool number = value->kind == Kind::integer || value->kind == Kind::floating;
    if (number && kind_of(key) == KeyKind::time) return string_value(text + "s");
    return std::move(*value);
  }
  if (kind_of(key) != KeyKind::names || text.find(',') == std::string::npos) {
    return string_value(text);
  }
  Value list;
  list.kind = Kind::array;
  for (const std::string& part : parts(text)) list.items.push_back(string_value(part));
  return list;
}

/// The values of `a,b`, or of a TOML list.
Value axis_of(std::string_view key, const std::string& text) {
  if (auto value = as_toml(text); value && value->kind == Kind::array) return std::move(*value);
  Value list;
  list.kind = Kind::array;
  for (const std::string& part : parts(text)) list.items.push_back(value_of(key, part));
  return list;
}

bool known(const std::string& key, Diagnostics& faults) {
  if (is_workload_key(key)) return true;
  faults.push_back(fault_of({}, fmt::format("{}unknown key {}", kWhere, in_quotes(key)),
                            did_you_mean(key, workload_keys())));
  return false;
}

void check(const std::string& key, const Value& value, Diagnostics& faults) {
  Diagnostics found = workload_faults(key, value);
  if (found.empty()) {
    if (const auto read = read_setting(key, value); !read) {
      found.push_back(fault_of({}, fmt::format("{}: {}", key, read.error().message)));
    }
  }
  for (Diagnostic& fault : found) {
    fault.message.insert(0, kWhere);
    faults.push_back(std::move(fault));
  }
}

void check_axis(const std::string& key, const Value& list, Diagnostics& faults) {
  const std::size_t before = faults.size();
  if (list.items.empty()) {
    faults.push_back(fault_of({}, fmt::format("{}--axis {} has no values", kWhere, key),
                              "list them, as in --axis threads=1,4"));
  }
  for (const Value& value : list.items) check(key, value, faults);
  if (faults.size() > before) return;
  std::vector<Setting> seen;
  for (const Value& value : list.items) {
    Setting setting = read_setting(key, value).value();
    if (std::find(seen.begin(), seen.end(), setting) != seen.end()) {
      faults.push_back(fault_of(
          {}, fmt::format("{}--axis {} has the value {} twice", kWhere, key, id_text(key, setting)),
          "list each value once"));
    }
    seen.push_back(std::move(setting));
  }
}

void check_not_set(const std::string& key, const SetValues& set, Diagnostics& faults) {
  if (std::none_of(set.begin(), set.end(), [&key](const auto& one) { return one.first == key; })) {
    return;
  }
  faults.push_back(fault_of({},
                            fmt::format("{}{} is an axis and has one value as well", kWhere, key),
                            fmt::format("leave out --axis {0}, or what sets {0}", key)));
}

}  // namespace

Checked<CommandLine> read_command_line(const Overrides& overrides) {
  CommandLine given;
  Diagnostics faults;
  for (const auto& [key, text] : overrides.set) {
    if (!known(key, faults)) continue;
    Value value = value_of(key, text);
    check(key, value, faults);
    std::erase_if(given.set, [&key = key](const auto& earlier) { return earlier.first == key; });
    given.set.emplace_back(key, std::move(value));
  }
  for (const auto& [key, text] : overrides.axis) {
    if (!known(key, faults)) continue;
    Value list = axis_of(key, text);
    check_axis(key, list, faults);
    check_not_set(key, given.set, faults);
    const auto same_key = [&key = key](const auto& earlier) { return earlier.first == key; };
    const auto earlier = std::find_if(given.axes.begin(), given.axes.end(), same_key);
    if (earlier != given.axes.end()) {
      earlier->second = std::move(list);
    } else {
      given.axes.emplace_back(key, std::move(list));
    }
  }
  if (!faults.empty()) return faults;
  return given;
}

}  // namespace sthd::profile
