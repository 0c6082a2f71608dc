#include "webhook/round_trip.hpp"

#include <CLI/CLI.hpp>
#include <fmt/format.h>

#include <chrono>
#include <cstdint>

/// Sends random objects of every kind through both versions for as long as it is told. Stops at the
/// first fault with what is needed to see it again.
int main(int argc, char** argv) {
    CLI::App app("Random objects, converted to the other version and back");
    std::uint64_t seconds = 10;
    std::uint64_t seed = 1;
    app.add_option("--seconds", seconds, "run this long");
    app.add_option("--seed", seed, "the first seed")->envname("SLUICE_RANDOM_SEED");
    CLI11_PARSE(app, argc, argv);

    const std::uint64_t first_seed = seed;
    const auto end = std::chrono::steady_clock::now() + std::chrono::seconds(seconds);
    std::uint64_t done = 0;
    for (; std::chrono::steady_clock::now() < end; ++seed) {
        for (const auto kind : sluice::test::kConvertedKinds) {
            for (const bool old : {false, true}) {
                if (const auto fault = sluice::test::find_round_trip_fault(kind, old, seed)) {
                    fmt::print("{} old={} --seed {}: {}\n", kind, old, seed, *fault);
                    return 1;
                }
                ++done;
            }
        }
    }
    fmt::print(
        "{} random objects from seed {} went to the other version and back, twice\n",
        done,
        first_seed
    );
    return 0;
}
