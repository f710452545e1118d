#include <fmt/format.h>
#include <libaio.h>
#include <sched.h>

#include <cerrno>
#include <fstream>
#include <vector>

#include "kit/native/execute.hpp"
#include "sthd/abi.hpp"

namespace {

using sthd::Error;
using sthd::ErrorCode;
using sthd::native::Completed;
using sthd::native::Slot;

std::string setup_refusal(std::uint32_t depth, int code) {
  std::string text = sthd::system_error("io_setup", code).message;
  if (code == EAGAIN) {
    std::ifstream used("/proc/sys/fs/aio-nr");
    std::ifstream most("/proc/sys/fs/aio-max-nr");
    std::string nr = "?";
    std::string max = "?";
    used >> nr;
    most >> max;
    text += fmt::format("; {} more events are needed, {} of fs.aio-max-nr = {} are in use", depth,
                        nr, max);
  }
  return text;
}

/// Linux AIO: io_submit and io_getevents.
class AioQueue {
 public:
  static constexpr bool kSynchronous = false;

  sthd::Outcome<sthd::Done> open(const sthd::native::QueueSetup& setup) {
    fd_ = setup.fd;
    blocks_.resize(setup.depth);
    pointers_.resize(setup.depth);
    events_.resize(setup.depth);
    const int rc = ::io_setup(static_cast<int>(setup.depth), &context_);
    if (rc < 0) return Error{ErrorCode::unavailable, setup_refusal(setup.depth, -rc), -rc};
    return sthd::Done{};
  }

  int submit(std::span<Slot* const> batch) {
    for (std::size_t i = 0; i < batch.size(); ++i) {
      Slot* slot = batch[i];
      iocb* block = &blocks_[slot->index];
      const auto offset = static_cast<long long>(slot->offset);
      if (slot->op == sthd::Op::read) {
        ::io_prep_pread(block, fd_, slot->data, slot->length, offset);
      } else {
        ::io_prep_pwrite(block, fd_, slot->data, slot->length, offset);
      }
      block->data = slot;
      pointers_[i] = block;
    }
    std::size_t done = 0;
    std::uint64_t refused_since = 0;
    while (done < batch.size()) {
      const int rc =
          ::io_submit(context_, static_cast<long>(batch.size() - done), pointers_.data() + done);
      if (rc == -EINTR) continue;
      if (rc == -EAGAIN || rc == 0) {  // no room in the kernel just now
        const std::uint64_t now = sthd::native::now_ns();
        if (refused_since == 0) refused_since = now;
        if (now - refused_since > sthd::kSecond) return -EAGAIN;
        ::sched_yield();
        continue;
      }
      if (rc < 0) return rc;
      done += static_cast<std::size_t>(rc);
    }
    return 0;
  }

  int reap(unsigned min, std::span<Completed> out) {
    const auto most = static_cast<long>(std::min(events_.size(), out.size()));
    int rc = 0;
    do {
      rc = ::io_getevents(context_, static_cast<long>(min), most, events_.data(), nullptr);
    } while (rc == -EINTR);
    for (int i = 0; i < rc; ++i) {
      const auto& event = events_[static_cast<std::size_t>(i)];
      out[static_cast<std::size_t>(i)] = {static_cast<Slot*>(event.data),
                                          static_cast<std::int64_t>(event.res)};
    }
    return rc;
  }

  void close() { ::io_destroy(context_); }

 private:
  int fd_ = -1;
  io_context_t context_ = nullptr;
  std::vector<iocb> blocks_;
  std::vector<iocb*> pointers_;
  std::vector<io_event> events_;
};

class NativeAio final : public sthd::BackendPlugin {
  sthd::BackendInfo describe() const override { return {.engines = {"libaio"}, .native = true}; }

  sthd::Outcome<sthd::Capability> try_engine(const sthd::ProbeRequest& request) override {
    const auto& w = request.job.workload;
    if (!request.direct && w.queue_depth > 1 && !request.named) {
      return Error{ErrorCode::unavailable,
                   "io_submit blocks on buffered I/O, so the queue depth would be a lie", 0};
    }
    if (w.sync == sthd::SyncMode::fsync || w.sync == sthd::SyncMode::fdatasync) {
      return Error{ErrorCode::unavailable,
                   "a sync after each write cannot be queued here; psync measures it", 0};
    }
    if (auto tried = sthd::native::probe_queue<AioQueue>(request); !tried) return tried.error();
    sthd::Capability found{.queue_depth_effective = w.queue_depth, .workers = w.threads};
    if (!request.direct && w.queue_depth > 1) found.note = "io_submit blocks on buffered I/O";
    return found;
  }

  sthd::Outcome<sthd::LoopResult> execute(const sthd::Job& job,
                                          sthd::RunContext& context) override {
    return sthd::native::execute<AioQueue>(job, context);
  }
};

}  // namespace

STHD_BACKEND_PLUGIN(NativeAio, "native-aio", "Linux AIO (io_submit, io_getevents)")
