#pragma once

#include <array>
#include <cstddef>
#include <cstdint>
#include <nlohmann/json.hpp>
#include <optional>
#include <stdexcept>
#include <string>
#include <string_view>
#include <vector>

#include "sthd/job.hpp"

// Private to runner/record: how JSON text is read with paths in its errors, and how it is printed.
namespace sthd::record {

using Json = nlohmann::ordered_json;

/// Text that is not what the schema says; the message names the path: "jobs[0].id is missing".
/// Never leaves this room.
class ReadError : public std::runtime_error {
 public:
  using std::runtime_error::runtime_error;
};

/// A parsed value that knows its path. Refers to the Json it was made of, which must outlive it.
/// The path is made into text when something is wrong with the value.
class Reader {
 public:
  explicit Reader(const Json& json) : json_(&json) {}

  /// The value of a key that must be there.
  [[nodiscard]] Reader at(std::string_view key) const;
  /// The value of a key that must be there; empty when it is null.
  [[nodiscard]] std::optional<Reader> at_or_null(std::string_view key) const;
  /// The value of a key that may be left out or be null.
  [[nodiscard]] std::optional<Reader> find(std::string_view key) const;
  /// The elements of an array.
  [[nodiscard]] std::vector<Reader> items() const;
  /// One of them, which must be there.
  [[nodiscard]] Reader element(std::size_t index) const;
  /// Calls `take(name, value)` for each member of an object, nulls included.
  template <class F>
  void each_member(F take) const {
    need_object();
    for (auto item = json_->begin(); item != json_->end(); ++item) {
      take(item.key(), below({&item.key(), 0}, *item));
    }
  }

  [[nodiscard]] std::uint64_t u64() const;
  [[nodiscard]] std::uint32_t u32() const;
  [[nodiscard]] double number() const;
  [[nodiscard]] bool boolean() const;
  [[nodiscard]] std::string text() const;
  [[nodiscard]] std::vector<std::string> texts() const;
  template <class E>
  [[nodiscard]] E one_of() const {
    const std::string found = text();
    if (const auto value = from_text<E>(found)) return *value;
    fail("is \"" + found + "\", which is none of its words");
  }

  // Members of an object whose unknown value is null in JSON and 0, "" or empty in C++.
  [[nodiscard]] std::uint64_t u64_or_zero(std::string_view key) const;
  [[nodiscard]] std::uint32_t u32_or_zero(std::string_view key) const;
  [[nodiscard]] std::string text_or_empty(std::string_view key) const;
  [[nodiscard]] std::optional<std::uint64_t> maybe_u64(std::string_view key) const;
  [[nodiscard]] std::optional<double> maybe_number(std::string_view key) const;
  [[nodiscard]] std::optional<bool> maybe_boolean(std::string_view key) const;

  [[nodiscard]] const Json& json() const { return *json_; }
  [[noreturn]] void fail(std::string_view what) const;

 private:
  /// A key of an object, which stays with the Json, or, without, an index.
  struct Step {
    const std::string* key = nullptr;
    std::size_t index = 0;
  };
  static constexpr std::size_t kMostSteps = 12;  // a record is no deeper

  void need_object() const;
  [[nodiscard]] Reader below(Step step, const Json& value) const;
  [[nodiscard]] std::string path() const;
  [[nodiscard]] std::string path_of(std::string_view key) const;

  const Json* json_;
  std::array<Step, kMostSteps> steps_;
  std::size_t depth_ = 0;
};

/// What parse() does about a key that stands twice in one object.
enum class Repeated { refuse, last_wins };

/// Parses text; refuses (ReadError) duplicate keys, nesting deeper than 64 and more than 256 MiB.
Json parse(std::string_view text, Repeated keys = Repeated::refuse);

/// A value that is already JSON text, in the style of print() and without a line end. Only
/// print() and print_line() know it.
Json printed(std::string_view text);

/// Two spaces an indent; an array without objects, and from the second level on an object without
/// others, on one line. Ends with a newline. Invalid UTF-8 becomes U+FFFD.
std::string print(const Json& json);

/// Everything on one line, without a newline. Invalid UTF-8 becomes U+FFFD.
std::string print_line(const Json& json);

// What C++ keeps as 0, "" or an empty optional is null in JSON.
inline Json null_if_zero(std::uint64_t value) { return value == 0 ? Json(nullptr) : Json(value); }
inline Json null_if_empty(const std::string& text) {
  return text.empty() ? Json(nullptr) : Json(text);
}
template <class T>
Json null_if_unset(const std::optional<T>& value) {
  return value ? Json(*value) : Json(nullptr);
}
template <class E>
Json word(E value) {
  return std::string(to_text(value));
}
/// A double that is a whole number is written as one.
Json figure(double value);

}  // namespace sthd::record
