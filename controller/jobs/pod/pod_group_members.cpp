#include "api/kueue/conditions.hpp"
#include "api/kueue/kueue_names.hpp"
#include "api/meta/codec.hpp"
#include "base/earlier.hpp"
#include "controller/jobs/members/pod_size.hpp"
#include "controller/jobs/members/pod_state.hpp"
#include "controller/jobs/pod/pod_group.hpp"
#include "controller/jobs/reconciliation/workload_of_job.hpp"
#include "controller/reconcile/strict_patch.hpp"
#include "controller/reconcile/workload_status.hpp"
#include "validation/go_numbers.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <chrono>
#include <cstdint>
#include <limits>
#include <map>
#include <set>
#include <utility>

// How the pods of a group form one Workload, and what happens to pods that have no place in it.
namespace sluice::controller {

namespace {

constexpr std::size_t kRolesMax = 18;
constexpr std::string_view kManager = "kueue-pod-controller";

using validation::number_problem;
using validation::parse_decimal;

api::OwnerReference owner_reference(const api::Pod& pod) {
    return {
        .api_version = "v1",
        .kind = "Pod",
        .name = pod.metadata.name,
        .uid = pod.metadata.uid,
        .controller = {},
        .block_owner_deletion = {},
    };
}

void release_all(const Pods& pods, std::vector<Write>& writes) {
    for (const auto& pod : pods) {
        if (auto write = release_pod(*pod)) {
            writes.push_back(std::move(*write));
        }
    }
}

/// Removes the finalizers first, then the pods, so that no pod with a finalizer is being deleted
/// when nothing else would remove it.
void remove_excess(const Pods& pods, const JobKind& kind, Time now, std::vector<Write>& writes) {
    for (const auto& pod : pods) {
        if (auto release = release_pod(*pod)) {
            writes.push_back(std::move(*release));
        } else if (!pod->metadata.deletion_timestamp && !spared_until(*pod, now)) {
            Write write{
                .verb = Verb::Delete,
                .object = key_of(*pod),
                .body = {},
                .uid = pod->metadata.uid,
            };
            write.events.push_back(
                job_event(kind, pod->metadata, api::reason::kExcessPodDeleted, "Excess pod deleted")
            );
            writes.push_back(std::move(write));
        }
    }
}

std::optional<Outcome> independent(std::vector<Write> writes) {
    if (writes.empty()) {
        return std::nullopt;
    }
    Outcome outcome;
    outcome.writes = std::move(writes);
    outcome.are_independent = true;
    return outcome;
}

Pods find_useful(const Pods& pods) {
    Pods useful;
    std::ranges::copy_if(pods, std::back_inserter(useful), [](const auto& pod) {
        return is_useful(*pod);
    });
    return useful;
}

std::string_view queue_of(const api::Pod& pod) {
    return find_value(pod.metadata.labels, api::label::kQueueName);
}

bool was_ended_by_us(const api::Pod& pod) {
    return std::ranges::find(
               pod.status.conditions,
               api::condition::kTerminationTarget,
               &api::ObjectCondition::type_
           ) != pod.status.conditions.end();
}

/// Copies the keys that any pod has. Returns false if two pods have different values of a key.
bool copy_common(
    const Pods& pods,
    const std::vector<std::string>& keys,
    api::StringMap api::ObjectMeta::* map,
    api::StringMap& to
) {
    for (const std::string& key : keys) {
        const std::string* known = nullptr;
        for (const auto& pod : pods) {
            const api::StringMap& from = pod->metadata.*map;
            const auto found = from.find(key);
            if (found == from.end()) {
                continue;
            }
            if (known != nullptr && *known != found->second) {
                return false;
            }
            known = &found->second;
        }
        if (known != nullptr) {
            to[key] = *known;
        }
    }
    return true;
}

JobProblem unreadable(std::string detail) {
    return {JobProblem::Reason::UnreadableGroup, std::move(detail)};
}
JobProblem inconsistent(std::string detail) {
    return {JobProblem::Reason::InconsistentGroup, std::move(detail)};
}

}  // namespace

Result<std::int32_t> group_total_count(const api::ObjectMeta& pod) {
    constexpr const char* kKey = api::annotation::kPodGroupTotalCount;
    const std::string* text = pod.find_annotation(kKey);
    if (text == nullptr) {
        return make_invalid(fmt::format("failed to extract '{}' annotation", kKey));
    }
    const auto count = parse_decimal<std::int64_t>(*text);
    if (!count) {
        return make_invalid(number_problem(*text));
    }
    if (*count < 1) {
        return make_invalid(fmt::format(
            "incorrect annotation value '{}={}': group total count should be greater than zero",
            kKey,
            *text
        ));
    }
    constexpr std::int64_t kMax = std::numeric_limits<std::int32_t>::max();
    return static_cast<std::int32_t>(std::min(*count, kMax));
}

bool PodGroup::is_abandoned() const {
    const bool may_be_replaced = !is_without_future();
    return std::ranges::all_of(pods_, [may_be_replaced](const auto& pod) {
        return is_deleted_and_over(*pod) && !(may_be_replaced && was_ended_by_us(*pod));
    });
}

/// A deactivated group releases its quota first: without pods nothing else would release it.
bool PodGroup::is_without_future() const {
    return is_namespace_ending_ || !has_queue_ ||
           (workload_ && !sluice::controller::is_active(*workload_) &&
            !has_quota_reserved(*workload_));
}

/// A controller creates the successor of its pod after the pod's removal, often under the same
/// name. A pod that succeeded still counts for its group, unless the group is serving.
bool PodGroup::blocks_its_successor(const api::Pod& pod) const {
    if (is_namespace_ending_ || is_serving()) {
        return true;
    }
    return pod.metadata.controller_owner() != nullptr && (!is_useful(pod) || was_ended_by_us(pod));
}

Pods PodGroup::find_blocking() const {
    Pods blocking;
    std::ranges::copy_if(pods_, std::back_inserter(blocking), [this](const auto& pod) {
        return is_deleted_and_over(*pod) && blocks_its_successor(*pod);
    });
    return blocking;
}

std::vector<Write> PodGroup::release() const {
    std::vector<Write> writes;
    release_all(pods_, writes);
    return writes;
}

std::vector<Write> PodGroup::release_deleted() const {
    Pods deleted;
    std::ranges::copy_if(pods_, std::back_inserter(deleted), [](const auto& pod) {
        return is_deleted_and_over(*pod);
    });
    std::vector<Write> writes;
    release_all(deleted, writes);
    return writes;
}

std::optional<Time> PodGroup::look_again_at() const {
    std::optional<Time> at;
    const Pods* foreign = is_foreign_ ? &pods_ : nullptr;
    const Pods* excess = places_ ? &places_->excess : nullptr;
    for (const Pods* pods : {&bypassing_, &oversized_, excess, foreign}) {
        for (const auto& pod : pods == nullptr ? Pods() : *pods) {
            at = earlier(at, spared_until(*pod, now_));
        }
    }
    return at;
}

std::optional<Outcome> PodGroup::settle_members(const JobKind& kind) const {
    if (is_foreign_) {
        return refuse_foreign_workload(kind);
    }
    std::vector<Write> writes;
    remove_excess(bypassing_, kind, now_, writes);
    if (!writes.empty()) {
        return independent(std::move(writes));
    }
    if (is_abandoned() && !find_end()) {
        writes = release();
        // No pod will be left to trigger this later.
        if (auto change = workload_ ? own_condition(*workload_) : std::nullopt) {
            writes.push_back(std::move(*change));
        }
    } else if (is_prebuilt()) {
        writes = release_deleted();
        remove_excess(oversized_, kind, now_, writes);
    } else {
        release_all(find_blocking(), writes);
    }
    if (writes.empty() && places_ && !is_prebuilt()) {
        if (auto owned = own_workload(*workload_)) {
            writes.push_back(std::move(*owned));
        }
        remove_excess(places_->excess, kind, now_, writes);
        release_all(places_->replaced, writes);
    }
    return independent(std::move(writes));
}

/// Handles a Workload with the group's name that belongs to another job.
Outcome PodGroup::refuse_foreign_workload(const JobKind& kind) const {
    Outcome outcome;
    outcome.are_independent = true;
    outcome.events.push_back(job_warning(
        kind,
        first_->metadata,
        api::reason::kWorkloadNameConflict,
        fmt::format(
            "A Workload named \"{}\" already exists but is not a pod group workload; this pod "
            "group cannot be admitted",
            group_
        )
    ));
    Pods useless;
    Pods running;
    for (const auto& pod : pods_) {
        if (!is_useful(*pod) || is_deleted_and_over(*pod)) {
            useless.push_back(pod);
        } else if (!is_held_or_over(*pod)) {
            running.push_back(pod);
        }
    }
    release_all(useless, outcome.writes);
    remove_excess(running, kind, now_, outcome.writes);
    return outcome;
}

std::optional<Outcome> PodGroup::settle_before_workload(const JobKind& kind) const {
    std::vector<Write> writes;
    for (const auto& pod : pods_) {
        if (!is_useful(*pod)) {
            release_all({pod}, writes);
        }
    }
    if (!find_contradiction()) {
        Pods excess;
        find_members(&excess);
        remove_excess(excess, kind, now_, writes);
    }
    return independent(std::move(writes));
}

Pods PodGroup::find_members(Pods* excess) const {
    Pods useful = find_useful(pods_);
    const auto total = total_count();
    if (total && useful.size() > static_cast<std::size_t>(*total)) {
        sort_useful(useful);
        const auto end = useful.begin() + *total;
        if (excess != nullptr) {
            excess->assign(end, useful.end());
        }
        useful.erase(end, useful.end());
    }
    return useful;
}

std::optional<JobProblem> PodGroup::find_obstacle() const {
    if (auto problem = find_contradiction()) {
        return problem;
    }
    const Pods members = find_members(nullptr);
    if (std::ranges::all_of(members, [](const auto& pod) {
            return pod->metadata.deletion_timestamp.has_value();
        })) {
        return inconsistent("all pods of the group are being deleted");
    }
    if (count_by() == GroupCount::EachPod && count_roles(members).size() > kRolesMax) {
        return inconsistent(fmt::format("pod group can't include more than {} roles", kRolesMax));
    }
    return std::nullopt;
}

std::optional<JobProblem> PodGroup::find_contradiction() const {
    const auto total = total_count();
    if (!total) {
        return unreadable(total.error().detail);
    }
    if (const std::string* text = first_->metadata.find_label(api::label::kPodGroupPodIndex)) {
        const auto index = parse_decimal<std::int64_t>(*text);
        if (!index || *index < 0 || *index >= *total) {
            return unreadable(fmt::format(
                "incorrect label value \"{}\" for Pod \"{}\": value should be less than {}",
                *text,
                first_->metadata.name,
                *total
            ));
        }
    }
    if (count_by() == GroupCount::EachPod &&
        find_useful(pods_).size() < static_cast<std::size_t>(*total)) {
        return JobProblem{
            JobProblem::Reason::IncompleteGroup,
            fmt::format("'{}' group has fewer runnable pods than expected", group_)
        };
    }
    if (auto problem = find_hidden_size()) {
        return problem;
    }
    constexpr const char* kTotal = api::annotation::kPodGroupTotalCount;
    for (const auto& pod : pods_) {
        if (pod->status.phase == "Failed") {
            continue;
        }
        if (queue_of(*pod) != queue_of(*first_)) {
            return inconsistent(fmt::format(
                "pods '{}' and '{}' has different queue names: {}!={}",
                first_->metadata.name,
                pod->metadata.name,
                queue_of(*first_),
                queue_of(*pod)
            ));
        }
        const auto other =
            parse_decimal<std::int64_t>(find_value(pod->metadata.annotations, kTotal));
        if (!other) {
            return unreadable(fmt::format(
                "failed to extract '{}' annotation from the pod '{}'", kTotal, pod->metadata.name
            ));
        }
        if (*other != *total) {
            return inconsistent(fmt::format(
                "pods '{}' and '{}' has different '{}' values: {}!={}",
                first_->metadata.name,
                pod->metadata.name,
                kTotal,
                *total,
                *other
            ));
        }
    }
    return std::nullopt;
}

/// Reports a pod that is larger than the first pod of its role: that pod is counted for all.
std::optional<JobProblem> PodGroup::find_hidden_size() const {
    std::map<std::string, const api::Pod*> first_of_role;
    for (const auto& pod : find_members(nullptr)) {
        const auto& [role, first] = *first_of_role.emplace(role_of(*pod), pod.get()).first;
        if (asks_for_more(pod->spec, first->spec)) {
            return JobProblem{
                JobProblem::Reason::InvalidSpec,
                fmt::format(
                    "pod '{}' asks for more than '{}', though both have the role '{}'",
                    pod->metadata.name,
                    first->metadata.name,
                    role
                )
            };
        }
    }
    return std::nullopt;
}

Result<std::vector<api::PodSet>> PodGroup::pod_sets() const {
    const Pods members = find_members(nullptr);
    if (members.empty()) {
        return make_invalid("failed to find a runnable pod in the group");
    }
    std::vector<api::PodSet> pod_sets;
    if (count_by() == GroupCount::FirstPod) {
        const auto total = total_count();
        if (!total) {
            return total.error();
        }
        auto pod_set = make_pod_set(*members.front(), role_of(*members.front()), *total, settings_);
        if (!pod_set) {
            return pod_set.error();
        }
        pod_sets.push_back(std::move(*pod_set));
        return pod_sets;
    }
    RoleCounts counts = count_roles(members);
    for (const auto& pod : members) {
        const auto role = counts.find(role_of(*pod));
        if (role == counts.end()) {
            continue;  // another pod of this role was counted
        }
        auto pod_set = make_pod_set(*pod, role->first, role->second, settings_);
        if (!pod_set) {
            return pod_set.error();
        }
        pod_sets.push_back(std::move(*pod_set));
        counts.erase(role);
    }
    std::ranges::sort(pod_sets, {}, &api::PodSet::name);
    return pod_sets;
}

JobResult<void> PodGroup::own_metadata(api::ObjectMeta& workload, const Settings& settings) const {
    const Pods members = find_members(nullptr);
    workload.name = group_;
    workload.annotations[api::annotation::kIsGroupWorkload] = "true";
    workload.labels.clear();
    if (!copy_common(
            members, settings.label_keys_to_copy, &api::ObjectMeta::labels, workload.labels
        )) {
        return unreadable("constructing workload: pods have different label values");
    }
    if (!copy_common(
            members,
            settings.annotation_keys_to_copy,
            &api::ObjectMeta::annotations,
            workload.annotations
        )) {
        return unreadable("constructing workload: pods have different annotation values");
    }
    workload.owner_references.clear();
    for (const auto& pod : members) {
        workload.owner_references.push_back(owner_reference(*pod));
    }
    return {};
}

std::optional<Write> PodGroup::own_prebuilt(const api::Workload& workload) const {
    return own_workload(workload);
}

/// Makes all pods that count owners of the Workload, so that it stays while one of them exists.
std::optional<Write> PodGroup::own_workload(const api::Workload& workload) const {
    std::set<std::string_view> known;
    json::Array owners;
    for (const api::OwnerReference& owner : workload.metadata.owner_references) {
        known.insert(owner.uid);
        owners.push_back(api::to_value(owner));
    }
    const std::size_t before = owners.size();
    for (const auto& pod : list_) {
        if (!known.contains(pod->metadata.uid)) {
            owners.push_back(api::to_value(owner_reference(*pod)));
        }
    }
    const std::size_t added = owners.size() - before;
    if (added == 0) {
        return std::nullopt;
    }
    Write write = strict_patch(
        key_of(workload),
        workload.metadata,
        json::Object{{"metadata", json::Object{{"ownerReferences", std::move(owners)}}}}
    );
    write.events.push_back({
        .regarding = reference_to(workload),
        .reason = api::reason::kOwnerReferencesAdded,
        .note = fmt::format("Added {} owner reference(s)", added),
        .reporting_controller = "pod-kueue-controller",
    });
    return write;
}

std::optional<Write> PodGroup::own_condition(const api::Workload& workload) const {
    constexpr const char* kType = api::condition::kWaitingForReplacementPods;
    const api::Condition* before = find_condition(workload, kType);
    const bool waits = places_ && places_->absent > 0;
    if (before == nullptr && !waits) {
        return std::nullopt;
    }
    api::Condition after = before == nullptr ? api::Condition{.type_ = kType} : *before;
    const api::Condition* evicted = find_condition(workload, api::condition::kEvicted);
    if (!waits && after.status != api::condition_status::kFalse) {
        after.reason = api::reason::kPodsReady;
        after.message = "No pods need replacement";
    } else if (waits && evicted != nullptr && evicted->status == api::condition_status::kTrue) {
        after.reason = evicted->reason;
        after.message = evicted->message;
    } else if (waits && after.status != api::condition_status::kTrue) {
        after.reason = api::reason::kPodsFailed;
        after.message = "Some Failed pods need replacement";
    }
    after.status = waits ? api::condition_status::kTrue : api::condition_status::kFalse;
    if (before != nullptr && *before == after) {
        return std::nullopt;
    }
    after.observed_generation = workload.metadata.generation;
    after.last_transition_time = std::chrono::floor<std::chrono::seconds>(now_);
    return Write{
        .verb = Verb::ApplyStatus,
        .object = key_of(workload),
        .body =
            json::Object{
                {"apiVersion", api::kKueueApiVersion},
                {"kind", "Workload"},
                {"metadata",
                 json::Object{
                     {"name", workload.metadata.name},
                     {"namespace", workload.metadata.namespace_},
                     {"uid", workload.metadata.uid},
                     {"resourceVersion", workload.metadata.resource_version},
                 }},
                {"status", json::Object{{"conditions", json::Array{api::to_value(after)}}}},
            },
        .field_manager = std::string(kManager),
    };
}

}  // namespace sluice::controller
