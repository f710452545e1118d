#pragma once

#include <filesystem>
#include <memory>
#include <optional>
#include <string>
#include <utility>
#include <variant>
#include <vector>

#include "sthd/job.hpp"
#include "sthd/report.hpp"

namespace sthd::profile {

/// One fault of a profile, with its place. Lines and columns count from 1; 0 = no place (an
/// override).
struct Diagnostic {
  std::string file;
  unsigned line = 0;
  unsigned column = 0;
  unsigned length = 1;      ///< columns to underline
  std::string message;      ///< "unknown key "thread" in [job.matrix]"
  std::string suggestion;   ///< "did you mean "threads"?" or another remedy; may be empty
  std::string source_line;  ///< the text of that line
};
using Diagnostics = std::vector<Diagnostic>;

/// "file:line:col: message", the source line, a caret and the suggestion, for each; display()ed;
/// ends with a newline.
std::string render(const Diagnostics& diagnostics);

/// A value or all the faults found.
template <class T>
using Checked = std::variant<T, Diagnostics>;

/// Folders in which a bare name is looked up, first match wins.
using SearchPath = std::vector<std::filesystem::path>;

/// A loaded, merged and validated profile. Cheap to move. Immutable.
class Profile {
 public:
  struct State;
  explicit Profile(std::shared_ptr<const State> state);
  [[nodiscard]] const ProfileInfo& info() const;  ///< overrides and expanded_sha256 still empty
  [[nodiscard]] const std::vector<Column>& columns() const;
  [[nodiscard]] const State& state() const { return *state_; }

 private:
  std::shared_ptr<const State> state_;
};

/// `name` with a `/` or ending in `.toml` is a path, otherwise looked up in `search`.
Checked<Profile> load(const std::string& name, const SearchPath& search);

/// What the command line adds; recorded in the Report.
struct Overrides {
  std::vector<std::pair<std::string, std::string>>
      set;                        ///< key, value text, in order: {"runtime", "30s"}
  std::vector<std::string> only;  ///< globs on label or id; any may match
  bool many = false;              ///< more than 256 cases are meant
  std::vector<std::pair<std::string, std::string>> axis;  ///< key, values: {"threads", "1,4"}
};

/// The jobs in running order. `set` writes its key into every job and beats an axis of that name
/// (the axis then has one value). `axis` runs every case with each of its values: it takes the
/// place of an axis of that name, or follows the profile's own as the fastest; a label that does
/// not name its key gets " key=value". A value is read as TOML where it parses, else as a string;
/// lists as `a,b`. Sizes and times on the command line may be bare numbers (bytes, seconds). A set
/// `engine`/`backend` of one element is "named".
Checked<std::vector<Job>> expand(const Profile& profile, const Overrides& overrides);

/// What is to be measured, and what is expected of it.
struct Asked {
  std::vector<Job> jobs;
  std::vector<Expectation> expectations;  ///< those that are about one of the jobs
};

/// expand(), with the expectations. One of the profile's own that is about no job is a fault,
/// unless the command line left its jobs out; a parent's is left out.
Checked<Asked> expand_all(const Profile& profile, const Overrides& overrides);

struct Listed {
  std::string name;
  std::string title;
  std::filesystem::path path;
  std::string fault;  ///< why it cannot be loaded; empty when it can
};
/// Every profile found, by name; of two with one name the first found. base is not listed (it has
/// no jobs).
std::vector<Listed> list(const SearchPath& search);

}  // namespace sthd::profile
