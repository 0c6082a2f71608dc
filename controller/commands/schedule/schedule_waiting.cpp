#include "controller/commands/schedule/schedule_waiting.hpp"

#include "api/kueue/conditions.hpp"
#include "api/kueue/kueue_names.hpp"
#include "api/meta/micro_time.hpp"
#include "workload/status/status.hpp"
#include "workload/status/waiting.hpp"
#include "workload/translation/references.hpp"

#include <fmt/format.h>

#include <cstdint>
#include <optional>
#include <set>
#include <string_view>
#include <tuple>
#include <utility>

namespace sluice::commands {
namespace {

namespace condition = api::condition;
namespace reason = api::reason;

constexpr std::string_view kPending = reason::kPendingEvaluation;
constexpr std::string_view kTurn = "its turn has not come";

std::string workload_key(const api::Workload& workload) {
    return workload.metadata.namespace_ + "/" + workload.metadata.name;
}

const std::string& words_of(const RefusedWorkload& refused) {
    return refused.words.empty() ? refused.message : refused.words;
}

class WaitingFinder {
  public:
    WaitingFinder(const ScheduleOutcome& outcome, ScheduleReport& report)
        : outcome_(outcome), report_(report), is_queued_(outcome.workloads.size(), false) {}

    void run() {
        find_inactive_queues();
        find_cohort_cycles();
        read_cycles();
        for (const auto& [name, workloads] : report_.queues.active) {
            add_tried(name, workloads);
        }
        for (const auto& [name, workloads] : report_.queues.inadmissible) {
            add_parked(name, workloads);
        }
        add_unqueued();
    }

  private:
    struct Refusal {
        std::uint64_t cycle = 0;  ///< 0: a cycle that is not printed
        const RefusedWorkload* refused = nullptr;
    };
    using ClassInQueue = std::pair<std::string_view, std::uint64_t>;

    void find_inactive_queues() {
        for (const auto& [name, queue] : outcome_.cluster_queues) {
            auto activity = outcome_.translator.activity(queue);
            if (!activity.is_active) {
                report_.inactive.emplace(name, std::move(activity));
            }
        }
    }

    void find_cohort_cycles() {
        const auto& references = outcome_.translator.references();
        const auto& parents = references.cohort_parents;
        std::map<std::string_view, std::size_t> walks;  // the walk that visited the cohort first
        std::set<std::string> cycles;
        std::size_t walk = 0;
        for (const auto& [cohort, parent] : parents) {
            std::string_view at = cohort;
            auto above = parents.find(at);
            for (++walk; walks.emplace(at, walk).second && above != parents.end();) {
                at = above->second;
                above = parents.find(at);
            }
            if (walks.at(at) == walk) {
                cycles.insert(workload::find_cohort_cycle(references, at));
            }
        }
        cycles.erase("");
        for (const auto& cycle : cycles) {
            report_.notes.push_back(fmt::format(
                "the parents of cohorts form the cycle {}: nothing is admitted in their tree", cycle
            ));
        }
    }

    /// Gathers the last refusal of each workload, and the workloads that the printed cycles
    /// mention.
    void read_cycles() {
        for (const auto& cycle : report_.cycles) {
            for (const auto& preempted : cycle.preempted) {
                decided_.insert(preempted.workload);
            }
            for (const auto& refused : cycle.refused) {
                decided_.insert(refused.workload);
                note_refusal({cycle.cycle, &refused});
            }
        }
        for (const auto& cycle : outcome_.unprinted) {
            for (const auto& refused : cycle.refused) {
                // The decision of a printed cycle is still valid: the queues have not changed
                // since.
                if (!decided_.contains(refused.workload)) {
                    note_refusal({0, &refused});
                }
            }
        }
    }

    void note_refusal(const Refusal& refusal) {
        refusals_[refusal.refused->workload] = refusal;
        const auto index = outcome_.state.find_workload(refusal.refused->workload);
        const auto scheduling_class =
            index.is_valid() ? outcome_.state.workload(index).scheduling_class : 0;
        if (scheduling_class != 0 && refusal.refused->requeued == "inadmissible") {
            classes_[{refusal.refused->cluster_queue, scheduling_class}] = refusal;
        }
    }

    /// Adds the workloads that the ClusterQueue would try, in service order.
    void add_tried(const std::string& queue, const std::vector<std::string>& workloads) {
        if (report_.inactive.contains(queue)) {
            add_suspended(queue, workloads);
            return;
        }
        const workload::Waiting turn = find_turn(queue, workloads.front());
        for (const auto& key : workloads) {
            is_queued_[outcome_.places.at(key)] = true;
            if (decided_.contains(key)) {
                continue;
            }
            const auto refusal = refusals_.find(key);
            add(queue, refusal == refusals_.end() ? turn : reason_of(refusal->second), key);
        }
    }

