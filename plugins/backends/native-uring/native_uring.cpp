#include <fmt/format.h>
#include <liburing.h>
#include <sys/resource.h>

#include <array>
#include <cerrno>
#include <fstream>

#include "kit/native/execute.hpp"
#include "sthd/abi.hpp"

namespace {

using sthd::Error;
using sthd::ErrorCode;
using sthd::native::Completed;
using sthd::native::Slot;

std::string memlock_limit() {
  rlimit limit{};
  if (::getrlimit(RLIMIT_MEMLOCK, &limit) != 0 || limit.rlim_cur == RLIM_INFINITY) return {};
  return fmt::format("; `ulimit -l` allows {} KiB of locked memory", limit.rlim_cur / sthd::kKiB);
}

/// Why io_uring_setup was refused, with what can be done about it.
std::string setup_refusal(int code) {
  std::string text = sthd::system_error("io_uring_setup", code).message;
  if (code == ENOSYS) {
    return text + ": this kernel has no io_uring, or a seccomp filter hides it";
  }
  if (code == ENOMEM) return text + memlock_limit();
  if (code != EPERM) return text;
  std::ifstream file("/proc/sys/kernel/io_uring_disabled");
  int disabled = 0;
  if (file >> disabled && disabled != 0) {
    return fmt::format("{} (kernel.io_uring_disabled = {})", text, disabled);
  }
  return text + ": a seccomp filter forbids it, as in many containers";
}

std::string io_refusal(const sthd::Workload& workload, std::string text, int code) {
  if (workload.poll && (code == EOPNOTSUPP || code == EINVAL)) {
    return text + ": poll needs O_DIRECT on a device with polled queues (NVMe: nvme.poll_queues)";
  }
  if (code == EINVAL) return text + ": this kernel's io_uring does not know the operation";
  return text;
}

/// io_uring by liburing, with all that the kernel offers: a registered file and buffers, and
/// completions that are handed over only when we ask for them.
class UringQueue {
 public:
  static constexpr bool kKernelWorkers = true;

  sthd::Outcome<sthd::Done> open(const sthd::native::QueueSetup& setup) {
    fd_ = setup.fd;
    if (const int rc = set_up(setup); rc < 0) {
      return Error{ErrorCode::unavailable, setup_refusal(-rc), -rc};
    }
    if (const int rc = ::io_uring_register_files(&ring_, &fd_, 1); rc == 0) {
      fixed_file_ = true;
    } else {
      note("file", -rc, "");
    }
    register_buffers(setup);
    prepare_entries(setup.depth);
    return sthd::Done{};
  }

  int submit(std::span<Slot* const> batch) {
    for (Slot* slot : batch) prepare(*slot);
    auto left = static_cast<unsigned>(batch.size());
    sthd::native::Retry retry;
    while (left > 0) {
      // Takes along what has completed meanwhile: often no other call is needed.
      const int rc = sqpoll_ ? ::io_uring_submit(&ring_) : ::io_uring_submit_and_get_events(&ring_);
      if (rc > 0) left -= std::min(left, static_cast<unsigned>(rc));
      if (rc > 0 || rc == -EINTR) continue;
      if (rc < 0 && rc != -EAGAIN) return rc;
      if (!retry.again()) return -EAGAIN;
    }
    return 0;
  }

  int ready(std::span<Completed> out) {
    unsigned head = 0;
    unsigned count = 0;
    io_uring_cqe* cqe = nullptr;
    io_uring_for_each_cqe(&ring_, head, cqe) {
      if (count == out.size()) break;
      out[count++] = {static_cast<Slot*>(::io_uring_cqe_get_data(cqe)), cqe->res};
    }
    ::io_uring_cq_advance(&ring_, count);
    return static_cast<int>(count);
  }

  int wait(std::span<Completed> out, std::uint64_t ns) {
    io_uring_cqe* first = nullptr;
    int rc = 0;
    do {
      if (ns == sthd::native::kNoTimeout) {
        rc = ::io_uring_wait_cqe(&ring_, &first);
      } else {
        __kernel_timespec timeout{static_cast<long long>(ns / sthd::kSecond),
                                  static_cast<long long>(ns % sthd::kSecond)};
        rc = ::io_uring_wait_cqe_timeout(&ring_, &first, &timeout);
      }
    } while (rc == -EINTR || rc == -EAGAIN);
    if (rc == -ETIME) return 0;
    return rc < 0 ? rc : ready(out);
  }

  std::vector<std::string> notes() { return notes_; }
  void close() { ::io_uring_queue_exit(&ring_); }

