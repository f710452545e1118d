#pragma once

#include <cstdint>
#include <optional>
#include <string>
#include <string_view>
#include <utility>
#include <vector>

#include "sthd/outcome.hpp"

namespace sthd::process {

/// What `fio --version` printed.
struct FioVersion {
  std::string text;  ///< "fio-3.33-dirty"
  /// Major and minor; empty for a build that has none ("fio-master").
  std::optional<std::pair<unsigned, unsigned>> number;
};

/// Empty when the first line does not begin with "fio-": that is another program.
[[nodiscard]] std::optional<FioVersion> fio_version(std::string_view output);

/// fio's output taken apart. Its diagnostics stand before and after the JSON, in the same stream; a
/// document begins at a line that is exactly `{` and ends at the matching brace.
struct FioOutput {
  std::vector<std::string_view> documents;  ///< complete ones, in order; they point into the input
  std::string fault;   ///< what is wrong with one: "is cut short", "nests deeper than 64"
  std::string around;  ///< all other lines
};
[[nodiscard]] FioOutput split_fio_output(std::string_view output);

/// The lines of fio's diagnostics that say that something went wrong, as they are.
[[nodiscard]] std::vector<std::string> fio_complaints(std::string_view text);

/// fio's own words for a failure: the most telling complaint, else its last line. At most 300
/// bytes, safe to show; may be empty.
[[nodiscard]] std::string fio_words(std::string_view text);

/// The first errno that fio's diagnostics name as `err=N`, else one that fio_words()
/// spells out; 0 = none.
[[nodiscard]] int fio_errno(std::string_view text);

/// "fio <what>: <its words> (ENOSPC)", where `said` is all that fio said; `code` is an errno known
/// otherwise, or 0.
[[nodiscard]] Error fio_failure(std::string_view what, std::string_view said, int code = 0);

/// Rates of one line of `--eta` output, both directions added.
struct FioRates {
  double bytes_per_s = 0;
  double ios_per_s = 0;
};

/// Empty when the line shows no rates.
[[nodiscard]] std::optional<FioRates> fio_rates(std::string_view line);

}  // namespace sthd::process
