#include "controller/jobs/pod/pod_size.hpp"

#include "workload/requests.hpp"

#include <algorithm>

namespace sluice::controller {

bool asks_for_more(const api::PodSpec& pod, const api::PodSpec& than) {
    const auto requests_of = [](const api::PodSpec& spec) {
        return workload::pod_requests(workload::make_pod_resources(spec, nullptr, {}));
    };
    const api::ResourceList limit = requests_of(than);
    return std::ranges::any_of(requests_of(pod), [&limit](const auto& request) {
        const auto found = limit.find(request.first);
        return request.second > (found == limit.end() ? api::Quantity() : found->second);
    });
}

}  // namespace sluice::controller
