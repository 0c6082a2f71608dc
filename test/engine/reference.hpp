#pragma once

#include "engine/reference_assignment.hpp"
#include "engine/reference_preemption.hpp"
#include "engine/reference_snapshot.hpp"
#include "engine/reference_usage.hpp"
#include "engine/types/event.hpp"
#include "engine/types/options.hpp"
#include "support/outcome.hpp"

#include <map>
#include <optional>
#include <set>
#include <string>
#include <vector>

namespace sluice::reference {

/// A whole cluster decided by the specification's sections 2.23 and 3 to 5, without concurrent
/// admission and topologies.
class Cluster {
  public:
    explicit Cluster(engine::Options options);

    /// Takes one change in; what it wakes is awake when this returns.
    void apply(const engine::Event& event, Time now);
    /// One scheduling cycle; the decisions stay applied.
    support::Outcome run_cycle(Time now);

    /// Pending workloads that are tried, in service order.
    std::vector<std::string> active(const std::string& cluster_queue) const;
    /// Pending workloads that wait for an event, in service order.
    std::vector<std::string> inadmissible(const std::string& cluster_queue) const;
    std::vector<std::string> cluster_queue_names() const;
    /// Whether some ClusterQueue that heads are taken from has one.
    bool has_heads() const;
    std::vector<std::string> local_queue_names() const;
    /// What orders the LocalQueue under admission fair sharing.
    double fair_usage(const std::string& local_queue) const;

  private:
    struct Entry {
        engine::Workload object;
        std::optional<engine::QuotaReservation>
            assumed;               ///< our admission, until the object shows it
        bool written = false;      ///< the admission was written, its echo is still to come
        bool outstanding = false;  ///< the admission's write is not settled
        bool shown = false;        ///< since then the object has shown a reservation
        std::optional<engine::Workload> later;  ///< counts once the write is settled
        bool evicting = false;                  ///< our eviction, until the object shows it
        std::string queued_in;                  ///< ClusterQueue
        bool active = false;
        bool waits_for_time = false;          ///< for the timer of status.requeueState.requeueAt
        std::optional<Time> held_back_until;  ///< the API refused our admission
        bool waits_for_refusal = false;       ///< for the timer of that
        int refusals = 0;                     ///< in a row
        std::optional<ScanState> scan;
    };
    struct Slot {
        std::string workload;
        std::int64_t generation = 0;
        bool sticky = false;
        /// Victims whose evictions are being written; none: it is sure that some go.
        std::set<std::string> undecided;
    };
    struct Queue {
        engine::ClusterQueue object;
        std::uint64_t generation = 1;
        std::set<std::uint64_t> parked;
        std::optional<Slot> preemptor;
        std::optional<Slot> preemptor_before;  ///< should all evictions for the other fail
    };
    enum class Requeue {
        Generic,
        FailedAfterNomination,
        NamespaceMismatch,
        PreemptionGated,
        PendingPreemption,
        NoFit,
        PreemptionNoCandidates,
    };
    /// A head on its way through the cycle.
    struct Try {
        std::string key;
        int cluster_queue = -1;
        Head head;
        Assignment assignment;
        std::vector<Target> targets;
        std::set<std::string> undecided;  ///< of `targets`, whose evictions are being written
        std::optional<ScanState> scan;
        bool is_preemptor = false;
        bool processed = false;
        bool admitted = false;
        std::string replaced;  ///< key of the slice whose place it takes
        Requeue requeue = Requeue::Generic;
        support::NamedRefusal refusal;
    };
    struct Cycle;  // snapshot and what was decided so far
    /// A tree for wakes: a root cohort, or (first: true) a ClusterQueue without cohort.
    using Tree = std::pair<bool, std::string>;

