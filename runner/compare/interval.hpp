#pragma once

#include <cstddef>
#include <optional>
#include <string_view>
#include <vector>

#include "sthd/comparison.hpp"
#include "sthd/result.hpp"

// How far a figure would be off if the same were measured again.
namespace sthd::compare {

/// Of the logarithm of a figure: differences of logarithms are ratios of figures.
struct Uncertainty {
  double error = 0;         ///< its standard error
  std::size_t degrees = 0;  ///< of freedom behind it
};

/// Of the median of repeats: the bootstrap's estimate (B. Efron, R. J. Tibshirani, An Introduction
/// to the Bootstrap, 1993, ch. 6), times sqrt(n / (n - 1)), for it takes n where n - 1 are free.
/// Where the best of them stands for the row, that of a single repeat: of a maximum the bootstrap
/// knows nothing (ibid., 7.4), and the best of several varies less than any one of them. Empty for
/// fewer than two, or where one is not positive.
std::optional<Uncertainty> of_repeats(const std::vector<double>& values, Score score);

/// Of a figure of a row that was measured once, from its time series (`lat` alone has bins there);
/// `open_loop` = it has a Workload::rate_iops.
///
/// Slices of 100 ms are alike their neighbours, so whole blocks are drawn: moving blocks (H. R.
/// Künsch, The Jackknife and the Bootstrap for General Stationary Observations, Annals of
/// Statistics 17, 1989) of sqrt(n) slices, at least eight of them. That is how far the figure is
/// off within this run. Between runs more changes than inside of one (Z. Cao et al., On the
/// Performance Variation in Modern Storage Stacks, FAST 2017: more than 10 % in a quarter of the
/// configurations), and what is slow there is seen here as blocks that differ; so the run counts as
/// kPieces blocks, however many it has.
///
/// Empty with fewer than kFewestSlices, and for figures that slices do not have: extremes and other
/// histograms.
std::optional<Uncertainty> of_course(const std::vector<Sample>& samples, std::string_view metric,
                                     bool open_loop = false);

inline constexpr std::size_t kFewestSlices = 16;

/// `side` ÷ `first` with its 95 % interval: Student's t over the logarithms, with the degrees of
/// freedom that B. L. Welch found for two errors (Biometrika 34, 1947). The error is never taken
/// for less than one percent of a figure on each side: a bin of a latency histogram is 1.6 % wide,
/// and no two runs are closer than that. Each side's error is of its repeats where it has two or
/// more, of its time series otherwise. An interval that spans more than three decades to one side
/// is none.
Ratio ratio_of(const ResultRecord& first, const ResultRecord& side, Op op, std::string_view metric);

}  // namespace sthd::compare
