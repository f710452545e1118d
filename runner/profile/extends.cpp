#include "runner/profile/extends.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <map>
#include <utility>

#include "runner/profile/load.hpp"

namespace sthd::profile {
namespace {

namespace fs = std::filesystem;

bool is_path(const std::string& name) {
  return name.find('/') != std::string::npos || name.ends_with(".toml");
}

bool file_exists(const fs::path& path) {
  std::error_code ignored;
  return fs::exists(path, ignored);
}

fs::path true_path(const fs::path& path) {
  std::error_code failed;
  fs::path result = fs::weakly_canonical(path, failed);
  return failed ? path : result;
}

std::vector<std::string> names_in(const SearchPath& search) {
  std::vector<std::string> names;
  for (const auto& [name, path] : all_profiles(search)) names.push_back(name);
  return names;
}

std::string folders_text(const SearchPath& search) {
  std::vector<std::string> folders;
  for (const fs::path& folder : search) folders.push_back(folder.string());
  return fmt::format("{}", fmt::join(folders, ", "));
}

std::optional<fs::path> look_up(const std::string& name, const SearchPath& search) {
  for (const fs::path& folder : search) {
    if (fs::path path = folder / (name + ".toml"); file_exists(path)) return path;
  }
  return std::nullopt;
}

/// "a -> b -> a", from where the cycle starts.
std::string cycle_text(const std::vector<fs::path>& seen, const fs::path& again) {
  std::string text;
  for (auto at = std::find(seen.begin(), seen.end(), again); at != seen.end(); ++at) {
    text += at->stem().string() + " -> ";
  }
  return text + again.stem().string();
}

void merge_tables(Value& into, const Value& child) {
  for (const Entry& entry : child.entries) {
    Entry* old = into.entry(entry.key);
    if (old == nullptr) {
      into.entries.push_back(entry);
    } else if (old->value.kind == Kind::table && entry.value.kind == Kind::table) {
      merge_tables(old->value, entry.value);
    } else {
      *old = entry;
    }
  }
  into.place = child.place;
}

/// Lists of tables that merge by id.
class MergeById {
 public:
  MergeById(std::string key, Diagnostics& faults) : key_(std::move(key)), faults_(faults) {}

  void run(Value& into, const Value& child) {
    std::map<std::string, unsigned> seen;  // id to line
    for (const Value& item : child.items) {
      const std::string id(text_of(item, "id"));
      const Place place = item.find("id")->place;
      if (const auto [first, fresh] = seen.try_emplace(id, place.line); !fresh) {
        fault(place, fmt::format("two [[{}]] have the id {}", key_, in_quotes(id)),
              fmt::format("the first is in line {}", first->second));
        continue;
      }
      const auto old = std::find_if(into.items.begin(), into.items.end(),
                                    [&id](const Value& have) { return text_of(have, "id") == id; });
      if (const Entry* remove = item.entry("remove")) {
        if (remove_item(into, old, item, *remove)) into.items.erase(old);
      } else if (old != into.items.end()) {
        merge_tables(*old, item);
      } else {
        into.items.push_back(item);
      }
    }
  }

 private:
  void fault(const Place& place, std::string message, std::string suggestion = {}) {
    faults_.push_back(fault_at(place, std::move(message), std::move(suggestion)));
  }

  bool remove_item(const Value& into, std::vector<Value>::iterator old, const Value& item,
                   const Entry& remove) {
    if (item.entries.size() > 2) {
      fault(remove.key_place, "remove = true stands alone with the id",
            "delete the other keys, or this one");
    }
    if (old != into.items.end()) return true;
    std::vector<std::string> ids;
    ids.reserve(into.items.size());
    for (const Value& have : into.items) ids.emplace_back(text_of(have, "id"));
    const std::string_view id = text_of(item, "id");
    fault(item.find("id")->place,
          fmt::format("nothing to remove: no parent has a [[{}]] {}", key_, in_quotes(id)),
          did_you_mean(id, ids));
    return false;
  }

