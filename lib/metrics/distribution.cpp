#include "metrics/distribution.hpp"

#include <algorithm>

namespace sluice::metrics {

std::size_t find_bucket(std::span<const double> bounds, double value) {
    return static_cast<std::size_t>(std::ranges::lower_bound(bounds, value) - bounds.begin());
}

void Distribution::add(double value) {
    ++counts_[find_bucket(bounds_, value)];
    sum_ += value;
}

}  // namespace sluice::metrics
