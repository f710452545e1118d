#pragma once

#include <optional>
#include <string>
#include <string_view>
#include <vector>

#include "runner/host/run_store.hpp"
#include "sthd/outcome.hpp"

// How a person names a run that was kept, wherever a record's file is taken.
namespace sthd::app {

/// Whether `word` can only be a run: "@-1".
bool is_index(std::string_view word);

/// Whether it may be one, where there is no such file: a run's id, the beginning of one, or its
/// name in the store.
bool may_be_run(std::string_view word);

/// The one of `runs` (the newest first) that `word` names. Error{refused}: none, or several.
Outcome<host::KeptRun> find_run(const std::vector<host::KeptRun>& runs, std::string_view word);

/// The text of the run that `word` names, of the invoking user. Error{refused}: one sentence.
Outcome<std::string> read_run(std::string_view word);

}  // namespace sthd::app
