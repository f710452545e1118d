#pragma once

// The plugin interface's version and what makes two builds compatible, as macros: the marker
// section's name is made of them (cmake/marker.cpp). Plain preprocessor, so that it costs nothing
// to include.

/// Before major 1 of the tool a plugin's minor must equal the host's; any change of a struct in
/// sthd/ bumps it (tests/unit/sdk/layout_test.cpp fails otherwise).
#define STHD_ABI_MAJOR 1
#define STHD_ABI_MINOR 0

// clang says it by __has_feature, gcc by macros of its own.
#if defined(__has_feature)
#if __has_feature(thread_sanitizer)
#define STHD_TSAN_
#elif __has_feature(address_sanitizer)
#define STHD_ASAN_
#endif
#endif
#if defined(__SANITIZE_THREAD__)
#define STHD_TSAN_
#elif defined(__SANITIZE_ADDRESS__)
#define STHD_ASAN_
#endif

/// The standard library's ABI and the sanitizers, not the compiler's version.
#if defined(STHD_TSAN_)
#define STHD_ABI_FAMILY "libstdc++-cxx11.tsan"
#elif defined(STHD_ASAN_)
#define STHD_ABI_FAMILY "libstdc++-cxx11.asan"
#else
#define STHD_ABI_FAMILY "libstdc++-cxx11"
#endif
#undef STHD_TSAN_
#undef STHD_ASAN_
