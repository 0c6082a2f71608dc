#include "controller/process/runner/recreations.hpp"

#include <algorithm>
#include <chrono>

namespace sluice::controller {

namespace {

constexpr int kFree = 2;
constexpr int kDoublingsMax = 5;
constexpr Duration kDelayMax = std::chrono::seconds(30);
constexpr Duration kSingleKept = std::chrono::seconds(10);
constexpr Duration kSeriesKept = std::chrono::minutes(1);

}  // namespace

bool Recreations::is_over(const Series& series, Instant now) {
    return now - series.last >= (series.length == 1 ? kSingleKept : kSeriesKept);
}

Instant Recreations::not_before(const ObjectKey& object) const {
    const auto found = all_.find(object);
    if (found == all_.end() || found->second.length < kFree) {
        return Instant{};
    }
    const Series& series = found->second;
    const int doublings = std::min(series.length - kFree, kDoublingsMax);
    return series.last + std::min<Duration>(std::chrono::seconds(1U << doublings), kDelayMax);
}

void Recreations::note(const ObjectKey& object, Instant now) {
    if (now - swept_ >= kSingleKept) {
        std::erase_if(all_, [now](const auto& entry) { return is_over(entry.second, now); });
        swept_ = now;
    }
    Series& series = all_[object];
    if (is_over(series, now)) {
        series.length = 0;
    }
    ++series.length;
    series.last = now;
}

}  // namespace sluice::controller
