#include "runner/app/probe_text.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <array>
#include <string_view>
#include <utility>
#include <vector>

#include "sthd/text.hpp"
#include "sthd/units.hpp"

namespace sthd::app {
namespace {

struct Subject {
  std::string_view first;  ///< part of a fact's name
  std::string_view title;
};
constexpr std::array<Subject, 15> kSubjects{{{"host", "host"},
                                             {"psi", "host"},
                                             {"cpu", "cpu"},
                                             {"clock", "cpu"},
                                             {"pcie", "cpu"},
                                             {"nvme", "cpu"},
                                             {"memory", "memory"},
                                             {"arc", "memory"},
                                             {"cgroup", "memory"},
                                             {"limits", "memory"},
                                             {"target", "target"},
                                             {"chain", "chain"},
                                             {"disk", "disk"},
                                             {"nfs", "nfs"},
                                             {"zfs", "zfs"}}};

std::string_view first_part(std::string_view name) { return name.substr(0, name.find('.')); }

/// "disk 0" of "disk.0.name"; the first part's own title else.
std::string title_of(std::string_view name) {
  const auto first = first_part(name);
  if (first == "disk") {
    const auto second = name.substr(std::min(first.size() + 1, name.size()));
    return fmt::format("disk {}", first_part(second));
  }
  for (const Subject& subject : kSubjects) {
    if (subject.first == first) return std::string(subject.title);
  }
  return std::string(first);
}

struct Unit {
  std::string_view suffix;  ///< of a fact's name
  std::string (*show)(double value);
};
std::string plain(double value) { return fmt::format("{}", value); }
constexpr std::array<Unit, 7> kUnits{{
    {"_bytes", [](double v) { return human_size(static_cast<std::uint64_t>(v)); }},
    {"_percent", [](double v) { return fmt::format("{:.1f} %", v); }},
    {"_us", [](double v) { return fmt::format("{} us", v); }},
    {"_ns", [](double v) { return fmt::format("{} ns", v); }},
    {"_kb", [](double v) { return fmt::format("{} KiB", v); }},
    {"_c", [](double v) { return fmt::format("{:.0f} C", v); }},
    {"_s", [](double v) { return human_duration(static_cast<std::uint64_t>(v) * kSecond); }},
}};

/// "page cache" of "memory.page_cache_bytes" below "memory"; "arc size" of "arc.size_bytes" there.
std::string label_of(std::string_view name, const std::string& title) {
  for (const Unit& unit : kUnits) {
    if (!name.ends_with(unit.suffix)) continue;
    name.remove_suffix(unit.suffix.size());
    break;
  }
  const auto first = first_part(name);
  if (first == title || first == "disk")
    name.remove_prefix(std::min(first.size() + 1, name.size()));
  if (first == "disk") name.remove_prefix(std::min(name.find('.') + 1, name.size()));
  std::string label(name);
  std::replace_if(
      label.begin(), label.end(), [](char c) { return c == '_' || c == '.'; }, ' ');
  return label;
}

std::string value_of(const Fact& fact) {
  if (const auto* text = std::get_if<std::string>(&fact.value)) return display(*text);
  const double number = std::get<double>(fact.value);
  if (fact.name.find("mhz") != fact.name.npos) return fmt::format("{:.0f} MHz", number);
  for (const Unit& unit : kUnits) {
    if (fact.name.ends_with(unit.suffix) && number >= 0) return unit.show(number);
  }
  return plain(number);
}

struct Paragraph {
  std::string title;
  std::vector<std::string> known;
  std::vector<std::pair<std::string, std::string>> unknown;  ///< reason, labels
  std::string chain;  ///< "md0 (md) > sda (disk), sdb (disk)"
  std::string link;   ///< the one that is being read
  double level = 0;   ///< of the last one in the chain

