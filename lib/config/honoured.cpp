#include "config/honoured.hpp"

#include "config/validation.hpp"

#include <algorithm>
#include <cstddef>
#include <iterator>
#include <string_view>
#include <utility>

namespace sluice::config {
namespace {

/// Settings by path, each with true if a file changed it from its default.
using Changed = std::vector<std::pair<std::string_view, bool>>;

Changed process_settings(const Configuration& c, const Configuration& d) {
    return {
        {"namespace", c.namespace_ != d.namespace_},
        {"manageJobsWithoutQueueName",
         c.manage_jobs_without_queue_name != d.manage_jobs_without_queue_name},
        {"managedJobsNamespaceSelector",
         c.managed_jobs_namespace_selector != d.managed_jobs_namespace_selector},
        {"webhook", c.webhook != d.webhook},
        {"leaderElection", c.leader_election != d.leader_election},
        {"metrics.bindAddress", c.metrics.bind_address != d.metrics.bind_address},
        {"metrics.enableClusterQueueResources",
         c.metrics.enable_cluster_queue_resources != d.metrics.enable_cluster_queue_resources},
        {"metrics.customLabels", c.metrics.custom_labels != d.metrics.custom_labels},
        {"metrics.localQueueMetrics.enable",
         c.metrics.local_queue_metrics.enable != d.metrics.local_queue_metrics.enable},
        {"metrics.localQueueMetrics.localQueueSelector",
         c.metrics.local_queue_metrics.local_queue_selector !=
             d.metrics.local_queue_metrics.local_queue_selector},
        {"health", c.health != d.health},
        {"pprofBindAddress", c.pprof_bind_address != d.pprof_bind_address},
        {"controller.groupKindConcurrency",
         c.controller.group_kind_concurrency != d.controller.group_kind_concurrency},
        {"controller.cacheSyncTimeout",
         c.controller.cache_sync_timeout != d.controller.cache_sync_timeout},
        {"tls", c.tls != d.tls},
        {"internalCertManagement", c.internal_cert_management != d.internal_cert_management},
        {"clientConnection", c.client_connection != d.client_connection},
        {"visibilityServer", c.visibility_server != d.visibility_server},
    };
}

Changed policy_settings(const Configuration& c, const Configuration& d) {
    return {
        {"waitForPodsReady", c.is_wait_for_pods_ready_set},
        {"integrations.externalFrameworks",
         c.integrations.external_frameworks != d.integrations.external_frameworks},
        {"integrations.jobKinds", c.integrations.job_kinds != d.integrations.job_kinds},
        {"integrations.labelKeysToCopy",
         c.integrations.label_keys_to_copy != d.integrations.label_keys_to_copy},
        {"multiKueue", c.multi_kueue != d.multi_kueue},
        {"fairSharing", c.fair_sharing != d.fair_sharing},
        {"admissionFairSharing", c.admission_fair_sharing != d.admission_fair_sharing},
        {"resources.quotaCheckStrategy",
         c.resources.quota_check_strategy != d.resources.quota_check_strategy},
        {"resources.excludeResourcePrefixes",
         c.resources.exclude_resource_prefixes != d.resources.exclude_resource_prefixes},
        {"resources.transformations", c.resources.transformations != d.resources.transformations},
        {"resources.deviceClassMappings",
         c.resources.device_class_mappings != d.resources.device_class_mappings},
        {"objectRetentionPolicies", c.workload_retention != d.workload_retention},
    };
}

/// Returns true if the set has the path or a parent of it.
bool covers(const std::set<std::string>& settings, std::string_view path) {
    while (true) {
        if (settings.contains(std::string(path))) {
            return true;
        }
        const auto dot = path.rfind('.');
        if (dot == std::string_view::npos) {
            return false;
        }
        path = path.substr(0, dot);
    }
}

}  // namespace

Honoured honoured_by_controller() {
    return {
        .settings =
            {"namespace",
             "managedJobsNamespaceSelector",
             "manageJobsWithoutQueueName",
             "webhook",
             "tls",
             "visibilityServer",
             "leaderElection",
             "metrics.bindAddress",
             "metrics.enableClusterQueueResources",
             "metrics.customLabels",
             "metrics.localQueueMetrics",
             "health",
             "pprofBindAddress",
             // Sluice stays within these limits anyway: one loop reconciles and does not wait for
             // writes.
             "controller.groupKindConcurrency",
             "controller.cacheSyncTimeout",
             "internalCertManagement",
             "clientConnection",
             "fairSharing",
             "integrations.externalFrameworks",
             "integrations.jobKinds",
             "integrations.labelKeysToCopy",
             "resources.quotaCheckStrategy",
             "resources.excludeResourcePrefixes",
             "resources.transformations",
             "waitForPodsReady",
             "objectRetentionPolicies",
             "admissionFairSharing"},
    };
}

Honoured honoured_by_schedule() {
    auto made = honoured_by_controller();
    const Configuration none;
    for (const auto& [path, changed] : process_settings(none, none)) {
        made.settings.emplace(path);
    }
    made.settings.insert(
        {"admissionFairSharing", "fairSharing", "resources", "waitForPodsReady", "integrations"}
    );
    return made;
}

std::vector<Problem> unsupported_settings(
    const Configuration& configuration, const FeatureGates& gates, const Honoured& honoured
) {
    const auto defaults = default_configuration(configuration.namespace_);
    constexpr const char* kFault = "is not supported";
    std::vector<Problem> found;
    for (const auto& settings :
         {process_settings(configuration, defaults), policy_settings(configuration, defaults)}) {
        for (const auto& [path, changed] : settings) {
            if (changed && !covers(honoured.settings, path)) {
                found.push_back({.path = std::string(path), .why = kFault});
            }
        }
    }
    for (std::size_t i = 0; i < kFeatures.size(); ++i) {
        const auto feature = static_cast<Feature>(i);
        // Many features that are not implemented are on by default. A file that names such a gate
        // asks for the feature.
        const bool is_asked_for =
            gates.is_enabled(feature) && (!kFeatures[i].default_on || gates.is_named(feature));
        if (kFeatures[i].build == FeatureBuild::NotBuilt && is_asked_for) {
            found.push_back(gates.problem_of(to_string(feature), kFault));
        }
    }
    return found;
}

}  // namespace sluice::config
