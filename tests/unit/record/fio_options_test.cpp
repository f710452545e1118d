#include "runner/record/fio_options.hpp"

#include <map>
#include <string>

#include "support/catch.hpp"

namespace sthd::record {

namespace {

using Options = std::map<std::string, std::string>;

FioWorkload asked(const Options& own, const Options& global = {}) {
  const Json global_json(global);
  const Json own_json(own);
  return fio_workload(FioOptions(Reader(global_json), Reader(own_json)));
}

std::optional<std::uint64_t> parsed(std::string_view text, std::string_view kb_base = "1024") {
  const Json json{{"kb_base", kb_base}};
  return FioOptions(std::nullopt, Reader(json)).parse(text);
}

}  // namespace

TEST_CASE("fio's numbers: k is 1024 and KiB 1000, unless kb_base turns it round", "[record][fio]") {
  const std::vector<std::pair<std::string, std::optional<std::uint64_t>>> cases{
      {"4096", 4096},
      {"4k", 4096},
      {"4K", 4096},
      {"4kb", 4096},
      {"4kB", 4096},
      {"4Ki", 4096},
      {"4KiB", 4000},
      {"1m", 1 << 20},
      {"1MiB", 1000000},
      {"2g", 2ULL << 30},
      {"1t", 1ULL << 40},
      {"1p", 1ULL << 50},
      {"0x1000", 4096},
      {"0X10k", 16384},
      {"0", 0},
      {"7b", 7},
      {"", {}},
      {"k", {}},
      {"-1", {}},
      {"50%", {}},
      {"1e3", {}},
      {"4x", {}},
      {"4kk", {}},
      {"18446744073709551615", UINT64_MAX},
      {"18446744073709551616", {}},
      {"18446744073709551615k", {}}};
  for (const auto& [text, value] : cases) {
    CAPTURE(text);
    CHECK(parsed(text) == value);
  }
  CHECK(parsed("4k", "1000") == 4000);
  CHECK(parsed("4KiB", "1000") == 4096);
}

TEST_CASE("What fio is not told has fio's default", "[record][fio]") {
  const FioWorkload job = asked({});
  CHECK(job.kind == "read");
  CHECK(job.refusal.empty());
  CHECK(job.notes.empty());
  const Workload& w = job.workload;
  CHECK(w.op == Op::read);
  CHECK(w.pattern == Pattern::sequential);
  CHECK(w.block_size == 4096);
  CHECK(w.queue_depth == 1);
  CHECK(w.threads == 1);
  CHECK(w.sync == SyncMode::none);
  CHECK(w.direct == DirectMode::off);
  CHECK(w.size == 0);
  CHECK(w.runtime_ns == 0);
  CHECK(w.engines == std::vector<std::string>{"psync"});
  CHECK(w.region == Region::own);
}

TEST_CASE("A job's own options stand over the global ones", "[record][fio]") {
  const FioWorkload job =
      asked({{"rw", "randrw"}, {"rwmixread", "70"}, {"iodepth", "8"}}, {{"bs", "16k"},
                                                                        {"iodepth", "2"},
                                                                        {"direct", "1"},
                                                                        {"size", "2g"},
                                                                        {"runtime", "90"},
                                                                        {"ramp_time", "500ms"},
                                                                        {"ioengine", "libaio"},
                                                                        {"numjobs", "4"},
                                                                        {"filename", "/dev/sda"}});
  const Workload& w = job.workload;
  CHECK(w.op == Op::mixed);
  CHECK(w.pattern == Pattern::random);
  CHECK(w.read_percent == 70);
  CHECK(w.block_size == 16384);
  CHECK(w.queue_depth == 8);
  CHECK(w.threads == 4);
  CHECK(w.direct == DirectMode::required);
  CHECK(w.size == 2 * kGiB);
  CHECK(w.runtime_ns == 90 * kSecond);
  CHECK(w.ramp_ns == 500 * kMillisecond);
  CHECK(w.region == Region::same);
  CHECK(w.engines == std::vector<std::string>{"libaio"});
}

TEST_CASE("fio's words for a direction", "[record][fio]") {
  struct Case {
    const char* rw;
    Op op;
    Pattern pattern;
    const char* refusal;
  };
  const std::vector<Case> cases{{"read", Op::read, Pattern::sequential, ""},
                                {"write", Op::write, Pattern::sequential, ""},
                                {"randread", Op::read, Pattern::random, ""},
                                {"randwrite", Op::write, Pattern::random, ""},
                                {"rw", Op::mixed, Pattern::sequential, ""},
                                {"readwrite", Op::mixed, Pattern::sequential, ""},
                                {"randrw", Op::mixed, Pattern::random, ""},
                                {"randread:8", Op::read, Pattern::random, ""},
                                {"trim", Op::read, Pattern::sequential,
                                 "rw=trim has no row here; reads, writes and both have"},
                                {"randtrimwrite", Op::read, Pattern::random,
                                 "rw=randtrimwrite has no row here; reads, writes and both have"}};
  for (const Case& each : cases) {
    CAPTURE(each.rw);
    const FioWorkload job = asked({{"rw", each.rw}});
    CHECK(job.workload.op == each.op);
    CHECK(job.workload.pattern == each.pattern);
    CHECK(job.refusal == each.refusal);
  }
  CHECK(asked({{"rw", "randread:8"}}).notes == std::vector<std::string>{"rw=randread:8"});
  CHECK(asked({{"readwrite", "write"}}).workload.op == Op::write);
}

TEST_CASE("Sync modes of fio", "[record][fio]") {
  const std::vector<std::pair<Options, SyncMode>> cases{
      {{{"sync", "1"}}, SyncMode::o_sync},         {{{"sync", "sync"}}, SyncMode::o_sync},
      {{{"sync", "dsync"}}, SyncMode::o_dsync},    {{{"sync", "none"}}, SyncMode::none},
      {{{"sync", "0"}}, SyncMode::none},           {{{"fsync", "1"}}, SyncMode::fsync},
      {{{"fdatasync", "1"}}, SyncMode::fdatasync}, {{{"fsync", "32"}}, SyncMode::none}};
  for (const auto& [options, mode] : cases) {
    CAPTURE(options);
    CHECK(asked(options).workload.sync == mode);
  }
  CHECK(asked({{"fsync", "32"}}).notes == std::vector<std::string>{"fsync after every 32 writes"});
  CHECK(asked({{"rw", "write"}, {"end_fsync", "1"}}).workload.end_fsync);
  CHECK_FALSE(asked({{"rw", "read"}, {"end_fsync", "1"}}).workload.end_fsync);
}

TEST_CASE("Block sizes of several kinds are one size, or named", "[record][fio]") {
  CHECK(asked({{"rw", "write"}, {"bs", "8k,64k"}}).workload.block_size == 65536);
  CHECK(asked({{"rw", "read"}, {"bs", "8k,64k"}}).workload.block_size == 8192);
  CHECK(asked({{"rw", "write"}, {"bs", "8k,"}}).workload.block_size == 4096);
  const FioWorkload split = asked({{"bssplit", "4k/50:64k/50"}});
  CHECK(split.mixed_blocks);
  CHECK(split.refusal.empty());
  CHECK(split.notes == std::vector<std::string>{"bssplit=4k/50:64k/50"});
  const std::string several =
      "its reads and writes have blocks of several sizes, which one row cannot hold";
  CHECK(asked({{"rw", "rw"}, {"bs", "8k,64k"}}).refusal == several);
  CHECK(asked({{"rw", "rw"}, {"bsrange", "4k-64k"}}).refusal == several);
  CHECK(asked({{"rw", "rw"}, {"bs", "8k"}}).refusal.empty());
  CHECK(asked({{"bs", "potato"}}).mixed_blocks);
}

TEST_CASE("Limits, rates and distributions", "[record][fio]") {
  const Workload w = asked({{"numjobs", "4"},
                            {"number_ios", "100"},
                            {"io_size", "1m"},
                            {"rate_iops", "500,100"},
                            {"rw", "randwrite"},
                            {"random_distribution", "zipf:1.2"},
                            {"zero_buffers", ""}})
                         .workload;
  CHECK(w.ios == 400);
  CHECK(w.bytes == 4 * kMiB);
  CHECK(w.rate_iops == 400);
  CHECK(w.distribution == Distribution::zipf);
  CHECK(w.zipf_theta == 1.2);
  CHECK(w.buffer == BufferKind::zeros);
  CHECK(asked({{"rate", "40m"}, {"bs", "4k"}}).workload.rate_iops == 10240);
  const FioWorkload odd = asked({{"rw", "randread"}, {"random_distribution", "pareto:0.9"}});
  CHECK(odd.workload.distribution == Distribution::uniform);
  CHECK(odd.notes == std::vector<std::string>{"random_distribution=pareto:0.9"});
}

TEST_CASE("Numbers of fio's options that are out of reach are left out", "[record][fio]") {
  const Workload w = asked({{"numjobs", "0"},
                            {"iodepth", "99999999999999"},
                            {"size", "18446744073709551615"},
                            {"io_size", "18446744073709551615"},
                            {"runtime", "9999999999"}})
                         .workload;
  CHECK(w.threads == 1);
  CHECK(w.queue_depth == UINT32_MAX);
  CHECK(w.size == kMaxBytes);
  CHECK(w.bytes == 0);
  CHECK(w.runtime_ns == 0);
}

}  // namespace sthd::record
