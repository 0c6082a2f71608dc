// Wakes parked workloads, at once or when a delay ends.
#pragma once

#include "engine/state/editor.hpp"
#include "engine/state/queues_editor.hpp"
#include "engine/types/ids.hpp"
#include "engine/types/time.hpp"

#include <optional>
#include <set>

namespace sluice::engine {

/// Wakes the parked workloads of a tree when quota in it may have become free, and each workload
/// when its back-off ends. Keeps the quota tree fresh for that.
class WakesEditor : private Editor {
  public:
    WakesEditor(State& state, Time now) : Editor(state, now), queues_(state, now) {}

    /// Updates the stale parts of the quota tree, and which of their ClusterQueues are active.
    void refresh();
    /// Sets if heads are taken from the ClusterQueue, after a change of its object, its flavors or
    /// its place in the tree.
    void update_active(NodeIndex cluster_queue);

    /// Moves the parked workloads of the node's whole tree to their heaps, now or at the end of the
    /// wake batch. Does nothing if the node is in a cycle of parents.
    void wake_tree_of(NodeIndex node);
    /// Wakes the trees of the ClusterQueues that use one of the flavors.
    void wake_users_of(const std::set<FlavorIndex>& flavors);
    /// Wakes the users of all flavors that enforce capacity, if pods need less room on nodes than
    /// before: flavors may share nodes, and queues of any tree may use them.
    void wake_for_room();
    /// Wakes the node's tree, and the tree of `left`, the cohort that was its parent before, if
    /// that is another tree.
    void wake_trees_of(NodeIndex node, NodeIndex left);
    /// Wakes parked workloads after a workload ended or uses less quota: those in the tree of
    /// `queued_in`, the ClusterQueue of its LocalQueue, and those in the tree of `freed`, where it
    /// used quota. If `freed` is in another tree, its tree is woken one second later, or after the
    /// wake batch if that is longer. Invalid indices are ignored.
    void wake_for(NodeIndex freed, NodeIndex queued_in);
    /// Wakes the trees whose wake batch has ended.
    void wake_due_trees();

    /// Replaces the end of the back-off by `until`; nullopt removes the back-off.
    void set_back_off(WorkloadIndex workload, BackOff back_off, const std::optional<Time>& until);
    /// Queues the parked workloads whose back-off has ended.
    void end_back_offs();

    /// Moves wake batches and refused admissions after the wall clock was set.
    void step_clock(Duration by);

  private:
    bool is_active(NodeIndex cluster_queue) const;
    void wake_at(NodeIndex root, Time due);
    void wake_now(NodeIndex root);

    QueuesEditor queues_;
};

}  // namespace sluice::engine
