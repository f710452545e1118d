#include "runner/host/facts_source.hpp"
#include "runner/host/mountinfo.hpp"

namespace sthd::host::facts {

void add_nfs(const Target& target, FactList& out) {
  if (target.filesystem != "nfs" && target.filesystem != "nfs4") return;
  std::string server = target.source.substr(0, target.source.find(":/"));
  if (server.size() > 1 && server.front() == '[' && server.back() == ']') {  // IPv6
    server = server.substr(1, server.size() - 2);
  }
  out.text("nfs.server", server, "the mount names no server");
  std::string version = option_value(target.mount_options, "vers");
  if (version.empty()) version = option_value(target.mount_options, "nfsvers");
  out.text("nfs.version", version, "the mount options do not tell");
  out.text("nfs.sync", has_option(target.mount_options, "sync") ? "yes" : "no");
  out.text("nfs.options", target.mount_options, "the mount options cannot be read");
}

}  // namespace sthd::host::facts
