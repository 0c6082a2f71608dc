#include "controller/jobs/serving/leader_worker_set_groups.hpp"

#include "api/core/apps.hpp"
#include "api/kueue/kueue_names.hpp"
#include "api/meta/codec.hpp"
#include "controller/jobs/job/stored_template.hpp"
#include "controller/jobs/job/topology_request.hpp"
#include "controller/jobs/members/group_pods.hpp"
#include "controller/jobs/members/pod_state.hpp"
#include "controller/jobs/members/serving_names.hpp"
#include "controller/jobs/serving/group_owner.hpp"
#include "controller/jobs/serving/membership.hpp"
#include "controller/reconcile/owned_workloads.hpp"
#include "controller/reconcile/workload_status.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <chrono>
#include <limits>
#include <set>
#include <utility>

namespace sluice::controller {

namespace {

constexpr std::string_view kLeader = "leader";
constexpr std::string_view kWorker = "worker";
constexpr std::string_view kMain = "main";
constexpr std::size_t kWorkloadsAtOnce = 200;
/// How long pods stay gated while their LeaderWorkerSet is missing: its watch event may arrive
/// later.
constexpr Duration kOrphanAge = std::chrono::minutes(1);

std::int64_t count_at(
    const json::Value& object, std::initializer_list<std::string_view> path, std::int64_t otherwise
) {
    const json::Value* found = object.find_path(path);
    return found != nullptr && found->is_int() ? found->as_int() : otherwise;
}

/// Returns true during an update with surge: there may be more replicas than wanted, which count
/// too.
bool is_updating_with_surge(const json::Value& set) {
    const json::Value* surge =
        set.find_path({"spec", "rolloutStrategy", "rollingUpdateConfiguration", "maxSurge"});
    const bool has_surge =
        surge != nullptr && ((surge->is_int() && surge->as_int() > 0) ||
                             (surge->is_string() && surge->as_string() != "0" &&
                              surge->as_string() != "0%" && !surge->as_string().empty()));
    return has_surge && count_at(set, {"status", "updatedReplicas"}, 0) < replicas_of_set(set);
}

/// Removes the labels or annotations that the LeaderWorkerSet controller writes into templates,
/// because they differ from revision to revision.
void drop_own_keys(json::Value& pod_template, std::string_view map) {
    json::Value* metadata = pod_template.find("metadata");
    json::Value* entries = metadata == nullptr ? nullptr : metadata->find(map);
    if (entries == nullptr || !entries->is_object()) {
        return;
    }
    std::vector<std::string> own;
    for (const auto& [key, value] : entries->as_object()) {
        if (key.starts_with(kLeaderWorkerSetPrefix) && key != kSetNameLabel) {
            own.push_back(key);
        }
    }
    for (const std::string& key : own) {
        entries->erase(key);
    }
}

Result<api::PodSet> make_group_pod_set(const ReplicaPodSet& asked, const Settings& settings) {
    json::Value text = *asked.pod_template;
    for (const std::string_view map : {"labels", "annotations"}) {
        drop_own_keys(text, map);
    }
    api::PodTemplateSpec live;
    live.raw = api::RawJson(json::print(text));
    auto pod_template = stored_template(live, {});
    if (!pod_template) {
        return pod_template.error();
    }
    api::PodSet pod_set;
    pod_set.name = asked.name;
    pod_set.count = static_cast<std::int32_t>(
        std::min<std::int64_t>(asked.count, std::numeric_limits<std::int32_t>::max())
    );
    pod_set.template_ = std::move(*pod_template);
    if (settings.gates.topology_aware_scheduling) {
        const bool has_rank = asked.name != kLeader;
        auto request = make_topology_request(
            pod_set.template_->metadata,
            {.pod_index = has_rank ? kWorkerIndexLabel : "",
             .sub_group_index = {},
             .sub_group_count = {}},
            settings
        );
        if (!request) {
            return request.error();
        }
        pod_set.topology_request = std::move(*request);
    }
    return pod_set;
}

GroupOwner owner_of(const api::ObjectMeta& set) {
    return {leader_worker_set_names()->kind(), kLeaderWorkerSets, set};
}

/// Ungates pods that remain after their LeaderWorkerSet is gone.
Outcome release_orphans(const kube::Store<api::Pod>::Objects& pods, Time now) {
    Outcome outcome;
    outcome.are_independent = true;
    for (const auto& [name, pod] : pods) {
        auto write = open_gates(*pod);
        if (!write || pod->metadata.deletion_timestamp) {
            continue;
        }
        const Time due = pod->metadata.creation_timestamp.value_or(now) + kOrphanAge;
        if (now >= due) {
            outcome.writes.push_back(std::move(*write));
        } else {
            outcome.requeue_at = std::min(outcome.requeue_at.value_or(due), due);
        }
    }
    return outcome;
}

/// One reconcile of a managed LeaderWorkerSet.
class LeaderWorkerSetReconciliation {
  public:
    LeaderWorkerSetReconciliation(const View& view, const api::DynamicObject& set, Time now)
        : stores_(view.stores),
          settings_(view.settings),
          set_(set),
          owner_(owner_of(set.metadata)),
          now_(now) {}

