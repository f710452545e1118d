#include "runner/app/plots.hpp"

#include <stdlib.h>

#include <filesystem>
#include <fstream>
#include <iterator>
#include <variant>

#include "runner/app/options.hpp"
#include "support/catch.hpp"

namespace sthd::app {
namespace {

namespace fs = std::filesystem;

/// A folder of its own, gone with the test.
class Folder {
 public:
  Folder() {
    std::string pattern = (fs::temp_directory_path() / "sthd-plots-XXXXXX").string();
    path_ = ::mkdtemp(pattern.data());
  }
  ~Folder() { fs::remove_all(path_); }
  Folder(const Folder&) = delete;
  Folder& operator=(const Folder&) = delete;

  [[nodiscard]] std::string operator/(const std::string& name) const { return path_ / name; }
  [[nodiscard]] std::string name() const { return path_; }

 private:
  fs::path path_;
};

Report measured_report() {
  Report report;
  report.run_id = "6f1c9a52-3c1e";
  Job job;
  job.id = job.label = "row";
  job.workload.op = Op::write;
  report.plan.jobs = {job};
  ResultRecord record;
  record.job = job;
  OpResult& result = record.loops.emplace_back().write.emplace();
  result.ios = 1000;
  result.bytes = result.ios * 4096;
  result.elapsed_ns = kSecond;
  result.lat.add_binned(100'000, result.ios);
  report.records = {record};
  return report;
}

std::string text_of(const std::string& file) {
  std::ifstream in(file);
  return {std::istreambuf_iterator<char>(in), {}};
}

}  // namespace

TEST_CASE("Plots that nobody asked for are not written", "[app][plots]") {
  PlotFiles plots;
  CHECK(plots.check().ok());
  CHECK(plots.write(measured_report()).ok());
  CHECK(plots.seen_from("").empty());
}

TEST_CASE("Plots are written where there are figures, and an old one without is removed",
          "[app][plots]") {
  const Folder folder;
  std::ofstream(folder / "p99.svg") << "of an earlier run";
  std::ofstream(folder / "other.svg") << "not ours";
  PlotFiles plots(folder.name(), false);
  REQUIRE(plots.check().ok());
  CHECK_FALSE(fs::exists(folder / "latency.svg"));
  REQUIRE(plots.write(measured_report()).ok());
  CHECK(text_of(folder / "latency.svg").find("<svg ") == 0);
  CHECK_FALSE(fs::exists(folder / "throughput.svg"));
  CHECK_FALSE(fs::exists(folder / "p99.svg"));
  CHECK(fs::exists(folder / "other.svg"));
  REQUIRE(plots.seen_from("").size() == 1);
  CHECK(plots.seen_from("")[0].title == "Latency by percentile");
}

TEST_CASE("A text refers to plots as seen from its folder", "[app][plots]") {
  const Folder folder;
  fs::create_directories(folder / "text/deep");
  fs::create_directories(folder / "text/plots");
  PlotFiles plots(folder / "text/plots", false);
  REQUIRE(plots.write(measured_report()).ok());
  CHECK(plots.seen_from("")[0].path == (folder / "text/plots/latency.svg"));
  CHECK(plots.seen_from(folder / "text/report.md")[0].path == "plots/latency.svg");
  CHECK(plots.seen_from(folder / "text/deep/report.md")[0].path == "../plots/latency.svg");
  CHECK(plots.seen_from(folder / "text/plots/report.md")[0].path == "latency.svg");
}

TEST_CASE("Plots of several runs have the run's id before their names", "[app][plots]") {
  const Folder folder;
  PlotFiles plots(folder.name(), true);
  Report report = measured_report();
  REQUIRE(plots.write(report).ok());
  report.run_id = "../..//x<1>\x1b";
  REQUIRE(plots.write(report).ok());
  CHECK(fs::exists(folder / "6f1c9a52-3c1e-latency.svg"));
  CHECK(fs::exists(folder / "x1-latency.svg"));
  REQUIRE(plots.seen_from("").size() == 2);
  CHECK(plots.seen_from("")[0].title == "Latency by percentile (6f1c9a52)");
  report.run_id = "..";
  const auto nameless = plots.write(report);
  REQUIRE_FALSE(nameless.ok());
  CHECK(nameless.error().message ==
        "a record that names no run has no name for its plots; render it alone");
}

TEST_CASE("A folder for plots that is none is refused before anything is measured",
          "[app][plots]") {
  const Folder folder;
  const auto missing = PlotFiles(folder / "missing", false).check();
  REQUIRE_FALSE(missing.ok());
  CHECK(missing.error().message == "cannot write " + (folder / "missing/latency.svg") +
                                       ": No such file or directory (ENOENT)");
  std::ofstream(folder / "file") << "x";
  CHECK_FALSE(PlotFiles(folder / "file", false).check().ok());
}

TEST_CASE("Option --plots takes a folder, --details is a flag", "[app][options]") {
  const auto options = std::get<Options>(
      parse({"speedtest-hd", "render", "a.json", "--plots", "pictures", "--details"}));
  CHECK(options.plots == "pictures");
  CHECK(options.details);
  const auto run = std::get<Options>(parse({"speedtest-hd", "run", "slog", "/mnt", "--plots=x"}));
  CHECK(run.plots == "x");
  CHECK_FALSE(run.details);
  const auto stop = std::get<Stop>(parse({"speedtest-hd", "render", "a.json", "--plots"}));
  CHECK(stop.text == "--plots needs a value (DIR)\n");
  const auto list = std::get<Stop>(parse({"speedtest-hd", "list", "--details"}));
  CHECK(list.text.find("--details is an option of ") == 0);
}

}  // namespace sthd::app
