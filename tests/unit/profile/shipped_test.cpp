#include "runner/profile/schema.hpp"
#include "support.hpp"

using namespace profile_test;
namespace sp = sthd::profile;

namespace {

sp::Value tree_of(const fs::path& path) {
  auto file = sp::read_file(path);
  auto tree = sp::parse(std::get<std::shared_ptr<const sp::SourceFile>>(file));
  return std::get<sp::Value>(std::move(tree));
}

std::vector<Job> shipped(const std::string& name, const Overrides& overrides = {}) {
  const auto profile = sp::load(name, {kInstalled});
  return std::get<std::vector<Job>>(sp::expand(std::get<Profile>(profile), overrides));
}

Overrides with_size(const std::string& size) {
  Overrides overrides;
  overrides.set = {{"size", size}};
  return overrides;
}

/// "metric unit" of each column.
Strings columns(const std::string& name) {
  const auto profile = sp::load(name, {kInstalled});
  Strings result;
  for (const auto& column : std::get<Profile>(profile).columns()) {
    result.push_back(fmt::format("{} {}", column.metric, column.unit));
  }
  return result;
}

}  // namespace

TEST_CASE("Every profile we ship loads and expands", "[profile][shipped]") {
  std::size_t count = 0;
  for (const auto& entry : fs::directory_iterator(kInstalled)) {
    INFO(entry.path().string());
    const sp::Value root = tree_of(entry.path());
    CHECK(sp::schema_accepts(sp::SchemaPart::file, root));
    CHECK(read_text(entry.path()).starts_with("#:schema ../schemas/profile.v1.schema.json\n"));
    CHECK(root.find("name")->text == entry.path().stem().string());
    ++count;
  }
  CHECK(count >= 9);
  for (const auto& listed : sp::list({kInstalled})) {
    INFO(listed.name);
    CHECK(listed.fault.empty());
    CHECK_FALSE(listed.title.empty());
  }
}

TEST_CASE("cdm has the four rows of the original script, read then write", "[profile][shipped]") {
  const auto profile = sp::load("cdm", {kInstalled});
  const auto jobs = std::get<std::vector<Job>>(sp::expand(std::get<Profile>(profile), {}));
  Strings rows;
  for (const Job& job : jobs) {
    rows.push_back(fmt::format("{} {}", job.label, sthd::to_text(job.workload.op)));
    CHECK(job.workload.cache == sthd::CacheMode::cold);
    CHECK(job.workload.direct == sthd::DirectMode::auto_);
    CHECK_FALSE(job.workload.engine_named);
    CHECK(job.workload.repeat == 1);
    CHECK(job.workload.interval_ns == 0);
  }
  CHECK(rows == Strings{"SEQ1M Q8T1 read", "SEQ1M Q8T1 write", "SEQ1M Q1T1 read",
                        "SEQ1M Q1T1 write", "RND4K Q32T1 read", "RND4K Q32T1 write",
                        "RND4K Q32T16 read", "RND4K Q32T16 write"});
}

TEST_CASE("slog writes 4 KiB with O_SYNC, buffered, at four widths", "[profile][shipped]") {
  const auto profile = sp::load("slog", {kInstalled});
  const auto jobs = std::get<std::vector<Job>>(sp::expand(std::get<Profile>(profile), {}));
  CHECK(labels(jobs) == Strings{"4K sync T1", "4K sync T4", "4K sync T8", "4K sync T16"});
  CHECK(ids(jobs) ==
        Strings{"sync4k/threads=1", "sync4k/threads=4", "sync4k/threads=8", "sync4k/threads=16"});
  for (const Job& job : jobs) {
    CHECK(job.workload.sync == sthd::SyncMode::o_sync);
    CHECK(job.workload.direct == sthd::DirectMode::off);
    CHECK(job.workload.cache == sthd::CacheMode::warm);
    CHECK(job.workload.engines == Strings{"psync"});
    CHECK(job.workload.engine_named);
    CHECK_FALSE(job.workload.end_fsync);
  }
}

