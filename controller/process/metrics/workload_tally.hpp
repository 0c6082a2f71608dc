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

/// What the Workloads add up to by queue, kept up to date change by change: a change costs what its
/// own podSets cost, however many workloads there are.
class WorkloadTally {
  public:
    /// Workloads that hold quota, and how much. Amounts are exact sums; see to_amount().
    __extension__ using Sum = __int128;
    struct Amount {
        Sum sum = 0;
        std::int64_t holders = 0;  ///< whose sum it is
    };
    using Amounts = std::map<std::pair<std::string, std::string>, Amount>;  ///< flavor, resource
    /// Workloads by the values of their custom labels; none are left out.
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
        std::int64_t queueable = 0;  ///< wait, or would if the queue were not stopped
        Counts queueable_by_labels;
        std::int64_t finished = 0;
        /// Neither finished nor admitted, by the reason of Admitted=False and, without a
        /// reservation, that of QuotaReserved=False.
        std::map<std::pair<std::string, std::string>, std::int64_t> unadmitted;
        std::map<std::string, Holders> holders;  ///< by the ClusterQueue of their admission
    };

    /// Lifetime: both must outlive it.
    WorkloadTally(const workload::TranslationGates& gates, const metrics::CustomLabels& custom)
        : gates_(gates), custom_(custom) {}

    /// The values of a Workload's custom labels.
    metrics::Labels labels_of(const api::Workload& workload) const;

    /// A Workload came (no `before`), went (no `after`) or changed.
    void changed(const api::Workload* before, const api::Workload* after);

    /// Those that name the LocalQueue.
    const OfLocalQueue& of_local_queue(const std::string& ns, const std::string& name) const;
    /// Those that the ClusterQueue gave quota.
    const Holders& of_cluster_queue(const std::string& name) const;

  private:
    enum class Direction : std::int8_t { Add = 1, Remove = -1 };
    void count(const api::Workload& workload, Direction direction);

    const workload::TranslationGates& gates_;
    const metrics::CustomLabels& custom_;
    std::map<std::pair<std::string, std::string>, OfLocalQueue> local_queues_;  ///< by ns, name
    std::map<std::string, Holders> cluster_queues_;
};

/// The sum as the scheduler counts amounts: what is too large is cut off.
std::int64_t to_amount(WorkloadTally::Sum sum);

}  // namespace sluice::controller
