#include "controller/jobs/reconciliation/pod_row.hpp"

#include "api/kueue/kueue_names.hpp"
#include "api/kueue/topology_assignment.hpp"
#include "controller/jobs/job/pod_job.hpp"
#include "controller/jobs/members/pod_state.hpp"
#include "controller/jobs/reconciliation/pod_places.hpp"
#include "controller/jobs/reconciliation/shrunk_assignment.hpp"
#include "controller/jobs/reconciliation/stray_pods.hpp"
#include "controller/jobs/reconciliation/workload_of_job.hpp"
#include "controller/reconcile/owned_workloads.hpp"
#include "controller/reconcile/pod_rows.hpp"
#include "controller/reconcile/strict_patch.hpp"
#include "controller/reconcile/workload_status.hpp"

#include <algorithm>
#include <iterator>
#include <map>
#include <memory>
#include <set>

namespace sluice::controller {

namespace {

namespace gate = api::scheduling_gate;

std::string_view pod_set_of(const api::Pod& pod) {
    return find_value(pod.metadata.labels, api::label::kPodSet);
}

bool belongs_to_elastic_job(const View& view, const api::ObjectMeta& metadata) {
    return view.settings.elastic_jobs &&
           metadata.find_annotation(api::annotation::kElasticJob) != nullptr;
}

bool has_room(const api::Workload& workload) {
    return !is_finished(workload) && is_admitted(workload) && !is_evicted(workload);
}

/// Returns the job of the pod's slices: the owner of the first slice, or of the pod if that slice
/// is gone.
std::optional<ObjectKey> find_job(
    const Stores& stores,
    const JobKinds& kinds,
    const api::ObjectMeta& pod,
    std::string_view slice_name
) {
    const auto slice = stores.of<api::Workload>().find(pod.namespace_, slice_name);
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
    return find_newest(workloads_of_owner(stores, job), SameAge::LastUid, has_room);
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

/// The changes of one pod.
struct Opening {
    std::set<std::string> gates;
    api::StringMap nodes;
};

Write ungate(const api::Pod& pod, const Opening& opening) {
    json::Array left;
    for (const api::PodSchedulingGate& each : pod.spec.scheduling_gates) {
        if (!opening.gates.contains(each.name)) {
            left.push_back(json::Object{{"name", each.name}});
        }
    }
    json::Value spec = json::Object{};
    spec.set("schedulingGates", left.empty() ? json::Value() : json::Value(std::move(left)));
    json::Value selector = json::Object{};
    for (const auto& [label, value] : opening.nodes) {
        selector.set(label, value);
    }
    if (!opening.nodes.empty()) {
        spec.set("nodeSelector", std::move(selector));
    }
    return strict_patch(key_of(pod), pod.metadata, json::Object{{"spec", std::move(spec)}});
}

/// Stops the job if a user ungated pods for which its slice has no room. A job that asks for no
/// more pods than the slice has is not checked: while it shrinks, its controller still deletes
/// pods.
std::optional<Outcome> stop_overrun(
    const View& view,
    const JobKinds& kinds,
    const ObjectKey& key,
    const api::Workload& slice,
    const Pods& row,
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
        const auto started = std::ranges::count_if(row, [&](const auto& each) {
            const api::Pod& pod = *each;
            return pod_set_of(pod) == pod_set.name && !has_ended(pod) &&
                   !has_scheduling_gate(pod, gate::kElasticJob) && !pod.metadata.deletion_timestamp;
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

/// The Workload whose admission the pods of a row share.
struct RowWorkload {
    std::shared_ptr<const api::Workload> workload;  ///< nullptr if no pod may be ungated
    std::optional<ObjectKey> elastic_job;
};

/// Returns the Workload of that name or, for a chain of slices, the newest one of its job.
RowWorkload find_workload(
    const View& view, const JobKinds& kinds, const api::Pod& pod, std::string_view slice
) {
    const auto named = view.stores.of<api::Workload>().find(pod.metadata.namespace_, slice);
    const bool is_chain =
        named ? belongs_to_elastic_job(view, named->metadata)
              : !find_value(pod.metadata.annotations, api::annotation::kWorkloadSliceName).empty();
    if (!is_chain) {
        return {.workload = named && has_room(*named) ? named : nullptr, .elastic_job = {}};
    }
    auto job = find_job(view.stores, kinds, pod.metadata, slice);
    if (!job) {
        return {};
    }
    return {.workload = find_slice_with_room(view.stores, *job), .elastic_job = std::move(job)};
}

/// Adds the gates and node selectors of the pods that have a domain.
void add_domains(
    const api::Workload& workload,
    const api::PodSetAssignment& assignment,
    const api::DomainAssignment& domains,
    const Pods& pods,
    std::map<const api::Pod*, Opening>& openings
) {
    for (const PlacedPod& placed : place_pods(workload, assignment, domains, pods)) {
        const auto& values = domains.domains[placed.domain].values;
        const bool is_unhealthy = std::ranges::any_of(
            workload.status.unhealthy_nodes,
            [&values](const api::UnhealthyNode& node) { return node.name == values.back(); }
        );
        if (is_unhealthy) {
            continue;
        }
        Opening& opening = openings[placed.pod];
        opening.gates.insert(gate::kTopology);
        for (std::size_t i = 0; i < values.size(); ++i) {
            opening.nodes[domains.levels[i]] = values[i];
        }
    }
}

/// Opens as many gates of an elastic job as the pod set has room for. Without a domain of its own,
/// a pod loses the topology gate with it: its job was started with a topology before.
void add_elastic(
    const api::PodSet& pod_set,
    bool has_domains,
    const Pods& pods,
    std::map<const api::Pod*, Opening>& openings
) {
    const auto is_held = [has_domains](const api::Pod& pod) {
        return has_scheduling_gate(pod, gate::kElasticJob) ||
               (!has_domains && has_scheduling_gate(pod, gate::kTopology));
    };
    std::int64_t room = pod_set.count;
    for (const auto& pod : pods) {
        room -= is_held(*pod) ? 0 : 1;
    }
    for (const auto& pod : pods) {
        if (room > 0 && is_held(*pod)) {
            --room;
            Opening& opening = openings[pod.get()];
            opening.gates.insert(gate::kElasticJob);
            if (!has_domains) {
                opening.gates.insert(gate::kTopology);
            }
        }
    }
}

/// Returns the pods whose gates may be removed now, those of each pod set in the order of their
/// names.
std::map<const api::Pod*, Opening> find_openings(const api::Workload& workload, const Pods& row) {
    std::map<const api::Pod*, Opening> openings;
    const api::Admission admission = workload.status.admission.value_or(api::Admission{});
    for (const api::PodSet& pod_set : workload.spec.pod_sets) {
        Pods pods;
        std::ranges::copy_if(row, std::back_inserter(pods), [&pod_set](const auto& pod) {
            return pod_set_of(*pod) == pod_set.name && !has_ended(*pod);
        });
        const auto assignment = std::ranges::find(
            admission.pod_set_assignments, pod_set.name, &api::PodSetAssignment::name
        );
        const bool is_assigned = assignment != admission.pod_set_assignments.end();
        const auto topology = is_assigned ? assignment->topology_assignment : std::nullopt;
        const bool has_domains = topology.has_value();
        if (topology) {
            add_domains(workload, *assignment, api::decode(*topology), pods, openings);
        }
        add_elastic(pod_set, has_domains, pods, openings);
    }
    return openings;
}

/// Appends one write for each pod that can be ungated.
void append_openings(const api::Workload& workload, const Pods& row, Time now, Outcome& outcome) {
    auto openings = find_openings(workload, row);
    for (const auto& pod : row) {
        const auto found = openings.find(pod.get());
        if (found == openings.end()) {
            continue;
        }
        const api::StringMap chosen = chosen_nodes(workload, pod_set_of(*pod));
        found->second.nodes.insert(chosen.begin(), chosen.end());
        if (contradicts(*pod, found->second.nodes)) {
            continue;
        }
        Write write = ungate(*pod, found->second);
        for (const std::string& name : found->second.gates) {
            if (has_scheduling_gate(*pod, name)) {
                write.observations.push_back({
                    .kind = Observation::Kind::GateOpened,
                    .cluster_queue =
                        workload.status.admission.value_or(api::Admission{}).cluster_queue,
                    .reason = name,
                    .is_group = pod->metadata.find_label(api::label::kPodGroupName) != nullptr,
                    .since_admitted = since_admission(workload, now),
                });
            }
        }
        outcome.writes.push_back(std::move(write));
    }
}

}  // namespace

Outcome reconcile_pod_row(const View& view, const JobKinds& kinds, const ObjectKey& key, Time now) {
    Outcome outcome;
    outcome.are_independent = true;
    const std::string slice(row_in_name(key.name));
    Pods row;
    for (const auto& [name, pod] :
         view.stores.of<api::Pod>().by_index(kSliceIndex, key.ns + "/" + slice)) {
        row.push_back(pod);
    }
    if (row.empty()) {
        return outcome;
    }
    const auto found = find_workload(view, kinds, *row.front(), slice);
    if (found.elastic_job && found.workload) {
        auto stopping = stop_overrun(view, kinds, *found.elastic_job, *found.workload, row, now);
        if (stopping) {
            return std::move(*stopping);
        }
    }
    const auto waits_for_topology = [](const auto& pod) {
        return has_scheduling_gate(*pod, gate::kTopology);
    };
    if (found.workload && has_room(*found.workload)) {
        if (auto admission = without_left_domains(view, *found.workload, row)) {
            api::Workload changed = *found.workload;
            changed.status.admission = *std::move(admission);
            outcome.writes.push_back(status_write(changed));
        }
    }
    if (found.workload && (has_gated_pods(*found.workload, view.settings.elastic_jobs) ||
                           std::ranges::any_of(row, waits_for_topology))) {
        append_openings(*found.workload, row, now, outcome);
    }
    const auto shared = found.workload || found.elastic_job
                            ? found.workload
                            : view.stores.of<api::Workload>().find(key.ns, slice);
    if (shared) {
        append_stray_pods(view, *shared, row, now, outcome);
    }
    return outcome;
}

}  // namespace sluice::controller
