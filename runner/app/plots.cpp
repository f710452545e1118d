#include "runner/app/plots.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <filesystem>
#include <system_error>

#include "kit/plot/pictures.hpp"
#include "runner/app/report_file.hpp"

namespace sthd::app {
namespace {

namespace fs = std::filesystem;

/// "6f1c9a52-3c1e-4d0b-9f52-0d6f3a1b2c3d-": a record may come from anyone, and so may its id.
std::string prefix_of(const std::string& run_id) {
  constexpr std::size_t kMost = 64;
  std::string prefix = run_id.substr(0, kMost);
  std::erase_if(prefix, [](char c) {
    const bool digit = c >= '0' && c <= '9';
    return !digit && !(c >= 'a' && c <= 'z') && !(c >= 'A' && c <= 'Z') && c != '-';
  });
  return prefix.empty() ? prefix : prefix + "-";
}

/// "Latency by percentile (6f1c9a52)", of several runs.
std::string title_of(const plot::Picture& picture, const std::string& prefix) {
  constexpr std::size_t kEnough = 8;
  return prefix.empty() ? picture.title
                        : fmt::format("{} ({})", picture.title,
                                      prefix.substr(0, std::min(kEnough, prefix.size() - 1)));
}

void remove_old(const std::string& file) {
  std::error_code ignored;
  if (fs::is_regular_file(fs::symlink_status(file, ignored))) fs::remove(file, ignored);
}

}  // namespace

std::string PlotFiles::path(const std::string& name) const {
  return (fs::path(folder_) / (name + ".svg")).string();
}

Outcome<Done> PlotFiles::check() const {
  return folder_.empty() ? Outcome<Done>(Done{}) : check_file(path(plot::kLatency));
}

Outcome<Done> PlotFiles::write(const Report& report) {
  if (folder_.empty()) return Done{};
  const std::string prefix = by_run_ ? prefix_of(report.run_id) : "";
  if (by_run_ && prefix.empty()) {
    return Error{ErrorCode::failed,
                 "a record that names no run has no name for its plots; render it alone", 0};
  }
  const std::vector<plot::Picture> pictures = plot::pictures(report);
  for (const char* name : {plot::kLatency, plot::kThroughput, plot::kP99}) {
    const std::string file = path(prefix + name);
    const auto picture =
        std::find_if(pictures.begin(), pictures.end(),
                     [name](const plot::Picture& each) { return each.name == name; });
    if (picture == pictures.end()) {
      remove_old(file);
      continue;
    }
    if (auto done = replace_file(file, picture->svg); !done) return done;
    written_.push_back({title_of(*picture, prefix), file});
  }
  return Done{};
}

std::vector<Plot> PlotFiles::seen_from(const std::string& file) const {
  std::vector<Plot> plots = written_;
  if (file.empty()) return plots;
  const fs::path here = fs::absolute(file).parent_path();
  for (Plot& plot : plots) {
    std::error_code error;
    const fs::path seen = fs::proximate(fs::absolute(plot.path), here, error);
    if (!error) plot.path = seen.string();
  }
  return plots;
}

}  // namespace sthd::app
