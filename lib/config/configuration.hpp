// The settings of the file given with --config, their defaults, and how the file is read.
#pragma once

#include "api/kueue/kueue_names.hpp"
#include "api/meta/meta.hpp"
#include "api/meta/quantity.hpp"
#include "base/clock.hpp"
#include "base/error.hpp"
#include "config/problem.hpp"
#include "json/value.hpp"

#include <chrono>
#include <cstdint>
#include <map>
#include <optional>
#include <string>
#include <string_view>
#include <vector>

/// The file given with --config: config.kueue.x-k8s.io Configuration, with the fields of v1beta2.
/// Members have their defaults. A member is a std::optional if absence differs from every default.
namespace sluice::config {

using std::chrono::hours;
using std::chrono::minutes;
using std::chrono::seconds;

struct Webhook {
    std::int32_t port = 9443;
    std::string host;  ///< empty: all addresses
    std::string cert_dir = "/tmp/k8s-webhook-server/serving-certs";

    friend bool operator==(const Webhook&, const Webhook&) = default;
};

struct LeaderElection {
    bool leader_elect = true;
    Duration lease_duration = seconds(15);
    Duration renew_deadline = seconds(10);
    Duration retry_period = seconds(2);
    std::string resource_lock = "leases";
    std::string resource_name = api::kLeaderLease;
    std::string resource_namespace;  ///< empty: the pod's own namespace

    friend bool operator==(const LeaderElection&, const LeaderElection&) = default;
};

/// A label or annotation of objects that becomes a label of their metrics.
struct CustomLabel {
    std::string name;
    std::string source_label_key;
    std::string source_annotation_key;
    std::string source_kind = "ClusterQueue";
    std::vector<std::string> tracked_values;

    friend bool operator==(const CustomLabel&, const CustomLabel&) = default;
};

struct LocalQueueMetrics {
    bool enable = false;  ///< off if the file has the stanza without `enable: true`
    std::optional<api::LabelSelector> local_queue_selector;

    friend bool operator==(const LocalQueueMetrics&, const LocalQueueMetrics&) = default;
};

struct Metrics {
    std::string bind_address = ":8443";  ///< "0": metrics are not served
    bool enable_cluster_queue_resources = false;
    std::vector<CustomLabel> custom_labels;
    LocalQueueMetrics local_queue_metrics{.enable = true, .local_queue_selector = {}};

    friend bool operator==(const Metrics&, const Metrics&) = default;
};

struct Health {
    std::string health_probe_bind_address = ":8081";
    std::string readiness_endpoint_name = "readyz";
    std::string liveness_endpoint_name = "healthz";

    friend bool operator==(const Health&, const Health&) = default;
};

struct ControllerOptions {
    /// For example `Job.batch` -> number of workers.
    std::map<std::string, std::int32_t> group_kind_concurrency;
    std::optional<Duration> cache_sync_timeout;

    friend bool operator==(const ControllerOptions&, const ControllerOptions&) = default;
};

struct TlsOptions {
    std::string min_version;  ///< VersionTLS12, VersionTLS13, or empty for VersionTLS12
    std::vector<std::string> cipher_suites;
    std::vector<std::int32_t> curve_preferences;

    friend bool operator==(const TlsOptions&, const TlsOptions&) = default;
};

struct InternalCertManagement {
    bool enable = true;
    std::string webhook_service_name = "kueue-webhook-service";
    std::string webhook_secret_name = "kueue-webhook-server-cert";

    friend bool operator==(const InternalCertManagement&, const InternalCertManagement&) = default;
};

struct RequeuingStrategy {
    std::string timestamp = "Eviction";               ///< or Creation
    std::optional<std::int32_t> backoff_limit_count;  ///< absent: unlimited
    std::int32_t backoff_base_seconds = 60;
    std::int32_t backoff_max_seconds = 3600;

    friend bool operator==(const RequeuingStrategy&, const RequeuingStrategy&) = default;
};

struct WaitForPodsReady {
    Duration timeout = minutes(30);
    bool block_admission = false;
    RequeuingStrategy requeuing_strategy;
    Duration recovery_timeout = minutes(30);  ///< equal to `timeout` unless set

    friend bool operator==(const WaitForPodsReady&, const WaitForPodsReady&) = default;
};

struct ClientConnection {
    double qps = 300;  ///< negative: unlimited
    std::int32_t burst = 500;

    friend bool operator==(const ClientConnection&, const ClientConnection&) = default;
};

struct Integrations {
    std::vector<std::string> frameworks = {"batch/job"};
    std::vector<std::string> external_frameworks;
    std::vector<std::string> label_keys_to_copy;
    /// Descriptions of additional job kinds, as `job_kinds` reads them. Kueue does not have this
    /// setting.
    std::vector<json::Value> job_kinds;

    friend bool operator==(const Integrations&, const Integrations&) = default;
};

/// The program that gets the credentials of a cluster profile, with its environment.
struct AccessProvider {
    std::string name;
    std::string command;
    std::vector<std::string> args;
    std::vector<std::pair<std::string, std::string>> env;
    std::string api_version;
    std::string install_hint;
    bool provide_cluster_info = false;
    std::string interactive_mode;

