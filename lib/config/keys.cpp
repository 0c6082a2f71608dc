#include "config/keys.hpp"

#include "config/name_rules.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <array>
#include <chrono>
#include <cstdint>
#include <utility>

namespace sluice::config {
namespace {

constexpr auto kV1beta1 = ApiVersion::V1beta1;
constexpr auto kV1beta2 = ApiVersion::V1beta2;
constexpr Traits kOnlyV1beta2{.version = kV1beta2};

void check_webhook_port(const Checking& at, std::int32_t port) {
    if (port < 0 || port > 65535) {
        at.add(fmt::format("{} is not a port", port));
    }
}

constexpr std::array kWebhook = {
    key<&Webhook::port, check_webhook_port>("port"),
    key<&Webhook::host>("host"),
    key_or_default<&Webhook::cert_dir>("certDir"),
};

constexpr std::array kHealth = {
    key_or_default<&Health::health_probe_bind_address>("healthProbeBindAddress"),
    key_or_default<&Health::readiness_endpoint_name>("readinessEndpointName"),
    key_or_default<&Health::liveness_endpoint_name>("livenessEndpointName"),
};

void check_tls_version(const Checking& at, const std::string& version) {
    check_one_of(at, version, {"", "VersionTLS12", "VersionTLS13"});
}

constexpr std::array kTls = {
    key<&TlsOptions::min_version, check_tls_version>("minVersion"),
    key<&TlsOptions::cipher_suites>("cipherSuites"),
    key<&TlsOptions::curve_preferences>("curvePreferences"),
};

constexpr std::array kInternalCertManagement = {
    key<&InternalCertManagement::enable>("enable"),
    key<&InternalCertManagement::webhook_service_name>("webhookServiceName"),
    key<&InternalCertManagement::webhook_secret_name>("webhookSecretName"),
};

constexpr std::array kClientConnection = {
    key<&ClientConnection::qps>("qps"),
    key<&ClientConnection::burst>("burst"),
};

constexpr std::array kLeaderElection = {
    key<&LeaderElection::leader_elect>("leaderElect"),
    key_or_default<&LeaderElection::lease_duration>("leaseDuration"),
    key_or_default<&LeaderElection::renew_deadline>("renewDeadline"),
    key_or_default<&LeaderElection::retry_period>("retryPeriod"),
    key_or_default<&LeaderElection::resource_lock>("resourceLock"),
    key_or_default<&LeaderElection::resource_name>("resourceName"),
    key<&LeaderElection::resource_namespace>("resourceNamespace"),
};

constexpr std::array kCustomLabel = {
    key<&CustomLabel::name>("name"),
    key<&CustomLabel::source_label_key>("sourceLabelKey"),
    key<&CustomLabel::source_annotation_key>("sourceAnnotationKey"),
    key<&CustomLabel::source_kind>("sourceKind", kOnlyV1beta2),
    key<&CustomLabel::tracked_values>("trackedValues", kOnlyV1beta2),
};

constexpr std::array kLocalQueueMetrics = {
    key<&LocalQueueMetrics::enable>("enable"),
    key<&LocalQueueMetrics::local_queue_selector>("localQueueSelector"),
};

constexpr std::array kMetrics = {
    key_or_default<&Metrics::bind_address>("bindAddress"),
    key<&Metrics::enable_cluster_queue_resources>("enableClusterQueueResources"),
    object_list<&Metrics::custom_labels, kCustomLabel, check_custom_labels>("customLabels"),
    object<&Metrics::local_queue_metrics, kLocalQueueMetrics>("localQueueMetrics"),
};

/// Reads an integer of nanoseconds: Kueue has a plain Go duration here, not a metav1.Duration.
void read_nanoseconds(
    StrictReader& reader, std::string_view name, ControllerOptions& out, ApiVersion
) {
    const auto* timeout = reader.take(name);
    if (timeout == nullptr) {
        return;
    }
    if (!timeout->is_int()) {
        reader.problems().add(reader.path_of(name), "must be a whole number of nanoseconds");
        return;
    }
    out.cache_sync_timeout = Duration(timeout->as_int());
}

// Sluice stays within these limits anyway: one loop reconciles and does not wait for writes.
constexpr std::array kController = {
    key<&ControllerOptions::group_kind_concurrency>("groupKindConcurrency"),
    key<&ControllerOptions::cache_sync_timeout>("cacheSyncTimeout").read_by(read_nanoseconds),
};

void check_requeuing_timestamp(const Checking& at, const std::string& timestamp) {
    check_one_of(at, timestamp, {"Creation", "Eviction"});
}

constexpr std::array kRequeuingStrategy = {
    key<&RequeuingStrategy::timestamp, check_requeuing_timestamp>("timestamp"),
    key<&RequeuingStrategy::backoff_limit_count, NotNegative{}>("backoffLimitCount"),
    key<&RequeuingStrategy::backoff_base_seconds, NotNegative{}>("backoffBaseSeconds"),
    key<&RequeuingStrategy::backoff_max_seconds, NotNegative{}>("backoffMaxSeconds"),
};

void check_ready_timeout(const Checking& at, Duration timeout) {
    if (timeout == Duration::zero()) {
        at.add("must be specified");
    }
    NotNegative{}(at, timeout);
}

/// Reads waitForPodsReady.timeout, which is optional in v1beta1, so that zero differs from an
/// absent one. The recovery timeout is equal to it unless set.
void read_ready_timeout(
    StrictReader& reader, std::string_view name, WaitForPodsReady& out, ApiVersion version
) {
    if (version == kV1beta1) {
        reader.read(name, out.timeout);
    } else {
        read_unless_empty(reader, name, out.timeout);
    }
    out.recovery_timeout = out.timeout;
}

constexpr std::array kWaitForPodsReady = {
    key<&WaitForPodsReady::timeout, check_ready_timeout>("timeout").read_by(read_ready_timeout),
    key<&WaitForPodsReady::block_admission>("blockAdmission"),
    key<&WaitForPodsReady::recovery_timeout, NotNegative{}>("recoveryTimeout"),
    object<&WaitForPodsReady::requeuing_strategy, kRequeuingStrategy>("requeuingStrategy"),
};

/// Objects of v1beta1 that are off unless their key `enable` is true.
struct Switch {
    bool enable;
};

constexpr std::array kSwitch = {key<&Switch::enable>("enable", {.version = kV1beta1})};

/// Reads waitForPodsReady, which is on in v1beta2. v1beta1 has other defaults.
void read_wait_for_pods_ready(
    StrictReader& reader, std::string_view name, Configuration& out, ApiVersion version
) {
    Switch on{.enable = version == kV1beta2};
    WaitForPodsReady wait;
    if (version == kV1beta1) {
        wait.timeout = minutes(5);
        wait.recovery_timeout = wait.timeout;
        wait.block_admission = true;
    }
    reader.object(name, [&](StrictReader& inner) {
        read_keys(kSwitch, inner, on, version);
        read_keys(kWaitForPodsReady, inner, wait, version);
    });
    out.wait_for_pods_ready = on.enable ? std::optional(std::move(wait)) : std::nullopt;
}

// managedJobsNamespaceSelector replaced these selectors.
constexpr std::array kPodOptions = {
    dropped<Integrations, api::LabelSelector>("namespaceSelector"),
    dropped<Integrations, api::LabelSelector>("podSelector"),
};

constexpr std::array kIntegrations = {
    key_or_default<&Integrations::frameworks>("frameworks"),
    key<&Integrations::external_frameworks>("externalFrameworks"),
    key<&Integrations::label_keys_to_copy>("labelKeysToCopy"),
    key<&Integrations::job_kinds>("jobKinds"),
    group<kPodOptions>("podOptions", kV1beta1),
};

constexpr std::array kExternalFramework = {key<&ExternalFramework::name>("name")};

using Variable = std::pair<std::string, std::string>;

constexpr std::array kVariable = {
    key<&Variable::first>("name"),
    key<&Variable::second>("value"),
};

constexpr std::array kExecConfig = {
    key<&AccessProvider::command>("command"),
    key<&AccessProvider::args>("args"),
    object_list<&AccessProvider::env, kVariable>("env"),
    key<&AccessProvider::api_version>("apiVersion"),
    key<&AccessProvider::install_hint>("installHint"),
    key<&AccessProvider::provide_cluster_info>("provideClusterInfo"),
    key<&AccessProvider::interactive_mode>("interactiveMode"),
};

constexpr std::array kAccessProvider = {
    key<&AccessProvider::name>("name"),
    group<kExecConfig>("execConfig"),
};

constexpr std::array kClusterProfile = {
    object_list<&MultiKueue::access_providers, kAccessProvider>("accessProviders"),
    object_list<&MultiKueue::credentials_providers, kAccessProvider>("credentialsProviders"),
};

constexpr std::array kIncrementalDispatcher = {key<&IncrementalDispatcher::step_size>("stepSize")};

constexpr std::array kMultiKueue = {
    key<&MultiKueue::gc_interval, NotNegative{}>("gcInterval"),
    key_or_default<&MultiKueue::origin>("origin"),
    key<&MultiKueue::worker_lost_timeout, NotNegative{}>("workerLostTimeout"),
    key<&MultiKueue::dispatcher_name>("dispatcherName"),
    object_list<&MultiKueue::external_frameworks, kExternalFramework>("externalFrameworks"),
    group<kClusterProfile>("clusterProfile", kV1beta2),
    object<&MultiKueue::incremental_dispatcher, kIncrementalDispatcher>(
        "incrementalDispatcherConfig", kOnlyV1beta2
    ),
};

void check_preemption_strategies(const Checking& at, const std::vector<std::string>& strategies) {
    const std::string final_share = "LessThanOrEqualToFinalShare";
    const std::string initial_share = "LessThanInitialShare";
    const std::vector<std::vector<std::string>> allowed = {
        {final_share}, {initial_share}, {final_share, initial_share}
    };
    if (strategies.empty()) {
        at.add("must be specified");
    } else if (std::ranges::find(allowed, strategies) == allowed.end()) {
        at.add(fmt::format(
            "[{}] is not one of [{}], [{}], [{}, {}]",
            fmt::join(strategies, ", "),
            final_share,
            initial_share,
            final_share,
            initial_share
        ));
    }
}

constexpr std::array kFairSharing = {
    key<&FairSharing::preemption_strategies, check_preemption_strategies>("preemptionStrategies")
};

/// Reads fairSharing, which is on in v1beta2. v1beta1 has default strategies.
void read_fair_sharing(
    StrictReader& reader, std::string_view name, Configuration& out, ApiVersion version
) {
    Switch on{.enable = version == kV1beta2};
    FairSharing sharing;
    const bool is_set = reader.object(name, [&](StrictReader& inner) {
        read_keys(kSwitch, inner, on, version);
        read_keys(kFairSharing, inner, sharing, version);
    });
    if (version == kV1beta1 && sharing.preemption_strategies.empty()) {
        sharing.preemption_strategies = {"LessThanOrEqualToFinalShare", "LessThanInitialShare"};
    }
    if (is_set && on.enable) {
        out.fair_sharing = std::move(sharing);
    }
}

using Admission = AdmissionFairSharing;

void check_sampling_interval(const Checking& at, Duration interval) {
    // Each sample writes a status, and times in a status have whole seconds.
    if (interval < std::chrono::seconds(1)) {
        at.add("must be at least 1s");
    }
}

constexpr std::array kAdmissionFairSharing = {
    key<&Admission::usage_half_life_time, NotNegative{}>("usageHalfLifeTime"),
    key_or_default<&Admission::usage_sampling_interval, check_sampling_interval>(
        "usageSamplingInterval"
    ),
    key<&Admission::resource_weights, NotNegative{}>("resourceWeights"),
};

constexpr std::array kTransformation = {
    key<&ResourceTransformation::input>("input"),
    key_or_default<&ResourceTransformation::strategy>("strategy"),
    key<&ResourceTransformation::multiply_by>("multiplyBy"),
    key<&ResourceTransformation::outputs>("outputs"),
};

constexpr std::array kCel = {key<&DeviceSource::expression>("expression")};

constexpr std::array kDeviceSelector = {group<kCel>("cel")};

constexpr std::array kDeviceSource = {
    key<&DeviceSource::name>("name"),
    key<&DeviceSource::driver>("driver"),
    group<kDeviceSelector>("deviceSelector"),
};

constexpr std::array kDeviceClassSource = {
    object<&DeviceClassSource::counter, kDeviceSource>("counter"),
    object<&DeviceClassSource::capacity, kDeviceSource>("capacity"),
};

constexpr std::array kDeviceClassMapping = {
    key<&DeviceClassMapping::name>("name"),
    key<&DeviceClassMapping::device_class_names>("deviceClassNames"),
    object_list<&DeviceClassMapping::sources, kDeviceClassSource>("sources", kOnlyV1beta2),
};

constexpr std::array kResources = {
    key<&Resources::quota_check_strategy>("quotaCheckStrategy", kOnlyV1beta2),
    key<&Resources::exclude_resource_prefixes>("excludeResourcePrefixes"),
    object_list<&Resources::transformations, kTransformation>("transformations"),
    object_list<&Resources::device_class_mappings, kDeviceClassMapping>(
        "deviceClassMappings", {.honoured_by = HonouredBy::ScheduleOnly}
    ),
};

constexpr std::array kWorkloadRetention = {
    key<&WorkloadRetention::after_finished, NotNegative{}>("afterFinished"),
    key<&WorkloadRetention::after_deactivated_by_kueue, NotNegative{}>("afterDeactivatedByKueue"),
};

constexpr std::array kObjectRetentionPolicies = {
    object<&Configuration::workload_retention, kWorkloadRetention>("workloads")
};

constexpr std::array kClusterQueueVisibility = {dropped<Configuration, std::int32_t>("maxCount")};

constexpr std::array kQueueVisibility = {
    dropped<Configuration, std::int32_t>("updateIntervalSeconds"),
    group<kClusterQueueVisibility>("clusterQueues"),
};

void check_visibility_address(const Checking& at, const std::string& address) {
    if (!address.empty() && !is_ip_address(address)) {
        at.add(fmt::format("\"{}\" is not an IP address", address));
    }
}

void check_visibility_port(const Checking& at, std::int32_t port) {
    if (port < 1 || port > 65535) {
        at.add(fmt::format("{} is not a port (1-65535)", port));
    }
}

constexpr std::array kVisibilityServer = {
    key<&VisibilityServer::bind_address, check_visibility_address>("bindAddress"),
    key<&VisibilityServer::bind_port, check_visibility_port>("bindPort"),
};

using Root = Configuration;

constexpr std::array kConfiguration = {
    key_or_default<&Root::namespace_>("namespace"),
    key<&Root::manage_jobs_without_queue_name>("manageJobsWithoutQueueName"),
    key<&Root::managed_jobs_namespace_selector, check_namespace_selector>(
        "managedJobsNamespaceSelector"
    ),
    object<&Root::webhook, kWebhook>("webhook"),
    object<&Root::health, kHealth>("health"),
    key<&Root::pprof_bind_address>("pprofBindAddress"),
    object<&Root::tls, kTls, check_tls>("tls"),
    object<&Root::internal_cert_management, kInternalCertManagement, check_certificates>(
        "internalCertManagement"
    ),
    object<&Root::client_connection, kClientConnection>("clientConnection"),
    object<&Root::leader_election, kLeaderElection, check_leader_election>("leaderElection"),
    object<&Root::metrics, kMetrics>("metrics"),
    object<&Root::controller, kController>("controller"),
    object<&Root::wait_for_pods_ready, kWaitForPodsReady>("waitForPodsReady")
        .read_by(read_wait_for_pods_ready),
    object<&Root::integrations, kIntegrations, check_integrations>("integrations"),
    object<&Root::multi_kueue, kMultiKueue, check_multi_kueue>(
        "multiKueue", {.honoured_by = HonouredBy::None}
    ),
    object<&Root::fair_sharing, kFairSharing>("fairSharing").read_by(read_fair_sharing),
    object<&Root::admission_fair_sharing, kAdmissionFairSharing>("admissionFairSharing"),
    object<&Root::resources, kResources, check_resources>("resources"),
    key<&Root::feature_gates>("featureGates"),
    group<kObjectRetentionPolicies>("objectRetentionPolicies"),
    group<kQueueVisibility>("queueVisibility", kV1beta1),
    object<&Root::visibility_server, kVisibilityServer>("visibilityServer", kOnlyV1beta2),
};

}  // namespace

std::span<const Key<Configuration>> configuration_keys() {
    return kConfiguration;
}

}  // namespace sluice::config