  std::string key_;
  Diagnostics& faults_;
};

bool merges_by_id(const std::string& key) {
  return key == "job" || key == "column" || key == "expect";
}

}  // namespace

std::vector<std::pair<std::string, fs::path>> all_profiles(const SearchPath& search) {
  std::map<std::string, fs::path> found;
  for (const fs::path& folder : search) {
    std::error_code failed;
    for (fs::directory_iterator at(folder, failed); !failed && at != fs::directory_iterator();
         at.increment(failed)) {
      const fs::path& path = at->path();
      if (path.extension() == ".toml") found.try_emplace(path.stem().string(), path);
    }
  }
  return {found.begin(), found.end()};
}

std::variant<fs::path, Diagnostic> find_profile(const std::string& name, const SearchPath& search) {
  if (is_path(name)) {
    if (file_exists(name)) return fs::path(name);
    return fault_of(name, "there is no such profile file");
  }
  if (auto path = look_up(name, search)) return *path;
  return fault_of({},
                  fmt::format("there is no profile {} in {}", in_quotes(name),
                              search.empty() ? "any folder" : folders_text(search)),
                  did_you_mean(name, names_in(search)));
}

Chain read_chain(const fs::path& path, const SearchPath& search) {
  Chain chain;
  std::vector<fs::path> seen;
  fs::path next = path;
  const auto give_up = [&chain](Diagnostic fault) {
    chain.faults.push_back(std::move(fault));
    return std::move(chain);
  };
  for (;;) {
    auto file = read_file(next);
    if (auto* fault = std::get_if<Diagnostic>(&file)) return give_up(std::move(*fault));
    auto tree = parse(std::get<std::shared_ptr<const SourceFile>>(file));
    if (auto* faults = std::get_if<Diagnostics>(&tree)) {
      chain.faults.insert(chain.faults.end(), faults->begin(), faults->end());
      return chain;
    }
    chain.files.push_back(std::move(std::get<Value>(tree)));
    seen.push_back(true_path(next));
    const Value* extends = chain.files.back().find("extends");
    if (extends == nullptr || extends->kind != Kind::string) return chain;
    if (extends->text.find('/') != std::string::npos)
      return chain;  // the schema says what is wrong
    SearchPath beside{next.parent_path().empty() ? fs::path(".") : next.parent_path()};
    beside.insert(beside.end(), search.begin(), search.end());
    const auto parent = look_up(extends->text, beside);
    if (!parent) {
      return give_up(fault_at(extends->place,
                              fmt::format("there is no profile {} to extend, neither beside this "
                                          "file nor installed",
                                          in_quotes(extends->text)),
                              did_you_mean(extends->text, names_in(beside))));
    }
    if (std::find(seen.begin(), seen.end(), true_path(*parent)) != seen.end()) {
      return give_up(fault_at(extends->place, fmt::format("extends runs in a circle: {}",
                                                          cycle_text(seen, true_path(*parent)))));
    }
    if (seen.size() > kMaxParents) {
      return give_up(
          fault_at(extends->place,
                   fmt::format("a profile may have {} parents in a row at most", kMaxParents)));
    }
    next = *parent;
  }
}

Value merge(const Value& parent, const Value& child, Diagnostics& faults) {
  Value result = parent;
  result.place = child.place;
  if (const Value* name = child.find("name")) result.place = name->place;
  const auto own = [](const Entry& entry) {
    return entry.key == "name" || entry.key == "title" || entry.key == "schema";
  };
  result.entries.erase(std::remove_if(result.entries.begin(), result.entries.end(), own),
                       result.entries.end());
  for (const Entry& entry : child.entries) {
    if (entry.key == "extends") continue;
    Entry* old = result.entry(entry.key);
    if (merges_by_id(entry.key)) {
      if (old == nullptr) {
        result.entries.push_back(Entry{entry.key, entry.key_place, Value{}});
        old = &result.entries.back();
        old->value.kind = Kind::array;
      }
      old->value.place = entry.value.place;
      MergeById(entry.key, faults).run(old->value, entry.value);
    } else if (old != nullptr && old->value.kind == Kind::table) {
      merge_tables(old->value, entry.value);
    } else {
      result.entries.push_back(entry);
    }
  }
  return result;
}

}  // namespace sthd::profile
