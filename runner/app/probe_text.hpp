#pragma once

#include <cstddef>
#include <string>

#include "sthd/facts.hpp"

namespace sthd::app {

/// The facts for people: a paragraph for each subject, wrapped at `width` columns, what is not
/// known at its end in parentheses (dim with `colour`), one pair for each reason. All text is
/// display()ed.
std::string probe_text(const Facts& facts, std::size_t width, bool colour);

}  // namespace sthd::app
