#include "runner/record/share.hpp"

#include <algorithm>
#include <array>
#include <set>
#include <string>
#include <string_view>
#include <utility>
#include <variant>

#include "runner/record/identifiers.hpp"
#include "runner/record/report_texts.hpp"
#include "runner/record/secrets.hpp"
#include "runner/record/shared_fields.hpp"

namespace sthd::record {
namespace {

/// The words that the report cannot do without, in lower case: of metrics, engines, codes.
std::set<std::string> own_words(Report& report) {
  std::set<std::string> words;
  each_text(report, [&words](std::string& text, TextKind kind) {
    if (kind != TextKind::word) return;
    std::string word;
    for (const char c : text + ' ') {
      if (is_word_char(c)) {
        word += c >= 'A' && c <= 'Z' ? static_cast<char>(c - 'A' + 'a') : c;
      } else if (!word.empty()) {
        words.insert(std::exchange(word, {}));
      }
    }
  });
  return words;
}

/// "nas:/export", "[fd00::7]:/export", "joe@nas:/export", "//nas/share".
void learn_source(const std::string& source, Secrets& secrets) {
  std::string server;
  if (source.starts_with("//")) {
    server = source.substr(2, source.find('/', 2) - 2);
  } else if (const auto end = source.find(":/"); end != std::string::npos) {
    server = source.substr(0, end);
  }
  if (const auto at = server.find('@'); at != std::string::npos) {
    secrets.learn_user(server.substr(0, at));
    server.erase(0, at + 1);
  }
  if (!server.starts_with('[')) secrets.learn_host(server);
}

void learn_options(const std::string& options, Secrets& secrets) {
  for (std::size_t at = 0; at < options.size();) {
    const std::size_t end = std::min(options.find(',', at), options.size());
    const std::string option = options.substr(at, end - at);
    at = end + 1;
    const std::size_t equals = option.find('=');
    if (equals == std::string::npos) continue;
    const std::string key = option.substr(0, equals);
    const std::string value = option.substr(equals + 1);
    if (key == "username" || key == "user") secrets.learn_user(value);
    if (key == "addr" || key == "mountaddr" || key == "ip") secrets.learn_host(value);
    if (key == "domain" || key == "dom") secrets.learn_domain(value);
  }
}

/// Facts that are made to tell one disk from all others.
void learn_facts(const Facts& facts, Secrets& secrets) {
  constexpr std::array<std::string_view, 7> kUnique{"serial", "wwn",   "wwid", "uuid",
                                                    "guid",   "nguid", "eui"};
  for (const Fact& fact : facts) {
    const auto* text = std::get_if<std::string>(&fact.value);
    if (text == nullptr) continue;
    secrets.learn_places(*text);
    const auto last = std::string_view(fact.name).substr(fact.name.rfind('.') + 1);
    if (std::find(kUnique.begin(), kUnique.end(), last) != kUnique.end()) {
      secrets.learn_serial(*text);
    }
    if (last == "server") secrets.learn_host(*text);
    if (last == "options") learn_options(*text, secrets);
  }
}

}  // namespace

Report shared(const Report& report) {
  Report out = shared_fields(report);
  Secrets secrets(own_words(out));
  secrets.learn_host(report.environment.hostname);
  learn_source(report.target.source, secrets);
  learn_options(report.target.mount_options, secrets);
  learn_facts(report.facts, secrets);
  for (const std::string& word : report.argv) secrets.learn_places(word);
  for (const ProfileFile& file : report.profile.files) {
    secrets.learn_places(file.path);
    secrets.learn_places(file.text);
  }
  each_text(out, [&secrets](std::string& text, TextKind kind) {
    if (kind == TextKind::free) secrets.learn_places(text);
  });
  each_text(out, [&secrets](std::string& text, TextKind kind) {
    if (kind == TextKind::free) text = secrets.clean(text);
  });
  return out;
}

}  // namespace sthd::record
