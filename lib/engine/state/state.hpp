#pragma once

#include "base/cow.hpp"
#include "engine/quota/quota_tree.hpp"
#include "engine/state/cluster_queue_record.hpp"
#include "engine/state/names.hpp"
#include "engine/state/pod_sets.hpp"
#include "engine/state/workload_index.hpp"
#include "engine/state/workload_record.hpp"
#include "engine/types/decision.hpp"
#include "engine/types/ids.hpp"
#include "engine/types/options.hpp"

#include <cstdint>
#include <map>
#include <memory>
#include <optional>
#include <set>
#include <string>
#include <string_view>
#include <tuple>
#include <utility>
#include <vector>

namespace sluice::engine {

/// The cluster as a cycle decides on it: quota tree, queues, holders. Kept up to date by apply()
/// and run_cycle() alone (engine.hpp); all other code only reads it.
class State {
  public:
    explicit State(Options options);
    State& operator=(const State&) = delete;
    State(State&&) = default;
    State& operator=(State&&) = default;
    ~State() = default;

    /// Returns a state of its own with the same content, which then goes its own way: events and
    /// cycles of one do not reach the other. *Cost*: a few nanoseconds a 32 workloads; later, a
    /// copy of each chunk that either of both changes first. *Thread*: each state may be used on a
    /// thread of its own.
    State fork() const { return State(*this); }

    const Options& options() const { return *options_; }

    // Names.
    const std::string& workload_key(WorkloadIndex index) const {
        return workloads_[index.at()].key();
    }
    const std::string& node_name(NodeIndex index) const { return tree_.node(index).name; }
    const std::string& flavor_name(FlavorIndex index) const { return flavors_->name(index); }
    const std::string& resource_name(ResourceIndex index) const { return resources_->name(index); }
    FlavorIndex flavor_of(FlavorResourceIndex index) const { return (*pairs_)[index.at()].first; }
    ResourceIndex resource_of(FlavorResourceIndex index) const {
        return (*pairs_)[index.at()].second;
    }
    /// The pair. Requires: some object or usage named it.
    FlavorResourceIndex flavor_resource_of(FlavorIndex flavor, ResourceIndex resource) const;
    bool flavor_exists(FlavorIndex index) const { return (*flavor_exists_)[index.at()]; }
    /// Whether it is for topology-aware scheduling (ResourceFlavor.spec.topologyName).
    bool flavor_has_topology(FlavorIndex index) const { return (*flavor_topology_)[index.at()]; }
    /// Whether requests for `a` are considered before those for `b` (FNV-1a of the names).
    bool requested_before(ResourceIndex a, ResourceIndex b) const;
    /// The pseudo-resource `pods`, which counts a podSet's pods.
    ResourceIndex pods_resource() const { return pods_; }
    struct ShapeVerdict {
        ShapeRefusalKind kind = ShapeRefusalKind::NodeAffinity;
        std::uint32_t taint = 0;

        /// All members, for save() and load().
        static constexpr auto members() {
            return std::tuple(&ShapeVerdict::kind, &ShapeVerdict::taint);
        }
    };
    /// Why pods of that shape cannot run on that flavor; none: they can.
    std::optional<ShapeVerdict> shape_refusal(std::uint32_t shape, FlavorIndex flavor) const;
    /// What the containers of pods of that shape request, where they ask for topology-aware
    /// scheduling themselves; nullptr: they do not.
    const std::vector<ResourceIndex>* topology_resources(std::uint32_t shape) const;
    /// Whether pods of that shape must run within one domain of a topology.
    bool requires_domain(std::uint32_t shape) const;

    // Lookup; an invalid index when there is none.
    WorkloadIndex find_workload(std::string_view key) const;
    NodeIndex find_cluster_queue(std::string_view name) const {
        return tree_.find_cluster_queue(name);
    }
    NodeIndex find_cohort(std::string_view name) const { return tree_.find_cohort(name); }
    LocalQueueIndex find_local_queue(std::string_view key) const {
        return local_queue_names_->find(key);
    }

