#pragma once

#include <string>

#include "sthd/outcome.hpp"
#include "sthd/target.hpp"

// Called in a short-lived child of the keeper: every one of these may block for ever on a dead
// mount.
namespace sthd::host {

/// Opens an existing directory (O_DIRECTORY | O_CLOEXEC, never created). Error{refused} with one
/// sentence: what it is instead, and what to do.
Outcome<int> open_directory(const std::string& path);

/// Facts of the directory behind `directory_fd`. Facts that cannot be had stay empty.
Outcome<Target> inspect(int directory_fd, const std::string& path);

}  // namespace sthd::host
