#pragma once

#include "api/core/pod.hpp"
#include "api/kueue/workload.hpp"
#include "base/clock.hpp"
#include "base/error.hpp"
#include "controller/jobs/job/generic_job.hpp"
#include "controller/jobs/job/pod_set_info.hpp"
#include "controller/reconcile/pod_life.hpp"
#include "controller/reconcile/reconcile.hpp"
#include "controller/reconcile/settings.hpp"

#include <optional>
#include <string>
#include <string_view>
#include <vector>

/// What one pod says, and the writes that one pod takes. Pods are managed by a scheduling gate
/// (KEP-976): it holds them back, and what has run cannot be held back again but is deleted.
namespace sluice::controller {

/// Whether it does not run: it is gated, or has ended.
bool is_held_or_over(const api::Pod& pod);
/// Whether it has succeeded or can, as it has not failed nor is deleted before it had a node.
bool is_useful(const api::Pod& pod);
/// Returns true if the pod was deleted and none of its containers runs any more, or ever ran.
bool is_deleted_and_over(const api::Pod& pod);
bool is_ready(const api::Pod& pod);
/// Whether the label says that it is managed by itself or as a part of its group.
bool is_marked_managed(const api::ObjectMeta& pod);
/// Whether the framework of an object that makes pods holds it back, and not `pod` itself.
bool has_suspending_parent(const api::ObjectMeta& pod);
/// It is not managed, whatever queue it names.
bool is_unmanaged_pod(const api::ObjectMeta& pod, const Settings& settings);

/// The group that it is a part of, or "". The annotation names it before the label does, where
/// gate WorkloadIdentifierAnnotations is on (`by_annotation`).
std::string_view pod_group_of(const api::ObjectMeta& pod, bool by_annotation);
/// Its role in its group: the name of a pod set.
std::string role_of(const api::Pod& pod);

/// A pod set of pods like this one. Errors: Invalid when its topology annotations or its spec
/// cannot be read.
Result<api::PodSet> make_pod_set(
    const api::Pod& pod, std::string name, std::int32_t count, const Settings& settings
);

/// Opens its gates and injects what the admission gives it. Errors: Invalid when that contradicts
/// the pod.
Result<Write> start_pod(const api::Pod& pod, const PodSetInfo& injected);
/// The next of two writes, which say on the pod why it ends and delete it; none: it is being
/// deleted.
std::optional<Write> end_pod(const api::Pod& pod, const StopCause& cause, Time now);
/// Returns the time until which a pod that no Workload counts is not ended, as its controller makes
/// the next one at once: the two must not write without end. Returns nullopt if it may be ended.
std::optional<Time> spared_until(const api::Pod& pod, Time now);
/// Lets it go where Kueue's finalizer holds it.
std::optional<Write> release_pod(const api::Pod& pod);

ObjectKey key_of(const api::Pod& pod);

}  // namespace sluice::controller
