#include "base/log.hpp"
#include "controller/mixed_jobs.hpp"

#include <CLI/CLI.hpp>
#include <fmt/format.h>

#include <cstdint>

/// Plays courses of jobs of all kinds, one a seed, and prints what may never be.
int main(int argc, char** argv) {
    CLI::App app("Jobs of all kinds, under random events");
    std::uint64_t seed = 1;
    std::uint64_t seeds = 10;
    int jobs = 500;
    app.add_option("--seed", seed, "the first seed")->envname("SLUICE_RANDOM_SEED");
    app.add_option("--seeds", seeds, "play this many");
    app.add_option("--jobs", jobs, "of each seed");
    CLI11_PARSE(app, argc, argv);

    // Faults are part of each course.
    sluice::log::set_level(sluice::log::Level::Error);
    using namespace sluice::controller;
    MixedJobsResult all;
    std::uint64_t failed = 0;
    for (std::uint64_t each = seed; each < seed + seeds; ++each) {
        const MixedJobsResult result = play_mixed_jobs({.seed = each, .jobs = jobs});
        for (const auto& problem : result.problems) {
            fmt::print("seed {}: {}\n", each, problem);
        }
        failed += result.problems.empty() ? 0 : 1;
        all.created += result.created;
        all.finished += result.finished;
        all.deleted += result.deleted;
        all.evictions += result.evictions;
        all.restarts += result.restarts;
    }
    fmt::print(
        "{} seeds from {}: {} jobs, {} finished, {} deleted, {} starts taken back, {} restarts of "
        "the controller; {} seeds failed\n",
        seeds,
        seed,
        all.created,
        all.finished,
        all.deleted,
        all.evictions,
        all.restarts,
        failed
    );
    return failed == 0 ? 0 : 1;
}
