#include "controller/jobs/serving/stateful_set_groups.hpp"

#include "api/kueue/kueue_names.hpp"
#include "api/meta/codec.hpp"
#include "controller/jobs/job/stored_template.hpp"
#include "controller/jobs/job/topology_request.hpp"
#include "controller/jobs/members/group_pods.hpp"
#include "controller/jobs/members/pod_state.hpp"
#include "controller/jobs/members/serving_names.hpp"
#include "controller/jobs/pod/pod_kind.hpp"
#include "controller/jobs/serving/group_owner.hpp"
#include "controller/jobs/serving/membership.hpp"
#include "controller/reconcile/left_pods.hpp"
#include "controller/reconcile/owned_workloads.hpp"
#include "controller/reconcile/strict_patch.hpp"
#include "controller/reconcile/workload_name.hpp"
#include "controller/reconcile/workload_status.hpp"
#include "validation/go_numbers.hpp"

#include <algorithm>
#include <chrono>
#include <utility>

namespace sluice::controller {

namespace {

constexpr char kGroupPodSet[] = "main";
constexpr std::string_view kScaledToZero = "StatefulSet scaled to zero; workload on hold";

/// Returns the latest time at which the pod can still be running: nullopt if it is not running,
/// Time::max() if it is not being deleted.
std::optional<Time> running_until(const api::Pod& pod) {
    if (pod.status.phase != "Running") {
        return std::nullopt;
    }
    const auto& deleted = pod.metadata.deletion_timestamp;
    const auto& grace = pod.metadata.deletion_grace_period_seconds;
    return deleted && grace ? *deleted + std::chrono::seconds(*grace) : Time::max();
}

std::int64_t annotated_total(const api::Pod& pod) {
    const auto total = validation::parse_decimal<std::int64_t>(
        find_value(pod.metadata.annotations, api::annotation::kPodGroupTotalCount)
    );
    return total ? *total : 0;
}

/// Returns true if another integration gates the pods. Example: those of a LeaderWorkerSet
bool is_of_another_framework(const api::ObjectMeta& pod_template) {
    const std::string* framework =
        pod_template.find_annotation(api::annotation::kPodSuspendingParent);
    return framework != nullptr && *framework != kStatefulSets;
}

/// Returns the StatefulSet as the owner of a group.
GroupOwner group_owner_of(const api::ObjectMeta& stateful_set) {
    return {kind_of<api::StatefulSet>(), kStatefulSets, stateful_set};
}

/// One reconcile of a managed StatefulSet.
class StatefulSetReconciliation {
  public:
    StatefulSetReconciliation(const View& view, const api::StatefulSet& set, Time now)
        : stores_(view.stores),
          settings_(view.settings),
          set_(set),
          owner_(group_owner_of(set.metadata)),
          now_(now),
          replicas_(set.spec.replicas.value_or(1)),
          pods_(pods_made_by(
              view.stores, {kind_of<api::StatefulSet>(), set.metadata.namespace_, set.metadata.name}
          )) {
        GroupWorkload found = find_workload_of_set(stores_, set.metadata, settings_);
        name_ = std::move(found.name);
        workload_ = std::move(found.workload);
    }

    Outcome run() {
        if (!workload_) {
            return make_workload();
        }
        if (auto change = change_workload()) {
            outcome_.writes.push_back(std::move(*change));
        }
        record_memberships();
        outcome_.are_independent = true;
        return std::move(outcome_);
    }

  private:
    Outcome make_workload() {
        if (replicas_ <= 0 || owner_.is_copy()) {
            return {};
        }
        auto pod_sets = make_pod_sets();
        if (!pod_sets) {
            return refuse_owner(owner_, {JobProblem::Reason::InvalidSpec, pod_sets.error().detail});
        }
        const auto workload =
            make_group_workload(stores_, settings_, owner_, name_, std::move(*pod_sets), false);
        if (!workload) {
            return refuse_owner(owner_, workload.error());
        }
        Outcome outcome;
        outcome.writes.push_back(create_group_workload(owner_, *workload, now_));
        return outcome;
    }