    const WorkloadRecords& workloads() const { return workloads_; }
    const WorkloadRecord& workload(WorkloadIndex index) const { return workloads_[index.at()]; }
    const ClusterQueueRecord& cluster_queue(NodeIndex index) const {
        return cluster_queues_[index.at()];
    }
    const LocalQueueRecord& local_queue(LocalQueueIndex index) const {
        return local_queues_[index.at()];
    }
    const QuotaTree& tree() const { return tree_; }
    std::uint64_t cycle() const { return cycle_; }
    /// The workload that a cycle held back until all pods are ready (waitForPodsReady with
    /// blockAdmission): while it is in its heap, the next cycle takes it for the head of its
    /// ClusterQueue and tries it before all others. An invalid index: there is none.
    WorkloadIndex held_back() const { return held_back_; }

    /// Returns true if no admission may follow until all pods of holders are ready
    /// (waitForPodsReady with blockAdmission).
    bool waits_for_pods_ready() const { return blocked_until_ready_ && not_ready_holders_ > 0; }
    /// Returns how many holders have pods that are not ready.
    std::uint64_t not_ready_holders() const { return not_ready_holders_; }
    /// Returns the ClusterQueue in which the workload waits, or would wait; an invalid index if its
    /// LocalQueue is missing or stopped, or has no ClusterQueue.
    NodeIndex cluster_queue_of(const WorkloadRecord& workload) const;
    /// Returns true if nothing keeps the pending workload back for a time.
    bool has_back_off_ended(const WorkloadRecord& workload, Time now) const;
    /// Returns the ClusterQueues with waiting workloads, by name.
    const std::map<std::string, NodeIndex>& queues_with_heap() const { return *with_heap_; }
    /// Returns the waiting workload that the ClusterQueue tries first. Requires: it has one.
    WorkloadIndex head(NodeIndex cluster_queue) const;
    /// Returns where the workload is among those that wait for quota.
    Bucket bucket(WorkloadIndex index) const;
    /// Pending workloads of a ClusterQueue that are tried, in service order. Cost: n log n.
    std::vector<WorkloadIndex> heap_in_order(NodeIndex cluster_queue) const;
    /// Those that wait for an event, in service order. Cost: n log n.
    std::vector<WorkloadIndex> inadmissible_in_order(NodeIndex cluster_queue) const;
    /// Whether cycles take heads from the ClusterQueue's heap.
    bool has_heap(NodeIndex cluster_queue) const {
        return with_heap_->contains(tree_.node(cluster_queue).name);
    }
    /// Whether the ClusterQueue tries workload a before b.
    bool is_served_before(const ClusterQueueRecord& queue, WorkloadIndex a, WorkloadIndex b) const;
    /// Whether the ClusterQueue serves the LocalQueue first that has used least (KEP-4136).
    bool shares_admission_fairly(const ClusterQueueRecord& queue) const {
        return options_->admission_fair_sharing && queue.spec.admission_fair_sharing;
    }
    /// When the next TimerFired event is due (wake batches, ends of back-off, samples of usage);
    /// none: nothing waits.
    std::optional<Time> next_due() const;
    /// Whether some active ClusterQueue has a head to try.
    bool has_heads() const;
    /// ClusterQueues from the root cohort down to this one, for messages: "/root/…/cluster-queue".
    std::string path_of(NodeIndex node) const;
    /// Borrowed amount of a cell as status reports it: usage above nominal, 0 without
    /// cohort.
    Amount borrowed(NodeIndex cluster_queue, FlavorResourceIndex flavor_resource) const;

