#include "runner/run/message.hpp"

#include <sys/socket.h>
#include <unistd.h>

#include <array>
#include <cerrno>
#include <charconv>
#include <cstring>

namespace sthd::run {
namespace {

// Fields end with NUL, which no path, engine or backend name contains.
void put(std::string& out, const std::string& field) { out.append(field).push_back('\0'); }
void put(std::string& out, std::uint64_t number) { put(out, std::to_string(number)); }

class Fields {
 public:
  explicit Fields(const std::string& text) : text_(text) {}
  std::string text() {
    const auto end = text_.find('\0', at_);
    if (end == std::string::npos) {
      good_ = false;
      return {};
    }
    std::string field = text_.substr(at_, end - at_);
    at_ = end + 1;
    return field;
  }
  std::uint64_t number() {
    const std::string field = text();
    std::uint64_t value = 0;
    const auto [end, fault] = std::from_chars(field.data(), field.data() + field.size(), value);
    if (fault != std::errc{} || end != field.data() + field.size()) good_ = false;
    return value;
  }
  [[nodiscard]] bool sound() const { return good_; }
  [[nodiscard]] bool good() const { return good_ && at_ == text_.size(); }

 private:
  const std::string& text_;
  std::size_t at_ = 0;
  bool good_ = true;
};

constexpr std::uint64_t kUnknown = 2;

}  // namespace

std::string pack(const Request& request) {
  std::string out;
  put(out, static_cast<std::uint64_t>(request.ask));
  put(out, request.number);
  put(out, request.path);
  put(out, request.job);
  put(out, request.backend);
  put(out, request.engine);
  put(out, request.named ? 1U : 0U);
  put(out, request.direct ? 1U : 0U);
  put(out, request.direct_effective ? (*request.direct_effective ? 1U : 0U) : kUnknown);
  put(out, request.queue_depth);
  put(out, request.workers);
  put(out, request.first_loop);
  put(out, request.loops);
  put(out, request.size);
  put(out, request.disks.size());
  for (const auto& disk : request.disks) put(out, disk);
  return out;
}

std::optional<Request> unpack_request(const std::string& text) {
  Fields in(text);
  Request request;
  const std::uint64_t ask = in.number();
  request.number = in.number();
  request.path = in.text();
  request.job = in.number();
  request.backend = in.text();
  request.engine = in.text();
  request.named = in.number() == 1;
  request.direct = in.number() == 1;
  if (const auto effective = in.number(); effective != kUnknown) {
    request.direct_effective = effective == 1;
  }
  request.queue_depth = static_cast<std::uint32_t>(in.number());
  request.workers = static_cast<std::uint32_t>(in.number());
  request.first_loop = static_cast<std::uint32_t>(in.number());
  request.loops = static_cast<std::uint32_t>(in.number());
  request.size = in.number();
  for (std::uint64_t left = in.number(); left > 0 && in.sound(); --left) {
    request.disks.push_back(in.text());
  }
  if (!in.good() || ask > static_cast<std::uint64_t>(Ask::kill)) return std::nullopt;
  request.ask = static_cast<Ask>(ask);
  return request;
}

std::string pack(const ChildEnd& end) {
  std::string out;
  put(out, end.number);
  put(out, end.exited ? 1U : 0U);
  put(out, static_cast<std::uint64_t>(end.status));
  put(out, end.stuck ? 1U : 0U);
  return out;
}

std::optional<ChildEnd> unpack_end(const std::string& text) {
  Fields in(text);
  ChildEnd end;
  end.number = in.number();
  end.exited = in.number() == 1;
  end.status = static_cast<int>(in.number());
  end.stuck = in.number() == 1;
  if (!in.good()) return std::nullopt;
  return end;
}

bool send_message(int socket, const std::string& text, int fd) {
  std::string copy = text;
  iovec part{copy.data(), copy.size()};
  msghdr message{};
  message.msg_iov = &part;
  message.msg_iovlen = 1;
  alignas(cmsghdr) std::array<char, CMSG_SPACE(sizeof(int))> control{};
  if (fd >= 0) {
    message.msg_control = control.data();
    message.msg_controllen = control.size();
    cmsghdr* header = CMSG_FIRSTHDR(&message);
    header->cmsg_level = SOL_SOCKET;
    header->cmsg_type = SCM_RIGHTS;
    header->cmsg_len = CMSG_LEN(sizeof(int));
    std::memcpy(CMSG_DATA(header), &fd, sizeof fd);
  }
  ssize_t n = 0;
  do {
    n = ::sendmsg(socket, &message, MSG_NOSIGNAL);
  } while (n < 0 && errno == EINTR);
  return n == static_cast<ssize_t>(text.size());
}

std::optional<Received> receive_message(int socket) {
  // The length first: a buffer for the longest message costs a page fault for each of its pages.
  ssize_t n = 0;
  do {
    n = ::recv(socket, nullptr, 0, MSG_PEEK | MSG_TRUNC);
  } while (n < 0 && errno == EINTR);
  if (n <= 0) return std::nullopt;
  std::string text(static_cast<std::size_t>(n), '\0');
  iovec part{text.data(), text.size()};
  msghdr message{};
  message.msg_iov = &part;
  message.msg_iovlen = 1;
  alignas(cmsghdr) std::array<char, CMSG_SPACE(sizeof(int))> control{};
  message.msg_control = control.data();
  message.msg_controllen = control.size();
  do {
    n = ::recvmsg(socket, &message, MSG_CMSG_CLOEXEC);
  } while (n < 0 && errno == EINTR);
  if (n <= 0 || (message.msg_flags & MSG_TRUNC) != 0) return std::nullopt;
  text.resize(static_cast<std::size_t>(n));
  Received received{std::move(text), -1};
  const cmsghdr* header = CMSG_FIRSTHDR(&message);
  if (header != nullptr && header->cmsg_type == SCM_RIGHTS) {
    std::memcpy(&received.fd, CMSG_DATA(header), sizeof(int));
  }
  return received;
}

}  // namespace sthd::run
