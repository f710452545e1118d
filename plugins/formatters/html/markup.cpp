#include "markup.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <cmath>

#include "sthd/text.hpp"

namespace sthd::html {

std::string embedded_json(std::string_view json) {
  constexpr char kDelete = '\x7f';  // JSON takes it as it is, and display() knows no escape of JSON
  std::string out;
  out.reserve(json.size());
  while (!json.empty()) {
    const std::size_t plain = std::min(json.find_first_of("<\n\x7f"), json.size());
    out += display(json.substr(0, plain));
    json.remove_prefix(plain);
    if (json.empty()) break;
    const char c = json.front();
    out += c == '<' ? "\\u003c" : c == kDelete ? "\\u007f" : "\n";
    json.remove_prefix(1);
  }
  return out;
}

std::string number_text(std::optional<double> value, int precision) {
  return value && std::isfinite(*value) ? fmt::format("{:.{}f}", *value, precision) : "";
}

TableText::TableText(std::string_view caption, const std::vector<std::string>& heads, Align align) {
  text_ = fmt::format(
      "<div class=\"scroll\" role=\"group\" tabindex=\"0\" aria-label=\"{0}\">\n<table "
      "class=\"{1}\">\n"
      "<caption>{0}</caption>\n<thead><tr>",
      xml_escaped(caption), align == Align::numbers ? "numbers" : "texts");
  for (const std::string& head : heads) {
    text_ += fmt::format("<th scope=\"col\">{}</th>", xml_escaped(head));
  }
  text_ += "</tr></thead>\n<tbody>\n";
}

void TableText::row(std::string_view name, const std::vector<std::string>& cells) {
  text_ += fmt::format("<tr><th scope=\"row\">{}</th>", xml_escaped(name));
  for (const std::string& cell : cells) text_ += fmt::format("<td>{}</td>", xml_escaped(cell));
  text_ += "</tr>\n";
}

void TableText::foot() { text_ += "</tbody>\n<tbody class=\"foot\">\n"; }

std::string TableText::text() const { return text_ + "</tbody>\n</table>\n</div>\n"; }

std::string section(std::string_view title, std::string_view body) {
  if (body.empty()) return {};
  return fmt::format("<section>\n<h2>{}</h2>\n{}</section>\n", xml_escaped(title), body);
}

std::string folded(std::string_view summary, std::string_view body, bool open) {
  return fmt::format("<details{}>\n<summary>{}</summary>\n{}</details>\n", open ? " open" : "",
                     xml_escaped(summary), body);
}

std::string plot(std::string_view kind, std::string_view title, std::string_view tables) {
  return fmt::format("<div class=\"plot\" data-chart=\"{}\">\n<h3>{}</h3>\n{}</div>\n", kind,
                     xml_escaped(title), folded(fmt::format("{}: the figures", title), tables));
}

std::string list(const std::vector<std::string>& texts) {
  if (texts.empty()) return {};
  std::string out = "<ul>\n";
  for (const std::string& text : texts) out += fmt::format("<li>{}</li>\n", xml_escaped(text));
  return out + "</ul>\n";
}

}  // namespace sthd::html
