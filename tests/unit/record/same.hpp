#pragma once

#include <tuple>

#include "sthd/report.hpp"

namespace sthd::record::test {

// The members of each struct. A structured binding names all of them or does not compile, so a new
// member can't be forgotten here.
inline auto members(const Sample& x) {
  const auto& [a, b, c, d, e] = x;
  return std::tie(a, b, c, d, e);
}
inline auto members(const OpResult& x) {
  const auto& [a, b, c, d, e, f, g, h, i] = x;
  return std::tie(a, b, c, d, e, f, g, h, i);
}
inline auto members(const ThreadResult& x) {
  const auto& [a, b, c, d, e, f] = x;
  return std::tie(a, b, c, d, e, f);
}
inline auto members(const CacheState& x) {
  const auto& [a, b, c] = x;
  return std::tie(a, b, c);
}
inline auto members(const CpuUse& x) {
  const auto& [a, b, c, d] = x;
  return std::tie(a, b, c, d);
}
inline auto members(const Fact& x) {
  const auto& [a, b, c] = x;
  return std::tie(a, b, c);
}
inline auto members(const LoopResult& x) {
  const auto& [a, b, c, d, e, f, g, h, i, j, k] = x;
  return std::tie(a, b, c, d, e, f, g, h, i, j, k);
}
inline auto members(const Layer& x) {
  const auto& [a, b] = x;
  return std::tie(a, b);
}
inline auto members(const Verdict& x) {
  const auto& [a, b, c, d] = x;
  return std::tie(a, b, c, d);
}
inline auto members(const Workload& x) {
  const auto& [a, b, c, d, e, f, g, h, i, j, k, l, m, n, o, p, q, r, s, t, u, v, a2, b2, c2, d2, e2,
               f2, g2, h2, i2, j2, k2, l2] = x;
  return std::tie(a, b, c, d, e, f, g, h, i, j, k, l, m, n, o, p, q, r, s, t, u, v, a2, b2, c2, d2,
                  e2, f2, g2, h2, i2, j2, k2, l2);
}
inline auto members(const Job& x) {
  const auto& [a, b, c, d, e] = x;
  return std::tie(a, b, c, d, e);
}
inline auto members(const Attempt& x) {
  const auto& [a, b] = x;
  return std::tie(a, b);
}
inline auto members(const Resolution& x) {
  const auto& [a, b, c, d, e, f, g, h, i, j] = x;
  return std::tie(a, b, c, d, e, f, g, h, i, j);
}
inline auto members(const ResultRecord& x) {
  const auto& [a, b, c, d, e, f, g] = x;
  return std::tie(a, b, c, d, e, f, g);
}
inline auto members(const Evidence& x) {
  const auto& [a, b] = x;
  return std::tie(a, b);
}
inline auto members(const Finding& x) {
  const auto& [a, b, c, d, e, f, g, h] = x;
  return std::tie(a, b, c, d, e, f, g, h);
}
inline auto members(const Target& x) {
  const auto& [a, b, c, d, e, f, g, h, i, j, k, l, m, n] = x;
  return std::tie(a, b, c, d, e, f, g, h, i, j, k, l, m, n);
}
inline auto members(const Column& x) {
  const auto& [a, b, c, d, e, f] = x;
  return std::tie(a, b, c, d, e, f);
}
inline auto members(const ProfileFile& x) {
  const auto& [a, b, c] = x;
  return std::tie(a, b, c);
}
inline auto members(const ProfileInfo& x) {
  const auto& [a, b, c, d, e] = x;
  return std::tie(a, b, c, d, e);
}
inline auto members(const ToolInfo& x) {
  const auto& [a, b, c] = x;
  return std::tie(a, b, c);
}
inline auto members(const Environment& x) {
  const auto& [a, b, c, d, e, f] = x;
  return std::tie(a, b, c, d, e, f);
}
inline auto members(const PlanInfo& x) {
  const auto& [a, b, c, d] = x;
  return std::tie(a, b, c, d);
}
inline auto members(const ExpectedRange& x) {
  const auto& [a, b, c, d] = x;
  return std::tie(a, b, c, d);
}
inline auto members(const FactPattern& x) {
  const auto& [a, b] = x;
  return std::tie(a, b);
}
inline auto members(const Expectation& x) {
  const auto& [a, b, c, d, e, f, g] = x;
  return std::tie(a, b, c, d, e, f, g);
}
inline auto members(const Judgement& x) {
  const auto& [a, b, c, d, e, f, g] = x;
  return std::tie(a, b, c, d, e, f, g);
}
inline auto members(const Report& x) {
  const auto& [a, b, c, d, e, f, g, h, i, j, k, l, m, n, o] = x;
  return std::tie(a, b, c, d, e, f, g, h, i, j, k, l, m, n, o);
}

inline bool same(const LatencyHistogram& a, const LatencyHistogram& b);
template <class T>
bool same(const std::optional<T>& a, const std::optional<T>& b);
template <class T>
bool same(const std::vector<T>& a, const std::vector<T>& b);

/// Member by member, all the way down.
template <class T>
bool same(const T& a, const T& b) {
  if constexpr (requires { members(a); }) {
    return std::apply(
        [&](const auto&... x) {
          return std::apply([&](const auto&... y) { return (same(x, y) && ...); }, members(b));
        },
        members(a));
  } else {
    return a == b;
  }
}
template <class T>
bool same(const std::optional<T>& a, const std::optional<T>& b) {
  return a.has_value() == b.has_value() && (!a || same(*a, *b));
}
template <class T>
bool same(const std::vector<T>& a, const std::vector<T>& b) {
  if (a.size() != b.size()) return false;
  for (std::size_t i = 0; i < a.size(); ++i) {
    if (!same(a[i], b[i])) return false;
  }
  return true;
}
inline bool same(const LatencyHistogram& a, const LatencyHistogram& b) {
  return a.count() == b.count() && a.sum_ns() == b.sum_ns() && a.min_ns() == b.min_ns() &&
         a.max_ns() == b.max_ns() && a.bins() == b.bins();
}

}  // namespace sthd::record::test
