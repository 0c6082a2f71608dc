// One turn of the simulated Job controller, in steps.
#pragma once

#include "sim/job/index_set.hpp"
#include "sim/job/job_controller.hpp"
#include "sim/job/job_pod.hpp"
#include "sim/job/job_status.hpp"

#include <algorithm>
#include <map>
#include <optional>
#include <set>
#include <string>
#include <vector>

namespace sluice::sim {

/// One turn of the Job controller over one Job: the steps of reconcile_job().
class JobTurn {
  public:
    /// *Lifetime*: job and backoff must outlive it.
    JobTurn(const json::Value& job, JobPods pods, JobBackoff& backoff, Time now, const Pace& pace);

    Outcome run();

  private:
    // The steps of a turn, in their order.
    void count_pods();
    void find_end();
    void count_indexes();
    void end_or_go_on();
    void track();

    bool counts_as_failed(const JobPod& pod) const;
    /// Returns true if the pod must still be counted: it has the finalizer and, for an Indexed Job,
    /// a valid index.
    bool is_uncounted(const JobPod& pod, const std::set<std::string, std::less<>>& counted) const;
    std::string failed_by_policy() const;
    bool is_past_deadline();
    bool has_failed_in_place() const;
    void find_index_end(std::int64_t completions);
    void choose_delayed();

    void stop_pods();
    void manage_pods();
    void remove(const JobPods& pods);
    void create(std::int64_t count);
    std::vector<std::int64_t> indexes_to_add(std::int64_t count);
    void mark_suspended();

    void count_ended(const JobPod& pod, IndexSet& newly_succeeded);
    bool may_lose_finalizer(const JobPod& pod) const;
    void settle_uncounted(const std::set<std::string, std::less<>>& tracked);
    void write_status();
    void lose_finalizers(const std::vector<const JobPod*>& pods);
    void finish();

    void look_again(Time at) { outcome_.again_at = std::min(outcome_.again_at.value_or(at), at); }

    const json::Value& job_;
    JobPods pods_;
    JobBackoff& memory_;
    Time now_;
    Pace pace_;
    JobStatus status_;
    JobStatus before_;
    Outcome outcome_;

    std::optional<std::int64_t> completions_;
    std::optional<std::int64_t> indexed_;  ///< completions of an Indexed Job
    std::optional<std::int64_t> per_index_limit_;
    bool has_failure_policy_ = false;
    bool replaces_failed_only_ = false;
    bool is_suspended_ = false;
    bool is_deleted_ = false;

    JobPods active_;
    std::int64_t active_count_ = 0;
    std::int64_t ready_count_ = 0;
    std::int64_t terminating_ = 0;
    std::int64_t succeeded_ = 0;
    std::int64_t failed_ = 0;
    JobBackoff backoff_;
    IndexSet known_succeeded_;  ///< only from the status
    IndexSet succeeded_indexes_;
    IndexSet failed_indexes_;
    std::map<std::int64_t, JobPod> delayed_;  ///< failed pods that wait to be replaced, by index
    std::optional<JobEnd> end_;
};

}  // namespace sluice::sim
