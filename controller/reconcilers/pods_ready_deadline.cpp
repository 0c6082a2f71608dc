#include "controller/reconcilers/pods_ready_deadline.hpp"

#include "api/core/apps.hpp"
#include "api/core/pod.hpp"
#include "api/kueue/kueue_names.hpp"
#include "api/meta/codec.hpp"
#include "controller/reconcile/workload_status.hpp"
#include "kube/runtime/any_store.hpp"
#include "workload/status/status.hpp"

#include <algorithm>
#include <chrono>
#include <cstdint>

namespace sluice::controller {

namespace condition = api::condition;
namespace reason = api::reason;

namespace {

/// Returns true if the owner is a StatefulSet or LeaderWorkerSet that creates a pod when those
/// before it are ready.
bool creates_in_order(const Stores& stores, std::string_view ns, const api::OwnerReference& owner) {
    const auto kind = stores.find_kind(kube::group_of(owner.api_version), owner.kind);
    if (!kind) {
        return false;
    }
    if (*kind == kind_of<api::StatefulSet>()) {
        // While the integration of StatefulSets is off, only their metadata is kept.
        const auto* sets =
            dynamic_cast<const kube::KindStore<api::StatefulSet>*>(stores.find(*kind));
        const auto set = sets == nullptr ? nullptr : sets->objects().find(ns, owner.name);
        return set && set->spec.pod_management_policy != "Parallel";
    }
    const auto* objects = owner.kind == "LeaderWorkerSet" ? stores.find_dynamic(*kind) : nullptr;
    const auto set = objects == nullptr ? nullptr : objects->find(ns, owner.name);
    const json::Value* policy = set ? set->value.find_path({"spec", "startupPolicy"}) : nullptr;
    return policy != nullptr && *policy == json::Value("LeaderReady");
}

/// Returns when the last pod that owns the Workload became ready; nullopt if no pod is ready.
std::optional<Time> find_last_ready(const Stores& stores, const api::ObjectMeta& workload) {
    std::optional<Time> last;
    if (stores.find(kind_of<api::Pod>()) == nullptr) {
        return last;
    }
    for (const api::OwnerReference& owner : workload.owner_references) {
        const auto pod = owner.kind == api::Pod::kKind
                             ? stores.of<api::Pod>().find(workload.namespace_, owner.name)
                             : nullptr;
        if (!pod || pod->metadata.uid != owner.uid) {
            continue;
        }
        for (const api::ObjectCondition& each : pod->status.conditions) {
            if (each.type_ == "Ready" && each.status == api::condition_status::kTrue) {
                last = std::max(last, each.last_transition_time);
            }
        }
    }
    return last;
}

/// Returns the latest time at which the wait for a pod of the Workload may have begun.
Time find_begin(const Stores& stores, const api::Workload& workload, Time since, Duration timeout) {
    const api::ObjectMeta& metadata = workload.metadata;
    const bool is_in_order =
        std::ranges::any_of(metadata.owner_references, [&](const api::OwnerReference& owner) {
            return creates_in_order(stores, metadata.namespace_, owner);
        });
    const auto last = is_in_order ? find_last_ready(stores, metadata) : std::nullopt;
    std::int64_t pods = 0;
    for (const api::PodSet& pod_set : workload.spec.pod_sets) {
        pods += pod_set.count;
    }
    const Time end = since + timeout * std::max<std::int64_t>(pods - 1, 0);
    return std::clamp(last.value_or(since), since, end);
}

}  // namespace

std::optional<PodsReadyDeadline> find_pods_ready_deadline(
    const Stores& stores, const api::Workload& workload, const config::WaitForPodsReady& policy
) {
    if (!is_admitted(workload) || is_true(workload, condition::kPodsReady)) {
        return std::nullopt;
    }
    const api::Condition* ready = find_condition(workload, condition::kPodsReady);
    const bool has_failed = ready != nullptr && ready->reason == reason::kWaitForRecovery;
    if (has_failed && policy.recovery_timeout <= Duration::zero()) {
        return std::nullopt;
    }
    const api::Condition* since =
        has_failed ? ready : find_condition(workload, condition::kAdmitted);
    if (!since->last_transition_time) {
        return std::nullopt;
    }
    const Duration timeout = has_failed ? policy.recovery_timeout : policy.timeout;
    const Time begin = find_begin(stores, workload, *since->last_transition_time, timeout);
    return PodsReadyDeadline{
        .at = begin + timeout,
        .cause = has_failed ? reason::kWaitForRecovery : reason::kWaitForStart,
    };
}

std::optional<api::Workload> backed_off(
    const api::Workload& workload, const config::RequeuingStrategy& strategy, Time now
) {
    const auto& state = workload.status.requeue_state;
    const std::int32_t count = state ? state->count.value_or(0) : 0;
    if (strategy.backoff_limit_count && count >= *strategy.backoff_limit_count) {
        return std::nullopt;
    }
    api::Workload prepared = workload;
    workload::back_off(
        prepared,
        std::chrono::seconds(strategy.backoff_base_seconds),
        std::chrono::seconds(strategy.backoff_max_seconds),
        now
    );
    return prepared;
}

}  // namespace sluice::controller
