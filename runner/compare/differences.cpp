#include "runner/compare/differences.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <array>
#include <set>
#include <utility>

#include "sthd/facts.hpp"
#include "sthd/units.hpp"

namespace sthd::compare {
namespace {

using Values = std::vector<std::string>;

bool differ(const Values& values) {
  std::set<std::string> known(values.begin(), values.end());
  known.erase("");
  return known.size() > 1;
}

// Of a whole record.

template <class T>
std::string text_of(const std::optional<T>& value) {
  return value ? fmt::to_string(*value) : "";
}

std::string size_text(std::optional<std::uint64_t> bytes) {
  return bytes ? human_size(*bytes) : "";
}

std::string filesystem_of(const Report& report) {
  const Target& target = report.target;
  return target.filesystem_version.empty()
             ? target.filesystem
             : fmt::format("{} {}", target.filesystem, target.filesystem_version);
}

/// The leaf disks of a role, by model where it is known: "KingSpec XG7000, KingSpec XG7000".
std::string disks_of(const Report& report, std::string_view role) {
  std::string text;
  for (int i = 0;; ++i) {
    const std::string key = fmt::format("disk.{}.", i);
    const auto name = fact_text(report.facts, key + "name");
    if (!name) return text;
    if (fact_text(report.facts, key + "role").value_or("data") != role) continue;
    const auto model = fact_text(report.facts, key + "model").value_or("");
    text += fmt::format("{}{}", text.empty() ? "" : ", ", model.empty() ? *name : model);
  }
}

struct Trait {
  std::string_view name;
  std::string (*value)(const Report&);
};

constexpr std::array kTraits{
    Trait{"tool",
          [](const Report& r) { return fmt::format("{} {}", r.tool.name, r.tool.version); }},
    Trait{"build", [](const Report& r) { return r.tool.build; }},
    Trait{"profile", [](const Report& r) { return r.profile.name; }},
    Trait{"host", [](const Report& r) { return r.environment.hostname; }},
    Trait{"kernel", [](const Report& r) { return r.environment.kernel; }},
    Trait{"distribution", [](const Report& r) { return r.environment.distribution; }},
    Trait{"CPU", [](const Report& r) { return r.environment.cpu_model; }},
    Trait{"CPUs", [](const Report& r) { return text_of(r.environment.cpus); }},
    Trait{"memory", [](const Report& r) { return size_text(r.environment.memory_bytes); }},
    Trait{"target", [](const Report& r) { return r.target.path; }},
    Trait{"filesystem", filesystem_of},
    Trait{"mount options", [](const Report& r) { return r.target.mount_options; }},
    Trait{"data disks", [](const Report& r) { return disks_of(r, "data"); }},
    Trait{"log disks", [](const Report& r) { return disks_of(r, "log"); }}};

/// Facts that change figures, and how they are called here.
constexpr auto kFacts = std::to_array<std::pair<std::string_view, std::string_view>>(
    {{"cpu.governor", "governor"},
     {"cpu.driver", "CPU frequency driver"},
     {"cpu.epp", "CPU energy preference"},
     {"cpu.max_cstate", "deepest C-state allowed"},
     {"host.cmdline", "kernel command line"},
     {"host.virtualisation", "virtualisation"},
     {"cgroup.io_max", "cgroup I/O limit"},
     {"cgroup.cpu_max", "cgroup CPU limit"},
     {"target.barrier", "write barriers"},
     {"disk.0.scheduler", "I/O scheduler"},
     {"disk.0.write_cache", "write cache"},
     {"zfs.sync", "ZFS sync"},
     {"zfs.logbias", "ZFS logbias"},
     {"zfs.compression", "ZFS compression"},
     {"zfs.recordsize_bytes", "ZFS recordsize in bytes"},
     {"zfs.primarycache", "ZFS primarycache"},
     {"zfs.log.0.name", "ZFS log device"},
     {"nfs.version", "NFS version"},
     {"nfs.sync", "NFS sync"}});

std::string fact_value(const Report& report, std::string_view name) {
  if (const auto number = fact_number(report.facts, name)) return fmt::format("{:.12g}", *number);
  return std::string(fact_text(report.facts, name).value_or(""));
}

template <class F>
void add_trait(const Input& input, std::string_view name, F value, std::vector<Difference>& all) {
  Values values;
  for (const Report& report : input.reports) values.push_back(value(report));
  if (differ(values)) all.push_back({std::string(name), std::move(values)});
}

// Of a row.

std::string engine_of(const ResultRecord& row) { return row.resolution.engine; }

std::string backend_of(const ResultRecord& row) {
  const Resolution& how = row.resolution;
  return how.backend_version.empty() ? how.backend
                                     : fmt::format("{} ({})", how.backend, how.backend_version);
}

std::string direct_of(const ResultRecord& row) {
  const auto& direct = row.resolution.direct_effective;
  return direct ? (*direct ? "O_DIRECT" : "buffered") : "";
}

std::string cache_of(const ResultRecord& row) {
  const CacheClass served = row.verdict.cache_class;
  return served == CacheClass::unknown ? "" : std::string(to_text(served));
}

std::string durability_of(const ResultRecord& row) {
  const Durability seen = row.verdict.durability;
  return seen == Durability::unknown ? "" : std::string(to_text(seen));
}

std::string depth_of(const ResultRecord& row) {
  const std::uint32_t depth = row.resolution.queue_depth_effective;
  return depth == 0 ? "" : fmt::to_string(depth);
}

std::string limit_text(std::uint64_t value) { return value == 0 ? "none" : fmt::to_string(value); }

std::string runtime_of(const ResultRecord& row) {
  const std::uint64_t time = row.job.workload.runtime_ns;
  return time == 0 ? "none" : human_duration(time);
}

std::string polling_of(const ResultRecord& row) {
  const Workload& w = row.job.workload;
  const std::string_view text = w.poll ? (w.sqpoll ? "poll, sqpoll" : "poll") : "sqpoll";
  return std::string(w.poll || w.sqpoll ? text : "none");
}

struct RowTrait {
  std::string_view name;
  std::string (*value)(const ResultRecord&);
};

constexpr std::array kRowTraits{
    RowTrait{"status", [](const ResultRecord& r) { return std::string(to_text(r.status)); }},
    RowTrait{"validity",
             [](const ResultRecord& r) { return std::string(to_text(r.verdict.validity)); }},
    RowTrait{"engine", engine_of},
    RowTrait{"backend", backend_of},
    RowTrait{"direct", direct_of},
    RowTrait{"queue depth that the engine can have", depth_of},
    RowTrait{"polling", polling_of},
    RowTrait{"cache class", cache_of},
    RowTrait{"durability", durability_of},
    RowTrait{"condition",
             [](const ResultRecord& r) { return std::string(to_text(r.job.workload.condition)); }},
    RowTrait{"size",
             [](const ResultRecord& r) {
               const std::uint64_t size = r.job.workload.size;
               return size == 0 ? "" : human_size(size);
             }},
    RowTrait{"runtime", runtime_of},
    RowTrait{"loops", [](const ResultRecord& r) { return fmt::to_string(r.job.workload.loops); }},
    RowTrait{"repeat", [](const ResultRecord& r) { return fmt::to_string(r.job.workload.repeat); }},
    RowTrait{"score",
             [](const ResultRecord& r) { return std::string(to_text(r.job.workload.score)); }},
    RowTrait{"I/Os limited to",
             [](const ResultRecord& r) { return limit_text(r.job.workload.ios); }},
    RowTrait{"bytes limited to",
             [](const ResultRecord& r) { return limit_text(r.job.workload.bytes); }}};

/// Rows that differ in the same way.
struct Group {
  Values values;
  std::vector<std::string> jobs;
};

std::vector<Group> groups_of(const RowTrait& trait, const std::vector<Match>& rows) {
  std::vector<Group> groups;
  for (const Match& row : rows) {
    Values values;
    for (const ResultRecord* side : row.sides) {
      values.push_back(side == nullptr ? "" : trait.value(*side));
    }
    if (!differ(values)) continue;
    auto group = std::find_if(groups.begin(), groups.end(),
                              [&values](const Group& each) { return each.values == values; });
    if (group == groups.end()) group = groups.insert(groups.end(), Group{std::move(values), {}});
    group->jobs.push_back(row.first().job.id);
  }
  return groups;
}

void add_row_trait(const RowTrait& trait, const std::vector<Match>& rows,
                   std::vector<Difference>& all) {
  for (Group& group : groups_of(trait, rows)) {
    std::string what(trait.name);
    if (group.jobs.size() < rows.size()) what += " of " + group.jobs.front();
    if (group.jobs.size() > 1 && group.jobs.size() < rows.size()) {
      what += fmt::format(" and {} more", group.jobs.size() - 1);
    }
    all.push_back({std::move(what), std::move(group.values)});
  }
}

}  // namespace

std::vector<Difference> differences(const Input& input, const std::vector<Match>& rows) {
  std::vector<Difference> all;
  for (const RowTrait& trait : kRowTraits) add_row_trait(trait, rows, all);
  for (const Trait& trait : kTraits) add_trait(input, trait.name, trait.value, all);
  for (const auto& [fact, name] : kFacts) {
    add_trait(
        input, name, [fact = fact](const Report& report) { return fact_value(report, fact); }, all);
  }
  return all;
}

}  // namespace sthd::compare
