// The feature gates, with default, stage and dependencies, and which of them are on.
#pragma once

#include "base/error.hpp"
#include "config/problem.hpp"

#include <array>
#include <cstddef>
#include <cstdint>
#include <map>
#include <optional>
#include <string>
#include <string_view>
#include <vector>

namespace sluice::config {

// clang-format off
/// All gates: X(name, default, stage, locked to the default). This is the only list of them. Kueue
/// does not have the gates that begin with Sluice.
#define SLUICE_FEATURES(X) \
    X(AdmissionFairSharing, true, Beta, false) \
    X(AdmissionGatedBy, true, Beta, false) \
    X(AssignQueueLabelsForPods, true, Beta, false) \
    X(CleanupProvisioningRequestsOnEviction, true, Beta, false) \
    X(ConcurrentAdmission, false, Alpha, false) \
    X(CustomMetricLabels, false, Alpha, false) \
    X(DeferRayServiceFinalizationForRedisCleanup, true, Beta, false) \
    X(DisableWaitForPodsReady, false, Alpha, false) \
    X(ElasticJobsViaWorkloadSlices, true, Beta, false) \
    X(ElasticJobsViaWorkloadSlicesWithTAS, false, Alpha, false) \
    X(FailureRecoveryPolicy, false, Alpha, false) \
    X(FairSharingPreemptWithinNominal, true, Beta, false) \
    X(FairSharingPrioritizeNonBorrowing, true, Beta, false) \
    X(FastQuotaReleaseInPodIntegration, false, Alpha, false) \
    X(FinishOrphanedWorkloads, true, Beta, false) \
    X(FlavorFungibility, true, Beta, false) \
    X(FlavorFungibilityPreserveScanProgress, true, Beta, false) \
    X(KueueDRAIntegration, true, Beta, false) \
    X(KueueDRAIntegrationConsumableCapacity, false, Alpha, false) \
    X(KueueDRAIntegrationExtendedResource, true, Beta, false) \
    X(KueueDRAIntegrationPartitionableDevices, true, Beta, false) \
    X(KueueDRARejectWorkloadsWhenDRADisabled, true, Beta, false) \
    X(LWSImmutableGroupSize, true, Beta, false) \
    X(LocalQueueMetrics, true, Beta, false) \
    X(ManagedJobsNamespaceSelectorAlwaysRespected, true, Stable, true) \
    X(MetricForWorkloadCreationLatency, true, Beta, false) \
    X(MetricsForCohorts, true, Beta, false) \
    X(MultiKueue, true, Beta, false) \
    X(MultiKueueAdaptersForCustomJobs, true, Beta, false) \
    X(MultiKueueClusterProfile, false, Alpha, false) \
    X(MultiKueueIncrementalDispatcherConfig, true, Beta, false) \
    X(MultiKueueIncrementalDispatcherRespectConfigOrder, true, Beta, false) \
    X(MultiKueueKubeConfigPathValidation, true, Beta, false) \
    X(MultiKueueManagerQuotaAutomation, false, Alpha, false) \
    X(MultiKueueOrchestratedPreemption, false, Alpha, false) \
    X(MultiKueueRemoteSpecSync, true, Beta, false) \
    X(PartialAdmission, true, Beta, false) \
    X(PodIntegrationValidateGroupOwner, true, Beta, false) \
    X(PrioritizePreemptorWorkloads, false, Alpha, false) \
    X(PriorityBoost, false, Alpha, false) \
    X(PrioritySortingWithinCohort, true, Beta, false) \
    X(QuotaCheckStrategy, true, Beta, false) \
    X(ReclaimablePods, true, Beta, false) \
    X(RecomputeAssignmentUponPreemptionTargetsOverlap, true, Beta, false) \
    X(RejectUpdatesToCQWithInvalidOnFlavors, false, Alpha, false) \
    X(RemoveFinalizersWithStrictPatch, true, Beta, false) \
    X(SchedulerLibraryIntegration, false, Alpha, false) \
    X(SchedulingEquivalenceHashing, true, Beta, false) \
    X(ShortWorkloadNames, false, Alpha, false) \
    X(SkipAncestorCheckForDeletedWorkloads, true, Beta, false) \
    X(SkipReassignmentForPodOwnedWorkloads, true, Beta, false) \
    X(SluicePreventFairSharingLoops, false, Alpha, false) \
    X(SparkApplicationIntegration, false, Alpha, false) \
    X(TASAssignmentsEncodingByHostnamePrefix, true, Beta, false) \
    X(TASBalancedPlacement, false, Alpha, false) \
    X(TASCacheNodeMatchResults, true, Beta, false) \
    X(TASCacheTopologyTree, true, Beta, false) \
    X(TASCachingRemainingResources, true, Beta, false) \
    X(TASFailedNodeReplacement, true, Beta, false) \
    X(TASFailedNodeReplacementFailFast, true, Beta, false) \
    X(TASHandleOverlappingFlavors, true, Beta, false) \
    X(TASMultiLayerTopology, true, Beta, false) \
    X(TASProfileMixed, true, Beta, false) \
    X(TASRecomputeAssignmentWithinSchedulingCycle, true, Beta, false) \
    X(TASReplaceNodeDueToNotReadyOverFixedTime, false, Deprecated, false) \
    X(TASReplaceNodeOnNodeTaints, true, Beta, false) \
    X(TASReplaceNodeOnPodTermination, true, Beta, false) \
    X(TASRespectNodeAffinityPreferred, false, Alpha, false) \
    X(TASValidateWorkloadSliceSize, true, Beta, false) \
    X(TLSOptions, true, Stable, true) \
    X(TopologyAwareScheduling, true, Beta, false) \
    X(UnadmittedWorkloadsExplicitStatus, false, Beta, false) \
    X(UnadmittedWorkloadsObservability, true, Beta, false) \
    X(ValidateRayAndSparkJobUpdates, true, Beta, false) \
    X(VectorizedResourceRequests, true, Beta, false) \
    X(VisibilityOnDemand, true, Beta, false) \
    X(WorkloadIdentifierAnnotations, true, Beta, false) \
    X(WorkloadPriorityClassDefaulting, true, Beta, false) \
    X(WorkloadRequestUseMergePatch, false, Alpha, false) \
    X(WorkloadValidateResourcesAreNonNegative, true, Beta, false) \
    X(WorkloadValidationForPodSetMetadata, true, Beta, false)
// clang-format on

/// A feature that a gate turns on or off; the enumerator is spelled like the gate.
enum class Feature : std::uint8_t {
#define SLUICE_ENUMERATOR(name, on, stage, locked) name,
    SLUICE_FEATURES(SLUICE_ENUMERATOR)
#undef SLUICE_ENUMERATOR
};

enum class FeatureStage : std::uint8_t { Alpha, Beta, Stable, Deprecated };

/// The fixed properties of a gate.
struct FeatureSpec {
    std::string_view name;
    bool default_on;
    FeatureStage stage;
    bool locked;
};

inline constexpr std::array kFeatures = {
#define SLUICE_SPEC(name, on, stage, locked) FeatureSpec{#name, on, FeatureStage::stage, locked},
    SLUICE_FEATURES(SLUICE_SPEC)
#undef SLUICE_SPEC
};

/// Returns the features that must be on if this one is on.
std::vector<Feature> dependencies_of(Feature feature);

/// The option that sets gates on a command line. Problems of such a gate have it as their path.
inline constexpr const char* kFeatureGatesFlag = "--feature-gates";

/// The features that are on. Made once at the start; each gate has its default unless it is set.
class FeatureGates {
  public:
    /// Sets all gates to their defaults.
    FeatureGates();

