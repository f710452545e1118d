#include <fmt/format.h>
#include <fnmatch.h>

#include <algorithm>
#include <map>
#include <set>

#include "runner/profile/expect.hpp"
#include "runner/profile/label.hpp"
#include "runner/profile/resolve.hpp"
#include "runner/profile/state.hpp"

namespace sthd::profile {
namespace {

constexpr std::size_t kManyCases = 256;
constexpr std::size_t kLabelsNamed = 8;

/// A job and where it came from.
struct Expanded {
  Case from;
  Job job;
};

class Expansion {
 public:
  Expansion(const Profile::State& state, const Overrides& overrides)
      : state_(state), overrides_(overrides) {}

  Checked<Asked> run() {
    auto given = read_command_line(overrides_);
    if (auto* faults = std::get_if<Diagnostics>(&given)) return std::move(*faults);
    const auto steps = {&Expansion::multiply,     &Expansion::check_ids, &Expansion::resolve_all,
                        &Expansion::check_labels, &Expansion::expect,    &Expansion::select,
                        &Expansion::check_columns};
    given_ = std::move(std::get<CommandLine>(given));
    for (const auto step : steps) {
      (this->*step)();
      if (faults_.empty()) continue;
      tidy(faults_);
      return std::move(faults_);
    }
    Asked asked;
    asked.jobs.reserve(all_.size());
    for (Expanded& expanded : all_) asked.jobs.push_back(std::move(expanded.job));
    asked.expectations = about(asked.jobs);
    return asked;
  }

 private:
  void fault(const Place& place, std::string message, std::string suggestion = {}) {
    faults_.push_back(fault_at(place, std::move(message), std::move(suggestion)));
  }

  void multiply() {
    for (const Value* job : tables_of(state_.root, "job")) {
      for (Case& one : cases_of(state_.root, *job, given_, faults_)) {
        all_.push_back({std::move(one), {}});
      }
      if (all_.size() <= kMostCases) continue;
      return fault(job->find("id")->place,
                   fmt::format("this profile makes more than {} cases", kMostCases),
                   "shorten its axes");
    }
  }

  static bool equal(const Case& a, const Case& b) {
    return std::equal(a.settings.begin(), a.settings.end(), b.settings.begin(), b.settings.end(),
                      [](const auto& x, const auto& y) {
                        return x.first == y.first && x.second.setting == y.second.setting;
                      });
  }

  /// An id stands for one case. Cases that the command line made equal are one.
  void check_ids() {
    std::map<std::string, std::size_t> first;  // id to index in `kept`
    std::vector<Expanded> kept;
    for (Expanded& expanded : all_) {
      const auto [at, fresh] = first.try_emplace(expanded.from.id(), kept.size());
      if (fresh) {
        kept.push_back(std::move(expanded));
      } else if (given_.empty() || !equal(kept[at->second].from, expanded.from)) {
        fault(expanded.from.job->find("id")->place,
              fmt::format("the case {} appears twice", in_quotes(at->first)),
              "list each value of an axis once");
      }
    }
    all_ = std::move(kept);
  }

  void resolve_all() {
    for (Expanded& expanded : all_) {
      if (faults_.size() <= kMaxFaults) expanded.job = resolve(expanded.from, faults_);
    }
  }

  void check_labels() {
    std::map<std::pair<std::string, Op>, const Expanded*> rows;
    for (const Expanded& expanded : all_) {
      const Expanded* other = nullptr;
      for (const Op op : directions(expanded.job.workload.op)) {
        const auto [at, fresh] = rows.try_emplace({expanded.job.label, op}, &expanded);
        if (!fresh && other == nullptr) other = at->second;
      }
      if (other != nullptr && faults_.size() <= kMaxFaults) same_label(*other, expanded);
    }
  }

  /// What a row's columns may show of a case: a mixed one has figures of both.
  static std::vector<Op> directions(Op op) {
    return op == Op::mixed ? std::vector<Op>{Op::read, Op::write} : std::vector<Op>{op};
  }

  /// The label does not tell two cases apart: says which axis it lacks.
  void same_label(const Expanded& a, const Expanded& b) {
    const Value& label = *b.from.job->find("label");
    std::string lacking;
    const bool same_op = a.job.workload.op == b.job.workload.op;
    const auto consider = [&](const std::string& key) {
      const auto x = a.from.settings.find(key);
      const auto y = b.from.settings.find(key);
      const bool differs = x == a.from.settings.end() || y == b.from.settings.end() ||
                           x->second.setting != y->second.setting;
      if (lacking.empty() && differs && (key != "op" || !same_op)) lacking = key;
    };
    if (!same_op) consider("op");
    for (const std::string& key : b.from.axes) consider(key);
    for (const auto& [key, value] : b.from.settings) consider(key);
    const std::string kinds = same_op
                                  ? fmt::format("two {} cases", to_text(b.job.workload.op))
                                  : fmt::format("a {} and a {} case", to_text(a.job.workload.op),
                                                to_text(b.job.workload.op));
    const std::string both = fmt::format("the label {} stands for {}, {} and {}",
                                         in_quotes(b.job.label), kinds, a.job.id, b.job.id);
    if (lacking.empty()) return fault(label.place, both, "give one of the jobs another label");
    fault(label.place, fmt::format("{}: it lacks {}", both, lacking),
          fmt::format("add {{{}}} to it", lacking));
  }

