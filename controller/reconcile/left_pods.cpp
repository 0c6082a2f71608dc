#include "controller/reconcile/left_pods.hpp"

#include "api/kueue/kueue_names.hpp"
#include "controller/reconcile/lost_job.hpp"
#include "controller/reconcile/pod_life.hpp"
#include "controller/reconcile/workload_status.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <chrono>
#include <memory>
#include <set>
#include <utility>

namespace sluice::controller {

namespace {

constexpr Duration kLookAgain = std::chrono::seconds(5);
constexpr const char* kControllerUid = "batch.kubernetes.io/controller-uid";

std::string in_namespace(const std::string& ns, std::string_view text) {
    return ns + "/" + std::string(text);
}

/// Returns the uid of the job for which the Workload was made; "" if it is unknown.
std::string job_uid_of(const api::ObjectMeta& workload) {
    if (const api::OwnerReference* owner = workload.controller_owner()) {
        return owner->uid;
    }
    const std::string* lost = lost_job_of(workload);
    return lost == nullptr ? std::string() : *lost;
}

using Pods = std::vector<std::shared_ptr<const api::Pod>>;

/// Returns when to check the pods again: no watch event reports the end of a grace period.
Time look_again_at(const Pods& pods, Time now) {
    Time at = now + kLookAgain;
    for (const auto& pod : pods) {
        if (const auto last = find_last_moment(*pod)) {
            at = std::min(at, *last + Duration(std::chrono::milliseconds(1)));
        }
    }
    return at;
}

Pods find_left_pods(
    const Stores& stores, const Settings& settings, const api::Workload& workload, Time now
) {
    Pods left;
    if (stores.find(kind_of<api::Pod>()) == nullptr) {
        return left;
    }
    const auto& pods = stores.of<api::Pod>();
    const std::string& ns = workload.metadata.namespace_;
    std::set<std::string> seen;
    const auto take = [&](const kube::Store<api::Pod>::Objects& found) {
        for (const auto& [name, pod] : found) {
            if (may_run(*pod, settings, now) && seen.insert(name.name).second) {
                left.push_back(pod);
            }
        }
    };
    const api::OwnerReference* owner = workload.metadata.controller_owner();
    if (owner != nullptr && owner->kind == api::Pod::kKind) {
        const auto pod = pods.find(ns, owner->name);
        if (pod && pod->metadata.uid == owner->uid && may_run(*pod, settings, now)) {
            seen.insert(owner->name);
            left.push_back(pod);
        }
    }
    // A tenant can write the annotation that slice_name() reads, so the Workload's own name is
    // looked up too.
    take(pods.by_index(kSliceIndex, in_namespace(ns, slice_name(workload))));
    take(pods.by_index(kSliceIndex, in_namespace(ns, workload.metadata.name)));
    if (const std::string uid = job_uid_of(workload.metadata); !uid.empty()) {
        take(pods.by_index(kMadeByIndex, in_namespace(ns, uid)));
    }
    return left;
}

/// Returns how many pods the Job that controls the Workload has by its status; 0 if the Job is not
/// in the store.
std::int64_t pods_of_deleted_job(const Stores& stores, const api::ObjectMeta& workload) {
    const api::OwnerReference* owner = workload.controller_owner();
    if (owner == nullptr || owner->kind != api::Job::kKind ||
        kube::group_of(owner->api_version) != kind_of<api::Job>().group() ||
        stores.find(kind_of<api::Job>()) == nullptr) {
        return 0;
    }
    const auto job = stores.of<api::Job>().find(workload.namespace_, owner->name);
    return job && job->metadata.uid == owner->uid
               ? job->status.active + job->status.terminating.value_or(0)
               : 0;
}

Write delete_pod(const api::Pod& pod) {
    return {
        .verb = Verb::Delete,
        .object = {kind_of<api::Pod>(), pod.metadata.namespace_, pod.metadata.name},
        .body = {},
        .uid = pod.metadata.uid,
    };
}

}  // namespace

std::vector<std::string> job_uids_of(const api::Pod& pod) {
    std::vector<std::string> uids;
    const api::ObjectMeta& metadata = pod.metadata;
    if (const api::OwnerReference* owner = metadata.controller_owner()) {
        uids.push_back(in_namespace(metadata.namespace_, owner->uid));
    }
    if (const std::string* uid = metadata.find_label(kControllerUid)) {
        std::string value = in_namespace(metadata.namespace_, *uid);
        if (uids.empty() || uids.front() != value) {
            uids.push_back(std::move(value));
        }
    }
    return uids;
}

std::optional<Outcome> wait_for_left_pods(
    const Stores& stores,
    const Settings& settings,
    const std::set<Kind>* job_kinds,
    const api::Workload& workload,
    Time now
) {
    if (!has_quota_reserved(workload) || is_finished(workload)) {
        return std::nullopt;
    }
    const auto left = find_left_pods(stores, settings, workload, now);
    const std::int64_t by_status = pods_of_deleted_job(stores, workload.metadata);
    const bool may_delete =
        job_kinds != nullptr && job_kinds->contains(kind_of<api::Pod>()) && !left.empty();
    if ((left.empty() && by_status == 0) || (is_evicted(workload) && !may_delete)) {
        return std::nullopt;
    }
    Outcome outcome;
    outcome.are_independent = true;
    const auto count = std::ranges::count_if(left, [](const auto& pod) {
        return !pod->metadata.deletion_timestamp;
    });
    if (count > 0) {
        outcome.events.push_back({
            .regarding = reference_to(workload),
            .reason = api::reason::kPodsLeftBehind,
            .note = fmt::format(
                "The job is over and {} of its pods run on: their quota is held until they end",
                count
            ),
            .reporting_controller = std::string(kWorkloadController),
        });
    }
    outcome.requeue_at = look_again_at(left, now);
    for (const auto& pod : left) {
        if (is_evicted(workload) && !pod->metadata.deletion_timestamp) {
            outcome.writes.push_back(delete_pod(*pod));
        }
    }
    return outcome;
}

bool has_left_pods(
    const Stores& stores,
    const Settings& settings,
    const api::Workload& workload,
    const std::function<bool(const api::Pod&)>& is_left,
    Time now
) {
    return std::ranges::any_of(
        find_left_pods(stores, settings, workload, now),
        [&](const auto& pod) { return is_left(*pod); }
    );
}

std::optional<Time> look_again_at_pods(
    const Stores& stores, const Settings& settings, const api::Workload& workload, Time now
) {
    const Pods left = find_left_pods(stores, settings, workload, now);
    return left.empty() ? std::nullopt : std::optional(look_again_at(left, now));
}

}  // namespace sluice::controller
