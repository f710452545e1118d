#include <fmt/format.h>
#include <libaio.h>

#include <algorithm>
#include <atomic>
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
  static constexpr bool kKernelWorkers = false;
  static constexpr bool kSlowClose = true;  // io_destroy waits for an RCU grace period: 30 ms

  sthd::Outcome<sthd::Done> open(const sthd::native::QueueSetup& setup) {
    if (setup.poll || setup.sqpoll) {
      return Error{ErrorCode::unavailable, "poll and sqpoll are io_uring's; libaio has neither", 0};
    }
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
    sthd::native::Retry retry;
    while (done < batch.size()) {
      const int rc =
          ::io_submit(context_, static_cast<long>(batch.size() - done), pointers_.data() + done);
      if (rc > 0) done += static_cast<std::size_t>(rc);
      if (rc > 0 || rc == -EINTR) continue;
      if (rc < 0 && rc != -EAGAIN) return rc;
      if (!retry.again()) return -EAGAIN;
    }
    return 0;
  }

  /// From the ring that the kernel shares with us: no system call. Its layout is part of the
  /// kernel's interface (struct aio_ring, fs/aio.c); without it, wait() serves.
  int ready(std::span<Completed> out) {
    constexpr unsigned kMagic = 0xa10a10a1;
    auto* ring = reinterpret_cast<Ring*>(context_);
    if (ring->magic != kMagic || ring->incompat_features != 0) return 0;
    std::size_t count = 0;
    unsigned head = ring->head;
    const unsigned tail = std::atomic_ref(ring->tail).load(std::memory_order_acquire);
    for (; head != tail && count < out.size(); ++count) {
      const io_event& event = ring->events()[head];
      out[count] = completed(event);
      head = head + 1 == ring->nr ? 0 : head + 1;
    }
    std::atomic_ref(ring->head).store(head, std::memory_order_release);
    return static_cast<int>(count);
  }

  int wait(std::span<Completed> out, std::uint64_t ns) {
    const auto most = static_cast<long>(std::min(events_.size(), out.size()));
    timespec until{static_cast<time_t>(ns / sthd::kSecond), static_cast<long>(ns % sthd::kSecond)};
    timespec* timeout = ns == sthd::native::kNoTimeout ? nullptr : &until;
    int rc = 0;
    do {
      rc = ::io_getevents(context_, 1, most, events_.data(), timeout);
    } while (rc == -EINTR);
    for (int i = 0; i < rc; ++i) {
      out[static_cast<std::size_t>(i)] = completed(events_[static_cast<std::size_t>(i)]);
    }
    return rc;
  }

  std::vector<std::string> notes() { return {}; }

  void close() { ::io_destroy(context_); }

 private:
  /// What io_setup mapped for us; the events follow it.
  struct Ring {
    unsigned id, nr, head, tail, magic, compat_features, incompat_features, header_length;
    const io_event* events() const { return reinterpret_cast<const io_event*>(this + 1); }
  };
  static Completed completed(const io_event& event) {
    return {static_cast<Slot*>(event.data), static_cast<std::int64_t>(event.res)};
  }

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
    if (w.queue_depth > 1 &&
        (w.sync == sthd::SyncMode::fsync || w.sync == sthd::SyncMode::fdatasync)) {
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