    void add_parked(const std::string& queue, const std::vector<std::string>& workloads) {
        if (report_.inactive.contains(queue)) {
            add_suspended(queue, workloads);
            return;
        }
        for (const auto& key : workloads) {
            is_queued_[outcome_.places.at(key)] = true;
            if (decided_.contains(key)) {
                continue;
            }
            const auto refusal = refusals_.find(key);
            add(queue,
                refusal == refusals_.end() ? find_parking_reason(queue, key)
                                           : reason_of(refusal->second),
                key);
        }
    }

    /// Adds all workloads of an inactive ClusterQueue.
    void add_suspended(const std::string& queue, const std::vector<std::string>& workloads) {
        const auto& first = outcome_.workloads[outcome_.places.at(workloads.front())];
        const workload::Waiting waiting = find_obstacle(first).value_or(no_queue_);
        for (const auto& key : workloads) {
            is_queued_[outcome_.places.at(key)] = true;
            add(queue, waiting, key);
        }
    }

    static workload::Waiting reason_of(const Refusal& refusal) {
        return {refusal.refused->reason, words_of(*refusal.refused)};
    }

    workload::Waiting find_turn(const std::string& queue, const std::string& first) const {
        const auto refusal = refusals_.find(first);
        const bool is_strict =
            outcome_.cluster_queues.at(queue).spec.queueing_strategy == "StrictFIFO";
        if (!is_strict || refusal == refusals_.end()) {
            return {std::string(kPending), std::string(kTurn)};
        }
        return {
            std::string(kPending),
            fmt::format(
                "StrictFIFO keeps it behind {}: {}", first, words_of(*refusal->second.refused)
            )
        };
    }

    workload::Waiting find_parking_reason(const std::string& queue, const std::string& key) const {
        const auto& status = outcome_.workloads[outcome_.places.at(key)].status;
        const auto* requeued = api::find_condition(status.conditions, condition::kRequeued);
        if (requeued != nullptr && requeued->status == api::condition_status::kFalse) {
            return {
                std::string(kPending),
                fmt::format(
                    "not queued again since its eviction: Requeued is False, {}{}{}",
                    requeued->reason,
                    requeued->message.empty() ? "" : ": ",
                    requeued->message
                )
            };
        }
        const auto until = status.requeue_state ? status.requeue_state->requeue_at : std::nullopt;
        if (until && *until > outcome_.now) {
            return {std::string(kPending), "backs off until " + api::to_string(*until)};
        }
        const auto& record = outcome_.state.workload(outcome_.state.find_workload(key));
        const auto alike = classes_.find({queue, record.scheduling_class});
        if (alike == classes_.end()) {
            return {std::string(kPending), "waits for a change in its queue or cohort"};
        }
        const auto& [cycle, refused] = alike->second;
        return {
            refused->reason,
            fmt::format(
                "not tried, as it requests the same as {}{}: {}",
                refused->workload,
                cycle == 0 ? "" : fmt::format(" (cycle {})", cycle),
                words_of(*refused)
            )
        };
    }

    std::optional<workload::Waiting> find_obstacle(const api::Workload& workload) const {
        const auto* queue = find_local_queue(workload);
        const auto cluster_queue = queue == nullptr
                                       ? outcome_.cluster_queues.end()
                                       : outcome_.cluster_queues.find(queue->spec.cluster_queue);
        const bool has_cluster_queue = cluster_queue != outcome_.cluster_queues.end();
        auto obstacle = workload::find_obstacle(
            workload,
            queue,
            has_cluster_queue ? &cluster_queue->second : nullptr,
            outcome_.translator,
            outcome_.translator.settings().gates
        );
        if (!obstacle) {
            return obstacle;
        }
        const bool is_about_queue =
            obstacle->reason == reason::kMisconfigured || obstacle->reason == reason::kSuspended;
        if (!is_about_queue) {
            return obstacle;
        }
        // The condition's message, extended by what an operator would have to look up.
        if (queue == nullptr) {
            obstacle->message =
                workload.spec.queue_name.empty()
                    ? "spec.queueName is empty"
                    : fmt::format(
                          "{} in namespace {}", obstacle->message, workload.metadata.namespace_
                      );
        } else if (queue->spec.stop_policy != api::stop_policy::kNone) {
            obstacle->message += fmt::format(": stopPolicy is {}", queue->spec.stop_policy);
        } else if (has_cluster_queue && report_.inactive.contains(cluster_queue->first)) {
            const auto& activity = report_.inactive.at(cluster_queue->first);
            obstacle->message += fmt::format(", {}: {}", activity.reason, activity.message);
        }
        return obstacle;
    }

