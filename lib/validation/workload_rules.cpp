#include "validation/workload_rules.hpp"

#include "api/core/effective_requests.hpp"
#include "api/kueue/conditions.hpp"
#include "api/kueue/kueue_names.hpp"
#include "api/meta/codec.hpp"
#include "validation/admission_gate_rules.hpp"
#include "validation/go_numbers.hpp"
#include "validation/metadata_rules.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <cstddef>
#include <optional>
#include <string>
#include <string_view>
#include <vector>

namespace sluice::validation {

namespace {

using config::Feature;

constexpr std::string_view kPods = "pods";

bool has_quota_reserved(const api::Workload& workload) {
    const auto* condition =
        api::find_condition(workload.status.conditions, api::condition::kQuotaReserved);
    return condition != nullptr && condition->status == api::condition_status::kTrue;
}

bool is_elastic(const api::Workload& workload, const config::FeatureGates& gates) {
    const auto* value = workload.metadata.find_annotation(api::annotation::kElasticJob);
    return gates.is_enabled(Feature::ElasticJobsViaWorkloadSlices) && value != nullptr &&
           *value == "true";
}

std::vector<std::string> pod_set_names(const api::Workload& workload) {
    std::vector<std::string> names;
    names.reserve(workload.spec.pod_sets.size());
    for (const auto& pod_set : workload.spec.pod_sets) {
        names.push_back(pod_set.name);
    }
    return names;
}

template <class T>
const T* find_named(const std::vector<T>& list, std::string_view name) {
    const auto found = std::ranges::find(list, name, &T::name);
    return found == list.end() ? nullptr : &*found;
}

/// Returns the amount as the scheduler counts it: thousandths of cpu, whole units of other
/// resources.
std::int64_t amount_of(std::string_view resource, const api::Quantity& quantity) {
    return resource == "cpu" ? quantity.milli_value() : quantity.value();
}

/// Checks one Workload, by its own content and in comparison with its previous version.
class WorkloadRules {
  public:
    WorkloadRules(
        const api::Workload& workload,
        const api::Workload* before,
        const config::FeatureGates& gates
    )
        : workload_(workload), before_(before), gates_(gates) {}

    api::FieldErrors run() {
        check_pod_sets();
        if (has_quota_reserved(workload_)) {
            check_admission();
        }
        append(errors_, validate_conditions(workload_.status.conditions, "status.conditions"));
        check_reclaimable_pods();
        check_pod_set_updates();
        if (gates_.is_enabled(Feature::AdmissionGatedBy)) {
            append(errors_, validate_admission_gates(workload_.metadata));
        }
        if (gates_.is_enabled(Feature::PriorityBoost)) {
            check_priority_boost();
        }
        if (before_ != nullptr) {
            check_changes(*before_);
        }
        return std::move(errors_);
    }

  private:
    // Checks of the spec.
    void check_pod_sets() {
        std::int64_t variable = 0;
        for (std::size_t i = 0; i < workload_.spec.pod_sets.size(); ++i) {
            const auto& pod_set = workload_.spec.pod_sets[i];
            const std::string path = fmt::format("spec.podSets[{}]", i);
            check_template(*pod_set.template_, path + ".template");
            if (!had_template(i)) {
                check_sum(pod_set.template_->spec, path + ".template.spec");
            }
            if (gates_.is_enabled(Feature::TASValidateWorkloadSliceSize) &&
                pod_set.topology_request) {
                check_slices(*pod_set.topology_request, path + ".topologyRequest");
            }
            variable += pod_set.min_count ? 1 : 0;
        }
        if (variable > 1) {
            errors_.push_back(api::FieldError::invalid(
                "spec.podSets", variable, "at most one podSet can use minCount"
            ));
        }
        if (variable > 0 && is_elastic(workload_, gates_)) {
            errors_.push_back(api::FieldError::invalid(
                "spec.podSets",
                variable,
                "partial admission and elastic job cannot be used together"
            ));
        }
    }

    void check_template(const api::PodTemplateSpec& pod_template, const std::string& path) {
        if (gates_.is_enabled(Feature::WorkloadValidationForPodSetMetadata)) {
            append(
                errors_, validate_labels(pod_template.metadata.labels, path + ".metadata.labels")
            );
            append(
                errors_,
                validate_annotations(
                    pod_template.metadata.annotations, path + ".metadata.annotations"
                )
            );
        }
        const auto& pod = pod_template.spec;
        check_containers(pod.init_containers, path + ".spec.initContainers");
        check_containers(pod.containers, path + ".spec.containers");
        if (pod.resources) {
            check_resources(*pod.resources, path + ".spec.resources");
        }
    }

