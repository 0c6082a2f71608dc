#include "base/prng.hpp"
#include "engine/audited.hpp"
#include "engine/engine.hpp"
#include "engine/random_clusters.hpp"
#include "engine/state/snapshot.hpp"
#include "support/outcome.hpp"

#include <catch2/catch_test_macros.hpp>

#include <chrono>
#include <optional>
#include <sstream>
#include <string>
#include <thread>
#include <utility>
#include <vector>

namespace sluice::reference {
namespace {

constexpr engine::Time kStart(std::chrono::seconds(1'000'000));

/// One event or cycle at a time, as a state saw it.
struct Entry {
    std::optional<engine::Event> event;  ///< nullopt: a cycle
    engine::Time now;
};

/// A state, the objects that it was told of, and all that it saw.
struct World {
    engine::State state;
    View view;
    engine::Time now = kStart;
    std::vector<Entry> seen;
    std::string decisions;

    World fork() const {
        return {
            .state = state.fork(), .view = view, .now = now, .seen = seen, .decisions = decisions
        };
    }

    void play(const Step& step) {
        if (step.kind == Step::Kind::Advance) {
            now += engine::Duration(step.number);
        }
        for (const engine::Event& event : view.events_of(step, now)) {
            engine::apply_audited(state, event, now);
            seen.push_back({.event = event, .now = now});
        }
        if (step.kind == Step::Kind::Cycle) {
            take(engine::run_cycle_audited(state, now));
        }
    }

    void take(const engine::CycleResult& result) {
        seen.push_back({.event = std::nullopt, .now = now});
        const auto outcome = to_outcome(result, support::names_of(state));
        view.take(outcome, now);
        std::ostringstream text;
        text << outcome;
        decisions += text.str();
    }

    /// Returns a world that saw the same from the beginning, without forks.
    World replayed() const {
        World made{
            .state = engine::State(state.options()),
            .view = {},
            .now = now,
            .seen = seen,
            .decisions = {}
        };
        for (const auto& [event, at] : seen) {
            if (event) {
                engine::apply(made.state, *event, at);
                continue;
            }
            const auto result = engine::run_cycle(made.state, at);
            std::ostringstream text;
            text << to_outcome(result, support::names_of(made.state));
            made.decisions += text.str();
        }
        return made;
    }
};

World begin(const Case& played) {
    return {
        .state = engine::State(played.options),
        .view = {},
        .now = kStart,
        .seen = {},
        .decisions = {}
    };
}

void check_replay(const World& world) {
    const World replayed = world.replayed();
    CHECK(replayed.decisions == world.decisions);
    CHECK(engine::save(replayed.state) == engine::save(world.state));
}

constexpr std::uint64_t kCases = 150;

}  // namespace

TEST_CASE("a fork and its origin go their own ways, as if they had never met", "[engine][fork]") {
    for (std::uint64_t seed = 1; seed <= kCases; ++seed) {
        INFO("seed " << seed);
        const Case played = make_case(seed);
        Prng random(seed);
        std::vector<World> worlds;
        worlds.push_back(begin(played));
        for (const Step& step : played.steps) {
            if (worlds.size() < 4 && random.chance(10)) {
                worlds.push_back(worlds[random.below(worlds.size())].fork());
            }
            for (World& world : worlds) {
                if (!random.chance(20)) {
                    world.play(step);
                }
            }
            if (worlds.size() > 1 && random.chance(3)) {
                check_replay(worlds.back());
                worlds.pop_back();
            }
        }
        for (const World& world : worlds) {
            check_replay(world);
        }
    }
}

TEST_CASE("a fork decides on a thread of its own", "[engine][fork]") {
    for (std::uint64_t seed = 1; seed <= 30; ++seed) {
        INFO("seed " << seed);
        const Case played = make_case(seed);
        World world = begin(played);
        const std::size_t half = played.steps.size() / 2;
        for (std::size_t at = 0; at < half; ++at) {
            world.play(played.steps[at]);
        }
        std::vector<World> forks;
        for (std::size_t count = 0; count < 3; ++count) {
            forks.push_back(world.fork());
        }
        const auto play_rest = [&played, half](World& of, std::size_t stride) {
            for (std::size_t at = half; at < played.steps.size(); ++at) {
                if (at % stride != 0) {
                    of.play(played.steps[at]);
                }
            }
        };
        std::vector<std::thread> threads;
        threads.reserve(forks.size());
        for (std::size_t count = 0; count < forks.size(); ++count) {
            // Each thread ends its fork, while the others still use what they share.
            threads.emplace_back([&play_rest, count, fork = std::move(forks[count])]() mutable {
                play_rest(fork, count + 3);
            });
        }
        play_rest(world, 2);
        for (auto& thread : threads) {
            thread.join();
        }
        check_replay(world);
    }
}

TEST_CASE("a decision that a fork makes is committed to its origin", "[engine][fork]") {
    for (std::uint64_t seed = 1; seed <= kCases; ++seed) {
        INFO("seed " << seed);
        const Case played = make_case(seed);
        World world = begin(played);
        for (const Step& step : played.steps) {
            if (step.kind != Step::Kind::Cycle) {
                world.play(step);
                continue;
            }
            engine::refresh(world.state);
            const std::string before = engine::save(world.state);
            const engine::State fork = world.state.fork();
            engine::CycleDecision decision = engine::decide(fork, world.now);
            REQUIRE(engine::save(fork) == before);
            REQUIRE(engine::save(world.state) == before);
            world.take(engine::commit(world.state, std::move(decision)));
        }
        check_replay(world);
    }
}

TEST_CASE("a state that was saved and loaded goes on as before", "[engine][fork]") {
    for (std::uint64_t seed = 1; seed <= kCases; ++seed) {
        INFO("seed " << seed);
        const Case played = make_case(seed);
        Prng random(seed);
        World world = begin(played);
        for (const Step& step : played.steps) {
            if (random.chance(10)) {
                const std::string saved = engine::save(world.state);
                auto loaded = engine::load(saved);
                REQUIRE(loaded);
                REQUIRE(engine::save(*loaded) == saved);
                world = World{
                    .state = std::move(*loaded),
                    .view = world.view,
                    .now = world.now,
                    .seen = world.seen,
                    .decisions = world.decisions
                };
            }
            world.play(step);
        }
        check_replay(world);
    }
}

TEST_CASE("bytes that were damaged are not loaded", "[engine][fork]") {
    World world = begin(make_case(1));
    for (const Step& step : make_case(1).steps) {
        world.play(step);
    }
    const std::string saved = engine::save(world.state);
    REQUIRE(engine::load(saved));
    CHECK(!engine::load(""));
    CHECK(!engine::load(saved.substr(0, 30)));
    CHECK(!engine::load(saved.substr(0, saved.size() - 1)));
    CHECK(!engine::load(saved + "x"));
    for (std::size_t at = 0; at < saved.size(); at += saved.size() / 50 + 1) {
        std::string damaged = saved;
        damaged[at] = static_cast<char>(damaged[at] ^ 1);
        CHECK(!engine::load(damaged));
    }
}

}  // namespace sluice::reference
