// Counts values by buckets without a lock, for a histogram to show.
#pragma once

#include <cstddef>
#include <cstdint>
#include <span>
#include <vector>

namespace sluice::metrics {

/// Counts values by buckets and adds them up, without access to the registry. A histogram shows the
/// result. *Thread*: one. *Cost* of add(): no lock, no allocation.
class Distribution {
  public:
    /// Requires: the bounds are in ascending order and outlive this object.
    explicit Distribution(std::span<const double> bounds)
        : bounds_(bounds), counts_(bounds.size() + 1) {}

    void add(double value);
    std::span<const double> bounds() const { return bounds_; }
    /// Returns the count of each bucket. The last bucket has the values above all bounds.
    const std::vector<std::uint64_t>& counts() const { return counts_; }
    double sum() const { return sum_; }

  private:
    std::span<const double> bounds_;
    std::vector<std::uint64_t> counts_;
    double sum_ = 0;
};

/// Returns the bucket of a value: an index from 0 to the number of bounds.
std::size_t find_bucket(std::span<const double> bounds, double value);

}  // namespace sluice::metrics
