#pragma once

#include <string>

#include "kit/table/comparison_table.hpp"

namespace sthd::table {

/// A part of a comparison as plain text, ended: figures in a frame of + - |, texts a line each, for
/// they may be long ("  kernel: before 6.1.0; after 6.12.9").
std::string plain_text(const ComparisonPart& part);

}  // namespace sthd::table
