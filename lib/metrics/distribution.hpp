#pragma once

#include <cstddef>
#include <cstdint>
#include <span>
#include <vector>

namespace sluice::metrics {

/// How often values fell below each bound, and their sum: what a histogram shows, counted where the
/// values come up. Thread: one. Cost of adding: no lock, no allocation.
class Distribution {
  public:
    /// Requires: the bounds rise, and outlive it.
    explicit Distribution(std::span<const double> bounds)
        : bounds_(bounds), counts_(bounds.size() + 1) {}

    void add(double value);
    std::span<const double> bounds() const { return bounds_; }
    /// By bucket, the last one of what is above all bounds.
    const std::vector<std::uint64_t>& counts() const { return counts_; }
    double sum() const { return sum_; }
    std::uint64_t count() const;

  private:
    std::span<const double> bounds_;
    std::vector<std::uint64_t> counts_;
    double sum_ = 0;
};

/// The bucket that a value belongs to, of as many as there are bounds and one more.
std::size_t find_bucket(std::span<const double> bounds, double value);

}  // namespace sluice::metrics
