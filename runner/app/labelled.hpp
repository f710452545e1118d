#pragma once

#include <string>
#include <vector>

#include "runner/app/commands.hpp"
#include "sthd/outcome.hpp"
#include "sthd/report.hpp"

namespace sthd::app {

/// A word of the command line that names a record, and what it is to be called.
struct Named {
  std::string label;  ///< empty = none was given
  std::string file;   ///< or a kept run
};

/// "before=a.json" taken apart, but where `is_file` says that there is a file of that whole name.
Named named(const std::string& word, bool is_file);

/// What each record is called: the label that was given; else the beginning of a kept run's id, or
/// the file's name without folder and extension. Where two would be the same, files have their
/// folders too, and what is the same even then gets a number.
std::vector<std::string> labels_of(const std::vector<Named>& records,
                                   const std::vector<std::string>& run_ids);

/// Records that are shown together, one label each.
struct Labelled {
  std::vector<Report> reports;  ///< with --share, as they may be shown
  std::vector<std::string> labels;
};

/// All records of the command line, judged. The Error is a sentence.
Outcome<Labelled> read_labelled(const CommandInput& input);

}  // namespace sthd::app
