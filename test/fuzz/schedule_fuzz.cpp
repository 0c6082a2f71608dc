#include "base/assert.hpp"
#include "controller/commands/schedule/schedule_input.hpp"
#include "controller/commands/schedule/schedule_output.hpp"
#include "controller/commands/schedule/schedule_simulation.hpp"
#include "fuzz/fuzz_target.hpp"

#include <chrono>
#include <cstdint>
#include <string>

namespace {

using namespace sluice;
using namespace sluice::commands;

constexpr Time kNow{std::chrono::seconds(1'700'000'000)};

/// The answers to as many yes-or-no questions as are asked, drawn from one byte.
class Draws {
  public:
    explicit Draws(std::uint8_t seed) : state_(seed) {}

    bool next() {
        // SplitMix64 (Steele, Lea and Flood, 2014).
        state_ += 0x9e3779b97f4a7c15U;
        std::uint64_t mixed = state_;
        mixed = (mixed ^ (mixed >> 30U)) * 0xbf58476d1ce4e5b9U;
        mixed = (mixed ^ (mixed >> 27U)) * 0x94d049bb133111ebU;
        return ((mixed ^ (mixed >> 31U)) & 1U) != 0;
    }

  private:
    std::uint64_t state_;
};

/// All that a Configuration can change, from the first byte, so that one corpus reaches all of it.
struct Drawn {
    engine::Options options;
    workload::TranslationSettings settings;
    bool until_stable = false;
};

void draw_gates(Draws& draws, Drawn& made) {
    auto& engine = made.options.gates;
    auto& translation = made.settings.gates;
    for (bool* gate :
         {&engine.partial_admission,
          &engine.flavor_fungibility,
          &engine.flavor_fungibility_preserve_scan_progress,
          &engine.fair_sharing_preempt_within_nominal,
          &engine.fair_sharing_prioritize_non_borrowing,
          &engine.prevent_fair_sharing_loops,
          &engine.prioritize_preemptor_workloads,
          &engine.recompute_assignment_upon_overlap,
          &engine.preemption_gates,
          &engine.elastic_jobs,
          &translation.admission_gated_by,
          &translation.priority_boost,
          &translation.skip_reassignment_for_pod_owned_workloads,
          &translation.unadmitted_workloads_observability}) {
        *gate = draws.next();
    }
    // Known to both.
    engine.priority_sorting_within_cohort = translation.priority_sorting_within_cohort =
        draws.next();
    engine.scheduling_equivalence_hashing = translation.scheduling_equivalence_hashing =
        draws.next();
    engine.reclaimable_pods = translation.reclaimable_pods = draws.next();
    engine.topology_aware_scheduling = translation.topology_aware_scheduling = draws.next();
}

Drawn draw(std::uint8_t seed) {
    Draws draws(seed);
    Drawn made;
    draw_gates(draws, made);
    engine::Options& options = made.options;
    options.fair_sharing = draws.next();
    if (draws.next()) {
        options.fair_sharing_strategies.pop_back();
    }
    options.admission_fair_sharing = draws.next();
    options.usage_half_life = std::chrono::minutes(draws.next() ? 10 : 0);
    options.usage_sampling_interval = std::chrono::minutes(5);
    if (draws.next()) {
        options.resource_weights["cpu"] = draws.next() ? 0.0 : 2.5;
    }
    options.block_admission_until_pods_ready = draws.next();
    if (draws.next()) {
        options.quota_check_strategy = engine::QuotaCheckStrategy::IgnoreUndeclared;
    }
    if (draws.next()) {
        made.settings.exclude_resource_prefixes = {"example.com/"};
    }
    if (draws.next()) {
        made.settings.transformations["nvidia.com/gpu"] = {
            .strategy = draws.next() ? workload::TransformationStrategy::Replace
                                     : workload::TransformationStrategy::Retain,
            .multiply_by = draws.next() ? "cpu" : "",
            .outputs = {{"credits", api::Quantity::parse("1500m").value()}},
        };
    }
    made.settings.eviction_orders_queue = draws.next();
    made.until_stable = draws.next();
    return made;
}

ScheduleReport decide(const ScheduleCluster& cluster, const Drawn& drawn) {
    ScheduleSimulation simulation(cluster, drawn.settings, drawn.options, kNow);
    ScheduleReport report = simulation.run({.cycles = 3, .until_stable = drawn.until_stable});
    SLUICE_ASSERT(simulation.audit().empty());
    return report;
}

}  // namespace

/// Whatever objects are given, the command decides, decides the same again from
/// a state that is consistent, and prints it.
extern "C" int LLVMFuzzerTestOneInput(const std::uint8_t* data, std::size_t size) {
    if (size == 0) {
        return 0;
    }
    const std::string text(reinterpret_cast<const char*>(data + 1), size - 1);
    const ScheduleInput input = read_input({{.name = "input", .text = text}});
    for (const auto& problem : input.problems) {
        SLUICE_ASSERT(!problem.empty());
    }
    const Drawn drawn = draw(data[0]);
    const ScheduleReport report = decide(input.cluster, drawn);
    const std::string printed = to_json(report);
    SLUICE_ASSERT(printed == to_json(decide(input.cluster, drawn)));
    to_table(report);
    return 0;
}
