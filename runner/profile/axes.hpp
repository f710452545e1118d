#pragma once

#include <optional>
#include <string>
#include <utility>
#include <vector>

#include "runner/profile/matrix.hpp"

// The axes of a job's matrix: the profile's, and what the command line makes of them.
namespace sthd::profile {

/// Precondition: read_setting() has accepted the value before.
Assigned assigned(std::string_view key, const Value& value, bool of_job);

/// The keys that one value of an axis sets.
using Point = std::vector<std::pair<std::string, Assigned>>;

struct Axis {
  std::string name;
  std::vector<Point> points;
};

/// The axes that the job declares, in the order of the file, with what `set` makes of them. Faults
/// when two of them set one key.
std::vector<Axis> axes_of(const Value& job, const SetValues& set, Diagnostics& faults);

/// The command line's own axes.
std::vector<Axis> added_axes(const SetValues& given);

/// Puts the command line's axes in the place of those of the same name, or at the end. Tables on
/// other axes lose the key.
void add_axes(std::vector<Axis> added, std::vector<Axis>& axes);

/// Cases that the axes make; nothing above kMostCases.
std::optional<std::size_t> product(const std::vector<Axis>& axes);

}  // namespace sthd::profile
