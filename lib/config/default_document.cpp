#include "config/default_document.hpp"

#include "api/kueue/kueue_names.hpp"
#include "config/configuration.hpp"
#include "config/go_duration.hpp"

#include <utility>

namespace sluice::config {
namespace {

json::Value list_of(const std::vector<std::string>& texts) {
    return json::Array(texts.begin(), texts.end());
}

json::Value make_selector(const api::LabelSelector& selector) {
    json::Array expressions;
    for (const auto& expression : selector.match_expressions) {
        expressions.push_back(json::Object{
            {"key", expression.key},
            {"operator", expression.operator_},
            {"values", list_of(expression.values)},
        });
    }
    return json::Object{{"matchExpressions", std::move(expressions)}};
}

json::Value make_leader_election(const LeaderElection& election) {
    return json::Object{
        {"leaderElect", election.leader_elect},
        {"leaseDuration", print_go_duration(election.lease_duration)},
        {"renewDeadline", print_go_duration(election.renew_deadline)},
        {"retryPeriod", print_go_duration(election.retry_period)},
        {"resourceLock", election.resource_lock},
        {"resourceName", election.resource_name},
    };
}

json::Value make_metrics(const Metrics& metrics) {
    return json::Object{
        {"bindAddress", metrics.bind_address},
        {"enableClusterQueueResources", metrics.enable_cluster_queue_resources},
        {"localQueueMetrics", json::Object{{"enable", metrics.local_queue_metrics.enable}}},
    };
}

json::Value make_wait_for_pods_ready(const WaitForPodsReady& wait) {
    const RequeuingStrategy& strategy = wait.requeuing_strategy;
    return json::Object{
        {"timeout", print_go_duration(wait.timeout)},
        {"recoveryTimeout", print_go_duration(wait.recovery_timeout)},
        {"blockAdmission", wait.block_admission},
        {"requeuingStrategy",
         json::Object{
             {"timestamp", strategy.timestamp},
             {"backoffBaseSeconds", strategy.backoff_base_seconds},
             {"backoffMaxSeconds", strategy.backoff_max_seconds},
         }},
    };
}

json::Value make_multi_kueue(const MultiKueue& multi_kueue) {
    return json::Object{
        {"gcInterval", print_go_duration(multi_kueue.gc_interval)},
        {"origin", multi_kueue.origin},
        {"workerLostTimeout", print_go_duration(multi_kueue.worker_lost_timeout)},
        {"dispatcherName", multi_kueue.dispatcher_name},
    };
}

}  // namespace

json::Value make_default_document() {
    const Configuration c = default_configuration("");
    const InternalCertManagement& certs = c.internal_cert_management;
    return json::Object{
        {"apiVersion", api::kConfigV1beta2},
        {"kind", "Configuration"},
        {"namespace", c.namespace_},
        {"manageJobsWithoutQueueName", c.manage_jobs_without_queue_name},
        {"managedJobsNamespaceSelector", make_selector(c.managed_jobs_namespace_selector)},
        {"webhook", json::Object{{"port", c.webhook.port}, {"certDir", c.webhook.cert_dir}}},
        {"leaderElection", make_leader_election(c.leader_election)},
        {"metrics", make_metrics(c.metrics)},
        {"health",
         json::Object{
             {"healthProbeBindAddress", c.health.health_probe_bind_address},
             {"readinessEndpointName", c.health.readiness_endpoint_name},
             {"livenessEndpointName", c.health.liveness_endpoint_name},
         }},
        {"internalCertManagement",
         json::Object{
             {"enable", certs.enable},
             {"webhookServiceName", certs.webhook_service_name},
             {"webhookSecretName", certs.webhook_secret_name},
         }},
        {"waitForPodsReady",
         make_wait_for_pods_ready(c.wait_for_pods_ready.value_or(WaitForPodsReady{}))},
        {"clientConnection",
         json::Object{
             {"qps", static_cast<std::int64_t>(c.client_connection.qps)},
             {"burst", c.client_connection.burst},
         }},
        {"integrations", json::Object{{"frameworks", list_of(c.integrations.frameworks)}}},
        {"multiKueue", make_multi_kueue(c.multi_kueue)},
        {"resources", json::Object{{"quotaCheckStrategy", c.resources.quota_check_strategy}}},
        {"visibilityServer", json::Object{{"bindPort", c.visibility_server.bind_port}}},
    };
}

}  // namespace sluice::config
