#pragma once

#include <sys/types.h>

#include <optional>
#include <string>

#include "runner/run/keeper.hpp"
#include "runner/run/message.hpp"
#include "sthd/target.hpp"

namespace sthd::run {

/// Extended attribute that marks a test file as ours; its value is the run's id.
inline constexpr const char* kOwnerAttribute = "user.speedtest-hd.run";

/// What the keeper holds, as its children see it.
struct Holdings {
  int directory = -1;
  int file = -1;
  std::string name;  ///< of the test file, in the directory
  dev_t device = 0;  ///< of the test file
  ino_t inode = 0;
  Target target;
  std::string scratch;  ///< private directory for other programs; empty = there is none
};

/// One child's work. Answers go to `out` as lines; descriptors and facts for the keeper to
/// `control`.
struct Task {
  const Inherited& inherited;
  const Holdings& held;
  const Request& request;
  int out = -1;
  int control = -1;
};

/// Runs in the child; returns its exit status.
int run_task(const Task& task) noexcept;

/// Truncates and unlinks the test file, if the name still leads to the same inode.
Outcome<Done> remove_test_file(const Holdings& held);

/// Whether `name` has the form speedtest-hd-<8 hex>.bench.
bool is_test_file_name(std::string_view name);

/// Removes what runs that were killed left in the directory; a line for each file, removed or not.
std::vector<std::string> clean_directory(int directory, bool remove);

/// What a child tells the keeper: takes it into `held`.
void take_control_message(const std::string& text, int fd, Holdings& held);

}  // namespace sthd::run