    // Events.
    void on(const engine::FlavorChanged& event, Time now);
    void on(const engine::FlavorDeleted& event, Time now);
    void on(const engine::CohortChanged& event, Time now);
    void on(const engine::CohortDeleted& event, Time now);
    void on(const engine::ClusterQueueChanged& event, Time now);
    void on(const engine::ClusterQueueDeleted& event, Time now);
    void on(const engine::LocalQueueChanged& event, Time now);
    void on(const engine::LocalQueueDeleted& event, Time now);
    void on(const engine::NodeChanged& /*event*/, Time /*now*/) {}  // places are not compared
    void on(const engine::NodeDeleted& /*event*/, Time /*now*/) {}
    void on(const engine::PodShapeChanged& event, Time now);
    void on(const engine::PodShapeDeleted& event, Time now);
    void on(const engine::WorkloadChanged& event, Time now);
    void on(const engine::WorkloadDeleted& event, Time now);
    void on(const engine::WorkloadPodsChanged& /*event*/, Time /*now*/) {}
    void on(const engine::AdmissionWritten& event, Time now);
    void on(const engine::AdmissionFailed& event, Time now);
    void on(const engine::PreemptionFailed& event, Time now);
    void on(const engine::TimerFired& event, Time now);

    // Queues.
    std::string parent_of(const std::string& cohort) const;
    bool is_cyclic(const std::string& cohort) const;
    std::string root_of(const std::string& cohort) const;
    /// All ClusterQueues of the tree that this cohort is in; none when it is cyclic.
    std::set<std::string> queues_of_tree(const std::string& cohort) const;
    /// The same for the tree of a ClusterQueue, itself at least.
    std::set<std::string> tree_of(const std::string& cluster_queue) const;
    /// None when it is cyclic.
    std::optional<Tree> tree_with_queue(const std::string& cluster_queue) const;
    std::optional<Tree> tree_with_cohort(const std::string& cohort) const;
    /// The ClusterQueues of a tree, which may have got another root or a cycle since.
    std::set<std::string> queues_in(const Tree& tree) const;
    /// Tries all that is parked in the tree again: at once, or when the batch ends.
    void wake(const std::optional<Tree>& tree, Time now);
    void wake_at(const Tree& tree, Time due);
    /// What a workload's end or less use of quota wakes: the tree where it held quota ("": nowhere)
    /// and that of its LocalQueue.
    void wake_for(const std::string& held_in, const engine::Workload& workload, Time now);
    void wake_now(const std::set<std::string>& cluster_queues, Time now);
    void bump(const std::set<std::string>& cluster_queues);
    bool is_active(const Queue& queue) const;
    bool serves(const std::string& local_queue) const;
    static bool is_due(const Entry& entry, Time now);
    static const engine::QuotaReservation* held(const Entry& entry);
    bool goes_before(const Queue& queue, const std::string& a, const std::string& b) const;
    std::vector<std::string> pending(const std::string& cluster_queue, bool active) const;
    /// Puts a pending workload where it belongs after a change; none: it is new.
    /// `back_off_ended`: before the change, though no event has come since.
    void push(
        const std::string& key,
        const engine::Workload* before,
        Time now,
        bool back_off_ended = false
    );
    void push_to_heaps(const std::string& local_queue);
    void take_out(const std::string& key);
    void take_out_all_of(const std::string& local_queue);
    bool is_parked(const Queue& queue, const engine::Workload& workload) const;
    void forget_preemptor(Queue& queue, const std::string& key);
    void eviction_succeeded(const std::string& victim);
    /// A workload that evicts is the preemptor only if some eviction succeeds.
    void eviction_failed(const std::string& victim);
    /// How many hold quota without PodsReady (waitForPodsReady.blockAdmission).
    std::size_t not_ready() const;

    // Admission fair sharing.
    bool orders_by_usage(const Queue& queue) const;
    Decimals admitted_usage(const std::string& local_queue) const;
    void seed_usage(const std::string& local_queue, Time now);
    void sample_usage(Time now);
    void charge_penalty(const std::string& key);
    void drop_penalty(const std::string& local_queue, const std::string& key);
    void settle_penalty(const std::string& key, Time now);