    Outcome run() {
        if (auto outcome = settle_workloads()) {
            return std::move(*outcome);
        }
        record_memberships();
        outcome_.are_independent = true;
        return std::move(outcome_);
    }

  private:
    ObjectKey key() const { return {owner_.kind, set_.metadata.namespace_, set_.metadata.name}; }

    std::string workload_name_of(std::string_view index) const {
        return group_workload_name(
            owner_, fmt::format("{}-{}", set_.metadata.name, index), settings_
        );
    }

    std::int64_t wanted() const {
        const std::int64_t replicas = std::max<std::int64_t>(replicas_of_set(set_.value), 0);
        const std::int64_t present = count_at(set_.value, {"status", "replicas"}, 0);
        return present > replicas && is_updating_with_surge(set_.value) ? present : replicas;
    }

    /// Creates missing Workloads before their pods are labelled; otherwise updates the Workloads
    /// and removes those that are not needed.
    std::optional<Outcome> settle_workloads() {
        std::vector<std::int64_t> missing;
        std::set<std::string, std::less<>> names;
        for (std::int64_t i = 0; i < wanted(); ++i) {
            std::string name = workload_name_of(std::to_string(i));
            const auto workload = find_group_workload(stores_, set_.metadata.namespace_, {name});
            if (!workload && !owner_.is_copy()) {
                missing.push_back(i);
            } else if (workload && is_finished(*workload)) {
                remove_stale(*workload, now_, outcome_);
            } else if (workload && !workload->metadata.deletion_timestamp) {
                auto change = free_evicted(stores_, *workload, settings_, now_);
                if (!change) {
                    change = follow_owner(owner_, *workload, settings_);
                }
                if (change) {
                    outcome_.writes.push_back(std::move(*change));
                }
            }
            names.insert(std::move(name));
        }
        if (!missing.empty()) {
            return make_workloads(missing);
        }
        for (const auto& workload :
             workloads_of_object(stores_, key(), set_.metadata.uid, OwnerRole::Member)) {
            if (!names.contains(workload->metadata.name) &&
                !workload->metadata.deletion_timestamp) {
                // The pods of a deleted Workload are stopped before it releases its quota.
                outcome_.writes.push_back({
                    .verb = Verb::Delete,
                    .object = key_of(*workload),
                    .body = {},
                    .uid = workload->metadata.uid,
                });
            }
        }
        return std::nullopt;
    }

    Outcome make_workloads(const std::vector<std::int64_t>& indexes) {
        std::vector<api::PodSet> pod_sets;
        for (const ReplicaPodSet& asked : replica_pod_sets(set_.value)) {
            auto pod_set = make_group_pod_set(asked, settings_);
            if (!pod_set) {
                return refuse_owner(
                    owner_, {JobProblem::Reason::InvalidSpec, pod_set.error().detail}
                );
            }
            pod_sets.push_back(std::move(*pod_set));
        }
        Outcome outcome;
        outcome.are_independent = true;
        for (const std::int64_t index : indexes) {
            if (outcome.writes.size() == kWorkloadsAtOnce) {
                break;  // the creation of these Workloads leads to another reconcile
            }
            auto workload = make_group_workload(
                stores_, settings_, owner_, workload_name_of(std::to_string(index)), pod_sets, true
            );
            if (!workload) {
                return refuse_owner(owner_, workload.error());
            }
            workload->metadata.annotations[api::annotation::kComponentWorkloadIndex] =
                std::to_string(index);
            outcome.writes.push_back(create_group_workload(owner_, *workload, now_));
        }
        return outcome;
    }

