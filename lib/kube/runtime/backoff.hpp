// Exponential backoff with jitter.
#pragma once

#include "base/clock.hpp"
#include "base/prng.hpp"

#include <chrono>

namespace sluice::kube {

/// A delay begins at `first` and doubles with each failure up to `max`. On top of that comes a
/// random part of up to `jitter_percent` of the delay, so that many clients do not retry at the
/// same time.
struct BackoffOptions {
    Duration first = std::chrono::milliseconds(800);
    Duration max = std::chrono::seconds(30);
    int jitter_percent = 100;
};

/// Returns the delay after that number of earlier failures in a row (0: the first failure).
/// Example: first 1 s, max 10 s, no jitter: 1, 2, 4, 8, 10, 10 …
Duration backoff_delay(const BackoffOptions& options, int failures, Prng& prng);

}  // namespace sluice::kube
