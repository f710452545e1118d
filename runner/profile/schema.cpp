#include "runner/profile/schema.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <map>
#include <nlohmann/json.hpp>
#include <regex>

#include "runner/profile/schema_words.hpp"

namespace sthd::profile {
namespace {

/// Where the walk is: the table's path, as TOML would head it.
struct Where {
  std::string path;      ///< "job.matrix"
  std::string key;       ///< the last key, which names a value in messages
  bool in_list = false;  ///< an element of an array

  [[nodiscard]] std::string table() const {
    if (path.empty()) return "at the top level";
    return in_list ? fmt::format("in [[{}]]", path) : fmt::format("in [{}]", path);
  }
  [[nodiscard]] Where below(const std::string& name) const {
    return {path.empty() ? name : path + "." + name, name, false};
  }
  [[nodiscard]] Where item() const { return {path, key, true}; }
};

class Walk {
 public:
  void value(const Schema& schema, const Value& value, const Where& where) {
    if (full()) return;
    const Schema* chosen = branch(schema, value);
    if (chosen == nullptr) {
      const std::string noun =
          value.kind == Kind::string ? in_quotes(value.text) : std::string(kind_text(value));
      return add(value.place,
                 fmt::format("{} must be {}, not {}", name_of(where), wanted(schema), noun));
    }
    switch (value.kind) {
      case Kind::table:
        return table(*chosen, value, where);
      case Kind::array:
        return array(*chosen, value, where);
      case Kind::string:
        return string(*chosen, value, where);
      default:
        return scalar(*chosen, value, where);
    }
  }

  Diagnostics take() { return std::move(faults_); }

 private:
  [[nodiscard]] bool full() const { return faults_.size() > kMaxFaults; }
  void add(const Place& place, std::string message, std::string suggestion = {}) {
    if (!full()) {
      faults_.push_back(fault_at(place, std::move(message), std::move(suggestion)));
    }
  }
  static bool matches(const std::string& pattern, const std::string& text) {
    static std::map<std::string, std::regex> compiled;  // each takes longer than a whole walk
    const auto known = compiled.find(pattern);
    const auto& regex = known != compiled.end()
                            ? known->second
                            : compiled.try_emplace(pattern, pattern).first->second;
    return std::regex_search(text, regex);
  }
  static std::string name_of(const Where& where) {
    return where.key.empty() ? "the profile" : where.key;
  }

  void table(const Schema& schema, const Value& value, const Where& where) {
    for (const Entry& entry : value.entries) {
      if (full()) return;
      this->entry(schema, entry, where);
    }
    for (const Schema& key : part_of(schema, "required")) {
      const auto name = key.get<std::string>();
      if (value.find(name) == nullptr) missing(name, value, where);
    }
    const std::size_t count = value.entries.size();
    if (count < schema.value("minProperties", std::size_t{0})) {
      add(value.place, fmt::format("{} is empty", name_of(where)));
    }
    if (count > schema.value("maxProperties", count)) {
      add(value.place, fmt::format("{} may have {} keys at most", name_of(where),
                                   schema.at("maxProperties").get<std::size_t>()));
    }
  }

  void entry(const Schema& schema, const Entry& entry, const Where& where) {
    const Schema& properties = part_of(schema, "properties");
    const Where below = where.below(entry.key);
    bool known = false;
    if (const auto found = properties.find(entry.key); found != properties.end()) {
      value(*found, entry.value, below);
      known = true;
    }
    for (const auto& [pattern, sub] : part_of(schema, "patternProperties").items()) {
      if (!matches(pattern, entry.key)) continue;
      value(sub, entry.value, below);
      known = true;
    }
    const auto additional = schema.find("additionalProperties");
    if (known || additional == schema.end()) return;
    if (additional->is_boolean()) return unknown(properties, entry, where);
    // A name of one's own (an axis of tables): what does not look like one is a mistyped key.
    Walk inner;
    inner.value(*additional, entry.value, below);
    if (inner.faults_.empty()) return;
    if (!looks_like(*additional, entry.value)) return unknown(properties, entry, where);
    for (Diagnostic& fault : inner.faults_) faults_.push_back(std::move(fault));
  }

  static bool looks_like(const Schema& schema, const Value& value) {
    if (branch(schema, value) == nullptr) return false;
    if (value.kind != Kind::array) return true;
    return std::any_of(value.items.begin(), value.items.end(), [&schema](const Value& item) {
      return branch(resolved(schema).at("items"), item) != nullptr;
    });
  }

  void unknown(const Schema& properties, const Entry& entry, const Where& where) {
    std::vector<std::string> names;
    for (const auto& [name, sub] : properties.items()) names.push_back(name);
    add(entry.key_place, fmt::format("unknown key {} {}", in_quotes(entry.key), where.table()),
        did_you_mean(entry.key, names));
  }

