#include "controller/jobs/described/ray_admission.hpp"

#include "api/kueue/kueue_names.hpp"
#include "controller/jobs/described/ray_job.hpp"
#include "validation/job_rules.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <string>

namespace sluice::controller {

namespace {

using api::FieldErrors;

constexpr std::size_t kPodSetsMax = 18;

const RayJob& ray(const GenericJob& job) {
    return static_cast<const RayJob&>(job);
}

const json::Array& groups_of(const json::Value& cluster) {
    static const json::Array kNone;
    const json::Value* groups = cluster.find("workerGroupSpecs");
    return groups != nullptr && groups->is_array() ? groups->as_array() : kNone;
}

bool autoscales(const json::Value& cluster) {
    const json::Value* value = cluster.find("enableInTreeAutoscaling");
    return value != nullptr && value->is_bool() && value->as_bool();
}

void check_groups(const json::Value& cluster, const std::string& path, FieldErrors& errors) {
    const json::Array& groups = groups_of(cluster);
    if (groups.size() + 1 > kPodSetsMax) {
        errors.push_back(
            api::FieldError::too_many(path + ".workerGroupSpecs", groups.size() + 1, kPodSetsMax)
        );
    }
    for (std::size_t i = 0; i < groups.size(); ++i) {
        if (groups[i].is_object() && groups[i].string_at("groupName") == "head") {
            errors.push_back(api::FieldError::forbidden(
                fmt::format("{}.workerGroupSpecs[{}].groupName", path, i),
                "\"head\" is reserved for the head group"
            ));
        }
    }
}

void check_gate(const json::Value& group, const std::string& path, FieldErrors& errors) {
    const json::Value* gates = group.find_path({"template", "spec", "schedulingGates"});
    const auto is_gate = [](const json::Value& gate) {
        return gate.is_object() && gate.string_at("name") == api::scheduling_gate::kElasticJob;
    };
    if (gates == nullptr || !gates->is_array() ||
        std::ranges::none_of(gates->as_array(), is_gate)) {
        errors.push_back(api::FieldError::invalid(
            path + ".template.spec.schedulingGates",
            gates == nullptr ? json::Value() : *gates,
            "an elastic job must have the ElasticJobSchedulingGate"
        ));
    }
}

void check_elastic_cluster(const json::Value& cluster, FieldErrors& errors) {
    const json::Array& groups = groups_of(cluster);
    for (std::size_t i = 0; i < groups.size(); ++i) {
        check_gate(groups[i], fmt::format("spec.workerGroupSpecs[{}]", i), errors);
    }
    if (const json::Value* head = cluster.find("headGroupSpec")) {
        check_gate(*head, "spec.headGroupSpec", errors);
    }
    if (autoscales(cluster) &&
        cluster.string_at("managedBy") == api::check_controller::kMultiKueue) {
        errors.push_back(api::FieldError::forbidden(
            "spec.enableInTreeAutoscaling",
            "in-tree autoscaling is not supported for a MultiKueue-managed elastic RayCluster"
        ));
    }
}

/// Checks a RayCluster that a user created.
void check_cluster(const RayJob& job, const AdmissionContext& context, FieldErrors& errors) {
    const json::Value* cluster = job.cluster_spec();
    if (cluster == nullptr) {
        return;
    }
    if (validation::asks_to_be_elastic(job.metadata(), context.gates)) {
        check_elastic_cluster(*cluster, errors);
    } else if (autoscales(*cluster)) {
        errors.push_back(api::FieldError::invalid(
            "spec.enableInTreeAutoscaling",
            true,
            fmt::format(
                "a kueue-managed RayCluster can use autoscaling only as an elastic job: enable the "
                "ElasticJobsViaWorkloadSlices feature gate and set the \"{}\": \"true\" annotation",
                api::annotation::kElasticJob
            )
        ));
    }
    check_groups(*cluster, "spec", errors);
}

/// Checks the cluster that a RayJob or RayService creates.
void check_made_cluster(const RayJob& job, FieldErrors& errors) {
    const json::Value* cluster = job.cluster_spec();
    if (cluster == nullptr) {
        return;
    }
    const std::string path(ray_cluster_spec_path(job.description().kind));
    if (autoscales(*cluster) &&
        find_value(job.metadata().annotations, api::annotation::kElasticJob) != "true") {
        errors.push_back(api::FieldError::invalid(
            path + ".enableInTreeAutoscaling",
            true,
            "a kueue managed job should only use autoscaling when workload slicing is enabled"
        ));
    }
    check_groups(*cluster, path, errors);
}

FirstRules check_job(const RayJob& job) {
    const json::Value* selector = job.value().find_path({"spec", "clusterSelector"});
    const bool selects =
        selector != nullptr && selector->is_object() && !selector->as_object().empty();
    const bool has_cluster = job.cluster_spec() != nullptr;
    if (selects) {
        FirstRules rules{.errors = {}, .are_all = true};
        if (has_cluster) {
            rules.errors.push_back(api::FieldError::invalid(
                "spec.clusterSelector",
                *selector,
                "a kueue managed job should not use an existing cluster"
            ));
        }
        return rules;
    }
    if (!has_cluster) {
        return {
            .errors = {api::FieldError::required(
                "spec.rayClusterSpec",
                "rayClusterSpec is required for Kueue-managed jobs that don't use clusterSelector"
            )},
            .are_all = true,
        };
    }
    FirstRules rules;
    const json::Value* shutdown = job.value().find_path({"spec", "shutdownAfterJobFinishes"});
    if (shutdown == nullptr || !shutdown->is_bool() || !shutdown->as_bool()) {
        rules.errors.push_back(api::FieldError::invalid(
            "spec.shutdownAfterJobFinishes",
            false,
            "a kueue managed job should delete the cluster after finishing"
        ));
    }
    check_made_cluster(job, rules.errors);
    return rules;
}

}  // namespace

void RayAdmission::gate_pods(json::Value& object) const {
    if (description().kind != "RayJob") {
        DescribedAdmission::gate_pods(object);
    }
}

bool RayAdmission::is_judged_on_update(
    const GenericJob& before, const GenericJob& after, const AdmissionContext& context
) const {
    return is_judged_where_queued(before, after, context);
}

TopologyStyle RayAdmission::topology_style() const {
    if (description().kind == "RayCluster") {
        return {
            .unreadable = TopologyStyle::Unreadable::FirstAlone,
            .groups = TopologyStyle::Groups::AfterFirstAnnotations
        };
    }
    return {.groups = TopologyStyle::Groups::AfterFirst};
}

FirstRules RayAdmission::validate_first(const GenericJob& job, const AdmissionContext& context)
    const {
    if (!context.settings.manage_jobs_without_queue_name && !names_queue(job)) {
        return {};
    }
    const RayJob& made = ray(job);
    if (description().kind == "RayJob") {
        return check_job(made);
    }
    FirstRules rules;
    if (description().kind == "RayCluster") {
        check_cluster(made, context, rules.errors);
    } else {
        check_made_cluster(made, rules.errors);
    }
    return rules;
}

}  // namespace sluice::controller
