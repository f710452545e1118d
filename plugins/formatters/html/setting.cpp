#include <fmt/format.h>

#include "kit/process/fio_command.hpp"
#include "kit/table/environment.hpp"
#include "markup.hpp"
#include "sections.hpp"
#include "sthd/units.hpp"

namespace sthd::html {
namespace {

std::string preformatted(std::string_view text) {
  return fmt::format("<pre tabindex=\"0\"><code>{}</code></pre>\n", text);
}

/// Lines stay lines; everything else is shown as display() does.
std::string lines_of(std::string_view text) {
  std::string out;
  while (!text.empty()) {
    const std::size_t end = text.find('\n');
    out += xml_escaped(text.substr(0, end)) + '\n';
    text.remove_prefix(end == std::string_view::npos ? text.size() : end + 1);
  }
  return out;
}

std::string command_of(const Report& report) {
  if (report.argv.empty()) return {};
  const std::vector<std::string> arguments(report.argv.begin() + 1, report.argv.end());
  return "<h3>Command line</h3>\n" +
         preformatted(xml_escaped(process::command_line(report.argv.front(), arguments)));
}

std::string depth_text(const Workload& workload) {
  return fmt::format("Q{} T{}", workload.queue_depth, workload.threads);
}

std::string what_ran(const Report& report, const Job& job) {
  for (const ResultRecord& record : report.records) {
    if (record.job.id != job.id || record.resolution.backend.empty()) continue;
    const Resolution& resolution = record.resolution;
    const auto& direct = resolution.direct_effective;
    return fmt::format("{} {}{}", resolution.backend, resolution.engine,
                       !direct   ? ""
                       : *direct ? ", O_DIRECT"
                                 : ", buffered");
  }
  return {};
}

std::string plan_of(const Report& report) {
  if (report.plan.jobs.empty()) return {};
  TableText table("The rows",
                  {"Row", "Job", "Pattern", "Block", "Depth", "Sync", "Cache", "Ran by"},
                  Align::texts);
  for (const Job& job : report.plan.jobs) {
    const Workload& workload = job.workload;
    table.row(fmt::format("{} {}", job.label, to_text(workload.op)),
              {job.id, std::string(to_text(workload.pattern)), short_size(workload.block_size),
               depth_text(workload), std::string(to_text(workload.sync)),
               std::string(to_text(workload.cache)), what_ran(report, job)});
  }
  return folded("The rows", table.text());
}

std::string fio_of(const Report& report) {
  std::string body;
  for (const ResultRecord& record : report.records) {
    if (record.fio_command.empty()) continue;
    body += fmt::format(
        "<h3>{}</h3>\n{}",
        xml_escaped(fmt::format("{} {}", record.job.label, to_text(record.job.workload.op))),
        preformatted(lines_of(record.fio_command)));
  }
  return body.empty() ? body : folded("The same with fio", body);
}

std::string environment_of(const Report& report, bool details) {
  TableText table("What is known of host and target", {"Fact", "Value"}, Align::texts);
  const std::vector<table::Known> known = table::environment_of(report);
  for (const table::Known& fact : known) table.row(fact.name, {fact.text});
  return known.empty() ? "" : folded("Environment", table.text(), details);
}

std::string profile_of(const Report& report) {
  std::string out;
  for (const ProfileFile& file : report.profile.files) {
    out += folded("Profile " + file.path, preformatted(lines_of(file.text)));
  }
  if (!report.profile.overrides.empty()) {
    out = "<h3>Changed on the command line</h3>\n" + list(report.profile.overrides) + out;
  }
  return out;
}

}  // namespace

std::string setting_section(const Report& report, bool details) {
  const std::string profile = profile_of(report);
  const std::string body = command_of(report) + plan_of(report) + fio_of(report);
  return section("How to do it again", body + profile + environment_of(report, details));
}

}  // namespace sthd::html
