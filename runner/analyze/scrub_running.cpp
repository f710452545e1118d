#include <fmt/format.h>

#include "runner/analyze/measured.hpp"
#include "runner/analyze/rule.hpp"
#include "sthd/text.hpp"

namespace sthd::analyze::rules {

/// The pool reads or rebuilds itself at the same time.
std::vector<Finding> scrub_running(const Report& report) {
  if (word(report, "zfs.scrub") != "running") return {};
  const std::string pool(word(report, "zfs.pool"));
  const std::string name = pool.empty() ? "POOL" : display(pool);
  return {Finding{
      .code = "scrub-running",
      .severity = Severity::suspect,
      .evidence = {{"zfs.scrub", std::string("running")}},
      .text = "A scrub or resilver was running when the test began: the figures share the disks "
              "with it.",
      .remedy = fmt::format("Wait for it (`zpool wait -t scrub,resilver {}`), or pause a scrub: "
                            "`zpool scrub -p {}`.",
                            name, name),
  }};
}

Check scrub_running_check() { return {"scrub-running", {Need::pool}}; }

}  // namespace sthd::analyze::rules
