// Records the usage of LocalQueues for admission fair sharing (KEP-4136).
#pragma once

#include "engine/state/editor.hpp"
#include "engine/state/queues_editor.hpp"
#include "engine/state/usage_ledger.hpp"
#include "engine/types/amount.hpp"
#include "engine/types/ids.hpp"
#include "engine/types/objects.hpp"
#include "engine/types/time.hpp"
#include "engine/types/usages.hpp"

namespace sluice::engine {

/// Keeps the ledger of each LocalQueue, and the order of ClusterQueues that serve first the
/// LocalQueue that has used least. Without admission fair sharing, nothing is recorded.
class LedgersEditor : private Editor {
  public:
    LedgersEditor(State& state, Time now) : Editor(state, now), queues_(state, now) {}

    /// Begins the ledger of a LocalQueue with the consumption that its status reports. Does nothing
    /// if the ledger has begun.
    void begin(LocalQueueIndex local_queue, const ConsumedResources& consumed);
    /// Ends the ledger of a LocalQueue.
    void end(LocalQueueIndex local_queue);
    /// Recomputes the usage by which the LocalQueue is ordered, and reorders its ClusterQueue if it
    /// changed.
    void update(LocalQueueIndex local_queue);
    /// Samples the usage of the LocalQueues whose sampling interval has ended.
    void sample();

    /// Adds the usage of a holder to the admitted usage of its LocalQueue. Does nothing if the
    /// holder is not Admitted, or holds quota of another ClusterQueue.
    void count(WorkloadIndex holder);
    /// Subtracts what count() added. Requires: the holder has not changed since.
    void stop_counting(WorkloadIndex holder);
    /// Recomputes the admitted usage after the LocalQueue moved to another ClusterQueue.
    void recount(LocalQueueIndex local_queue);

    /// Charges the LocalQueue at once for an assumed admission of the workload.
    void charge(WorkloadIndex workload);
    /// Adds the charge to the consumption: the workload is Admitted.
    void consume(WorkloadIndex workload);
    /// Removes the charge: the admission failed or ended.
    void drop(WorkloadIndex workload);

    /// Moves ledgers and their samples after the wall clock was set.
    void step_clock(Duration by);

  private:
    LocalQueueRecord& local_queue_record(LocalQueueIndex index) {
        return data_.local_queues.write(index.at());
    }
    /// Recomputes the usage by which the LocalQueue is ordered. Returns true if it changed, so that
    /// the caller has to reorder the ClusterQueue.
    bool set_fair_usage(LocalQueueIndex index);
    /// Returns the admitted usage of the holder's LocalQueue; nullptr if the holder does not count
    /// there.
    Usages* admitted_usage_for(WorkloadIndex holder);
    ResourceAmounts admitted_of(const LocalQueueRecord& local_queue) const;
    Billionths to_billionths(ResourceIndex resource, Amount amount) const;

    QueuesEditor queues_;
};

}  // namespace sluice::engine
