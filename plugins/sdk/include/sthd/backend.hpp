#pragma once

#include <cstdint>
#include <optional>
#include <string>
#include <string_view>
#include <vector>

#include "sthd/job.hpp"
#include "sthd/outcome.hpp"
#include "sthd/resolution.hpp"
#include "sthd/result.hpp"
#include "sthd/target.hpp"

namespace sthd {

enum class Phase { prepare, ramp, measure, end_fsync, close };
template <>
inline constexpr std::array<std::string_view, 5> kEnumTexts<Phase>{"prepare", "ramp", "measure",
                                                                   "end_fsync", "close"};

/// Running totals since the start barrier, for the progress line.
struct Progress {
  std::uint64_t elapsed_ns = 0;
  std::uint64_t ios = 0;
  std::uint64_t bytes = 0;
  std::optional<std::uint64_t> p99_ns;  ///< of the newest slice, all directions; unset = not known
};

/// What a backend is, independent of any target.
struct BackendInfo {
  std::vector<std::string> engines;  ///< I/O methods it offers, best first
  bool native = false;               ///< built in: tried before those that run another program
};

/// A question to Backend::probe. All references outlive the call.
struct ProbeRequest {
  const Target& target;
  const Job& job;
  std::string engine;
  bool named = false;   ///< the user named this engine: do not refuse it for being a poor choice
  bool direct = false;  ///< O_DIRECT will be used
  int fd = -1;  ///< the test file, open with the job's flags; owned by the caller; at least 1 MiB
  std::string path;  ///< the same file as /proc/<pid>/fd/<n>, for children
};

/// The runner's side of a running job. Lives as long as Backend::run; called from one thread only,
/// the one that called run(), except cancelled(), which any thread may call.
class RunContext {
 public:
  virtual ~RunContext() = default;
  /// The test file, open with the job's flags (O_DIRECT, O_SYNC, O_DSYNC, access mode). Owned by
  /// the runner.
  [[nodiscard]] virtual int fd() const noexcept = 0;
  /// "/proc/<pid>/fd/<n>" of the same file, to be opened by a child. Contains no user text.
  [[nodiscard]] virtual std::string_view path() const noexcept = 0;
  [[nodiscard]] virtual const Target& target() const noexcept = 0;
  [[nodiscard]] virtual const Resolution& resolution() const noexcept = 0;
  /// A private directory (0700) for a child's temporary files; removed afterwards by the runner.
  [[nodiscard]] virtual std::string_view scratch() const noexcept = 0;
  /// File descriptor for the raw per-I/O log (one line an I/O: op,offset,bytes,lat_ns), or -1.
  [[nodiscard]] virtual int io_log() const noexcept = 0;
  virtual void phase(Phase phase) noexcept = 0;
  /// At most ten times a second.
  virtual void sample(const Progress& progress) noexcept = 0;
  /// A piece of the backend's own output, for --verbose.
  virtual void raw(std::string_view text) noexcept = 0;
  /// True once the job should end: finish in-flight I/O and return what was measured, or Error
  /// cancelled.
  [[nodiscard]] virtual bool cancelled() const noexcept = 0;
};

/// Executes jobs. One instance per process; created and destroyed by the host; run() is never
/// entered twice.
class Backend {
 public:
  virtual ~Backend() = default;
  /// Required. Cheap: no I/O, no child.
  [[nodiscard]] virtual Outcome<BackendInfo> info() const noexcept = 0;
  /// Required. A real, tiny I/O on the real target; the Error says why not ("io_setup: …
  /// (EAGAIN)").
  [[nodiscard]] virtual Outcome<Capability> probe(const ProbeRequest& request) noexcept = 0;
  /// Required. One loop of the job.
  [[nodiscard]] virtual Outcome<LoopResult> run(const Job& job, RunContext& context) noexcept = 0;
};

/// What an author derives from: ordinary C++, exceptions welcome; they become Errors here, inside
/// the plugin.
class BackendPlugin : public Backend {
 public:
  [[nodiscard]] Outcome<BackendInfo> info() const noexcept final {
    return guarded<BackendInfo>([&] { return describe(); });
  }
  [[nodiscard]] Outcome<Capability> probe(const ProbeRequest& request) noexcept final {
    return guarded<Capability>([&] { return try_engine(request); });
  }
  [[nodiscard]] Outcome<LoopResult> run(const Job& job, RunContext& context) noexcept final {
    return guarded<LoopResult>([&] { return execute(job, context); });
  }

 protected:
  [[nodiscard]] virtual BackendInfo describe() const = 0;
  [[nodiscard]] virtual Outcome<Capability> try_engine(const ProbeRequest& request) = 0;
  [[nodiscard]] virtual Outcome<LoopResult> execute(const Job& job, RunContext& context) = 0;
};

}  // namespace sthd
