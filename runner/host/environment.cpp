#include "runner/host/environment.hpp"

#include <fmt/format.h>
#include <sys/random.h>
#include <sys/utsname.h>
#include <unistd.h>

#include <algorithm>
#include <array>
#include <charconv>
#include <ctime>
#include <random>

#include "runner/host/environment_text.hpp"
#include "runner/host/kernel_calls.hpp"

namespace sthd::host {
namespace {

std::string_view trimmed(std::string_view text) {
  constexpr std::string_view kSpace = " \t\r\n";
  const auto begin = text.find_first_not_of(kSpace);
  if (begin == std::string_view::npos) return {};
  return text.substr(begin, text.find_last_not_of(kSpace) - begin + 1);
}

/// The value of the first line "key<separator>value".
std::optional<std::string_view> value_of(std::string_view text, std::string_view key,
                                         char separator) {
  while (!text.empty()) {
    const auto end = std::min(text.find('\n'), text.size());
    const auto line = text.substr(0, end);
    text.remove_prefix(std::min(end + 1, text.size()));
    const auto at = line.find(separator);
    if (at != std::string_view::npos && trimmed(line.substr(0, at)) == key) {
      return trimmed(line.substr(at + 1));
    }
  }
  return std::nullopt;
}

}  // namespace

std::string distribution_name(std::string_view os_release) {
  const auto value = value_of(os_release, "PRETTY_NAME", '=');
  if (!value) return {};
  std::string_view quoted = *value;
  const bool has_quotes = quoted.size() >= 2 && (quoted.front() == '"' || quoted.front() == '\'') &&
                          quoted.back() == quoted.front();
  if (has_quotes) quoted = quoted.substr(1, quoted.size() - 2);
  std::string name;
  for (std::size_t i = 0; i < quoted.size(); ++i) {
    if (quoted[i] == '\\' && i + 1 < quoted.size()) ++i;
    name += quoted[i];
  }
  return name;
}

std::string cpu_model(std::string_view cpuinfo) {
  for (const std::string_view key : {"model name", "Model", "cpu model", "cpu", "Hardware"}) {
    const auto value = value_of(cpuinfo, key, ':');
    if (value && !value->empty()) return std::string(*value);
  }
  return {};
}

std::optional<std::uint64_t> memory_bytes(std::string_view meminfo) {
  const auto value = value_of(meminfo, "MemTotal", ':');
  if (!value || !value->ends_with(" kB")) return std::nullopt;
  std::uint64_t kibibytes = 0;
  const auto [end, code] =
      std::from_chars(value->data(), value->data() + value->size() - 3, kibibytes);
  if (code != std::errc{} || end != value->data() + value->size() - 3) return std::nullopt;
  return kibibytes * kKiB;
}

Environment environment() {
  Environment facts;
  utsname name{};
  if (::uname(&name) == 0) {
    facts.hostname = name.nodename;
    facts.kernel = name.release;
  }
  std::string os_release = read_small_file("/etc/os-release");
  if (os_release.empty()) os_release = read_small_file("/usr/lib/os-release");
  facts.distribution = distribution_name(os_release);
  facts.cpu_model = cpu_model(read_small_file("/proc/cpuinfo"));
  const long cpus = ::sysconf(_SC_NPROCESSORS_ONLN);
  if (cpus > 0) facts.cpus = static_cast<std::uint32_t>(cpus);
  facts.memory_bytes = memory_bytes(read_small_file("/proc/meminfo"));
  return facts;
}

std::string new_run_id() {
  std::array<unsigned char, 16> bytes{};
  if (::getrandom(bytes.data(), bytes.size(), 0) != static_cast<ssize_t>(bytes.size())) {
    std::random_device device;  // a kernel without getrandom
    for (auto& byte : bytes) byte = static_cast<unsigned char>(device());
  }
  bytes[6] = static_cast<unsigned char>((bytes[6] & 0x0fU) | 0x40U);  // version 4
  bytes[8] = static_cast<unsigned char>((bytes[8] & 0x3fU) | 0x80U);  // variant 1
  std::string text;
  for (std::size_t i = 0; i < bytes.size(); ++i) {
    if (i == 4 || i == 6 || i == 8 || i == 10) text += '-';
    text += fmt::format("{:02x}", bytes[i]);
  }
  return text;
}

std::string utc_now() {
  const std::time_t now = std::time(nullptr);
  std::tm parts{};
  ::gmtime_r(&now, &parts);
  return fmt::format("{:04}-{:02}-{:02}T{:02}:{:02}:{:02}Z", parts.tm_year + 1900, parts.tm_mon + 1,
                     parts.tm_mday, parts.tm_hour, parts.tm_min, parts.tm_sec);
}

}  // namespace sthd::host
