#include "api/kueue/kueue_names.hpp"
#include "api/meta/codec.hpp"
#include "controller/jobs/job/object_members.hpp"
#include "controller/jobs/members/serving_names.hpp"
#include "controller/jobs/serving/leader_worker_set_groups.hpp"
#include "controller/jobs/serving/serving_admission.hpp"
#include "validation/serving_rules.hpp"
#include "validation/topology_request_rules.hpp"

#include <fmt/format.h>

#include <cstdint>
#include <utility>
#include <vector>

namespace sluice::controller {

namespace {

using api::FieldErrors;
using config::Feature;
using webhook::Verdict;

constexpr const char* kLeaderWorkerSetKind = "leaderworkerset.x-k8s.io/v1, Kind=LeaderWorkerSet";
constexpr const char* kPath = "spec.leaderWorkerTemplate";
/// The maximum number of replicas: each replica needs a Workload.
constexpr std::int64_t kReplicasMax = 1'000'000;

FieldErrors validate_replicas(const json::Value& set) {
    const std::int64_t replicas = replicas_of_set(set);
    constexpr std::string_view kWhat = "invalid LeaderWorkerSet replicas";
    if (replicas < 0) {
        return {api::FieldError::invalid(
            "spec.replicas", replicas, fmt::format("{}: must be >= 0, got {}", kWhat, replicas)
        )};
    }
    if (replicas > kReplicasMax) {
        return {api::FieldError::invalid(
            "spec.replicas",
            replicas,
            fmt::format("{}: must be <= {}, got {}", kWhat, kReplicasMax, replicas)
        )};
    }
    return {};
}

api::ObjectMeta template_metadata(const json::Value& pod_template) {
    const auto read = api::decode<api::PodTemplateSpec>(json::print(pod_template));
    return read ? read->metadata : api::ObjectMeta();
}

/// The errors in the topology annotations of the templates.
struct TopologyFaults {
    FieldErrors errors;
    std::string sole;  ///< why no request can be made; only set without errors
};

TopologyFaults find_topology_faults(const json::Value& set, const config::FeatureGates& gates) {
    TopologyFaults faults;
    if (!gates.is_enabled(Feature::TopologyAwareScheduling)) {
        return faults;
    }
    std::vector<validation::PodSetTopology> asked;
    std::string problem;
    for (const ReplicaPodSet& pod_set : replica_pod_sets(set)) {
        asked.push_back(
            {template_metadata(*pod_set.pod_template),
             fmt::format("{}.{}.metadata", kPath, pod_set.template_name),
             static_cast<std::int32_t>(pod_set.count)}
        );
        if (problem.empty()) {
            problem = validation::find_request_problem(asked.back().pod_template);
        }
    }
    for (const validation::PodSetTopology& one : asked) {
        api::append(
            faults.errors,
            validation::validate_topology_annotations(one.pod_template, one.path, gates)
        );
        if (problem.empty()) {
            api::append(
                faults.errors,
                validation::validate_slice_sizes(one.pod_template, one.path, one.count)
            );
        }
    }
    if (problem.empty()) {
        api::append(faults.errors, validation::validate_pod_set_groups(asked));
    }
    if (faults.errors.empty()) {
        faults.sole = std::move(problem);
    }
    return faults;
}

const json::Value* find_template(const ServedObject& object, std::string_view name) {
    const json::Value* found = object.value.find_path({"spec", "leaderWorkerTemplate", name});
    return found != nullptr && found->is_object() ? found : nullptr;
}

FieldErrors validate_template_change(
    const ServedObject& before, const ServedObject& after, std::string_view name
) {
    const json::Value* was = find_template(before, name);
    const json::Value* is = find_template(after, name);
    const std::string path = fmt::format("{}.{}", kPath, name);
    if (was == nullptr || is == nullptr) {
        return was == is ? FieldErrors()
                         : FieldErrors{
                               api::FieldError::immutable(path, is == nullptr ? json::Value() : *is)
                           };
    }
    static const json::Value kNothing = json::Object{};
    const json::Value* old_spec = was->find("spec");
    const json::Value* spec = is->find("spec");
    return validation::validate_role_fields(
        old_spec == nullptr ? kNothing : *old_spec,
        spec == nullptr ? kNothing : *spec,
        path + ".spec"
    );
}

FieldErrors validate_shape_change(
    const ServedObject& before, const ServedObject& after, const config::FeatureGates& gates
) {
    FieldErrors errors;
    for (const std::string_view name : {"leaderTemplate", "workerTemplate"}) {
        api::append(errors, validate_template_change(before, after, name));
    }
    // If a group grew, more pods would be ungated than its Workload has quota for.
    const std::int64_t size = replica_size_of(after.value);
    if (gates.is_enabled(Feature::LWSImmutableGroupSize) && size != replica_size_of(before.value)) {
        errors.push_back(api::FieldError::immutable(fmt::format("{}.size", kPath), size));
    }
    return errors;
}

void hold_template(const api::ObjectMeta& set, json::Value& pod_template) {
    copy_queue_and_class(set, pod_template);
    json::Value& annotations = template_map(pod_template, "annotations");
    annotations.set(api::annotation::kPodSuspendingParent, kLeaderWorkerSets);
    annotations.set(api::annotation::kPodGroupServing, "true");
}

class LeaderWorkerSetAdmission final : public KindAdmission {
  public:
    Result<Verdict> apply_defaults(
        const AdmissionContext& context, const api::AdmissionRequest& request
    ) const override {
        auto object = read_served(request.object, request.namespace_);
        if (!object) {
            return object.error();
        }
        const auto is_held = default_served(context, *object);
        if (!is_held) {
            return is_held.error();
        }
        if (*is_held) {
            json::Value& templates = object_at(object->value, {"spec", "leaderWorkerTemplate"});
            json::Value* leader = templates.find("leaderTemplate");
            const bool has_leader = leader != nullptr && leader->is_object();
            if (has_leader) {
                hold_template(object->metadata, *leader);
            }
            json::Value& worker = object_at(templates, {"workerTemplate"});
            hold_template(object->metadata, worker);
            json::Value& annotations = template_map(worker, "annotations");
            // Workers that are placed together with their leader are ranked with it.
            if (has_leader && context.gates.is_enabled(Feature::TopologyAwareScheduling) &&
                annotations.find(api::annotation::kPodSetGroupName) == nullptr) {
                annotations.set(api::annotation::kPodIndexOffset, "1");
            }
        }
        return Verdict{.refusal = {}, .changed = std::move(object->value), .warnings = {}};
    }

