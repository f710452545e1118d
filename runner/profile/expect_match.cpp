#include <fmt/format.h>

#include <algorithm>
#include <utility>

#include "runner/profile/expect.hpp"

namespace sthd::profile {
namespace {

/// Whether `match.job` names the case: by its template, or whole.
bool is_named(const std::string& name, const Case& candidate) {
  return name == candidate.template_id || name == candidate.id();
}

Diagnostic nothing_named(const Value& name, const std::vector<const Case*>& cases) {
  std::vector<std::string> known;
  for (const Case* each : cases) {
    for (std::string text : {each->template_id, each->id()}) {
      if (std::find(known.begin(), known.end(), text) == known.end()) {
        known.push_back(std::move(text));
      }
    }
  }
  return fault_at(name.place, fmt::format("no job is called {}", in_quotes(name.text)),
                  did_you_mean(name.text, known));
}

bool has_template(const std::string& name, const std::vector<const Case*>& cases) {
  return std::any_of(cases.begin(), cases.end(), [&name](const Case* each) {
    return each->template_id == name.substr(0, name.find('/'));
  });
}

}  // namespace

Matched match_cases(const Value& expect, const std::vector<const Case*>& cases) {
  Matched result;
  std::vector<const Case*> left = cases;
  const Value all;
  const Value* match = expect.find("match");
  for (const Entry& entry : (match != nullptr ? *match : all).entries) {
    const bool job = entry.key == "job";
    std::erase_if(left, [&](const Case* each) {
      return job ? !is_named(entry.value.text, *each) : !matches(entry.key, entry.value, *each);
    });
    if (!left.empty()) continue;
    result.no_such_job = job && !has_template(entry.value.text, cases);
    result.why_none =
        job ? nothing_named(entry.value, cases)
            : fault_at(entry.value.place, fmt::format("no job that expect {} is about has this {}",
                                                      in_quotes(text_of(expect, "id")), entry.key));
    return result;
  }
  for (const Case* each : left) result.jobs.push_back(each->id());
  return result;
}

}  // namespace sthd::profile