TEST_CASE("dd goes once over the file, however large it is", "[profile][shipped]") {
  const auto profile = sp::load("dd", {kInstalled});
  Overrides overrides;
  overrides.set = {{"size", "4g"}};
  const auto jobs = std::get<std::vector<Job>>(sp::expand(std::get<Profile>(profile), overrides));
  CHECK(labels(jobs) == Strings{"write", "cold read", "warm read"});
  for (const Job& job : jobs) {
    CHECK(job.workload.bytes == 4 * sthd::kGiB);
    CHECK(job.workload.runtime_ns == 0);
    CHECK(job.workload.ramp_ns == 0);
    CHECK(job.workload.backends == Strings{"dd"});
    CHECK(job.workload.backend_named);
  }
}

TEST_CASE("CrystalDiskMark's presets read everything, then write everything",
          "[profile][shipped]") {
  struct Preset {
    std::string name;
    Strings rows;
  };
  for (const Preset& preset :
       {Preset{"cdm-default", {"SEQ1M Q8T1", "SEQ1M Q1T1", "RND4K Q32T1", "RND4K Q1T1"}},
        Preset{"cdm-nvme", {"SEQ1M Q8T1", "SEQ128K Q32T1", "RND4K Q32T16", "RND4K Q1T1"}}}) {
    INFO(preset.name);
    Strings expected;
    for (const char* op : {"read ", "write "}) {
      for (const std::string& row : preset.rows) expected.push_back(op + row);
    }
    const auto jobs = shipped(preset.name);
    CHECK(labels(jobs) == expected);
    for (const Job& job : jobs) {
      CHECK(job.label.starts_with(sthd::to_text(job.workload.op)));
      CHECK(job.workload.cache == sthd::CacheMode::cold);
      CHECK(job.workload.direct == sthd::DirectMode::auto_);
      CHECK(job.workload.runtime_ns == 5 * sthd::kSecond);
      CHECK(job.workload.size == sthd::kGiB);
      CHECK(job.workload.repeat == 5);
      CHECK(job.workload.order == sthd::Order::grouped);
      CHECK(job.workload.score == sthd::Score::max);
      CHECK(job.workload.interval_ns == 5 * sthd::kSecond);
    }
    CHECK(columns(preset.name) == Strings{"bw MB/s", "iops ", "lat.mean us"});
  }
  CHECK(shipped("cdm-nvme")[5].id ==
        "cdm/block_size=131072,op=write,pattern=sequential,queue_depth=32,threads=1");
}

