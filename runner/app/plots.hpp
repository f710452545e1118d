#pragma once

#include <string>
#include <vector>

#include "sthd/formatter.hpp"
#include "sthd/outcome.hpp"
#include "sthd/report.hpp"

namespace sthd::app {

/// The pictures of reports as SVG files in one folder: latency.svg, throughput.svg, p99.svg.
class PlotFiles {
 public:
  PlotFiles() = default;  ///< none are wanted
  /// `by_run`: the records of several runs go there, so each name begins with its run's id.
  PlotFiles(std::string folder, bool by_run) : folder_(std::move(folder)), by_run_(by_run) {}

  /// Whether they can be written later; leaves nothing behind. Error{failed}.
  [[nodiscard]] Outcome<Done> check() const;
  /// Writes what the report has figures for, and removes a picture of that name that an earlier run
  /// left and this one has none of. Error{failed}: "cannot write FILE: …".
  Outcome<Done> write(const Report& report);
  /// Those written so far, as a text in `file` may refer to them; as they were given where it is
  /// empty (stdout).
  [[nodiscard]] std::vector<Plot> seen_from(const std::string& file) const;

 private:
  [[nodiscard]] std::string path(const std::string& name) const;

  std::string folder_;
  bool by_run_ = false;
  std::vector<Plot> written_;
};

}  // namespace sthd::app
