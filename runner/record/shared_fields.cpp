#include "runner/record/shared_fields.hpp"

#include <string>
#include <vector>

namespace sthd::record {
namespace {

/// "/home/joe/x.json" → "x.json", also behind "json:" or "--output=". Relative paths stay.
std::string without_folder(const std::string& word) {
  std::size_t path = word.find_first_of("/~");
  if (path == std::string::npos) return word;
  if (path != 0 && word[path - 1] != ':' && word[path - 1] != '=') return word;
  const std::size_t last = word.find_last_not_of('/');
  if (last == std::string::npos || last < path) return word;
  const std::size_t slash = word.rfind('/', last);
  if (slash == std::string::npos) return word;
  return word.substr(0, path) + word.substr(slash + 1, last - slash);
}

std::vector<std::string> shared_words(const Report& report) {
  std::vector<std::string> words;
  for (const std::string& word : report.argv) {
    words.push_back(word == report.target.path ? word : without_folder(word));
  }
  return words;
}

ProfileInfo shared_profile(const ProfileInfo& profile) {
  ProfileInfo out;
  out.name = profile.name;
  out.title = profile.title;
  for (const ProfileFile& file : profile.files) {
    out.files.push_back({without_folder(file.path), file.sha256, ""});
  }
  out.expanded_sha256 = profile.expanded_sha256;
  out.overrides = profile.overrides;
  return out;
}

Environment shared_environment(const Environment& environment) {
  Environment out;
  out.kernel = environment.kernel;
  out.distribution = environment.distribution;
  out.cpu_model = environment.cpu_model;
  out.cpus = environment.cpus;
  out.memory_bytes = environment.memory_bytes;
  return out;
}

Target shared_target(const Target& target) {
  Target out;
  out.path = target.path;
  out.resolved_path = target.resolved_path;
  out.kind = target.kind;
  out.filesystem = target.filesystem;
  out.filesystem_version = target.filesystem_version;
  out.mount_point = target.mount_point;
  out.mount_options = shared_options(target.mount_options);
  out.source = target.source;
  out.device = target.device;
  out.total_bytes = target.total_bytes;
  out.available_bytes = target.available_bytes;
  out.direct_memory_alignment = target.direct_memory_alignment;
  out.direct_offset_alignment = target.direct_offset_alignment;
  out.direct_reported = target.direct_reported;
  return out;
}

LoopResult shared_loop(const LoopResult& loop) {
  LoopResult out;
  out.repeat = loop.repeat;
  out.read = loop.read;
  out.write = loop.write;
  out.per_thread = loop.per_thread;
  out.cache = loop.cache;
  out.cpu = loop.cpu;
  out.end_fsync_ns = loop.end_fsync_ns;
  out.submit_ns = loop.submit_ns;
  out.kernel_workers = loop.kernel_workers;
  out.counters = shared_facts(loop.counters);
  out.notes = loop.notes;
  return out;
}

ResultRecord shared_record(const ResultRecord& record) {
  ResultRecord out;
  out.job = record.job;
  out.status = record.status;
  out.reason = record.reason;
  out.resolution = record.resolution;
  for (const LoopResult& loop : record.loops) out.loops.push_back(shared_loop(loop));
  out.verdict = record.verdict;
  out.fio_command = record.fio_command;
  return out;
}

}  // namespace

Report shared_fields(const Report& report) {
  Report out;
  out.tool = report.tool;
  out.run_id = report.run_id;
  out.started_utc = report.started_utc;
  out.argv = shared_words(report);
  out.profile = shared_profile(report.profile);
  out.columns = report.columns;
  out.expectations = report.expectations;
  out.environment = shared_environment(report.environment);
  out.target = shared_target(report.target);
  out.facts = shared_facts(report.facts);
  out.plan = report.plan;
  for (const ResultRecord& record : report.records) out.records.push_back(shared_record(record));
  out.findings = report.findings;
  out.judgements = report.judgements;
  out.elapsed_ns = report.elapsed_ns;
  return out;
}

}  // namespace sthd::record
