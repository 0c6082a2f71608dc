#pragma once

#include "engine/random_clusters.hpp"

#include <cstdint>
#include <map>
#include <optional>
#include <string>

namespace sluice::reference {

/// What the cases run so far contained; a comparison of empty clusters would prove nothing.
struct Tally {
    std::uint64_t cycles = 0;
    std::uint64_t admitted = 0;
    std::uint64_t preempted = 0;
    std::uint64_t refused = 0;
    /// How often each thing happened: "preempt InCohortFairSharing", "refuse DeferredFit", "admit
    /// fewer pods" …
    std::map<std::string, std::uint64_t> happened;

    void count(const support::Outcome& outcome);
};

/// Runs engine and reference side by side through the case and compares each cycle's decisions, and
/// queues and usage after every step; asks the engine's own audit after every event, and a Witness
/// after every cycle. Returns the first difference.
std::optional<std::string> find_difference(const Case& played, Tally* tally = nullptr);

}  // namespace sluice::reference
