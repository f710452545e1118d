#include <fmt/format.h>

#include "runner/analyze/measured.hpp"
#include "runner/analyze/rule.hpp"

namespace sthd::analyze {

namespace {

constexpr double kFull = 90;     // percent: what is left is in pieces, and SSDs run out of spares
constexpr double kZfsFull = 80;  // percent: where OpenZFS's own documentation sees it slow down

}  // namespace

namespace rules {

/// So full that it is slower than it would be.
std::vector<Finding> nearly_full(const Report& report) {
  const auto used = number(report, "target.used_percent");
  if (!used || *used < (on_zfs(report) ? kZfsFull : kFull)) return {};
  return {Finding{
      .code = "nearly-full",
      .severity = Severity::suspect,
      .evidence = {{"used_percent", *used}},
      .text = fmt::format("The filesystem is {:.0f} % full: likely it is slower than with room.",
                          *used),
      .remedy = fmt::format("Free space until it is below {:.0f} %, and trim it (`fstrim`, `zpool "
                            "trim`).",
                            on_zfs(report) ? kZfsFull : kFull),
  }};
}

Check nearly_full_check() { return {"nearly-full", {Need::space}}; }

}  // namespace rules

}  // namespace sthd::analyze
