#include "runner/profile/schema.hpp"

#include <functional>
#include <nlohmann/json.hpp>
#include <set>

#include "runner/profile/keys.hpp"
#include "support.hpp"

using namespace profile_test;
namespace sp = sthd::profile;

namespace {

/// Both judges on both parts of the schema.
void check_agreement(const sp::Value& root, const std::string& what) {
  for (const auto part : {sp::SchemaPart::file, sp::SchemaPart::complete}) {
    const bool accepted = sp::schema_accepts(part, root);
    const Diagnostics faults = sp::schema_faults(part, root);
    if (accepted == faults.empty()) continue;
    FAIL_CHECK(what << (accepted ? ": only the walk refuses it: " + faults.front().message
                                 : ": only the validator refuses it"));
  }
}

std::vector<sp::Value> replacements() {
  std::vector<sp::Value> values;
  const auto add = [&values](sp::Kind kind, const std::function<void(sp::Value&)>& fill) {
    sp::Value value;
    value.kind = kind;
    fill(value);
    values.push_back(std::move(value));
  };
  for (const std::int64_t number :
       {std::int64_t{-1}, std::int64_t{0}, std::int64_t{1}, std::int64_t{100}, std::int64_t{101},
        std::int64_t{512}, std::int64_t{5000}, std::int64_t{1'000'000'001}, std::int64_t{1} << 62,
        (std::int64_t{1} << 62) + 4096, INT64_MAX}) {
    add(sp::Kind::integer, [number](sp::Value& value) { value.integer = number; });
  }
  for (const char* text :
       {"", "4KiB", "5s", "read", "psync", "size", "base", "../x", "a\nb", "é", "1GiB\n",
        "native-psync\n", "mixed", "none", "uniform", "zipf:1.2", "zipf:", "zipf:1.2\n"}) {
    add(sp::Kind::string, [text](sp::Value& value) { value.text = text; });
  }
  add(sp::Kind::string, [](sp::Value& value) { value.text = std::string(3000, 'x'); });
  add(sp::Kind::floating, [](sp::Value& value) { value.floating = 4000.0; });
  add(sp::Kind::floating, [](sp::Value& value) { value.floating = 0.5; });
  add(sp::Kind::boolean, [](sp::Value& value) { value.boolean = true; });
  add(sp::Kind::boolean, [](sp::Value& value) { value.boolean = false; });
  add(sp::Kind::null, [](sp::Value& value) { value.text = "NaN"; });
  add(sp::Kind::array, [](sp::Value&) {});
  add(sp::Kind::table, [](sp::Value&) {});
  add(sp::Kind::array, [&values](sp::Value& value) { value.items = {values[2], values[12]}; });
  add(sp::Kind::array, [](sp::Value& value) { value.items.resize(1); });
  return values;
}

/// Calls `visit` with every value of the tree, which it may change and must put back.
void each_value(sp::Value& value, const std::function<void(sp::Value&)>& visit) {
  for (std::size_t i = 0; i < value.items.size(); ++i) {
    visit(value.items[i]);
    each_value(value.items[i], visit);
  }
  for (std::size_t i = 0; i < value.entries.size(); ++i) {
    visit(value.entries[i].value);
    each_value(value.entries[i].value, visit);
  }
}

void each_table(sp::Value& value, const std::function<void(sp::Value&)>& visit) {
  if (value.kind == sp::Kind::table) visit(value);
  for (sp::Value& item : value.items) each_table(item, visit);
  for (sp::Entry& entry : value.entries) each_table(entry.value, visit);
}

/// The profile with one of its parts and what every file needs: small, so that much can be tried.
sp::Value only(const sp::Value& whole, const std::string& part) {
  sp::Value root;
  for (const char* key : {"schema", "name", part.c_str()}) {
    if (root.find(key) == nullptr) root.entries.push_back(*whole.entry(key));
  }
  return root;
}

sp::Value tree_of(const fs::path& path) {
  auto file = sp::read_file(path);
  auto tree = sp::parse(std::get<std::shared_ptr<const sp::SourceFile>>(file));
  return std::get<sp::Value>(std::move(tree));
}

}  // namespace

TEST_CASE("Validator and walk agree on every file there is", "[profile][schema]") {
  std::size_t judged = 0;
  for (const char* folder : {"profiles", "tests/fixtures/profiles/valid",
                             "tests/fixtures/profiles/hostile", "tests/golden/diagnostics"}) {
    for (const auto& entry : fs::directory_iterator(kSource / folder)) {
      if (entry.path().extension() != ".toml") continue;
      auto file = sp::read_file(entry.path());
      const auto tree = sp::parse(std::get<std::shared_ptr<const sp::SourceFile>>(file));
      if (const auto* root = std::get_if<sp::Value>(&tree)) {
        check_agreement(*root, entry.path().string());
        ++judged;
      }
    }
  }
  CHECK(judged >= 100);
}

TEST_CASE("Validator and walk agree on every profile with one value replaced",
          "[profile][schema]") {
  const std::vector<sp::Value> others = replacements();
  const sp::Value whole = tree_of(kSource / "tests/fixtures/profiles/valid/everything.toml");
  REQUIRE(sp::schema_faults(sp::SchemaPart::file, whole).empty());
  for (const char* part : {"schema", "title", "defaults", "job", "column", "expect"}) {
    sp::Value root = only(whole, part);
    each_value(root, [&](sp::Value& place) {
      const sp::Value kept = place;
      for (const sp::Value& other : others) {
        place = other;
        place.place = kept.place;
        check_agreement(root, fmt::format("{}:{} replaced by {} {}", kept.place.line,
                                          kept.place.column, sp::kind_text(other), other.text));
      }
      place = kept;
    });
  }
}

TEST_CASE("Validator and walk agree on every profile with one key dropped or renamed",
          "[profile][schema]") {
  const sp::Value whole = tree_of(kSource / "tests/fixtures/profiles/valid/everything.toml");
  for (const char* part : {"defaults", "job", "column", "expect"}) {
    sp::Value root = only(whole, part);
    each_table(root, [&](sp::Value& table) {
      const std::vector<sp::Entry> kept = table.entries;
      for (std::size_t i = 0; i < kept.size(); ++i) {
        table.entries.erase(table.entries.begin() + static_cast<std::ptrdiff_t>(i));
        check_agreement(root, kept[i].key + " dropped");
        table.entries = kept;
        for (const char* name : {"", "thread", "p99", "Id", "typical", "id", "matrix"}) {
          if (table.find(name) != nullptr) continue;
          table.entries[i].key = name;
          check_agreement(root, kept[i].key + " renamed to " + name);
        }
        table.entries = kept;
      }
    });
  }
}

TEST_CASE("The walk knows every word that the schema uses", "[profile][schema]") {
  const std::set<std::string> known{"$schema",
                                    "$ref",
                                    "title",
                                    "description",
                                    "definitions",
                                    "type",
                                    "enum",
                                    "anyOf",
                                    "properties",
                                    "patternProperties",
                                    "additionalProperties",
                                    "required",
                                    "items",
                                    "minItems",
                                    "maxItems",
                                    "minLength",
                                    "maxLength",
                                    "pattern",
                                    "minimum",
                                    "maximum",
                                    "minProperties",
                                    "maxProperties"};
  using Json = nlohmann::ordered_json;
  std::function<void(const Json&)> visit;
  const auto each = [&visit](const Json& schemas) {
    for (const auto& [name, schema] : schemas.items()) visit(schema);
  };
  visit = [&](const Json& schema) {
    if (!schema.is_object()) return;
    for (const auto& [word, value] : schema.items()) {
      CHECK(known.count(word) == 1);
      if (word == "properties" || word == "patternProperties" || word == "definitions") each(value);
      if (word == "items" || word == "additionalProperties") visit(value);
      if (word == "anyOf") each(value);
    }
  };
  visit(sp::schema_document());
}

TEST_CASE("The schema's workload keys are those the program reads", "[profile][schema]") {
  for (const std::string& key : sp::workload_keys()) {
    INFO(key);
    CHECK(sp::is_workload_key(key));
  }
  CHECK(sp::workload_keys().size() == 31);
  const auto& definitions = sp::schema_document().at("definitions");
  for (const char* table : {"workload", "partial", "matrix"}) {
    INFO(table);
    Strings keys;
    for (const auto& [key, schema] : definitions.at(table).at("properties").items()) {
      keys.push_back(key);
    }
    CHECK(keys == sp::workload_keys());
  }
}

TEST_CASE("Keys of later issues are unknown until they land", "[profile][schema]") {
  for (const std::string key : {"verify", "trim", "think_time"}) {
    CHECK(faults(jobs("[[job]]\nid = \"a\"\nlabel = \"a\"\n" + key + " = 1"))
              .substr(0, 28 + key.size()) ==
          fmt::format("t.toml:16:1: unknown key \"{}\" in", key).substr(0, 28 + key.size()));
  }
}
