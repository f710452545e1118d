#include "runner/record/identifiers.hpp"

#include <arpa/inet.h>

#include <algorithm>
#include <array>
#include <string>

namespace sthd::record {
namespace {

bool is_digit(char c) { return c >= '0' && c <= '9'; }
bool is_hex(char c) { return is_digit(c) || (c >= 'a' && c <= 'f') || (c >= 'A' && c <= 'F'); }

/// `length`, or 0 where the word goes on behind it.
std::size_t whole(std::string_view text, std::size_t at, std::size_t length) {
  const std::size_t end = at + length;
  return end < text.size() && is_word_char(text[end]) ? 0 : length;
}

/// Groups of hexadecimal digits of these sizes, with `separator` between them.
template <std::size_t N>
std::size_t groups_at(std::string_view text, std::size_t at,
                      const std::array<std::size_t, N>& sizes, char separator) {
  std::size_t end = at;
  for (std::size_t i = 0; i < N; ++i) {
    if (i > 0 && (end >= text.size() || text[end++] != separator)) return 0;
    if (text.size() - end < sizes[i]) return 0;
    const std::string_view group = text.substr(end, sizes[i]);
    if (!std::all_of(group.begin(), group.end(), is_hex)) return 0;
    end += sizes[i];
  }
  return whole(text, at, end - at);
}

bool parses(int family, const std::string& address) {
  std::array<unsigned char, sizeof(in6_addr)> bytes{};
  return ::inet_pton(family, address.c_str(), bytes.data()) == 1;
}

bool is_own(const std::string& address) {
  return address.starts_with("127.") || address == "0.0.0.0" || address == "::1" || address == "::";
}

/// Up to what cannot be in a name in the middle of a sentence.
std::size_t component_at(std::string_view text, std::size_t at) {
  std::size_t end = std::min(text.find_first_of("/ \t\r\n\"'`,;:=()[]{}<>|", at), text.size());
  while (end > at && text[end - 1] == '.') --end;
  return end - at;
}

}  // namespace

bool is_word_char(char c) {
  return is_digit(c) || (c >= 'a' && c <= 'z') || (c >= 'A' && c <= 'Z') ||
         (static_cast<unsigned char>(c) & 0x80U) != 0;
}

bool begins_word(std::string_view text, std::size_t at) {
  return at == 0 || !is_word_char(text[at - 1]);
}

std::size_t uuid_at(std::string_view text, std::size_t at) {
  const std::size_t usual = groups_at(text, at, std::array<std::size_t, 5>{8, 4, 4, 4, 12}, '-');
  return usual > 0 ? usual : groups_at(text, at, std::array<std::size_t, 4>{8, 8, 8, 8}, ':');
}

std::size_t mac_at(std::string_view text, std::size_t at) {
  const std::size_t length = groups_at(text, at, std::array<std::size_t, 6>{2, 2, 2, 2, 2, 2}, ':');
  const std::size_t end = at + length;
  return end < text.size() && text[end] == ':' ? 0 : length;
}

std::size_t wwn_at(std::string_view text, std::size_t at) {
  constexpr std::size_t kLeast = 16;  // 64 bits
  for (const std::string_view prefix : {"wwn-0x", "naa.", "eui.", "0x"}) {
    if (!text.substr(at).starts_with(prefix)) continue;
    std::size_t end = at + prefix.size();
    while (end < text.size() && is_hex(text[end])) ++end;
    return end - at - prefix.size() < kLeast ? 0 : whole(text, at, end - at);
  }
  return 0;
}

std::size_t ip_at(std::string_view text, std::size_t at) {
  if (at > 0 && (text[at - 1] == '.' || text[at - 1] == ':')) return 0;
  std::size_t end = at;
  while (end < text.size() && (is_hex(text[end]) || text[end] == '.' || text[end] == ':')) ++end;
  while (end > at && text[end - 1] == '.') --end;
  std::string address(text.substr(at, end - at));
  const bool port = std::count(address.begin(), address.end(), ':') == 1;  // "10.0.0.1:2049"
  if (port) address.resize(address.find(':'));
  if (address.ends_with(':') && !address.ends_with("::")) address.pop_back();
  if (is_own(address) || (!parses(AF_INET, address) && !parses(AF_INET6, address))) return 0;
  return whole(text, at, address.size());
}

std::size_t owner_at(std::string_view text, std::size_t at) {
  const std::string_view before = text.substr(0, at);
  const std::size_t length = component_at(text, at);
  for (const std::string_view home : {"/home/", "/Users/", "/run/media/"}) {
    if (before.ends_with(home)) return length;
  }
  const std::size_t end = at + length;
  const bool inside = end + 1 < text.size() && text[end] == '/' && text[end + 1] != '/';
  return before.ends_with("/media/") && inside ? length : 0;
}

std::string_view serial_of_link(std::string_view text, std::size_t at) {
  constexpr std::size_t kLeast = 5;
  std::string_view name = text.substr(at, component_at(text, at));
  name = name.substr(0, name.find("-part"));
  const auto last = [&] { return name.substr(name.rfind('_') + 1); };
  if (name.find('_') == name.npos) return {};
  const std::string_view end = last();  // newer kernels add the namespace: "…_SERIAL_1"
  if (end.size() <= 2 && std::all_of(end.begin(), end.end(), is_digit)) {
    name.remove_suffix(end.size() + 1);
    if (name.find('_') == name.npos) return {};
  }
  return last().size() < kLeast ? std::string_view() : last();
}

bool is_token(std::string_view word) {
  for (const std::string_view kind : {"host-", "domain-", "user-", "mac-", "ip-"}) {
    if (!word.starts_with(kind) || word.size() == kind.size()) continue;
    return std::all_of(word.begin() + static_cast<std::ptrdiff_t>(kind.size()), word.end(),
                       is_digit);
  }
  for (const std::string_view kind : {"serial-", "wwn-", "uuid-"}) {
    if (!word.starts_with(kind) || word.size() != kind.size() + 8) continue;
    return std::all_of(word.begin() + static_cast<std::ptrdiff_t>(kind.size()), word.end(), is_hex);
  }
  return false;
}

}  // namespace sthd::record
