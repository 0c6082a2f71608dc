// The cluster as the engine decides on it: quota tree, queues and workloads.
#pragma once

#include "engine/quota/quota_tree.hpp"
#include "engine/state/cluster_queue_record.hpp"
#include "engine/state/state_data.hpp"
#include "engine/state/workload_record.hpp"
#include "engine/types/amount.hpp"
#include "engine/types/ids.hpp"
#include "engine/types/options.hpp"
#include "engine/types/time.hpp"

#include <cstdint>
#include <map>
#include <optional>
#include <set>
#include <span>
#include <string>
#include <string_view>
#include <vector>

namespace sluice::engine {

/// Quota tree, queues and holders. Only the functions of engine.hpp change a state; all other code
/// reads it.
class State {
  public:
    explicit State(Options options);
    State& operator=(const State&) = delete;
    State(State&&) = default;
    State& operator=(State&&) = default;
    ~State() = default;

    /// Returns an independent copy: events and cycles of one state do not reach the other. *Cost*:
    /// a few nanoseconds for each 32 workloads; later, a copy of each chunk that either state
    /// changes first. Some parts are one chunk: see ARCHITECTURE.md. *Thread*: both states may be
    /// used at the same time on different threads.
    State fork() const { return State(*this); }

    const Options& options() const { return *data_.options; }

    // Names.
    std::string_view workload_key(WorkloadIndex index) const {
        return data_.workloads[index.at()].key();
    }
    const std::string& node_name(NodeIndex index) const { return data_.tree.node(index).name; }
    const std::string& flavor_name(FlavorIndex index) const { return data_.flavors.name(index); }
    const std::string& resource_name(ResourceIndex index) const {
        return data_.resources.name(index);
    }
    FlavorIndex flavor_of(FlavorResourceIndex index) const {
        return (*data_.pairs)[index.at()].first;
    }
    ResourceIndex resource_of(FlavorResourceIndex index) const {
        return (*data_.pairs)[index.at()].second;
    }
    /// Returns the index of the pair. Requires: an object or a usage has named the pair.
    FlavorResourceIndex flavor_resource_of(FlavorIndex flavor, ResourceIndex resource) const;
    bool flavor_exists(FlavorIndex index) const { return (*data_.flavor_exists)[index.at()]; }
    /// Returns the topologies of flavors, with what is free there. Requires: the state is fresh.
    const Topologies& topologies() const { return data_.topologies; }
    /// Returns the name of a node. Requires: the node exists.
    const std::string& host_name(HostIndex index) const { return data_.host_names.name(index); }
    const HostRecord& host(HostIndex index) const { return data_.hosts[index.at()]; }
    /// Returns true if refresh() has something to do; see engine.hpp.
    bool is_stale() const { return data_.tree.is_stale() || data_.topologies_stale; }
    /// Returns true if pods of holders, in flavors that enforce capacity, may get room or lose it.
    bool may_find_room() const {
        return !data_.enforcing_flavors->empty() &&
               (data_.has_lost_nodes || (data_.has_new_room && !data_.holders_without_room->empty())
               );
    }
    /// Returns true if a flavor enforces capacity.
    bool enforces_capacity() const { return !data_.enforcing_flavors->empty(); }
    /// Holders with pods that have neither a node nor room for one, in flavors that enforce
    /// capacity.
    const std::set<WorkloadIndex>& holders_without_room() const {
        return *data_.holders_without_room;
    }
    /// Returns the flavor to whose nodes the pods are held: of those that enforce capacity, the one
    /// with the most node labels, the first by name among equals. Returns an invalid index if none
    /// does, or if a flavor has a topology.
    FlavorIndex enforcing_flavor(std::span<const FlavorIndex> flavors) const;
    /// Returns true if the flavor is for topology-aware scheduling
    /// (ResourceFlavor.spec.topologyName).
    bool flavor_has_topology(FlavorIndex index) const {
        return (*data_.flavor_topology)[index.at()];
    }
    /// Returns true if requests for `a` are considered before requests for `b`, in the order of the
    /// FNV-1a hashes of their names.
    bool requested_before(ResourceIndex a, ResourceIndex b) const;
    /// Returns the pseudo-resource `pods`, which counts the pods of a podSet.
    ResourceIndex pods_resource() const { return data_.pods; }
    /// Returns why pods of that shape cannot run on that flavor; nullopt if they can.
    std::optional<ShapeVerdict> shape_refusal(std::uint32_t shape, FlavorIndex flavor) const;
    /// Returns the shape; nullptr if no event has named it.
    const ShapeRecord* find_shape(std::uint32_t shape) const;
    /// Returns the resources that the containers of pods of that shape request, if the pods ask for
    /// topology-aware scheduling themselves; nullptr if they do not.
    const std::vector<ResourceIndex>* topology_resources(std::uint32_t shape) const;
    /// Returns what one pod takes of a node, with a request of 1 for `pods`, sorted by the name of
    /// the resource.
    std::vector<Request> node_request(const PodSetRecord& pod_set) const;

