#include "base/assert.hpp"
#include "controller/commands/schedule_input.hpp"
#include "controller/commands/schedule_output.hpp"
#include "controller/commands/schedule_simulation.hpp"
#include "fuzz/fuzz_target.hpp"

#include <chrono>
#include <string>

namespace {

using namespace sluice;
using namespace sluice::commands;

constexpr Time kNow{std::chrono::seconds(1'700'000'000)};

/// Settings by the bits of the first byte, so that one corpus reaches all of them.
engine::Options options_of(std::uint8_t bits) {
    engine::Options options;
    options.fair_sharing = (bits & 1U) != 0;
    options.admission_fair_sharing = (bits & 2U) != 0;
    options.usage_half_life = std::chrono::minutes(10);
    options.usage_sampling_interval = std::chrono::minutes(5);
    options.gates.flavor_fungibility = (bits & 4U) == 0;
    options.gates.partial_admission = (bits & 8U) == 0;
    options.block_admission_until_pods_ready = (bits & 16U) != 0;
    if ((bits & 32U) != 0) {
        options.quota_check_strategy = engine::QuotaCheckStrategy::IgnoreUndeclared;
    }
    return options;
}

ScheduleReport decide(const ScheduleCluster& cluster, std::uint8_t bits) {
    ScheduleSimulation simulation(cluster, {}, options_of(bits), kNow);
    return simulation.run({.cycles = 3, .until_stable = (bits & 64U) != 0});
}

}  // namespace

/// Whatever objects are given, the command decides, decides the same again, and prints it.
extern "C" int LLVMFuzzerTestOneInput(const std::uint8_t* data, std::size_t size) {
    if (size == 0) {
        return 0;
    }
    const std::string text(reinterpret_cast<const char*>(data + 1), size - 1);
    const ScheduleInput input = read_input({{.name = "input", .text = text}});
    for (const auto& problem : input.problems) {
        SLUICE_ASSERT(!problem.empty());
    }
    const ScheduleReport report = decide(input.cluster, data[0]);
    const std::string printed = to_json(report);
    SLUICE_ASSERT(printed == to_json(decide(input.cluster, data[0])));
    to_table(report);
    return 0;
}