TEST_CASE("sync-stream extends a new file by a hundred O_SYNC writes", "[profile][shipped]") {
  const auto jobs = shipped("sync-stream");
  REQUIRE(jobs.size() == 1);
  CHECK(jobs[0].label == "160M o_sync");
  const auto& work = jobs[0].workload;
  CHECK(work.op == sthd::Op::write);
  CHECK(work.pattern == sthd::Pattern::sequential);
  CHECK(work.block_size == 167'772'160);
  CHECK(work.ios == 100);
  CHECK(sthd::limit_in_ios(work) == 100);
  CHECK(work.size == 16'777'216'000);
  CHECK(work.sync == sthd::SyncMode::o_sync);
  CHECK(work.direct == sthd::DirectMode::off);
  CHECK(work.layout == sthd::Layout::none);
  CHECK(work.threads == 1);
  CHECK(work.runtime_ns == 0);
  CHECK(work.ramp_ns == 0);
  CHECK_FALSE(work.end_fsync);
  CHECK(work.engines == Strings{"psync"});
  CHECK(columns("sync-stream") == Strings{"bytes B", "seconds s", "bw MB/s"});
  // A smaller file is still extended only; a larger one is not filled.
  CHECK(sthd::limit_in_ios(shipped("sync-stream", with_size("1g"))[0].workload) == 6);
  CHECK(sthd::limit_in_ios(shipped("sync-stream", with_size("100g"))[0].workload) == 100);
}

TEST_CASE("drive-spec has the data sheet's four tests in its order", "[profile][shipped]") {
  const auto jobs = shipped("drive-spec");
  CHECK(labels(jobs) == Strings{"RND4K read", "RND4K write", "SEQ512K read", "SEQ512K write"});
  for (const Job& job : jobs) {
    CHECK(job.workload.queue_depth == 64);
    CHECK(job.workload.threads == 4);
    CHECK(job.workload.direct == sthd::DirectMode::required);
    CHECK_FALSE(job.workload.engine_named);
  }
}

TEST_CASE("etcd syncs each small write, and requires what etcd asks for", "[profile][shipped]") {
  const auto profile = sp::load("etcd", {kInstalled});
  const auto asked = std::get<sp::Asked>(sp::expand_all(std::get<Profile>(profile), {}));
  CHECK(labels(asked.jobs) == Strings{"2560 fdatasync"});
  const auto& work = asked.jobs.at(0).workload;
  CHECK(work.block_size == 2560);
  CHECK(work.sync == sthd::SyncMode::fdatasync);
  CHECK(work.direct == sthd::DirectMode::off);
  REQUIRE(asked.expectations.size() == 1);
  const sthd::Expectation& wal = asked.expectations[0];
  CHECK(wal.kind == sthd::ExpectKind::require);
  CHECK(wal.jobs == Strings{"wal"});
  REQUIRE(wal.ranges.size() == 1);
  CHECK(wal.ranges[0].metric == "sync.p99");
  CHECK(wal.ranges[0].high == 10e6);
}

TEST_CASE("slog expects of one Optane what one was measured at", "[profile][shipped]") {
  const auto profile = sp::load("slog", {kInstalled});
  const auto asked = std::get<sp::Asked>(sp::expand_all(std::get<Profile>(profile), {}));
  REQUIRE(asked.expectations.size() == 1);
  CHECK(asked.expectations[0].jobs == Strings{"sync4k/threads=1"});
  CHECK(asked.expectations[0].only_if.at(0).name == "log_device_model");
  CHECK(asked.expectations[0].ranges.size() == 2);
}

TEST_CASE("parallel-read passes over the whole file in each of its threads", "[profile][shipped]") {
  const auto jobs = shipped("parallel-read");
  REQUIRE(jobs.size() == 1);
  CHECK(jobs[0].label == "SEQ4K T16");
  const auto& work = jobs[0].workload;
  CHECK(work.op == sthd::Op::read);
  CHECK(work.block_size == 4096);
  CHECK(work.threads == 16);
  CHECK(work.queue_depth == 1);
  CHECK(work.size == 8 * sthd::kGiB);
  CHECK(work.bytes == 128 * sthd::kGiB);
  CHECK(work.region == sthd::Region::same);
  CHECK(work.direct == sthd::DirectMode::required);
  CHECK(work.runtime_ns == 0);
  CHECK(work.ramp_ns == 0);
  CHECK(work.engines == Strings{"psync"});
  CHECK(shipped("parallel-read", with_size("64MiB"))[0].workload.bytes == sthd::kGiB);
}

TEST_CASE("sync-doctor changes one key of a single 4 KiB sync write at a time, in two minutes",
          "[profile][shipped]") {
  const auto jobs = shipped("sync-doctor");
  CHECK(labels(jobs) == Strings{"4K sync T1 as-is", "4K sync T1 cores-awake",
                                "4K sync T1 cores-busy", "4K sync T1 governor-performance",
                                "4K T1 o_sync", "4K T1 o_dsync", "4K T1 fdatasync", "4K sync",
                                "16K sync", "32K sync", "64K sync", "128K sync", "4K sync T1",
                                "4K sync T4", "4K sync T16"});
  std::uint64_t time_ns = 0;
  for (const Job& job : jobs) {
    const auto& work = job.workload;
    CHECK(work.op == sthd::Op::write);
    CHECK(work.sync != sthd::SyncMode::none);
    CHECK(work.direct == sthd::DirectMode::off);
    CHECK(work.repeat == 5);
    const int changed = (work.condition != sthd::Condition::as_is ? 1 : 0) +
                        (work.sync != sthd::SyncMode::o_sync ? 1 : 0) +
                        (work.block_size != 4096 ? 1 : 0) + (work.threads != 1 ? 1 : 0);
    CHECK(changed <= 1);
    time_ns += work.repeat * (work.runtime_ns + work.ramp_ns);
  }
  CHECK(time_ns <= 120 * sthd::kSecond);
}
