#include "runner/run/sampler.hpp"

#include <fcntl.h>
#include <unistd.h>

#include <algorithm>
#include <array>
#include <charconv>
#include <filesystem>
#include <optional>

#include "runner/run/clock.hpp"

namespace sthd::run {
namespace {

namespace fs = std::filesystem;

constexpr std::uint64_t kTick = 100 * kMillisecond;
constexpr std::uint64_t kMostATick = 300'000;  // ns: 0.3 % of one core

std::optional<std::uint64_t> number_of(int fd) {
  std::array<char, 32> text;
  const ssize_t n = ::pread(fd, text.data(), text.size(), 0);
  if (n <= 0) return std::nullopt;
  const char* const last = text.data() + n;
  std::uint64_t value = 0;
  const auto [end, fault] = std::from_chars(text.data(), last, value);
  if (fault != std::errc{} || (end != last && *end != '\n')) return std::nullopt;
  return value;
}

std::optional<std::uint64_t> read_number(const std::string& path) {
  const int fd = ::open(path.c_str(), O_RDONLY | O_CLOEXEC);
  if (fd < 0) return std::nullopt;
  const auto value = number_of(fd);
  ::close(fd);
  return value;
}

/// "12" of "cpu12", "state12"; empty for other names.
std::optional<unsigned> index_of(const std::string& name, std::string_view prefix) {
  if (!name.starts_with(prefix)) return std::nullopt;
  unsigned value = 0;
  const char* last = name.data() + name.size();
  const auto [end, fault] = std::from_chars(name.data() + prefix.size(), last, value);
  return fault == std::errc{} && end == last ? std::optional(value) : std::nullopt;
}

/// Where the time in the deepest enabled state is counted. State 0 polls: it is no sleep.
std::optional<std::string> deepest_state(const fs::path& cpu) {
  std::optional<std::string> file;
  unsigned deepest = 0;
  std::error_code ignored;
  for (const auto& state : fs::directory_iterator(cpu / "cpuidle", ignored)) {
    const auto index = index_of(state.path().filename().string(), "state");
    if (!index || *index <= deepest) continue;
    if (read_number((state.path() / "disable").string()).value_or(0) != 0) continue;
    deepest = *index;
    file = (state.path() / "time").string();
  }
  return file;
}

}  // namespace

Sampler::Sampler(const std::string& sysroot) {
  std::error_code ignored;
  for (const auto& cpu : fs::directory_iterator(sysroot + "/sys/devices/system/cpu", ignored)) {
    if (!index_of(cpu.path().filename().string(), "cpu")) continue;
    auto frequency = (cpu.path() / "cpufreq/scaling_cur_freq").string();
    if (read_number(frequency)) frequency_files_.push_back({std::move(frequency)});
    if (auto idle = deepest_state(cpu.path())) idle_files_.push_back({std::move(*idle)});
  }
  std::ranges::sort(frequency_files_, {}, &File::path);
  keep_open(frequency_files_);
  keep_open(idle_files_);
}

Sampler::~Sampler() {
  for (const auto* files : {&frequency_files_, &idle_files_}) {
    for (const File& file : *files) {
      if (file.fd >= 0) ::close(file.fd);
    }
  }
}

void Sampler::keep_open(std::vector<File>& files) {
  constexpr std::size_t kMost = 256;  // twice that many leave half of the usual limit of 1024
  for (std::size_t i = 0; i < std::min(files.size(), kMost); ++i) {
    files[i].fd = ::open(files[i].path.c_str(), O_RDONLY | O_CLOEXEC);
  }
}

std::optional<std::uint64_t> Sampler::read(const File& file) {
  return file.fd >= 0 ? number_of(file.fd) : read_number(file.path);
}

std::uint64_t Sampler::total(const std::vector<File>& files) {
  std::uint64_t sum = 0;
  for (const File& file : files) sum += read(file).value_or(0);
  return sum;
}

void Sampler::begin(std::uint64_t now_ns) {
  open_ = true;
  begun_ns_ = ticked_ns_ = now_ns;
  idle_us_ = total(idle_files_);
  readings_ = 0;
  sum_mhz_ = min_mhz_ = max_mhz_ = 0;
}

void Sampler::tick(std::uint64_t now_ns) {
  if (!open_ || now_ns < ticked_ns_ + kTick) return;
  ticked_ns_ = now_ns;
  read_frequencies();
}

void Sampler::read_frequencies() {
  const std::uint64_t begun = monotonic_ns();
  for (std::size_t i = 0; i < frequency_files_.size(); ++i) {
    const auto khz = read(frequency_files_[next_]);
    next_ = (next_ + 1) % frequency_files_.size();
    if (khz) {
      const double mhz = static_cast<double>(*khz) / 1000;
      min_mhz_ = readings_ == 0 ? mhz : std::min(min_mhz_, mhz);
      max_mhz_ = std::max(max_mhz_, mhz);
      sum_mhz_ += mhz;
      ++readings_;
    }
    if (monotonic_ns() - begun > kMostATick) return;
  }
}

Facts Sampler::end(std::uint64_t now_ns) {
  if (!open_) return {};
  open_ = false;
  if (readings_ == 0) read_frequencies();  // a window shorter than a tick
  Facts facts;
  const auto add = [&facts](const char* name, bool known, double value, const char* why) {
    Fact& fact = facts.emplace_back(Fact{name, {}, {}});
    if (known) {
      fact.value = value;
    } else {
      fact.unknown_because = why;
    }
  };
  const bool seen = readings_ > 0;
  constexpr const char* kNoDriver = "no cpufreq driver tells the CPUs' frequencies";
  add("cpu.mhz_mean", seen, seen ? sum_mhz_ / static_cast<double>(readings_) : 0, kNoDriver);
  add("cpu.mhz_min", seen, min_mhz_, kNoDriver);
  add("cpu.mhz_max", seen, max_mhz_, kNoDriver);
  const std::uint64_t idle_us = total(idle_files_);
  const bool counted = !idle_files_.empty() && now_ns > begun_ns_ && idle_us >= idle_us_;
  const double whole_us =
      static_cast<double>(now_ns - begun_ns_) / 1000 * static_cast<double>(idle_files_.size());
  // A sleep is counted when it ends, one that began before the window as a whole.
  const double share = counted ? static_cast<double>(idle_us - idle_us_) * 100 / whole_us : 0;
  add("cpu.idle_deep_share_percent", counted, std::min(share, 100.0),
      "no cpuidle driver tells the CPUs' idle states");
  return facts;
}

}  // namespace sthd::run