  void expect() {
    std::vector<const Case*> cases;
    for (const Expanded& expanded : all_) cases.push_back(&expanded.from);
    expectations_ = state_.expectations;
    const std::vector<const Value*> tables = tables_of(state_.root, "expect");
    for (std::size_t i = 0; i < tables.size(); ++i) {
      Matched matched = match_cases(*tables[i], cases);
      expectations_[i].jobs = std::move(matched.jobs);
      const auto& file = tables[i]->find("id")->place.file;
      const bool own = file != nullptr && file->path == state_.info.files.front().path;
      const bool mistaken = own && (matched.no_such_job || given_.empty());
      if (matched.why_none && mistaken) faults_.push_back(std::move(*matched.why_none));
    }
  }

  /// The expectations, each with those of its jobs that run.
  std::vector<Expectation> about(const std::vector<Job>& jobs) {
    std::set<std::string_view> ids;
    for (const Job& job : jobs) ids.insert(job.id);
    for (Expectation& each : expectations_) {
      std::erase_if(each.jobs, [&ids](const std::string& id) { return ids.count(id) == 0; });
    }
    std::erase_if(expectations_, [](const Expectation& each) { return each.jobs.empty(); });
    return std::move(expectations_);
  }

  [[nodiscard]] bool chosen(const Job& job) const {
    return std::any_of(overrides_.only.begin(), overrides_.only.end(), [&](const auto& glob) {
      return ::fnmatch(glob.c_str(), job.label.c_str(), 0) == 0 ||
             ::fnmatch(glob.c_str(), job.id.c_str(), 0) == 0 ||
             ::fnmatch(glob.c_str(), job.template_id.c_str(), 0) == 0;
    });
  }

  void select() {
    if (!overrides_.only.empty()) {
      std::vector<Expanded> kept;
      std::copy_if(all_.begin(), all_.end(), std::back_inserter(kept),
                   [this](const Expanded& expanded) { return chosen(expanded.job); });
      if (kept.empty()) return nothing_chosen();
      all_ = std::move(kept);
    }
    if (all_.size() <= kManyCases || overrides_.many) return;
    faults_.push_back(fault_of(
        state_.info.files.front().path,
        fmt::format("this profile makes {} cases, and more than {} run only with --yes-many",
                    all_.size(), kManyCases),
        "give it, or choose some with --only"));
  }

  void nothing_chosen() {
    std::vector<std::string> labels;
    for (const Expanded& expanded : all_) {
      const std::string& label = expanded.job.label;
      if (std::find(labels.begin(), labels.end(), label) == labels.end()) labels.push_back(label);
    }
    const bool more = labels.size() > kLabelsNamed;
    if (more) labels.resize(kLabelsNamed);
    faults_.push_back(
        fault_of({},
                 fmt::format("command line: no label and no id matches --only {}",
                             fmt::join(overrides_.only, " --only ")),
                 fmt::format("the labels are {}{}", list_in_quotes(labels), more ? ", ..." : "")));
  }

  /// A column without an op needs rows of one direction.
  void check_columns() {
    std::map<std::string, std::set<Op>> rows;
    for (const Expanded& expanded : all_) {
      auto& of_row = rows[expanded.job.label];
      for (const Op op : directions(expanded.job.workload.op)) of_row.insert(op);
    }
    const auto both = std::find_if(rows.begin(), rows.end(),
                                   [](const auto& row) { return row.second.size() > 1; });
    if (both == rows.end()) return;
    for (const Value* column : tables_of(state_.root, "column")) {
      if (column->find("op") != nullptr) continue;
      fault(column->find("id")->place,
            fmt::format("column {} has no op, and the row {} reads and writes",
                        in_quotes(text_of(*column, "id")), in_quotes(both->first)),
            "add op = \"read\" or op = \"write\"");
    }
  }

  const Profile::State& state_;
  const Overrides& overrides_;
  CommandLine given_;
  std::vector<Expanded> all_;
  std::vector<Expectation> expectations_;
  Diagnostics faults_;
};

}  // namespace

Checked<Asked> expand_all(const Profile& profile, const Overrides& overrides) try {
  return Expansion(profile.state(), overrides).run();
} catch (const std::exception& e) {
  return Diagnostics{fault_of({}, fmt::format("the profile cannot be expanded: {}", e.what()))};
}

Checked<std::vector<Job>> expand(const Profile& profile, const Overrides& overrides) {
  auto all = expand_all(profile, overrides);
  if (auto* faults = std::get_if<Diagnostics>(&all)) return std::move(*faults);
  return std::move(std::get<Asked>(all).jobs);
}

}  // namespace sthd::profile
