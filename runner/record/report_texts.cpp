#include "runner/record/report_texts.hpp"

#include <initializer_list>
#include <variant>
#include <vector>

namespace sthd::record {
namespace {

class Walk {
 public:
  explicit Walk(const std::function<void(std::string&, TextKind)>& visit) : visit_(visit) {}

  void report(Report& report) {
    words({&report.tool.name, &report.tool.version, &report.tool.build, &report.run_id,
           &report.started_utc});
    host(report);
    profile(report.profile);
    for (Column& column : report.columns) {
      free({&column.id, &column.title});
      words({&column.metric, &column.unit});
    }
    for (Expectation& each : report.expectations) expectation(each);
    for (Job& each : report.plan.jobs) job(each);
    for (ResultRecord& each : report.records) record(each);
    for (Finding& each : report.findings) finding(each);
    for (Judgement& each : report.judgements) {
      free({&each.expectation, &each.job, &each.reason});
      words({&each.range.metric});
    }
  }

 private:
  using Texts = std::initializer_list<std::string*>;

  void free(Texts texts) {
    for (std::string* text : texts) visit_(*text, TextKind::free);
  }
  void free(std::vector<std::string>& texts) {
    for (std::string& text : texts) visit_(text, TextKind::free);
  }
  void words(Texts texts) {
    for (std::string* text : texts) visit_(*text, TextKind::word);
  }
  void words(std::vector<std::string>& texts) {
    for (std::string& text : texts) visit_(text, TextKind::word);
  }

  void host(Report& report) {
    Environment& environment = report.environment;
    Target& target = report.target;
    free({&environment.hostname, &environment.kernel, &environment.distribution,
          &environment.cpu_model, &target.path, &target.resolved_path, &target.mount_point,
          &target.mount_options, &target.source, &target.filesystem_version});
    words({&target.filesystem, &target.device});
    free(report.argv);
    facts(report.facts);
  }

  void profile(ProfileInfo& profile) {
    free({&profile.name, &profile.title});
    words({&profile.expanded_sha256});
    free(profile.overrides);
    for (ProfileFile& file : profile.files) {
      free({&file.path, &file.text});
      words({&file.sha256});
    }
  }

  void facts(Facts& facts) {
    for (Fact& fact : facts) {
      words({&fact.name});
      if (auto* text = std::get_if<std::string>(&fact.value)) free({text});
      free({&fact.unknown_because});
    }
  }

  void expectation(Expectation& each) {
    free({&each.id, &each.source, &each.remedy});
    free(each.jobs);
    for (FactPattern& pattern : each.only_if) {
      words({&pattern.name});
      free({&pattern.glob});
    }
    for (ExpectedRange& range : each.ranges) words({&range.metric});
  }

  void job(Job& job) {
    free({&job.id, &job.template_id, &job.label, &job.checks});
    words(job.workload.engines);
    words(job.workload.backends);
  }

  void record(ResultRecord& record) {
    job(record.job);
    if (record.reason) free({&*record.reason});
    free({&record.fio_command});
    Resolution& how = record.resolution;
    words({&how.backend, &how.engine});
    free({&how.backend_version, &how.direct_reason, &how.note, &how.reason});
    for (Attempt& attempt : how.tried) free({&attempt.what, &attempt.refused});
    for (LoopResult& loop : record.loops) {
      free({&loop.cache.reached_by});
      facts(loop.counters);
      free(loop.notes);
    }
    for (Layer& layer : record.verdict.layers) words({&layer.name});
  }

  void finding(Finding& finding) {
    words({&finding.code});
    free({&finding.job, &finding.mark, &finding.text, &finding.remedy});
    for (Evidence& each : finding.evidence) {
      words({&each.name});
      if (auto* text = std::get_if<std::string>(&each.value)) free({text});
    }
  }

  const std::function<void(std::string&, TextKind)>& visit_;
};

}  // namespace

void each_text(Report& report, const std::function<void(std::string&, TextKind)>& visit) {
  Walk(visit).report(report);
}

}  // namespace sthd::record
