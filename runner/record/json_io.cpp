#include "runner/record/json_io.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <cmath>
#include <limits>
#include <set>

namespace sthd::record {

namespace {

constexpr std::size_t kMaxText = std::size_t{256} << 20;
constexpr int kMaxDepth = 64;

std::string_view kind_of(const Json& json) {
  switch (json.type()) {
    case Json::value_t::null:
      return "null";
    case Json::value_t::object:
      return "an object";
    case Json::value_t::array:
      return "an array";
    case Json::value_t::string:
      return "a string";
    case Json::value_t::boolean:
      return "true or false";
    default:
      return "a number";
  }
}

}  // namespace

void Reader::fail(std::string_view what) const {
  throw ReadError(fmt::format("{} {}", path_.empty() ? "the text" : path_, what));
}

Reader Reader::element(std::size_t index, const Json& value) const {
  return Reader(value, fmt::format("{}[{}]", path_, index));
}

std::optional<Reader> Reader::find(std::string_view key) const {
  if (!json_->is_object()) fail(fmt::format("is {}, not an object", kind_of(*json_)));
  const auto found = json_->find(key);
  if (found == json_->end() || found->is_null()) return std::nullopt;
  return Reader(*found, path_.empty() ? std::string(key) : fmt::format("{}.{}", path_, key));
}

std::optional<Reader> Reader::at_or_null(std::string_view key) const {
  if (auto found = find(key)) return found;
  if (!json_->contains(key)) {
    throw ReadError(fmt::format("{}{}{} is missing", path_, path_.empty() ? "" : ".", key));
  }
  return std::nullopt;
}

Reader Reader::at(std::string_view key) const {
  if (auto found = at_or_null(key)) return *found;
  throw ReadError(fmt::format("{}{}{} is null", path_, path_.empty() ? "" : ".", key));
}

std::vector<Reader> Reader::items() const {
  if (!json_->is_array()) fail(fmt::format("is {}, not an array", kind_of(*json_)));
  std::vector<Reader> all;
  all.reserve(json_->size());
  for (const Json& value : *json_) all.push_back(element(all.size(), value));
  return all;
}

std::uint64_t Reader::u64() const {
  if (!json_->is_number_unsigned()) {
    fail(fmt::format("is {}, not a whole number from 0 to 2^64 - 1",
                     json_->is_number() ? json_->dump() : std::string(kind_of(*json_))));
  }
  return json_->get<std::uint64_t>();
}

std::uint32_t Reader::u32() const {
  const std::uint64_t value = u64();
  if (value > std::numeric_limits<std::uint32_t>::max()) {
    fail(fmt::format("is {}, which is more than 2^32 - 1", value));
  }
  return static_cast<std::uint32_t>(value);
}

double Reader::number() const {
  if (!json_->is_number()) fail(fmt::format("is {}, not a number", kind_of(*json_)));
  return json_->get<double>();
}

bool Reader::boolean() const {
  if (!json_->is_boolean()) fail(fmt::format("is {}, not true or false", kind_of(*json_)));
  return json_->get<bool>();
}

std::string Reader::text() const {
  if (!json_->is_string()) fail(fmt::format("is {}, not a string", kind_of(*json_)));
  return json_->get<std::string>();
}

std::vector<std::string> Reader::texts() const {
  std::vector<std::string> all;
  for (const Reader& item : items()) all.push_back(item.text());
  return all;
}

std::uint64_t Reader::u64_or_zero(std::string_view key) const {
  const auto found = at_or_null(key);
  return found ? found->u64() : 0;
}
std::uint32_t Reader::u32_or_zero(std::string_view key) const {
  const auto found = at_or_null(key);
  return found ? found->u32() : 0;
}
std::string Reader::text_or_empty(std::string_view key) const {
  const auto found = at_or_null(key);
  return found ? found->text() : std::string();
}
std::optional<std::uint64_t> Reader::maybe_u64(std::string_view key) const {
  const auto found = at_or_null(key);
  return found ? std::optional(found->u64()) : std::nullopt;
}
std::optional<double> Reader::maybe_number(std::string_view key) const {
  const auto found = at_or_null(key);
  return found ? std::optional(found->number()) : std::nullopt;
}
std::optional<bool> Reader::maybe_boolean(std::string_view key) const {
  const auto found = at_or_null(key);
  return found ? std::optional(found->boolean()) : std::nullopt;
}

namespace {

/// "near byte 4", of a text of several lines "near line 2, byte 4 of the text".
std::string place_of(std::string_view text, std::size_t byte) {
  const auto before = text.substr(0, byte);
  const auto line = 1 + std::count(before.begin(), before.end(), '\n');
  if (line == 1) return fmt::format("near byte {}", byte);
  return fmt::format("near line {}, byte {} of the text", line, byte);
}

}  // namespace

Json parse(std::string_view text, Repeated repeated) {
  if (text.size() > kMaxText) throw ReadError("the text is longer than 256 MiB");
  std::vector<std::set<std::string>> keys;  // of each open object
  const auto guard = [&](int depth, Json::parse_event_t event, Json& value) {
    if (depth > kMaxDepth) throw ReadError("the text nests deeper than 64 levels");
    if (repeated == Repeated::last_wins) return true;
    if (event == Json::parse_event_t::object_start) keys.emplace_back();
    if (event == Json::parse_event_t::object_end) keys.pop_back();
    if (event == Json::parse_event_t::key && !keys.back().insert(value.get<std::string>()).second) {
      throw ReadError(fmt::format("the text has the key {} twice in one object", value.dump()));
    }
    return true;
  };
  try {
    return Json::parse(text, guard);
  } catch (const Json::parse_error& e) {
    const bool cut = e.byte > text.size() && !text.empty();
    throw ReadError(fmt::format("the text {} {}", cut ? "ends in the middle," : "is no JSON",
                                place_of(text, e.byte)));
  } catch (const Json::exception&) {  // a number that no double holds
    throw ReadError("the text has a number that is out of range");
  }
}

namespace {

/// nlohmann's binary values cannot be read from text, so there is no other use for them.
bool is_printed(const Json& json) { return json.is_binary(); }

void append_printed(const Json& json, std::string& out) {
  const auto& bytes = json.get_binary();
  out.append(bytes.begin(), bytes.end());
}

bool holds_printed(const Json& json) {
  return is_printed(json) ||
         (json.is_structured() && std::any_of(json.begin(), json.end(), holds_printed));
}

std::string dumped(const Json& json) {
  return json.dump(-1, ' ', false, Json::error_handler_t::replace);
}

void print_tight(const Json& json, std::string& out) {
  if (is_printed(json)) return append_printed(json, out);
  if (!holds_printed(json)) {
    out += dumped(json);
    return;
  }
  out += json.is_object() ? '{' : '[';
  std::string_view separator = "";
  for (const auto& [key, value] : json.items()) {
    out += separator;
    separator = ",";
    if (json.is_object()) out += dumped(key) + ':';
    print_tight(value, out);
  }
  out += json.is_object() ? '}' : ']';
}

}  // namespace

Json printed(std::string_view text) {
  return Json::binary(std::vector<std::uint8_t>(text.begin(), text.end()));
}

std::string print_line(const Json& json) {
  std::string out;
  print_tight(json, out);
  return out;
}

namespace {

bool holds_no_object(const Json& json) {
  return !json.is_object() && !is_printed(json) &&
         (!json.is_array() || std::all_of(json.begin(), json.end(), holds_no_object));
}

bool is_flat(const Json& json) { return std::all_of(json.begin(), json.end(), holds_no_object); }

/// On one line, with a space after each comma and colon outside of the innermost arrays.
void print_flat(const Json& json, std::string& out) {
  if (!json.is_structured()) {
    out += print_line(json);
    return;
  }
  const bool object = json.is_object();
  out += object ? '{' : '[';
  std::string_view separator = "";
  for (const auto& [key, value] : json.items()) {
    out += separator;
    separator = ", ";
    if (object) out += print_line(Json(key)) + ": ";
    if (value.is_array()) {
      out += print_line(value);
    } else {
      print_flat(value, out);
    }
  }
  out += object ? '}' : ']';
}

void print_block(const Json& json, std::size_t indent, bool in_array, std::string& out) {
  if (is_printed(json)) return append_printed(json, out);
  const bool object = json.is_object();
  if (json.empty() || holds_no_object(json) || (in_array && object && is_flat(json))) {
    print_flat(json, out);
    return;
  }
  out += object ? "{\n" : "[\n";
  std::string_view separator = "";
  for (const auto& [key, value] : json.items()) {
    out += separator;
    separator = ",\n";
    out.append(indent + 2, ' ');
    if (object) out += print_line(Json(key)) + ": ";
    print_block(value, indent + 2, !object, out);
  }
  out += '\n';
  out.append(indent, ' ');
  out += object ? '}' : ']';
}

}  // namespace

std::string print(const Json& json) {
  std::string out;
  print_block(json, 0, false, out);
  out += '\n';
  return out;
}

Json figure(double value) {
  constexpr double kExact = 9007199254740992.0;  // 2^53: beyond it a double skips whole numbers
  const bool whole = std::trunc(value) == value && std::fabs(value) < kExact;
  if (!whole || (value == 0 && std::signbit(value))) return value;
  return value < 0 ? Json(static_cast<std::int64_t>(value))
                   : Json(static_cast<std::uint64_t>(value));
}

}  // namespace sthd::record
