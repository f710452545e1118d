#include "runner/app/run_names.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <charconv>

#include "sthd/text.hpp"

namespace sthd::app {
namespace {

constexpr std::size_t kLongestId = 36;  // of a UUID
constexpr std::string_view kWays = "`speedtest-hd history` lists them";

Error refused(std::string sentence) { return {ErrorCode::refused, std::move(sentence), 0}; }

/// "1 run is", "3 runs are".
std::string runs_are(std::size_t count) {
  return fmt::format("{} run{}", count, count == 1 ? " is" : "s are");
}

Outcome<host::KeptRun> by_index(const std::vector<host::KeptRun>& runs, std::string_view word) {
  constexpr std::string_view kBegin = "@-";
  std::size_t index = 0;
  const std::string_view digits = word.substr(std::min(kBegin.size(), word.size()));
  const auto [end, code] = std::from_chars(digits.data(), digits.data() + digits.size(), index);
  const bool number = word.starts_with(kBegin) && end == digits.data() + digits.size() &&
                      code == std::errc{} && index > 0;
  if (!number) {
    return refused(
        fmt::format("{} names no run: @-1 is the newest, @-2 the one before it", display(word)));
  }
  if (runs.empty()) return refused(fmt::format("{} names no run: none is kept yet", word));
  if (index > runs.size()) {
    return refused(fmt::format("{} names no run: {} kept; {}", word, runs_are(runs.size()), kWays));
  }
  return runs[index - 1];
}

/// The eight digits in a file's name are the beginning of the whole id.
bool has_id(const host::KeptRun& run, std::string_view word) {
  return run.id.starts_with(word) || (word.size() > run.id.size() && word.starts_with(run.id));
}

}  // namespace

bool is_index(std::string_view word) { return word.starts_with('@'); }

bool may_be_run(std::string_view word) {
  const bool id = !word.empty() && word.size() <= kLongestId && word != "-" &&
                  word.find_first_not_of("0123456789abcdef-") == std::string_view::npos;
  return id || host::parse_run_name(word);
}

Outcome<host::KeptRun> find_run(const std::vector<host::KeptRun>& runs, std::string_view word) {
  if (is_index(word)) return by_index(runs, word);
  std::vector<std::string> ids;
  const host::KeptRun* found = nullptr;
  for (const host::KeptRun& run : runs) {
    if (run.name != word && !has_id(run, word)) continue;
    found = &run;
    ids.push_back(run.name == word ? run.name : run.id);
  }
  if (found == nullptr) {
    return refused(
        fmt::format("there is neither a file nor a kept run called {}; "
                    "`speedtest-hd history` lists the runs",
                    display(word)));
  }
  if (ids.size() == 1) return *found;
  return refused(fmt::format("{} begins the id of {} kept runs ({}): give more of it, or @-N",
                             display(word), ids.size(), fmt::join(ids, ", ")));
}

Outcome<std::string> read_run(std::string_view word) {
  const auto store = host::RunStore::open(host::invoking_user());
  if (!store) return refused(store.error().message);
  const auto runs = store->runs();
  if (!runs) return refused(runs.error().message);
  const auto run = find_run(*runs, word);
  if (!run) return run.error();
  auto text = store->read(*run);
  if (!text) return refused(text.error().message);
  return text;
}

}  // namespace sthd::app
