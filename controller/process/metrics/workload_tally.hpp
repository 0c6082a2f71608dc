// Sums over Workloads by queue, updated with each change.
#pragma once

#include "api/kueue/workload.hpp"
#include "controller/reconcilers/queue_status.hpp"
#include "metrics/custom_labels.hpp"
#include "metrics/registry.hpp"
#include "workload/pods/translation_settings.hpp"

#include <cstdint>
#include <functional>
#include <map>
#include <string>
#include <utility>

namespace sluice::controller {

/// Sums over the Workloads of each queue, updated with each change: the cost of a change depends
/// only on its own podSets, not on the number of workloads.
class WorkloadTally {
  public:
    /// Exact sums; see to_amount().
    __extension__ using Sum = __int128;
    struct Amount {
        Sum sum = 0;
        std::int64_t holders = 0;  ///< number of workloads in the sum
    };
    using Amounts = std::map<std::pair<std::string, std::string>, Amount>;  ///< flavor, resource
    /// Number of Workloads by the values of their custom labels; values with 0 workloads are
    /// omitted.
    using Counts = std::map<metrics::Labels, std::int64_t>;
    struct Holders {
        std::int64_t reserving = 0;
        std::int64_t admitted = 0;
        Counts admitted_by_labels;
        Amounts reservation;
        Amounts usage;
    };
    struct OfLocalQueue {
        std::int64_t workloads = 0;
        std::int64_t queueable = 0;  ///< waiting, or would be if the queue were not stopped
        Counts queueable_by_labels;
        std::int64_t finished = 0;
        /// Workloads neither finished nor admitted, by the reason of Admitted=False and, without a
        /// reservation, that of QuotaReserved=False.
        std::map<std::pair<std::string, std::string>, std::int64_t> unadmitted;
        std::map<std::string, Holders> holders;  ///< by the ClusterQueue of their admission
    };

    /// Lifetime: both arguments must outlive this object.
    WorkloadTally(const workload::TranslationGates& gates, const metrics::CustomLabels& custom)
        : gates_(gates), custom_(custom) {}

    /// Returns the values of a Workload's custom labels.
    metrics::Labels labels_of(const api::Workload& workload) const;

    /// Call after a Workload was added (no `before`), deleted (no `after`) or changed.
    void changed(const api::Workload* before, const api::Workload* after);

    /// Returns the sums of the Workloads that name the LocalQueue.
    const OfLocalQueue& of_local_queue(const std::string& ns, const std::string& name) const;
    /// Returns the sums of the Workloads that hold quota of the ClusterQueue.
    const Holders& of_cluster_queue(const std::string& name) const;

  private:
    enum class Direction : std::int8_t { Add = 1, Remove = -1 };
    void count(const api::Workload& workload, Direction direction);

    const workload::TranslationGates& gates_;
    const metrics::CustomLabels& custom_;
    std::map<std::pair<std::string, std::string>, OfLocalQueue> local_queues_;  ///< by ns, name
    std::map<std::string, Holders> cluster_queues_;
};

/// Converts a sum to the scheduler's type for amounts; saturates.
std::int64_t to_amount(WorkloadTally::Sum sum);

}  // namespace sluice::controller
