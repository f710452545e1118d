#pragma once

#include <cerrno>
#include <cstring>
#include <exception>
#include <string>
#include <utility>
#include <variant>

namespace sthd {

/// Why an operation did not give its value. Kinds map to exit codes and to the words of a report.
enum class ErrorCode {
  unavailable,  ///< cannot be had on this machine or target; another candidate may work
  refused,      ///< the input or the target is not acceptable
  failed,       ///< tried, and it went wrong
  cancelled,    ///< stopped on request
  internal,     ///< an exception or a broken invariant inside a plugin
};

/// One sentence for a person, plus the errno behind it where there was one (0 = none).
struct Error {
  ErrorCode code = ErrorCode::failed;
  std::string message;
  int system_errno = 0;
};

/// A value or an Error; the only thing that crosses the plugin boundary in place of exceptions.
/// Not thread-safe, as any value.
template <class T>
class [[nodiscard]] Outcome {
 public:
  Outcome(T value) : state_(std::in_place_index<0>, std::move(value)) {}      // NOLINT: implicit
  Outcome(Error error) : state_(std::in_place_index<1>, std::move(error)) {}  // NOLINT: implicit

  [[nodiscard]] bool ok() const noexcept { return state_.index() == 0; }
  explicit operator bool() const noexcept { return ok(); }

  /// Precondition: ok().
  [[nodiscard]] T& value() & { return *std::get_if<0>(&state_); }
  [[nodiscard]] const T& value() const& { return *std::get_if<0>(&state_); }
  [[nodiscard]] T&& value() && { return std::move(*std::get_if<0>(&state_)); }
  T& operator*() & { return value(); }
  const T& operator*() const& { return value(); }
  T* operator->() { return &value(); }
  const T* operator->() const { return &value(); }

  /// Precondition: !ok().
  [[nodiscard]] const Error& error() const { return *std::get_if<1>(&state_); }

 private:
  std::variant<T, Error> state_;
};

/// Success without a value.
struct Done {};

/// Runs a plugin author's code inside the plugin, so that its exceptions become Errors there.
/// `call` gives a T or an Outcome<T>.
template <class T, class F>
Outcome<T> guarded(F&& call) noexcept {
  try {
    return call();
  } catch (const std::exception& e) {
    return Error{ErrorCode::internal, std::string("the plugin threw: ") + e.what(), 0};
  } catch (...) {
    return Error{ErrorCode::internal, "the plugin threw something that is no std::exception", 0};
  }
}

/// "pwrite at offset 4096: No space left on device (ENOSPC)"-style sentence for errno `code`.
inline Error system_error(std::string what, int code, ErrorCode kind = ErrorCode::failed) {
  const char* name = ::strerrorname_np(code);
  what += ": ";
  what += ::strerrordesc_np(code) != nullptr ? ::strerrordesc_np(code) : "unknown error";
  what +=
      name != nullptr ? std::string(" (") + name + ")" : " (errno " + std::to_string(code) + ")";
  return Error{kind, std::move(what), code};
}

}  // namespace sthd