    bool has_leader() const {
        return set_.value.find_path({"spec", "leaderWorkerTemplate", "leaderTemplate"}) != nullptr;
    }

    bool is_to_be_replaced(const api::Pod& pod) const {
        const api::OwnerReference* owner = pod.metadata.controller_owner();
        const auto set =
            owner == nullptr
                ? nullptr
                : stores_.of<api::StatefulSet>().find(pod.metadata.namespace_, owner->name);
        return set && will_be_replaced(pod, *set);
    }

    void record_memberships() {
        for (const auto& [name, pod] : pods_made_by(stores_, key())) {
            if (auto write = is_to_be_replaced(*pod) ? replace_held(*pod) : std::nullopt) {
                outcome_.writes.push_back(std::move(*write));
                continue;
            }
            const std::string* index = pod->metadata.find_label(kGroupIndexLabel);
            if (index == nullptr) {
                continue;  // its controller has not set the label yet
            }
            const bool is_worker = pod->metadata.find_annotation(kLeaderNameAnnotation) != nullptr;
            const Membership membership{
                .workload = workload_name_of(*index),
                .total = static_cast<std::int32_t>(replica_size_of(set_.value)),
                .role = std::string(
                    !has_leader() ? kMain
                    : is_worker   ? kWorker
                                  : kLeader
                ),
                .annotations = {},
            };
            const auto workload =
                find_group_workload(stores_, pod->metadata.namespace_, {membership.workload});
            if (!workload || workload->metadata.deletion_timestamp) {
                continue;
            }
            if (auto write = record_membership(*pod, owner_, membership, settings_)) {
                outcome_.writes.push_back(std::move(*write));
            }
        }
    }

    const Stores& stores_;
    const Settings& settings_;
    const api::DynamicObject& set_;
    GroupOwner owner_;
    Time now_;
    Outcome outcome_;
};

}  // namespace

std::int64_t replicas_of_set(const json::Value& leader_worker_set) {
    return count_at(leader_worker_set, {"spec", "replicas"}, 1);
}

std::int64_t replica_size_of(const json::Value& leader_worker_set) {
    return count_at(leader_worker_set, {"spec", "leaderWorkerTemplate", "size"}, 1);
}

std::vector<ReplicaPodSet> replica_pod_sets(const json::Value& leader_worker_set) {
    static const json::Value kNoTemplate = json::Object{};
    const json::Value* leader =
        leader_worker_set.find_path({"spec", "leaderWorkerTemplate", "leaderTemplate"});
    const json::Value* worker =
        leader_worker_set.find_path({"spec", "leaderWorkerTemplate", "workerTemplate"});
    const std::int64_t size = replica_size_of(leader_worker_set);
    std::vector<ReplicaPodSet> pod_sets;
    if (leader != nullptr && leader->is_object()) {
        pod_sets.push_back({std::string(kLeader), 1, "leaderTemplate", leader});
    }
    const bool has_leader = !pod_sets.empty();
    pod_sets.push_back(
        {std::string(has_leader ? kWorker : kMain),
         has_leader ? std::max<std::int64_t>(size - 1, 0) : size,
         "workerTemplate",
         worker != nullptr && worker->is_object() ? worker : &kNoTemplate}
    );
    return pod_sets;
}

Outcome reconcile_leader_worker_set(
    const View& view, const JobKinds& kinds, const kube::NamespacedName& name, Time now
) {
    const Kind kind = leader_worker_set_names()->kind();
    const kube::AnyStore* store = view.stores.find(kind);
    if (store == nullptr || !store->has_synced() || !view.stores.of<api::Pod>().has_synced()) {
        return {};
    }
    const auto set = view.stores.find_dynamic(kind)->find(name);
    if (!set) {
        return release_orphans(pods_made_by(view.stores, {kind, name.namespace_, name.name}), now);
    }
    if (set->metadata.deletion_timestamp) {
        return {};
    }
    const auto is_managed = is_managed_alone(view, kinds, set->metadata);
    if (!is_managed) {
        Outcome outcome;
        outcome.try_later = is_managed.error().detail;
        return outcome;
    }
    return *is_managed ? LeaderWorkerSetReconciliation(view, *set, now).run() : Outcome();
}

}  // namespace sluice::controller