    Result<Verdict> judge(const AdmissionContext& context, const api::AdmissionRequest& request)
        const override {
        const auto after = read_served(request.object, request.namespace_);
        if (!after) {
            return after.error();
        }
        FieldErrors errors = validation::validate_changed_serving(
            after->metadata, kLeaderWorkerSetKind, context.gates
        );
        api::append(errors, validate_replicas(after->value));
        api::append(errors, validation::validate_gates(after->metadata, context.gates));
        TopologyFaults topology = find_topology_faults(after->value, context.gates);
        if (!topology.sole.empty()) {
            return Verdict{.refusal = std::move(topology.sole), .changed = {}, .warnings = {}};
        }
        api::append(errors, std::move(topology.errors));
        if (request.operation == "CREATE") {
            return webhook::make_verdict(errors);
        }
        const auto before = read_served(request.old_object, request.namespace_);
        if (!before) {
            return with_context(before.error(), "oldObject");
        }
        api::append(errors, validate_served_update(context, *before, *after));
        const auto is_held = are_pods_held(context, *after);
        if (!is_held) {
            return is_held.error();
        }
        if (*is_held) {
            api::append(errors, validate_shape_change(*before, *after, context.gates));
        }
        return webhook::make_verdict(errors);
    }
};

}  // namespace

const KindAdmission& leader_worker_set_admission() {
    static const LeaderWorkerSetAdmission kAdmission;
    return kAdmission;
}

}  // namespace sluice::controller
