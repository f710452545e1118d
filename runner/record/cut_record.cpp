#include "runner/record/cut_record.hpp"

#include <fmt/format.h>

#include <optional>
#include <string>
#include <utility>

#include "runner/record/codec.hpp"
#include "runner/record/record.hpp"

namespace sthd::record {
namespace {

/// Walks over JSON text that may end anywhere, and looks for whole jobs. Whether it is JSON at all
/// is left to the parser.
class Scan {
 public:
  explicit Scan(std::string_view text) : text_(text.substr(0, text.find('\0'))) {
    for (; at_ < text_.size() && depth_ >= 0; ++at_) step(text_[at_]);
  }

  /// Whether something is still open at the end.
  [[nodiscard]] bool cut() const { return depth_ > 0; }
  /// The text up to the last whole job; nothing when it does not come as far as "jobs".
  [[nodiscard]] std::optional<std::string_view> with_whole_jobs() const {
    if (end_ == 0) return std::nullopt;
    return text_.substr(0, end_);
  }

 private:
  static constexpr int kMember = 1;  // depth of the record's own members
  static constexpr int kJob = 2;

  void step(char c) {
    if (in_string_) {
      step_in_string(c);
    } else if (c == '"') {
      in_string_ = true;
      string_begin_ = at_ + 1;
    } else if (c == '{' || c == '[') {
      ++depth_;
      if (depth_ != kJob || c != '[' || member_ != "jobs") return;
      in_jobs_ = true;
      end_ = at_ + 1;
    } else if (c == '}' || c == ']') {
      --depth_;
      if (in_jobs_ && depth_ == kJob) end_ = at_ + 1;
      if (depth_ == kMember) in_jobs_ = false;
    }
  }

  void step_in_string(char c) {
    if (escaped_) {
      escaped_ = false;
    } else if (c == '\\') {
      escaped_ = true;
    } else if (c == '"') {
      in_string_ = false;
      if (depth_ == kMember) member_ = text_.substr(string_begin_, at_ - string_begin_);
    }
  }

  std::string_view text_;  // a power cut may leave zeros at the end of a file
  std::size_t at_ = 0;
  std::size_t end_ = 0;
  int depth_ = 0;
  bool in_string_ = false;
  bool escaped_ = false;
  bool in_jobs_ = false;
  std::size_t string_begin_ = 0;
  std::string_view member_;  // the last string among the members: before a bracket, its key
};

}  // namespace

Outcome<Imported> import_record(std::string_view text) {
  auto whole = from_json(text);
  if (whole) {
    const std::size_t planned = whole->plan.jobs.size();
    return Imported{std::move(*whole), Source::record, false, planned};
  }
  const Scan scan(text);
  const auto jobs = scan.with_whole_jobs();
  if (!scan.cut() || !jobs) return whole.error();
  auto part = read_text(std::string(*jobs) + "]}", Extent::part);
  if (part) return Imported{std::move(part->report), Source::record, true, part->planned};
  return Error{ErrorCode::refused,
               fmt::format("{}; in what is there, {}", whole.error().message, part.error().message),
               0};
}

}  // namespace sthd::record
