#pragma once

#include "base/clock.hpp"
#include "base/prng.hpp"

#include <chrono>

namespace sluice::kube {

/// How delays grow: `first` doubled at each failure up to `max`, of which up to `jitter_percent` is
/// random on top, so that many clients do not come back together.
struct BackoffOptions {
    Duration first = std::chrono::milliseconds(800);
    Duration max = std::chrono::seconds(30);
    int jitter_percent = 100;
};

/// The delay after that many failures in a row (0: the first failure).
/// Example: first 1 s, max 10 s, no jitter: 1, 2, 4, 8, 10, 10 …
Duration backoff_delay(const BackoffOptions& options, int failures, Prng& prng);

}  // namespace sluice::kube