    /// Returns true if the API server accepted the template before. A Workload created by an
    /// earlier version can then still be updated, and lose its finalizers.
    bool had_template(std::size_t index) const {
        return before_ != nullptr && index < before_->spec.pod_sets.size() &&
               *before_->spec.pod_sets[index].template_ ==
                   *workload_.spec.pod_sets[index].template_;
    }

    /// Rejects amounts that the API server rejects in a pod: they would count for less than the sum
    /// of the containers.
    void check_sum(const api::PodSpec& pod, const std::string& path) {
        if (pod.overhead) {
            check_amounts(*pod.overhead, path + ".overhead");
        }
        append(errors_, validate_pod_level_requests(pod, path));
    }

    template <class Container>
    void check_containers(const std::vector<Container>& containers, const std::string& path) {
        for (std::size_t i = 0; i < containers.size(); ++i) {
            check_resources(containers[i].resources, fmt::format("{}[{}].resources", path, i));
        }
    }

    void check_resources(const api::ResourceRequirements& resources, const std::string& path) {
        check_amounts(resources.requests, path + ".requests");
        check_amounts(resources.limits, path + ".limits");
    }

    void check_amounts(const api::ResourceList& amounts, const std::string& path) {
        for (const auto& [resource, quantity] : amounts) {
            const std::string at = fmt::format("{}[{}]", path, resource);
            if (resource == kPods) {
                errors_.push_back(api::FieldError::invalid(
                    at, resource, "the key is reserved for internal kueue use"
                ));
            }
            if (gates_.is_enabled(Feature::WorkloadValidateResourcesAreNonNegative) &&
                quantity.sign() < 0) {
                errors_.push_back(api::FieldError::invalid(
                    at, quantity.to_string(), "must be greater than or equal to 0"
                ));
            }
        }
    }

    void check_slices(const api::PodSetTopologyRequest& request, const std::string& path) {
        const auto& size = request.pod_set_slice_size;
        const std::string at = path + ".podSetSliceSize";
        if (request.pod_set_slice_required_topology && !size) {
            errors_.push_back(api::FieldError::required(
                at, "must be set when podSetSliceRequiredTopology is specified"
            ));
        } else if (request.pod_set_slice_required_topology && *size <= 0) {
            errors_.push_back(api::FieldError::invalid(at, *size, "must be greater than 0"));
        } else if (!request.pod_set_slice_required_topology && size) {
            errors_.push_back(api::FieldError::forbidden(
                at, "may not be set when podSetSliceRequiredTopology is not specified"
            ));
        }
        const auto& layers = request.podset_slice_required_topology_constraints;
        for (std::size_t i = 0; i < layers.size(); ++i) {
            if (layers[i].size <= 0) {
                errors_.push_back(api::FieldError::invalid(
                    fmt::format("{}.podsetSliceRequiredTopologyConstraints[{}].size", path, i),
                    layers[i].size,
                    "must be greater than 0"
                ));
            }
        }
    }

    void check_priority_boost() {
        const auto* boost = workload_.metadata.find_annotation(api::annotation::kPriorityBoost);
        if (boost == nullptr || parse_decimal<std::int32_t>(*boost)) {
            return;
        }
        errors_.push_back(api::FieldError::invalid(
            fmt::format("metadata.annotations[{}]", api::annotation::kPriorityBoost),
            *boost,
            boost->empty() ? "must be a valid signed integer; use \"0\" explicitly, empty string "
                             "is not allowed"
                           : "must be a valid signed integer"
        ));
    }

    // Checks of the status.
    void check_admission() {
        const auto& admission = workload_.status.admission;
        if (!admission) {
            // A fault that existed before is allowed; otherwise the Workload could not be repaired
            // or finished.
            const bool was_so =
                before_ != nullptr && has_quota_reserved(*before_) && !before_->status.admission;
            if (!was_so) {
                errors_.push_back(api::FieldError::required(
                    "status.admission", "must be set while the QuotaReserved condition is true"
                ));
            }
            return;
        }
        for (std::size_t i = 0; i < admission->pod_set_assignments.size(); ++i) {
            const auto& assignment = admission->pod_set_assignments[i];
            const std::string path = fmt::format("status.admission.podSetAssignments[{}]", i);
            if (find_named(workload_.spec.pod_sets, assignment.name) == nullptr) {
                errors_.push_back(api::FieldError::not_found(path + ".name", assignment.name));
            }
            const std::int32_t count = assignment.count.value_or(0);
            if (count <= 0) {
                continue;
            }
            for (const auto& [resource, usage] : assignment.resource_usage) {
                if (amount_of(resource, usage) % count != 0) {
                    errors_.push_back(api::FieldError::invalid(
                        fmt::format("{}.resourceUsage[{}]", path, resource),
                        usage.to_string(),
                        fmt::format("is not a multiple of {}", count)
                    ));
                }
            }
        }
    }

