#include "sthd/text.hpp"

#include <string>
#include <utility>
#include <vector>

#include "support/catch.hpp"

namespace sthd {
namespace {

TEST_CASE("Display makes what could steer a terminal visible", "[sdk][text]") {
  const std::vector<std::pair<std::string, std::string>> table{
      {"/mnt/pool", "/mnt/pool"},
      {"naïve 日本語 e\u0301 😀", "naïve 日本語 e\u0301 😀"},
      {"a\\b \"c\"", "a\\b \"c\""},
      {"\x1b]0;title\a", "\\x1b]0;title\\x07"},
      {"a\tb\nc\rd", "a\\tb\\nc\\x0dd"},
      {std::string("a\0b", 3), "a\\x00b"},
      {"\x7f", "\\x7f"},
      {"\u0080\u009b31m", "\\u0080\\u009b31m"},
      {"\u00a0", "\u00a0"},
      {"\u202e\u202a\u2066\u2069\u200e\u200f\u061c",
       "\\u202e\\u202a\\u2066\\u2069\\u200e\\u200f\\u061c"},
      {"\u2028\u2029", "\\u2028\\u2029"},
      {"\u202f\u2065\u206a", "\u202f\u2065\u206a"}};
  for (const auto& [in, out] : table) CHECK(display(in) == out);
}

TEST_CASE("Display shows each byte of broken UTF-8", "[sdk][text]") {
  const std::vector<std::pair<std::string, std::string>> table{
      {"\xff", "\\xff"},
      {"a\x80z", "a\\x80z"},
      {"\xc3", "\\xc3"},
      {"\xc3(", "\\xc3("},
      {"\xc0\xaf", "\\xc0\\xaf"},                    // overlong slash
      {"\xe0\x80\xaf", "\\xe0\\x80\\xaf"},           // overlong
      {"\xed\xa0\x80", "\\xed\\xa0\\x80"},           // surrogate
      {"\xf4\x90\x80\x80", "\\xf4\\x90\\x80\\x80"},  // beyond U+10FFFF
      {"\xe6\x97", "\\xe6\\x97"},                    // cut short
      {"\xf0\x9f\x98\x80", "😀"}};
  for (const auto& [in, out] : table) CHECK(display(in) == out);
}

TEST_CASE("Display of a displayed text changes nothing", "[sdk][text]") {
  std::string all;
  for (int byte = 0; byte < 256; ++byte) all += static_cast<char>(byte);
  const std::string once = display(all);
  CHECK(display(once) == once);
}

TEST_CASE("Display width counts terminal columns", "[sdk][text]") {
  const std::vector<std::pair<std::string, std::size_t>> table{{"", 0},
                                                               {"abc", 3},
                                                               {"naïve", 5},
                                                               {"日本語", 6},
                                                               {"e\u0301", 1},
                                                               {"ｱ", 1},
                                                               {"Ａ", 2},
                                                               {"한국어", 6},
                                                               {"\u1112\u1161\u11ab", 2},
                                                               {"😀", 2},
                                                               {"a\u200bb", 2},
                                                               {"\u00ad", 1},
                                                               {"‖", 1},
                                                               {"𠀀", 2},
                                                               {"\ufe0f", 0},
                                                               {"\u0e01\u0e34", 1},
                                                               {"\U0001f1e9", 1},
                                                               {"µs", 2}};
  for (const auto& [text, width] : table) {
    INFO(text);
    CHECK(display_width(text) == width);
  }
}

}  // namespace
}  // namespace sthd
