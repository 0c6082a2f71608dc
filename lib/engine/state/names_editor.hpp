// Gives names indices, and ends names that nothing uses.
#pragma once

#include "engine/state/editor.hpp"
#include "engine/types/ids.hpp"
#include "engine/types/objects.hpp"
#include "engine/types/time.hpp"

#include <string_view>
#include <utility>
#include <vector>

namespace sluice::engine {

/// Gives each name an index, and ends the names that users invent with their last use.
class NamesEditor : private Editor {
  public:
    NamesEditor(State& state, Time now) : Editor(state, now) {}

    /// Returns the index of the flavor; a new name gets one. Names of flavors are never erased.
    FlavorIndex intern_flavor(std::string_view name);
    /// Returns the index of the resource and counts one use of it. The index stays valid until
    /// release_resource() was called once for each use.
    ResourceIndex use_resource(std::string_view name);
    /// Counts one use of the resource less, and erases its name with the last.
    void release_resource(ResourceIndex resource);
    /// Returns the index of the flavor-resource; a new pair gets one.
    FlavorResourceIndex intern_pair(std::string_view flavor, std::string_view resource);

    /// Returns the node of the ClusterQueue; a new name gets one.
    NodeIndex intern_cluster_queue(std::string_view name);
    /// Returns the node of the cohort; a new name gets one.
    NodeIndex intern_cohort(std::string_view name);

    /// Returns the index of the LocalQueue `namespace/name`; a new name gets one.
    LocalQueueIndex intern_local_queue(std::string_view key);
    /// Erases the record and the name, unless the LocalQueue has an object or workloads name it.
    void end_local_queue(LocalQueueIndex index);

    /// Ends the ClusterQueues and cohorts that have neither an object nor anything that names them:
    /// a LocalQueue, a holder, a child, or a wake-up that is due. Waits until the tree is fresh,
    /// because a stale tree does not know all children.
    void end_unused_nodes() {
        if (!data_.nodes_to_check.empty() && !data_.tree.is_stale()) [[unlikely]] {
            end_unused_of(std::exchange(data_.nodes_to_check, {}));
        }
    }

  private:
    void add_records();
    bool is_used(NodeIndex node) const;
    void end_unused_of(std::vector<NodeIndex> nodes);
};

}  // namespace sluice::engine
