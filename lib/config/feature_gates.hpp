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
/// All gates: X(name, default, stage, locked to the default, build). This is the only list of them.
/// Kueue does not have the gates that begin with Sluice. Some count as built because they may be on
/// or off without an effect on Sluice:
/// - MultiKueueOrchestratedPreemption: closed gates count, but no manager opens them.
/// - PodIntegrationValidateGroupOwner: always on, no group takes the Workload of another job.
/// - RemoveFinalizersWithStrictPatch, WorkloadRequestUseMergePatch: affect the form of writes; all
///   writes of Sluice are conditional.
/// - VectorizedResourceRequests: affects only performance.
#define SLUICE_FEATURES(X) \
    X(AdmissionFairSharing, true, Beta, false, Built) \
    X(AdmissionGatedBy, true, Beta, false, Built) \
    X(AssignQueueLabelsForPods, true, Beta, false, Built) \
    X(CleanupProvisioningRequestsOnEviction, true, Beta, false, NotBuilt) \
    X(ConcurrentAdmission, false, Alpha, false, NotBuilt) \
    X(CustomMetricLabels, false, Alpha, false, Built) \
    X(DeferRayServiceFinalizationForRedisCleanup, true, Beta, false, Built) \
    X(DisableWaitForPodsReady, false, Alpha, false, Built) \
    X(ElasticJobsViaWorkloadSlices, true, Beta, false, Built) \
    X(ElasticJobsViaWorkloadSlicesWithTAS, false, Alpha, false, Built) \
    X(FailureRecoveryPolicy, false, Alpha, false, NotBuilt) \
    X(FairSharingPreemptWithinNominal, true, Beta, false, Built) \
    X(FairSharingPrioritizeNonBorrowing, true, Beta, false, Built) \
    X(FastQuotaReleaseInPodIntegration, false, Alpha, false, Built) \
    X(FinishOrphanedWorkloads, true, Beta, false, Built) \
    X(FlavorFungibility, true, Beta, false, Built) \
    X(FlavorFungibilityPreserveScanProgress, true, Beta, false, Built) \
    X(KueueDRAIntegration, true, Beta, false, NotBuilt) \
    X(KueueDRAIntegrationConsumableCapacity, false, Alpha, false, NotBuilt) \
    X(KueueDRAIntegrationExtendedResource, true, Beta, false, NotBuilt) \
    X(KueueDRAIntegrationPartitionableDevices, true, Beta, false, NotBuilt) \
    X(KueueDRARejectWorkloadsWhenDRADisabled, true, Beta, false, Built) \
    X(LWSImmutableGroupSize, true, Beta, false, Built) \
    X(LocalQueueMetrics, true, Beta, false, Built) \
    X(ManagedJobsNamespaceSelectorAlwaysRespected, true, Stable, true, Built) \
    X(MetricForWorkloadCreationLatency, true, Beta, false, Built) \
    X(MetricsForCohorts, true, Beta, false, Built) \
    X(MultiKueue, true, Beta, false, NotBuilt) \
    X(MultiKueueAdaptersForCustomJobs, true, Beta, false, NotBuilt) \
    X(MultiKueueClusterProfile, false, Alpha, false, NotBuilt) \
    X(MultiKueueIncrementalDispatcherConfig, true, Beta, false, NotBuilt) \
    X(MultiKueueIncrementalDispatcherRespectConfigOrder, true, Beta, false, NotBuilt) \
    X(MultiKueueKubeConfigPathValidation, true, Beta, false, NotBuilt) \
    X(MultiKueueManagerQuotaAutomation, false, Alpha, false, NotBuilt) \
    X(MultiKueueOrchestratedPreemption, false, Alpha, false, Built) \
    X(MultiKueueRemoteSpecSync, true, Beta, false, NotBuilt) \
    X(PartialAdmission, true, Beta, false, Built) \
    X(PodIntegrationValidateGroupOwner, true, Beta, false, Built) \
    X(PrioritizePreemptorWorkloads, false, Alpha, false, Built) \
    X(PriorityBoost, false, Alpha, false, Built) \
    X(PrioritySortingWithinCohort, true, Beta, false, Built) \
    X(QuotaCheckStrategy, true, Beta, false, Built) \
    X(ReclaimablePods, true, Beta, false, Built) \
    X(RecomputeAssignmentUponPreemptionTargetsOverlap, true, Beta, false, Built) \
    X(RejectUpdatesToCQWithInvalidOnFlavors, false, Alpha, false, Built) \
    X(RemoveFinalizersWithStrictPatch, true, Beta, false, Built) \
    X(SchedulerLibraryIntegration, false, Alpha, false, NotBuilt) \
    X(SchedulingEquivalenceHashing, true, Beta, false, Built) \
    X(ShortWorkloadNames, false, Alpha, false, Built) \
    X(SkipAncestorCheckForDeletedWorkloads, true, Beta, false, Built) \
    X(SkipReassignmentForPodOwnedWorkloads, true, Beta, false, Built) \
    X(SluicePreventFairSharingLoops, false, Alpha, false, Built) \
    X(SluiceTASStrictNodeFit, false, Alpha, false, Built) \
    X(SparkApplicationIntegration, false, Alpha, false, Built) \
    X(TASAssignmentsEncodingByHostnamePrefix, true, Beta, false, Built) \
    X(TASBalancedPlacement, false, Alpha, false, Built) \
    X(TASCacheNodeMatchResults, true, Beta, false, Built) \
    X(TASCacheTopologyTree, true, Beta, false, Built) \
    X(TASCachingRemainingResources, true, Beta, false, Built) \
    X(TASFailedNodeReplacement, true, Beta, false, Built) \
    X(TASFailedNodeReplacementFailFast, true, Beta, false, Built) \
    X(TASHandleOverlappingFlavors, true, Beta, false, Built) \
    X(TASMultiLayerTopology, true, Beta, false, Built) \
    X(TASProfileMixed, true, Beta, false, Built) \
    X(TASRecomputeAssignmentWithinSchedulingCycle, true, Beta, false, Built) \
    X(TASReplaceNodeDueToNotReadyOverFixedTime, false, Deprecated, false, Built) \
    X(TASReplaceNodeOnNodeTaints, true, Beta, false, Built) \
    X(TASReplaceNodeOnPodTermination, true, Beta, false, Built) \
    X(TASRespectNodeAffinityPreferred, false, Alpha, false, Built) \
    X(TASValidateWorkloadSliceSize, true, Beta, false, Built) \
    X(TLSOptions, true, Stable, true, Built) \
    X(TopologyAwareScheduling, true, Beta, false, Built) \
    X(UnadmittedWorkloadsExplicitStatus, false, Beta, false, Built) \
    X(UnadmittedWorkloadsObservability, true, Beta, false, Built) \
    X(ValidateRayAndSparkJobUpdates, true, Beta, false, Built) \
    X(VectorizedResourceRequests, true, Beta, false, Built) \
    X(VisibilityOnDemand, true, Beta, false, Built) \
    X(WorkloadIdentifierAnnotations, true, Beta, false, Built) \
    X(WorkloadPriorityClassDefaulting, true, Beta, false, Built) \
    X(WorkloadRequestUseMergePatch, false, Alpha, false, Built) \
    X(WorkloadValidateResourcesAreNonNegative, true, Beta, false, Built) \
    X(WorkloadValidationForPodSetMetadata, true, Beta, false, Built)
// clang-format on

/// A feature that a gate turns on or off; the enumerator is spelled like the gate.
enum class Feature : std::uint8_t {
#define SLUICE_ENUMERATOR(name, on, stage, locked, build) name,
    SLUICE_FEATURES(SLUICE_ENUMERATOR)
#undef SLUICE_ENUMERATOR
};

enum class FeatureStage : std::uint8_t { Alpha, Beta, Stable, Deprecated };

/// Tells if this version implements a feature. A gate of a feature that is not built must not be
/// turned on.
enum class FeatureBuild : std::uint8_t { Built, NotBuilt };

/// The fixed properties of a gate.
struct FeatureSpec {
    std::string_view name;
    bool default_on;
    FeatureStage stage;
    bool locked;
    FeatureBuild build;
};

inline constexpr std::array kFeatures = {
#define SLUICE_SPEC(name, on, stage, locked, build) \
    FeatureSpec{#name, on, FeatureStage::stage, locked, FeatureBuild::build},
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

/// Returns the feature of the gate with that name; nullopt if no gate has it.
std::optional<Feature> find_feature(std::string_view name);

}  // namespace sluice::config