 private:
  /// The best set of flags that this kernel takes.
  int set_up(const sthd::native::QueueSetup& setup) {
    constexpr unsigned kDeferred = IORING_SETUP_SINGLE_ISSUER | IORING_SETUP_DEFER_TASKRUN;  // 6.1
    constexpr unsigned kCooperative = IORING_SETUP_COOP_TASKRUN;                             // 5.19
    constexpr std::array<unsigned, 3> kFlags{kDeferred, kCooperative, 0};
    sqpoll_ = setup.sqpoll;
    int rc = -EINVAL;
    for (const unsigned flags : kFlags) {
      if (sqpoll_ && flags != 0) continue;  // the kernel's thread issues: these are not for it
      io_uring_params params{};
      params.flags =
          flags | (setup.poll ? IORING_SETUP_IOPOLL : 0U) | (sqpoll_ ? IORING_SETUP_SQPOLL : 0U);
      params.sq_thread_idle = 1000;  // ms
      rc = ::io_uring_queue_init_params(setup.depth, &ring_, &params);
      if (rc != -EINVAL) break;
    }
    return rc;
  }

  void register_buffers(const sthd::native::QueueSetup& setup) {
    constexpr std::size_t kMostAtOnce = sthd::kGiB;  // of one buffer, by the kernel
    std::vector<iovec> parts;
    for (std::size_t at = 0; at < setup.memory.size(); at += kMostAtOnce) {
      parts.push_back({setup.memory.data() + at, std::min(kMostAtOnce, setup.memory.size() - at)});
    }
    // Blocks must not lie across two buffers: where one does not hold all, none is registered.
    const int rc =
        parts.size() > 1 ? -EOVERFLOW : ::io_uring_register_buffers(&ring_, parts.data(), 1);
    fixed_buffers_ = rc == 0;
    if (rc != 0) note("buffers", -rc, rc == -ENOMEM ? memlock_limit() : "");
  }

  void note(std::string_view what, int code, const std::string& more) {
    notes_.push_back(fmt::format("io_uring with its {} not registered: {}{}", what,
                                 sthd::system_error("io_uring_register", code).message, more));
  }

  /// All of an entry that no I/O changes.
  void prepare_entries(std::uint32_t depth) {
    entries_.resize(depth);
    for (io_uring_sqe& entry : entries_) {
      ::io_uring_prep_read(&entry, fixed_file_ ? 0 : fd_, nullptr, 0, 0);
      if (fixed_file_) entry.flags |= IOSQE_FIXED_FILE;
    }
    read_ = fixed_buffers_ ? IORING_OP_READ_FIXED : IORING_OP_READ;
    write_ = fixed_buffers_ ? IORING_OP_WRITE_FIXED : IORING_OP_WRITE;
  }

  void prepare(Slot& slot) {
    io_uring_sqe* sqe = ::io_uring_get_sqe(&ring_);  // the ring holds as many as there are slots
    *sqe = entries_[slot.index];
    sqe->opcode = slot.op == sthd::Op::read ? read_ : write_;
    sqe->addr = reinterpret_cast<std::uint64_t>(slot.data);
    sqe->len = static_cast<unsigned>(slot.length);
    sqe->off = slot.offset;
    sqe->user_data = reinterpret_cast<std::uint64_t>(&slot);
  }

  io_uring ring_{};
  int fd_ = -1;
  bool fixed_file_ = false;
  bool fixed_buffers_ = false;
  bool sqpoll_ = false;
  std::uint8_t read_ = IORING_OP_READ;
  std::uint8_t write_ = IORING_OP_WRITE;
  std::vector<io_uring_sqe> entries_;
  std::vector<std::string> notes_;
};

class NativeUring final : public sthd::BackendPlugin {
  sthd::BackendInfo describe() const override { return {.engines = {"io_uring"}, .native = true}; }

  sthd::Outcome<sthd::Capability> try_engine(const sthd::ProbeRequest& request) override {
    const auto& w = request.job.workload;
    if (w.queue_depth > 1 &&
        (w.sync == sthd::SyncMode::fsync || w.sync == sthd::SyncMode::fdatasync)) {
      return Error{ErrorCode::unavailable,
                   "a sync after each write cannot be queued here; psync measures it", 0};
    }
    if (w.poll && !request.direct) {
      return Error{ErrorCode::unavailable, "poll needs O_DIRECT: the page cache has no queue", 0};
    }
    const auto tried = sthd::native::probe_queue<UringQueue>(request);
    if (!tried) {
      const Error& error = tried.error();
      const bool setup = error.message.starts_with("io_uring_setup");
      return Error{error.code,
                   setup ? error.message : io_refusal(w, error.message, error.system_errno),
                   error.system_errno};
    }
    return sthd::Capability{.queue_depth_effective = w.queue_depth,
                            .workers = w.threads,
                            .note = fmt::format("{}", fmt::join(*tried, "; "))};
  }

  sthd::Outcome<sthd::LoopResult> execute(const sthd::Job& job,
                                          sthd::RunContext& context) override {
    return sthd::native::execute<UringQueue>(job, context);
  }
};

}  // namespace

STHD_BACKEND_PLUGIN(NativeUring, "native-uring", "io_uring; registered file and buffers")
