#pragma once

#include <sys/types.h>

#include <cstddef>
#include <cstdint>
#include <memory>
#include <string>

#include "kit/native/random.hpp"

// The least that a program must do for random reads at a queue depth: what the engines are held
// against. No histogram and no clock per I/O.
namespace bench {

inline constexpr std::size_t kBlock = 4096;

struct Options {
  std::string engine;  ///< "uring", "aio" or "pread"
  std::string file;
  unsigned depth = 1;  ///< per thread; pread knows only 1
  unsigned threads = 1;
  double seconds = 1;
  double ramp = 0.2;  ///< before it, uncounted
  bool direct = false;
};

/// Page-aligned buffers of one thread, touched.
class Memory {
 public:
  explicit Memory(unsigned blocks);
  ~Memory();
  Memory(const Memory&) = delete;
  Memory& operator=(const Memory&) = delete;

  [[nodiscard]] std::byte* block(std::size_t index) const { return data_ + index * kBlock; }
  [[nodiscard]] std::size_t bytes() const { return bytes_; }

 private:
  std::byte* data_ = nullptr;
  std::size_t bytes_ = 0;
};

/// What a loop reads from. The kit's generator, so that offsets cost the same on both sides.
struct Source {
  int fd = -1;
  std::uint64_t blocks = 0;
  sthd::native::Random random;

  off_t next() { return static_cast<off_t>(random.below(blocks) * kBlock); }
};

/// Throws std::runtime_error with the text of -`result`, when it is one.
void check(std::int64_t result, const char* what);
/// Throws unless a read came back whole.
void check_read(std::int64_t result);

/// A ring of registered file and buffers, each refused one left out; submit, wait for one, take
/// all.
class UringLoop {
 public:
  UringLoop(Source source, unsigned depth);
  ~UringLoop();
  UringLoop(const UringLoop&) = delete;
  UringLoop& operator=(const UringLoop&) = delete;

  /// How many I/Os were completed.
  std::uint64_t step();
  void drain();
  /// As JSON members: what of the ring was to be had.
  [[nodiscard]] std::string facts() const;

 private:
  struct State;
  std::unique_ptr<State> state_;
};

/// io_submit and io_getevents.
class AioLoop {
 public:
  AioLoop(Source source, unsigned depth);
  ~AioLoop();
  AioLoop(const AioLoop&) = delete;
  AioLoop& operator=(const AioLoop&) = delete;

  std::uint64_t step();
  void drain();
  [[nodiscard]] static std::string facts() { return {}; }

 private:
  struct State;
  std::unique_ptr<State> state_;
};

class PreadLoop {
 public:
  PreadLoop(Source source, unsigned depth);

  std::uint64_t step();
  void drain() {}
  [[nodiscard]] static std::string facts() { return {}; }

 private:
  Source source_;
  Memory memory_{1};
};

}  // namespace bench
