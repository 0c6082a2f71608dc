#include "metrics/kueue_metrics.hpp"

#include <algorithm>
#include <iterator>
#include <utility>

namespace sluice::metrics {

KueueMetrics::KueueMetrics(Registry& registry, const CustomLabels& custom)
    : registry_(registry), custom_(custom) {}

KueueMetrics::Names KueueMetrics::with_workload(Names names) const {
    std::ranges::copy(custom_.names(LabelSource::Workload), std::back_inserter(names));
    return names;
}

KueueMetrics::Names KueueMetrics::with_local_queue(Names names) const {
    std::ranges::copy(custom_.names(LabelSource::LocalQueue), std::back_inserter(names));
    return names;
}

void KueueMetrics::remove_cluster_queue(const std::string& name) {
    registry_.remove("kueue_", {{"cluster_queue", name}});
    registry_.remove("kueue_", {{"preempting_cluster_queue", name}});
}

void KueueMetrics::remove_local_queue(const std::string& ns, const std::string& name) {
    registry_.remove("kueue_local_queue_", {{"name", name}, {"namespace", ns}});
}

void KueueMetrics::remove_cohort(const std::string& name) {
    registry_.remove("kueue_cohort_", {{"cohort", name}});
}

void KueueMetrics::remove_gauges_of_cluster_queue(const std::string& name) {
    registry_.remove_gauges(LabelSource::ClusterQueue, {{"cluster_queue", name}});
}

void KueueMetrics::remove_gauges_of_local_queue(const std::string& ns, const std::string& name) {
    registry_.remove_gauges(LabelSource::LocalQueue, {{"name", name}, {"namespace", ns}});
}

void KueueMetrics::remove_gauges_of_cohort(const std::string& name) {
    registry_.remove_gauges(LabelSource::Cohort, {{"cohort", name}});
}

}  // namespace sluice::metrics
