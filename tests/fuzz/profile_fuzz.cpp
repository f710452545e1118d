// Any bytes as a profile: no crash, validator and walk agree, and what is printed is safe.
#include <cstddef>
#include <cstdint>
#include <cstdlib>
#include <memory>
#include <string>

#include "runner/profile/load.hpp"
#include "runner/profile/schema.hpp"
#include "runner/profile/state.hpp"

namespace sp = sthd::profile;

namespace {

void require(bool condition) {
  if (!condition) std::abort();
}

void check_text(const sp::Diagnostics& faults) {
  require(!faults.empty());
  for (const char c : sp::render(faults)) {
    require(c == '\n' || static_cast<unsigned char>(c) >= 0x20);
  }
}

}  // namespace

extern "C" int LLVMFuzzerTestOneInput(const std::uint8_t* data, std::size_t size) {
  const auto file = std::make_shared<const sp::SourceFile>(
      sp::SourceFile{"fuzz.toml", std::string(data, data + size)});
  auto tree = sp::parse(file);
  if (const auto* faults = std::get_if<sp::Diagnostics>(&tree)) {
    check_text(*faults);
    return 0;
  }
  const sp::Value& root = std::get<sp::Value>(tree);
  for (const auto part : {sp::SchemaPart::file, sp::SchemaPart::complete}) {
    require(sp::schema_accepts(part, root) == sp::schema_faults(part, root).empty());
  }
  sp::Chain chain;
  chain.files.push_back(root);
  const auto profile = sp::assemble(std::move(chain));
  if (const auto* faults = std::get_if<sp::Diagnostics>(&profile)) {
    check_text(*faults);
    return 0;
  }
  sp::Overrides many;
  many.many = true;
  const auto jobs = sp::expand(std::get<sp::Profile>(profile), many);
  if (const auto* faults = std::get_if<sp::Diagnostics>(&jobs)) check_text(*faults);
  return 0;
}
