// Runs scheduling cycles on decoded objects without a cluster.
#pragma once

#include "base/clock.hpp"
#include "controller/commands/schedule/schedule_cluster.hpp"
#include "controller/commands/schedule/schedule_report.hpp"
#include "controller/commands/schedule/schedule_world.hpp"
#include "engine/state/audit.hpp"
#include "workload/translation/translator.hpp"

#include <cstddef>
#include <cstdint>
#include <string>
#include <vector>

namespace sluice::commands {

/// When to stop: after that many cycles or, with `until_stable`, already when nothing changes any
/// more.
struct ScheduleLimit {
    std::uint64_t cycles = 1;
    bool until_stable = false;
};

/// Runs cycles on a set of objects at a fixed time, and reports what they decide. The engine sees
/// the objects that a cycle changed in the next cycle.
class ScheduleSimulation {
  public:
    ScheduleSimulation(
        ScheduleCluster cluster,
        workload::TranslationSettings settings,
        engine::Options options,
        Time now
    );

    ScheduleReport run(const ScheduleLimit& limit);
    /// Returns the Workloads as the decisions left them.
    const Objects<api::Workload>& workloads() const { return world_.workloads(); }
    /// Returns inconsistencies in the engine's state; empty unless there is a bug.
    std::vector<engine::AuditFinding> audit() const { return engine::audit(world_.state()); }

  private:
    CycleReport report(const engine::CycleResult& result) const;
    SecondPassWorkload report(const engine::SecondPassDecision& decision) const;
    RefusedWorkload report(
        const engine::RefusalDecision& refusal, std::vector<workload::Constraint> constraints
    ) const;
    std::vector<std::string> preemption_messages(const engine::CycleResult& result) const;
    /// Completes the report and removes the idle cycles at its end.
    void finish(ScheduleReport& made, std::size_t idle_cycles) const;
    QueueReport queues() const;

    std::size_t flavors_max_;
    ScheduleWorld world_;
};

}  // namespace sluice::commands
