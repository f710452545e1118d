#pragma once

#include <cstdint>
#include <functional>
#include <optional>
#include <string>

#include "runner/record/lines.hpp"
#include "runner/run/interrupt.hpp"
#include "runner/run/keeper.hpp"
#include "runner/run/message.hpp"

namespace sthd::run {

/// How long a child may take.
struct Patience {
  std::uint64_t expected_ns = 0;          ///< it is not late before this
  std::uint64_t quiet_ns = 10 * kSecond;  ///< … and without a sign of life for this long
  bool to_the_end = false;                ///< signals do not end it: it gives something back
};

/// How one request ended.
struct Answer {
  std::optional<Error> error;  ///< empty = done
  bool interrupted = false;    ///< ended by a signal to the runner
  bool hung = false;           ///< the target stopped answering
  bool keeper_lost = false;
};

/// The runner's side of the keeper: one request at a time, in one poll loop with the signals.
class Client {
 public:
  using OnLine = std::function<void(const record::Line&)>;
  using OnTick = std::function<void()>;

  Client(KeeperHandle keeper, Interrupt& interrupt);
  ~Client();  ///< closes the socket (the keeper cleans up and goes) and waits for it
  Client(const Client&) = delete;
  Client& operator=(const Client&) = delete;

  /// Sends `request` and handles the child's lines until it has ended; a probe is over with its
  /// answer, since what its process still has to give back may take longer than the rest of it.
  /// ErrorLine and DoneLine are taken here. A signal cancels it: SIGTERM at once, SIGKILL after 5
  /// s, or at the second signal. `on_tick` is called at least ten times a second.
  Answer call(Request request, Patience patience, const OnLine& on_line,
              const OnTick& on_tick = {});
  /// Waits so long, with the signals and the keeper in view: either ends it early. `on_tick` as in
  /// call().
  void wait(std::uint64_t ns, const OnTick& on_tick);

 private:
  struct Call;
  void hear_keeper(Call& call);
  void hear_child(Call& call, const OnLine& on_line);
  void take_line(Call& call, std::string_view text, const OnLine& on_line);
  void check_time(Call& call, const Patience& patience);
  void ask(Ask what);

  KeeperHandle keeper_;
  Interrupt& interrupt_;
  std::uint64_t number_ = 0;  ///< of the last request
  bool lost_ = false;
};

}  // namespace sthd::run