    Result<std::vector<api::PodSet>> make_pod_sets() const {
        const api::PodTemplateSpec& live = set_.spec.template_;
        auto parsed = json::parse(live.raw.view());
        if (!parsed) {
            return parsed.error();
        }
        parsed->erase("metadata");  // pod sets of a group have no metadata
        api::PodTemplateSpec bare;
        bare.raw = api::RawJson(json::print(*parsed));
        auto pod_template = stored_template(bare, {});
        if (!pod_template) {
            return pod_template.error();
        }
        api::PodSet pod_set;
        pod_set.name = kGroupPodSet;
        pod_set.count = replicas_;
        pod_set.template_ = std::move(*pod_template);
        if (settings_.gates.topology_aware_scheduling) {
            auto request = make_topology_request(
                live.metadata,
                {.pod_index = kPodIndexLabel, .sub_group_index = {}, .sub_group_count = {}},
                settings_
            );
            if (!request) {
                return request.error();
            }
            pod_set.topology_request = std::move(*request);
        }
        std::vector<api::PodSet> pod_sets;
        pod_sets.push_back(std::move(pod_set));
        return pod_sets;
    }

    /// Returns at most one write, because each is made from the version in the store.
    std::optional<Write> change_workload() {
        if (is_finished(*workload_)) {
            remove_stale(*workload_, now_, outcome_);
            return std::nullopt;
        }
        if (workload_->metadata.deletion_timestamp) {
            return std::nullopt;
        }
        if (auto freed = free_evicted(stores_, *workload_, settings_, now_)) {
            return freed;
        }
        if (replicas_ <= 0) {
            return hold();
        }
        if (auto follow = follow_owner(owner_, *workload_, settings_)) {
            return follow;
        }
        if (auto resize = follow_size()) {
            return resize;
        }
        api::Workload changed = *workload_;
        if (workload::resume_from_hold(changed, settings_.gates, now_)) {
            return status_write(changed);
        }
        return std::nullopt;
    }

    /// Puts the Workload on hold, which releases its quota, once none of its pods runs.
    std::optional<Write> hold() {
        if (!is_active(*workload_) || is_on_hold(*workload_)) {
            return std::nullopt;
        }
        std::optional<Time> until;
        const auto look_at = [&](const kube::Store<api::Pod>::Objects& pods) {
            for (const auto& [name, pod] : pods) {
                const auto end = running_until(*pod);
                if (end && *end >= now_) {
                    until = std::max(until.value_or(*end), *end);
                }
            }
        };
        // Look in three ways: a tenant may remove the labels or annotations that one of them needs.
        const auto& pods = stores_.of<api::Pod>();
        const std::string& ns = set_.metadata.namespace_;
        look_at(pods_);
        look_at(pods.by_index(kPodGroupIndex, ns + "/" + workload_->metadata.name));
        look_at(pods.by_index(kMadeByIndex, ns + "/" + set_.metadata.uid));
        if (until && has_quota_reserved(*workload_)) {
            if (*until != Time::max()) {
                outcome_.requeue_at = *until + std::chrono::milliseconds(1);
            }
            return std::nullopt;
        }
        api::Workload changed = *workload_;
        workload::put_on_hold(changed, kScaledToZero, settings_.gates, now_);
        return status_write(changed);
    }

    std::int32_t counted() const {
        const auto& pod_sets = workload_->spec.pod_sets;
        return pod_sets.empty() ? replicas_ : pod_sets.front().count;
    }

    /// Returns the total that is written into the pods: the count of the Workload, or the wanted
    /// replicas if they are fewer and the Workload can shrink to them.
    std::int32_t total() const {
        return has_quota_reserved(*workload_) ? counted() : std::min(counted(), replicas_);
    }

