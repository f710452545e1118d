#pragma once

#include <cstddef>
#include <string>
#include <string_view>
#include <vector>

#include "runner/record/json_io.hpp"
#include "sthd/facts.hpp"
#include "sthd/job.hpp"
#include "sthd/outcome.hpp"
#include "sthd/report.hpp"
#include "sthd/resolution.hpp"
#include "sthd/result.hpp"
#include "sthd/target.hpp"

// Private to runner/record: one pair write/read for each part of a Report. Readers throw ReadError.
namespace sthd::record {

Json write_target(const Target& target);
Target read_target(const Reader& json);

/// Without `op`, which stands beside the workload.
Json write_workload(const Workload& workload);
Workload read_workload(const Reader& json, Op op);

/// id, template, label, checks, op: what names a job.
Json write_job_name(const Job& job);
Job read_job_name(const Reader& json);
/// The name and the workload.
Json write_job(const Job& job);
Job read_job(const Reader& json);

Json write_resolution(const Resolution& resolution);
Resolution read_resolution(const Reader& json);

/// Adds `key`: {"name": number, text or null, …} in their order, and `key`_unknown:
/// {"name": "why it is null", …}.
void write_facts(Json& json, const std::string& key, const Facts& facts);
Facts read_facts(const Reader& json, const std::string& key);

Json write_verdict(const Verdict& verdict);
Verdict read_verdict(const Reader& json);

/// printed()
Json write_histogram(const LatencyHistogram& histogram);
LatencyHistogram read_histogram(const Reader& json);

/// An array for each member of the slices (printed()).
Json write_samples(const std::vector<Sample>& samples);
std::vector<Sample> read_samples(const Reader& json);

Json write_loop(const LoopResult& loop);
LoopResult read_loop(const Reader& json);

/// One entry of `jobs`, with its `derived`.
Json write_record(const ResultRecord& record);
ResultRecord read_record(const Reader& json);

/// For people with jq; never read back.
Json write_derived(const ResultRecord& record);

Json write_expectation(const Expectation& expectation);
Expectation read_expectation(const Reader& json);

Json write_judgement(const Judgement& judgement);
Judgement read_judgement(const Reader& json);

Json write_finding(const Finding& finding);
Finding read_finding(const Reader& json);

/// Whether a text holds all of a record, or only what was whole of one that was cut: some of the
/// jobs, and nothing behind them.
enum class Extent { whole, part };

struct ReadText {
  Report report;
  std::size_t planned = 0;  ///< jobs, also those of which a part does not know the workload
};
/// A record's text. The Error's message has no words around it: "argv is missing".
Outcome<ReadText> read_text(std::string_view text, Extent extent);

}  // namespace sthd::record
