#include "controller/reconcile/pod_rows.hpp"

#include "api/kueue/kueue_names.hpp"
#include "controller/reconcile/workload_status.hpp"

#include <algorithm>

namespace sluice::controller {

namespace {

constexpr std::string_view kRowPrefix = "row/";

}  // namespace

std::vector<std::string> slices_of_pod(const api::Pod& pod) {
    std::string_view slice =
        find_value(pod.metadata.annotations, api::annotation::kWorkloadSliceName);
    if (slice.empty()) {
        slice = find_value(pod.metadata.annotations, api::annotation::kWorkload);
    }
    if (slice.empty()) {
        return {};
    }
    return {pod.metadata.namespace_ + "/" + std::string(slice)};
}

std::string pods_of_slice(const api::Workload& workload) {
    return workload.metadata.namespace_ + "/" + slice_name(workload);
}

ObjectKey pod_row_key(std::string_view slice) {
    const std::size_t end = slice.find('/');
    return {
        kind_of<api::Pod>(),
        std::string(slice.substr(0, end)),
        std::string(kRowPrefix) + std::string(slice.substr(end + 1))
    };
}

std::string_view row_in_name(std::string_view name) {
    return name.starts_with(kRowPrefix) ? name.substr(kRowPrefix.size()) : std::string_view();
}

void visit_pod_row(
    const Stores& stores,
    const api::Workload& workload,
    const std::function<void(const ObjectKey&)>& visit
) {
    if (stores.find(kind_of<api::Pod>()) != nullptr) {
        visit(pod_row_key(pods_of_slice(workload)));
    }
}

bool has_gated_pods(const api::Workload& workload, bool with_elastic_jobs) {
    if (with_elastic_jobs &&
        workload.metadata.find_annotation(api::annotation::kElasticJob) != nullptr) {
        return true;
    }
    const auto& admission = workload.status.admission;
    return admission && std::ranges::any_of(
                            admission->pod_set_assignments,
                            [](const api::PodSetAssignment& assignment) {
                                return assignment.topology_assignment.has_value();
                            }
                        );
}

}  // namespace sluice::controller
