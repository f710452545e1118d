#include <fmt/format.h>
#include <unistd.h>

#include <cerrno>

#include "kit/native/execute.hpp"
#include "sthd/abi.hpp"

namespace {

/// pread and pwrite.
class PsyncQueue {
 public:
  sthd::Outcome<sthd::Done> open(const sthd::native::QueueSetup& setup) {
    if (setup.poll || setup.sqpoll) {
      return sthd::Error{sthd::ErrorCode::unavailable,
                         "poll and sqpoll are io_uring's; psync has neither", 0};
    }
    fd_ = setup.fd;
    return sthd::Done{};
  }
  std::int64_t transfer(sthd::Op op, std::byte* data, std::size_t length, std::uint64_t offset) {
    const auto at = static_cast<off_t>(offset);
    ssize_t n = 0;
    do {
      n = op == sthd::Op::read ? ::pread(fd_, data, length, at) : ::pwrite(fd_, data, length, at);
    } while (n < 0 && errno == EINTR);
    return n < 0 ? -errno : n;
  }
  void close() {}

 private:
  int fd_ = -1;
};

class NativePsync final : public sthd::BackendPlugin {
  sthd::BackendInfo describe() const override { return {.engines = {"psync"}, .native = true}; }

  sthd::Outcome<sthd::Capability> try_engine(const sthd::ProbeRequest& request) override {
    const auto& w = request.job.workload;
    const std::uint64_t workers = std::uint64_t{w.queue_depth} * w.threads;
    if (workers > sthd::native::kMaxWorkers) {
      return sthd::Error{
          sthd::ErrorCode::unavailable,
          fmt::format("queue depth {} x {} threads needs {} OS threads; psync allows {}",
                      w.queue_depth, w.threads, workers, sthd::native::kMaxWorkers),
          0};
    }
    if (auto tried = sthd::native::probe_queue<PsyncQueue>(request); !tried) return tried.error();
    sthd::Capability found{.queue_depth_effective = w.queue_depth,
                           .workers = static_cast<std::uint32_t>(workers)};
    if (w.queue_depth > 1) found.note = fmt::format("queue depth served by {} OS threads", workers);
    return found;
  }

  sthd::Outcome<sthd::LoopResult> execute(const sthd::Job& job,
                                          sthd::RunContext& context) override {
    return sthd::native::execute<PsyncQueue>(job, context);
  }
};

}  // namespace

STHD_BACKEND_PLUGIN(NativePsync, "native-psync", "pread/pwrite; queue depth by threads")
