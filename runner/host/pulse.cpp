#include "runner/host/pulse.hpp"

#include <fcntl.h>
#include <unistd.h>

#include <algorithm>
#include <array>
#include <charconv>
#include <string_view>

namespace sthd::host {
namespace {

/// Columns of Documentation/block/stat.rst, as far as they are there.
struct Columns {
  std::array<std::uint64_t, 17> values{};
  std::size_t count = 0;
};

Columns parse(std::string_view text) {
  Columns columns;
  const char* at = text.data();
  const char* const end = text.data() + text.size();
  while (columns.count < columns.values.size()) {
    while (at != end && (*at == ' ' || *at == '\n')) ++at;
    const auto [rest, fault] = std::from_chars(at, end, columns.values[columns.count]);
    if (fault != std::errc{}) break;
    at = rest;
    ++columns.count;
  }
  return columns;
}

}  // namespace

Pulse::Pulse(const std::string& sysroot, const std::vector<std::string>& disks)
    : disks_(disks.size()) {
  for (std::size_t i = 0; i < disks.size(); ++i) {
    const std::string path = sysroot + "/sys/class/block/" + disks[i] + "/stat";
    disks_[i].fd = ::open(path.c_str(), O_RDONLY | O_CLOEXEC);
  }
}

Pulse::~Pulse() {
  for (const Disk& disk : disks_) {
    if (disk.fd >= 0) ::close(disk.fd);
  }
}

void Pulse::tick(std::uint64_t now_ns) {
  constexpr std::size_t kInFlight = 8;
  constexpr std::array<std::size_t, 4> kEnded{0, 4, 11, 15};  // reads, writes, discards, flushes
  std::array<char, 512> buffer;
  for (Disk& disk : disks_) {
    const ssize_t n = disk.fd < 0 ? -1 : ::pread(disk.fd, buffer.data(), buffer.size(), 0);
    if (n <= 0) continue;
    const Columns found = parse({buffer.data(), static_cast<std::size_t>(n)});
    if (found.count <= kInFlight) continue;
    std::uint64_t ended = 0;
    for (const std::size_t column : kEnded) ended += found.values[column];
    const std::uint64_t in_flight = found.values[kInFlight];
    disk.most = std::max(disk.most, in_flight);
    const bool stands = disk.seen && disk.was_busy && in_flight > 0 && ended == disk.ended;
    if (!stands) disk.since_ns = now_ns;
    disk.longest_ns = std::max(disk.longest_ns, now_ns - disk.since_ns);
    disk.seen = true;
    disk.was_busy = in_flight > 0;
    disk.ended = ended;
  }
}

Facts Pulse::facts() const {
  Facts facts;
  for (std::size_t i = 0; i < disks_.size(); ++i) {
    const std::string key = "disk." + std::to_string(i) + ".";
    const auto add = [&](const char* name, std::uint64_t value) {
      Fact& fact = facts.emplace_back(Fact{key + name, {}, {}});
      if (disks_[i].seen) {
        fact.value = static_cast<double>(value);
      } else {
        fact.unknown_because = "the disk's stat file in sysfs cannot be read";
      }
    };
    add("in_flight_max", disks_[i].most);
    add("longest_stall_ns", disks_[i].longest_ns);
  }
  return facts;
}

}  // namespace sthd::host
