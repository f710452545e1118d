#include "runner/app/kept_record.hpp"

#include <fmt/format.h>

#include <cstdlib>
#include <utility>

#include "runner/record/record.hpp"
#include "sthd/text.hpp"

namespace sthd::app {
namespace {

/// Nobody looks for a run in the home folder of a build machine.
bool is_ci() {
  const char* value = std::getenv("CI");  // NOLINT(concurrency-mt-unsafe): one thread
  return value != nullptr && *value != '\0';
}

}  // namespace

KeptRecord::KeptRecord(const Options& options) : wanted_(!options.no_save && !is_ci()) {}

void KeptRecord::begin(const Report& report) {
  if (!wanted_) return;
  auto store = host::RunStore::make(host::invoking_user());
  if (!store) {
    fault_ = store.error().message;
    return;
  }
  name_ = host::run_name(report.started_utc, report.profile.name, report.run_id);
  auto files = host::RunFiles::begin(std::move(*store), name_, record::journal_begin(report));
  if (files) {
    files_ = std::move(*files);
  } else {
    fault_ = files.error().message;
  }
}

void KeptRecord::add(const ResultRecord& record) {
  if (!files_ || journal_ends_) return;
  const auto added = files_->add(record::journal_job(record, added_ == 0));
  journal_ends_ = !added;
  if (added) ++added_;
}

void KeptRecord::finish(const Report& report) {
  if (!files_) return;
  if (const auto written = files_->finish(record::to_json(report)); !written) {
    fault_ = written.error().message;
  }
  files_->store().prune({}, name_);
}

std::string KeptRecord::sentence() const {
  if (!files_ && fault_.empty()) return {};
  if (!files_) {
    return fmt::format("warning: this run is not kept: {}; --no-save leaves that out", fault_);
  }
  const std::string path = display(files_->path().string());
  if (fault_.empty()) return fmt::format("{:<9} {}", "kept", path);
  return fmt::format("warning: this run is not kept whole: {}; {} finished row{} in {}", fault_,
                     added_, added_ == 1 ? " is" : "s are", path);
}

}  // namespace sthd::app
