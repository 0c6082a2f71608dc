#include "controller/jobs/pod/pod_group_places.hpp"

#include "api/kueue/kueue_names.hpp"
#include "controller/jobs/members/pod_size.hpp"
#include "controller/jobs/members/pod_state.hpp"
#include "controller/reconcile/workload_status.hpp"

#include <algorithm>
#include <cstddef>
#include <iterator>
#include <tuple>

namespace sluice::controller {

namespace {

struct Role {
    Pods useful;
    Pods useless;
};

bool lacks_finalizer(const api::Pod& pod) {
    return !pod.metadata.has_finalizer(api::finalizer::kManaged);
}

Time created_at(const api::Pod& pod) {
    return pod.metadata.creation_timestamp.value_or(Time());
}

/// Returns when the pod was last useful: when it failed or was deleted.
Time last_useful(const api::Pod& pod, Time now) {
    Time failed = now;
    for (const api::ObjectCondition& condition : pod.status.conditions) {
        if (condition.type_ == "ContainersReady" &&
            condition.status == api::condition_status::kFalse &&
            (condition.reason == "Failed" || condition.reason == "PodFailed")) {
            failed = condition.last_transition_time.value_or(now);
        }
    }
    return std::min(failed, pod.metadata.deletion_timestamp.value_or(now));
}

/// Sorts pods that are kept first to the front: with the finalizer, useful until later, older.
void sort_useless(Pods& pods, Time now) {
    std::ranges::stable_sort(pods, {}, [now](const std::shared_ptr<const api::Pod>& pod) {
        return std::tuple(
            lacks_finalizer(*pod), -last_useful(*pod, now).time_since_epoch(), created_at(*pod)
        );
    });
}

/// Moves the pods from `index` on to another list.
void split_off(Pods& from, std::size_t index, Pods& to) {
    const auto begin = from.begin() + static_cast<std::ptrdiff_t>(index);
    to.insert(to.end(), std::make_move_iterator(begin), std::make_move_iterator(from.end()));
    from.erase(begin, from.end());
}

/// Moves the pods that may still run and are larger than the pod set to another list.
void split_off_larger(
    const Stores& stores,
    Pods& from,
    const api::Workload& workload,
    const api::PodSet& pod_set,
    Pods& to
) {
    const auto larger = std::ranges::stable_partition(from, [&](const auto& pod) {
        return has_ended(*pod) || !outgrows(stores, *pod, workload, pod_set);
    });
    split_off(from, static_cast<std::size_t>(larger.begin() - from.begin()), to);
}

std::map<std::string, Role> sort_by_role(const Pods& pods) {
    std::map<std::string, Role> roles;
    for (const auto& pod : pods) {
        Role& role = roles[role_of(*pod)];
        (is_useful(*pod) ? role.useful : role.useless).push_back(pod);
    }
    return roles;
}

}  // namespace

void sort_useful(Pods& pods) {
    std::ranges::stable_sort(pods, {}, [](const std::shared_ptr<const api::Pod>& pod) {
        return std::tuple(lacks_finalizer(*pod), is_gated(*pod), created_at(*pod));
    });
}

PodPlaces find_places(
    const Stores& stores,
    const Pods& pods,
    const api::Workload& workload,
    GroupCount count,
    Time now
) {
    PodPlaces places;
    std::map<std::string, Role> roles = sort_by_role(pods);
    for (const api::PodSet& pod_set : workload.spec.pod_sets) {
        Role role = std::move(roles[pod_set.name]);
        split_off_larger(stores, role.useful, workload, pod_set, places.excess);
        const auto wanted = static_cast<std::size_t>(std::max(pod_set.count, 0));
        const std::size_t useful = role.useful.size();
        if (count == GroupCount::FirstPod) {
            places.absent += wanted > 0 && useful == 0 ? 1 : 0;
        } else {
            places.absent += static_cast<std::int64_t>(wanted - std::min(wanted, useful));
        }
        if (useful > wanted) {
            sort_useful(role.useful);
            split_off(role.useful, wanted, places.excess);
        }
        // Useless pods fill the places that are left.
        const std::size_t open = wanted - std::min(wanted, useful);
        if (role.useless.size() > open) {
            sort_useless(role.useless, now);
            split_off(role.useless, open, places.replaced);
        }
        for (Pods* kept : {&role.useful, &role.useless}) {
            split_off(*kept, 0, places.kept);
        }
    }
    for (auto& [name, role] : roles) {
        split_off(role.useful, 0, places.strangers);
    }
    return places;
}

Pods find_oversized(const Stores& stores, const Pods& pods, const api::Workload& workload) {
    Pods oversized;
    std::map<std::string, Role> roles = sort_by_role(pods);
    for (const api::PodSet& pod_set : workload.spec.pod_sets) {
        split_off_larger(stores, roles[pod_set.name].useful, workload, pod_set, oversized);
    }
    return oversized;
}

RoleCounts count_roles(const Pods& pods) {
    RoleCounts counts;
    for (const auto& pod : pods) {
        if (is_useful(*pod)) {
            ++counts[role_of(*pod)];
        }
    }
    return counts;
}

bool has_place_for(const api::Workload& workload, const RoleCounts& roles) {
    const bool has_finished = is_finished(workload);
    const auto& pod_sets = workload.spec.pod_sets;
    if (!has_finished && pod_sets.size() < roles.size()) {
        return false;
    }
    auto at = pod_sets.begin();
    for (const auto& [role, count] : roles) {
        at = std::find_if(at, pod_sets.end(), [&role](const api::PodSet& pod_set) {
            return pod_set.name == role;
        });
        if (at == pod_sets.end() || (!has_finished && at->count < count)) {
            return false;
        }
        ++at;
    }
    return true;
}

}  // namespace sluice::controller