    // Lookup: each function returns an invalid index if the name is unknown.
    WorkloadIndex find_workload(std::string_view key) const;
    NodeIndex find_cluster_queue(std::string_view name) const {
        return data_.tree.find_cluster_queue(name);
    }
    NodeIndex find_cohort(std::string_view name) const { return data_.tree.find_cohort(name); }
    LocalQueueIndex find_local_queue(std::string_view key) const {
        return data_.local_queue_names.find(key);
    }

    const WorkloadRecords& workloads() const { return data_.workloads; }
    const WorkloadRecord& workload(WorkloadIndex index) const {
        return data_.workloads[index.at()];
    }
    const ClusterQueueRecord& cluster_queue(NodeIndex index) const {
        return data_.cluster_queues[index.at()];
    }
    const LocalQueueRecord& local_queue(LocalQueueIndex index) const {
        return data_.local_queues[index.at()];
    }
    const QuotaTree& tree() const { return data_.tree; }
    /// Returns the number of cycles so far. A cycle without a head does not count.
    std::uint64_t cycle() const { return data_.cycle; }
    /// Returns a number that grows with each event and committed cycle.
    std::uint64_t version() const { return data_.version; }
    /// Returns the workload that a cycle held back until all pods are ready (waitForPodsReady with
    /// blockAdmission). While it is in its heap, the next cycle takes it as the head of its
    /// ClusterQueue and tries it before all other heads. Returns an invalid index if no workload is
    /// held back.
    WorkloadIndex held_back() const { return data_.held_back; }

    /// Returns true if no admission may follow until all pods of holders are ready
    /// (waitForPodsReady with blockAdmission).
    bool waits_for_pods_ready() const {
        return data_.blocked_until_ready && data_.not_ready_holders > 0;
    }
    /// Returns how many holders have pods that are not ready.
    std::uint64_t not_ready_holders() const { return data_.not_ready_holders; }
    /// Returns the ClusterQueue in which the workload waits, or would wait; an invalid index if its
    /// LocalQueue is missing or stopped, or has no ClusterQueue.
    NodeIndex cluster_queue_of(const WorkloadRecord& workload) const;
    /// Returns true if nothing keeps the pending workload back for a time.
    bool has_back_off_ended(const WorkloadRecord& workload, Time now) const;
    /// Returns the ClusterQueues with waiting workloads, by name.
    const std::map<std::string, NodeIndex>& queues_with_heap() const { return *data_.with_heap; }
    /// Returns the waiting workload that the ClusterQueue tries first. Requires: it has one.
    WorkloadIndex head(NodeIndex cluster_queue) const;
    /// Returns where the workload is among those that wait for quota.
    Bucket bucket(WorkloadIndex index) const;
    /// Returns the waiting workloads of the ClusterQueue in the order in which cycles try them.
    /// *Cost*: n log n.
    std::vector<WorkloadIndex> heap_in_order(NodeIndex cluster_queue) const;
    /// Returns the parked workloads of the ClusterQueue in the order in which cycles would try
    /// them. *Cost*: n log n.
    std::vector<WorkloadIndex> inadmissible_in_order(NodeIndex cluster_queue) const;
    /// Returns true if the ClusterQueue has waiting workloads.
    bool has_heap(NodeIndex cluster_queue) const {
        return data_.with_heap->contains(data_.tree.node(cluster_queue).name);
    }
    /// Returns true if the ClusterQueue first serves the LocalQueue that has used least (KEP-4136).
    bool shares_admission_fairly(const ClusterQueueRecord& queue) const {
        return data_.options->admission_fair_sharing && queue.spec.admission_fair_sharing;
    }
    /// Returns the usage of the LocalQueue if the ClusterQueue orders by it, else 0.
    double usage_in(const ClusterQueueRecord& queue, LocalQueueIndex local_queue) const {
        return shares_admission_fairly(queue) ? data_.local_queues[local_queue.at()].fair_usage
                                              : 0.0;
    }
    /// Returns when the next TimerFired event is due: for a wake batch, the end of a back-off, or a
    /// sample of usage. Returns nullopt if nothing waits for time.
    std::optional<Time> next_due() const;
    /// Returns true if a holder is a head again now, because its topology is to be assigned.
    bool has_second_pass(Time now) const;
    /// Returns true if an active ClusterQueue has a waiting workload.
    bool has_heads() const;
    /// Returns the names of the cohorts from the root down, and of the node, for messages:
    /// "/root/…/cluster-queue".
    std::string path_of(NodeIndex node) const;
    /// Returns the amount that status reports as borrowed: the usage above nominal quota; 0 without
    /// a cohort.
    Amount borrowed(NodeIndex cluster_queue, FlavorResourceIndex flavor_resource) const;

    /// Lists the members for save() and load(), except the options.
    template <class Archive, class Self>
    static void archive(Archive& archive, Self& self) {
        archive(self.data_);
        if constexpr (Archive::kReads) {
            self.data_.topologies_stale = !self.data_.flavor_levels->empty();
        }
    }

    /// Returns the members, for audits.
    const StateData& data() const { return data_; }
    /// Returns the members for changes. Only the functions of engine.hpp call this, and tests that
    /// make a state inconsistent.
    StateData& data_to_change() { return data_; }

  private:
    State(const State&) = default;

    StateData data_;
};

}  // namespace sluice::engine