    /// Lists the members for save() and load(), but for the options.
    template <class Archive, class Self>
    static void archive(Archive& archive, Self& self) {
        archive(self.flavors_, self.flavor_exists_, self.flavor_topology_);
        archive(self.resources_, self.resource_hashes_, self.resource_uses_, self.pods_);
        archive(self.pair_index_, self.pairs_, self.tree_, self.cluster_queues_);
        archive(self.local_queue_names_, self.local_queues_, self.workload_index_);
        archive(self.pod_set_pool_, self.workloads_, self.free_workloads_, self.shapes_);
        archive(self.with_heap_, self.wake_due_, self.back_offs_, self.samples_, self.cohorts_);
        archive(self.cycle_, self.evictions_, self.not_ready_holders_);
        archive(self.blocked_until_ready_, self.held_back_);
        archive(self.keeps_queue_changes_, self.queue_changes_);
    }

  private:
    State(const State&) = default;

    friend class StateEditor;
    friend class NamesAudit;  // of the tests

    struct Shape {
        std::map<FlavorIndex, ShapeVerdict> refusals;
        bool requests_topology = false;
        bool requires_domain = false;
        std::vector<ResourceIndex> resources;

        /// All members, for save() and load().
        static constexpr auto members() {
            return std::tuple(
                &Shape::refusals,
                &Shape::requests_topology,
                &Shape::requires_domain,
                &Shape::resources
            );
        }
    };

    /// Two back-offs of a workload may end at one time, and each goes alone.
    struct BackOffEnd {
        Time at;
        WorkloadIndex workload;
        BackOff back_off = BackOff::Requeue;
        friend auto operator<=>(const BackOffEnd&, const BackOffEnd&) = default;

        /// All members, for save() and load().
        static constexpr auto members() {
            return std::tuple(&BackOffEnd::at, &BackOffEnd::workload, &BackOffEnd::back_off);
        }
    };

    std::shared_ptr<const Options> options_;
    Cow<Names<FlavorIndex>> flavors_;
    Cow<std::vector<bool>> flavor_exists_;
    Cow<std::vector<bool>> flavor_topology_;
    Cow<Names<ResourceIndex>> resources_;
    Cow<std::vector<std::uint64_t>> resource_hashes_;
    /// By resource: how many pairs, podSets of the pool, pod shapes and resource groups name it. At
    /// 0 its name is forgotten: users invent them.
    Cow<std::vector<std::uint32_t>> resource_uses_;
    ResourceIndex pods_;
    Cow<std::map<std::pair<FlavorIndex, ResourceIndex>, FlavorResourceIndex>> pair_index_;
    Cow<std::vector<std::pair<FlavorIndex, ResourceIndex>>> pairs_;
    QuotaTree tree_;
    ClusterQueueRecords cluster_queues_;
    Cow<Names<LocalQueueIndex>> local_queue_names_;
    LocalQueueRecords local_queues_;
    WorkloadIndexByKey workload_index_;
    Cow<PodSetPool> pod_set_pool_;
    WorkloadRecords workloads_;
    Cow<std::vector<WorkloadIndex>> free_workloads_;
    Cow<std::map<std::uint32_t, Shape>> shapes_;
    Cow<std::map<std::string, NodeIndex>> with_heap_;  // ClusterQueues with waiting workloads
    Cow<std::map<NodeIndex, Time>> wake_due_;          // by root
    Cow<std::set<BackOffEnd>> back_offs_;
    Cow<std::set<std::pair<Time, LocalQueueIndex>>> samples_;  // of usage, as they become due
    Cow<std::map<NodeIndex, Cohort>> cohorts_;                 // as events describe them
    std::uint64_t cycle_ = 0;
    std::uint32_t evictions_ = 0;  // decided so far
    // Holders without PodsReady in ClusterQueues that exist, for blockAdmission.
    std::uint64_t not_ready_holders_ = 0;
    bool blocked_until_ready_ = false;
    WorkloadIndex held_back_;
    bool keeps_queue_changes_ = false;
    Cow<std::vector<WorkloadIndex>> queue_changes_;  // each once, see WorkloadRecord::queue_changed
};

}  // namespace sluice::engine
