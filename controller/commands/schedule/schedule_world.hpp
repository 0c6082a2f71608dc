// A cluster without time: it takes each decision at once, as the controller and the jobs would.
#pragma once

#include "base/clock.hpp"
#include "controller/commands/schedule/schedule_cluster.hpp"
#include "controller/commands/schedule/schedule_report.hpp"
#include "engine/driver/driver.hpp"
#include "workload/translation/translator.hpp"

#include <boost/unordered/unordered_flat_map.hpp>

#include <cstddef>
#include <map>
#include <string>
#include <unordered_map>
#include <vector>

namespace sluice::commands {

/// The objects that `sluice schedule` decides on, and the engine that sees them. Decisions are
/// written into the objects as the controller would write them, all at one time.
class ScheduleWorld {
  public:
    ScheduleWorld(
        ScheduleCluster cluster,
        workload::TranslationSettings settings,
        engine::Options options,
        Time now
    );
    ScheduleWorld(const ScheduleWorld&) = delete;
    ScheduleWorld& operator=(const ScheduleWorld&) = delete;

    /// Runs at most one cycle; without a head, the result's `cycle` is 0.
    engine::CycleResult run_cycle() { return driver_.step(engine::moment_at(now_)).result; }
    /// Writes the decisions of a cycle into the Workloads. `preemption_messages`: one for each
    /// preempted workload.
    void write(const CycleReport& cycle, const std::vector<std::string>& preemption_messages);
    /// Releases the quota of evicted workloads: the given ones first, then the others by name.
    void release_evicted(const CycleReport& cycle);
    /// Processes what is due now: wakes each cohort tree once for all events so far.
    void settle();

    const engine::State& state() const { return state_; }
    const workload::Translator& translator() const { return translator_; }
    Time now() const { return now_; }
    const std::map<std::string, api::ClusterQueue, std::less<>>& cluster_queues() const {
        return cluster_queues_;
    }
    /// Returns the LocalQueues by "namespace/name".
    const std::unordered_map<std::string, api::LocalQueue>& local_queues() const {
        return local_queues_;
    }
    const Objects<api::Workload>& workloads() const { return workloads_; }
    /// Returns the index of each workload in workloads(), by "namespace/name".
    const boost::unordered_flat_map<std::string, std::size_t>& places() const { return places_; }
    /// Returns the workload with that "namespace/name". Requires: it exists.
    const api::Workload& workload_at(const std::string& key) const {
        return workloads_[places_.at(key)];
    }
    /// Returns the ClusterQueue of that name; or nullptr.
    const api::ClusterQueue* find_queue(const std::string& name) const;
    /// Returns remarks about the input.
    const std::vector<std::string>& notes() const { return notes_; }

  private:
    void load(ScheduleCluster cluster);
    void load_queues(const ScheduleCluster& cluster);
    void load_workloads(Objects<api::Workload> workloads);
    void apply(const workload::Translator::Events& events);
    /// Finishes a slice that a larger slice has replaced; its quota is free from now on.
    void finish_slice(const std::string& key, const std::string& message);
    void write_second_pass(const SecondPassWorkload& pass);
    void write_refusal(const RefusedWorkload& refused);
    void release(const std::string& key);
    api::Workload& workload_to_write(const std::string& key) { return workloads_[places_.at(key)]; }

    workload::Translator translator_;
    engine::State state_;
    engine::Driver driver_;
    Time now_;
    std::map<std::string, api::ClusterQueue, std::less<>> cluster_queues_;
    std::unordered_map<std::string, api::LocalQueue> local_queues_;
    Objects<api::Workload> workloads_;
    std::vector<std::string> notes_;
    boost::unordered_flat_map<std::string, std::size_t> places_;
};

}  // namespace sluice::commands
