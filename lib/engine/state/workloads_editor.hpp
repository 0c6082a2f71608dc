// Applies events of workloads, and of the writes that decisions made of them.
#pragma once

#include "base/cow.hpp"
#include "engine/names/pod_sets.hpp"
#include "engine/state/editor.hpp"
#include "engine/state/holders_editor.hpp"
#include "engine/state/names_editor.hpp"
#include "engine/state/queues_editor.hpp"
#include "engine/state/wakes_editor.hpp"
#include "engine/state/workload_record.hpp"
#include "engine/types/event.hpp"
#include "engine/types/ids.hpp"
#include "engine/types/objects.hpp"

#include <cstdint>
#include <string_view>

namespace sluice::engine {

/// Applies the events of workloads: one function for each event, which apply() (engine.hpp) calls.
class WorkloadsEditor : private Editor {
  public:
    WorkloadsEditor(State& state, Time now)
        : Editor(state, now),
          names_(state, now),
          queues_(state, now),
          wakes_(state, now),
          holders_(state, now) {}

    void on(const WorkloadChanged& event);
    void on(const WorkloadDeleted& event);
    void on(const WorkloadPodsChanged& event);
    void on(const AdmissionWritten& event);
    void on(const AdmissionFailed& event);
    void on(const PreemptionFailed& event);

  private:
    WorkloadIndex add(std::string_view key, std::string_view uid);
    /// Makes the record empty so that another workload can use it.
    void clear_record(WorkloadIndex workload);
    void move_to_local_queue(WorkloadIndex index, LocalQueueIndex local_queue);
    /// Takes the workload out of its queue and copies the fields that pending workloads and holders
    /// have in common.
    void take_fields(WorkloadIndex index, const Workload& workload);
    void update_holder(
        WorkloadIndex index, const Workload& workload, const QuotaReservation& reservation
    );
    void update_pending(WorkloadIndex index, const Workload& workload);
    CowPtr<Holding> make_holding(const Workload& workload, const QuotaReservation& reservation);
    /// Returns null if the workload has neither a topology nor needs a second pass.
    CowPtr<HeldPlacement> make_placement(
        const Workload& workload, const QuotaReservation& reservation
    );
    std::uint64_t class_of(const Workload& workload) const;
    /// Copies the podSets into the record. Returns true if they differ from the former ones.
    bool take_pod_sets(WorkloadRecord& record, const Workload& workload);
    void release_pod_sets(PodSets& pod_sets);
    template <class PodSetRecords>
    void release_resources_of(const PodSetRecords& pod_sets);

    NamesEditor names_;
    QueuesEditor queues_;
    WakesEditor wakes_;
    HoldersEditor holders_;
};

}  // namespace sluice::engine
