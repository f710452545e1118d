#include "runner/host/facts.hpp"

#include "runner/host/facts_layers.hpp"
#include "runner/host/mountinfo.hpp"

namespace sthd::host {

Facts collect_facts(const std::filesystem::path& sysroot, const Target& target) {
  const facts::Sysroot root(sysroot);
  facts::FactList out;
  facts::add_host(root, out);
  facts::add_cpu(root, out);
  facts::add_clock(root, out);
  facts::add_memory(root, out);
  facts::add_cgroup(root, out);
  const facts::ZfsState zfs = facts::read_zfs(root, target);
  facts::ChainWalker chain(root);
  if (target.filesystem == "zfs") {
    chain.pool(target.source.substr(0, target.source.find('/')), zfs.members);
  } else {
    Mount mount;
    mount.device = target.device;
    mount.filesystem = target.filesystem;
    mount.source = target.source;
    mount.options = target.mount_options;
    chain.filesystem(mount);
  }
  facts::add_target(root, target, zfs, chain, out);
  const std::string nowhere = zfs.pool_fault.empty()
                                  ? "\"" + target.filesystem + "\" shows no device below it"
                                  : zfs.pool_fault;
  facts::add_chain(root, chain, nowhere, out);
  facts::add_nfs(target, out);
  facts::add_zfs(root, target, zfs, out);
  return out.take();
}

std::optional<Target> target_below(const std::filesystem::path& sysroot, const std::string& path) {
  const facts::Sysroot root(sysroot);
  std::optional<Target> found;
  for (const Mount& mount : parse_mountinfo(root.text("/proc/self/mountinfo"))) {
    const std::string& point = mount.mount_point;
    const bool leads = point == "/" || path == point || path.starts_with(point + "/");
    if (!leads || (found && point.size() < found->mount_point.size())) continue;
    found.emplace();
    found->path = path;
    found->resolved_path = path;
    found->filesystem = mount.filesystem;
    found->mount_point = point;
    found->mount_options = mount.all_options();
    found->source = mount.source;
    if (!mount.device.starts_with("0:")) found->device = mount.device;
  }
  return found;
}

}  // namespace sthd::host
