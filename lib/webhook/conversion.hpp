// Converts objects between v1beta1 and v1beta2.
#pragma once

#include "api/kueue/kueue_names.hpp"
#include "base/error.hpp"
#include "json/value.hpp"

#include <string_view>

namespace sluice::webhook {

/// The API versions of Kueue's kinds: the older one, and the one that is stored.
inline constexpr std::string_view kV1beta1 = api::kKueueV1beta1;
inline constexpr std::string_view kV1beta2 = api::kKueueApiVersion;

/// Returns true if the two versions of the kind have different fields, so that its CRD needs the
/// conversion webhook.
bool has_conversion(std::string_view kind);

/// Converts an object of such a kind to the other version in place, including `apiVersion`. An
/// object that already has the desired version is unchanged. Fields that both versions have keep
/// their position and bytes; metadata is never changed. A field of the wrong version is dropped, as
/// the API server would prune it. Fields without a counterpart are lost:
/// - to v1beta2: ClusterQueue `status.pendingWorkloadsStatus`,
///   `status.fairSharing.admissionFairSharingStatus` (also of Cohort), LocalQueue `status.flavors`,
///   the priority class name of a Workload without a source;
/// - to v1beta1: ClusterQueue `spec.concurrentAdmissionPolicy`, Workload `preemptionGates` (spec
///   and status) and `podsetSliceRequiredTopologyConstraints`.
///
/// Some conversions are not reversed: ClusterQueue `spec.admissionChecks` becomes
/// `admissionChecksStrategy`, and the fungibility values `Borrow` and `Preempt` become
/// `MayStopSearch`.
/// Errors: Invalid with kind, object and field. The object is then partly converted and must not be
/// used.
Result<void> convert(json::Value& object, std::string_view desired_api_version);

}  // namespace sluice::webhook
