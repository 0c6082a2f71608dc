#include "workload/capacity/placed_pods.hpp"

#include "api/core/effective_requests.hpp"
#include "api/kueue/kueue_names.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <array>

namespace sluice::workload {
namespace {

std::string exact_key(const std::string& ns, const std::string& workload, const std::string& set) {
    return fmt::format("{}/{}/{}", ns, workload, set);
}

std::string like_key(const std::string& ns, const std::string& queue, const Amounts& request) {
    std::string key = fmt::format("{} {}", ns, queue);
    for (const auto& [resource, amount] : request) {
        key += fmt::format(" {}={}", resource, amount.value());
    }
    return key;
}

std::string pod_key(const api::Pod& pod, const Amounts& request) {
    const auto& ns = pod.metadata.namespace_;
    // The pods of an elastic job stay when another slice takes its place.
    const auto* workload = pod.metadata.find_annotation(api::annotation::kWorkloadSliceName);
    if (workload == nullptr) {
        workload = pod.metadata.find_annotation(api::annotation::kWorkload);
    }
    const auto* pod_set = pod.metadata.find_label(api::label::kPodSet);
    if (workload != nullptr && pod_set != nullptr) {
        return exact_key(ns, *workload, *pod_set);
    }
    const auto* queue = pod.metadata.find_label(api::label::kClusterQueueName);
    return like_key(ns, queue == nullptr ? "" : *queue, request);
}

bool is_over(const api::Pod& pod) {
    return pod.status.phase == "Succeeded" || pod.status.phase == "Failed";
}

bool is_of_daemon_set(const api::Pod& pod) {
    const auto* owner = pod.metadata.controller_owner();
    return owner != nullptr && owner->kind == "DaemonSet";
}

}  // namespace

bool is_in_quota(const api::Pod& pod) {
    constexpr std::array kMarks{
        api::label::kClusterQueueName, api::label::kPodSet, api::label::kManaged
    };
    return pod.metadata.find_annotation(api::annotation::kWorkload) != nullptr ||
           std::ranges::any_of(kMarks, [&pod](const char* mark) {
               return pod.metadata.find_label(mark) != nullptr;
           });
}

std::int64_t admitted_pods(const api::PodSet& pod_set, const api::PodSetAssignment& assignment) {
    return std::min(assignment.count.value_or(pod_set.count), pod_set.count);
}

Amounts node_amounts(const api::PodSpec& pod) {
    Amounts made = to_amounts(api::pod_requests(api::effective_resources(pod)));
    made["pods"] = engine::Amount(1);
    return made;
}

PlacedPods::PlacedPods(const std::vector<const api::Pod*>& pods, ClusterNodes& nodes) {
    for (const auto* pod : pods) {
        NodeRoom* room = nodes.find(pod->spec.node_name);
        if (room == nullptr || is_over(*pod)) {
            continue;
        }
        const Amounts request = node_amounts(pod->spec);
        if (is_in_quota(*pod)) {
            add_amounts(room->ours, request);
            ++by_key_[pod_key(*pod, request)][pod->spec.node_name];
            continue;
        }
        add_amounts(room->foreign, request);
        if (is_of_daemon_set(*pod)) {
            add_amounts(room->daemons, request);
        }
    }
}

std::map<std::string, std::int64_t> PlacedPods::take(
    const api::Workload& workload,
    const std::string& pod_set,
    const Amounts& request,
    std::int64_t count
) {
    const auto& ns = workload.metadata.namespace_;
    const std::string& queue =
        workload.status.admission ? workload.status.admission->cluster_queue : std::string();
    std::map<std::string, std::int64_t> taken;
    const auto* slice = workload.metadata.find_annotation(api::annotation::kWorkloadSliceName);
    for (const std::string& key :
         {exact_key(ns, slice == nullptr ? workload.metadata.name : *slice, pod_set),
          exact_key(ns, workload.metadata.name, pod_set),
          like_key(ns, queue, request),
          like_key(ns, "", request)}) {
        const auto at = by_key_.find(key);
        if (at == by_key_.end()) {
            continue;
        }
        for (auto& [node, pods] : at->second) {
            const std::int64_t some = std::min(pods, count);
            pods -= some;
            count -= some;
            if (some > 0) {
                taken[node] += some;
            }
        }
    }
    return taken;
}

}  // namespace sluice::workload