    /// Changes the Workload's count to the wanted replicas, unless it holds quota.
    std::optional<Write> follow_size() const {
        if (counted() == replicas_ || has_quota_reserved(*workload_)) {
            return std::nullopt;
        }
        // A pod with a larger total than the Workload's count would finish it as out of sync.
        if (std::ranges::any_of(pods_, [this](const auto& pod) {
                return annotated_total(*pod.second) > replicas_;
            })) {
            return std::nullopt;
        }
        auto pod_sets = make_pod_sets();
        if (!pod_sets) {
            return std::nullopt;  // keep the pod sets of the last readable template
        }
        json::Array sets;
        for (const api::PodSet& pod_set : *pod_sets) {
            sets.push_back(api::to_value(pod_set));
        }
        Write write = strict_patch(
            {kind_of<api::Workload>(), workload_->metadata.namespace_, workload_->metadata.name},
            workload_->metadata,
            json::Object{{"spec", json::Object{{"podSets", std::move(sets)}}}}
        );
        write.events.push_back(owner_event(
            owner_, api::reason::kUpdatedWorkload, "Updated Workload: " + to_string(write.object)
        ));
        return write;
    }

    void record_memberships() {
        if (replicas_ <= 0 || workload_->metadata.deletion_timestamp) {
            return;
        }
        const Membership membership{
            .workload = workload_->metadata.name,
            .total = total(),
            .role = kGroupPodSet,
            .annotations =
                {
                    {api::annotation::kPodGroupFastAdmission, "true"},
                    {api::annotation::kPodGroupServing, "true"},
                    {api::annotation::kPodGroupPodIndexLabel, kPodIndexLabel},
                },
        };
        for (const auto& [name, pod] : pods_) {
            auto write = record_membership(*pod, owner_, membership, settings_);
            if (will_be_replaced(*pod, set_)) {
                if (auto replacement = replace_held(*pod)) {
                    write = std::move(replacement);
                }
            }
            if (write) {
                outcome_.writes.push_back(std::move(*write));
            }
        }
    }

    const Stores& stores_;
    const Settings& settings_;
    const api::StatefulSet& set_;
    GroupOwner owner_;
    Time now_;
    std::int32_t replicas_;
    const kube::Store<api::Pod>::Objects& pods_;
    std::string name_;
    std::shared_ptr<const api::Workload> workload_;
    Outcome outcome_;
};

}  // namespace

GroupWorkload find_workload_of_set(
    const Stores& stores, const api::ObjectMeta& stateful_set, const Settings& settings
) {
    const GroupOwner owner = group_owner_of(stateful_set);
    std::string name = group_workload_name(owner, stateful_set.name, settings);
    const std::string old_name =
        workload_name(owner.kind.name(), owner.kind.group(), stateful_set.name, {});
    auto workload = find_group_workload(stores, stateful_set.namespace_, {name, old_name});
    if (workload) {
        name = workload->metadata.name;
    }
    return {std::move(name), std::move(workload)};
}

bool is_on_hold(const api::Workload& workload) {
    const api::Condition* reserved = find_condition(workload, api::condition::kQuotaReserved);
    return reserved != nullptr && reserved->status == api::condition_status::kFalse &&
           reserved->reason == api::reason::kOnHold;
}

Outcome reconcile_stateful_set(
    const View& view, const JobKinds& kinds, const kube::NamespacedName& name, Time now
) {
    const auto set = view.stores.of<api::StatefulSet>().find(name);
    if (!set || set->metadata.deletion_timestamp ||
        is_of_another_framework(set->spec.template_.metadata)) {
        return {};
    }
    const auto is_managed = is_managed_alone(view, kinds, set->metadata);
    if (!is_managed) {
        Outcome outcome;
        outcome.try_later = is_managed.error().detail;
        return outcome;
    }
    return *is_managed ? StatefulSetReconciliation(view, *set, now).run() : Outcome();
}

}  // namespace sluice::controller
