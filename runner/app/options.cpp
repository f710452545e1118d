#include "runner/app/options.hpp"

#include <fmt/format.h>

#include <CLI/CLI.hpp>
#include <algorithm>
#include <map>
#include <set>

#include "runner/app/command_line.hpp"
#include "runner/profile/diagnostics.hpp"
#include "sthd/text.hpp"
#include "sthd/units.hpp"

namespace sthd::app {
namespace {

Stop fault(std::string_view sentence) { return {fmt::format("{}\n", sentence), 2}; }

std::string join(const std::vector<std::string_view>& words, std::string_view last) {
  std::string text;
  for (std::size_t i = 0; i < words.size(); ++i) {
    if (i > 0) text += i + 1 == words.size() ? last : std::string_view(", ");
    text += words[i];
  }
  return text;
}

/// `; did you mean "…"?`, or nothing when no candidate is near.
std::string suggestion(std::string_view word, const std::vector<std::string>& candidates) {
  const auto text = profile::did_you_mean(word, candidates);
  return text.empty() ? text : "; " + text;
}

bool has_name(const OptionRow& row, std::string_view name) {
  const auto comma = row.names.find(',');
  return row.names.substr(0, comma) == name || long_name(row) == name;
}

const CommandRow* find_command(std::string_view name) {
  const auto rows = command_rows();
  const auto found = std::ranges::find(rows, name, &CommandRow::name);
  return found == rows.end() ? nullptr : &*found;
}

Stop unknown_option(std::string_view word, unsigned form, const CommandRow* command) {
  const auto name = word.substr(0, word.find('='));
  std::vector<std::string> candidates;
  for (const auto& row : option_rows()) {
    if ((row.forms & form) != 0 && !row.help.empty()) candidates.emplace_back(long_name(row));
    if (!has_name(row, name)) continue;
    std::vector<std::string_view> owners;
    for (const auto& other : command_rows()) {
      if ((row.forms & other.form) != 0) owners.push_back(other.name);
    }
    if (owners.empty()) {
      return fault(fmt::format("{} belongs to the original form, as in: speedtest-hd /mnt/pool {}",
                               name, name));
    }
    return fault(fmt::format("{} is an option of {}, not of {}", name, join(owners, " and "),
                             command->name));
  }
  const auto near = suggestion(name, candidates);
  return fault(fmt::format("unknown option \"{}\"{}", display(name),
                           near.empty() ? "; speedtest-hd --help lists them" : near));
}

/// CLI11 would take the next word as the value of `--size=`.
const std::string* without_value(const std::vector<std::string>& words) {
  for (const auto& word : words) {
    if (word == "--") break;
    if (word.starts_with("--") && word.find('=') + 1 == word.size()) return &word;
  }
  return nullptr;
}

/// The words that CLI11 gave to no option: positionals, or the first unknown option as a Stop.
std::variant<std::vector<std::string>, Stop> positionals(const CLI::App& parser, unsigned form,
                                                         const CommandRow* command) {
  std::vector<std::string> found;
  bool only_positionals = false;
  for (const auto& word : parser.remaining()) {
    if (!only_positionals && word == "--") {
      only_positionals = true;
    } else if (!only_positionals && word.size() > 1 && word.starts_with('-')) {
      return unknown_option(word, form, command);
    } else if (word.empty()) {
      return fault("an argument is empty; name a profile, a directory or an option");
    } else {
      found.push_back(word);
    }
  }
  return found;
}

std::string needs(const CommandRow& row) {
  return fmt::format("{} takes {}, as in: {}", row.name, row.needs, row.example);
}

/// Puts the positionals where they belong; a fault's Stop, or nothing.
std::optional<Stop> place(const CommandRow& row, std::vector<std::string> words, Options& options) {
  if (words.size() < row.count) return fault(needs(row));
  if (row.time_follows && words.size() == row.count + 1) {
    const auto time = parse_duration(words.back(), true);
    if (!time || *time == 0) {
      return fault(fmt::format("{} takes a TIME after the {}, as in: {}; \"{}\" is none", row.name,
                               row.arguments, row.example, display(words.back())));
    }
    options.time_ns = *time;
    words.pop_back();
  }
  const bool more = row.arguments.ends_with("...");
  if (words.size() > row.count && !more) {
    return fault(
        fmt::format("unexpected argument \"{}\": {}", display(words[row.count]), needs(row)));
  }
  options.command = row.command;
  if (row.arguments.starts_with("PROFILE")) options.profile = words.front();
  if (row.command == Command::doctor) options.profile = "sync-doctor";
  if (row.command == Command::try_) options.condition = words.front();
  if (row.arguments.ends_with("TARGET") || row.arguments == "DIR") options.target = words.back();
  if ((row.form & kReading) != 0) options.files = std::move(words);
  return std::nullopt;
}

std::optional<Stop> place_original(std::vector<std::string> words, Options& options) {
  if (words.empty()) {
    return fault(
        "no target given; name a profile and a directory, as in: speedtest-hd run slog /mnt/pool");
  }
  if (words.size() > 1) {
    if (const auto* row = find_command(words[0])) {
      return fault(
          fmt::format("\"{}\" must be the first word, as in: {}", row->name, row->example));
    }
    std::vector<std::string> names;
    for (const auto& row : command_rows()) names.emplace_back(row.name);
    const auto near = suggestion(words[0], names);
    if (!near.empty()) {
      return fault(fmt::format("unknown command \"{}\"{}", display(words[0]), near));
    }
    return fault(
        fmt::format("unexpected argument \"{}\": give one PATH, or run PROFILE TARGET as in: "
                    "speedtest-hd run slog /mnt/pool",
                    display(words[1])));
  }
  if (options.profile.empty()) options.profile = "cdm";
  options.target = words.front();
  return std::nullopt;
}

/// What is wrong with the options taken together; empty = nothing.
std::string contradiction(const Reading& reading) {
  const auto& options = reading.options;
  if (options.quiet && options.verbose) {
    return "--quiet and --verbose contradict each other; leave one of them out";
  }
  if (reading.mode == "--fio" && reading.engine_options == "--backend") {
    return "--fio already names the backend fio-exec; leave out --fio or --backend";
  }
  if (reading.mode == "--dd" && !reading.engine_options.empty()) {
    return fmt::format("--dd copies with dd, which leaves nothing to choose; leave out {}",
                       reading.engine_options);
  }
  if (options.cross_check && (reading.mode == "--fio" || reading.mode == "--dd")) {
    return fmt::format(
        "--cross-check compares built-in engines with fio, and {} uses none; leave "
        "one of them out",
        reading.mode);
  }
  if (!options.stages && (!options.columns.empty() || !options.notes.empty())) {
    return fmt::format("{} is about the table of --stages; add that",
                       options.columns.empty() ? "--note" : "--columns");
  }
  std::set<std::string> files;
  for (const auto& output : options.outputs) {
    if (files.insert(output.file).second) continue;
    return output.file.empty()
               ? "only one report can go to stdout; give the others a file, as in -f json:out.json"
               : fmt::format("two reports would go to \"{}\"; give each its own file",
                             display(output.file));
  }
  return {};
}

/// `--explain [CODE]`, with nothing else; a path after it is the original form's target.
std::optional<Options> explain_form(const std::vector<std::string>& words) {
  if (words.empty() || words.front() != "--explain" || words.size() > 2) return std::nullopt;
  Options options;
  options.command = Command::explain;
  if (words.size() == 1) return options;
  const std::string& code = words.back();
  if (code.empty() || code.front() == '-' || code.find_first_of("/.") != code.npos) {
    return std::nullopt;
  }
  options.profile = code;
  return options;
}

class Parser {
 public:
  explicit Parser(unsigned form) {
    app_.set_help_flag();
    app_.allow_extras();
    for (const auto& row : option_rows()) {
      if ((row.forms & form) == 0) continue;
      CLI::Option* option = nullptr;
      if (row.value.empty()) {
        option = app_.add_flag(std::string(row.names))->disable_flag_override();
      } else {
        option = app_.add_option(std::string(row.names))->expected(1);
      }
      option->multi_option_policy(CLI::MultiOptionPolicy::TakeAll)->allow_extra_args(false);
      rows_[option] = &row;
    }
  }

