#include <fmt/format.h>

#include <algorithm>
#include <cmath>

#include "runner/record/bins_json.hpp"
#include "runner/record/json_io.hpp"

namespace sthd::record {

namespace {

/// nlohmann's binary values cannot be read from text, so there is no other use for them.
bool is_printed(const Json& json) { return json.is_binary(); }

void append_printed(const Json& json, std::string& out) {
  const auto& bytes = json.get_binary();
  out.append(bytes.begin(), bytes.end());
}

/// As dump() writes it, which takes far longer to begin.
bool is_plain(std::string_view text) {
  return std::all_of(text.begin(), text.end(),
                     [](char c) { return c >= ' ' && c <= '~' && c != '"' && c != '\\'; });
}

void append_text(const std::string& text, std::string& out) {
  if (is_plain(text)) {
    out += '"';
    out += text;
    out += '"';
  } else {
    out += Json(text).dump(-1, ' ', false, Json::error_handler_t::replace);
  }
}

void append_value(const Json& json, std::string& out) {
  if (json.is_string()) {
    append_text(json.get_ref<const std::string&>(), out);
  } else if (const auto* number = json.get_ptr<const Json::number_unsigned_t*>()) {
    append_number(*number, out);
  } else {
    out += json.dump();
  }
}

void print_tight(const Json& json, std::string& out) {
  if (is_printed(json)) return append_printed(json, out);
  if (!json.is_structured()) return append_value(json, out);
  out += json.is_object() ? '{' : '[';
  std::string_view separator = "";
  for (auto item = json.begin(); item != json.end(); ++item) {
    out += separator;
    separator = ",";
    if (json.is_object()) {
      append_text(item.key(), out);
      out += ':';
    }
    print_tight(*item, out);
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

/// `json` is an array or an object. Calls `put(value)` for each, with what stands around it.
template <class F>
void print_all(const Json& json, std::string_view before, std::string_view between, F put,
               std::string& out) {
  std::string_view separator = before;
  for (auto item = json.begin(); item != json.end(); ++item) {
    out += separator;
    separator = between;
    if (json.is_object()) {
      append_text(item.key(), out);
      out += ": ";
    }
    put(*item);
  }
}

/// On one line, with a space after each comma and colon outside of the innermost arrays.
void print_flat(const Json& json, std::string& out) {
  if (!json.is_structured()) return append_value(json, out);
  out += json.is_object() ? '{' : '[';
  print_all(
      json, "", ", ",
      [&out](const Json& value) {
        value.is_array() ? print_tight(value, out) : print_flat(value, out);
      },
      out);
  out += json.is_object() ? '}' : ']';
}

void print_block(const Json& json, std::size_t indent, std::string& out) {
  constexpr std::size_t kDeep = 4;  // from here on a flat object is a line
  if (is_printed(json)) return append_printed(json, out);
  const bool object = json.is_object();
  if (json.empty() || holds_no_object(json) || (object && indent >= kDeep && is_flat(json))) {
    print_flat(json, out);
    return;
  }
  const std::string line = "\n" + std::string(indent + 2, ' ');
  out += object ? '{' : '[';
  print_all(
      json, line, "," + line, [&](const Json& value) { print_block(value, indent + 2, out); }, out);
  out += '\n';
  out.append(indent, ' ');
  out += object ? '}' : ']';
}

}  // namespace

std::string print(const Json& json) {
  std::string out;
  print_block(json, 0, out);
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
