#include "kit/table/csv.hpp"

#include <string_view>

namespace sthd::table {
namespace {

/// RFC 4180: quoted where needed, quotes doubled; a comma after it.
void append(std::string_view text, std::string& line) {
  if (text.find_first_of(",\"\r\n") == std::string_view::npos) {
    line += text;
  } else {
    line += '"';
    for (const char c : text) {
      if (c == '"') line += '"';
      line += c;
    }
    line += '"';
  }
  line += ',';
}

/// Untrusted text that a spreadsheet does not run.
std::string inert(const std::string& text) {
  const bool formula =
      !text.empty() && std::string_view("=+-@\t\r").find(text.front()) != std::string_view::npos;
  return formula ? "'" + text : text;
}

std::string ended(std::string line) {
  if (line.empty()) line += ',';
  line.back() = '\n';
  return line;
}

}  // namespace

std::string csv_head(const std::vector<Field>& fields) {
  std::string line;
  for (const Field& field : fields) append(inert(field.name), line);
  return ended(std::move(line));
}

std::string csv_line(const std::vector<Field>& fields) {
  std::string line;
  for (const Field& field : fields) {
    append(field.is_number ? field.text : inert(field.text), line);
  }
  return ended(std::move(line));
}

}  // namespace sthd::table