    // The cycle.
    Snapshot make_snapshot() const;
    int add_cohort(Snapshot& snapshot, const std::string& name, std::map<std::string, int>& known)
        const;
    void add_groups(
        Snapshot& snapshot, Node& node, const std::vector<engine::ResourceGroup>& groups
    ) const;
    void collect_pairs(Snapshot& snapshot) const;
    std::vector<HeldPodSet> held_pod_sets(
        const engine::Workload& workload, const engine::QuotaReservation& reservation
    ) const;
    std::map<Pair, Amount> usage_of(
        const engine::Workload& workload, const engine::QuotaReservation& reservation
    ) const;
    /// What a workload is charged with, by ClusterQueue and pair.
    std::map<std::pair<std::string, Pair>, Amount> charged(const Entry& entry) const;
    /// `first` before what else waits in its queue.
    std::vector<std::string> pop_heads(const std::string& first);
    bool refuse_early(Try& attempt) const;
    bool may_replace(const engine::Workload& workload, const std::string& key) const;
    std::optional<int> find_replaced(const Snapshot& snapshot, const Try& attempt) const;
    void nominate(Cycle& cycle, Try& attempt) const;
    std::pair<Assignment, std::vector<Target>> assign_and_target(Cycle& cycle, const Head& head)
        const;
    std::optional<std::pair<Assignment, std::vector<Target>>> try_counts(
        Cycle& cycle, const Head& head, const std::vector<std::int32_t>& counts
    ) const;
    std::vector<Target> targets_for(Cycle& cycle, const Head& head, const Assignment& assignment)
        const;
    std::vector<std::size_t> classical_order(const std::vector<Try>& tries) const;
    std::optional<std::size_t> fair_next(
        Snapshot& snapshot, const std::vector<Try>& tries, const std::set<std::size_t>& left
    ) const;
    std::size_t tournament(
        const Snapshot& snapshot,
        const std::vector<Try>& tries,
        const std::map<int, std::size_t>& entries,
        const std::map<std::pair<int, std::size_t>, Share>& shares,
        int cohort
    ) const;
    bool wins(
        const std::vector<Try>& tries,
        std::size_t a,
        std::size_t b,
        const Share& share_of_a,
        const Share& share_of_b
    ) const;
    void process(Cycle& cycle, Try& attempt);
    /// Notes what does not fit.
    bool fits_after(Cycle& cycle, Try& attempt) const;
    static void note_shortages(const Snapshot& snapshot, Try& attempt);
    void repeat_assignment(Cycle& cycle, Try& attempt) const;
    void reserve(Cycle& cycle, const Try& attempt) const;
    void spare_replaced(const Cycle& cycle, Try& attempt) const;
    void issue_preemptions(Cycle& cycle, Try& attempt);
    void admit(Cycle& cycle, Try& attempt);
    void requeue(Cycle& cycle, Try& attempt);
    /// Its name may come back; that is another workload.
    void forget(std::map<std::string, Entry>::iterator workload);
    void settle(Cycle& cycle);
    static void explain(Try& attempt);

    engine::Options options_;
    std::map<std::string, engine::ResourceFlavor> flavors_;
    std::map<std::string, engine::Cohort> cohorts_;
    std::map<std::string, Queue> queues_;
    std::map<std::string, engine::LocalQueue> local_queues_;
    std::map<std::uint32_t, engine::PodShape> shapes_;
    std::map<std::string, Entry> workloads_;
    std::map<std::string, UsageAccount> accounts_;  // by LocalQueue
    std::map<Tree, Time> wakes_;                    // when their batches end
    std::uint64_t cycle_ = 0;
    bool blocked_ = false;   // until all pods are ready
    std::string held_back_;  // what is admitted first then
};

}  // namespace sluice::reference
