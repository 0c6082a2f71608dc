#include "config/configuration.hpp"

#include "api/kueue/kueue_names.hpp"
#include "config/strict_reader.hpp"

#include <fmt/core.h>

#include <utility>

namespace sluice::config {
namespace {

/// Reads a string. An empty string keeps the default, because Go cannot distinguish it from an
/// absent one.
void read_or_default(StrictReader& reader, std::string_view name, std::string& out) {
    std::string text;
    if (reader.read(name, text) && !text.empty()) {
        out = std::move(text);
    }
}

/// Reads a duration. Zero keeps the default, because Go cannot distinguish it from an absent one.
void read_or_default(StrictReader& reader, std::string_view name, Duration& out) {
    Duration duration{};
    if (reader.read(name, duration) && duration != Duration::zero()) {
        out = duration;
    }
}

/// Reads the members of a document of one version into a Configuration.
class ConfigurationReader {
  public:
    ConfigurationReader(Configuration& out, bool is_v1beta1) : out_(out), old_(is_v1beta1) {}

    void read_all(StrictReader& reader);

  private:
    void read_manager(StrictReader& reader);
    void read_leader_election(StrictReader& reader);
    void read_metrics(StrictReader& reader);
    void read_controller(StrictReader& reader);
    void read_wait_for_pods_ready(StrictReader& reader);
    void read_integrations(StrictReader& reader);
    void read_multi_kueue(StrictReader& reader);
    void read_fair_sharing(StrictReader& reader);
    void read_resources(StrictReader& reader);
    void read_retention(StrictReader& reader);
    void skip_queue_visibility(StrictReader& reader);

