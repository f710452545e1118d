#pragma once

#include <map>
#include <optional>
#include <string>
#include <string_view>
#include <vector>

#include "runner/host/chain.hpp"
#include "runner/host/facts_source.hpp"
#include "sthd/target.hpp"

// Private to runner/host/facts*: the facts of the target and of what lies below it.
namespace sthd::host::facts {

/// What `zpool` and `zfs` say of a dataset and its pool.
struct ZfsState {
  std::map<std::string, std::string> properties;  ///< of the dataset
  std::string ashift;                             ///< of the pool; "0" = chosen per vdev
  std::vector<Vdev> members;
  std::optional<bool> scanning;  ///< a scrub or a resilver runs; empty = not known
  std::string pool_fault;        ///< why nothing is known of the pool
  std::string dataset_fault;     ///< why nothing is known of the dataset

  [[nodiscard]] std::string property(const std::string& name) const;
};

/// Reads nothing, and says why in the faults, unless the target is on ZFS. May take as long as
/// three programs with a deadline of 5 s each.
ZfsState read_zfs(const Sysroot& sysroot, const Target& target);

/// The leaf members of a pool and its scan, from `zpool status -LP`.
void parse_zpool_status(std::string_view text, ZfsState& state);
/// Lines "property<TAB>value" of `zfs get -Hp -o property,value`.
std::map<std::string, std::string> parse_properties(std::string_view text);

void add_target(const Sysroot& sysroot, const Target& target, const ZfsState& zfs,
                const ChainWalker& chain, FactList& out);
/// `nowhere`: why there is no disk, if there is none.
void add_chain(const Sysroot& sysroot, const ChainWalker& chain, const std::string& nowhere,
               FactList& out);
/// The hottest of what hwmon shows of a disk, by its folder in sysfs, °C; empty = no sensor.
std::optional<double> disk_temperature(const Sysroot& sysroot, const std::string& folder);
void add_zfs(const Sysroot& sysroot, const Target& target, const ZfsState& zfs, FactList& out);

}  // namespace sthd::host::facts
