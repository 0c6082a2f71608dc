#include "config/feature_gates.hpp"

#include "base/nearest_name.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <utility>

namespace sluice::config {
namespace {

struct Dependency {
    Feature feature;
    std::vector<Feature> needs;
};

/// Returns the dependencies of the features, in the order of the features' names.
std::vector<Dependency> dependency_table() {
    using enum Feature;
    return {
        {ElasticJobsViaWorkloadSlicesWithTAS,
         {ElasticJobsViaWorkloadSlices, TopologyAwareScheduling}},
        {FlavorFungibilityPreserveScanProgress, {FlavorFungibility}},
        {KueueDRAIntegrationConsumableCapacity, {KueueDRAIntegration}},
        {KueueDRAIntegrationExtendedResource, {KueueDRAIntegration}},
        {KueueDRAIntegrationPartitionableDevices, {KueueDRAIntegration}},
        {TASBalancedPlacement, {TopologyAwareScheduling}},
        {TASFailedNodeReplacement, {TopologyAwareScheduling}},
        {TASFailedNodeReplacementFailFast, {TASFailedNodeReplacement, TopologyAwareScheduling}},
        {TASHandleOverlappingFlavors, {TopologyAwareScheduling}},
        {TASMultiLayerTopology, {TopologyAwareScheduling}},
        {TASProfileMixed, {TopologyAwareScheduling}},
        {TASRecomputeAssignmentWithinSchedulingCycle, {TopologyAwareScheduling}},
        {TASReplaceNodeDueToNotReadyOverFixedTime,
         {TASFailedNodeReplacement, TopologyAwareScheduling}},
        {TASReplaceNodeOnNodeTaints, {TopologyAwareScheduling}},
        {TASReplaceNodeOnPodTermination, {TASFailedNodeReplacement, TopologyAwareScheduling}},
        {TASRespectNodeAffinityPreferred, {TopologyAwareScheduling}},
        {UnadmittedWorkloadsExplicitStatus, {UnadmittedWorkloadsObservability}},
    };
}

/// Gates of the library that Kubernetes API servers share. Files may set them.
constexpr std::array<std::string_view, 42> kLibraryGates = {
    "APIResponseCompression",
    "APIServerIdentity",
    "APIServerTracing",
    "APIServingWithRoutine",
    "AggregatedDiscoveryRemoveBetaType",
    "AllowParsingUserUIDFromCertAuth",
    "AllowUnsafeMalformedObjectDeletion",
    "AnonymousAuthConfigurableEndpoints",
    "AuthorizeWithSelectors",
    "BtreeWatchCache",
    "CBORServingAndStorage",
    "ConcurrentWatchObjectDecode",
    "ConsistentListFromCache",
    "ConstrainedImpersonation",
    "CoordinatedLeaderElection",
    "DeclarativeValidation",
    "DeclarativeValidationBeta",
    "DeclarativeValidationTakeover",
    "DetectCacheInconsistency",
    "KMSv1",
    "ListFromCacheSnapshot",
    "ManifestBasedAdmissionControlConfig",
    "MutatingAdmissionPolicy",
    "OpenAPIEnums",
    "RemoteRequestHeaderUID",
    "ResilientWatchCacheInitialization",
    "RetryGenerateName",
    "SeparateCacheWatchRPC",
    "ShardedListAndWatch",
    "SizeBasedListCostEstimate",
    "StorageVersionAPI",
    "StorageVersionHash",
    "StreamingCollectionEncodingToJSON",
    "StreamingCollectionEncodingToProtobuf",
    "StructuredAuthenticationConfiguration",
    "StructuredAuthenticationConfigurationEgressSelector",
    "StructuredAuthenticationConfigurationJWKSMetrics",
    "TokenRequestServiceAccountUIDValidation",
    "UnauthenticatedHTTP2DOSMitigation",
    "UnknownVersionInteroperabilityProxy",
    "WatchCacheInitializationPostStartHook",
    "WatchList",
};

/// Gates of earlier versions of Kueue. Files may still set them; they have no effect.
constexpr std::string_view kRemovedGates[] = {
    "AdmissionCheckValidationRules",
    "ConfigurableResourceTransformations",
    "DRAExtendedResources",
    "DynamicResourceAllocation",
    "ExposeFlavorsInLocalQueue",
    "FlavorFungibilityImplicitPreferenceDefault",
    "HierarchialCohorts",
    "HierarchicalCohorts",
    "KeepQuotaForProvReqRetry",
    "LendingLimit",
    "LocalQueueDefaulting",
    "ManagedJobsNamespaceSelector",
    "MultiKueueAllowInsecureKubeconfigs",
    "MultiKueueBatchJobWithManagedBy",
    "MultiKueueRedoAdmissionOnEvictionInWorker",
    "MultiKueueWaitForWorkloadAdmitted",
    "MultiplePreemptions",
    "ObjectRetentionPolicies",
    "PropagateBatchJobLabelsToWorkload",
    "ProvisioningACC",
    "QueueVisibility",
    "SanitizePodSets",
    "SchedulerLongRequeueInterval",
    "SchedulerTimestampPreemptionBuffer",
    "SkipFinalizersForPodsSuspendedByParent",
    "TASImplicitDefaultUnconstrained",
    "TASLeastAllocated",
    "TASMostFreeCapacity",
    "TASProfileLeastFreeCapacity",
    "TASProfileMostFreeCapacity",
    "WorkloadResourceRequestsSummary",
};

const FeatureSpec* find_spec(std::string_view name) {
    const auto found = std::ranges::find(kFeatures, name, &FeatureSpec::name);
    return found == kFeatures.end() ? nullptr : &*found;
}

std::string suggest_gate(std::string_view name) {
    std::array<std::string_view, kFeatures.size()> known{};
    std::ranges::transform(kFeatures, known.begin(), &FeatureSpec::name);
    return suggest_name(name, known);
}

std::string_view trim(std::string_view text) {
    const auto first = text.find_first_not_of(" \t\n");
    if (first == std::string_view::npos) {
        return {};
    }
    return text.substr(first, text.find_last_not_of(" \t\n") - first + 1);
}

std::optional<bool> parse_bool(std::string_view text) {
    for (const auto* yes : {"1", "t", "T", "true", "TRUE", "True"}) {
        if (text == yes) {
            return true;
        }
    }
    for (const auto* no : {"0", "f", "F", "false", "FALSE", "False"}) {
        if (text == no) {
            return false;
        }
    }
    return std::nullopt;
}

}  // namespace

std::string_view to_string(Feature feature) {
    return kFeatures[static_cast<std::size_t>(feature)].name;
}

std::optional<Feature> find_feature(std::string_view name) {
    const FeatureSpec* spec = find_spec(name);
    return spec == nullptr ? std::nullopt
                           : std::optional(static_cast<Feature>(spec - kFeatures.data()));
}

std::vector<Feature> dependencies_of(Feature feature) {
    for (auto& dependency : dependency_table()) {
        if (dependency.feature == feature) {
            return std::move(dependency.needs);
        }
    }
    return {};
}

FeatureGates::FeatureGates() {
    std::ranges::transform(kFeatures, on_.begin(), &FeatureSpec::default_on);
}

Result<void> FeatureGates::apply(const std::map<std::string, bool>& gates) {
    for (const auto& [group, stage] :
         {std::pair{"AllAlpha", FeatureStage::Alpha}, {"AllBeta", FeatureStage::Beta}}) {
        const auto wanted = gates.find(group);
        for (std::size_t i = 0; wanted != gates.end() && i < kFeatures.size(); ++i) {
            if (kFeatures[i].stage == stage && !kFeatures[i].locked) {
                on_[i] = wanted->second;
            }
        }
    }
    for (const auto& [name, on] : gates) {
        const auto* spec = find_spec(name);
        if (spec == nullptr) {
            if (std::ranges::find(kRemovedGates, name) != std::ranges::end(kRemovedGates)) {
                removed_.push_back(name);
                continue;
            }
            const bool is_known = name == "AllAlpha" || name == "AllBeta" ||
                                  std::ranges::find(kLibraryGates, name) != kLibraryGates.end();
            if (!is_known) {
                return make_invalid(
                    fmt::format("unrecognized feature gate: {}{}", name, suggest_gate(name))
                );
            }
            continue;
        }
        if (spec->locked && spec->default_on != on) {
            return make_invalid(fmt::format(
                "cannot set feature gate {} to {}, feature is locked to {}",
                name,
                on,
                spec->default_on
            ));
        }
        const auto index = static_cast<std::size_t>(spec - kFeatures.data());
        on_[index] = on;
        named_[index] = true;
    }
    std::string problems;
    for (const auto& [feature, needs] : dependency_table()) {
        std::vector<std::string_view> missing;
        for (const auto need : needs) {
            if (is_enabled(feature) && !is_enabled(need)) {
                missing.push_back(to_string(need));
            }
        }
        if (!missing.empty()) {
            problems += fmt::format(
                "{}{} is enabled, but depends on features that are disabled: [{}]",
                problems.empty() ? "" : "; ",
                to_string(feature),
                fmt::join(missing, " ")
            );
        }
    }
    return problems.empty() ? Result<void>() : make_invalid(problems);
}

Result<FeatureGates> FeatureGates::from_map(const std::map<std::string, bool>& gates) {
    FeatureGates made;
    if (const auto applied = made.apply(gates); !applied) {
        return with_context(applied.error(), "featureGates");
    }
    return made;
}

Result<std::map<std::string, bool>> FeatureGates::read_flag(std::string_view text) {
    std::map<std::string, bool> gates;
    while (!text.empty()) {
        const auto comma = text.find(',');
        const auto item = trim(text.substr(0, comma));
        text = comma == std::string_view::npos ? std::string_view() : text.substr(comma + 1);
        if (item.empty()) {
            continue;
        }
        const auto equals = item.find('=');
        if (equals == std::string_view::npos) {
            return make_invalid(
                fmt::format("{}: missing bool value for {}", kFeatureGatesFlag, item)
            );
        }
        const auto name = trim(item.substr(0, equals));
        const auto value = trim(item.substr(equals + 1));
        const auto on = parse_bool(value);
        if (!on) {
            return make_invalid(fmt::format(
                "{}: invalid value of {}={}, not a bool", kFeatureGatesFlag, name, value
            ));
        }
        gates[std::string(name)] = *on;
    }
    return gates;
}

Result<FeatureGates> FeatureGates::parse(std::string_view text) {
    const auto gates = read_flag(text);
    if (!gates) {
        return gates.error();
    }
    FeatureGates made;
    made.is_from_flag_ = true;
    if (const auto applied = made.apply(*gates); !applied) {
        return with_context(applied.error(), kFeatureGatesFlag);
    }
    return made;
}

Result<FeatureGates> FeatureGates::load(
    std::string_view command_line, const std::optional<std::map<std::string, bool>>& configuration
) {
    if (command_line.empty()) {
        return from_map(configuration.value_or(std::map<std::string, bool>()));
    }
    if (configuration) {
        return make_invalid(
            "featureGates: feature gates for CLI and configuration cannot both specified"
        );
    }
    return parse(command_line);
}

Problem FeatureGates::problem_of(std::string_view gate, std::string_view predicate) const {
    return is_from_flag_
               ? Problem{.path = kFeatureGatesFlag, .why = fmt::format("{} {}", gate, predicate)}
               : Problem{
                     .path = fmt::format("featureGates.{}", gate), .why = std::string(predicate)
                 };
}

}  // namespace sluice::config
