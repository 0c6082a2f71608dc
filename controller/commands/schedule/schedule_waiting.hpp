// Finds out why workloads wait that no cycle mentions.
#pragma once

#include "api/kueue/cluster_queue.hpp"
#include "api/kueue/local_queue.hpp"
#include "api/kueue/workload.hpp"
#include "base/clock.hpp"
#include "controller/commands/schedule/schedule_cluster.hpp"
#include "controller/commands/schedule/schedule_report.hpp"
#include "engine/state/state.hpp"
#include "workload/translation/translator.hpp"

#include <boost/unordered/unordered_flat_map.hpp>

#include <cstddef>
#include <map>
#include <string>
#include <unordered_map>
#include <vector>

namespace sluice::commands {

/// The state after the last cycle.
struct ScheduleOutcome {
    const engine::State& state;
    const workload::Translator& translator;
    const std::map<std::string, api::ClusterQueue, std::less<>>& cluster_queues;
    const std::unordered_map<std::string, api::LocalQueue>& local_queues;  ///< by namespace/name
    const Objects<api::Workload>& workloads;
    const boost::unordered_flat_map<std::string, std::size_t>& places;  ///< in workloads, by key
    const std::vector<CycleReport>& unprinted;  ///< the idle cycles at the end
    Time now;
};

/// Adds to the report what its cycles do not show: inactive ClusterQueues and the reason, pending
/// workloads that no cycle mentions and why they wait, and input that has no effect. *Requires*:
/// the report has its cycles and queues. *Cost*: linear in the number of workloads.
void add_waiting(const ScheduleOutcome& outcome, ScheduleReport& report);

}  // namespace sluice::commands
