#pragma once

#include <fmt/format.h>

#include <cstddef>
#include <cstdint>
#include <limits>
#include <string>

#include "runner/record/json_io.hpp"

// Private to runner/record. A histogram's bins, or those of each slice of a series, are most of a
// record. They are one flat array: [lower bound of the first bin in ns, its count, the count of the
// next bin, …], where -n stands for n empty bins.
namespace sthd::record {

/// Appends a number: format_to() takes six times as long for a string.
inline void append_number(std::uint64_t value, std::string& out) {
  const fmt::format_int digits(value);
  out.append(digits.data(), digits.size());
}

/// Appends bins in ascending order to text.
template <class Grid>
class BinsText {
 public:
  explicit BinsText(std::string& out) : out_(out) {}

  void add(std::size_t index, std::uint64_t count) {
    if (!begun_) {
      out_ += '[';
      append_number(Grid::lower_of(index), out_);
    } else if (index > next_) {
      out_ += ",-";
      append_number(index - next_, out_);
    }
    out_ += ',';
    append_number(count, out_);
    begun_ = true;
    next_ = index + 1;
  }
  /// "null" where none was added.
  void end() { out_ += begun_ ? "]" : "null"; }

 private:
  std::string& out_;
  bool begun_ = false;
  std::size_t next_ = 0;
};

template <class Grid>
std::string scheme_of() {
  return fmt::format("loglin{}", Grid::kSubBits);
}

/// Calls `take(index, count)` for each bin of the array, ascending.
template <class Grid, class F>
void read_bins(const Reader& json, F take) {
  const Json& array = json.json();
  if (!array.is_array() || array.size() < 2) {
    json.fail("is no array [lower_ns of the first bin, its count, …]");
  }
  const auto lower = array[0].is_number_unsigned() ? array[0].get<std::uint64_t>() : UINT64_MAX;
  std::size_t index = Grid::index_of(lower);
  if (Grid::lower_of(index) != lower) {
    json.element(0).fail(fmt::format("is {}, which is no lower bound of a {} bin", array[0].dump(),
                                     scheme_of<Grid>()));
  }
  std::uint64_t total = 0;
  for (std::size_t i = 1; i < array.size(); ++i) {
    if (index >= Grid::kBins)
      json.element(i).fail(fmt::format("lies beyond the last {} bin", scheme_of<Grid>()));
    if (const auto* count = array[i].get_ptr<const Json::number_unsigned_t*>()) {
      if (*count > std::numeric_limits<std::uint64_t>::max() - total) {
        json.element(i).fail("makes the number of samples overflow");
      }
      total += *count;
      take(index++, *count);
      continue;
    }
    const auto* empty = array[i].get_ptr<const Json::number_integer_t*>();
    if (empty == nullptr || *empty < -static_cast<std::int64_t>(Grid::kBins)) {
      json.element(i).fail("is neither a count nor, negative, a number of empty bins");
    }
    index += static_cast<std::size_t>(-*empty);
  }
}

}  // namespace sthd::record
