#include "controller/jobs/pod/pod_group.hpp"

#include "api/kueue/kueue_names.hpp"
#include "base/earlier.hpp"
#include "controller/jobs/members/group_pods.hpp"
#include "controller/jobs/members/pod_state.hpp"
#include "controller/reconcile/owned_workloads.hpp"
#include "controller/reconcile/pod_groups.hpp"
#include "controller/reconcile/workload_status.hpp"
#include "validation/go_numbers.hpp"
#include "validation/job_rules.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <chrono>
#include <map>
#include <set>
#include <utility>

// The state of a pod group, its start and its stop. Steps for single pods of a group are in
// pod_group_members.cpp.
namespace sluice::controller {

namespace {

constexpr std::string_view kTrueValue = "true";

bool says(const api::ObjectMeta& pod, const char* annotation, std::string_view text) {
    const std::string* value = pod.find_annotation(annotation);
    return value != nullptr && *value == text;
}

/// Returns the pod with the group's settings: the first managed, useful pod by name, if there is
/// one.
std::shared_ptr<const api::Pod> find_first(const Pods& pods) {
    const auto rank = [](const std::shared_ptr<const api::Pod>& pod) {
        const bool is_fresh = is_useful(*pod) && !pod->metadata.deletion_timestamp;
        return (is_marked_managed(pod->metadata) ? 0 : 2) + (is_fresh ? 0 : 1);
    };
    return *std::ranges::min_element(pods, {}, rank);
}

bool has_max_execution_time_of(const api::ObjectMeta& pod, const api::Workload& workload) {
    const auto& limit = workload.spec.maximum_execution_time_seconds;
    const std::string* text = pod.find_label(api::label::kMaxExecTimeSeconds);
    return (text == nullptr || text->empty())
               ? !limit
               : limit && validation::parse_decimal<std::int64_t>(*text) == std::int64_t{*limit};
}

/// Returns the pods that have no place in the Workload, but were ungated by another client.
Pods find_bypassing(const PodPlaces& places) {
    Pods found;
    for (const Pods* pods : {&places.excess, &places.strangers}) {
        std::ranges::copy_if(*pods, std::back_inserter(found), [](const auto& pod) {
            return !is_held_or_over(*pod) && !pod->metadata.deletion_timestamp;
        });
    }
    return found;
}

/// Returns the pods to which a tenant gave roles that the Workload lacks, though the StatefulSet or
/// LeaderWorkerSet that owns the Workload created them.
Pods find_misnamed(const Stores& stores, const Pods& pods, const api::Workload& workload) {
    Pods found;
    std::ranges::copy_if(pods, std::back_inserter(found), [&](const auto& pod) {
        const auto& pod_sets = workload.spec.pod_sets;
        const auto known = std::ranges::find(pod_sets, role_of(*pod), &api::PodSet::name);
        return known == pod_sets.end() && is_made_by_owner_of(stores, *pod, workload);
    });
    return found;
}

bool is_being_deleted(const Stores& stores, const std::string& ns) {
    const auto found = stores.of<api::Namespace>().find(ns);
    return !found || found->metadata.deletion_timestamp;
}

}  // namespace

PodGroup::PodGroup(
    Pods pods, std::string group, const Stores& stores, const Settings& settings, Time now
)
    : pods_(std::move(pods)),
      group_(std::move(group)),
      settings_(settings),
      now_(now),
      first_(find_first(pods_)),
      is_namespace_ending_(is_being_deleted(stores, first_->metadata.namespace_)),
      list_(pods_) {
    workload_ = find_group_workload(
        stores,
        first_->metadata.namespace_,
        {workload_name_of_group(first_->metadata, group_, settings.workload_identifier_annotations)}
    );
    has_queue_ = stores.of<api::LocalQueue>().find(
                     first_->metadata.namespace_,
                     workload_ ? std::string_view(workload_->spec.queue_name)
                               : find_value(first_->metadata.labels, api::label::kQueueName)
                 ) != nullptr;
    if (!workload_) {
        return;
    }
    is_foreign_ = !is_prebuilt() && !is_of_pod_group(workload_->metadata);
    PodPlaces places = find_places(stores, pods_, *workload_, count_by(), now);
    if (is_serving() && is_of_serving_object(workload_->metadata)) {
        misnamed_ = find_misnamed(stores, pods_, *workload_);
    } else if (!is_foreign_) {
        // A StatefulSet or LeaderWorkerSet deletes its pods itself when it is scaled down.
        bypassing_ = find_bypassing(places);
    }
    if (is_prebuilt()) {
        oversized_ = find_oversized(stores, pods_, *workload_);
        std::erase_if(list_, [this](const auto& pod) {
            return std::ranges::find(oversized_, pod) != oversized_.end();
        });
        return;
    }
    if (is_foreign_ || !has_max_execution_time_of(first_->metadata, *workload_)) {
        return;
    }
    if (!places.kept.empty() && has_place_for(*workload_, count_roles(places.kept))) {
        list_ = places.kept;
        places_ = std::move(places);
    }
}

bool PodGroup::is_serving() const {
    return says(first_->metadata, api::annotation::kPodGroupServing, kTrueValue);
}

GroupCount PodGroup::count_by() const {
    return says(first_->metadata, api::annotation::kPodGroupFastAdmission, kTrueValue)
               ? GroupCount::FirstPod
               : GroupCount::EachPod;
}

bool PodGroup::is_prebuilt() const {
    return !validation::prebuilt_workload_name(
                first_->metadata, settings_.workload_identifier_annotations
    )
                .empty();
}

bool PodGroup::is_misnamed(const std::shared_ptr<const api::Pod>& pod) const {
    return std::ranges::find(misnamed_, pod) != misnamed_.end();
}

Result<std::int32_t> PodGroup::total_count() const {
    return group_total_count(first_->metadata);
}

bool PodGroup::is_left_alone() const {
    return is_unmanaged_pod(first_->metadata, settings_);
}

bool PodGroup::is_suspended() const {
    return std::ranges::any_of(list_, [](const auto& pod) { return is_held_or_over(*pod); });
}

bool PodGroup::runs_in_part() const {
    return std::ranges::any_of(list_, [](const auto& pod) {
        return !is_held_or_over(*pod) && !pod->metadata.deletion_timestamp;
    });
}

bool PodGroup::is_active() const {
    return std::ranges::any_of(pods_, [this](const auto& pod) {
        return occupies_quota(*pod, settings_, now_);
    });
}

std::optional<Time> PodGroup::active_until() const {
    std::optional<Time> until;
    for (const auto& pod : pods_) {
        const auto last = find_last_moment(*pod);
        if (pod->status.phase == "Running" && last && now_ <= *last) {
            // The first moment after the grace period.
            until = std::max(until.value_or(*last), *last) + std::chrono::milliseconds(1);
        }
    }
    return until;
}

bool PodGroup::are_pods_ready() const {
    const auto total = total_count();
    return total && list_.size() >= static_cast<std::size_t>(*total) &&
           std::ranges::all_of(list_, [](const auto& pod) {
               return is_ready(*pod) || has_succeeded(*pod);
           });
}

std::optional<JobEnd> PodGroup::find_end() const {
    const auto total = total_count();
    // The total comes from one pod, which may not belong here, and the end releases quota.
    if (is_serving() || !total || runs_in_part() || is_active()) {
        return std::nullopt;
    }
    const auto succeeded =
        std::ranges::count_if(list_, [](const auto& pod) { return has_succeeded(*pod); });
    const auto has_over = [this] {
        return std::ranges::all_of(list_, [](const auto& pod) { return has_ended(*pod); }) &&
               std::ranges::any_of(list_, [](const auto& pod) {
                   return says(pod->metadata, api::annotation::kRetriableInGroup, "false");
               });
    };
    if (succeeded != *total && !has_over()) {
        return std::nullopt;
    }
    return JobEnd{
        .result = JobEnd::Result::Succeeded,
        .message = fmt::format("Pods succeeded: {}/{}.", succeeded, *total),
    };
}

std::vector<api::ReclaimablePod> PodGroup::reclaimable_pods(const api::Workload& workload) const {
    std::vector<api::ReclaimablePod> pods;
    if (is_serving()) {
        return pods;
    }
    RoleCounts succeeded;
    for (const auto& pod : list_) {
        if (has_succeeded(*pod)) {
            ++succeeded[role_of(*pod)];
        }
    }
    for (const api::PodSet& pod_set : workload.spec.pod_sets) {
        const auto found = succeeded.find(pod_set.name);
        if (found != succeeded.end()) {
            pods.push_back({.name = pod_set.name, .count = std::min(found->second, pod_set.count)});
        }
    }
    return pods;
}

/// Counts the taken places by role. A pod takes a place of its role until it ends. A pod with an
/// unknown role takes one of each role, because a tenant may rename a running pod.
RoleCounts PodGroup::count_taken(const std::map<std::string_view, const PodSetInfo*>& roles) const {
    RoleCounts taken;
    for (const auto& pod : pods_) {
        if (!may_run(*pod, settings_, now_)) {
            continue;
        }
        const std::string role = role_of(*pod);
        if (roles.contains(role)) {
            ++taken[role];
            continue;
        }
        for (const auto& [each, info] : roles) {
            ++taken[std::string(each)];
        }
    }
    return taken;
}

Result<std::vector<Write>> PodGroup::start(const std::vector<PodSetInfo>& injected) const {
    std::map<std::string_view, const PodSetInfo*> by_role;
    for (const PodSetInfo& info : injected) {
        by_role[info.name] = &info;
    }
    // A prebuilt Workload may count fewer pods than the group has.
    RoleCounts started = count_taken(by_role);
    std::vector<Write> writes;
    for (const auto& pod : list_) {
        if (!is_gated(*pod) || pod->metadata.deletion_timestamp) {
            continue;
        }
        const std::string role = role_of(*pod);
        const auto info = by_role.find(role);
        if (is_misnamed(pod)) {
            continue;
        }
        if (info == by_role.end()) {
            return make_invalid(fmt::format(
                "invalid podset infos: podSetInfo with the name '{}' is not found", role
            ));
        }
        const auto& counted = info->second->count;
        if (counted && started[role] >= *counted) {
            continue;
        }
        ++started[role];
        auto write = start_pod(*pod, *info->second);
        if (!write) {
            return write.error();
        }
        writes.push_back(std::move(*write));
    }
    return writes;
}

StopStep PodGroup::next_stop_step(const api::Workload* workload) const {
    return next_stop_step_for(
        {.reason = api::reason::kNoMatchingWorkload, .message = {}}, workload
    );
}

StopStep PodGroup::next_stop_step_for(const StopCause& cause, const api::Workload*) const {
    const bool ends_all = cause.reason == api::reason::kWorkloadDeleted;
    const bool is_uncounted = cause.reason == api::reason::kNoMatchingWorkload;
    StopStep step;
    for (const auto& pod : list_) {
        if (!ends_all && is_held_or_over(*pod)) {
            continue;
        }
        if (const auto spared = is_uncounted ? spared_until(*pod, now_) : std::nullopt) {
            step.again_at = earlier(step.again_at, spared);
            continue;
        }
        if (auto write = end_pod(*pod, cause, now_)) {
            step.kind = StopStep::Kind::Suspend;
            step.writes.push_back(std::move(*write));
        }
    }
    if (step.writes.empty() && step.again_at) {
        step.kind = StopStep::Kind::Wait;
    }
    if (step.writes.empty() && ends_all) {
        step.writes = release();
        step.kind = step.writes.empty() ? StopStep::Kind::Stopped : StopStep::Kind::Restore;
    }
    return step;
}

std::optional<std::vector<PodJob::WorkloadPointer>> PodGroup::find_workloads() const {
    std::vector<WorkloadPointer> own;
    if (workload_ && !is_foreign_) {
        own.push_back(workload_);
    }
    return own;
}

std::optional<bool> PodGroup::is_described_by(const api::Workload& workload) const {
    if (!is_prebuilt()) {
        return places_.has_value();
    }
    const auto total = total_count();
    Pods named = list_;
    std::erase_if(named, [this](const auto& pod) { return is_misnamed(pod); });
    RoleCounts roles = count_roles(named);
    if (count_by() == GroupCount::FirstPod && total && !roles.empty()) {
        const auto first =
            std::ranges::find_if(named, [](const auto& pod) { return is_useful(*pod); });
        roles = {{role_of(**first), *total}};
    }
    return has_place_for(workload, roles);
}

}  // namespace sluice::controller