    const api::LocalQueue* find_local_queue(const api::Workload& workload) const {
        const auto found = outcome_.local_queues.find(
            workload.metadata.namespace_ + "/" + workload.spec.queue_name
        );
        return found == outcome_.local_queues.end() ? nullptr : &found->second;
    }

    /// Adds the workloads that are in no queue and hold no quota.
    void add_unqueued() {
        for (std::size_t i = 0; i < outcome_.workloads.size(); ++i) {
            const auto& workload = outcome_.workloads[i];
            const auto& conditions = workload.status.conditions;
            if (is_queued_[i] || api::is_true(conditions, condition::kFinished)) {
                continue;
            }
            const auto& admission = workload.status.admission;
            if (!api::is_true(conditions, condition::kQuotaReserved)) {
                add_unqueued(workload);
            } else if (!admission) {
                add("",
                    {reason::kQuotaReserved,
                     "QuotaReserved is True, but status.admission is missing"},
                    workload_key(workload));
            } else if (auto waiting = find_unready_checks(workload, admission->cluster_queue)) {
                add(admission->cluster_queue, *waiting, workload_key(workload));
            }
        }
    }

    /// Returns why a workload that holds quota of that ClusterQueue may not start yet; nullopt if
    /// it may.
    std::optional<workload::Waiting> find_unready_checks(
        const api::Workload& workload, const std::string& cluster_queue
    ) const {
        const auto& conditions = workload.status.conditions;
        if (api::is_true(conditions, condition::kAdmitted) ||
            api::is_true(conditions, condition::kEvicted)) {
            return std::nullopt;
        }
        api::Workload synced = workload;
        const auto queue = outcome_.cluster_queues.find(cluster_queue);
        if (queue != outcome_.cluster_queues.end()) {
            workload::sync_admission_checks(synced, queue->second, outcome_.now);
        }
        std::string unready;
        for (const auto& check : synced.status.admission_checks) {
            if (check.state != api::check_state::kReady) {
                unready += fmt::format(
                    "{}{} is {}{}{}",
                    unready.empty() ? "" : ", ",
                    check.name,
                    check.state,
                    check.message.empty() ? "" : ": ",
                    check.message
                );
            }
        }
        if (unready.empty()) {
            return std::nullopt;
        }
        return workload::Waiting{
            reason::kUnsatisfiedChecks, "quota is reserved; admission check " + unready
        };
    }

    void add_unqueued(const api::Workload& workload) {
        const auto* queue = find_local_queue(workload);
        auto waiting = find_obstacle(workload);
        if (!waiting) {
            const auto* replaced = api::find_condition(
                workload.status.conditions, condition::kWaitingForReplacementPods
            );
            waiting = no_queue_;
            if (replaced != nullptr) {
                waiting->message = "waits for replacement pods: " + replaced->message;
            }
        }
        add(queue == nullptr ? "" : queue->spec.cluster_queue, *waiting, workload_key(workload));
    }

    void add(const std::string& queue, const workload::Waiting& waiting, const std::string& key) {
        auto* last = report_.waiting.empty() ? nullptr : &report_.waiting.back();
        if (last == nullptr || last->cluster_queue != queue || last->reason != waiting.reason ||
            last->details != waiting.message) {
            const auto [at, is_new] = groups_.emplace(
                std::tuple(queue, waiting.reason, waiting.message), report_.waiting.size()
            );
            if (is_new) {
                report_.waiting.push_back({
                    .cluster_queue = queue,
                    .reason = waiting.reason,
                    .details = waiting.message,
                    .is_only_turn = waiting.message == kTurn,
                    .workloads = {},
                });
            }
            last = &report_.waiting[at->second];
        }
        last->workloads.push_back(key);
    }

    const workload::Waiting no_queue_{std::string(kPending), "no queue takes it"};
    const ScheduleOutcome& outcome_;
    ScheduleReport& report_;
    std::vector<bool> is_queued_;  ///< by index in the workloads
    std::set<std::string_view> decided_;
    std::map<std::string_view, Refusal> refusals_;
    std::map<ClassInQueue, Refusal> classes_;
    std::map<std::tuple<std::string, std::string, std::string>, std::size_t> groups_;
};

}  // namespace

void add_waiting(const ScheduleOutcome& outcome, ScheduleReport& report) {
    WaitingFinder(outcome, report).run();
}

}  // namespace sluice::commands
