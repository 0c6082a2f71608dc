#include "engine/metamorphic.hpp"
#include "engine/random_comparison.hpp"

#include <CLI/CLI.hpp>
#include <fmt/format.h>

#include <chrono>

/// Compares engine and reference on as many random clusters as time or number allow. The first
/// difference is made small, printed with its seed, and fails the run.
int main(int argc, char** argv) {
    CLI::App app("Random clusters, decided by engine and reference");
    std::uint64_t seconds = 0;
    std::uint64_t clusters = 0;
    std::uint64_t seed = 1;
    std::uint64_t failures_max = 1;
    app.add_option("--seconds", seconds, "run this long");
    app.add_option("--clusters", clusters, "run this many (0: as time allows)");
    app.add_option("--seed", seed, "the first seed")->envname("SLUICE_RANDOM_SEED");
    bool metamorphic = false;
    app.add_flag(
        "--metamorphic", metamorphic, "instead, whether the engine decides changed clusters alike"
    );
    app.add_option("--failures", failures_max, "stop after this many different clusters");
    CLI11_PARSE(app, argc, argv);

    using namespace sluice::reference;
    const auto start = std::chrono::steady_clock::now();
    const auto is_over = [&](std::uint64_t done) {
        const auto spent = std::chrono::steady_clock::now() - start;
        return (clusters > 0 && done >= clusters) ||
               (seconds > 0 && spent >= std::chrono::seconds(seconds)) ||
               (clusters == 0 && seconds == 0 && done > 0);
    };
    Tally tally;
    const auto check = [&](const Case& tried, Tally* counted) {
        return metamorphic ? find_metamorphic_fault(tried) : find_difference(tried, counted);
    };
    std::uint64_t done = 0;
    std::uint64_t failures = 0;
    for (; failures < failures_max && !is_over(done); ++done) {
        const Case played = make_case(seed + done);
        if (!check(played, &tally)) {
            continue;
        }
        ++failures;
        const Case smallest =
            shrink(played, [&](const Case& tried) { return check(tried, nullptr); });
        fmt::print("{}{}\n\n", to_text(smallest), check(smallest, nullptr).value_or(""));
    }
    for (const auto& [what, count] : tally.happened) {
        fmt::print("{:>10} {}\n", count, what);
    }
    fmt::print(
        "{} random clusters from seed {}, {} cycles, {} admissions, {} preemptions, {} refusals; "
        "{} differed\n",
        done,
        seed,
        tally.cycles,
        tally.admitted,
        tally.preempted,
        tally.refused,
        failures
    );
    return failures == 0 ? 0 : 1;
}
