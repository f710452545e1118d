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
  std::string_view rest = text;
  for (;;) {
    const std::size_t comma = rest.find(',');
    list.items.push_back(string_value(rest.substr(0, comma)));
    if (comma == std::string_view::npos) return list;
    rest.remove_prefix(comma + 1);
  }
}

}  // namespace

Checked<SetValues> read_set(const std::vector<std::pair<std::string, std::string>>& set) {
  SetValues values;
  Diagnostics faults;
  for (const auto& [key, text] : set) {
    if (!is_workload_key(key)) {
      faults.push_back(fault_of({}, fmt::format("{}unknown key {}", kWhere, in_quotes(key)),
                                did_you_mean(key, workload_keys())));
      continue;
    }
    Value value = value_of(key, text);
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
    const auto same_key = [&key = key](const auto& earlier) { return earlier.first == key; };
    values.erase(std::remove_if(values.begin(), values.end(), same_key), values.end());
    values.emplace_back(key, std::move(value));
  }
  if (!faults.empty()) return faults;
  return values;
}

}  // namespace sthd::profile
