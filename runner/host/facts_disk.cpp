#include <algorithm>
#include <array>

#include "kit/text/sha256.hpp"
#include "runner/host/facts_layers.hpp"

#include <fmt/format.h>

// The chain below the target, and each disk at its end.
namespace sthd::host::facts {
namespace {

/// How the disk is attached: by its place in sysfs, by its name, by what NVMe says.
std::string transport(const Sysroot& sysroot, const std::string& name, const std::string& folder) {
  struct Mark {
    std::string_view found;
    std::string_view meaning;
  };
  static constexpr std::array<Mark, 9> kPlaces{{{"/usb", "usb"},
                                                {"/ata", "sata"},
                                                {"/virtio", "virtio"},
                                                {"/session", "iscsi"},
                                                {"/rport-", "fc"},
                                                {"/end_device-", "sas"},
                                                {"/mmc", "mmc"},
                                                {"/vbd-", "xen"},
                                                {"/vmbus", "hyperv"}}};
  if (name.starts_with("nvme")) {
    const std::string over = sysroot.line(folder + "/device/transport");
    return over.empty() || over == "pcie" ? "nvme" : "nvme-" + over;
  }
  const std::string place = sysroot.link(folder).string();
  for (const Mark& mark : kPlaces) {
    if (place.find(mark.found) != place.npos) return std::string(mark.meaning);
  }
  if (name.starts_with("zram") || name.starts_with("brd")) return "ram";
  if (name.starts_with("loop")) return "file";
  if (name.starts_with("nbd") || name.starts_with("rbd")) return "network";
  if (name.starts_with("ubd")) return "uml";
  return sysroot.exists(folder + "/device/scsi_level") ? "scsi" : "";
}

std::string model(const Sysroot& sysroot, const std::string& folder) {
  const std::string vendor = sysroot.line(folder + "/device/vendor");
  std::string name = sysroot.line(folder + "/device/model");
  if (name.empty()) name = sysroot.line(folder + "/device/name");  // MMC
  // "ATA" is no maker, and a hexadecimal vendor is a PCI number.
  const bool named = !vendor.empty() && vendor != "ATA" && !vendor.starts_with("0x");
  return named && !name.empty() && !name.starts_with(vendor) ? vendor + " " + name : name;
}

std::string firmware(const Sysroot& sysroot, const std::string& folder) {
  for (const char* file : {"/device/firmware_rev", "/device/rev", "/device/fwrev"}) {
    std::string found = sysroot.line(folder + file);
    if (!found.empty()) return found;
  }
  return {};
}

/// The serial number, or the name that the disk has in all the world; empty where it tells neither.
std::string serial(const Sysroot& sysroot, const std::string& folder) {
  constexpr std::size_t kHeader = 4;  // of a page of SCSI's vital product data
  for (const char* file : {"/serial", "/device/serial"}) {
    std::string found = sysroot.line(folder + file);
    if (!found.empty()) return found;
  }
  const std::string page = sysroot.text(folder + "/device/vpd_pg80");
  if (page.size() > kHeader) {
    const std::string_view found = trimmed(std::string_view(page).substr(kHeader));
    if (!found.empty()) return std::string(found);
  }
  for (const char* file : {"/wwid", "/device/wwid"}) {
    std::string found = sysroot.line(folder + file);
    if (!found.empty()) return found;
  }
  return {};
}

/// Tells on this machine whether it is the same disk; nobody else can find the serial number by
/// trying, since the machine's id goes in.
std::string serial_hash(const Sysroot& sysroot, const std::string& folder) {
  constexpr std::size_t kDigits = 12;
  const std::string found = serial(sysroot, folder);
  if (found.empty()) return {};
  return text::sha256(sysroot.line("/etc/machine-id") + "\n" + found).substr(0, kDigits);
}

std::string yes_or_no(const std::optional<double>& flag) {
  return !flag ? "" : *flag != 0 ? "yes" : "no";
}

std::string scheduler(const std::string& text) {
  const auto begin = text.find('[');
  const auto end = text.find(']', begin);
  return begin == text.npos || end == text.npos ? text : text.substr(begin + 1, end - begin - 1);
}

void add_queue(const Sysroot& sysroot, const std::string& key, const std::string& queue,
               FactList& out) {
  constexpr std::string_view kNone = "the kernel shows no such queue setting";
  out.text(key + "rotational", yes_or_no(sysroot.number(queue + "rotational")), kNone);
  out.text(key + "write_cache", sysroot.line(queue + "write_cache"), kNone);
  out.text(key + "fua", yes_or_no(sysroot.number(queue + "fua")), kNone);
  out.text(key + "scheduler", scheduler(sysroot.line(queue + "scheduler")), kNone);
  for (const auto& [name, file] : {std::pair{"nr_requests", "nr_requests"},
                                   {"logical_block_bytes", "logical_block_size"},
                                   {"physical_block_bytes", "physical_block_size"},
                                   {"max_sectors_kb", "max_sectors_kb"}}) {
    out.number(key + name, sysroot.number(queue + file), kNone);
  }
  out.number(key + "wbt_lat_us", sysroot.number(queue + "wbt_lat_usec"));  // 0: no throttling
}

void add_disk(const Sysroot& sysroot, const Leaf& leaf, std::size_t number, FactList& out) {
  constexpr double kSector = 512;  // whatever the disk's own block is
  const std::string key = "disk." + std::to_string(number) + ".";
  const std::string folder = "/sys/class/block/" + leaf.name;
  out.text(key + "name", leaf.name);
  out.text(key + "role", leaf.role);
  out.text(key + "device", sysroot.line(folder + "/dev"), "sysfs does not tell");
  const std::string how = transport(sysroot, leaf.name, folder);
  out.text(key + "model", model(sysroot, folder),
           how == "virtio" ? "a virtio disk names no model" : "the disk names no model");
  out.text(key + "firmware", firmware(sysroot, folder));
  out.text(key + "serial_hash", serial_hash(sysroot, folder), "the disk tells no serial number");
  out.text(key + "transport", how, "its place in sysfs does not tell");
  const auto sectors = sysroot.number(folder + "/size");
  out.number(key + "size_bytes", sectors ? std::optional(*sectors * kSector) : std::nullopt,
             "sysfs does not tell");
  add_queue(sysroot, key, folder + "/queue/", out);
  out.number(key + "temperature_c", disk_temperature(sysroot, folder),
             "the kernel shows no sensor of this disk");
}

}  // namespace

std::optional<double> disk_temperature(const Sysroot& sysroot, const std::string& folder) {
  std::optional<double> highest;
  const std::string device = folder + "/device";
  for (const std::string& place : {device, device + "/hwmon"}) {
    for (const std::string& entry : sysroot.names(place)) {
      if (!entry.starts_with("hwmon") || entry == "hwmon") continue;
      const auto found = sysroot.number(fmt::format("{}/{}/temp1_input", place, entry));
      if (found) highest = std::max(highest.value_or(-1000), *found / 1000);
    }
  }
  return highest;
}

void add_chain(const Sysroot& sysroot, const ChainWalker& chain, const std::string& nowhere,
               FactList& out) {
  constexpr std::size_t kMost = 256;  // of links and of disks that are described
  const auto& links = chain.links();
  if (links.empty()) out.text("chain.0.name", "", nowhere);
  for (std::size_t i = 0; i < std::min(links.size(), kMost); ++i) {
    const std::string key = "chain." + std::to_string(i) + ".";
    out.text(key + "name", links[i].name, "it has no name");
    out.text(key + "kind", links[i].kind);
    out.text(key + "detail", links[i].detail);
    out.number(key + "level", links[i].level);
  }
  const auto leaves = chain.leaves();
  if (leaves.empty()) out.text("disk.0.name", "", nowhere);
  for (std::size_t i = 0; i < std::min(leaves.size(), kMost); ++i) {
    add_disk(sysroot, leaves[i], i, out);
  }
}

}  // namespace sthd::host::facts