  void missing(const std::string& name, const Value& value, const Where& where) {
    if (where.path.empty()) {
      const bool tables = name == "job" || name == "column";
      const std::string header = tables ? "[[" + name + "]]" : in_quotes(name);
      return add(value.place, fmt::format("this profile has no {}", header));
    }
    const std::string id(text_of(value, "id"));
    add(value.place, fmt::format("{}{} has no {}", where.key, id.empty() ? "" : " " + in_quotes(id),
                                 in_quotes(name)));
  }

  void array(const Schema& schema, const Value& value, const Where& where) {
    const std::size_t count = value.items.size();
    const std::size_t least = schema.value("minItems", std::size_t{0});
    const std::size_t most = schema.value("maxItems", count);
    if (count < least || count > most) {
      const std::string bound = least == most   ? fmt::format("exactly {}", least)
                                : count < least ? fmt::format("at least {}", least)
                                                : fmt::format("at most {}", most);
      const std::size_t number = count < least ? least : most;
      add(value.place, fmt::format("{} must have {} value{}, not {}", name_of(where), bound,
                                   number == 1 ? "" : "s", count));
    }
    const auto items = schema.find("items");
    if (items == schema.end()) return;
    for (const Value& item : value.items) this->value(*items, item, where.item());
  }

  void string(const Schema& schema, const Value& value, const Where& where) {
    if (schema.contains("enum")) {
      const std::vector<std::string> texts = enum_texts(schema);
      if (std::find(texts.begin(), texts.end(), value.text) == texts.end()) {
        add(value.place,
            fmt::format("{} must be {}, not {}", name_of(where), wanted(schema),
                        in_quotes(value.text)),
            did_you_mean(value.text, texts));
      }
      return;
    }
    const auto bytes =
        static_cast<std::size_t>(std::count_if(value.text.begin(), value.text.end(), [](char c) {
          return (static_cast<unsigned char>(c) & 0xC0U) != 0x80U;
        }));
    if (bytes < schema.value("minLength", std::size_t{0})) {
      return add(value.place, fmt::format("{} is empty", name_of(where)));
    }
    if (bytes > schema.value("maxLength", bytes)) {
      return add(value.place,
                 fmt::format("{} may have {} characters at most, not {}", name_of(where),
                             schema.at("maxLength").get<std::size_t>(), bytes));
    }
    const std::string pattern = text_in(schema, "pattern");
    if (!pattern.empty() && !matches(pattern, value.text)) {
      add(value.place, fmt::format("{} must be {}, not {}", name_of(where), wanted(schema),
                                   in_quotes(value.text)));
    }
  }

  void scalar(const Schema& schema, const Value& value, const Where& where) {
    if (const auto choices = schema.find("enum"); choices != schema.end()) {
      const Schema here =
          value.kind == Kind::integer ? Schema(value.integer) : Schema(value.boolean);
      if (std::find(choices->begin(), choices->end(), here) == choices->end()) {
        add(value.place,
            fmt::format("{} must be {}, not {}", name_of(where), wanted(schema), here.dump()));
      }
    }
    if (value.kind != Kind::integer) return;
    const auto number = static_cast<double>(value.integer);  // as the validator compares
    if (number < schema.value("minimum", number)) {
      add(value.place, fmt::format("{} must be at least {}, not {}", name_of(where),
                                   schema.at("minimum").get<std::int64_t>(), value.integer));
    }
    if (number > schema.value("maximum", number)) {
      add(value.place, fmt::format("{} must be at most {}, not {}", name_of(where),
                                   schema.at("maximum").get<std::int64_t>(), value.integer));
    }
  }

  Diagnostics faults_;
};

}  // namespace

const std::vector<std::string>& workload_keys() {
  static const std::vector<std::string> keys = [] {
    std::vector<std::string> names;
    for (const auto& [name, sub] :
         schema_document().at("definitions").at("workload").at("properties").items()) {
      names.push_back(name);
    }
    return names;
  }();
  return keys;
}

Diagnostics schema_faults(SchemaPart part, const Value& root) {
  Walk walk;
  const Schema& document = schema_document();
  walk.value(part == SchemaPart::file ? document : document.at("definitions").at("complete"), root,
             {});
  return walk.take();
}

Diagnostics workload_faults(std::string_view key, const Value& value) {
  Walk walk;
  walk.value(schema_document().at("definitions").at(std::string(key)), value,
             Where{}.below(std::string(key)));
  return walk.take();
}

Diagnostics validate(SchemaPart part, const Value& root) {
  if (schema_accepts(part, root)) return {};
  Diagnostics faults = schema_faults(part, root);
  if (faults.empty()) {
    faults.push_back(fault_at(root.place, "this does not follow schemas/profile.v1.schema.json"));
  }
  return faults;
}

}  // namespace sthd::profile
