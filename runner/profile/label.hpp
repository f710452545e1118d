#pragma once

#include <map>
#include <optional>
#include <string>
#include <string_view>
#include <vector>

#include "runner/profile/keys.hpp"

namespace sthd::profile {

/// A label cut at its placeholders: "{PATTERN}{block_size} Q{queue_depth}".
struct LabelPart {
  std::string text;  ///< literal, or the placeholder's name
  bool placeholder = false;
  std::size_t offset = 0;  ///< code points before it in the label
};

/// `{{` and `}}` stand for braces. A brace without its partner is a literal placeholder "{".
std::vector<LabelPart> label_parts(std::string_view label);

/// {pattern} may also be written {PATTERN}: SEQ, RND.
inline constexpr std::string_view kShortPattern = "PATTERN";

/// All names that may stand in braces.
std::vector<std::string> placeholder_names();

/// The workload key behind a placeholder, or nothing.
std::optional<std::string> placeholder_key(std::string_view name);

/// The text for one placeholder. Precondition: it has a key.
std::string placeholder_text(std::string_view name, const Setting& setting);

}  // namespace sthd::profile
