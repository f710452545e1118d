#include "sthd/text.hpp"

#include <algorithm>
#include <array>
#include <cstdint>

#include "width_ranges.hpp"

namespace sthd {
namespace {

constexpr std::string_view kHex = "0123456789abcdef";

/// One code point of UTF-8, or one byte that is none (`valid` false, length 1).
struct Decoded {
  char32_t code = 0;
  std::size_t length = 1;
  bool valid = false;
};

Decoded decode(std::string_view text) {
  const auto byte = [text](std::size_t i) { return static_cast<unsigned char>(text[i]); };
  const unsigned char lead = byte(0);
  if (lead < 0x80) return {lead, 1, true};
  const std::size_t length = lead >= 0xf0 ? 4 : lead >= 0xe0 ? 3 : 2;
  if (lead < 0xc2 || lead > 0xf4 || text.size() < length) return {};
  char32_t code = lead & (0x7fU >> length);
  for (std::size_t i = 1; i < length; ++i) {
    if ((byte(i) & 0xc0U) != 0x80U) return {};
    code = (code << 6U) | (byte(i) & 0x3fU);
  }
  constexpr std::array<char32_t, 5> kSmallest{0, 0, 0x80, 0x800, 0x10000};
  const bool surrogate = code >= 0xd800 && code <= 0xdfff;
  if (code < kSmallest[length] || code > 0x10ffff || surrogate) return {};
  return {code, length, true};
}

/// Characters that move the cursor, end a line or turn the text around.
bool must_be_escaped(char32_t code) {
  if (code < 0x20 || (code >= 0x7f && code <= 0x9f)) return true;
  if (code == 0x61c || code == 0x200e || code == 0x200f) return true;
  return (code >= 0x2028 && code <= 0x202e) || (code >= 0x2066 && code <= 0x2069);
}

void append_hex(std::string& out, char32_t value, int digits) {
  for (int shift = 4 * (digits - 1); shift >= 0; shift -= 4) {
    out += kHex[(value >> static_cast<unsigned>(shift)) & 0xfU];
  }
}

void append_escape(std::string& out, char32_t code) {
  if (code == '\t') {
    out += "\\t";
  } else if (code == '\n') {
    out += "\\n";
  } else if (code < 0x80) {
    out += "\\x";
    append_hex(out, code, 2);
  } else {
    out += "\\u";
    append_hex(out, code, 4);
  }
}

template <std::size_t N>
bool contains(const std::array<detail::CodeRange, N>& ranges, char32_t code) {
  const auto after = std::upper_bound(
      ranges.begin(), ranges.end(), code,
      [](char32_t value, const detail::CodeRange& range) { return value < range.first; });
  return after != ranges.begin() && code <= std::prev(after)->last;
}

}  // namespace

std::string display(std::string_view untrusted) {
  std::string out;
  out.reserve(untrusted.size());
  while (!untrusted.empty()) {
    const Decoded next = decode(untrusted);
    if (!next.valid) {
      out += "\\x";
      append_hex(out, static_cast<unsigned char>(untrusted.front()), 2);
    } else if (must_be_escaped(next.code)) {
      append_escape(out, next.code);
    } else {
      out += untrusted.substr(0, next.length);
    }
    untrusted.remove_prefix(next.length);
  }
  return out;
}

std::size_t display_width(std::string_view text) {
  std::size_t columns = 0;
  while (!text.empty()) {
    const Decoded next = decode(text);
    text.remove_prefix(next.length);
    if (next.valid && next.code >= 0x300) {
      if (contains(detail::kZeroWidth, next.code)) continue;
      if (contains(detail::kDoubleWidth, next.code)) ++columns;
    }
    ++columns;
  }
  return columns;
}

}  // namespace sthd