    void check_reclaimable_pods() {
        for (const auto& reclaimable : workload_.status.reclaimable_pods) {
            const std::string path = fmt::format("status.reclaimablePods[{}]", reclaimable.name);
            const auto* pod_set = find_named(workload_.spec.pod_sets, reclaimable.name);
            if (pod_set == nullptr) {
                errors_.push_back(api::FieldError::not_supported(
                    path + ".name", reclaimable.name, pod_set_names(workload_)
                ));
            } else if (reclaimable.count > pod_set->count && !was_there(reclaimable)) {
                errors_.push_back(api::FieldError::invalid(
                    path + ".count",
                    reclaimable.count,
                    fmt::format("should be less or equal to {}", pod_set->count)
                ));
            }
        }
    }

    /// Returns true if the entry existed before. An elastic job that shrank keeps an old count
    /// until the next one is written.
    bool was_there(const api::ReclaimablePod& reclaimable) const {
        return before_ != nullptr && is_elastic(workload_, gates_) &&
               std::ranges::find(before_->status.reclaimable_pods, reclaimable) !=
                   before_->status.reclaimable_pods.end();
    }

    void check_pod_set_updates() {
        const auto& checks = workload_.status.admission_checks;
        for (std::size_t c = 0; c < checks.size(); ++c) {
            for (std::size_t i = 0; i < checks[c].pod_set_updates.size(); ++i) {
                check_pod_set_update(
                    checks[c].pod_set_updates[i],
                    fmt::format("status.admissionChecks[{}].podSetUpdates[{}]", c, i)
                );
            }
        }
    }

    void check_pod_set_update(const api::PodSetUpdate& update, const std::string& path) {
        if (find_named(workload_.spec.pod_sets, update.name) == nullptr) {
            auto names = pod_set_names(workload_);
            std::ranges::sort(names);
            errors_.push_back(api::FieldError::not_supported(path + ".name", update.name, names));
        }
        for (std::size_t i = 0; i < update.tolerations.size(); ++i) {
            const std::string& key = update.tolerations[i].key;
            if (!key.empty()) {
                append(
                    errors_,
                    validate_label_name(key, fmt::format("{}.tolerations[{}].key", path, i))
                );
            }
        }
        append(errors_, validate_annotations(update.annotations, path + ".annotations"));
        append(errors_, validate_labels(update.node_selector, path + ".nodeSelector"));
        append(errors_, validate_labels(update.labels, path + ".labels"));
    }

    // Checks of changes.
    void check_changes(const api::Workload& before) {
        if (has_quota_reserved(before)) {
            check_same_pod_sets(before);
            if (!is_true(before.status.conditions, api::condition::kFinished)) {
                check_same_job(before);
            }
            if (has_quota_reserved(workload_)) {
                check_growing_reclaimable_pods(before);
            }
        }
        check_same_admission(before);
        check_same_updates(before);
        check_cluster_name(before);
        if (gates_.is_enabled(Feature::AdmissionGatedBy)) {
            append(errors_, validate_admission_gates_update(before.metadata, workload_.metadata));
        }
    }

    /// The label identifies the job whose pods use the quota after the Workload has lost its owner.
    void check_same_job(const api::Workload& before) {
        const std::string* was = before.metadata.find_label(api::label::kJobUid);
        const std::string* is = workload_.metadata.find_label(api::label::kJobUid);
        if (was != nullptr && (is == nullptr || *is != *was)) {
            errors_.push_back(api::FieldError::immutable(
                fmt::format("metadata.labels[{}]", api::label::kJobUid),
                is == nullptr ? json::Value() : json::Value(*is)
            ));
        }
    }

    void check_same_pod_sets(const api::Workload& before) {
        const auto& old_sets = before.spec.pod_sets;
        const auto& new_sets = workload_.spec.pod_sets;
        if (old_sets.size() != new_sets.size()) {
            errors_.push_back(api::FieldError::immutable("spec.podSets", list_value(new_sets)));
            return;
        }
        for (std::size_t i = 0; i < new_sets.size(); ++i) {
            api::PodSet comparable = new_sets[i];
            if (gates_.is_enabled(Feature::ElasticJobsViaWorkloadSlices)) {
                comparable.count = std::max(comparable.count, old_sets[i].count);
            }
            if (comparable != old_sets[i]) {
                errors_.push_back(api::FieldError::immutable(
                    fmt::format("spec.podSets.{}", i), api::to_value(comparable)
                ));
            }
        }
    }

