#include "runner/profile/profile.hpp"

#include <fmt/format.h>

#include "runner/profile/expect.hpp"
#include "runner/profile/extends.hpp"
#include "runner/profile/schema.hpp"
#include "runner/profile/state.hpp"
#include "runner/profile/values.hpp"

namespace sthd::profile {
namespace {

void append(Diagnostics& to, Diagnostics from) {
  to.insert(to.end(), std::make_move_iterator(from.begin()), std::make_move_iterator(from.end()));
}

Checked<Profile> faults_or(Diagnostics faults, std::shared_ptr<const Profile::State> state) {
  if (faults.empty()) return Profile(std::move(state));
  tidy(faults);
  return faults;
}

}  // namespace

Checked<Profile> assemble(Chain chain) {
  Diagnostics faults;
  for (const Value& file : chain.files) {
    Diagnostics of_schema = validate(SchemaPart::file, file);
    Diagnostics of_values = value_faults(file, of_schema);
    append(faults, std::move(of_schema));
    append(faults, std::move(of_values));
  }
  append(faults, std::move(chain.faults));
  if (!faults.empty()) return faults_or(std::move(faults), nullptr);

  auto state = std::make_shared<Profile::State>();
  for (auto file = chain.files.rbegin(); file != chain.files.rend(); ++file) {
    state->root = merge(state->root, *file, faults);
  }
  append(faults, validate(SchemaPart::complete, state->root));
  if (!faults.empty()) return faults_or(std::move(faults), nullptr);

  state->columns = columns_of(state->root, faults);
  state->expectations = expectations_of(state->root, faults);
  for (const Value& file : chain.files) {
    const SourceFile& source = *file.place.file;
    state->info.files.push_back({source.path, {}, source.text});
  }
  state->info.name = text_of(state->root, "name");
  state->info.title = text_of(state->root, "title");
  if (state->info.title.empty()) state->info.title = state->info.name;
  return faults_or(std::move(faults), std::move(state));
}

namespace {

std::string one_line(Diagnostics faults) {
  faults.resize(1);
  const std::string text = render(faults);
  return text.substr(0, text.find('\n'));
}

Listed listed(const std::string& name, const std::filesystem::path& path,
              const SearchPath& search) {
  Listed entry{name, {}, path, {}};
  const auto profile = load(path.string(), search);
  if (const auto* faults = std::get_if<Diagnostics>(&profile)) {
    entry.fault = one_line(*faults);
    return entry;
  }
  entry.title = std::get<Profile>(profile).info().title;
  Overrides overrides;
  overrides.many = true;
  const auto jobs = expand(std::get<Profile>(profile), overrides);
  if (const auto* faults = std::get_if<Diagnostics>(&jobs)) entry.fault = one_line(*faults);
  return entry;
}

}  // namespace

Profile::Profile(std::shared_ptr<const State> state) : state_(std::move(state)) {}

const ProfileInfo& Profile::info() const { return state_->info; }

const std::vector<Column>& Profile::columns() const { return state_->columns; }

Checked<Profile> load(const std::string& name, const SearchPath& search) try {
  auto path = find_profile(name, search);
  if (auto* fault = std::get_if<Diagnostic>(&path)) return Diagnostics{std::move(*fault)};
  return assemble(read_chain(std::get<std::filesystem::path>(path), search));
} catch (const std::exception& e) {
  return Diagnostics{fault_of(name, fmt::format("this profile cannot be loaded: {}", e.what()))};
}

std::vector<Listed> list(const SearchPath& search) {
  std::vector<Listed> entries;
  for (const auto& [name, path] : all_profiles(search)) {
    if (name != "base") entries.push_back(listed(name, path, search));
  }
  return entries;
}

}  // namespace sthd::profile
