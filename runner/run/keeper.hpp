#pragma once

#include <sys/types.h>

#include <string>
#include <vector>

#include "runner/host/plugin_host.hpp"
#include "sthd/job.hpp"
#include "sthd/outcome.hpp"

namespace sthd::run {

/// What the keeper and its children know from the start, by fork.
struct Inherited {
  const std::vector<Job>& jobs;
  const host::PluginHost& plugins;
  std::string run_id;
  int io_log = -1;
  std::string scratch;       ///< folder for other programs' files; empty = none could be made
  std::string sysroot = {};  ///< what a condition changes is below it; "" or "/" = the real root
};

struct KeeperHandle {
  pid_t pid = -1;
  int socket = -1;  ///< SOCK_SEQPACKET, O_CLOEXEC; its closing makes the keeper clean up and go
};

/// Forks the keeper: a process of its own session that holds the target's directory and the test
/// file and forks a child for everything that touches them, and holds a job's condition while it
/// runs. One works at a time, though one that has given its answer may still be on its way out when
/// the next begins. When the runner's end of the socket closes, for whatever reason, it ends the
/// child's process group, undoes the condition, truncates and unlinks the test file, and goes. Call
/// while single-threaded.
Outcome<KeeperHandle> fork_keeper(const Inherited& inherited);

}  // namespace sthd::run
