#include <fmt/format.h>

#include <algorithm>
#include <set>

#include "kit/process/fio_text.hpp"
#include "runner/record/cut_record.hpp"
#include "runner/record/fio_figures.hpp"
#include "runner/record/fio_job.hpp"
#include "runner/record/import.hpp"
#include "runner/record/record.hpp"
#include "sthd/text.hpp"

namespace sthd::record {

namespace {

/// Names that are there already get a number: "a", "a #2".
class Names {
 public:
  void number(std::string& name) {
    const std::string wanted = name;
    for (int i = 2; !taken_.insert(name).second; ++i) name = fmt::format("{} #{}", wanted, i);
  }

 private:
  std::set<std::string> taken_;
};

/// fio counts its disks over the whole run: that is a job's own where there is one job, and no
/// ramp.
void add_disks(Report& report, const Facts& disks) {
  for (const Fact& fact : disks) {
    if (fact.name.ends_with(".name")) report.facts.push_back(fact);
  }
  for (ResultRecord& record : report.records) {
    if (record.loops.empty()) continue;
    const char* why = report.records.size() > 1         ? "fio counts it over all jobs together"
                      : record.job.workload.ramp_ns > 0 ? "fio counts it with the ramp"
                                                        : nullptr;
    for (Fact fact : disks) {
      const bool counted = std::holds_alternative<double>(fact.value);
      if (why != nullptr && counted) fact = {fact.name, {}, why};
      record.loops.front().counters.push_back(std::move(fact));
    }
  }
}

/// Jobs of one group run at the same time.
void add_company(Report& report, const std::vector<FioJob>& jobs) {
  for (std::size_t i = 0; i < jobs.size(); ++i) {
    const bool shared = std::any_of(jobs.begin(), jobs.end(), [&](const FioJob& other) {
      return &other != &jobs[i] && other.group == jobs[i].group;
    });
    if (!shared || report.records[i].loops.empty()) continue;
    report.records[i].loops.front().notes.emplace_back(
        "fio ran it together with the other jobs of its group");
  }
}

/// The place that all jobs have in common, if there is one.
Target target_of(const std::vector<FioJob>& jobs) {
  Target target;
  std::set<std::string> paths;
  for (const FioJob& job : jobs) {
    const auto file = job.options.text("filename");
    paths.insert(file ? *file : job.options.text("directory").value_or(""));
    if (file) target.kind = TargetKind::file;
    if (file && file->starts_with("/dev/")) target.kind = TargetKind::block_device;
  }
  if (paths.size() == 1) target.path = *paths.begin();
  return target;
}

/// Some row has bins of this latency: fio's json has none, its json+ by default those of clat.
template <class F>
bool any_bins(const Report& report, F latency_of) {
  const auto has = [&](const std::optional<OpResult>& op) {
    const LatencyHistogram* latency = op ? latency_of(*op) : nullptr;
    return latency != nullptr && latency->count() > 0 && latency->has_bins();
  };
  for (const ResultRecord& record : report.records) {
    for (const LoopResult& loop : record.loops) {
      if (has(loop.read) || has(loop.write)) return true;
    }
  }
  return false;
}

/// The latency whose percentiles are known; empty = none.
std::string_view binned(const Report& report) {
  const auto clat_of = [](const OpResult& op) { return op.clat ? &*op.clat : nullptr; };
  if (any_bins(report, [](const OpResult& op) { return &op.lat; })) return "lat";
  return any_bins(report, clat_of) ? "clat" : "";
}

std::vector<Column> columns_of(const Report& report) {
  const std::string_view percentiles = binned(report);
  std::vector<Column> columns;
  const auto add = [&](std::optional<Op> op, std::string_view id, std::string_view head) {
    const auto name = [](std::string_view first, std::string_view second) {
      return fmt::format("{}{}", first, second);
    };
    columns.push_back({name(id, "iops"), name(head, "IOPS"), "iops", op, "", 0});
    columns.push_back({name(id, "bw"), name(head, "MB/s"), "bw", op, "MB/s", 2});
    columns.push_back({name(id, "mean"), name(head, "mean(us)"), "lat.mean", op, "us", 1});
    for (const std::string_view p : {"p50", "p99"}) {
      if (percentiles.empty()) continue;
      columns.push_back({name(id, p), fmt::format("{}{} {}(us)", head, p, percentiles),
                         fmt::format("{}.{}", percentiles, p), op, "us", 1});
    }
  };
  const bool mixed = std::any_of(report.records.begin(), report.records.end(),
                                 [](const auto& r) { return r.job.workload.op == Op::mixed; });
  if (!mixed) {
    add(std::nullopt, "", "");
  } else {
    add(Op::read, "read_", "R ");
    add(Op::write, "write_", "W ");
  }
  return columns;
}

/// Older ones count latencies in microseconds and bytes in KiB, under the same names.
std::string version_of(const Reader& document) {
  const Reader said = document.at("fio version");
  const auto version = process::fio_version(said.text());
  if (!version) said.fail(fmt::format("is \"{}\", which is no version of fio", said.text()));
  constexpr std::pair<unsigned, unsigned> kNanoseconds{2, 99};
  if (version->number && *version->number < kNanoseconds) {
    throw ReadError(
        fmt::format("{} has other units; run it again with fio 3.0 or later", version->text));
  }
  return version->text;
}

Report read_document(const Reader& document) {
  const std::string version = version_of(document);
  if (document.find("client_stats")) {
    throw ReadError("it is of a fio that ran as client; give the report of one that ran the jobs");
  }
  Report report;
  report.tool = {"fio", version.substr(version.find('-') + 1), {}};
  report.profile.name = "fio";
  const std::vector<FioJob> jobs = read_fio_jobs(document);
  Names ids;
  Names labels;
  for (const FioJob& job : jobs) {
    ResultRecord& record = report.records.emplace_back(read_fio_record(job, version));
    ids.number(record.job.id);
    labels.number(record.job.label);
    report.plan.jobs.push_back(record.job);
  }
  add_disks(report, read_fio_disks(document));
  add_company(report, jobs);
  report.target = target_of(jobs);
  report.columns = columns_of(report);
  return report;
}

/// The last complete document among fio's messages; the whole text where there is none, so that its
/// fault is named.
std::string_view document_in(std::string_view text) {
  const auto begin = text.find_first_not_of(" \t\r\n");
  const bool alone = begin != std::string_view::npos && text[begin] == '{' &&
                     text.substr(begin, 2) != "{\n" && text.substr(begin, 2) != "{\r";
  if (alone) return text;  // printed again by another program
  const process::FioOutput output = process::split_fio_output(text);
  return output.documents.empty() ? text : output.documents.back();
}

/// Inside of a text of JSON its quotes would be escaped.
bool is_from_fio(std::string_view text) {
  constexpr std::string_view kKey = "\"fio version\"";
  const auto at = text.find(kKey);
  return at != std::string_view::npos && (at == 0 || text[at - 1] != '\\');
}

}  // namespace

Outcome<Report> from_fio_json(std::string_view text) {
  try {
    const Json json = parse(document_in(text), Repeated::last_wins);
    return read_document(Reader(json));
  } catch (const std::exception& e) {
    return Error{ErrorCode::refused, std::string("fio's report cannot be read: ") + e.what(), 0};
  }
}

Outcome<Imported> import_report(std::string_view text) {
  if (!is_from_fio(text)) return import_record(text);
  auto report = from_fio_json(text);
  if (!report) return report.error();
  Imported imported{.report = std::move(*report), .source = Source::fio};
  imported.planned = imported.report.plan.jobs.size();
  return imported;
}

}  // namespace sthd::record
