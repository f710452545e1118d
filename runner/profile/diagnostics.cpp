#include "runner/profile/diagnostics.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <array>
#include <map>
#include <tuple>
#include <utility>

#include "sthd/text.hpp"

namespace sthd::profile {
namespace {

constexpr std::size_t kQuotedLength = 60;  // code points
constexpr std::size_t kLineLength = 160;   // code points of a source line that are shown
constexpr std::size_t kLineBefore = 60;    // of these, before the fault
constexpr std::size_t kLongestWord = 64;   // longer keys are no typing mistakes

bool continues(char c) { return (static_cast<unsigned char>(c) & 0xC0U) == 0x80U; }

/// Offset of code point `count` (from 0), or the end.
std::size_t offset_of(std::string_view text, std::size_t count) {
  std::size_t offset = 0;
  while (offset < text.size() && count > 0) {
    ++offset;
    while (offset < text.size() && continues(text[offset])) ++offset;
    --count;
  }
  return offset;
}

/// Damerau-Levenshtein (a swap of neighbours is one step).
std::size_t distance(std::string_view a, std::string_view b) {
  std::vector<std::vector<std::size_t>> cost(a.size() + 1, std::vector<std::size_t>(b.size() + 1));
  for (std::size_t i = 0; i <= a.size(); ++i) cost[i][0] = i;
  for (std::size_t j = 0; j <= b.size(); ++j) cost[0][j] = j;
  for (std::size_t i = 1; i <= a.size(); ++i) {
    for (std::size_t j = 1; j <= b.size(); ++j) {
      const std::size_t change = a[i - 1] == b[j - 1] ? 0 : 1;
      cost[i][j] = std::min({cost[i - 1][j] + 1, cost[i][j - 1] + 1, cost[i - 1][j - 1] + change});
      if (i > 1 && j > 1 && a[i - 1] == b[j - 2] && a[i - 2] == b[j - 1]) {
        cost[i][j] = std::min(cost[i][j], cost[i - 2][j - 2] + 1);
      }
    }
  }
  return cost[a.size()][b.size()];
}

/// What fio, dd and elbencho call it.
constexpr std::array<std::pair<std::string_view, std::string_view>, 17> kElsewhere{
    {{"bs", "block_size"},
     {"blocksize", "block_size"},
     {"iodepth", "queue_depth"},
     {"qd", "queue_depth"},
     {"depth", "queue_depth"},
     {"numjobs", "threads"},
     {"rw", "op"},
     {"ioengine", "engine"},
     {"ramp_time", "ramp"},
     {"number_ios", "ios"},
     {"duration", "runtime"},
     {"rwmixread", "read_percent"},
     {"rwmixpct", "read_percent"},
     {"random_distribution", "distribution"},
     {"hipri", "poll"},
     {"sqthread_poll", "sqpoll"},
     {"log_avg_msec", "sample"}}};

std::string caret_lines(const Diagnostic& fault) {
  std::string_view line = fault.source_line;
  std::size_t column = fault.column > 0 ? fault.column - 1 : 0;
  std::string_view before;
  std::string_view after;
  if (offset_of(line, kLineLength) < line.size()) {  // a long line: only what is near the fault
    const std::size_t skipped = column > kLineBefore ? column - kLineBefore : 0;
    line.remove_prefix(offset_of(line, skipped));
    column -= skipped;
    before = skipped > 0 ? "..." : "";
    const std::size_t end = offset_of(line, kLineLength);
    after = end < line.size() ? "..." : "";
    line = line.substr(0, end);
  }
  const std::size_t begin = offset_of(line, column);
  const std::string_view marked = line.substr(begin, offset_of(line.substr(begin), fault.length));
  const std::size_t indent = before.size() + display_width(display(line.substr(0, begin)));
  const std::size_t width = std::max<std::size_t>(1, display_width(display(marked)));
  return fmt::format("{:>5} | {}{}{}\n{:>5} | {:>{}}^{:~>{}}{}{}\n", fault.line, before,
                     display(line), after, "", "", indent, "", width - 1,
                     fault.suggestion.empty() ? "" : " ", display(fault.suggestion));
}

}  // namespace

Diagnostic fault_at(const Place& place, std::string message, std::string suggestion) {
  Diagnostic fault;
  if (place.file != nullptr) {
    fault.file = place.file->path;
    fault.source_line = place.file->line(place.line);
  }
  fault.line = place.line;
  fault.column = place.column;
  fault.length = place.length;
  fault.message = std::move(message);
  fault.suggestion = std::move(suggestion);
  return fault;
}

Diagnostic fault_of(std::string path, std::string message, std::string suggestion) {
  Diagnostic fault;
  fault.file = std::move(path);
  fault.message = std::move(message);
  fault.suggestion = std::move(suggestion);
  return fault;
}

std::string in_quotes(std::string_view text) {
  const std::size_t end = offset_of(text, kQuotedLength);
  return fmt::format("\"{}{}\"", text.substr(0, end), end < text.size() ? "..." : "");
}

std::string list_in_quotes(const std::vector<std::string>& texts) {
  std::string result;
  for (const std::string& text : texts) {
    if (!result.empty()) result += ", ";
    result += in_quotes(text);
  }
  return result;
}

std::string did_you_mean(std::string_view word, const std::vector<std::string>& candidates) {
  if (word.size() > kLongestWord) return {};
  const auto known = [&candidates](std::string_view key) {
    return std::find(candidates.begin(), candidates.end(), key) != candidates.end();
  };
  for (const auto& [theirs, ours] : kElsewhere) {
    if (theirs == word && known(ours)) return fmt::format("did you mean {}?", in_quotes(ours));
  }
  const auto longer = std::find_if(candidates.begin(), candidates.end(), [word](const auto& text) {
    return word.size() > 2 && text.size() > word.size() && text.starts_with(word);
  });
  std::string best;
  std::size_t nearest = std::max<std::size_t>(word.size() > 3 ? 2 : 1, word.size() / 3) + 1;
  for (const std::string& candidate : candidates) {
    const std::size_t steps = distance(word, candidate);
    if (steps < nearest && steps < candidate.size() && steps < word.size()) {
      nearest = steps;
      best = candidate;
    }
  }
  if (best.empty() && longer != candidates.end()) best = *longer;  // "seq"
  return best.empty() ? std::string() : fmt::format("did you mean {}?", in_quotes(best));
}

void tidy(Diagnostics& diagnostics) {
  std::map<std::string, std::size_t> order;
  for (const Diagnostic& fault : diagnostics) order.try_emplace(fault.file, order.size());
  const auto key = [&order](const Diagnostic& fault) {
    return std::make_tuple(order.at(fault.file), fault.line, fault.column);
  };
  std::stable_sort(diagnostics.begin(), diagnostics.end(),
                   [&key](const auto& a, const auto& b) { return key(a) < key(b); });
  const auto same = [&key](const auto& a, const auto& b) {
    return key(a) == key(b) && a.message == b.message;
  };
  diagnostics.erase(std::unique(diagnostics.begin(), diagnostics.end(), same), diagnostics.end());
  if (diagnostics.size() <= kMaxFaults) return;
  diagnostics.resize(kMaxFaults);
  diagnostics.push_back(fault_of(diagnostics.back().file,
                                 fmt::format("only the first {} faults are shown", kMaxFaults)));
}

std::string render(const Diagnostics& diagnostics) {
  std::string text;
  for (const Diagnostic& fault : diagnostics) {
    if (!fault.file.empty()) text += display(fault.file) + ":";
    if (fault.line > 0) text += fmt::format("{}:{}:", fault.line, fault.column);
    if (!text.empty() && text.back() == ':') text += ' ';
    text += display(fault.message);
    if (fault.line == 0 && !fault.suggestion.empty()) text += "; " + display(fault.suggestion);
    text += '\n';
    if (fault.line > 0) text += caret_lines(fault);
  }
  return text;
}

}  // namespace sthd::profile
