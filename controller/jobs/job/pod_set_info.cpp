#include "controller/jobs/job/pod_set_info.hpp"

#include "api/kueue/kueue_names.hpp"
#include "api/meta/codec.hpp"
#include "api/meta/names.hpp"
#include "controller/jobs/job/semantic_equality.hpp"
#include "controller/reconcile/workload_status.hpp"
#include "json/patch.hpp"
#include "workload/translation/quotas.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <initializer_list>
#include <map>
#include <set>
#include <string>
#include <utility>

namespace sluice::controller {

namespace {

/// Adds entries. Errors: Invalid if a key has two values, naming both.
Result<void> merge_map(api::StringMap& into, const api::StringMap& from, std::string_view field) {
    for (const auto& [key, value] : from) {
        const auto [entry, is_new] = into.emplace(key, value);
        if (!is_new && entry->second != value) {
            return make_invalid(fmt::format(
                "invalid admission check PodSetUpdate: conflict for {}: conflict for key={}, "
                "value1={}, value2={}",
                field,
                key,
                entry->second,
                value
            ));
        }
    }
    return {};
}

/// Returns the labels and annotations that name the Workload and the queues of the pods.
PodSetInfo make_own_info(
    const api::Workload& workload,
    const std::string& cluster_queue,
    const std::string& pod_set,
    const Settings& settings
) {
    PodSetInfo own{.name = pod_set};
    own.labels[api::label::kPodSet] = pod_set;
    if (workload.metadata.find_label(api::label::kMultiKueueOrigin) != nullptr) {
        own.labels[api::label::kMultiKueueWorkerWorkloadPod] = "true";
    }
    if (settings.assign_queue_labels_for_pods) {
        own.labels[api::label::kLocalQueueName] = workload.spec.queue_name;
        // A name that is longer, or that has a dot, cannot be a label value.
        if (!api::check_dns1123_label(cluster_queue)) {
            own.labels[api::label::kClusterQueueName] = cluster_queue;
        }
    }
    if (settings.gates.topology_aware_scheduling) {
        own.annotations[api::annotation::kWorkload] = workload.metadata.name;
    }
    if (find_value(workload.metadata.annotations, api::annotation::kElasticJob) == "true" &&
        settings.elastic_jobs) {
        own.annotations[api::annotation::kWorkloadSliceName] = slice_name(workload);
    }
    return own;
}

/// Returns true if the pod set requires or prefers a topology, or is marked as unconstrained.
bool names_topology(const api::Workload& workload, const std::string& pod_set) {
    const auto found = std::ranges::find(workload.spec.pod_sets, pod_set, &api::PodSet::name);
    if (found == workload.spec.pod_sets.end()) {
        return false;
    }
    const auto& request = found->topology_request;
    return request && (request->required || request->preferred || request->unconstrained);
}

/// Adds the tolerations that are missing.
void add(std::vector<api::Toleration>& into, const std::vector<api::Toleration>& from) {
    for (const api::Toleration& toleration : from) {
        if (std::ranges::find(into, toleration) == into.end()) {
            into.push_back(toleration);
        }
    }
}

JobProblem flavor_problem(std::string detail) {
    return {JobProblem::Reason::FlavorNotFound, std::move(detail)};
}

JobResult<PodSetInfo> make_pod_set_info(
    const Stores& stores,
    const api::Workload& workload,
    const std::string& cluster_queue,
    const api::PodSetAssignment& assignment,
    const Settings& settings
) {
    PodSetInfo info = make_own_info(workload, cluster_queue, assignment.name, settings);
    info.count = assignment.count;
    if (settings.gates.topology_aware_scheduling && assignment.topology_assignment) {
        info.has_topology_gate = true;
        // So pods with an implied topology do not count as pods of others on their nodes.
        if (!names_topology(workload, assignment.name)) {
            info.annotations[api::annotation::kPodSetUnconstrainedTopology] = "true";
        }
    }
    std::set<std::string> flavors;
    for (const auto& [resource, flavor] : assignment.flavors) {
        flavors.insert(flavor);
    }
    for (const std::string& name : flavors) {
        const auto flavor = stores.of<api::ResourceFlavor>().find(name);
        if (!flavor) {
            return flavor_problem(fmt::format("ResourceFlavor \"{}\" not found", name));
        }
        if (const auto problem = workload::find_problem(*flavor)) {
            return flavor_problem(fmt::format("ResourceFlavor \"{}\": {}", name, problem->text()));
        }
        // If several flavors have a label, the last flavor by name sets its value.
        for (const auto& [key, value] : flavor->spec.node_labels) {
            info.node_selector[key] = value;
        }
        add(info.tolerations, flavor->spec.tolerations);
    }
    for (const api::AdmissionCheckState& check : workload.status.admission_checks) {
        for (const api::PodSetUpdate& update : check.pod_set_updates) {
            if (update.name != assignment.name || check.state != api::check_state::kReady) {
                continue;
            }
            PodSetInfo from;
            from.annotations = update.annotations;
            from.labels = update.labels;
            from.node_selector = update.node_selector;
            from.tolerations = update.tolerations;
            if (const auto merged = merge(info, from); !merged) {
                return JobProblem{
                    JobProblem::Reason::InvalidSpec,
                    fmt::format("in admission check \"{}\": {}", check.name, merged.error().detail)
                };
            }
        }
    }
    return info;
}

json::Value to_value(const api::StringMap& map) {
    json::Object object;
    for (const auto& [key, value] : map) {
        object.emplace_back(key, value);
    }
    return object;
}

json::Value sub_value(const json::Value& root, std::initializer_list<std::string_view> path) {
    const json::Value* found = root.find_path(path);
    return found == nullptr ? json::Value() : *found;
}

/// Adds the patch of a map that turns `live` into `wanted`: it sets and removes keys.
void set_map(
    json::Value& target, std::string_view key, const json::Value& live, const json::Value& wanted
) {
    if (!wanted.is_object()) {
        if (!live.is_null()) {
            target.set(key, nullptr);
        }
        return;
    }
    json::Value patch =
        json::make_merge_patch(live.is_object() ? live : json::Value(json::Object{}), wanted);
    if (!patch.as_object().empty()) {
        target.set(key, std::move(patch));
    }
}

void set_list(
    json::Value& target, std::string_view key, const json::Value& live, const json::Value& wanted
) {
    if (!is_semantically_equal(&live, &wanted)) {
        target.set(key, wanted);
    }
}

}  // namespace

Result<void> merge(PodSetInfo& into, const PodSetInfo& from) {
    if (const auto merged = merge_map(into.annotations, from.annotations, "annotations"); !merged) {
        return merged.error();
    }
    if (const auto merged = merge_map(into.labels, from.labels, "labels"); !merged) {
        return merged.error();
    }
    if (const auto merged = merge_map(into.node_selector, from.node_selector, "nodeSelector");
        !merged) {
        return merged.error();
    }
    add(into.tolerations, from.tolerations);
    into.has_topology_gate = into.has_topology_gate || from.has_topology_gate;
    return {};
}

JobResult<std::vector<PodSetInfo>> make_pod_set_infos(
    const Stores& stores,
    const api::Workload& workload,
    const api::Admission& admission,
    const Settings& settings
) {
    std::vector<PodSetInfo> infos;
    for (const auto& assignment : admission.pod_set_assignments) {
        auto info =
            make_pod_set_info(stores, workload, admission.cluster_queue, assignment, settings);
        if (!info) {
            return info.error();
        }
        infos.push_back(std::move(*info));
    }
    return infos;
}

bool lacks_node_labels(
    const Stores& stores,
    const api::Admission& admission,
    const std::vector<api::StringMap>& node_selectors
) {
    const auto& assignments = admission.pod_set_assignments;
    for (std::size_t i = 0; i < std::min(node_selectors.size(), assignments.size()); ++i) {
        // Flavors of several resources may give one label different values.
        std::map<std::string, std::set<std::string>> labels;
        for (const auto& [resource, name] : assignments[i].flavors) {
            const auto flavor = stores.of<api::ResourceFlavor>().find(name);
            if (flavor && flavor->metadata.generation <= 1) {
                for (const auto& [key, value] : flavor->spec.node_labels) {
                    labels[key].insert(value);
                }
            }
        }
        for (const auto& [key, values] : labels) {
            const auto found = node_selectors[i].find(key);
            if (found == node_selectors[i].end() || !values.contains(found->second)) {
                return true;
            }
        }
    }
    return false;
}

json::Array with_topology_gate(const std::vector<api::PodSchedulingGate>& live) {
    json::Array gates;
    for (const api::PodSchedulingGate& gate : live) {
        if (gate.name != api::scheduling_gate::kTopology) {
            gates.push_back(json::Object{{"name", gate.name}});
        }
    }
    gates.push_back(json::Object{{"name", api::scheduling_gate::kTopology}});
    return gates;
}

Result<json::Value> injection_patch(const api::PodTemplateSpec& live, const PodSetInfo& info) {
    PodSetInfo result;
    result.annotations = live.metadata.annotations;
    // Annotations of an earlier Workload may still be there.
    for (const char* own : {api::annotation::kWorkload, api::annotation::kWorkloadSliceName}) {
        if (info.annotations.contains(own)) {
            result.annotations.erase(own);
        }
    }
    result.labels = live.metadata.labels;
    result.node_selector = live.spec.node_selector;
    result.tolerations = live.spec.tolerations;
    if (const auto merged = merge(result, info); !merged) {
        return merged.error();
    }
    json::Value pod_spec = json::Object{};
    if (result.node_selector != live.spec.node_selector) {
        pod_spec.set("nodeSelector", to_value(result.node_selector));
    }
    if (result.tolerations.size() != live.spec.tolerations.size()) {
        json::Array tolerations;
        for (const api::Toleration& toleration : result.tolerations) {
            tolerations.push_back(api::to_value(toleration));
        }
        pod_spec.set("tolerations", std::move(tolerations));
    }
    if (info.has_topology_gate) {
        pod_spec.set("schedulingGates", with_topology_gate(live.spec.scheduling_gates));
    }
    return json::Value(json::Object{
        {"metadata",
         json::Object{
             {"labels", to_value(result.labels)}, {"annotations", to_value(result.annotations)}
         }},
        {"spec", std::move(pod_spec)},
    });
}

json::Value restoration_patch(
    const api::PodTemplateSpec& live,
    const api::PodTemplateSpec& original,
    std::span<const std::string_view> kept
) {
    const auto from = json::parse(live.raw.view());
    const auto to = json::parse(original.raw.view());
    if (!from || !to) {
        return json::Object{};
    }
    json::Value labels = sub_value(*to, {"metadata", "labels"});
    for (const std::string_view label : kept) {
        if (const json::Value* value = from->find_path({"metadata", "labels", label})) {
            labels.set(label, *value);
        }
    }
    json::Value metadata = json::Object{};
    set_map(metadata, "labels", sub_value(*from, {"metadata", "labels"}), labels);
    set_map(
        metadata,
        "annotations",
        sub_value(*from, {"metadata", "annotations"}),
        sub_value(*to, {"metadata", "annotations"})
    );
    json::Value spec = json::Object{};
    set_map(
        spec,
        "nodeSelector",
        sub_value(*from, {"spec", "nodeSelector"}),
        sub_value(*to, {"spec", "nodeSelector"})
    );
    for (const std::string_view list : {"tolerations", "schedulingGates"}) {
        set_list(spec, list, sub_value(*from, {"spec", list}), sub_value(*to, {"spec", list}));
    }
    json::Value patch = json::Object{};
    if (!metadata.as_object().empty()) {
        patch.set("metadata", std::move(metadata));
    }
    if (!spec.as_object().empty()) {
        patch.set("spec", std::move(spec));
    }
    return patch;
}

}  // namespace sluice::controller
