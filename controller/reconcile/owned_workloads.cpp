#include "controller/reconcile/owned_workloads.hpp"

#include "controller/reconcile/lost_job.hpp"

#include <algorithm>

namespace sluice::controller {

namespace {

constexpr std::string_view kControllerIndex = "owner";
constexpr std::string_view kMemberIndex = "member_owner";
constexpr std::string_view kLostJobIndex = "lost_job";

/// Example: batch Job team-a/train
std::string owner_text(
    std::string_view group, std::string_view kind, std::string_view ns, std::string_view name
) {
    return std::string(group) + " " + std::string(kind) + " " + std::string(ns) + "/" +
           std::string(name);
}

std::string text_of_owner(const api::OwnerReference& owner, const std::string& ns) {
    return owner_text(kube::group_of(owner.api_version), owner.kind, ns, owner.name);
}

std::vector<std::string> controllers_of(const api::Workload& workload) {
    const api::OwnerReference* owner = workload.metadata.controller_owner();
    return owner == nullptr ? std::vector<std::string>{}
                            : std::vector{text_of_owner(*owner, workload.metadata.namespace_)};
}

/// Owners that are pods are left out: a group may have many.
std::vector<std::string> members_of(const api::Workload& workload) {
    std::vector<std::string> owners;
    for (const api::OwnerReference& owner : workload.metadata.owner_references) {
        if (!owner.controller.value_or(false) && owner.kind != "Pod") {
            owners.push_back(text_of_owner(owner, workload.metadata.namespace_));
        }
    }
    return owners;
}

std::vector<std::string> lost_jobs_of(const api::Workload& workload) {
    const std::string* job = lost_job_of(workload.metadata);
    return job == nullptr ? std::vector<std::string>{}
                          : std::vector{workload.metadata.namespace_ + "/" + *job};
}

bool is_newer(const api::ObjectMeta& workload, const api::ObjectMeta& than, SameAge same_age) {
    if (workload.creation_timestamp != than.creation_timestamp) {
        return than.creation_timestamp < workload.creation_timestamp;
    }
    return same_age == SameAge::LastUid && than.uid < workload.uid;
}

}  // namespace

void add_owner_indexes(kube::Store<api::Workload>& workloads) {
    workloads.add_index(std::string(kControllerIndex), controllers_of);
    workloads.add_index(std::string(kMemberIndex), members_of);
    workloads.add_index(std::string(kLostJobIndex), lost_jobs_of);
}

const Workloads& workloads_of_owner(
    const kube::Stores& stores, const ObjectKey& owner, OwnerRole role
) {
    return stores.of<api::Workload>().by_index(
        role == OwnerRole::Controller ? kControllerIndex : kMemberIndex,
        owner_text(owner.kind.group(), owner.kind.name(), owner.ns, owner.name)
    );
}

WorkloadPointers workloads_of_object(
    const kube::Stores& stores, const ObjectKey& owner, std::string_view uid, OwnerRole role
) {
    WorkloadPointers own;
    for (const auto& [name, workload] : workloads_of_owner(stores, owner, role)) {
        if (is_owned_by(workload->metadata, uid, role)) {
            own.push_back(workload);
        }
    }
    return own;
}

bool is_owned_by(const api::ObjectMeta& workload, std::string_view uid, OwnerRole role) {
    if (role == OwnerRole::Controller) {
        const api::OwnerReference* owner = workload.controller_owner();
        return owner != nullptr && owner->uid == uid;
    }
    const auto& owners = workload.owner_references;
    return std::ranges::find(owners, uid, &api::OwnerReference::uid) != owners.end();
}

const Workloads& lost_workloads(const kube::Stores& stores, const api::ObjectMeta& job) {
    return lost_workloads(stores, job.namespace_ + "/" + job.uid);
}

const Workloads& lost_workloads(const kube::Stores& stores, const std::string& job) {
    return stores.of<api::Workload>().by_index(kLostJobIndex, job);
}

bool has_unreadable_workload(const kube::Stores& stores, const api::ObjectMeta& job) {
    const auto& unreadable = stores.find(kind_of<api::Workload>())->unreadable();
    return std::ranges::any_of(unreadable, [&job](const auto& entry) {
        return entry.first.namespace_ == job.namespace_ &&
               entry.second.text.find(job.uid) != std::string::npos;
    });
}

std::shared_ptr<const api::Workload> find_group_workload(
    const kube::Stores& stores, std::string_view ns, std::initializer_list<std::string_view> names
) {
    for (const std::string_view name : names) {
        if (auto workload = stores.of<api::Workload>().find(ns, name)) {
            return workload;
        }
    }
    return nullptr;
}

std::shared_ptr<const api::Workload> find_newest(
    const Workloads& workloads,
    SameAge same_age,
    const std::function<bool(const api::Workload&)>& counts
) {
    std::shared_ptr<const api::Workload> newest;
    for (const auto& [name, workload] : workloads) {
        if (counts(*workload) &&
            (!newest || is_newer(workload->metadata, newest->metadata, same_age))) {
            newest = workload;
        }
    }
    return newest;
}

std::vector<ObjectKey> keys_of(const Workloads& workloads) {
    std::vector<ObjectKey> keys;
    for (const auto& [name, workload] : workloads) {
        keys.push_back({kind_of<api::Workload>(), name.namespace_, name.name});
    }
    return keys;
}

}  // namespace sluice::controller
