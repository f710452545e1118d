#pragma once

#include <filesystem>
#include <string>
#include <string_view>

#include "support/fake_context.hpp"

namespace sthd::test {

/// `text` with its first (or every) `from` replaced; throws when there is none, so that a broken
/// edit cannot let a test pass.
inline std::string edited(std::string text, std::string_view from, std::string_view to,
                          bool all = false) {
  auto at = text.find(from);
  if (at == std::string::npos) throw std::runtime_error("nothing to replace: " + std::string(from));
  do {
    text.replace(at, from.size(), to);
    at = text.find(from, at + to.size());
  } while (all && at != std::string::npos);
  return text;
}

/// A real report: two jobs of psync, each with 10 writes of 4 KiB at O_SYNC.
inline std::string two_jobs() {
  return slurp(std::string(STHD_SOURCE_DIR) + "/tests/fixtures/fio/psync-write-2-jobs.json");
}

/// The job of two_jobs().
inline Job job_of_two() {
  Job job;
  job.workload.op = Op::write;
  job.workload.pattern = Pattern::random;
  job.workload.threads = 2;
  job.workload.sync = SyncMode::o_sync;
  job.workload.size = kMiB;
  job.workload.ios = 20;
  return job;
}

/// A private folder that is all of PATH, with tests/support/fakes/fio in it and a good report.
class FakeFio {
 public:
  FakeFio() : path_(dir_.path()) {
    std::filesystem::copy_file(std::string(STHD_SOURCE_DIR) + "/tests/support/fakes/fio",
                               dir_.path() + "/fio");
    std::filesystem::permissions(dir_.path() + "/fio", std::filesystem::perms(0755));
    put("version", "fio-3.33\n");
    put("document", two_jobs());
  }
  void put(const std::string& name, std::string_view content) const { dir_.put(name, content); }
  [[nodiscard]] std::string left(const std::string& name) const {
    return slurp(dir_.path() + "/" + name);
  }
  [[nodiscard]] std::string program() const { return dir_.path() + "/fio"; }

 private:
  TempDir dir_;
  PathOverride path_;
};

}  // namespace sthd::test