  void add(const Fact& fact) {
    const std::string label = label_of(fact.name, title);
    if (!std::holds_alternative<std::monostate>(fact.value)) {
      known.push_back(label + " " + value_of(fact));
      return;
    }
    const auto same = std::find_if(unknown.begin(), unknown.end(), [&](const auto& each) {
      return each.first == fact.unknown_because;
    });
    if (same == unknown.end()) {
      unknown.emplace_back(fact.unknown_because, label);
    } else {
      same->second += ", " + label;
    }
  }

  /// "name (kind: detail)", joined to what is above it or beside it.
  void add_link(const Fact& fact) {
    if (const auto* number = std::get_if<double>(&fact.value)) {  // the level, which comes last
      chain += (chain.empty() ? "" : *number > level ? " > " : ", ") + link;
      level = *number;
      return;
    }
    const auto* text = std::get_if<std::string>(&fact.value);
    if (text == nullptr) return add(fact);
    const std::string value = display(*text);
    if (fact.name.ends_with(".name")) {
      link = value;
    } else if (fact.name.ends_with(".kind")) {
      link += fmt::format(" ({})", value);
    } else if (link.ends_with(')')) {
      link.insert(link.size() - 1, ": " + value);
    }
  }
};

/// Words set between the title's column and `width`.
class Page {
 public:
  Page(std::size_t width, bool colour)
      : width_(std::max<std::size_t>(width, 40)), colour_(colour) {}

  void title(std::string_view text) {
    out_ += fmt::format("{:<{}}", text, kIndent);
    column_ = kIndent;
  }
  /// Breaks only an item that does not fit on a line of its own, at its blanks.
  void items(const std::vector<std::string>& texts, bool dim) {
    for (std::size_t i = 0; i < texts.size(); ++i) {
      item(texts[i] + (i + 1 < texts.size() ? ";" : ""), dim);
    }
  }
  void end() {
    out_ += '\n';
    column_ = 0;
  }
  std::string take() { return std::move(out_); }

 private:
  static constexpr std::size_t kIndent = 9;
  void item(std::string text, bool dim) {
    const bool fits = display_width(text) + kIndent <= width_;
    for (auto blank = text.find(' '); !fits && blank != text.npos; blank = text.find(' ')) {
      word(text.substr(0, blank), dim);
      text.erase(0, blank + 1);
    }
    word(text, dim);
  }
  void word(const std::string& text, bool dim) {
    const std::size_t columns = display_width(text);
    if (column_ > kIndent && column_ + 1 + columns > width_) {
      end();
      title("");
    }
    if (column_ > kIndent) {
      out_ += ' ';
      ++column_;
    }
    out_ += dim && colour_ ? "\x1b[2m" + text + "\x1b[0m" : text;
    column_ += columns;
  }

  std::size_t width_;
  bool colour_;
  std::string out_;
  std::size_t column_ = 0;
};

std::vector<Paragraph> paragraphs(const Facts& facts) {
  std::vector<Paragraph> found;
  for (const Fact& fact : facts) {
    const std::string title = title_of(fact.name);
    auto at = std::find_if(found.begin(), found.end(),
                           [&](const Paragraph& each) { return each.title == title; });
    if (at == found.end()) at = found.insert(found.end(), Paragraph{title, {}, {}, {}, {}, 0});
    fact.name.starts_with("chain.") ? at->add_link(fact) : at->add(fact);
  }
  return found;
}

}  // namespace

std::string probe_text(const Facts& facts, std::size_t width, bool colour) {
  Page page(width, colour);
  for (const Paragraph& paragraph : paragraphs(facts)) {
    page.title(paragraph.title);
    if (!paragraph.chain.empty()) page.items({paragraph.chain}, false);
    page.items(paragraph.known, false);
    for (const auto& [reason, labels] : paragraph.unknown) {
      page.items({fmt::format("({}: {})", display(labels), display(reason))}, true);
    }
    page.end();
  }
  return page.take();
}

}  // namespace sthd::app
