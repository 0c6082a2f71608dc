#include "config/checks.hpp"

#include "api/kueue/kueue_names.hpp"
#include "api/meta/label_selector.hpp"
#include "api/meta/names.hpp"
#include "base/nearest_name.hpp"
#include "config/name_rules.hpp"
#include "config/validation.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <chrono>
#include <initializer_list>
#include <iterator>
#include <limits>
#include <set>
#include <utility>

namespace sluice::config {
namespace {

constexpr std::size_t kCustomLabelsMax = 20;
constexpr std::size_t kLabelsOfWorkloadMax = 2;
constexpr std::size_t kLabelsOfOthersMax = 6;
constexpr std::size_t kValuesOfWorkloadMax = 12;
constexpr std::size_t kValuesOfOthersMax = 16;

/// Lease.spec.leaseDurationSeconds has 32 bits.
constexpr auto kLeaseMax = std::chrono::seconds(std::numeric_limits<std::int32_t>::max());

/// Replicas that retry more often would do nothing else.
constexpr auto kRetryMin = std::chrono::milliseconds(10);

bool check_positive(const Checking& at, Duration value) {
    if (value <= Duration::zero()) {
        at.add("must be greater than 0");
        return false;
    }
    return true;
}

void check_lease_duration(const Checking& at, const LeaderElection& election) {
    if (election.lease_duration > kLeaseMax) {
        at.add(fmt::format("must be at most {}s", kLeaseMax.count()));
        return;
    }
    const auto written = std::chrono::floor<std::chrono::seconds>(election.lease_duration);
    if (written < std::chrono::seconds(1)) {
        at.add("counts as 0s and must be at least 1s");
    } else if (written <= election.renew_deadline) {
        at.add(fmt::format("counts as {}s and must be greater than renewDeadline", written.count())
        );
    }
}

void check_label_values(const Checking& at, const CustomLabel& label) {
    const auto count = label.tracked_values.size();
    const bool of_workload = label.source_kind == "Workload";
    const auto limit = of_workload ? kValuesOfWorkloadMax : kValuesOfOthersMax;
    if (of_workload && count == 0) {
        at.add("must not be empty when sourceKind is Workload");
    }
    if (count > limit) {
        at.add(fmt::format("has {} values, at most {} are allowed", count, limit));
    }
    if (std::set(label.tracked_values.begin(), label.tracked_values.end()).size() < count) {
        at.add("must not contain duplicates");
    }
}

void check_custom_label(const Checking& at, const CustomLabel& label) {
    const bool starts_well = !label.name.empty() && label.name.front() != '_';
    if (!starts_well || !is_c_identifier(label.name)) {
        at.inside("name").add("must match ^[a-zA-Z][a-zA-Z0-9_]*$");
    }
    if (!label.source_label_key.empty() && !label.source_annotation_key.empty()) {
        at.add("sourceLabelKey and sourceAnnotationKey are mutually exclusive");
    }
    using Field = std::pair<std::string_view, std::string_view>;
    const auto [field, key] = !label.source_label_key.empty()
                                  ? Field("sourceLabelKey", label.source_label_key)
                              : !label.source_annotation_key.empty()
                                  ? Field("sourceAnnotationKey", label.source_annotation_key)
                                  : Field("name", label.name);
    if (api::check_qualified_name(key)) {
        at.inside(field).add(fmt::format("\"{}\" is not a valid label key", key));
    }
    check_one_of(
        at.inside("sourceKind"),
        label.source_kind,
        {"Cohort", "ClusterQueue", "LocalQueue", "Workload"}
    );
    check_label_values(at.inside("trackedValues"), label);
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

/// Returns the problem of a name that no framework has.
std::string refuse_framework(std::string_view name, std::span<const Framework> known) {
    std::vector<std::string_view> names;
    std::ranges::transform(known, std::back_inserter(names), &Framework::name);
    // Everywhere else, a framework is called by the last part of its name.
    const auto by_kind = std::ranges::find_if(names, [name](std::string_view each) {
        return each.substr(each.rfind('/') + 1) == name;
    });
    const std::string meant = by_kind != names.end()
                                  ? fmt::format("; did you mean \"{}\"?", *by_kind)
                                  : suggest_name(name, names);
    return fmt::format("\"{}\" is not one of {}{}", name, fmt::join(names, ", "), meant);
}

void check_external_frameworks(const Checking& at, const std::vector<ExternalFramework>& listed) {
    std::set<std::string, std::less<>> built_in;
    const auto& frameworks = at.configuration.integrations.frameworks;
    for (const auto& framework : at.frameworks) {
        if (std::ranges::find(frameworks, framework.name) != frameworks.end()) {
            built_in.emplace(framework.kind);
        }
    }
    std::set<std::string, std::less<>> seen;
    for (std::size_t i = 0; i < listed.size(); ++i) {
        const auto named = at.item(i).inside("name");
        const auto& name = listed[i].name;
        if (!is_kind_argument(name)) {
            named.add(fmt::format("\"{}\" is not of the form kind.version.group", name));
            continue;
        }
        if (!seen.insert(name).second) {
            named.add(fmt::format("\"{}\" is there twice", name));
        }
        if (built_in.contains(name)) {
            named.add(fmt::format("\"{}\" is the kind of a listed framework", name));
        }
    }
}

void check_providers(const Checking& at, const std::vector<AccessProvider>& providers) {
    for (std::size_t i = 0; i < providers.size(); ++i) {
        const auto& provider = providers[i];
        const auto exec = at.item(i).inside("execConfig");
        const auto require = [](const Checking& key, std::string_view value) {
            if (value.empty()) {
                key.add("must be specified");
            }
        };
        require(at.item(i).inside("name"), provider.name);
        require(exec.inside("command"), provider.command);
        require(exec.inside("apiVersion"), provider.api_version);
        for (const auto& [variable, value] : provider.env) {
            require(exec.inside("env").inside("name"), variable);
        }
        check_one_of(
            exec.inside("interactiveMode"),
            provider.interactive_mode,
            {"Never", "IfAvailable", "Always"}
        );
    }
}

}  // namespace

Checking Checking::inside(std::string_view name) const {
    return {join_path(path, name), configuration, gates, frameworks, problems};
}

void check_one_of(
    const Checking& at, std::string_view value, std::initializer_list<std::string_view> allowed
) {
    if (std::ranges::find(allowed, value) == allowed.end()) {
        at.add(fmt::format("\"{}\" is not one of {}", value, fmt::join(allowed, ", ")));
    }
}

void check_namespace_selector(const Checking& at, const api::LabelSelector& selector) {
    const auto made = api::Selector::make(selector);
    if (!made) {
        at.add(made.error().detail);
        return;
    }
    // Other labels of these namespaces are not known here.
    for (const auto& name : {std::string("kube-system"), at.configuration.namespace_}) {
        if (made->matches({{"kubernetes.io/metadata.name", name}})) {
            at.add(fmt::format("should not match the \"{}\" namespace", name));
        }
    }
}

void check_tls(const Checking& at, const TlsOptions& tls) {
    if (tls.min_version == "VersionTLS13" && !tls.cipher_suites.empty()) {
        at.inside("cipherSuites").add("may not be specified when minVersion is VersionTLS13");
    }
}

void check_certificates(const Checking& at, const InternalCertManagement& certs) {
    if (!certs.enable) {
        return;
    }
    if (!is_dns_1035_label(certs.webhook_service_name)) {
        at.inside("webhookServiceName")
            .add(fmt::format("\"{}\" is not a DNS-1035 label", certs.webhook_service_name));
    }
    if (api::check_dns1123_subdomain(certs.webhook_secret_name)) {
        at.inside("webhookSecretName")
            .add(fmt::format("\"{}\" is not a DNS-1123 subdomain", certs.webhook_secret_name));
    }
}

void check_leader_election(const Checking& at, const LeaderElection& election) {
    if (!election.leader_elect) {
        return;
    }
    const auto lease = at.inside("leaseDuration");
    const auto deadline = at.inside("renewDeadline");
    const auto period = at.inside("retryPeriod");
    const bool has_lease = check_positive(lease, election.lease_duration);
    const bool has_deadline = check_positive(deadline, election.renew_deadline);
    const bool has_period = check_positive(period, election.retry_period);
    if (has_period && election.retry_period < kRetryMin) {
        period.add(fmt::format("must be at least {}ms", kRetryMin.count()));
    }
    if (has_lease && has_deadline) {
        check_lease_duration(lease, election);
    }
    if (has_deadline && has_period &&
        election.renew_deadline <= election.retry_period + election.retry_period / 5) {
        deadline.add("must be greater than 1.2 times retryPeriod");
    }
    check_one_of(at.inside("resourceLock"), election.resource_lock, {"leases"});
}

void check_custom_labels(const Checking& at, const std::vector<CustomLabel>& labels) {
    if (labels.size() > kCustomLabelsMax) {
        at.add(fmt::format("has {} labels, at most {} are allowed", labels.size(), kCustomLabelsMax)
        );
    }
    std::set<std::string_view> names;
    std::map<std::string_view, std::size_t> count_of_kind;
    for (std::size_t i = 0; i < labels.size(); ++i) {
        const auto item = at.item(i);
        check_custom_label(item, labels[i]);
        if (!names.insert(labels[i].name).second) {
            item.inside("name").add(fmt::format("\"{}\" is there twice", labels[i].name));
        }
        ++count_of_kind[labels[i].source_kind];
    }
    for (const auto& [kind, count] : count_of_kind) {
        const auto limit = kind == "Workload" ? kLabelsOfWorkloadMax : kLabelsOfOthersMax;
        if (count > limit) {
            at.add(fmt::format("has {} labels of {}, at most {} are allowed", count, kind, limit));
        }
    }
}

void check_integrations(const Checking& at, const Integrations& integrations) {
    std::set<std::string, std::less<>> kinds;
    for (std::size_t i = 0; i < integrations.frameworks.size(); ++i) {
        const auto item = at.inside("frameworks").item(i);
        const auto& name = integrations.frameworks[i];
        const auto found = std::ranges::find(at.frameworks, name, &Framework::name);
        if (found == at.frameworks.end()) {
            item.add(refuse_framework(name, at.frameworks));
        } else if (!kinds.emplace(found->kind).second) {
            item.add(fmt::format("\"{}\" is there twice", name));
        } else if (const auto& gate = found->gate; gate && !at.gates.is_enabled(*gate)) {
            item.add(
                fmt::format("\"{}\" is alpha: enable the feature gate {}", name, to_string(*gate))
            );
        }
    }
    for (std::size_t i = 0; i < integrations.external_frameworks.size(); ++i) {
        const auto item = at.inside("externalFrameworks").item(i);
        const auto& name = integrations.external_frameworks[i];
        if (!is_kind_argument(name)) {
            item.add(fmt::format("\"{}\" is not of the form Kind.version.group.com", name));
        } else if (!kinds.insert(name).second) {
            item.add(fmt::format("\"{}\" is there twice", name));
        }
    }
}

void check_multi_kueue(const Checking& at, const MultiKueue& multi_kueue) {
    if (api::check_label_value(multi_kueue.origin)) {
        at.inside("origin").add(fmt::format("\"{}\" is not a label value", multi_kueue.origin));
    }
    check_external_frameworks(at.inside("externalFrameworks"), multi_kueue.external_frameworks);
    const auto access = at.inside("clusterProfile").inside("accessProviders");
    const auto credentials = at.inside("clusterProfile").inside("credentialsProviders");
    if (!multi_kueue.access_providers.empty() && !multi_kueue.credentials_providers.empty()) {
        credentials.add("must not be specified when accessProviders is specified");
    }
    check_providers(access, multi_kueue.access_providers);
    if (multi_kueue.access_providers.empty()) {
        check_providers(credentials, multi_kueue.credentials_providers);
    }
    if (!multi_kueue.incremental_dispatcher) {
        return;
    }
    const auto dispatcher = at.inside("incrementalDispatcherConfig");
    if (multi_kueue.dispatcher_name != api::dispatcher::kIncremental) {
        dispatcher.add(
            fmt::format("is only valid with dispatcherName {}", api::dispatcher::kIncremental)
        );
    }
    if (multi_kueue.incremental_dispatcher->step_size < 1) {
        dispatcher.inside("stepSize").add("must be greater than or equal to 1");
    }
}

void check_resources(const Checking& at, const Resources& resources) {
    std::set<std::string_view> inputs;
    for (std::size_t i = 0; i < resources.transformations.size(); ++i) {
        const auto& transformation = resources.transformations[i];
        const auto item = at.inside("transformations").item(i);
        check_one_of(item.inside("strategy"), transformation.strategy, {"Retain", "Replace"});
        if (!inputs.insert(transformation.input).second) {
            item.inside("input").add(fmt::format("\"{}\" is there twice", transformation.input));
        }
    }
    if (at.gates.is_enabled(Feature::QuotaCheckStrategy)) {
        const auto strategy = at.inside("quotaCheckStrategy");
        check_one_of(
            strategy, resources.quota_check_strategy, {"BlockUndeclared", "IgnoreUndeclared"}
        );
        if (resources.quota_check_strategy == "IgnoreUndeclared" &&
            !resources.exclude_resource_prefixes.empty()) {
            strategy.add("excludeResourcePrefixes is not allowed with IgnoreUndeclared");
        }
    }
    check_device_class_mappings(at.inside("deviceClassMappings"), resources.device_class_mappings);
}

}  // namespace sluice::config
