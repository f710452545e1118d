#include "runner/run/client.hpp"

#include <fcntl.h>
#include <fmt/format.h>
#include <poll.h>
#include <signal.h>
#include <string.h>
#include <sys/wait.h>
#include <unistd.h>

#include <algorithm>
#include <array>
#include <cerrno>

#include "runner/run/clock.hpp"

namespace sthd::run {
namespace {

constexpr int kTickMs = 100;
constexpr std::uint64_t kGraceAfterCancel = 5 * kSecond;
constexpr std::uint64_t kGraceAfterSecond = 300 * kMillisecond;
constexpr std::uint64_t kPatienceWithKill = 6 * kSecond;

std::string end_text(const ChildEnd& end) {
  if (end.exited) return "its process ended without an answer";
  if (const char* name = ::sigabbrev_np(end.status); name != nullptr) {
    return fmt::format("its process was killed by SIG{}", name);
  }
  return fmt::format("its process was killed by signal {}", end.status);
}

}  // namespace

struct Client::Call {
  std::uint64_t number = 0;
  int pipe = -1;
  std::string pending;  ///< an unfinished line
  std::uint64_t started = 0;
  std::uint64_t last_sign = 0;
  std::uint64_t last_bytes = 0;
  std::uint64_t last_ios = 0;
  std::uint64_t kill_at = 0;    ///< 0 = never
  std::uint64_t killed_at = 0;  ///< 0 = not
  int signals_seen = 0;
  bool ends_with_answer = false;
  bool answered = false;  ///< its last line came: DoneLine or ErrorLine
  bool done = false;      ///< it was DoneLine
  std::optional<ChildEnd> end;
  Answer answer;

