#include "controller/jobs/reconciliation/elastic_pods.hpp"

#include "api/kueue/kueue_names.hpp"
#include "controller/jobs/job/pod_job.hpp"
#include "controller/jobs/members/pod_state.hpp"
#include "controller/jobs/reconciliation/workload_of_job.hpp"
#include "controller/reconcile/owned_workloads.hpp"
#include "controller/reconcile/strict_patch.hpp"
#include "controller/reconcile/workload_status.hpp"

#include <algorithm>
#include <map>
#include <memory>

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
    return gate.name == api::scheduling_gate::kElasticJob ||
           gate.name == api::scheduling_gate::kTopology;
}

/// Returns the name of the first gate that is opened here; "" if the pod has none.
std::string find_gate(const api::Pod& pod) {
    const auto gate = std::ranges::find_if(pod.spec.scheduling_gates, is_gate);
    return gate == pod.spec.scheduling_gates.end() ? "" : gate->name;
}

/// Returns the job of the pod's slices: the owner of the first slice, or of the pod if that slice
/// is gone.
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

/// Returns the newest admitted slice. An evicted slice does not count: it gives its quota back.
std::shared_ptr<const api::Workload> find_slice_with_room(
    const Stores& stores, const ObjectKey& job
) {
    return find_newest(
        workloads_of_owner(stores, job),
        SameAge::LastUid,
        [](const api::Workload& workload) {
            return !is_finished(workload) && is_admitted(workload) && !is_evicted(workload);
        }
    );
}

/// Returns the node labels that the checks of the slice chose for a pod set.
api::StringMap chosen_nodes(const api::Workload& slice, std::string_view pod_set) {
    api::StringMap labels;
    for (const api::AdmissionCheckState& check : slice.status.admission_checks) {
        for (const api::PodSetUpdate& update : check.pod_set_updates) {
            if (update.name == pod_set) {
                labels.insert(update.node_selector.begin(), update.node_selector.end());
            }
        }
    }
    return labels;
}

/// Requires: the slice is admitted.
Duration since_admission(const api::Workload& slice, Time now) {
    const api::Condition* admitted = find_condition(slice, api::condition::kAdmitted);
    return std::max(Duration{}, now - admitted->last_transition_time.value_or(now));
}

bool contradicts(const api::Pod& pod, const api::StringMap& nodes) {
    return std::ranges::any_of(nodes, [&](const auto& entry) {
        const auto found = pod.spec.node_selector.find(entry.first);
        return found != pod.spec.node_selector.end() && found->second != entry.second;
    });
}

Write open_gate(const ObjectKey& key, const api::Pod& pod, const api::StringMap& nodes) {
    json::Array left;
    for (const api::PodSchedulingGate& gate : pod.spec.scheduling_gates) {
        if (!is_gate(gate)) {
            left.push_back(json::Object{{"name", gate.name}});
        }
    }
    json::Value spec = json::Object{};
    spec.set("schedulingGates", left.empty() ? json::Value() : json::Value(std::move(left)));
    json::Value selector = json::Object{};
    for (const auto& [label, value] : nodes) {
        selector.set(label, value);
    }
    if (!nodes.empty()) {
        spec.set("nodeSelector", std::move(selector));
    }
    return strict_patch(key, pod.metadata, json::Object{{"spec", std::move(spec)}});
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

namespace {

/// Stops the job if a user ungated pods for which its slice has no room. A job that asks for no
/// more pods than the slice has is not checked: while it shrinks, its controller still deletes
/// pods.
std::optional<Outcome> stop_overrun(
    const View& view,
    const JobKinds& kinds,
    const ObjectKey& key,
    const api::Workload& slice,
    const kube::Store<api::Pod>::Objects& row,
    Time now
) {
    const JobKind* kind = kinds.find(key.kind.group(), key.kind.name());
    const auto job = kind == nullptr
                         ? nullptr
                         : kind->find_at(view.stores, view.settings, {key.ns, key.name}, now);
    const auto wanted = job ? job->pod_sets() : Result<std::vector<api::PodSet>>(Error{});
    if (!wanted || job->is_suspended()) {
        return std::nullopt;
    }
    const auto has_overrun = [&](const api::PodSet& pod_set) {
        const auto asked = std::ranges::find(*wanted, pod_set.name, &api::PodSet::name);
        const auto started = std::ranges::count_if(row, [&](const auto& entry) {
            const api::Pod& pod = *entry.second;
            return pod_set_of(pod) == pod_set.name && !has_ended(pod) && find_gate(pod).empty() &&
                   !pod.metadata.deletion_timestamp;
        });
        return asked != wanted->end() && asked->count > pod_set.count && started > pod_set.count;
    };
    if (std::ranges::none_of(slice.spec.pod_sets, has_overrun)) {
        return std::nullopt;
    }
    constexpr const char* kMessage = "More pods were started than the workload slice has";
    StopStep step =
        next_stop_step(*job, {.reason = api::reason::kNotAdmitted, .message = kMessage}, &slice);
    Outcome outcome;
    outcome.writes = std::move(step.writes);
    if (!outcome.writes.empty()) {
        outcome.writes.front().events.push_back(
            job_event(*kind, job->metadata(), api::reason::kStopped, kMessage)
        );
    }
    return outcome;
}

}  // namespace

Outcome ungate_row(const View& view, const JobKinds& kinds, const ObjectKey& first, Time now) {
    Outcome outcome;
    outcome.are_independent = true;
    const auto& pods = view.stores.of<api::Pod>();
    const auto pod = pods.find(first.ns, first.name);
    if (!pod || slice_of(pod->metadata).empty()) {
        return outcome;
    }
    const auto job = find_job(view.stores, kinds, pod->metadata);
    if (!job) {
        return outcome;
    }
    const auto slice = find_slice_with_room(view.stores, *job);
    if (!slice) {
        return outcome;
    }
    const Observation seen{
        .kind = Observation::Kind::GateOpened,
        .cluster_queue = slice->status.admission.value_or(api::Admission{}).cluster_queue,
        .since_admitted = since_admission(*slice, now),
    };
    const auto& row = pods.by_index(kSliceIndex, slices_of_pod(*pod).front());
    if (auto stopping = stop_overrun(view, kinds, *job, *slice, row, now)) {
        return std::move(*stopping);
    }
    std::map<std::string_view, std::int64_t> room;  // by pod set
    std::map<std::string_view, api::StringMap> nodes;
    for (const api::PodSet& pod_set : slice->spec.pod_sets) {
        room[pod_set.name] = pod_set.count;
        nodes[pod_set.name] = chosen_nodes(*slice, pod_set.name);
    }
    for (const auto& [name, each] : row) {
        const auto left = room.find(pod_set_of(*each));
        if (left != room.end() && !has_ended(*each) && find_gate(*each).empty()) {
            --left->second;
        }
    }
    for (const auto& [name, each] : row) {
        const auto left = room.find(pod_set_of(*each));
        if (left == room.end() || left->second <= 0 || has_ended(*each) ||
            find_gate(*each).empty() || contradicts(*each, nodes[left->first])) {
            continue;
        }
        --left->second;
        const ObjectKey key{kind_of<api::Pod>(), name.namespace_, name.name};
        outcome.writes.push_back(open_gate(key, *each, nodes[left->first]));
        outcome.writes.back().observations.push_back(seen);
        outcome.writes.back().observations.back().reason = find_gate(*each);
    }
    return outcome;
}

}  // namespace sluice::controller
