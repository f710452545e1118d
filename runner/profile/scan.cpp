#include <fmt/format.h>

#include "runner/profile/load.hpp"

namespace sthd::profile {
namespace {

/// Bytes of the code point that starts `text`, or 0 when it is not valid UTF-8.
std::size_t code_point_length(std::string_view text) {
  const auto byte = [text](std::size_t i) { return static_cast<unsigned char>(text[i]); };
  const unsigned first = byte(0);
  if (first < 0x80) return 1;
  const std::size_t length = first >= 0xF0 ? 4 : first >= 0xE0 ? 3 : 2;
  if (first < 0xC2 || first > 0xF4 || text.size() < length) return 0;
  for (std::size_t i = 1; i < length; ++i) {
    if ((byte(i) & 0xC0U) != 0x80U) return 0;
  }
  const unsigned second = byte(1);
  const bool overlong = (first == 0xE0 && second < 0xA0) || (first == 0xF0 && second < 0x90);
  const bool outside = (first == 0xED && second >= 0xA0) || (first == 0xF4 && second >= 0x90);
  return overlong || outside ? 0 : length;
}

/// Follows TOML's strings, comments and brackets, no more: enough to know how deep a value nests.
class NestingScan {
 public:
  explicit NestingScan(std::string_view text) : text_(text) {}

  /// Offset of the first character that nests too deep, or npos.
  std::size_t run() {
    while (at_ < text_.size()) {
      const char c = text_[at_];
      if (c == '#') {
        at_ = std::min(text_.find('\n', at_), text_.size());
        continue;
      }
      if (c == '"' || c == '\'') {
        skip_string(c);
        continue;
      }
      count(c);
      if (brackets_ > kMaxNesting || dots_ > kMaxNesting) return at_;
      ++at_;
    }
    return std::string_view::npos;
  }

 private:
  void count(char c) {
    if (c == '[' || c == '{') ++brackets_;
    if ((c == ']' || c == '}') && brackets_ > 0) --brackets_;
    if (c == '.') ++dots_;
    if (c == '=' || c == ',' || c == '\n' || c == '[' || c == '{') dots_ = 0;
  }

  void skip_string(char quote) {
    const bool escapes = quote == '"';
    const std::string three(3, quote);
    const bool multi = text_.substr(at_, 3) == three;
    at_ += multi ? 3 : 1;
    while (at_ < text_.size()) {
      if (escapes && text_[at_] == '\\') {
        at_ += 2;
      } else if (multi && text_.substr(at_, 3) == three) {
        at_ += 3;
        while (at_ < text_.size() && text_[at_] == quote) ++at_;  // """ends with a quote""""
        return;
      } else if (!multi && (text_[at_] == quote || text_[at_] == '\n')) {
        ++at_;
        return;
      } else {
        ++at_;
      }
    }
    at_ = std::min(at_, text_.size());
  }

  std::string_view text_;
  std::size_t at_ = 0;
  unsigned brackets_ = 0;
  unsigned dots_ = 0;
};

Place place_of(const std::shared_ptr<const SourceFile>& file, std::size_t offset) {
  Place place{file, 1, 1, 1};
  for (const char c : std::string_view(file->text).substr(0, offset)) {
    if (c == '\n') {
      ++place.line;
      place.column = 1;
    } else if ((static_cast<unsigned char>(c) & 0xC0U) != 0x80U) {
      ++place.column;
    }
  }
  return place;
}

}  // namespace

std::optional<Diagnostic> scan(const std::shared_ptr<const SourceFile>& file) {
  const std::string_view text = file->text;
  for (std::size_t at = 0; at < text.size();) {
    const std::size_t length = code_point_length(text.substr(at));
    if (length == 0) {
      return fault_at(place_of(file, at), "this is not valid UTF-8", "save the file as UTF-8");
    }
    at += length;
  }
  const std::size_t deep = NestingScan(text).run();
  if (deep == std::string_view::npos) return std::nullopt;
  return fault_at(place_of(file, deep), fmt::format("nested deeper than {} levels", kMaxNesting));
}

}  // namespace sthd::profile
