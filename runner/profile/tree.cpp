#include "runner/profile/tree.hpp"

#include <algorithm>

namespace sthd::profile {

std::string_view SourceFile::line(unsigned number) const {
  if (number == 0) return {};
  std::size_t begin = 0;
  for (unsigned current = 1; current < number; ++current) {
    begin = text.find('\n', begin);
    if (begin == std::string::npos) return {};
    ++begin;
  }
  std::string_view result = std::string_view(text).substr(begin);
  result = result.substr(0, result.find('\n'));
  if (!result.empty() && result.back() == '\r') result.remove_suffix(1);
  return result;
}

const Entry* Value::entry(std::string_view key) const {
  const auto found = std::find_if(entries.begin(), entries.end(),
                                  [key](const Entry& candidate) { return candidate.key == key; });
  return found == entries.end() ? nullptr : &*found;
}

Entry* Value::entry(std::string_view key) {
  const auto found = std::find_if(entries.begin(), entries.end(),
                                  [key](const Entry& candidate) { return candidate.key == key; });
  return found == entries.end() ? nullptr : &*found;
}

const Value* Value::find(std::string_view key) const {
  const Entry* found = entry(key);
  return found == nullptr ? nullptr : &found->value;
}

std::string_view text_of(const Value& table, std::string_view key) {
  const Value* found = table.find(key);
  return found != nullptr && found->kind == Kind::string ? std::string_view(found->text)
                                                         : std::string_view();
}

std::vector<const Value*> tables_of(const Value& table, std::string_view key) {
  std::vector<const Value*> result;
  const Value* array = table.find(key);
  if (array == nullptr || array->kind != Kind::array) return result;
  for (const Value& item : array->items) {
    if (item.kind == Kind::table) result.push_back(&item);
  }
  return result;
}

std::string_view kind_text(const Value& value) {
  switch (value.kind) {
    case Kind::table:
      return "a table";
    case Kind::array:
      return "a list";
    case Kind::string:
      return "a string";
    case Kind::integer:
      return "an integer";
    case Kind::floating:
      return "a fraction";
    case Kind::boolean:
      return value.boolean ? "true" : "false";
    case Kind::null:
      return value.text;
  }
  return "";
}

}  // namespace sthd::profile
