// Settings of the reconcilers, taken from the Configuration and the feature gates.
#pragma once

#include "api/meta/label_selector.hpp"
#include "config/configuration.hpp"
#include "workload/pods/translation_settings.hpp"

#include <functional>
#include <optional>
#include <set>
#include <string>
#include <vector>

namespace sluice::controller {

/// The feature gates that say when a node of a topology assignment has failed.
struct NodeFailureGates {
    bool replacement = true;         ///< TASFailedNodeReplacement
    bool on_pod_termination = true;  ///< TASReplaceNodeOnPodTermination
    bool on_taints = true;           ///< TASReplaceNodeOnNodeTaints
    bool after_fixed_time = false;   ///< TASReplaceNodeDueToNotReadyOverFixedTime
};

/// The part of the Configuration and the feature gates that reconcilers use.
struct Settings {
    std::string namespace_ = "kueue-system";  ///< namespace of the controller's own objects
    bool manage_jobs_without_queue_name = false;
    std::optional<api::Selector> managed_jobs_namespaces;  ///< all namespaces if nullopt
    /// Manage only pods gated by another integration: `pod` was enabled implicitly, not by the
    /// configuration.
    bool manages_held_pods_alone = false;
    std::vector<std::string> label_keys_to_copy;
    std::vector<std::string> annotation_keys_to_copy;
    bool fair_sharing = false;
    std::optional<config::WaitForPodsReady> wait_for_pods_ready;  ///< off if nullopt
    config::WorkloadRetention retention;
    std::optional<config::AdmissionFairSharing> admission_fair_sharing;  ///< off if nullopt
    // Feature gates with their defaults.
    workload::TranslationGates gates;
    NodeFailureGates node_failure_gates;
    bool multi_layer_topology = true;  ///< TASMultiLayerTopology
    bool partial_admission = true;
    bool elastic_jobs = true;
    bool elastic_topologies = false;  ///< ElasticJobsViaWorkloadSlicesWithTAS
    bool assign_queue_labels_for_pods = true;
    bool workload_priority_class_defaulting = true;
    bool finish_orphaned_workloads = true;
    bool short_workload_names = false;
    bool workload_identifier_annotations = true;
    bool defer_ray_service_finalization = true;
    bool fast_quota_release_of_pods = false;
};

}  // namespace sluice::controller
