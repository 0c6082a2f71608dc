#pragma once

#include "api/kueue/kueue_names.hpp"
#include "base/error.hpp"
#include "json/value.hpp"

#include <string_view>

namespace sluice::webhook {

/// The group of Sluice's kinds with its older and its stored version.
inline constexpr std::string_view kV1beta1 = api::kKueueV1beta1;
inline constexpr std::string_view kV1beta2 = api::kKueueApiVersion;

/// Whether the kind's two versions differ in shape, so that its CRD names the conversion webhook.
bool has_conversion(std::string_view kind);

/// Turns an object of such a kind into the other version, in place, `apiVersion` included; an
/// object that is of that version already stays as it is. Fields that both versions know keep their
/// place and bytes, metadata is never touched, and a field of the wrong version is dropped as an
/// API server would prune it. What has no counterpart is lost:
/// - to v1beta2: ClusterQueue `status.pendingWorkloadsStatus`, `status.fairSharing.
///   admissionFairSharingStatus` (also of Cohort), LocalQueue `status.flavors`, a Workload's
///   priority class name without a source;
/// - to v1beta1: ClusterQueue `spec.concurrentAdmissionPolicy`, Workload `preemptionGates` (spec
/// and
///   status) and `podsetSliceRequiredTopologyConstraints`.
/// One way only: ClusterQueue `spec.admissionChecks` becomes `admissionChecksStrategy`, fungibility
/// `Borrow` and `Preempt` become `MayStopSearch`.
/// Errors: Invalid, naming kind, object and field; the object is then half converted and of no use.
Result<void> convert(json::Value& object, std::string_view desired_api_version);

}  // namespace sluice::webhook
