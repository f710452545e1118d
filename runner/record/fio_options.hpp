#pragma once

#include <cstdint>
#include <functional>
#include <map>
#include <optional>
#include <string>
#include <string_view>
#include <vector>

#include "runner/record/json_io.hpp"
#include "sthd/job.hpp"

// Private to runner/record: what fio's report says of the options of a job.
namespace sthd::record {

/// The options of one job: its own over the global ones. fio prints all of them as texts.
class FioOptions {
 public:
  /// `global`: "global options", where the report has them.
  FioOptions(const std::optional<Reader>& global, const std::optional<Reader>& job);

  [[nodiscard]] std::optional<std::string> text(std::string_view name) const;
  /// A number by fio's rules; empty when it is not given, or is none ("50%").
  [[nodiscard]] std::optional<std::uint64_t> number(std::string_view name) const;
  /// A duration, bare numbers being seconds; empty when it is not given, or is none.
  [[nodiscard]] std::optional<std::uint64_t> nanoseconds(std::string_view name) const;
  /// Given as 1, or without a value. Flags without a value are missing from reports before
  /// fio-3.39.
  [[nodiscard]] bool flag(std::string_view name) const;

  /// fio's numbers: `k m g t p` with or without `b` are powers of 1024 and `kib mib …` powers of
  /// 1000, or the other way round with kb_base=1000; 0x begins a hexadecimal one.
  [[nodiscard]] std::optional<std::uint64_t> parse(std::string_view text) const;

 private:
  std::map<std::string, std::string, std::less<>> values_;
  bool kilo_is_1000_ = false;
};

/// A job's options in our words.
struct FioWorkload {
  Workload workload;               ///< `size` is 0 where the options do not tell it
  std::string kind;                ///< fio's own word: "randread"
  std::string refusal;             ///< why it cannot be a row here; empty = it can
  bool mixed_blocks = false;       ///< block_size is not known: I/Os differ in size
  std::vector<std::string> notes;  ///< what the options ask for and a Workload has no word for
};

/// What is not given has fio's default. `region` is `own` where the jobs have files of their own.
FioWorkload fio_workload(const FioOptions& options);

}  // namespace sthd::record
