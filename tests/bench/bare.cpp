// bare uring|aio|pread FILE [--depth N] [--threads T] [--seconds S] [--ramp S] [--direct]
//
// 4 KiB random reads of FILE by nothing but the system calls; prints IOPS and CPU time per I/O as
// JSON.

#include <fcntl.h>
#include <fmt/format.h>
#include <sys/resource.h>
#include <sys/stat.h>
#include <unistd.h>

#include <atomic>
#include <cerrno>
#include <charconv>
#include <chrono>
#include <cstdio>
#include <exception>
#include <span>
#include <stdexcept>
#include <string_view>
#include <thread>
#include <vector>

#include "kit/native/clock.hpp"
#include "tests/bench/bare.hpp"

namespace bench {
namespace {

constexpr std::string_view kUsage =
    "bare uring|aio|pread FILE [--depth N] [--threads T] [--seconds S] [--ramp S] [--direct]";

enum Window : unsigned { kRamp, kMeasure, kOver };

struct Reading {
  std::uint64_t clock_ns = 0;
  std::uint64_t user_ns = 0;
  std::uint64_t system_ns = 0;
};

/// What a thread did between the two readings.
struct Part {
  Reading from, to;
  std::uint64_t ios = 0;
  std::string facts;
  std::exception_ptr fault;
};

std::uint64_t to_ns(const timeval& time) {
  return static_cast<std::uint64_t>(time.tv_sec) * 1'000'000'000 +
         static_cast<std::uint64_t>(time.tv_usec) * 1'000;
}

Reading read_clocks() {
  rusage usage{};
  ::getrusage(RUSAGE_THREAD, &usage);
  return {sthd::native::now_ns(), to_ns(usage.ru_utime), to_ns(usage.ru_stime)};
}

template <class Loop>
void measure(const Source& source, unsigned depth, const std::atomic<unsigned>& window,
             Part& part) {
  Loop loop(source, depth);
  while (window.load(std::memory_order_relaxed) == kRamp) loop.step();
  std::uint64_t ios = 0;
  part.from = read_clocks();
  while (window.load(std::memory_order_relaxed) == kMeasure) ios += loop.step();
  part.to = read_clocks();
  part.ios = ios;
  part.facts = loop.facts();
  loop.drain();
}

void work(const Options& options, const Source& source, std::atomic<unsigned>& window,
          Part& part) try {
  if (options.engine == "uring") {
    measure<UringLoop>(source, options.depth, window, part);
  } else if (options.engine == "aio") {
    measure<AioLoop>(source, options.depth, window, part);
  } else {
    measure<PreadLoop>(source, options.depth, window, part);
  }
} catch (...) {
  part.fault = std::current_exception();
  window = kOver;
}

void wait(double seconds, const std::atomic<unsigned>& window) {
  const auto end = sthd::native::now_ns() + static_cast<std::uint64_t>(seconds * 1e9);
  while (window != kOver && sthd::native::now_ns() < end) {
    std::this_thread::sleep_for(std::chrono::milliseconds(1));
  }
}

std::vector<Part> run(const Options& options, int fd, std::uint64_t blocks) {
  std::atomic<unsigned> window{kRamp};
  std::vector<Part> parts(options.threads);
  std::vector<std::thread> threads;
  threads.reserve(parts.size());
  for (Part& part : parts) {
    threads.emplace_back([&options, &window, &part, fd, blocks] {
      const Source source{fd, blocks, sthd::native::Random(sthd::native::fresh_seed())};
      work(options, source, window, part);
    });
  }
  wait(options.ramp, window);
  unsigned ramp = kRamp;
  window.compare_exchange_strong(ramp, kMeasure);  // unless a thread has failed
  wait(options.seconds, window);
  window = kOver;
  for (auto& thread : threads) thread.join();
  for (const Part& part : parts) {
    if (part.fault) std::rethrow_exception(part.fault);
  }
  return parts;
}

std::string report(const Options& options, const std::vector<Part>& parts) {
  double iops = 0;
  std::uint64_t ios = 0;
  std::uint64_t user = 0;
  std::uint64_t system = 0;
  for (const Part& part : parts) {
    ios += part.ios;
    iops += static_cast<double>(part.ios) * 1e9 /
            static_cast<double>(part.to.clock_ns - part.from.clock_ns);
    user += part.to.user_ns - part.from.user_ns;
    system += part.to.system_ns - part.from.system_ns;
  }
  if (ios == 0) throw std::runtime_error("no I/O was completed; give it more --seconds");
  const auto each = [ios](std::uint64_t ns) {
    return static_cast<double>(ns) / static_cast<double>(ios);
  };
  return fmt::format(
      R"({{"engine": "{}", "depth": {}, "threads": {}, "direct": {}, "ios": {}, "iops": {:.1f}, )"
      R"("user_ns_per_io": {:.2f}, "system_ns_per_io": {:.2f}{}}})",
      options.engine, options.depth, options.threads, options.direct, ios, iops, each(user),
      each(system), parts.front().facts);
}

template <class T>
T number(std::string_view name, std::string_view text) {
  T value{};
  const auto [end, fault] = std::from_chars(text.data(), text.data() + text.size(), value);
  if (fault != std::errc{} || end != text.data() + text.size() || !(value >= 0)) {
    throw std::runtime_error(fmt::format("{} needs a number, not \"{}\"", name, text));
  }
  return value;
}

Options parse(std::span<char* const> words) {
  if (words.size() < 2) throw std::runtime_error(std::string(kUsage));
  Options options{.engine = words[0], .file = words[1]};
  for (std::size_t i = 2; i < words.size(); ++i) {
    const std::string_view name = words[i];
    if (name == "--direct") {
      options.direct = true;
      continue;
    }
    const std::string_view value = i + 1 < words.size() ? words[++i] : "";
    if (name == "--depth") {
      options.depth = number<unsigned>(name, value);
    } else if (name == "--threads") {
      options.threads = number<unsigned>(name, value);
    } else if (name == "--seconds") {
      options.seconds = number<double>(name, value);
    } else if (name == "--ramp") {
      options.ramp = number<double>(name, value);
    } else {
      throw std::runtime_error(fmt::format("unknown option {}; {}", name, kUsage));
    }
  }
  if (options.depth == 0 || options.depth > 4096 || options.threads == 0 || options.threads > 512 ||
      (options.engine != "uring" && options.engine != "aio" && options.engine != "pread")) {
    throw std::runtime_error(std::string(kUsage));
  }
  return options;
}

void run_program(std::span<char* const> words) {
  const Options options = parse(words);
  const int fd =
      ::open(options.file.c_str(), O_RDONLY | O_CLOEXEC | (options.direct ? O_DIRECT : 0));
  check(fd < 0 ? -errno : 0, options.file.c_str());
  struct stat facts {};
  check(::fstat(fd, &facts) < 0 ? -errno : 0, "fstat");
  const auto blocks = static_cast<std::uint64_t>(facts.st_size) / kBlock;
  if (blocks == 0) throw std::runtime_error(options.file + " is smaller than a block");
  fmt::print("{}\n", report(options, run(options, fd, blocks)));
  ::close(fd);
}

}  // namespace
}  // namespace bench

int main(int argc, char** argv) {
  try {
    bench::run_program(std::span(argv, static_cast<std::size_t>(argc)).subspan(1));
    return 0;
  } catch (const std::exception& fault) {
    fmt::print(stderr, "bare: {}\n", fault.what());
    return 1;
  }
}
