#include <algorithm>

#include "runner/host/run_store.hpp"

namespace sthd::host {
namespace {

constexpr std::string_view kShape = "dddd-dd-ddTdd-dd-ddZ-";  // d: a digit
constexpr std::size_t kId = 8;
constexpr std::size_t kLongest = 40;  // of a profile's part

bool is_digit(char c) { return c >= '0' && c <= '9'; }
bool is_hex(char c) { return is_digit(c) || (c >= 'a' && c <= 'f'); }
bool is_plain(char c) {
  return is_digit(c) || (c >= 'a' && c <= 'z') || (c >= 'A' && c <= 'Z') || c == '.' || c == '_' ||
         c == '-';
}

bool has_shape(std::string_view name) {
  return std::equal(kShape.begin(), kShape.end(), name.begin(),
                    [](char shape, char c) { return shape == 'd' ? is_digit(c) : shape == c; });
}

}  // namespace

std::string run_name(std::string_view started_utc, std::string_view profile,
                     std::string_view run_id) {
  std::string name(started_utc);
  std::replace(name.begin(), name.end(), ':', '-');
  std::string middle(profile.substr(0, kLongest));
  std::replace_if(
      middle.begin(), middle.end(), [](char c) { return !is_plain(c); }, '_');
  return name + "-" + middle + "-" + std::string(run_id.substr(0, kId));
}

std::optional<KeptRun> parse_run_name(std::string_view name) {
  if (name.size() < kShape.size() + 1 + kId || !has_shape(name)) return std::nullopt;
  const std::string_view profile = name.substr(kShape.size(), name.size() - kShape.size() - kId);
  const std::string_view id = name.substr(name.size() - kId);
  const bool good = profile.size() <= kLongest + 1 && profile.back() == '-' &&
                    std::all_of(profile.begin(), profile.end(), is_plain) &&
                    std::all_of(id.begin(), id.end(), is_hex);
  if (!good) return std::nullopt;
  KeptRun run;
  run.name = name;
  run.id = id;
  return run;
}

}  // namespace sthd::host
