#pragma once

#include <filesystem>
#include <memory>
#include <optional>

#include "runner/profile/diagnostics.hpp"
#include "runner/profile/tree.hpp"

namespace sthd::profile {

inline constexpr std::size_t kMaxFileBytes = 1'048'576;
inline constexpr unsigned kMaxNesting = 16;
inline constexpr std::size_t kMaxStringBytes = 4096;

/// Reads a regular file of at most kMaxFileBytes; never waits (a FIFO, a terminal).
std::variant<std::shared_ptr<const SourceFile>, Diagnostic> read_file(
    const std::filesystem::path& path);

/// What would hurt the TOML parser or the terminal, found before it is asked: invalid UTF-8, and
/// brackets or dots nested deeper than kMaxNesting.
std::optional<Diagnostic> scan(const std::shared_ptr<const SourceFile>& file);

/// The file's tree. toml++ stops at the first fault of syntax.
Checked<Value> parse(const std::shared_ptr<const SourceFile>& file);

}  // namespace sthd::profile
