#include <fmt/format.h>

#include "assets.hpp"
#include "kit/table/environment.hpp"
#include "markup.hpp"
#include "sections.hpp"
#include "sthd/abi.hpp"
#include "sthd/units.hpp"

namespace sthd {
namespace html {
namespace {

/// A page with a larger record would be too much to mail.
constexpr std::size_t kMostRecord = 512 * kKiB;

std::string title_of(const FormatInput& input) {
  if (input.comparison != nullptr) {
    std::string title = "Comparison";
    for (const Side& side : input.comparison->sides) {
      title += (&side == input.comparison->sides.data() ? ": " : ", ") + side.label;
    }
    return title;
  }
  const ProfileInfo& profile = input.report.profile;
  if (!profile.title.empty()) return profile.title;
  return profile.name.empty() ? "speedtest-hd report" : profile.name;
}

/// What was measured on and when, in one line.
std::string environment_line(const Report& report) {
  const std::string line = table::environment_line(report);
  return line.empty() || report.started_utc.empty() ? line + report.started_utc
                                                    : line + "; " + report.started_utc;
}

std::string head(const std::string& title) {
  return fmt::format(
      "<!DOCTYPE html>\n<html lang=\"en\">\n<head>\n<meta charset=\"utf-8\">\n"
      "<meta http-equiv=\"Content-Security-Policy\" content=\"{}\">\n"
      "<meta name=\"viewport\" content=\"width=device-width, initial-scale=1\">\n"
      "<meta name=\"color-scheme\" content=\"light dark\">\n<title>{}</title>\n"
      "<style>{}</style>\n</head>\n",
      policy(), xml_escaped(title), style());
}

/// The record itself, for whoever wants the figures back.
std::string record_of(std::string_view json) {
  const std::string size = fmt::format("{} KiB", json.size() / kKiB);
  if (json.size() > kMostRecord) {
    return section("The record",
                   fmt::format("<p>The record (result.v1, {}) is too large to be in this page; "
                               "-f json writes it.</p>\n",
                               size));
  }
  return section("The record", fmt::format("<p id=\"record-note\">This page holds the whole record "
                                           "(result.v1, {}).</p>\n",
                                           size)) +
         fmt::format("<script type=\"application/json\" id=\"record\">\n{}</script>\n",
                     embedded_json(json));
}

std::string report_sections(const FormatInput& input) {
  const Report& report = input.report;
  return results_section(report) + expectations_section(report) + findings_section(report) +
         latency_section(report) + course_section(report) + layers_section(report) +
         repeats_section(report) + setting_section(report, input.details) +
         record_of(input.record_json);
}

std::string page(const FormatInput& input) {
  const std::string title = title_of(input);
  const bool compared = input.comparison != nullptr;
  const std::string environment = compared ? "" : environment_line(input.report);
  std::string out = head(title);
  out += fmt::format("<body>\n<header>\n<h1>{}</h1>\n", xml_escaped(title));
  if (!environment.empty()) {
    out += fmt::format("<p class=\"environment\">{}</p>\n", xml_escaped(environment));
  }
  out += "</header>\n";
  out += "<main>\n" + (compared ? comparison_sections(input) : report_sections(input));
  out += fmt::format("</main>\n<footer>\n<p>{} {}</p>\n</footer>\n",
                     xml_escaped(input.report.tool.name), xml_escaped(input.report.tool.version));
  for (const std::string_view text : scripts()) out += fmt::format("<script>{}</script>\n", text);
  return out + "</body>\n</html>\n";
}

}  // namespace
}  // namespace html

namespace {

/// One page that needs nothing else: tables, findings, curves, environment, profile, record.
class Html final : public FormatterPlugin {
 protected:
  [[nodiscard]] FormatterInfo describe() const override {
    return {.extensions = {"html", "htm"}, .compares = true};
  }
  [[nodiscard]] std::string format(const FormatInput& input) const override {
    return html::page(input);
  }
};

}  // namespace
}  // namespace sthd

STHD_FORMATTER_PLUGIN(sthd::Html, "html", "One self-contained page: tables, findings, curves")
