// Applies events of flavors, nodes, cohorts, ClusterQueues, LocalQueues, pod shapes and time.
#pragma once

#include "engine/quota/quota_tree.hpp"
#include "engine/state/cluster_queue_record.hpp"
#include "engine/state/editor.hpp"
#include "engine/state/holders_editor.hpp"
#include "engine/state/ledgers_editor.hpp"
#include "engine/state/names_editor.hpp"
#include "engine/state/queues_editor.hpp"
#include "engine/state/topologies_editor.hpp"
#include "engine/state/wakes_editor.hpp"
#include "engine/types/event.hpp"
#include "engine/types/ids.hpp"
#include "engine/types/objects.hpp"

#include <set>
#include <vector>

namespace sluice::engine {

/// Applies the events of objects that quota and queues come from, and of time: one function for
/// each event, which apply() (engine.hpp) calls.
class ObjectsEditor : private Editor {
  public:
    ObjectsEditor(State& state, Time now)
        : Editor(state, now),
          names_(state, now),
          queues_(state, now),
          wakes_(state, now),
          ledgers_(state, now),
          holders_(state, now),
          topologies_(state, now) {}

    void on(const FlavorChanged& event);
    void on(const FlavorDeleted& event);
    void on(const CohortChanged& event);
    void on(const CohortDeleted& event);
    void on(const ClusterQueueChanged& event);
    void on(const ClusterQueueDeleted& event);
    void on(const LocalQueueChanged& event);
    void on(const LocalQueueDeleted& event);
    void on(const NodeChanged& event);
    void on(const NodeDeleted& event);
    void on(const PodShapeChanged& event);
    void on(const PodShapeDeleted& event);
    void on(const TimerFired& event);

  private:
    void resolve_groups(ClusterQueueRecord& of, const std::vector<ResourceGroup>& groups);
    std::vector<DeclaredQuota> declared_quotas(const std::vector<ResourceGroup>& groups);
    NodeIndex declared_parent(NodeIndex node) const;
    void move_to_cluster_queue(LocalQueueIndex index, NodeIndex cluster_queue);

    NamesEditor names_;
    QueuesEditor queues_;
    WakesEditor wakes_;
    LedgersEditor ledgers_;
    HoldersEditor holders_;
    TopologiesEditor topologies_;
};

}  // namespace sluice::engine
