#include "metrics/distribution.hpp"

#include <algorithm>
#include <numeric>

namespace sluice::metrics {

std::size_t find_bucket(std::span<const double> bounds, double value) {
    return static_cast<std::size_t>(std::ranges::lower_bound(bounds, value) - bounds.begin());
}

void Distribution::add(double value) {
    ++counts_[find_bucket(bounds_, value)];
    sum_ += value;
}

std::uint64_t Distribution::count() const {
    return std::accumulate(counts_.begin(), counts_.end(), std::uint64_t{0});
}

}  // namespace sluice::metrics
