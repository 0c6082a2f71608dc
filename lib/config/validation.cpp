#include "config/validation.hpp"

#include "api/kueue/kueue_names.hpp"
#include "api/meta/names.hpp"
#include "base/nearest_name.hpp"
#include "config/device_class_validation.hpp"
#include "config/leader_election_validation.hpp"
#include "config/name_rules.hpp"
#include "config/namespace_selector_validation.hpp"
#include "config/problem.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <chrono>
#include <map>
#include <set>
#include <string_view>
#include <utility>

namespace sluice::config {
namespace {

constexpr std::string_view kNegative = "must be greater than or equal to 0";
constexpr std::size_t kCustomLabelsMax = 20;
constexpr std::size_t kLabelsOfWorkloadMax = 2;
constexpr std::size_t kLabelsOfOthersMax = 6;
constexpr std::size_t kValuesOfWorkloadMax = 12;
constexpr std::size_t kValuesOfOthersMax = 16;

void check_not_negative(Problems& out, std::string_view path, Duration value) {
    if (value < Duration::zero()) {
        out.add(path, kNegative);
    }
}

void check_not_negative(Problems& out, std::string_view path, double value) {
    if (value < 0) {
        out.add(path, kNegative);
    }
}

void check_one_of(
    Problems& out,
    std::string_view path,
    std::string_view value,
    std::initializer_list<std::string_view> allowed
) {
    if (std::ranges::find(allowed, value) == allowed.end()) {
        out.add(path, fmt::format("\"{}\" is not one of {}", value, fmt::join(allowed, ", ")));
    }
}

void check_wait_for_pods_ready(
    Problems& out, const Configuration& configuration, const FeatureGates& gates
) {
    const auto wait = effective_wait_for_pods_ready(configuration, gates);
    if (!wait) {
        return;
    }
    if (wait->timeout == Duration::zero()) {
        out.add("waitForPodsReady.timeout", "must be specified");
    }
    check_not_negative(out, "waitForPodsReady.timeout", wait->timeout);
    check_not_negative(out, "waitForPodsReady.recoveryTimeout", wait->recovery_timeout);
    const auto& strategy = wait->requeuing_strategy;
    const std::string path = "waitForPodsReady.requeuingStrategy.";
    check_one_of(out, path + "timestamp", strategy.timestamp, {"Creation", "Eviction"});
    check_not_negative(
        out,
        path + "backoffLimitCount",
        static_cast<double>(strategy.backoff_limit_count.value_or(0))
    );
    check_not_negative(
        out, path + "backoffBaseSeconds", static_cast<double>(strategy.backoff_base_seconds)
    );
    check_not_negative(
        out, path + "backoffMaxSeconds", static_cast<double>(strategy.backoff_max_seconds)
    );
}

/// Returns true for a text like `Job.v1.batch`: a kind, a version and a group of at least one part.
bool is_kind_argument(std::string_view text) {
    const auto first = text.find('.');
    if (first == std::string_view::npos || first == 0) {
        return false;
    }
    const auto second = text.find('.', first + 1);
    return second != std::string_view::npos && second > first + 1 && second + 1 < text.size();
}

void check_integrations(
    Problems& out, const Integrations& integrations, const FeatureGates& gates
) {
    const auto known = known_frameworks();
    std::set<std::string, std::less<>> kinds;
    for (std::size_t i = 0; i < integrations.frameworks.size(); ++i) {
        const auto path = fmt::format("integrations.frameworks[{}]", i);
        const auto& name = integrations.frameworks[i];
        const auto found = std::ranges::find(known, name, &Framework::name);
        if (found == known.end()) {
            std::vector<std::string_view> names;
            std::ranges::transform(known, std::back_inserter(names), &Framework::name);
            // Everywhere else, a framework is called by the last part of its name.
            const auto by_kind = std::ranges::find_if(names, [&name](std::string_view each) {
                return each.substr(each.rfind('/') + 1) == name;
            });
            const std::string meant = by_kind != names.end()
                                          ? fmt::format("; did you mean \"{}\"?", *by_kind)
                                          : suggest_name(name, names);
            out.add(
                path, fmt::format("\"{}\" is not one of {}{}", name, fmt::join(names, ", "), meant)
            );
        } else if (!kinds.emplace(found->kind).second) {
            out.add(path, fmt::format("\"{}\" is there twice", name));
        } else if (name == "sparkoperator.k8s.io/sparkapplication" &&
                   !gates.is_enabled(Feature::SparkApplicationIntegration)) {
            out.add(
                path,
                fmt::format(
                    "\"{}\" is alpha: enable the feature gate SparkApplicationIntegration", name
                )
            );
        }
    }
    for (std::size_t i = 0; i < integrations.external_frameworks.size(); ++i) {
        const auto path = fmt::format("integrations.externalFrameworks[{}]", i);
        const auto& name = integrations.external_frameworks[i];
        if (!is_kind_argument(name)) {
            out.add(path, fmt::format("\"{}\" is not of the form Kind.version.group.com", name));
        } else if (!kinds.insert(name).second) {
            out.add(path, fmt::format("\"{}\" is there twice", name));
        }
    }
}

void check_providers(
    Problems& out, const std::vector<AccessProvider>& providers, std::string_view name
) {
    for (std::size_t i = 0; i < providers.size(); ++i) {
        const auto& provider = providers[i];
        const auto path = fmt::format("multiKueue.clusterProfile.{}[{}]", name, i);
        const std::string exec = path + ".execConfig";
        if (provider.name.empty()) {
            out.add(path + ".name", "must be specified");
        }
        if (provider.command.empty()) {
            out.add(exec + ".command", "must be specified");
        }
        if (provider.api_version.empty()) {
            out.add(exec + ".apiVersion", "must be specified");
        }
        for (const auto& [variable, value] : provider.env) {
            if (variable.empty()) {
                out.add(exec + ".env.name", "must be specified");
            }
        }
        check_one_of(
            out,
            exec + ".interactiveMode",
            provider.interactive_mode,
            {"Never", "IfAvailable", "Always"}
        );
    }
}

void check_multi_kueue(Problems& out, const Configuration& configuration) {
    const auto& multi_kueue = configuration.multi_kueue;
    check_not_negative(out, "multiKueue.gcInterval", multi_kueue.gc_interval);
    check_not_negative(out, "multiKueue.workerLostTimeout", multi_kueue.worker_lost_timeout);
    if (api::check_label_value(multi_kueue.origin)) {
        out.add(
            "multiKueue.origin", fmt::format("\"{}\" is not a label value", multi_kueue.origin)
        );
    }
    std::set<std::string, std::less<>> built_in;
    for (const auto& framework : known_frameworks()) {
        if (std::ranges::find(configuration.integrations.frameworks, framework.name) !=
            configuration.integrations.frameworks.end()) {
            built_in.emplace(framework.kind);
        }
    }
    std::set<std::string, std::less<>> seen;
    for (std::size_t i = 0; i < multi_kueue.external_frameworks.size(); ++i) {
        const auto path = fmt::format("multiKueue.externalFrameworks[{}].name", i);
        const auto& name = multi_kueue.external_frameworks[i];
        if (!is_kind_argument(name)) {
            out.add(path, fmt::format("\"{}\" is not of the form kind.version.group", name));
            continue;
        }
        if (!seen.insert(name).second) {
            out.add(path, fmt::format("\"{}\" is there twice", name));
        }
        if (built_in.contains(name)) {
            out.add(path, fmt::format("\"{}\" is the kind of a listed framework", name));
        }
    }
    if (!multi_kueue.access_providers.empty() && !multi_kueue.credentials_providers.empty()) {
        out.add(
            "multiKueue.clusterProfile.credentialsProviders",
            "must not be specified when accessProviders is specified"
        );
    }
    check_providers(out, multi_kueue.access_providers, "accessProviders");
    if (multi_kueue.access_providers.empty()) {
        check_providers(out, multi_kueue.credentials_providers, "credentialsProviders");
    }
    if (multi_kueue.has_incremental_dispatcher_config) {
        if (multi_kueue.dispatcher_name != api::dispatcher::kIncremental) {
            out.add(
                "multiKueue.incrementalDispatcherConfig",
                fmt::format("is only valid with dispatcherName {}", api::dispatcher::kIncremental)
            );
        }
        if (multi_kueue.step_size < 1) {
            out.add(
                "multiKueue.incrementalDispatcherConfig.stepSize",
                "must be greater than or equal to 1"
            );
        }
    }
}

void check_fair_sharing(Problems& out, const Configuration& configuration) {
    if (const auto& sharing = configuration.fair_sharing; sharing) {
        const std::string final_share = "LessThanOrEqualToFinalShare";
        const std::string initial_share = "LessThanInitialShare";
        const auto& strategies = sharing->preemption_strategies;
        const std::vector<std::vector<std::string>> allowed = {
            {final_share}, {initial_share}, {final_share, initial_share}
        };
        if (strategies.empty()) {
            out.add("fairSharing.preemptionStrategies", "must be specified");
        } else if (std::ranges::find(allowed, strategies) == allowed.end()) {
            out.add(
                "fairSharing.preemptionStrategies",
                fmt::format(
                    "[{}] is not one of [{}], [{}], [{}, {}]",
                    fmt::join(strategies, ", "),
                    final_share,
                    initial_share,
                    final_share,
                    initial_share
                )
            );
        }
    }
    if (const auto& admission = configuration.admission_fair_sharing; admission) {
        check_not_negative(
            out, "admissionFairSharing.usageHalfLifeTime", admission->usage_half_life_time
        );
        // Each sample writes a status, and times in a status have whole seconds.
        if (admission->usage_sampling_interval < std::chrono::seconds(1)) {
            out.add("admissionFairSharing.usageSamplingInterval", "must be at least 1s");
        }
        for (const auto& [resource, weight] : admission->resource_weights) {
            check_not_negative(
                out, fmt::format("admissionFairSharing.resourceWeights[{}]", resource), weight
            );
        }
    }
}

void check_certificates(Problems& out, const InternalCertManagement& certs) {
    if (!certs.enable) {
        return;
    }
    if (!is_dns_1035_label(certs.webhook_service_name)) {
        out.add(
            "internalCertManagement.webhookServiceName",
            fmt::format("\"{}\" is not a DNS-1035 label", certs.webhook_service_name)
        );
    }
    if (api::check_dns1123_subdomain(certs.webhook_secret_name)) {
        out.add(
            "internalCertManagement.webhookSecretName",
            fmt::format("\"{}\" is not a DNS-1123 subdomain", certs.webhook_secret_name)
        );
    }
}

void check_resources(Problems& out, const Resources& resources, const FeatureGates& gates) {
    std::set<std::string_view> inputs;
    for (std::size_t i = 0; i < resources.transformations.size(); ++i) {
        const auto& transformation = resources.transformations[i];
        const auto path = fmt::format("resources.transformations[{}]", i);
        check_one_of(out, path + ".strategy", transformation.strategy, {"Retain", "Replace"});
        if (!inputs.insert(transformation.input).second) {
            out.add(path + ".input", fmt::format("\"{}\" is there twice", transformation.input));
        }
    }
    if (gates.is_enabled(Feature::QuotaCheckStrategy)) {
        check_one_of(
            out,
            "resources.quotaCheckStrategy",
            resources.quota_check_strategy,
            {"BlockUndeclared", "IgnoreUndeclared"}
        );
        if (resources.quota_check_strategy == "IgnoreUndeclared" &&
            !resources.exclude_resource_prefixes.empty()) {
            out.add(
                "resources.quotaCheckStrategy",
                "excludeResourcePrefixes is not allowed with IgnoreUndeclared"
            );
        }
    }
    check_device_class_mappings(out, resources.device_class_mappings, gates);
}

void check_label_values(Problems& out, const CustomLabel& label, const std::string& path) {
    const auto count = label.tracked_values.size();
    const bool of_workload = label.source_kind == "Workload";
    const auto limit = of_workload ? kValuesOfWorkloadMax : kValuesOfOthersMax;
    if (of_workload && count == 0) {
        out.add(path, "must not be empty when sourceKind is Workload");
    }
    if (count > limit) {
        out.add(path, fmt::format("has {} values, at most {} are allowed", count, limit));
    }
    if (std::set(label.tracked_values.begin(), label.tracked_values.end()).size() < count) {
        out.add(path, "must not contain duplicates");
    }
}

void check_custom_label(Problems& out, const CustomLabel& label, const std::string& path) {
    const bool starts_well = !label.name.empty() && label.name.front() != '_';
    if (!starts_well || !is_c_identifier(label.name)) {
        out.add(path + ".name", "must match ^[a-zA-Z][a-zA-Z0-9_]*$");
    }
    if (!label.source_label_key.empty() && !label.source_annotation_key.empty()) {
        out.add(path, "sourceLabelKey and sourceAnnotationKey are mutually exclusive");
    }
    const auto& [field, key] =
        !label.source_label_key.empty() ? std::pair<std::string_view, std::string_view>(
                                              ".sourceLabelKey", label.source_label_key
                                          )
        : !label.source_annotation_key.empty()
            ? std::pair<std::string_view, std::string_view>(
                  ".sourceAnnotationKey", label.source_annotation_key
              )
            : std::pair<std::string_view, std::string_view>(".name", label.name);
    if (api::check_qualified_name(key)) {
        out.add(
            fmt::format("{}{}", path, field), fmt::format("\"{}\" is not a valid label key", key)
        );
    }
    check_one_of(
        out,
        path + ".sourceKind",
        label.source_kind,
        {"Cohort", "ClusterQueue", "LocalQueue", "Workload"}
    );
    check_label_values(out, label, path + ".trackedValues");
}

void check_custom_labels(Problems& out, const std::vector<CustomLabel>& labels) {
    const std::string path = "metrics.customLabels";
    if (labels.size() > kCustomLabelsMax) {
        out.add(
            path,
            fmt::format("has {} labels, at most {} are allowed", labels.size(), kCustomLabelsMax)
        );
    }
    std::set<std::string_view> names;
    std::map<std::string_view, std::size_t> count_of_kind;
    for (std::size_t i = 0; i < labels.size(); ++i) {
        const auto item = fmt::format("{}[{}]", path, i);
        check_custom_label(out, labels[i], item);
        if (!names.insert(labels[i].name).second) {
            out.add(item + ".name", fmt::format("\"{}\" is there twice", labels[i].name));
        }
        ++count_of_kind[labels[i].source_kind];
    }
    for (const auto& [kind, count] : count_of_kind) {
        const auto limit = kind == "Workload" ? kLabelsOfWorkloadMax : kLabelsOfOthersMax;
        if (count > limit) {
            out.add(
                path, fmt::format("has {} labels of {}, at most {} are allowed", count, kind, limit)
            );
        }
    }
}

void check_servers(Problems& out, const Configuration& configuration) {
    if (const auto& tls = configuration.tls; tls) {
        check_one_of(out, "tls.minVersion", tls->min_version, {"", "VersionTLS12", "VersionTLS13"});
        if (tls->min_version == "VersionTLS13" && !tls->cipher_suites.empty()) {
            out.add("tls.cipherSuites", "may not be specified when minVersion is VersionTLS13");
        }
    }
    const auto& visibility = configuration.visibility_server;
    if (!visibility.bind_address.empty() && !is_ip_address(visibility.bind_address)) {
        out.add(
            "visibilityServer.bindAddress",
            fmt::format("\"{}\" is not an IP address", visibility.bind_address)
        );
    }
    if (visibility.bind_port < 1 || visibility.bind_port > 65535) {
        out.add(
            "visibilityServer.bindPort",
            fmt::format("{} is not a port (1-65535)", visibility.bind_port)
        );
    }
    if (configuration.webhook.port < 0 || configuration.webhook.port > 65535) {
        out.add("webhook.port", fmt::format("{} is not a port", configuration.webhook.port));
    }
}

void check_retention(Problems& out, const WorkloadRetention& retention) {
    const std::string path = "objectRetentionPolicies.workloads.";
    check_not_negative(
        out, path + "afterFinished", retention.after_finished.value_or(Duration::zero())
    );
    check_not_negative(
        out,
        path + "afterDeactivatedByKueue",
        retention.after_deactivated_by_kueue.value_or(Duration::zero())
    );
}

}  // namespace

std::vector<Framework> known_frameworks() {
    return {
        {"batch/job", "Job.v1.batch"},
        {"deployment", "Deployment.v1.apps"},
        {"jobset.x-k8s.io/jobset", "JobSet.v1alpha2.jobset.x-k8s.io"},
        {"kubeflow.org/jaxjob", "JAXJob.v1.kubeflow.org"},
        {"kubeflow.org/mpijob", "MPIJob.v2beta1.kubeflow.org"},
        {"kubeflow.org/paddlejob", "PaddleJob.v1.kubeflow.org"},
        {"kubeflow.org/pytorchjob", "PyTorchJob.v1.kubeflow.org"},
        {"kubeflow.org/tfjob", "TFJob.v1.kubeflow.org"},
        {"kubeflow.org/xgboostjob", "XGBoostJob.v1.kubeflow.org"},
        {"leaderworkerset.x-k8s.io/leaderworkerset", "LeaderWorkerSet.v1.leaderworkerset.x-k8s.io"},
        {"pod", "Pod.v1"},
        {"ray.io/raycluster", "RayCluster.v1.ray.io"},
        {"ray.io/rayjob", "RayJob.v1.ray.io"},
        {"ray.io/rayservice", "RayService.v1.ray.io"},
        {"sparkoperator.k8s.io/sparkapplication", "SparkApplication.v1beta2.sparkoperator.k8s.io"},
        {"statefulset", "StatefulSet.v1.apps"},
        {"trainer.kubeflow.org/trainjob", "TrainJob.v1alpha1.trainer.kubeflow.org"},
        {"workload.codeflare.dev/appwrapper", "AppWrapper.v1beta2.workload.codeflare.dev"},
    };
}

std::optional<WaitForPodsReady> effective_wait_for_pods_ready(
    const Configuration& configuration, const FeatureGates& gates
) {
    if (gates.is_enabled(Feature::DisableWaitForPodsReady)) {
        return std::nullopt;
    }
    return configuration.wait_for_pods_ready;
}

std::vector<Problem> validate(const Configuration& configuration, const FeatureGates& gates) {
    Problems out;
    check_wait_for_pods_ready(out, configuration, gates);
    check_integrations(out, configuration.integrations, gates);
    check_multi_kueue(out, configuration);
    check_fair_sharing(out, configuration);
    check_certificates(out, configuration.internal_cert_management);
    check_resources(out, configuration.resources, gates);
    check_custom_labels(out, configuration.metrics.custom_labels);
    check_servers(out, configuration);
    check_retention(out, configuration.workload_retention);
    check_namespace_selector(out, configuration);
    check_leader_election(out, configuration.leader_election);
    return out.take();
}

}  // namespace sluice::config
