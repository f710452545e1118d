#include "runner/host/health.hpp"

#include <fcntl.h>
#include <linux/nvme_ioctl.h>
#include <sys/ioctl.h>
#include <unistd.h>

#include <algorithm>
#include <cerrno>
#include <utility>

#include "runner/host/facts_layers.hpp"
#include "runner/host/kernel_calls.hpp"
#include "sthd/outcome.hpp"

namespace sthd::host {
namespace {

constexpr std::size_t kMostDisks = 8;  // a millisecond each, twice a loop

/// Little-endian, at most four bytes.
std::uint64_t number_at(const NvmeHealthPage& page, std::size_t offset, std::size_t bytes) {
  std::uint64_t value = 0;
  for (std::size_t i = bytes; i > 0; --i) value = value << 8U | page.at(offset + i - 1);
  return value;
}

Outcome<NvmeHealthPage> page_of(const std::string& node) {
  constexpr std::uint8_t kGetLogPage = 0x02;
  constexpr std::uint32_t kHealth = 0x02;
  constexpr std::uint32_t kWholeController = 0xffffffff;
  const int fd = ::open(node.c_str(), O_RDONLY | O_NONBLOCK | O_CLOEXEC);
  if (fd < 0) return system_error("opening " + node, errno);
  NvmeHealthPage page{};
  nvme_admin_cmd command{};
  command.opcode = kGetLogPage;
  command.nsid = kWholeController;
  command.addr = reinterpret_cast<std::uintptr_t>(page.data());
  command.data_len = page.size();
  command.cdw10 = (static_cast<std::uint32_t>(page.size() / 4 - 1) << 16U) | kHealth;
  command.timeout_ms = 1000;
  const int rc = ::ioctl(fd, NVME_IOCTL_ADMIN_CMD, &command);
  const int code = errno;
  ::close(fd);
  if (rc < 0) return system_error("asking " + node + " for its health", code);
  if (rc > 0) {
    return Error{ErrorCode::failed, node + " refuses to tell its health", 0};
  }
  return page;
}

/// The difference of a counter of two pages; nothing when it went back.
std::optional<double> grown(std::uint64_t before, std::uint64_t after) {
  return after >= before ? std::optional(static_cast<double>(after - before)) : std::nullopt;
}

}  // namespace

NvmeHealth parse_health(const NvmeHealthPage& page) {
  constexpr double kZeroCelsius = 273;  // the page counts in whole kelvins
  NvmeHealth health;
  health.temperature_c = static_cast<double>(number_at(page, 1, 2)) - kZeroCelsius;
  health.wear_percent = static_cast<double>(number_at(page, 5, 1));
  health.throttle_count = number_at(page, 216, 4) + number_at(page, 220, 4);
  health.throttle_s = number_at(page, 224, 4) + number_at(page, 228, 4);
  return health;
}

Health::Health(std::string sysroot, std::vector<std::string> disks)
    : sysroot_(std::move(sysroot)), disks_(std::move(disks)) {
  disks_.resize(std::min(disks_.size(), kMostDisks));
}

Health::State Health::read(const std::string& disk) const {
  State state;
  if (disk.starts_with("nvme")) {
    Outcome<NvmeHealthPage> page = Error{ErrorCode::unavailable, "no such page was recorded", 0};
    if (sysroot_.empty()) {
      page = page_of("/dev/" + disk);
    } else if (const auto text = read_small_file(sysroot_ + "/commands/nvme-smart-" + disk);
               text.size() == NvmeHealthPage{}.size()) {
      NvmeHealthPage recorded{};
      std::copy(text.begin(), text.end(), recorded.begin());
      page = recorded;
    }
    if (page) {
      state.nvme = parse_health(*page);
      state.temperature_c = state.nvme->temperature_c;
      return state;
    }
    state.fault = page.error().message;
  }
  state.temperature_c =
      facts::disk_temperature(facts::Sysroot(sysroot_), "/sys/class/block/" + disk);
  return state;
}

void Health::begin() {
  before_.clear();
  for (const std::string& disk : disks_) before_.push_back(read(disk));
}

Facts Health::end() {
  facts::FactList out;
  for (std::size_t i = 0; i < before_.size(); ++i) {
    const State after = read(disks_[i]);
    const State& before = before_[i];
    const std::string key = "disk." + std::to_string(i) + ".";
    constexpr const char* kNoSensor = "the kernel shows no sensor of this disk";
    out.number(key + "temperature_begin_c", before.temperature_c, kNoSensor);
    out.number(key + "temperature_c", after.temperature_c, kNoSensor);
    if (!disks_[i].starts_with("nvme")) continue;
    const bool known = before.nvme && after.nvme;
    const std::string& fault = after.fault.empty() ? before.fault : after.fault;
    const std::string why = known ? "the counter went backwards" : fault;
    const auto value = [&](auto member) {
      return known ? grown((*before.nvme).*member, (*after.nvme).*member) : std::nullopt;
    };
    out.number(key + "wear_percent",
               after.nvme ? std::optional(after.nvme->wear_percent) : std::nullopt, fault);
    out.number(key + "throttle_count", value(&NvmeHealth::throttle_count), why);
    out.number(key + "throttle_s", value(&NvmeHealth::throttle_s), why);
  }
  before_.clear();
  return out.take();
}

}  // namespace sthd::host