    friend bool operator==(const AccessProvider&, const AccessProvider&) = default;
};

/// A kind of job that MultiKueue dispatches besides the kinds of the listed frameworks.
struct ExternalFramework {
    std::string name;  ///< Kind.version.group

    friend bool operator==(const ExternalFramework&, const ExternalFramework&) = default;
};

struct IncrementalDispatcher {
    std::int32_t step_size = 3;

    friend bool operator==(const IncrementalDispatcher&, const IncrementalDispatcher&) = default;
};

struct MultiKueue {
    Duration gc_interval = minutes(1);  ///< zero: garbage collection is off
    std::string origin = "multikueue";
    Duration worker_lost_timeout = minutes(15);
    std::string dispatcher_name = api::dispatcher::kAllAtOnce;
    std::vector<ExternalFramework> external_frameworks;
    std::vector<AccessProvider> access_providers;
    std::vector<AccessProvider> credentials_providers;
    std::optional<IncrementalDispatcher> incremental_dispatcher;

    friend bool operator==(const MultiKueue&, const MultiKueue&) = default;
};

/// Fair sharing is on if this struct is present.
struct FairSharing {
    std::vector<std::string> preemption_strategies;

    friend bool operator==(const FairSharing&, const FairSharing&) = default;
};

struct AdmissionFairSharing {
    Duration usage_half_life_time{};
    Duration usage_sampling_interval = minutes(5);
    std::map<std::string, double> resource_weights;

    friend bool operator==(const AdmissionFairSharing&, const AdmissionFairSharing&) = default;
};

struct ResourceTransformation {
    std::string input;
    std::string strategy = "Retain";  ///< or Replace
    std::string multiply_by;
    api::ResourceList outputs;

    friend bool operator==(const ResourceTransformation&, const ResourceTransformation&) = default;
};

/// A counter or a capacity of devices that measures a mapped resource.
struct DeviceSource {
    std::string name;
    std::string driver;
    std::string expression;  ///< deviceSelector.cel.expression

    friend bool operator==(const DeviceSource&, const DeviceSource&) = default;
};

struct DeviceClassSource {
    std::optional<DeviceSource> counter;
    std::optional<DeviceSource> capacity;

    friend bool operator==(const DeviceClassSource&, const DeviceClassSource&) = default;
};

struct DeviceClassMapping {
    std::string name;
    std::vector<std::string> device_class_names;
    std::vector<DeviceClassSource> sources;

    friend bool operator==(const DeviceClassMapping&, const DeviceClassMapping&) = default;
};

struct Resources {
    std::string quota_check_strategy = "BlockUndeclared";  ///< or IgnoreUndeclared
    std::vector<std::string> exclude_resource_prefixes;
    std::vector<ResourceTransformation> transformations;
    std::vector<DeviceClassMapping> device_class_mappings;

    friend bool operator==(const Resources&, const Resources&) = default;
};

/// Absent: finished or deactivated Workloads are kept.
struct WorkloadRetention {
    std::optional<Duration> after_finished;
    std::optional<Duration> after_deactivated_by_kueue;

    friend bool operator==(const WorkloadRetention&, const WorkloadRetention&) = default;
};

struct VisibilityServer {
    std::string bind_address;  ///< empty: all addresses
    std::int32_t bind_port = 8082;

    friend bool operator==(const VisibilityServer&, const VisibilityServer&) = default;
};

struct Configuration {
    std::string namespace_ = "kueue-system";
    bool manage_jobs_without_queue_name = false;
    api::LabelSelector managed_jobs_namespace_selector;
    Webhook webhook;
    LeaderElection leader_election;
    Metrics metrics;
    Health health;
    std::string pprof_bind_address;
    ControllerOptions controller;
    std::optional<TlsOptions> tls;
    InternalCertManagement internal_cert_management;
    /// Absent if off, as in a v1beta1 file that does not enable it. A v1beta2 file without the
    /// field has it on.
    std::optional<WaitForPodsReady> wait_for_pods_ready = WaitForPodsReady{};
    ClientConnection client_connection;
    Integrations integrations;
    MultiKueue multi_kueue;
    std::optional<FairSharing> fair_sharing;
    std::optional<AdmissionFairSharing> admission_fair_sharing;
    Resources resources;
    std::optional<std::map<std::string, bool>> feature_gates;  ///< an empty map counts as set
    WorkloadRetention workload_retention;
    VisibilityServer visibility_server;

    friend bool operator==(const Configuration&, const Configuration&) = default;
};

/// Returns the Configuration that applies without a file. `own_namespace`: the namespace of the
/// pod's service account; empty outside a cluster.
Configuration default_configuration(std::string_view own_namespace);

/// Reads a Configuration of v1beta2 or v1beta1 strictly and fills in defaults. Does not check what
/// `validate` checks.
/// Errors: Invalid with every unknown field, wrong type and malformed value, each with its path.
Result<Configuration> parse_configuration(
    const json::Value& document, std::string_view own_namespace
);

/// Reads a Configuration like parse_configuration(), but adds each problem to `problems`. If there
/// are problems, returns the settings that could be read.
Configuration read_configuration(
    const json::Value& document, std::string_view own_namespace, Problems& problems
);

}  // namespace sluice::config