    Configuration& out_;
    bool old_;
};

void ConfigurationReader::read_manager(StrictReader& reader) {
    reader.object("webhook", [&](StrictReader& r) {
        r.read("port", out_.webhook.port);
        r.read("host", out_.webhook.host);
        read_or_default(r, "certDir", out_.webhook.cert_dir);
    });
    reader.object("health", [&](StrictReader& r) {
        read_or_default(r, "healthProbeBindAddress", out_.health.health_probe_bind_address);
        read_or_default(r, "readinessEndpointName", out_.health.readiness_endpoint_name);
        read_or_default(r, "livenessEndpointName", out_.health.liveness_endpoint_name);
    });
    reader.read("pprofBindAddress", out_.pprof_bind_address);
    reader.object("tls", [&](StrictReader& r) {
        auto& tls = out_.tls.emplace();
        r.read("minVersion", tls.min_version);
        r.read("cipherSuites", tls.cipher_suites);
        r.read("curvePreferences", tls.curve_preferences);
    });
    reader.object("internalCertManagement", [&](StrictReader& r) {
        auto& certs = out_.internal_cert_management;
        r.read("enable", certs.enable);
        r.read("webhookServiceName", certs.webhook_service_name);
        r.read("webhookSecretName", certs.webhook_secret_name);
    });
    reader.object("clientConnection", [&](StrictReader& r) {
        r.read("qps", out_.client_connection.qps);
        r.read("burst", out_.client_connection.burst);
    });
}

void ConfigurationReader::read_leader_election(StrictReader& reader) {
    reader.object("leaderElection", [&](StrictReader& r) {
        auto& election = out_.leader_election;
        r.read("leaderElect", election.leader_elect);
        read_or_default(r, "leaseDuration", election.lease_duration);
        read_or_default(r, "renewDeadline", election.renew_deadline);
        read_or_default(r, "retryPeriod", election.retry_period);
        read_or_default(r, "resourceLock", election.resource_lock);
        read_or_default(r, "resourceName", election.resource_name);
        r.read("resourceNamespace", election.resource_namespace);
    });
}

void ConfigurationReader::read_metrics(StrictReader& reader) {
    reader.object("metrics", [&](StrictReader& r) {
        auto& metrics = out_.metrics;
        read_or_default(r, "bindAddress", metrics.bind_address);
        r.read("enableClusterQueueResources", metrics.enable_cluster_queue_resources);
        r.objects("customLabels", metrics.custom_labels, [&](StrictReader& label, CustomLabel& to) {
            label.read("name", to.name);
            label.read("sourceLabelKey", to.source_label_key);
            label.read("sourceAnnotationKey", to.source_annotation_key);
            if (!old_) {
                label.read("sourceKind", to.source_kind);
                label.read("trackedValues", to.tracked_values);
            }
        });
        r.object("localQueueMetrics", [&](StrictReader& local) {
            metrics.local_queue_metrics = {};
            local.read("enable", metrics.local_queue_metrics.enable);
            local.read("localQueueSelector", metrics.local_queue_metrics.local_queue_selector);
        });
    });
}

void ConfigurationReader::read_controller(StrictReader& reader) {
    reader.object("controller", [&](StrictReader& r) {
        r.read("groupKindConcurrency", out_.controller.group_kind_concurrency);
        // An integer of nanoseconds: Kueue has a plain Go duration here, not a metav1.Duration.
        if (const auto* timeout = r.take("cacheSyncTimeout"); timeout != nullptr) {
            if (timeout->is_int()) {
                out_.controller.cache_sync_timeout = Duration(timeout->as_int());
            } else {
                r.problems().add(
                    r.path_of("cacheSyncTimeout"), "must be a whole number of nanoseconds"
                );
            }
        }
    });
}

void ConfigurationReader::read_wait_for_pods_ready(StrictReader& reader) {
    WaitForPodsReady read;
    bool enable = !old_;
    bool has_recovery_timeout = false;
    if (old_) {
        read.timeout = minutes(5);
        read.block_admission = true;
    }
    const bool is_set = reader.object("waitForPodsReady", [&](StrictReader& r) {
        if (old_) {
            r.read("enable", enable);
            r.read("timeout", read.timeout);
        } else {
            read_or_default(r, "timeout", read.timeout);
        }
        r.read("blockAdmission", read.block_admission);
        has_recovery_timeout = r.read("recoveryTimeout", read.recovery_timeout);
        r.object("requeuingStrategy", [&](StrictReader& strategy) {
            strategy.read("timestamp", read.requeuing_strategy.timestamp);
            strategy.read("backoffLimitCount", read.requeuing_strategy.backoff_limit_count);
            strategy.read("backoffBaseSeconds", read.requeuing_strategy.backoff_base_seconds);
            strategy.read("backoffMaxSeconds", read.requeuing_strategy.backoff_max_seconds);
        });
    });
    if (!has_recovery_timeout) {
        read.recovery_timeout = read.timeout;
    }
    out_.is_wait_for_pods_ready_set = is_set && enable;
    out_.wait_for_pods_ready = enable ? std::optional(read) : std::nullopt;
}

void ConfigurationReader::read_integrations(StrictReader& reader) {
    reader.object("integrations", [&](StrictReader& r) {
        std::vector<std::string> frameworks;
        r.read("frameworks", frameworks);
        if (!frameworks.empty()) {
            out_.integrations.frameworks = std::move(frameworks);
        }
        r.read("externalFrameworks", out_.integrations.external_frameworks);
        r.read("labelKeysToCopy", out_.integrations.label_keys_to_copy);
        if (const json::Value* kinds = r.take("jobKinds")) {
            if (kinds->is_array()) {
                out_.integrations.job_kinds = kinds->as_array();
            } else {
                r.problems().add(r.path_of("jobKinds"), "must be a list");
            }
        }
        if (old_) {
            // Checked but ignored: managedJobsNamespaceSelector replaced these selectors.
            r.object("podOptions", [](StrictReader& options) {
                api::LabelSelector dropped;
                options.read("namespaceSelector", dropped);
                options.read("podSelector", dropped);
            });
        }
    });
}

void read_access_provider(StrictReader& reader, AccessProvider& out) {
    reader.read("name", out.name);
    reader.object("execConfig", [&](StrictReader& r) {
        r.read("command", out.command);
        r.read("args", out.args);
        r.objects("env", out.env, [](StrictReader& variable, auto& to) {
            variable.read("name", to.first);
            variable.read("value", to.second);
        });
        r.read("apiVersion", out.api_version);
        r.read("installHint", out.install_hint);
        r.read("provideClusterInfo", out.provide_cluster_info);
        r.read("interactiveMode", out.interactive_mode);
    });
}

void ConfigurationReader::read_multi_kueue(StrictReader& reader) {
    reader.object("multiKueue", [&](StrictReader& r) {
        auto& multi_kueue = out_.multi_kueue;
        r.read("gcInterval", multi_kueue.gc_interval);
        read_or_default(r, "origin", multi_kueue.origin);
        r.read("workerLostTimeout", multi_kueue.worker_lost_timeout);
        r.read("dispatcherName", multi_kueue.dispatcher_name);
        if (const auto* list = r.take("externalFrameworks"); list != nullptr) {
            std::vector<std::string> names;
            const auto path = r.path_of("externalFrameworks");
            for (std::size_t i = 0; list->is_array() && i < list->as_array().size(); ++i) {
                StrictReader item(
                    list->as_array()[i], fmt::format("{}[{}]", path, i), r.problems()
                );
                item.read("name", names.emplace_back());
            }
            if (!list->is_array()) {
                r.problems().add(path, "must be a list");
            }
            multi_kueue.external_frameworks = std::move(names);
        }
        if (old_) {
            return;
        }
        r.object("clusterProfile", [&](StrictReader& profile) {
            profile.objects("accessProviders", multi_kueue.access_providers, read_access_provider);
            profile.objects(
                "credentialsProviders", multi_kueue.credentials_providers, read_access_provider
            );
        });
        multi_kueue.has_incremental_dispatcher_config =
            r.object("incrementalDispatcherConfig", [&](StrictReader& dispatcher) {
                dispatcher.read("stepSize", multi_kueue.step_size);
            });
    });
}

void ConfigurationReader::read_fair_sharing(StrictReader& reader) {
    FairSharing sharing;
    bool enable = !old_;
    const bool is_set = reader.object("fairSharing", [&](StrictReader& r) {
        if (old_) {
            r.read("enable", enable);
        }
        r.read("preemptionStrategies", sharing.preemption_strategies);
    });
    if (old_ && sharing.preemption_strategies.empty()) {
        sharing.preemption_strategies = {"LessThanOrEqualToFinalShare", "LessThanInitialShare"};
    }
    if (is_set && enable) {
        out_.fair_sharing = std::move(sharing);
    }
    reader.object("admissionFairSharing", [&](StrictReader& r) {
        auto& admission = out_.admission_fair_sharing.emplace();
        r.read("usageHalfLifeTime", admission.usage_half_life_time);
        read_or_default(r, "usageSamplingInterval", admission.usage_sampling_interval);
        r.read("resourceWeights", admission.resource_weights);
    });
}

void read_device_source(StrictReader& reader, DeviceSource& out) {
    reader.read("name", out.name);
    reader.read("driver", out.driver);
    reader.object("deviceSelector", [&](StrictReader& selector) {
        selector.object("cel", [&](StrictReader& cel) { cel.read("expression", out.expression); });
    });
}

void ConfigurationReader::read_resources(StrictReader& reader) {
    reader.object("resources", [&](StrictReader& r) {
        auto& resources = out_.resources;
        if (!old_) {
            r.read("quotaCheckStrategy", resources.quota_check_strategy);
        }
        r.read("excludeResourcePrefixes", resources.exclude_resource_prefixes);
        r.objects(
            "transformations",
            resources.transformations,
            [](StrictReader& item, ResourceTransformation& to) {
                item.read("input", to.input);
                read_or_default(item, "strategy", to.strategy);
                item.read("multiplyBy", to.multiply_by);
                item.read("outputs", to.outputs);
            }
        );
        r.objects(
            "deviceClassMappings",
            resources.device_class_mappings,
            [&](StrictReader& item, DeviceClassMapping& to) {
                item.read("name", to.name);
                item.read("deviceClassNames", to.device_class_names);
                if (old_) {
                    return;
                }
                item.objects("sources", to.sources, [](StrictReader& s, DeviceClassSource& source) {
                    s.object("counter", [&](StrictReader& counter) {
                        read_device_source(counter, source.counter.emplace());
                    });
                    s.object("capacity", [&](StrictReader& capacity) {
                        read_device_source(capacity, source.capacity.emplace());
                    });
                });
            }
        );
    });
}

void ConfigurationReader::read_retention(StrictReader& reader) {
    reader.object("objectRetentionPolicies", [&](StrictReader& r) {
        r.object("workloads", [&](StrictReader& workloads) {
            auto& retention = out_.workload_retention;
            workloads.read("afterFinished", retention.after_finished);
            workloads.read("afterDeactivatedByKueue", retention.after_deactivated_by_kueue);
        });
    });
}

/// Checks a setting of v1beta1 that no longer has an effect.
void ConfigurationReader::skip_queue_visibility(StrictReader& reader) {
    reader.object("queueVisibility", [](StrictReader& r) {
        std::int32_t dropped = 0;
        r.read("updateIntervalSeconds", dropped);
        r.object("clusterQueues", [&](StrictReader& queues) { queues.read("maxCount", dropped); });
    });
}

void ConfigurationReader::read_all(StrictReader& reader) {
    reader.take("apiVersion");
    reader.take("kind");
    reader.read("manageJobsWithoutQueueName", out_.manage_jobs_without_queue_name);
    if (reader.take("managedJobsNamespaceSelector") != nullptr) {
        out_.managed_jobs_namespace_selector = {};
        reader.read("managedJobsNamespaceSelector", out_.managed_jobs_namespace_selector);
    }
    read_manager(reader);
    read_leader_election(reader);
    read_metrics(reader);
    read_controller(reader);
    read_wait_for_pods_ready(reader);
    read_integrations(reader);
    read_multi_kueue(reader);
    read_fair_sharing(reader);
    read_resources(reader);
    reader.read("featureGates", out_.feature_gates);
    read_retention(reader);
    if (old_) {
        skip_queue_visibility(reader);
    } else {
        reader.object("visibilityServer", [&](StrictReader& r) {
            r.read("bindAddress", out_.visibility_server.bind_address);
            r.read("bindPort", out_.visibility_server.bind_port);
        });
    }
}

}  // namespace

Configuration default_configuration(std::string_view own_namespace) {
    Configuration made;
    if (!own_namespace.empty()) {
        made.namespace_ = own_namespace;
    }
    made.managed_jobs_namespace_selector.match_expressions = {
        {.key = "kubernetes.io/metadata.name",
         .operator_ = "NotIn",
         .values = {"kube-system", made.namespace_}}
    };
    return made;
}

Configuration read_configuration(
    const json::Value& document, std::string_view own_namespace, Problems& problems
) {
    const auto version = document.string_at("apiVersion");
    if (document.string_at("kind") != "Configuration" ||
        (version != api::kConfigV1beta1 && version != api::kConfigV1beta2)) {
        const auto what = fmt::format(
            "expected kind Configuration of {} or {}, not \"{}\" of \"{}\"",
            api::kConfigV1beta2,
            api::kConfigV1beta1,
            document.string_at("kind"),
            version
        );
        problems.add("", what);
        return default_configuration(own_namespace);
    }
    const auto* named = document.find("namespace");
    const bool is_named = named != nullptr && named->is_string() && !named->as_string().empty();
    auto made = default_configuration(is_named ? named->as_string() : own_namespace);
    StrictReader reader(document, "", problems);
    read_or_default(reader, "namespace", made.namespace_);
    ConfigurationReader(made, version == api::kConfigV1beta1).read_all(reader);
    return made;
}

Result<Configuration> parse_configuration(
    const json::Value& document, std::string_view own_namespace
) {
    Problems problems;
    auto made = read_configuration(document, own_namespace, problems);
    if (!problems.empty()) {
        return make_invalid(to_string(problems.take()));
    }
    return made;
}

}  // namespace sluice::config
