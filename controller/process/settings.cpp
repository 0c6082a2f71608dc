#include "controller/process/settings.hpp"

#include "config/honoured.hpp"
#include "config/validation.hpp"
#include "controller/jobs/members/serving_names.hpp"
#include "workload/translation/options.hpp"

#include <algorithm>
#include <chrono>
#include <map>
#include <set>
#include <string>
#include <string_view>

namespace sluice::controller {

using config::Feature;

namespace {

/// Copies the labels that metrics use from jobs to Workloads: metrics read them from Workloads,
/// users set them on jobs.
void copy_sources_of_labels(const std::vector<config::CustomLabel>& labels, Settings& settings) {
    for (const config::CustomLabel& label : labels) {
        if (label.source_kind != "Workload") {
            continue;
        }
        if (!label.source_annotation_key.empty()) {
            settings.annotation_keys_to_copy.push_back(label.source_annotation_key);
        } else {
            settings.label_keys_to_copy.push_back(
                label.source_label_key.empty() ? label.name : label.source_label_key
            );
        }
    }
}

bool manages_held_pods_alone(const config::Configuration& configuration) {
    const auto& frameworks = configuration.integrations.frameworks;
    const auto lists = [&frameworks](std::string_view name) {
        return std::ranges::find(frameworks, name) != frameworks.end();
    };
    return !lists("pod") &&
           (lists(kDeployments) || lists(kStatefulSets) || lists(kLeaderWorkerSets));
}

}  // namespace

Result<Settings> make_settings(
    const config::Configuration& configuration, const config::FeatureGates& gates
) {
    Settings settings;
    auto selector = api::Selector::make(configuration.managed_jobs_namespace_selector);
    if (!selector) {
        return with_context(selector.error(), "managedJobsNamespaceSelector");
    }
    settings.namespace_ = configuration.namespace_;
    settings.manage_jobs_without_queue_name = configuration.manage_jobs_without_queue_name;
    settings.managed_jobs_namespaces = std::move(*selector);
    settings.manages_held_pods_alone = manages_held_pods_alone(configuration);
    settings.label_keys_to_copy = configuration.integrations.label_keys_to_copy;
    if (gates.is_enabled(Feature::CustomMetricLabels)) {
        copy_sources_of_labels(configuration.metrics.custom_labels, settings);
    }
    settings.fair_sharing = configuration.fair_sharing.has_value();
    settings.wait_for_pods_ready = config::effective_wait_for_pods_ready(configuration, gates);
    if (gates.is_enabled(Feature::AdmissionFairSharing)) {
        settings.admission_fair_sharing = configuration.admission_fair_sharing;
    }
    settings.retention = configuration.workload_retention;
    settings.gates = workload::make_translation_settings(configuration, gates).gates;
    settings.node_failure_gates = {
        .replacement = gates.is_enabled(Feature::TASFailedNodeReplacement),
        .on_pod_termination = gates.is_enabled(Feature::TASReplaceNodeOnPodTermination),
        .on_taints = gates.is_enabled(Feature::TASReplaceNodeOnNodeTaints),
        .after_fixed_time = gates.is_enabled(Feature::TASReplaceNodeDueToNotReadyOverFixedTime),
    };
    settings.multi_layer_topology = gates.is_enabled(Feature::TASMultiLayerTopology);
    settings.partial_admission = gates.is_enabled(Feature::PartialAdmission);
    settings.elastic_jobs = gates.is_enabled(Feature::ElasticJobsViaWorkloadSlices);
    settings.elastic_topologies = gates.is_enabled(Feature::ElasticJobsViaWorkloadSlicesWithTAS);
    settings.assign_queue_labels_for_pods = gates.is_enabled(Feature::AssignQueueLabelsForPods);
    settings.workload_priority_class_defaulting =
        gates.is_enabled(Feature::WorkloadPriorityClassDefaulting);
    settings.finish_orphaned_workloads = gates.is_enabled(Feature::FinishOrphanedWorkloads);
    settings.workload_identifier_annotations =
        gates.is_enabled(Feature::WorkloadIdentifierAnnotations);
    settings.defer_ray_service_finalization =
        gates.is_enabled(Feature::DeferRayServiceFinalizationForRedisCleanup);
    settings.fast_quota_release_of_pods =
        gates.is_enabled(Feature::FastQuotaReleaseInPodIntegration);
    settings.short_workload_names = gates.is_enabled(Feature::ShortWorkloadNames);
    return settings;
}

engine::Options make_engine_options(
    const config::Configuration& configuration,
    const config::FeatureGates& gates,
    std::uint64_t hash_seed
) {
    engine::Options options = workload::make_engine_options(configuration, gates);
    options.wake_batch = std::chrono::milliseconds(100);
    options.second_pass_delay = std::chrono::seconds(1);
    options.hash_seed = hash_seed;
    return options;
}

std::vector<metrics::CustomLabel> make_custom_labels(const std::vector<config::CustomLabel>& labels
) {
    const std::map<std::string_view, metrics::LabelSource> sources{
        {"ClusterQueue", metrics::LabelSource::ClusterQueue},
        {"Cohort", metrics::LabelSource::Cohort},
        {"LocalQueue", metrics::LabelSource::LocalQueue},
        {"Workload", metrics::LabelSource::Workload},
    };
    std::vector<metrics::CustomLabel> made;
    made.reserve(labels.size());
    for (const config::CustomLabel& label : labels) {
        made.push_back(
            {.name = label.name,
             .source = sources.at(label.source_kind),
             .label_key = label.source_label_key,
             .annotation_key = label.source_annotation_key,
             .tracked_values = label.tracked_values}
        );
    }
    return made;
}

}  // namespace sluice::controller
