#include "kube/runtime/rate_limiter.hpp"

#include <algorithm>
#include <chrono>

namespace sluice::kube {

RateLimiter::RateLimiter(double qps, int burst)
    : qps_(qps), burst_(std::max(burst, 1)), tokens_(burst_) {}

std::optional<Instant> RateLimiter::reserve(Instant now, Duration wait_max) {
    if (!is_enabled()) {
        return now;
    }
    const auto elapsed = std::chrono::duration<double>(now - updated_);
    tokens_ = std::min(burst_, tokens_ + elapsed.count() * qps_);
    updated_ = now;
    const double left = tokens_ - 1.0;
    auto wait = Duration::zero();
    if (left < 0) {
        wait = std::chrono::duration_cast<Duration>(std::chrono::duration<double>(-left / qps_));
        if (wait >= wait_max) {
            return std::nullopt;
        }
    }
    tokens_ = left;
    return now + wait;
}

}  // namespace sluice::kube
