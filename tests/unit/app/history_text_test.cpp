#include "runner/app/history_text.hpp"

#include "support/catch.hpp"
#include "support/reports.hpp"

namespace sthd::app {

namespace {

host::KeptRun kept(const std::string& id) {
  return *host::parse_run_name("2026-12-01T09-51-47Z-x-" + id);
}

record::Imported imported(Report report, bool cut = false) {
  record::Imported content{.report = std::move(report)};
  content.cut = cut;
  content.planned = content.report.plan.jobs.size();
  return content;
}

}  // namespace

TEST_CASE("The history is a table of runs with their first figure", "[app][history]") {
  Report slog = sthd::test::original_slog_report();
  slog.target.path = "/mnt/\x1bpool";
  Report cut = slog;
  cut.records.resize(1);
  host::KeptRun running = kept("cccccccc");
  running.running = true;
  CHECK(history_text(
            {history_line(1, kept("aaaaaaaa"), imported(slog)),
             history_line(2, kept("bbbbbbbb"), imported(cut, true)),
             history_line(3, running, imported(cut, true)),
             history_line(4, kept("dddddddd"), imported(Report{})),
             history_line(5, kept("eeeeeeee"), Error{ErrorCode::refused, "no\nrecord", 0})}) ==
        R"(Run  Id        Started (UTC)        Profile  Target         Jobs ok          First figure
@-1  aaaaaaaa  2026-12-01 09:51:47  slog     /mnt/\x1bpool  4 of 4           4K sync T1: IOPS 10687
@-2  bbbbbbbb  2026-12-01 09:51:47  slog     /mnt/\x1bpool  1 of 4, cut off  4K sync T1: IOPS 10687
@-3  cccccccc  2026-12-01 09:51:47  slog     /mnt/\x1bpool  1 of 4, running  4K sync T1: IOPS 10687
@-4  dddddddd  2026-12-01 09:51:47                          0 of 0
@-5  eeeeeeee  2026-12-01 09:51:47                                           no\nrecord
)");
}

}  // namespace sthd::app
