#pragma once

#include <condition_variable>
#include <cstdint>
#include <functional>
#include <mutex>

namespace sthd::native {

/// A barrier used once, that can be thrown open when a thread could not be started.
class Gate {
 public:
  /// `action` runs once, by the last to arrive, before any of them goes on.
  void expect(std::uint32_t threads, std::function<void()> action) {
    waiting_for_ = threads;
    action_ = std::move(action);
  }
  void arrive() {
    std::unique_lock lock(mutex_);
    if (!open_ && --waiting_for_ == 0) open_now();
    changed_.wait(lock, [&] { return open_; });
  }
  /// For a gate that others open.
  void wait() {
    std::unique_lock lock(mutex_);
    changed_.wait(lock, [&] { return open_; });
  }
  void throw_open() {
    const std::lock_guard lock(mutex_);
    if (!open_) open_now();
  }

 private:
  void open_now() {
    if (action_) action_();
    open_ = true;
    changed_.notify_all();
  }
  std::mutex mutex_;
  std::condition_variable changed_;
  std::uint32_t waiting_for_ = 0;
  bool open_ = false;
  std::function<void()> action_;
};

}  // namespace sthd::native
