#include "runner/host/chain.hpp"
#include "runner/host/counters.hpp"

namespace sthd::host {

std::vector<std::string> leaf_disks(const std::string& sysroot, const Target& target) {
  const facts::Sysroot root(sysroot);
  facts::ChainWalker chain(root);
  Mount mount;
  mount.device = target.device;
  mount.filesystem = target.filesystem;
  mount.source = target.source;
  mount.options = target.mount_options;
  chain.filesystem(mount);
  std::vector<std::string> names;
  for (const auto& leaf : chain.leaves()) names.push_back(leaf.name);
  return names;
}

std::vector<std::string> disk_names(const Facts& facts) {
  std::vector<std::string> names;
  while (const auto name = fact_text(facts, "disk." + std::to_string(names.size()) + ".name")) {
    names.emplace_back(*name);
  }
  return names;
}

}  // namespace sthd::host