    /// Applies the gates of a file by name, including AllAlpha and AllBeta; a named gate takes
    /// precedence over these. Gates of the Kubernetes API server library and of earlier versions of
    /// Kueue are accepted and ignored. Errors: Invalid for an unknown or locked gate, and for a
    /// gate that is on while a feature that it needs is off.
    static Result<FeatureGates> from_map(const std::map<std::string, bool>& gates);
    /// Applies the text of `--feature-gates`: `A=true,B=false`. Errors: Invalid for a malformed
    /// text, and as from_map(); they name the flag.
    static Result<FeatureGates> parse(std::string_view text);
    /// Reads the text of `--feature-gates` without applying it. Errors: Invalid for a malformed
    /// text.
    static Result<std::map<std::string, bool>> read_flag(std::string_view text);
    /// Returns the gates set by the command line or the configuration file.
    /// Errors: Invalid if both set some (an empty map in the file counts as set), and as
    /// from_map().
    static Result<FeatureGates> load(
        std::string_view command_line,
        const std::optional<std::map<std::string, bool>>& configuration
    );

    bool is_enabled(Feature feature) const { return on_[static_cast<std::size_t>(feature)]; }
    /// Returns the features that differ from their default, in the order of their names.
    std::vector<Feature> changed() const;

    /// Returns true if the gate was set by its own name, even to its default.
    bool is_named(Feature feature) const { return named_[static_cast<std::size_t>(feature)]; }

    /// Returns the gates that were set although no current version has them, sorted.
    const std::vector<std::string>& removed() const { return removed_; }

    /// Returns a problem with one gate. `predicate`: what is wrong with it, such as "is not
    /// supported". The path is `featureGates.NAME`, or the flag if the gates are from it.
    Problem problem_of(std::string_view gate, std::string_view predicate) const;

    /// Compares the features that are on.
    friend bool operator==(const FeatureGates& a, const FeatureGates& b) { return a.on_ == b.on_; }

  private:
    Result<void> apply(const std::map<std::string, bool>& gates);

    std::array<bool, kFeatures.size()> on_{};
    std::array<bool, kFeatures.size()> named_{};
    std::vector<std::string> removed_;
    bool is_from_flag_ = false;
};

/// Returns the name of the gate.
std::string_view to_string(Feature feature);

}  // namespace sluice::config
