#pragma once

#include <cstdint>
#include <optional>
#include <string>
#include <vector>

#include "sthd/expectation.hpp"
#include "sthd/facts.hpp"
#include "sthd/finding.hpp"
#include "sthd/result.hpp"
#include "sthd/target.hpp"

namespace sthd {

/// A column of the table: which metric of which direction, and how it is written.
struct Column {
  std::string id;
  std::string title;
  std::string metric;    ///< "iops", "bw", "lat.p99", …: what is_metric() knows
  std::optional<Op> op;  ///< empty = the row's only direction
  std::string unit;      ///< "MB/s", "us", "ms", "s", "B", "%", "" for counts
  int precision = 0;
};

struct ProfileFile {
  std::string path;
  std::string sha256;
  std::string text;
};

struct ProfileInfo {
  std::string name;
  std::string title;
  std::vector<ProfileFile> files;      ///< child first, then its parents
  std::string expanded_sha256;         ///< of the expanded jobs, canonical JSON
  std::vector<std::string> overrides;  ///< "runtime=30s", as the command line gave them
};

struct ToolInfo {
  std::string name = "speedtest-hd";
  std::string version;
  std::string build;  ///< "release", "dev", "asan", "tsan"
};

struct Environment {
  std::string hostname;
  std::string kernel;
  std::string distribution;
  std::string cpu_model;
  std::optional<std::uint32_t> cpus;
  std::optional<std::uint64_t> memory_bytes;
};

struct PlanInfo {
  std::vector<Job> jobs;  ///< in running order
  std::optional<double> estimated_seconds;
  std::optional<std::uint64_t> space_bytes;    ///< held on the target during the run
  std::optional<std::uint64_t> written_bytes;  ///< where known in advance: layout and limited jobs
};

/// All that a Formatter or an analysis rule sees.
struct Report {
  ToolInfo tool;
  std::string run_id;       ///< UUID
  std::string started_utc;  ///< ISO 8601, seconds
  std::vector<std::string> argv;
  ProfileInfo profile;
  std::vector<Column> columns;
  std::vector<Expectation> expectations;
  Environment environment;
  Target target;
  Facts facts;  ///< of host and target, before the run
  PlanInfo plan;
  std::vector<ResultRecord> records;  ///< finished jobs, in running order
  std::vector<Finding> findings;
  std::vector<Judgement> judgements;        ///< of the expectations, in their and the plan's order
  std::optional<std::uint64_t> elapsed_ns;  ///< wall time of the whole run
};

}  // namespace sthd
