#include "kit/table/environment.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <string_view>
#include <utility>

#include "sthd/facts.hpp"
#include "sthd/text.hpp"
#include "sthd/units.hpp"

namespace sthd::table {
namespace {

std::string word(const Report& report, std::string_view name) {
  return std::string(fact_text(report.facts, name).value_or(""));
}

/// What is known of "a", "b", joined; nothing of what is empty.
std::string joined(const std::vector<std::string>& parts, std::string_view separator) {
  std::vector<std::string> known = parts;
  std::erase(known, "");
  return fmt::format("{}", fmt::join(known, separator));
}

/// `text` with `detail` in brackets, as far as they are known.
std::string with_detail(const std::string& text, const std::string& detail) {
  if (text.empty() || detail.empty()) return text + detail;
  return fmt::format("{} ({})", text, detail);
}

std::string cpu_of(const Report& report) {
  const Environment& host = report.environment;
  return joined({host.cpu_model, host.cpus ? fmt::format("{} CPUs", *host.cpus) : ""}, ", ");
}

std::string kernel_of(const Report& report) {
  const std::string& kernel = report.environment.kernel;
  return kernel.empty() ? kernel : "Linux " + kernel;
}

bool on_zfs(const Report& report) { return report.target.filesystem == "zfs"; }

std::string filesystem_of(const Report& report) {
  if (!on_zfs(report)) return report.target.filesystem;
  const std::string& own = report.target.filesystem_version;
  return joined({"ZFS", own.empty() ? word(report, "zfs.version") : own}, " ");
}

/// "6 x KingSpec XG7000, sda": the leaf disks of this role by model, or by name.
std::string disks_of(const Report& report, std::string_view role) {
  std::vector<std::pair<std::string, int>> kinds;
  for (int i = 0;; ++i) {
    const std::string key = fmt::format("disk.{}.", i);
    const std::string name = word(report, key + "name");
    if (name.empty()) break;
    if (word(report, key + "role") != role) continue;
    const std::string model = word(report, key + "model");
    const std::string& shown = model.empty() ? name : model;
    const auto known = std::find_if(kinds.begin(), kinds.end(),
                                    [&shown](const auto& kind) { return kind.first == shown; });
    if (known == kinds.end()) {
      kinds.emplace_back(shown, 1);
    } else {
      ++known->second;
    }
  }
  std::vector<std::string> texts;
  for (const auto& [name, count] : kinds) {
    texts.push_back(count == 1 ? name : fmt::format("{} x {}", count, name));
  }
  return joined(texts, ", ");
}

std::string log_of(const Report& report) {
  const std::string disks = disks_of(report, "log");
  return disks.empty() ? word(report, "zfs.log.0.name") : disks;
}

std::string storage_of(const Report& report) {
  const std::string disks = disks_of(report, "data");
  const std::string log = log_of(report);
  const std::string below = joined({filesystem_of(report), disks}, " on ");
  return joined({below, log.empty() ? "" : "log on " + log}, ", ");
}

std::string server_of(const Report& report) {
  const std::string machine =
      joined({word(report, "host.vendor"), word(report, "host.product")}, " ");
  const std::string layer = word(report, "host.virtualisation");
  return with_detail(machine, layer.empty() || layer == "none" ? "" : "virtual: " + layer);
}

std::string property(const Report& report, std::string_view name) {
  const std::string value = word(report, fmt::format("zfs.{}", name));
  return value.empty() ? value : fmt::format("{}={}", name, value);
}

std::string target_of(const Report& report) {
  const std::string settings =
      on_zfs(report) ? joined({word(report, "zfs.dataset"), property(report, "sync"),
                               property(report, "logbias"), property(report, "compression")},
                              ", ")
                     : report.target.source;
  return with_detail(report.target.path, settings);
}

/// "native-psync, engine psync", of all rows that ran.
std::string engines_of(const Report& report) {
  std::vector<std::string> texts;
  for (const ResultRecord& record : report.records) {
    const Resolution& resolution = record.resolution;
    if (resolution.backend.empty()) continue;
    const std::string text = joined({resolution.backend, resolution.engine}, " ");
    if (std::find(texts.begin(), texts.end(), text) == texts.end()) texts.push_back(text);
  }
  return joined(texts, ", ");
}

std::string tool_of(const Report& report) {
  const std::string tool = joined({report.tool.name, report.tool.version}, " ");
  const std::string profile = report.profile.name.empty() ? "" : "profile " + report.profile.name;
  return joined({tool, profile, engines_of(report), report.started_utc}, ", ");
}

std::string governor_of(const Report& report) {
  const std::string governor = word(report, "cpu.governor");
  return governor.empty() ? governor : with_detail(governor, word(report, "cpu.driver"));
}

/// The platform's own name where it has one: TrueNAS is a Debian below.
std::string system_of(const Report& report) {
  const std::string own = word(report, "host.distribution");
  return joined({own.empty() ? report.environment.distribution : own, kernel_of(report)}, ", ");
}

/// Adds what is known, fit to be shown.
void add(std::vector<Known>& all, std::string_view name, std::string_view text) {
  if (!text.empty()) all.push_back({display(name), display(text)});
}

std::string size_text(std::optional<std::uint64_t> bytes) {
  return bytes ? human_size(*bytes) : "";
}

std::string value_of(const Fact& fact) {
  if (const auto* number = std::get_if<double>(&fact.value)) return fmt::format("{:.12g}", *number);
  if (const auto* text = std::get_if<std::string>(&fact.value)) return *text;
  return fact.unknown_because.empty() ? "unknown" : "unknown: " + fact.unknown_because;
}

}  // namespace

std::string environment_line(const Report& report) {
  return display(joined({cpu_of(report), kernel_of(report), storage_of(report)}, "; "));
}

std::vector<Known> setup_of(const Report& report) {
  const bool zfs = on_zfs(report);
  const std::string data = disks_of(report, "data");
  std::vector<Known> all;
  add(all, "Server", server_of(report));
  add(all, "CPU", cpu_of(report));
  add(all, "CPU governor", governor_of(report));
  add(all, "Memory", size_text(report.environment.memory_bytes));
  add(all, "OS", system_of(report));
  add(all, "Filesystem",
      zfs ? filesystem_of(report) : joined({filesystem_of(report), data}, " on "));
  if (zfs) add(all, "Pool", with_detail(word(report, "zfs.pool"), data));
  add(all, "Log device", log_of(report));
  add(all, zfs ? "Dataset" : "Target", target_of(report));
  add(all, "Measured with", tool_of(report));
  return all;
}

std::vector<Known> environment_of(const Report& report) {
  const Environment& host = report.environment;
  const Target& target = report.target;
  std::vector<Known> all;
  add(all, "host", host.hostname);
  add(all, "distribution", host.distribution);
  add(all, "kernel", host.kernel);
  add(all, "CPU", host.cpu_model);
  add(all, "CPUs", host.cpus ? fmt::to_string(*host.cpus) : "");
  add(all, "memory", size_text(host.memory_bytes));
  add(all, "target", target.path);
  add(all, "filesystem", target.filesystem);
  add(all, "filesystem version", target.filesystem_version);
  add(all, "source", target.source);
  add(all, "mount options", target.mount_options);
  add(all, "size", size_text(target.total_bytes));
  add(all, "available", size_text(target.available_bytes));
  for (const Fact& fact : report.facts) add(all, fact.name, value_of(fact));
  return all;
}

}  // namespace sthd::table
