#include "kube/runtime/backoff.hpp"

#include <algorithm>

namespace sluice::kube {

Duration backoff_delay(const BackoffOptions& options, int failures, Prng& prng) {
    // Doubling stops at the limit, so that it cannot overflow after many failures.
    Duration delay = options.first;
    for (int i = 0; i < failures && delay < options.max; ++i) {
        delay = delay > options.max / 2 ? options.max : delay * 2;
    }
    delay = std::min(delay, options.max);
    return delay + prng.between(0, delay.count() / 100 * options.jitter_percent) * Duration(1);
}

}  // namespace sluice::kube
