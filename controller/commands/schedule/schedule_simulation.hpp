// Runs scheduling cycles on decoded objects without a cluster.
#pragma once

#include "base/clock.hpp"
#include "controller/commands/schedule/schedule_cluster.hpp"
#include "controller/commands/schedule/schedule_report.hpp"
#include "engine/engine.hpp"
#include "engine/state/audit.hpp"
#include "workload/translation/translator.hpp"

#include <boost/unordered/unordered_flat_map.hpp>

#include <cstddef>
#include <cstdint>
#include <map>
#include <optional>
#include <string>
#include <unordered_map>
#include <vector>

namespace sluice::commands {

/// When to stop: after that many cycles or, with `until_stable`, already when nothing changes any
/// more.
struct ScheduleLimit {
    std::uint64_t cycles = 1;
    bool until_stable = false;
};

/// Runs the engine on a set of objects at a fixed time. Writes each cycle's decisions to the
/// objects as the controller would; the engine sees the changed objects in the next cycle.
class ScheduleSimulation {
  public:
    ScheduleSimulation(
        ScheduleCluster cluster,
        workload::TranslationSettings settings,
        engine::Options options,
        Time now
    );

    ScheduleReport run(const ScheduleLimit& limit);
    /// Returns inconsistencies in the engine's state; empty unless there is a bug.
    std::vector<engine::AuditFinding> audit() const { return engine::audit(state_); }

  private:
    void load(ScheduleCluster cluster);
    void load_queues(const ScheduleCluster& cluster);
    void load_workloads(Objects<api::Workload> workloads);
    void apply(const workload::Translator::Events& events);
    /// Processes what is due now: wakes each cohort tree once for all events so far.
    void settle();
    CycleReport report(const engine::CycleResult& result) const;
    RefusedWorkload report(
        const engine::RefusalDecision& refusal, std::vector<workload::Constraint> constraints
    ) const;
    void write(const CycleReport& cycle, const std::vector<std::string>& preemption_messages);
    /// Finishes a slice that a larger slice has replaced; its quota is free from now on.
    void finish_slice(const std::string& key, const std::string& message);
    void write_refusal(const RefusedWorkload& refused);
    std::vector<std::string> preemption_messages(const engine::CycleResult& result) const;
    /// Releases the quota of evicted workloads: the given ones first, then the others by name.
    void release_evicted(const std::vector<PreemptedWorkload>& first);
    void release(const std::string& key);
    /// Completes the report and removes the idle cycles at its end.
    void finish(ScheduleReport& made, std::size_t idle_cycles) const;
    QueueReport queues() const;
    const api::ClusterQueue* find_queue(const std::string& name) const;
    /// Returns the workload with that "namespace/name". Requires: it exists.
    api::Workload& workload_at(const std::string& key) { return workloads_[places_.at(key)]; }
    const api::Workload& workload_at(const std::string& key) const {
        return workloads_[places_.at(key)];
    }

    workload::Translator translator_;
    engine::State state_;
    Time now_;
    std::size_t flavors_max_;
    std::map<std::string, api::ClusterQueue, std::less<>> cluster_queues_;
    std::unordered_map<std::string, api::LocalQueue> local_queues_;  ///< by "namespace/name"
    Objects<api::Workload> workloads_;
    std::vector<std::string> notes_;                              ///< about the input
    boost::unordered_flat_map<std::string, std::size_t> places_;  ///< in workloads_, by key
};

}  // namespace sluice::commands