  [[nodiscard]] bool over() const {
    if (ends_with_answer && answered) return true;
    return end && (pipe < 0 || end->stuck);
  }
};

Client::Client(KeeperHandle keeper, Interrupt& interrupt)
    : keeper_(keeper), interrupt_(interrupt) {}

Client::~Client() {
  ::close(keeper_.socket);
  while (::waitpid(keeper_.pid, nullptr, 0) < 0 && errno == EINTR) {
  }
}

void Client::ask(Ask what) {
  if (!send_message(keeper_.socket, pack(Request{.ask = what}))) lost_ = true;
}

Answer Client::call(Request request, Patience patience, const OnLine& on_line,
                    const OnTick& on_tick) {
  std::array<int, 2> ends{-1, -1};
  if (lost_)
    return {.error = Error{ErrorCode::failed, "the keeper process is gone", 0},
            .keeper_lost = true};
  if (::pipe2(ends.data(), O_CLOEXEC) != 0) return {.error = system_error("pipe", errno)};
  request.number = ++number_;
  Call call{.number = number_, .pipe = ends[0]};
  call.ends_with_answer = request.ask == Ask::probe;
  call.started = call.last_sign = monotonic_ns();
  call.signals_seen = 0;
  if (!send_message(keeper_.socket, pack(request), ends[1])) lost_ = true;
  ::close(ends[1]);
  while (!lost_ && !call.over()) {
    std::array<pollfd, 3> polled{
        {{keeper_.socket, POLLIN, 0}, {call.pipe, POLLIN, 0}, {interrupt_.fd(), POLLIN, 0}}};
    ::poll(polled.data(), polled.size(), kTickMs);
    if (polled[2].revents != 0) interrupt_.drain();
    if (polled[1].revents != 0) hear_child(call, on_line);
    if (polled[0].revents != 0) hear_keeper(call);
    check_time(call, patience);
    if (on_tick) on_tick();
  }
  if (call.pipe >= 0) ::close(call.pipe);
  if (lost_) {
    call.answer.keeper_lost = true;
    call.answer.error = Error{ErrorCode::failed, "the keeper process died", 0};
  } else if (!call.answer.error && !call.answer.hung && !call.done && call.end) {
    call.answer.error = Error{ErrorCode::failed, end_text(*call.end), 0};
  }
  return std::move(call.answer);
}

void Client::wait(std::uint64_t ns, const OnTick& on_tick) {
  const std::uint64_t until = monotonic_ns() + ns;
  Call none;  // whatever the keeper has to say is of an earlier call
  for (std::uint64_t now = monotonic_ns(); now < until && !lost_ && !interrupt_.raised();
       now = monotonic_ns()) {
    on_tick();
    std::array<pollfd, 2> polled{{{keeper_.socket, POLLIN, 0}, {interrupt_.fd(), POLLIN, 0}}};
    const std::uint64_t left_ms = (until - now + kMillisecond - 1) / kMillisecond;
    ::poll(polled.data(), polled.size(),
           static_cast<int>(std::min<std::uint64_t>(left_ms, kTickMs)));
    if (polled[1].revents != 0) interrupt_.drain();
    if (polled[0].revents != 0) hear_keeper(none);
  }
}

void Client::hear_keeper(Call& call) {
  const auto received = receive_message(keeper_.socket);
  if (!received) {
    lost_ = true;
    return;
  }
  if (received->fd >= 0) ::close(received->fd);
  // That of a probe which was over with its answer comes later, or never.
  if (auto end = unpack_end(received->text); end && end->number == call.number) call.end = end;
}

void Client::hear_child(Call& call, const OnLine& on_line) {
  std::array<char, 65536> buffer;
  const ssize_t n = ::read(call.pipe, buffer.data(), buffer.size());
  if (n < 0 && errno == EINTR) return;
  if (n <= 0) {
    ::close(call.pipe);
    call.pipe = -1;
    return;
  }
  call.pending.append(buffer.data(), static_cast<std::size_t>(n));
  std::size_t begin = 0;
  for (std::size_t end = 0; (end = call.pending.find('\n', begin)) != std::string::npos;
       begin = end + 1) {
    take_line(call, std::string_view(call.pending).substr(begin, end - begin), on_line);
  }
  call.pending.erase(0, begin);
}

void Client::take_line(Call& call, std::string_view text, const OnLine& on_line) {
  auto line = record::decode(text);
  if (!line) {
    call.answer.error = line.error();
    return;
  }
  if (const auto* failed = std::get_if<record::ErrorLine>(&line.value())) {
    call.answered = true;
    if (!call.answer.hung) call.answer.error = failed->error;  // else it tells of its own end only
    return;
  }
  if (std::holds_alternative<record::DoneLine>(line.value())) {
    call.answered = call.done = true;
    return;
  }
  if (const auto* moved = std::get_if<record::ProgressLine>(&line.value())) {
    if (moved->progress.bytes != call.last_bytes || moved->progress.ios != call.last_ios) {
      call.last_sign = monotonic_ns();
    }
    call.last_bytes = moved->progress.bytes;
    call.last_ios = moved->progress.ios;
  } else {
    call.last_sign = monotonic_ns();
  }
  on_line(line.value());
}

void Client::check_time(Call& call, const Patience& patience) {
  const std::uint64_t now = monotonic_ns();
  if (!patience.to_the_end && interrupt_.count() > call.signals_seen) {
    const bool first = !call.answer.interrupted;
    call.signals_seen = interrupt_.count();
    call.answer.interrupted = true;
    const bool again = interrupt_.count() > 1;
    if (first) ask(Ask::cancel);
    call.kill_at = now + (again ? kGraceAfterSecond : kGraceAfterCancel);
  }
  const bool late =
      now > call.started + patience.expected_ns && now > call.last_sign + patience.quiet_ns;
  if (late && call.kill_at == 0) {
    call.answer.hung = true;
    call.answer.error =
        Error{ErrorCode::failed, "the target stopped answering: no sign of life", 0};
    ask(Ask::cancel);
    call.kill_at = now + kGraceAfterCancel;
  }
  if (call.kill_at != 0 && now >= call.kill_at && call.killed_at == 0) {
    call.killed_at = now;
    ask(Ask::kill);
  }
  if (call.killed_at != 0 && now > call.killed_at + kPatienceWithKill && !call.end) {
    call.end = ChildEnd{.status = SIGKILL, .stuck = true};
  }
}

}  // namespace sthd::run
