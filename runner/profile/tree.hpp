#pragma once

#include <cstdint>
#include <memory>
#include <string>
#include <string_view>
#include <vector>

// The profile as a tree of our own: every key and every value knows its place.
namespace sthd::profile {

/// The text of one file, kept as long as any value points into it.
struct SourceFile {
  std::string path;
  std::string text;

  /// Line `number` (from 1) without its line break; empty when there is none.
  [[nodiscard]] std::string_view line(unsigned number) const;
};

/// Lines and columns count from 1, columns in code points; line 0 = no place (an override).
struct Place {
  std::shared_ptr<const SourceFile> file;
  unsigned line = 0;
  unsigned column = 0;
  unsigned length = 1;
};

/// `null` is what JSON has no word for: dates, times, NaN and infinities. The schema never accepts
/// it; `text` then says what it was.
enum class Kind { table, array, string, integer, floating, boolean, null };

struct Entry;

struct Value {
  Kind kind = Kind::table;
  Place place;
  std::string text;  ///< of a string
  std::int64_t integer = 0;
  double floating = 0;
  bool boolean = false;
  std::vector<Value> items;    ///< of an array
  std::vector<Entry> entries;  ///< of a table, in the order of the file

  /// The entry or value of a key in a table, or nullptr.
  [[nodiscard]] const Entry* entry(std::string_view key) const;
  [[nodiscard]] const Value* find(std::string_view key) const;
  [[nodiscard]] Entry* entry(std::string_view key);
};

struct Entry {
  std::string key;
  Place key_place;
  Value value;
};

/// The text of the string under `key`, or "" when there is none.
std::string_view text_of(const Value& table, std::string_view key);

/// The tables of the array under `key`; none when there is no such array.
std::vector<const Value*> tables_of(const Value& table, std::string_view key);

/// "an integer", "a string": for messages.
std::string_view kind_text(const Value& value);

}  // namespace sthd::profile
