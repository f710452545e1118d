#include <algorithm>
#include <array>
#include <string>
#include <string_view>
#include <variant>

#include "runner/record/shared_fields.hpp"

namespace sthd::record {
namespace {

/// Mount options whose values say how, and not who or where.
constexpr auto kOptions = std::to_array<std::string_view>(
    {"acdirmax",   "acdirmin",  "acregmax",    "acregmin",    "actimeo",  "allocsize",
     "attr",       "barrier",   "blksize",     "cache",       "commit",   "compress",
     "data",       "discard",   "errors",      "huge",        "index",    "compress-force",
     "local_lock", "logbsize",  "logbufs",     "lookupcache", "max_read", "max_connect",
     "metacopy",   "mode",      "mountproto",  "mountvers",   "namlen",   "nconnect",
     "nfsvers",    "nr_inodes", "port",        "proto",       "retrans",  "redirect_dir",
     "rsize",      "sec",       "size",        "space_cache", "stripe",   "subvolid",
     "sunit",      "swidth",    "thread_pool", "timeo",       "vers",     "wsize"});

/// Nothing but what the kernel's own words are made of.
bool is_plain(std::string_view text) {
  return text.find_first_not_of("abcdefghijklmnopqrstuvwxyz0123456789_.") == text.npos;
}

}  // namespace

std::string shared_options(const std::string& options) {
  std::string out;
  for (std::size_t at = 0; at < options.size();) {
    const std::size_t end = std::min(options.find(',', at), options.size());
    const std::string option = options.substr(at, end - at);
    at = end + 1;
    const std::string_view key = std::string_view(option).substr(0, option.find('='));
    const bool is_flag = key.size() == option.size() && is_plain(option);
    const bool is_listed = std::find(kOptions.begin(), kOptions.end(), key) != kOptions.end();
    if (option.empty() || (!is_flag && !is_listed)) continue;
    out += (out.empty() ? "" : ",") + option;
  }
  return out;
}

namespace {

/// Facts whose texts describe, with # for a number in their names.
constexpr auto kTexts = std::to_array<std::string_view>({"cgroup.cpu_max",
                                                         "cgroup.io_max",
                                                         "chain.#.detail",
                                                         "chain.#.kind",
                                                         "chain.#.name",
                                                         "clock.source",
                                                         "cpu.driver",
                                                         "cpu.epp",
                                                         "cpu.governor",
                                                         "cpu.idle_driver",
                                                         "cpu.idle_states",
                                                         "cpu.max_cstate",
                                                         "cpu.model",
                                                         "disk.#.device",
                                                         "disk.#.firmware",
                                                         "disk.#.fua",
                                                         "disk.#.model",
                                                         "disk.#.name",
                                                         "disk.#.role",
                                                         "disk.#.rotational",
                                                         "disk.#.scheduler",
                                                         "disk.#.serial_hash",
                                                         "disk.#.transport",
                                                         "disk.#.write_cache",
                                                         "host.container",
                                                         "host.distribution",
                                                         "host.kernel",
                                                         "host.platform",
                                                         "host.product",
                                                         "host.vendor",
                                                         "host.virtualisation",
                                                         "limits.memlock_bytes",
                                                         "limits.nofile",
                                                         "nfs.options",
                                                         "nfs.server",
                                                         "nfs.sync",
                                                         "nfs.version",
                                                         "pcie.aspm_policy",
                                                         "target.barrier",
                                                         "target.checksums",
                                                         "target.compression",
                                                         "target.cow",
                                                         "target.data_mode",
                                                         "target.direct",
                                                         "target.direct_reason",
                                                         "target.filesystem",
                                                         "target.mount_options",
                                                         "target.mount_point",
                                                         "target.path",
                                                         "target.quota",
                                                         "target.source",
                                                         "zfs.ashift",
                                                         "zfs.atime",
                                                         "zfs.compression",
                                                         "zfs.data.#.name",
                                                         "zfs.dataset",
                                                         "zfs.direct",
                                                         "zfs.log.#.name",
                                                         "zfs.logbias",
                                                         "zfs.pool",
                                                         "zfs.primarycache",
                                                         "zfs.scrub",
                                                         "zfs.sync",
                                                         "zfs.version"});

/// What facts with a number may be about: a number names nobody.
constexpr auto kSubjects = std::to_array<std::string_view>(
    {"arc",   "cgroup", "chain",   "clock",  "cpu",       "device", "disk", "fio",
     "floor", "host",   "limits",  "memory", "nfs",       "nvme",   "own",  "pcie",
     "psi",   "target", "thermal", "wall",   "window_ns", "zfs",    "zil"});

/// "disk.12.name" → "disk.#.name".
std::string pattern_of(const std::string& name) {
  std::string out;
  for (std::size_t at = 0; at <= name.size();) {
    const std::size_t end = std::min(name.find('.', at), name.size());
    const std::string part = name.substr(at, end - at);
    const bool number = !part.empty() && part.find_first_not_of("0123456789") == part.npos;
    out += (at > 0 ? "." : "") + (number ? "#" : part);
    at = end + 1;
  }
  return out;
}

bool may_be_shared(const Fact& fact) {
  const auto is_listed = [](const auto& list, std::string_view name) {
    return std::find(list.begin(), list.end(), name) != list.end();
  };
  if (!is_plain(fact.name)) return false;
  if (std::holds_alternative<std::string>(fact.value)) {
    return is_listed(kTexts, pattern_of(fact.name));
  }
  return is_listed(kSubjects, std::string_view(fact.name).substr(0, fact.name.find('.')));
}

}  // namespace

Facts shared_facts(const Facts& facts) {
  Facts out;
  for (const Fact& fact : facts) {
    if (!may_be_shared(fact)) continue;
    out.push_back(fact);
    auto* text = std::get_if<std::string>(&out.back().value);
    if (text != nullptr && fact.name.ends_with("options")) *text = shared_options(*text);
  }
  return out;
}

}  // namespace sthd::record
