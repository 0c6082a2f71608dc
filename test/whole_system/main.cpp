#include "base/log.hpp"
#include "whole_system/course.hpp"

#include <CLI/CLI.hpp>
#include <fmt/format.h>

#include <cstdint>
#include <cstdio>
#include <unistd.h>

namespace {

/// Bounds the real time of a course: the signal's default action ends one that does not end.
constexpr unsigned kCourseSeconds = 120;

}  // namespace

/// Plays courses of the whole system, one a seed, and prints what may never be and how to see it
/// again.
int main(int argc, char** argv) {
    CLI::App app("The whole system under users, faults, kills and changes of the leader");
    std::uint64_t seed = 1;
    std::uint64_t seeds = 10;
    bool logs = false;
    bool is_hostile = false;
    sluice::whole_system::CourseOptions options;
    app.add_option("--seed", seed, "the first seed")->envname("SLUICE_RANDOM_SEED");
    app.add_option("--seeds", seeds, "play this many");
    app.add_option("--actions", options.actions, "of each seed");
    app.add_flag("--print-actions", options.prints_actions, "tell what happens");
    app.add_flag("--print-requests", options.prints_requests, "and what controllers ask for");
    app.add_flag("--journal", options.records_journals, "record each replica and replay it");
    app.add_flag("--hostile", is_hostile, "courses of a hostile tenant");
    app.add_option(
        "--print-object", options.printed_object, "and each version of what is so named"
    );
    app.add_flag("--log", logs, "let the controllers log");
    CLI11_PARSE(app, argc, argv);

    // Faults are part of each course.
    sluice::log::set_level(logs ? sluice::log::Level::Debug : sluice::log::Level::Off);
    sluice::whole_system::CourseResult all;
    std::uint64_t failed = 0;
    for (options.seed = seed; options.seed < seed + seeds; ++options.seed) {
        // Of a program that dies it is the last line.
        fmt::print(stderr, "\rseed {} ", options.seed);
        alarm(kCourseSeconds);
        const auto result = is_hostile ? sluice::whole_system::play_hostile_course(options)
                                       : sluice::whole_system::play_course(options);
        for (const auto& problem : result.problems) {
            fmt::print("seed {}: {}\n", options.seed, problem);
        }
        if (!result.problems.empty()) {
            ++failed;
            fmt::print(
                "again: {} --seed {} --seeds 1 --actions {}{} --print-actions\n",
                argv[0],
                options.seed,
                options.actions,
                is_hostile                 ? " --hostile"
                : options.records_journals ? " --journal"
                                           : ""
            );
        }
        std::fflush(stdout);
        all.digest = all.digest * 31 + result.digest;
        all.jobs += result.jobs;
        all.admissions += result.admissions;
        all.evictions += result.evictions;
        all.faults += result.faults;
        all.topologies += result.topologies;
        all.ungated += result.ungated;
        all.kills += result.kills;
        all.replayed_cycles += result.replayed_cycles;
        all.leaders += result.leaders;
    }
    fmt::print(stderr, "\n");
    fmt::print(
        "{} seeds from {}: {} jobs, {} admissions, {} evictions, {} topologies, {} ungated pods, "
        "{} faults, {} replicas killed, {} cycles replayed, "
        "{} leaders, digest {:016x}; {} seeds failed\n",
        seeds,
        seed,
        all.jobs,
        all.admissions,
        all.evictions,
        all.topologies,
        all.ungated,
        all.faults,
        all.kills,
        all.replayed_cycles,
        all.leaders,
        all.digest,
        failed
    );
    return failed == 0 ? 0 : 1;
}
