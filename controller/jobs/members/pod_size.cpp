#include "controller/jobs/members/pod_size.hpp"

#include "controller/jobs/members/group_pods.hpp"
#include "workload/pods/requests.hpp"

#include <algorithm>

namespace sluice::controller {

namespace {

bool exceeds(const api::ResourceList& requests, const api::ResourceList& limit) {
    return std::ranges::any_of(requests, [&limit](const auto& request) {
        const auto found = limit.find(request.first);
        return request.second > (found == limit.end() ? api::Quantity() : found->second);
    });
}

api::ResourceList requests_of(const api::PodSpec& spec) {
    return api::pod_requests(api::effective_resources(spec));
}

}  // namespace

api::ResourceList counted_requests(
    const Stores& stores, const std::string& ns, const api::PodSpec& pod_template
) {
    workload::LimitRangeSummary limits;
    for (const auto& [name, range] : stores.of<api::LimitRange>().all()) {
        if (name.namespace_ == ns) {
            limits.add(*range);
        }
    }
    const auto runtime = pod_template.runtime_class_name.empty()
                             ? nullptr
                             : stores.of<api::RuntimeClass>().find(pod_template.runtime_class_name);
    const api::ResourceList* overhead = nullptr;
    if (runtime) {
        const auto& of_runtime = runtime->overhead;
        overhead = of_runtime ? &of_runtime->pod_fixed : nullptr;
    }
    return workload::pod_requests(workload::make_pod_resources(pod_template, overhead, limits));
}

bool asks_for_more(const api::PodSpec& pod, const api::PodSpec& than) {
    return exceeds(requests_of(pod), requests_of(than));
}

bool outgrows(
    const Stores& stores,
    const api::Pod& pod,
    const api::Workload& workload,
    const api::PodSet& pod_set
) {
    const api::PodSpec& counted = pod_set.template_->spec;
    return asks_for_more(pod.spec, counted) &&
           exceeds(
               requests_of(pod.spec), counted_requests(stores, pod.metadata.namespace_, counted)
           ) &&
           !is_made_by_owner_of(stores, pod, workload);
}

}  // namespace sluice::controller