    template <class T>
    static json::Value list_value(const std::vector<T>& list) {
        json::Array values;
        for (const T& item : list) {
            values.push_back(api::to_value(item));
        }
        return values;
    }

    /// A job that shrinks loses pods that were reclaimable. They are removed before its pod sets
    /// shrink; in the opposite order, quota of running pods would be free for a moment.
    void check_growing_reclaimable_pods(const api::Workload& before) {
        if (is_elastic(workload_, gates_)) {
            return;
        }
        for (const auto& old : before.status.reclaimable_pods) {
            const std::string path = fmt::format("status.reclaimablePods[{}]", old.name);
            const auto* now = find_named(workload_.status.reclaimable_pods, old.name);
            if (now == nullptr) {
                errors_.push_back(api::FieldError::required(path, "cannot be removed"));
            } else if (now->count < old.count) {
                errors_.push_back(api::FieldError::invalid(
                    path + ".count", now->count, fmt::format("cannot be less than {}", old.count)
                ));
            }
        }
    }

    /// The admission may be set and removed; only its topology assignment may change.
    void check_same_admission(const api::Workload& before) {
        const auto& now = workload_.status.admission;
        if (!before.status.admission || !now) {
            return;
        }
        api::Admission old = *before.status.admission;
        if (gates_.is_enabled(Feature::TopologyAwareScheduling) &&
            old.pod_set_assignments.size() == now->pod_set_assignments.size()) {
            for (std::size_t i = 0; i < old.pod_set_assignments.size(); ++i) {
                const auto& assignment = now->pod_set_assignments[i];
                old.pod_set_assignments[i].topology_assignment = assignment.topology_assignment;
                old.pod_set_assignments[i].delayed_topology_request =
                    assignment.delayed_topology_request;
            }
        }
        if (old != *now) {
            errors_.push_back(api::FieldError::immutable("status.admission", api::to_value(*now)));
        }
    }

    void check_same_updates(const api::Workload& before) {
        const auto& checks = before.status.admission_checks;
        for (std::size_t i = 0; i < checks.size(); ++i) {
            const auto* now = find_named(workload_.status.admission_checks, checks[i].name);
            if (now != nullptr && now->state == api::check_state::kReady &&
                checks[i].state == api::check_state::kReady &&
                now->pod_set_updates != checks[i].pod_set_updates) {
                errors_.push_back(api::FieldError::immutable(
                    fmt::format("status.admissionChecks[{}].podSetUpdates", i),
                    list_value(now->pod_set_updates)
                ));
            }
        }
    }

    void check_cluster_name(const api::Workload& before) {
        const std::string& name = workload_.status.cluster_name;
        const auto& nominated = before.status.nominated_cluster_names;
        const bool is_replacement =
            gates_.is_enabled(Feature::ElasticJobsViaWorkloadSlices) &&
            workload_.metadata.find_annotation(api::annotation::kWorkloadSliceReplacementFor) !=
                nullptr;
        if (is_replacement || name.empty() || !before.status.cluster_name.empty() ||
            std::ranges::find(nominated, name) != nominated.end()) {
            return;
        }
        errors_.push_back(api::FieldError::invalid(
            "status.clusterName",
            name,
            "when setting clusterName it must be one of the nominatedClusterNames"
        ));
    }

    const api::Workload& workload_;
    const api::Workload* before_;
    const config::FeatureGates& gates_;
    api::FieldErrors errors_;
};

}  // namespace

api::FieldErrors validate_pod_level_requests(const api::PodSpec& pod, const std::string& path) {
    api::FieldErrors errors;
    const api::PodResources resources = api::effective_resources(pod);
    if (!resources.pod_level) {
        return errors;
    }
    for (const auto& resource : api::pod_level_requests_below_containers(resources)) {
        errors.push_back(api::FieldError::invalid(
            fmt::format("{}.resources.requests[{}]", path, resource),
            resources.pod_level->requests.at(resource).to_string(),
            fmt::format(
                "must be greater than or equal to aggregate container requests of {}",
                api::container_requests(resources).at(resource).to_string()
            )
        ));
    }
    return errors;
}

api::FieldErrors validate(const api::Workload& workload, const config::FeatureGates& gates) {
    return WorkloadRules(workload, nullptr, gates).run();
}

api::FieldErrors validate_update(
    const api::Workload& before, const api::Workload& after, const config::FeatureGates& gates
) {
    return WorkloadRules(after, &before, gates).run();
}

}  // namespace sluice::validation
