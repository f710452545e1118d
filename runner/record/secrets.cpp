#include "runner/record/secrets.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <array>

#include "kit/text/sha256.hpp"
#include "runner/record/identifiers.hpp"

namespace sthd::record {
namespace {

/// Names of many machines and people; to replace them would hide nobody and mangle the text.
constexpr auto kCommon = std::to_array<std::string_view>(
    {"admin",    "alma",   "arch",    "backup",      "benchmark", "centos",   "com",
     "corp",     "cpu",    "data",    "debian",      "default",   "dev",      "device",
     "disk",     "edu",    "fedora",  "file",        "files",     "freenas",  "gentoo",
     "gov",      "guest",  "home",    "host",        "internal",  "intranet", "lab",
     "lan",      "linux",  "local",   "localdomain", "localhost", "media",    "mnt",
     "nas",      "net",    "nixos",   "nobody",      "node",      "omv",      "opensuse",
     "org",      "pool",   "proxmox", "pve",         "qnap",      "raid",     "rocky",
     "root",     "server", "share",   "shared",      "slog",      "storage",  "suse",
     "synology", "test",   "truenas", "ubuntu",      "unraid",    "user",     "users",
     "vm",       "work",   "zfs"});

std::string lower(std::string_view text) {
  std::string out(text);
  for (char& c : out) {
    if (c >= 'A' && c <= 'Z') c = static_cast<char>(c - 'A' + 'a');
  }
  return out;
}

bool is_number(std::string_view text) {
  return text.find_first_not_of("0123456789") == std::string_view::npos;
}

bool is_host_name(std::string_view text) {
  return !text.empty() && std::all_of(text.begin(), text.end(), [](char c) {
    return is_word_char(c) || c == '.' || c == '-' || c == '_';
  });
}

/// The same of the same value in every record, so that a disk can be recognised.
std::string hashed(std::string_view kind, std::string_view value) {
  constexpr std::size_t kDigits = 8;
  return fmt::format("{}-{}", kind, text::sha256(lower(value)).substr(0, kDigits));
}

}  // namespace

const std::string& Secrets::numbered(const std::string& kind, const std::string& name) {
  auto& names = numbered_[kind];
  return names.try_emplace(name, fmt::format("{}-{}", kind, names.size() + 1)).first->second;
}

void Secrets::learn(const std::string& name, const std::string& token) {
  constexpr std::size_t kLeast = 3;
  const std::string key = lower(name);
  const bool common = std::find(kCommon.begin(), kCommon.end(), key) != kCommon.end();
  if (key.size() < kLeast || is_number(key) || is_token(key) || common || words_.count(key) != 0) {
    return;
  }
  known_.try_emplace(key, token);
}

void Secrets::learn_host(std::string name) {
  name = lower(name);
  while (name.ends_with('.')) name.pop_back();
  const bool is_address = !name.empty() && ip_at(name, 0) == name.size();
  if (!is_host_name(name) || name == "localhost" || is_token(name) || is_address) return;
  const std::size_t dot = name.find('.');
  const std::string short_name = name.substr(0, dot);
  const std::string token = is_token(short_name) ? short_name : numbered("host", short_name);
  learn(name, token);
  learn(short_name, token);
  if (dot != std::string::npos) learn_domain(name.substr(dot + 1));
}

void Secrets::learn_domain(std::string_view domain) {
  const std::string name = lower(domain);
  if (!is_host_name(name) || is_token(name)) return;
  const std::string token = numbered("domain", name);
  learn(name, token);
  for (std::size_t at = 0; at < name.size();) {
    const std::size_t end = std::min(name.find('.', at), name.size());
    learn(name.substr(at, end - at), token);
    at = end + 1;
  }
}

void Secrets::learn_user(const std::string& name) {
  if (name.empty() || name == "root" || is_token(name)) return;
  learn(name, numbered("user", name));
}

void Secrets::learn_serial(std::string_view serial) {
  learn(std::string(serial), hashed("serial", serial));
}

void Secrets::learn_places(std::string_view text) {
  constexpr std::string_view kLinks = "/by-id/";
  for (std::size_t slash = text.find('/'); slash != text.npos; slash = text.find('/', slash + 1)) {
    const std::size_t at = slash + 1;
    if (const std::size_t length = owner_at(text, at); length > 0) {
      learn_user(std::string(text.substr(at, length)));
    }
    if (text.substr(0, at).ends_with(kLinks)) learn_serial(serial_of_link(text, at));
  }
}

Secrets::Hit Secrets::known_at(std::string_view text, std::size_t at) const {
  for (const auto& [name, token] : known_) {
    const std::size_t end = at + name.size();
    if (end > text.size() || (end < text.size() && is_word_char(text[end]))) continue;
    if (lower(text.substr(at, name.size())) == name) return {name.size(), token};
  }
  return {};
}

Secrets::Hit Secrets::hit_at(std::string_view text, std::size_t at) {
  if (const std::size_t length = owner_at(text, at); length > 0) {
    const std::string name(text.substr(at, length));
    const bool stays = name == "root" || is_token(name);
    return {length, stays ? name : numbered("user", name)};
  }
  const auto found = [&](std::size_t length) { return std::string(text.substr(at, length)); };
  if (const auto length = uuid_at(text, at); length > 0) {
    return {length, hashed("uuid", found(length))};
  }
  if (const auto length = mac_at(text, at); length > 0) {
    return {length, numbered("mac", lower(found(length)))};
  }
  if (const auto length = wwn_at(text, at); length > 0) {
    return {length, hashed("wwn", found(length))};
  }
  if (const auto length = ip_at(text, at); length > 0) {
    return {length, numbered("ip", lower(found(length)))};
  }
  return known_at(text, at);
}

std::string Secrets::clean(std::string_view text) {
  std::string out;
  out.reserve(text.size());
  for (std::size_t at = 0; at < text.size();) {
    const Hit hit = begins_word(text, at) ? hit_at(text, at) : Hit{};
    out += hit.length > 0 ? hit.token : std::string(1, text[at]);
    at += std::max<std::size_t>(hit.length, 1);
  }
  return out;
}

}  // namespace sthd::record
