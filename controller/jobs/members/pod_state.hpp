// The state of a pod for admission, and the writes that start, end and release it.
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
#include "json/value.hpp"

#include <optional>
#include <string>
#include <string_view>
#include <vector>

/// The state of one pod, and the writes on it. Pods are managed by a scheduling gate (KEP-976). A
/// pod that has run cannot be gated again, so it is deleted.
namespace sluice::controller {

/// Returns true if the pod is gated or has ended, so that it does not run.
bool is_held_or_over(const api::Pod& pod);
/// Returns true if the pod has succeeded or still can: it has not failed, and it was not deleted
/// before it had a node.
bool is_useful(const api::Pod& pod);
/// Returns true if the pod was deleted and none of its containers runs any more, or ever ran.
bool is_deleted_and_over(const api::Pod& pod);
/// Returns true if the pod's condition Ready is True.
bool is_ready(const api::Pod& pod);
/// Returns true if the pod's label says that it is managed, alone or as a member of its group.
bool is_marked_managed(const api::ObjectMeta& pod);
/// Returns true if the pod is gated by the integration of an object that creates pods, and not by
/// the integration `pod`.
bool has_suspending_parent(const api::ObjectMeta& pod);
/// Returns true if the pod is not managed, whatever queue it names.
bool is_unmanaged_pod(const api::ObjectMeta& pod, const Settings& settings);

/// Returns the name of the group that the pod belongs to, or "". With `by_annotation` (gate
/// WorkloadIdentifierAnnotations) the annotation takes precedence over the label.
std::string_view pod_group_of(const api::ObjectMeta& pod, bool by_annotation);
/// Returns the name of the Workload of the pod's group: of the prebuilt Workload that the pod names
/// or, without one, the group's name.
std::string_view workload_name_of_group(
    const api::ObjectMeta& pod, std::string_view group, bool by_annotation
);
/// Returns the pod's role in its group, which is the name of a pod set.
std::string role_of(const api::Pod& pod);

/// Returns a pod set of `count` pods like this one. Errors: Invalid if its topology annotations or
/// its spec cannot be read.
Result<api::PodSet> make_pod_set(
    const api::Pod& pod, std::string name, std::int32_t count, const Settings& settings
);

/// Returns the write that removes the pod's gates, except the topology gate of a pod with a
/// topology, and injects the values of the admission. Errors:
/// Invalid if the values contradict the pod.
Result<Write> start_pod(const api::Pod& pod, const PodSetInfo& injected);
/// Returns a server-side apply of a part of the pod's status, by that field manager. It replaces
/// what the manager applied before, so each condition needs its own manager. The write is refused
/// if the pod is another one by now.
Write apply_pod_status(const api::Pod& pod, json::Value status, std::string_view field_manager);
/// Returns the next of two writes: the first adds the cause to the pod's status, the second deletes
/// the pod. Returns nullopt if the pod is being deleted.
std::optional<Write> end_pod(const api::Pod& pod, const StopCause& cause, Time now);
/// Returns the time until which a pod that no Workload counts is spared; nullopt if it may be
/// ended. The pod's controller creates the next one at once, so without a delay the two would write
/// without end.
std::optional<Time> spared_until(const api::Pod& pod, Time now);
/// Returns the write that removes Kueue's finalizer; nullopt if the pod does not have it.
std::optional<Write> release_pod(const api::Pod& pod);

ObjectKey key_of(const api::Pod& pod);

}  // namespace sluice::controller
