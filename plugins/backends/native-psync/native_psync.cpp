#include <fmt/format.h>
#include <unistd.h>

#include <cerrno>

#include "kit/native/execute.hpp"
#include "sthd/abi.hpp"

namespace {

using sthd::native::Completed;
using sthd::native::Slot;

/// pread and pwrite: the I/O is done when submit() returns.
class PsyncQueue {
 public:
  static constexpr bool kSynchronous = true;

  sthd::Outcome<sthd::Done> open(const sthd::native::QueueSetup& setup) {
    fd_ = setup.fd;
    return sthd::Done{};
  }
  int submit(std::span<Slot* const> batch) {
    Slot* slot = batch[0];
    const auto offset = static_cast<off_t>(slot->offset);
    ssize_t n = 0;
    do {
      n = slot->op == sthd::Op::read ? ::pread(fd_, slot->data, slot->length, offset)
                                     : ::pwrite(fd_, slot->data, slot->length, offset);
    } while (n < 0 && errno == EINTR);
    done_ = {slot, n < 0 ? -errno : n};
    return 0;
  }
  int reap(unsigned /*min*/, std::span<Completed> out) {
    out[0] = done_;
    return 1;
  }
  void close() {}

 private:
  int fd_ = -1;
  Completed done_;
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
