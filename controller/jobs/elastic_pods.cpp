#include "controller/jobs/elastic_pods.hpp"

#include "api/kueue_names.hpp"
#include "controller/jobs/workload_of_job.hpp"
#include "controller/reconcilers/strict_patch.hpp"
#include "controller/reconcilers/workload_status.hpp"

#include <algorithm>
#include <memory>
#include <tuple>

namespace sluice::controller {

namespace {

std::string_view slice_of(const api::ObjectMeta& pod) {
    const std::string_view slice = find_value(pod.annotations, api::annotation::kWorkloadSliceName);
    return slice.empty() ? find_value(pod.annotations, api::annotation::kWorkload) : slice;
}

std::string_view pod_set_of(const api::Pod& pod) {
    return find_value(pod.metadata.labels, api::label::kPodSet);
}

bool is_gate(const api::PodSchedulingGate& gate) {
    return gate.name == api::scheduling_gate::kElasticJob;
}

bool has_gate(const api::Pod& pod) {
    return std::ranges::any_of(pod.spec.scheduling_gates, is_gate);
}

bool has_ended(const api::Pod& pod) {
    return pod.status.phase == "Succeeded" || pod.status.phase == "Failed";
}

/// The job of the row: the owner of its first slice, or of the pod once that is gone.
std::optional<ObjectKey> find_job(
    const Stores& stores, const JobKinds& kinds, const api::ObjectMeta& pod
) {
    const auto slice = stores.of<api::Workload>().find(pod.namespace_, slice_of(pod));
    const api::OwnerReference* owner = slice ? slice->metadata.controller_owner() : nullptr;
    if (owner == nullptr) {
        owner = pod.controller_owner();
    }
    if (owner == nullptr) {
        return std::nullopt;
    }
    const JobKind* kind = kinds.find(kube::group_of(owner->api_version), owner->kind);
    return kind == nullptr ? std::nullopt
                           : std::optional<ObjectKey>({kind->kind(), pod.namespace_, owner->name});
}

/// The newest slice that holds quota. One that is evicted still does, but gives it back.
std::shared_ptr<const api::Workload> find_slice_with_room(
    const Stores& stores, const ObjectKey& job
) {
    std::shared_ptr<const api::Workload> newest;
    const auto age = [](const api::Workload& workload) {
        return std::tie(workload.metadata.creation_timestamp, workload.metadata.uid);
    };
    for (const auto& [name, workload] : workloads_of_owner(stores, job)) {
        if (!is_finished(*workload) && has_quota_reserved(*workload) && !is_evicted(*workload) &&
            (!newest || age(*newest) < age(*workload))) {
            newest = workload;
        }
    }
    return newest && is_admitted(*newest) ? newest : nullptr;
}

Write open_gate(const ObjectKey& key, const api::Pod& pod) {
    json::Array left;
    for (const api::PodSchedulingGate& gate : pod.spec.scheduling_gates) {
        if (!is_gate(gate)) {
            left.push_back(json::Object{{"name", gate.name}});
        }
    }
    const json::Value gates = left.empty() ? json::Value() : json::Value(std::move(left));
    json::Value patch = json::Object{{"spec", json::Object{{"schedulingGates", gates}}}};
    return strict_patch(key, pod.metadata, std::move(patch));
}

}  // namespace

std::vector<std::string> slices_of_pod(const api::Pod& pod) {
    const std::string_view slice = slice_of(pod.metadata);
    if (slice.empty()) {
        return {};
    }
    return {pod.metadata.namespace_ + "/" + std::string(slice)};
}

std::string pods_of_slice(const api::Workload& workload) {
    return workload.metadata.namespace_ + "/" + slice_name(workload);
}

Outcome ungate_pod(const View& view, const JobKinds& kinds, const ObjectKey& key) {
    const auto& pods = view.stores.of<api::Pod>();
    const auto pod = pods.find(key.ns, key.name);
    if (!pod || !has_gate(*pod) || has_ended(*pod) || slice_of(pod->metadata).empty()) {
        return {};
    }
    const auto job = find_job(view.stores, kinds, pod->metadata);
    const auto slice = job ? find_slice_with_room(view.stores, *job) : nullptr;
    if (!slice) {
        return {};
    }
    const auto pod_set =
        std::ranges::find(slice->spec.pod_sets, pod_set_of(*pod), &api::PodSet::name);
    if (pod_set == slice->spec.pod_sets.end()) {
        return {};
    }
    // Those whose gate is open, and those that come before it.
    std::int64_t ahead = 0;
    for (const auto& [name, other] : pods.by_index(kSliceIndex, slices_of_pod(*pod).front())) {
        if (has_ended(*other) || pod_set_of(*other) != pod_set_of(*pod)) {
            continue;
        }
        ahead += !has_gate(*other) || name.name < key.name ? 1 : 0;
    }
    Outcome outcome;
    if (ahead < pod_set->count) {
        outcome.writes.push_back(open_gate(key, *pod));
    }
    return outcome;
}

}  // namespace sluice::controller
