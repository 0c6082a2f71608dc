#include "controller/mixed_jobs.hpp"

#include <catch2/catch_test_macros.hpp>

// Many seeds: mixed_jobs_random.
namespace sluice::controller {

TEST_CASE(
    "whatever befalls jobs of all kinds, each that fits runs and nothing is left",
    "[job-kinds][random]"
) {
    for (std::uint64_t seed = 1; seed <= 2; ++seed) {
        CAPTURE(seed);
        const MixedJobsResult result = play_mixed_jobs({.seed = seed, .jobs = 60});
        for (const auto& problem : result.problems) {
            UNSCOPED_INFO(problem);
        }
        CHECK(result.problems.empty());
        CHECK(result.finished > 20);
        CHECK(result.evictions > 0);
    }
}

}  // namespace sluice::controller
