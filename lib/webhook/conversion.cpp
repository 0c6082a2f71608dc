#include "webhook/conversion.hpp"

#include "api/kueue/kueue_names.hpp"
#include "api/kueue/topology_assignment.hpp"

#include <fmt/core.h>

#include <algorithm>
#include <array>
#include <cstddef>
#include <cstdint>
#include <string>
#include <utility>

namespace sluice::webhook {
namespace {

using json::Value;

enum class Direction : std::uint8_t { ToV1beta1, ToV1beta2 };

constexpr std::string_view kPodSource = "scheduling.k8s.io/priorityclass";
constexpr std::string_view kWorkloadClassKind = "WorkloadPriorityClass";
constexpr std::string_view kPodClassGroup = "scheduling.k8s.io";
constexpr std::string_view kPodClassKind = "PriorityClass";

/// Returns the object member with that name; nullptr if it is absent or null.
Result<Value*> find_object(Value* parent, std::string_view name, std::string_view path) {
    Value* found = parent == nullptr ? nullptr : parent->find(name);
    if (found == nullptr || found->is_null()) {
        return nullptr;
    }
    if (!found->is_object()) {
        return make_invalid(fmt::format("{} must be an object", path));
    }
    return found;
}

/// Returns the list member with that name; nullptr if it is absent or null. Errors: Invalid if an
/// item is not an object.
Result<json::Array*> find_objects(Value* parent, std::string_view name, std::string_view path) {
    Value* found = parent == nullptr ? nullptr : parent->find(name);
    if (found == nullptr || found->is_null()) {
        return nullptr;
    }
    if (!found->is_array()) {
        return make_invalid(fmt::format("{} must be a list", path));
    }
    for (const auto& item : found->as_array()) {
        if (!item.is_object()) {
            return make_invalid(fmt::format("{} must be a list of objects", path));
        }
    }
    return &found->as_array();
}

/// Returns the text of a string member; empty if it is absent or null.
Result<std::string> text_of(const Value& parent, std::string_view name, std::string_view path) {
    const Value* found = parent.find(name);
    if (found == nullptr || found->is_null()) {
        return std::string();
    }
    if (!found->is_string()) {
        return make_invalid(fmt::format("{}.{} must be a string", path, name));
    }
    return found->as_string();
}

/// Renames a member and keeps its position. A member that already has the new name belongs to the
/// wrong version and is removed. A null or "" is removed too, because both mean that nothing is
/// set.
template <class Check>
Result<void> rename(
    Value* parent, std::string_view from, std::string_view to, std::string_view path, Check is_right
) {
    if (parent == nullptr) {
        return {};
    }
    parent->erase(to);
    auto& members = parent->as_object();
    const auto found = std::ranges::find(members, from, &json::Member::first);
    if (found == members.end()) {
        return {};
    }
    const Value& value = found->second;
    if (value.is_null() || (value.is_string() && value.as_string().empty())) {
        members.erase(found);
        return {};
    }
    if (!is_right(value)) {
        return make_invalid(fmt::format("{}.{} has a wrong type", path, from));
    }
    found->first = to;
    return {};
}

void erase(Value* parent, std::string_view name) {
    if (parent != nullptr) {
        parent->erase(name);
    }
}

bool is_string(const Value& value) {
    return value.is_string();
}
bool is_int(const Value& value) {
    return value.is_int();
}
bool is_array(const Value& value) {
    return value.is_array();
}

struct Parts {
    Value* spec = nullptr;
    Value* status = nullptr;
};

Result<Parts> find_parts(Value& object) {
    const auto spec = find_object(&object, "spec", "spec");
    if (!spec) {
        return spec.error();
    }
    const auto status = find_object(&object, "status", "status");
    if (!status) {
        return status.error();
    }
    return Parts{.spec = *spec, .status = *status};
}

/// Returns the spec, adding an empty one if it is absent: v1beta2 prints the spec of some kinds
/// even if it is empty.
Value* ensure_spec(Value& object, Value* spec) {
    return spec == nullptr ? &object.set("spec", json::Object{}) : spec;
}

Result<void> drop_admission_fair_sharing(Value* status) {
    const auto sharing = find_object(status, "fairSharing", "status.fairSharing");
    if (!sharing) {
        return sharing.error();
    }
    erase(*sharing, "admissionFairSharingStatus");
    return {};
}

/// Replaces the whole strategy by a non-empty list of names.
Result<void> admission_checks_to_strategy(Value& spec) {
    const Value* names = spec.find("admissionChecks");
    if (names == nullptr) {
        return {};
    }
    if (!names->is_null() && !names->is_array()) {
        return make_invalid("spec.admissionChecks must be a list");
    }
    json::Array rules;
    for (std::size_t i = 0; names->is_array() && i < names->as_array().size(); ++i) {
        const Value& name = names->as_array()[i];
        if (!name.is_string()) {
            return make_invalid(fmt::format("spec.admissionChecks[{}] must be a string", i));
        }
        Value rule;
        rule.set("name", name);
        rules.push_back(std::move(rule));
    }
    spec.erase("admissionChecks");
    if (!rules.empty()) {
        Value strategy;
        strategy.set("admissionChecks", std::move(rules));
        spec.set("admissionChecksStrategy", std::move(strategy));
    }
    return {};
}

Result<void> rename_fungibility(Value& spec) {
    const auto found = find_object(&spec, "flavorFungibility", "spec.flavorFungibility");
    if (!found) {
        return found.error();
    }
    if (*found == nullptr) {
        return {};
    }
    if ((*found)->string_at("whenCanBorrow") == "Borrow") {
        (*found)->set("whenCanBorrow", "MayStopSearch");
    }
    if ((*found)->string_at("whenCanPreempt") == "Preempt") {
        (*found)->set("whenCanPreempt", "MayStopSearch");
    }
    return {};
}

Result<void> convert_cluster_queue(Value& object, Direction direction) {
    const auto parts = find_parts(object);
    if (!parts) {
        return parts.error();
    }
    const auto [spec, status] = *parts;
    erase(spec, "concurrentAdmissionPolicy");
    if (direction == Direction::ToV1beta1) {
        erase(spec, "admissionChecks");
        return rename(spec, "cohortName", "cohort", "spec", is_string);
    }
    erase(status, "pendingWorkloadsStatus");
    if (const auto dropped = drop_admission_fair_sharing(status); !dropped) {
        return dropped.error();
    }
    if (spec == nullptr) {
        return {};
    }
    if (const auto renamed = rename(spec, "cohort", "cohortName", "spec", is_string); !renamed) {
        return renamed.error();
    }
    if (const auto moved = admission_checks_to_strategy(*spec); !moved) {
        return moved.error();
    }
    return rename_fungibility(*spec);
}

Result<void> convert_local_queue(Value& object, Direction direction) {
    const auto parts = find_parts(object);
    if (!parts) {
        return parts.error();
    }
    erase(parts->status, "flavors");
    if (direction == Direction::ToV1beta1) {
        return rename(parts->status, "flavorsUsage", "flavorUsage", "status", is_array);
    }
    const auto renamed = rename(parts->status, "flavorUsage", "flavorsUsage", "status", is_array);
    ensure_spec(object, parts->spec);
    return renamed;
}

Result<void> convert_cohort(Value& object, Direction direction) {
    const auto parts = find_parts(object);
    if (!parts) {
        return parts.error();
    }
    if (direction == Direction::ToV1beta1) {
        return {};
    }
    const auto dropped = drop_admission_fair_sharing(parts->status);
    ensure_spec(object, parts->spec);
    return dropped;
}

Result<void> priority_class_to_ref(Value& spec) {
    const auto source = text_of(spec, "priorityClassSource", "spec");
    if (!source) {
        return source.error();
    }
    const auto name = text_of(spec, "priorityClassName", "spec");
    if (!name) {
        return name.error();
    }
    spec.erase("priorityClassSource");
    spec.erase("priorityClassName");
    spec.erase("priorityClassRef");
    const bool of_workload = *source == api::kWorkloadPriorityClassSource;
    // The schema of v1beta2 would reject a reference without a name at every later write.
    if (name->empty() || (!of_workload && *source != kPodSource)) {
        return {};
    }
    Value ref;
    ref.set("group", of_workload ? api::kKueueGroup : kPodClassGroup);
    ref.set("kind", of_workload ? kWorkloadClassKind : kPodClassKind);
    ref.set("name", *name);
    spec.set("priorityClassRef", std::move(ref));
    return {};
}

Result<void> ref_to_priority_class(Value& spec) {
    const auto found = find_object(&spec, "priorityClassRef", "spec.priorityClassRef");
    if (!found) {
        return found.error();
    }
    spec.erase("priorityClassSource");
    spec.erase("priorityClassName");
    if (*found == nullptr) {
        spec.erase("priorityClassRef");
        return {};
    }
    const Value ref = *spec.find("priorityClassRef");
    spec.erase("priorityClassRef");
    const auto name = text_of(ref, "name", "spec.priorityClassRef");
    if (!name) {
        return name.error();
    }
    const auto group = ref.string_at("group");
    const auto kind = ref.string_at("kind");
    if (group == api::kKueueGroup && kind == kWorkloadClassKind) {
        spec.set("priorityClassSource", api::kWorkloadPriorityClassSource);
    } else if (group == kPodClassGroup && kind == kPodClassKind) {
        spec.set("priorityClassSource", kPodSource);
    } else {
        return {};
    }
    if (!name->empty()) {
        spec.set("priorityClassName", *name);
    }
    return {};
}

Result<void> convert_assignments(Value* status, Direction direction) {
    const auto admission = find_object(status, "admission", "status.admission");
    if (!admission) {
        return admission.error();
    }
    constexpr std::string_view kPath = "status.admission.podSetAssignments";
    const auto list = find_objects(*admission, "podSetAssignments", kPath);
    if (!list) {
        return list.error();
    }
    std::size_t domains_left = api::kDomainsMax;
    for (std::size_t i = 0; *list != nullptr && i < (*list)->size(); ++i) {
        const auto path = fmt::format("{}[{}].topologyAssignment", kPath, i);
        const auto found = find_object(&(**list)[i], "topologyAssignment", path);
        if (!found) {
            return found.error();
        }
        if (*found == nullptr) {
            continue;
        }
        const auto read = direction == Direction::ToV1beta1
                              ? api::parse_slices(**found, path, domains_left)
                              : api::parse_domains(**found, path, domains_left);
        if (!read) {
            return read.error();
        }
        domains_left -= read->domains.size();
        **found =
            direction == Direction::ToV1beta1 ? api::make_domains(*read) : api::make_slices(*read);
    }
    return {};
}

Result<void> drop_slice_constraints(Value* spec) {
    const auto pod_sets = find_objects(spec, "podSets", "spec.podSets");
    if (!pod_sets) {
        return pod_sets.error();
    }
    for (std::size_t i = 0; *pod_sets != nullptr && i < (*pod_sets)->size(); ++i) {
        const auto request = find_object(
            &(**pod_sets)[i], "topologyRequest", fmt::format("spec.podSets[{}].topologyRequest", i)
        );
        if (!request) {
            return request.error();
        }
        erase(*request, "podsetSliceRequiredTopologyConstraints");
    }
    return {};
}

Result<void> convert_workload(Value& object, Direction direction) {
    const auto parts = find_parts(object);
    if (!parts) {
        return parts.error();
    }
    const bool to_v1beta2 = direction == Direction::ToV1beta2;
    // The pointer into the object stays valid: new members are appended.
    if (const auto done = convert_assignments(parts->status, direction); !done) {
        return done.error();
    }
    constexpr std::string_view kOldTime = "accumulatedPastExexcutionTimeSeconds";
    constexpr std::string_view kNewTime = "accumulatedPastExecutionTimeSeconds";
    const auto renamed = rename(
        parts->status,
        to_v1beta2 ? kOldTime : kNewTime,
        to_v1beta2 ? kNewTime : kOldTime,
        "status",
        is_int
    );
    if (!renamed) {
        return renamed.error();
    }
    erase(parts->status, "preemptionGates");
    erase(parts->spec, "preemptionGates");
    if (const auto dropped = drop_slice_constraints(parts->spec); !dropped) {
        return dropped.error();
    }
    if (to_v1beta2) {
        return priority_class_to_ref(*ensure_spec(object, parts->spec));
    }
    return parts->spec == nullptr ? Result<void>() : ref_to_priority_class(*parts->spec);
}

/// Returns the kubeConfig struct with the members that v1beta1 prints even if they are empty.
Value make_v1beta1_kube_config(const Value* from) {
    Value made;
    for (const auto* name : {"location", "locationType"}) {
        made.set(name, from == nullptr ? std::string_view() : from->string_at(name));
    }
    return made;
}

Result<void> multikueue_spec_to_v1beta2(Value& object, Value* spec) {
    const auto config = find_object(spec, "kubeConfig", "spec.kubeConfig");
    if (!config) {
        return config.error();
    }
    const auto profile = find_object(spec, "clusterProfileRef", "spec.clusterProfileRef");
    if (!profile) {
        return profile.error();
    }
    Value source{json::Object{}};
    if (*config != nullptr) {
        const auto location = text_of(**config, "location", "spec.kubeConfig");
        const auto type = text_of(**config, "locationType", "spec.kubeConfig");
        if (!location || !type) {
            return location ? type.error() : location.error();
        }
        if (!location->empty()) {
            Value made;
            made.set("location", *location);
            if (!type->empty()) {
                made.set("locationType", *type);
            }
            source.set("kubeConfig", std::move(made));
        }
    }
    if (*profile != nullptr) {
        source.set("clusterProfileRef", **profile);
    }
    if (source.as_object().empty()) {
        object.erase("spec");
        return {};
    }
    *spec = Value(json::Object{});
    spec->set("clusterSource", std::move(source));
    return {};
}

Result<void> multikueue_spec_to_v1beta1(Value& object, Value* spec) {
    const auto source = find_object(spec, "clusterSource", "spec.clusterSource");
    if (!source) {
        return source.error();
    }
    const auto config = find_object(*source, "kubeConfig", "spec.clusterSource.kubeConfig");
    if (!config) {
        return config.error();
    }
    const auto profile =
        find_object(*source, "clusterProfileRef", "spec.clusterSource.clusterProfileRef");
    if (!profile) {
        return profile.error();
    }
    Value made;
    made.set("kubeConfig", make_v1beta1_kube_config(*config));
    if (*profile != nullptr) {
        made.set("clusterProfileRef", **profile);
    }
    object.set("spec", std::move(made));
    return {};
}

Result<void> convert_multikueue_cluster(Value& object, Direction direction) {
    const auto parts = find_parts(object);
    if (!parts) {
        return parts.error();
    }
    return direction == Direction::ToV1beta1 ? multikueue_spec_to_v1beta1(object, parts->spec)
                                             : multikueue_spec_to_v1beta2(object, parts->spec);
}

struct Conversion {
    std::string_view kind;
    Result<void> (*convert)(Value&, Direction);
};

constexpr std::array kConversions = {
    Conversion{"ClusterQueue", convert_cluster_queue},
    Conversion{"Cohort", convert_cohort},
    Conversion{"LocalQueue", convert_local_queue},
    Conversion{"MultiKueueCluster", convert_multikueue_cluster},
    Conversion{"Workload", convert_workload},
};

const Conversion* find_conversion(std::string_view kind) {
    const auto found = std::ranges::find(kConversions, kind, &Conversion::kind);
    return found == kConversions.end() ? nullptr : &*found;
}

/// Returns a text like `Workload team-a/job-1`, with those of kind, namespace and name that the
/// object has.
std::string describe(const Value& object) {
    const auto kind = object.string_at("kind");
    const Value* metadata = object.find("metadata");
    const auto name = metadata == nullptr ? std::string_view() : metadata->string_at("name");
    const auto ns = metadata == nullptr ? std::string_view() : metadata->string_at("namespace");
    return fmt::format(
        "{} {}{}{}", kind, ns, ns.empty() ? "" : "/", name.empty() ? "without a name" : name
    );
}

}  // namespace

bool has_conversion(std::string_view kind) {
    return find_conversion(kind) != nullptr;
}

Result<void> convert(Value& object, std::string_view desired_api_version) {
    if (!object.is_object()) {
        return make_invalid("an object to convert is not a JSON object");
    }
    const auto found = find_conversion(object.string_at("kind"));
    if (found == nullptr) {
        return make_invalid(fmt::format("{}: this kind has no conversion", describe(object)));
    }
    for (const auto version : {object.string_at("apiVersion"), desired_api_version}) {
        if (version != kV1beta1 && version != kV1beta2) {
            return make_invalid(
                fmt::format("{}: apiVersion \"{}\" is not known", describe(object), version)
            );
        }
    }
    if (object.string_at("apiVersion") == desired_api_version) {
        return {};
    }
    const auto converted = found->convert(
        object, desired_api_version == kV1beta1 ? Direction::ToV1beta1 : Direction::ToV1beta2
    );
    if (!converted) {
        return with_context(converted.error(), describe(object));
    }
    object.set("apiVersion", desired_api_version);
    return {};
}

}  // namespace sluice::webhook
