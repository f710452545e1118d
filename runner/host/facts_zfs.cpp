#include <algorithm>
#include <array>

#include "kit/process/child.hpp"
#include "kit/process/program.hpp"
#include "runner/host/counters_text.hpp"
#include "runner/host/facts_layers.hpp"

// What the two ZFS programs print. The text of `zpool status` is the one form that 2.1, 2.3 and 2.4
// share and that names the section (logs, cache) of each vdev.
namespace sthd::host::facts {
namespace {

std::string pool_of(const Target& target) {
  return target.source.substr(0, target.source.find('/'));
}

/// In PATH, or where administrators' programs lie, which is not in everybody's PATH.
Outcome<std::string> locate(const std::string& name) {
  auto found = process::find_program(name);
  if (found) return found;
  for (const char* folder : {"/usr/sbin/", "/sbin/", "/usr/local/sbin/"}) {
    std::error_code ignored;
    if (std::filesystem::is_regular_file(folder + name, ignored)) return folder + name;
  }
  return found.error();
}

/// What a program prints, or why it printed nothing. Below a made-up root: what it once printed.
Outcome<std::string> printed(const Sysroot& sysroot, const std::string& program,
                             std::vector<std::string> arguments) {
  if (!sysroot.real()) {
    std::string text = sysroot.text("/commands/" + program + "-" + arguments.front());
    if (!text.empty()) return text;
    return Error{ErrorCode::unavailable, program + " was not recorded", 0};
  }
  const auto executable = locate(program);
  if (!executable) return Error{ErrorCode::unavailable, program + " is not installed", 0};
  process::Command command;
  command.executable = *executable;
  command.arguments = std::move(arguments);
  command.deadline_ns = 5 * kSecond;
  command.grace_ns = kSecond / 2;
  command.output_limit = kMiB;
  const auto ended = process::run(command);
  if (!ended) return ended.error();
  if (ended->succeeded()) return ended->output;
  const std::string said(trimmed(ended->errors.substr(0, ended->errors.find('\n'))));
  return Error{ErrorCode::unavailable,
               program + " " + process::describe_end(*ended) + (said.empty() ? "" : ": " + said),
               0};
}

/// The heading of a section at the pool's own level ("logs"), or nothing.
std::string_view role_of_section(std::string_view heading) {
  struct Section {
    std::string_view heading;
    std::string_view role;  ///< empty = not in use
  };
  static constexpr std::array<Section, 5> kSections{{{"logs", "log"},
                                                     {"cache", "cache"},
                                                     {"special", "special"},
                                                     {"dedup", "special"},
                                                     {"spares", "spare"}}};
  for (const Section& section : kSections) {
    if (section.heading == heading) return section.role;
  }
  return "data";  // the pool itself
}

std::string last_part(const std::string& path) { return path.substr(path.rfind('/') + 1); }

void add_members(const ZfsState& zfs, std::string_view role, const std::string& key,
                 FactList& out) {
  std::size_t number = 0;
  for (const Vdev& member : zfs.members) {
    if (member.role != role) continue;
    out.text(key + std::to_string(number++) + ".name", last_part(member.path));
  }
}

}  // namespace

std::string ZfsState::property(const std::string& name) const {
  const auto found = properties.find(name);
  return found == properties.end() || found->second == "-" ? "" : found->second;
}

void parse_zpool_status(std::string_view text, ZfsState& state) {
  std::string_view role = "data";
  bool config = false;
  counters::each_line(text, [&](std::string_view line) {
    const auto parts = counters::words(line);
    if (parts.empty()) return;
    if (parts[0] == "scan:") {  // "scan: scrub in progress since …", "scan: resilvered 85.6M in …"
      state.scanning = line.find("in progress") != line.npos;
    } else if (parts[0] == "config:") {
      config = true;
    } else if (parts[0] == "errors:") {
      config = false;
    } else if (config && parts[0] != "NAME" && line.front() == '\t') {
      const bool section = line.size() > 1 && line[1] != ' ';
      if (section) role = role_of_section(parts[0]);
      if (!section && role != "spare" && parts[0].front() == '/') {
        state.members.push_back({std::string(parts[0]), std::string(role)});
      }
    }
  });
  if (!state.scanning && !state.members.empty()) state.scanning = false;  // never scrubbed
}

std::map<std::string, std::string> parse_properties(std::string_view text) {
  std::map<std::string, std::string> found;
  counters::each_line(text, [&](std::string_view line) {
    const auto tab = line.find('\t');
    if (tab == line.npos) return;
    found.emplace(line.substr(0, tab), trimmed(line.substr(tab + 1)));
  });
  return found;
}

ZfsState read_zfs(const Sysroot& sysroot, const Target& target) {
  ZfsState state;
  if (target.filesystem != "zfs") return state;
  const std::string pool = pool_of(target);
  if (const auto text = printed(sysroot, "zpool", {"status", "-L", "-P", pool})) {
    parse_zpool_status(*text, state);
  } else {
    state.pool_fault = text.error().message;
  }
  if (const auto text = printed(sysroot, "zpool", {"get", "-Hp", "-o", "value", "ashift", pool})) {
    state.ashift = trimmed(*text);
  }
  // All of them: 2.1 refuses the whole list when it knows one of the names (direct) not.
  if (const auto text =
          printed(sysroot, "zfs", {"get", "-Hp", "-o", "property,value", "all", target.source})) {
    state.properties = parse_properties(*text);
  } else {
    state.dataset_fault = text.error().message;
  }
  return state;
}

void add_zfs(const Sysroot& sysroot, const Target& target, const ZfsState& zfs, FactList& out) {
  if (target.filesystem != "zfs") return;
  const std::string version = target.filesystem_version.empty()
                                  ? sysroot.line("/sys/module/zfs/version")
                                  : target.filesystem_version;
  out.text("zfs.version", version, "/sys/module/zfs/version cannot be read");
  out.text("zfs.pool", pool_of(target));
  out.text("zfs.dataset", target.source);
  const std::string& fault = zfs.dataset_fault;
  const std::string missing = fault.empty() ? "this version has no such property" : fault;
  const auto record = zfs.property("recordsize");
  out.number("zfs.recordsize_bytes", leading_number(record), missing);
  for (const char* name : {"sync", "logbias", "compression", "primarycache", "direct", "atime"}) {
    out.text(std::string("zfs.") + name, zfs.property(name), missing);
  }
  const auto ashift = leading_number(zfs.ashift);
  out.number("zfs.ashift", ashift && *ashift > 0 ? ashift : std::nullopt,
             ashift ? "the pool leaves it to each vdev (0)" : "zpool does not tell");
  const std::string& pool_fault = zfs.pool_fault;
  out.text("zfs.scrub",
           !zfs.scanning   ? ""
           : *zfs.scanning ? "running"
                           : "none",
           pool_fault.empty() ? "zpool does not tell" : pool_fault);
  add_members(zfs, "data", "zfs.data.", out);
  add_members(zfs, "log", "zfs.log.", out);
  if (zfs.members.empty()) {
    out.text("zfs.data.0.name", "", pool_fault.empty() ? "zpool names no vdev" : pool_fault);
  }
}

}  // namespace sthd::host::facts