  /// Applies every option in the order of the command line; a fault's sentence, or nothing.
  std::string read(std::vector<std::string> words, Reading& reading) {
    std::ranges::reverse(words);  // as CLI11 wants them
    try {
      app_.parse(std::move(words));
    } catch (const CLI::ParseError& e) {
      return sentence_of(e);
    }
    std::map<const CLI::Option*, std::size_t> seen;
    for (const CLI::Option* option : app_.parse_order()) {
      const auto& row = *rows_.at(option);
      const auto& value = option->results().at(seen[option]++);
      if (!row.value.empty() && (value.empty() || value.starts_with("--"))) {
        return fmt::format("{} needs a value ({})", long_name(row), row.value);
      }
      if (auto sentence = row.apply(reading, row, value); !sentence.empty()) return sentence;
    }
    return {};
  }

  [[nodiscard]] const CLI::App& app() const { return app_; }

 private:
  /// CLI11 throws for two faults here: a missing value at the end, and a flag given one.
  [[nodiscard]] std::string sentence_of(const CLI::ParseError& e) const {
    std::string name = e.what();
    name.resize(std::min(name.find_first_of(": "), name.size()));
    if (!name.starts_with('-')) name.insert(0, name.size() == 1 ? "-" : "--");
    for (const auto& [option, row] : rows_) {
      if (!has_name(*row, name)) continue;
      return row->value.empty() ? fmt::format("{} takes no value", long_name(*row))
                                : fmt::format("{} needs a value ({})", long_name(*row), row->value);
    }
    return display(e.what());
  }

  CLI::App app_;
  std::map<const CLI::Option*, const OptionRow*> rows_;
};

}  // namespace

std::variant<Options, Stop> parse(const std::vector<std::string>& argv) {
  std::vector<std::string> words(argv.empty() ? argv.end() : argv.begin() + 1, argv.end());
  if (auto asked = explain_form(words)) return *asked;
  const auto* command = words.empty() ? nullptr : find_command(words.front());
  if (command != nullptr) words.erase(words.begin());
  const unsigned form = command != nullptr ? command->form : unsigned{kOriginal};

  if (const auto* word = without_value(words)) {
    return fault(fmt::format("{} needs a value after the =", display(*word)));
  }
  Parser parser(form);
  Reading reading;
  const std::string sentence = parser.read(words, reading);
  if (reading.help) return Stop{help_text(command), 0};
  if (reading.version) return Stop{version_text(), 0};
  if (!sentence.empty()) return fault(sentence);

  auto placed = positionals(parser.app(), form, command);
  if (auto* stop = std::get_if<Stop>(&placed)) return *stop;
  auto& found = std::get<std::vector<std::string>>(placed);
  auto stop = command != nullptr ? place(*command, std::move(found), reading.options)
                                 : place_original(std::move(found), reading.options);
  if (stop) return *stop;
  if (const auto wrong = contradiction(reading); !wrong.empty()) return fault(wrong);
  return reading.options;
}

}  // namespace sthd::app
