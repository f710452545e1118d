#pragma once

#include <cstdint>
#include <optional>
#include <string>
#include <vector>

#include "sthd/outcome.hpp"

namespace sthd::run {

/// What the runner asks the keeper for. Each but `cancel` and `kill` forks a child, which answers
/// in lines (record/lines.hpp) on the pipe that comes along, and whose end the keeper reports.
enum class Ask : std::uint8_t {
  inspect,
  look,
  create,
  direct,
  probe,
  layout,
  job,
  remove,
  cleanup,
  condition,
  cancel,
  kill
};

struct Request {
  Ask ask = Ask::inspect;
  std::uint64_t number = 0;  ///< comes back with the child's end
  std::string path;          ///< inspect
  std::size_t job =
      0;  ///< probe, condition, job: index into the plan that the keeper was forked with
  std::string backend;
  std::string engine;
  bool named = false;   ///< probe
  bool direct = false;  ///< O_DIRECT is used: probe, layout, job
  std::optional<bool> direct_effective;
  std::uint32_t queue_depth = 0;
  std::uint32_t workers = 0;
  std::uint32_t first_loop = 0;  ///< job
  std::uint32_t loops = 0;       ///< job: how many, from the first
  std::uint64_t size = 0;        ///< layout
  /// job: leaf disks to count, in the order of their numbers; empty = it looks for them itself.
  std::vector<std::string> disks;
};

/// The keeper's word about a child's end.
struct ChildEnd {
  std::uint64_t number = 0;  ///< of the request
  bool exited = false;       ///< by itself, with `status`
  int status = 0;            ///< exit status, or the signal
  bool stuck = false;        ///< it does not even end when killed
};

std::string pack(const Request& request);
std::optional<Request> unpack_request(const std::string& text);
std::string pack(const ChildEnd& end);
std::optional<ChildEnd> unpack_end(const std::string& text);

/// One message over a SOCK_SEQPACKET socket, with a descriptor or -1. False when the other side has
/// gone.
bool send_message(int socket, const std::string& text, int fd = -1);

struct Received {
  std::string text;
  int fd = -1;  ///< owned by the receiver; O_CLOEXEC
};
/// Blocks unless the socket does not. Empty at the end of the stream or on an error.
std::optional<Received> receive_message(int socket);

}  // namespace sthd::run
