#pragma once

#include <cstddef>
#include <string_view>

// Private to runner/record: texts that name a machine, a disk or a network card by their form.
namespace sthd::record {

/// A letter, a digit, or a part of a character beyond ASCII.
bool is_word_char(char c);
/// Whether a word may begin at `at`.
bool begins_word(std::string_view text, std::size_t at);

// The length of the identifier at `at`, where a word begins; 0 where there is none, or where a
// word goes on behind it.

/// "6f1c9a52-3c1e-4d0b-9f52-0d6f3a1b2c3d", and md's "6f1c9a52:3c1e4d0b:9f520d6f:3a1b2c3d".
std::size_t uuid_at(std::string_view text, std::size_t at);
/// "52:54:00:12:34:56".
std::size_t mac_at(std::string_view text, std::size_t at);
/// "wwn-0x5000c500a1b2c3d4", "naa.5000c500a1b2c3d4", "eui.0025385b71b0c1d2", "0x5000c500a1b2c3d4".
std::size_t wwn_at(std::string_view text, std::size_t at);
/// An IPv4 or IPv6 address but for those of this host itself and "any".
std::size_t ip_at(std::string_view text, std::size_t at);
/// The owner's name behind "/home/", "/Users/", "/run/media/" or, with something in it, "/media/".
std::size_t owner_at(std::string_view text, std::size_t at);
/// The serial number at the end of a name behind "/by-id/": "ata-MODEL_SERIAL-part1". Empty where
/// there is none. `at` is where the name begins.
std::string_view serial_of_link(std::string_view text, std::size_t at);

/// One of our own tokens, as a word: "host-1", "serial-3f9a1c22".
bool is_token(std::string_view word);

}  // namespace sthd::record
