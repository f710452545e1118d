#include <fmt/format.h>
#include <libaio.h>
#include <liburing.h>
#include <sys/mman.h>
#include <unistd.h>

#include <algorithm>
#include <array>
#include <cerrno>
#include <cstring>
#include <new>
#include <stdexcept>
#include <utility>
#include <vector>

#include "tests/bench/bare.hpp"

namespace bench {

void check(std::int64_t result, const char* what) {
  if (result >= 0) return;
  throw std::runtime_error(fmt::format("{}: {}", what, std::strerror(static_cast<int>(-result))));
}

void check_read(std::int64_t result) {
  check(result, "read");
  if (result != static_cast<std::int64_t>(kBlock)) {
    throw std::runtime_error(fmt::format("a read of {} bytes returned {}", kBlock, result));
  }
}

Memory::Memory(unsigned blocks) : bytes_(blocks * kBlock) {
  void* mapped =
      ::mmap(nullptr, bytes_, PROT_READ | PROT_WRITE, MAP_PRIVATE | MAP_ANONYMOUS, -1, 0);
  if (mapped == MAP_FAILED) throw std::bad_alloc();
  data_ = static_cast<std::byte*>(mapped);
  std::memset(data_, 1, bytes_);
}

Memory::~Memory() { ::munmap(data_, bytes_); }

// io_uring ---------------------------------------------------------------------------------------

struct UringLoop::State {
  Source source;
  Memory memory;
  io_uring ring{};
  std::string setup;  ///< the flags that the kernel took
  bool file = false;
  bool buffers = false;
  std::vector<unsigned> free;
  std::vector<io_uring_cqe*> done;

  State(Source from, unsigned depth) : source(from), memory(depth), done(depth) {
    for (unsigned i = 0; i < depth; ++i) free.push_back(i);
  }

  void open(unsigned depth) {
    struct Way {
      unsigned flags;
      const char* name;
    };
    constexpr std::array kWays{
        Way{IORING_SETUP_SINGLE_ISSUER | IORING_SETUP_DEFER_TASKRUN, "single_issuer defer_taskrun"},
        Way{IORING_SETUP_COOP_TASKRUN, "coop_taskrun"}, Way{0, "plain"}};
    int rc = 0;
    for (const Way& way : kWays) {
      rc = ::io_uring_queue_init(depth, &ring, way.flags);
      setup = way.name;
      if (rc != -EINVAL) break;
    }
    check(rc, "io_uring_setup");
    file = ::io_uring_register_files(&ring, &source.fd, 1) == 0;
    const iovec all{memory.block(0), memory.bytes()};
    buffers = ::io_uring_register_buffers(&ring, &all, 1) == 0;
  }

  void prepare(unsigned slot) {
    io_uring_sqe* sqe = ::io_uring_get_sqe(&ring);
    const auto offset = static_cast<std::uint64_t>(source.next());
    const int fd = file ? 0 : source.fd;
    if (buffers) {
      ::io_uring_prep_read_fixed(sqe, fd, memory.block(slot), kBlock, offset, 0);
    } else {
      ::io_uring_prep_read(sqe, fd, memory.block(slot), kBlock, offset);
    }
    if (file) ::io_uring_sqe_set_flags(sqe, IOSQE_FIXED_FILE);
    ::io_uring_sqe_set_data64(sqe, slot);
  }

  std::uint64_t reap() {
    const unsigned count =
        ::io_uring_peek_batch_cqe(&ring, done.data(), static_cast<unsigned>(done.size()));
    for (unsigned i = 0; i < count; ++i) {
      check_read(done[i]->res);
      free.push_back(static_cast<unsigned>(::io_uring_cqe_get_data64(done[i])));
    }
    ::io_uring_cq_advance(&ring, count);
    return count;
  }

  void submit(unsigned wait) {
    int rc = 0;
    do {
      rc = ::io_uring_submit_and_wait(&ring, wait);
    } while (rc == -EINTR);
    check(rc, "io_uring_enter");
  }
};

UringLoop::UringLoop(Source source, unsigned depth)
    : state_(std::make_unique<State>(source, depth)) {
  state_->open(depth);
}

UringLoop::~UringLoop() { ::io_uring_queue_exit(&state_->ring); }

std::uint64_t UringLoop::step() {
  State& s = *state_;
  while (!s.free.empty()) {
    s.prepare(s.free.back());
    s.free.pop_back();
  }
  s.submit(1);
  return s.reap();
}

void UringLoop::drain() {
  while (state_->free.size() < state_->done.size()) {
    state_->submit(1);
    state_->reap();
  }
}

std::string UringLoop::facts() const {
  return fmt::format(R"(, "ring": "{}", "registered_file": {}, "registered_buffers": {})",
                     state_->setup, state_->file, state_->buffers);
}

// Linux AIO --------------------------------------------------------------------------------------

struct AioLoop::State {
  Source source;
  Memory memory;
  io_context_t context = nullptr;
  std::vector<iocb> blocks;
  std::vector<iocb*> free;
  std::vector<io_event> events;

  State(Source from, unsigned depth) : source(from), memory(depth), blocks(depth), events(depth) {
    for (iocb& block : blocks) free.push_back(&block);
  }

  std::uint64_t reap() {
    int count = 0;
    do {
      count = ::io_getevents(context, 1, static_cast<long>(events.size()), events.data(), nullptr);
    } while (count == -EINTR);
    check(count, "io_getevents");
    for (std::size_t i = 0; i < static_cast<std::size_t>(count); ++i) {
      check_read(static_cast<std::int64_t>(events[i].res));
      free.push_back(events[i].obj);
    }
    return static_cast<std::uint64_t>(count);
  }
};

AioLoop::AioLoop(Source source, unsigned depth) : state_(std::make_unique<State>(source, depth)) {
  check(::io_setup(static_cast<int>(depth), &state_->context), "io_setup");
}

AioLoop::~AioLoop() { ::io_destroy(state_->context); }

std::uint64_t AioLoop::step() {
  State& s = *state_;
  for (iocb* block : s.free) {
    const auto slot = static_cast<std::size_t>(block - s.blocks.data());
    ::io_prep_pread(block, s.source.fd, s.memory.block(slot), kBlock, s.source.next());
  }
  std::size_t done = 0;
  while (done < s.free.size()) {
    const int rc =
        ::io_submit(s.context, static_cast<long>(s.free.size() - done), s.free.data() + done);
    if (rc == -EINTR || rc == -EAGAIN) continue;
    check(rc, "io_submit");
    done += static_cast<std::size_t>(rc);
  }
  s.free.clear();
  return s.reap();
}

void AioLoop::drain() {
  while (state_->free.size() < state_->blocks.size()) state_->reap();
}

// pread ------------------------------------------------------------------------------------------

PreadLoop::PreadLoop(Source source, unsigned depth) : source_(source) {
  if (depth != 1) throw std::runtime_error("pread has a depth of 1");
}

std::uint64_t PreadLoop::step() {
  const ssize_t got = ::pread(source_.fd, memory_.block(0), kBlock, source_.next());
  check_read(got < 0 ? -errno : got);
  return 1;
}

}  // namespace bench
