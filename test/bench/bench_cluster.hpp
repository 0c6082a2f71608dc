#pragma once

#include "engine/engine.hpp"

#include <chrono>
#include <cstdint>
#include <memory>
#include <string>

namespace sluice::bench {

constexpr engine::Time kNow{std::chrono::seconds(1'700'000'000)};

/// "q7".
std::string numbered(const char* prefix, std::int64_t number);

/// A pending workload of one pod with a cpu request, in namespace "ns".
engine::Workload make_workload(const std::string& queue, const std::string& name, std::int64_t cpu);
/// The same, holding its quota in the ClusterQueue of its LocalQueue's name, on flavor "f0".
engine::Workload make_holder(const std::string& queue, const std::string& name, std::int64_t cpu);

/// What a benchmark's cluster looks like.
struct Shape {
    std::int64_t queues = 1;
    std::int64_t queues_per_cohort = 10;  ///< 0: without cohort
    std::int64_t depth = 1;               ///< cohorts above a ClusterQueue, in chains of their own
    bool one_root = false;                ///< all those chains end in one cohort
    std::int64_t flavors = 1;             ///< "f0", "f1" …
    std::int64_t cpu = 1;                 ///< nominal quota of each flavor
    engine::Preemption preemption;
    engine::FungibilityPolicy when_can_borrow = engine::FungibilityPolicy::MayStopSearch;
};
engine::ClusterQueue make_queue(const Shape& shape, std::int64_t number);
/// Flavors, cohorts, ClusterQueues "q0" … and a LocalQueue of the same name for each.
std::unique_ptr<engine::State> make_cluster(const Shape& shape, engine::Options options = {});

}  // namespace sluice::bench
