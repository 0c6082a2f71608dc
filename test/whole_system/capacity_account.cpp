#include "whole_system/capacity_account.hpp"

#include "api/core/effective_requests.hpp"
#include "api/kueue/kueue_names.hpp"
#include "api/meta/codec.hpp"
#include "base/assert.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <set>

namespace sluice::whole_system {

namespace {

const apiserver::Collection kWorkloads{std::string(api::kKueueGroup), "workloads"};
const apiserver::Collection kNodes{"", "nodes"};
constexpr std::int64_t kBillion = 1'000'000'000;

bool has(const api::Workload& workload, std::string_view condition) {
    return std::ranges::any_of(workload.status.conditions, [condition](const auto& each) {
        return each.type_ == condition && each.status == "True";
    });
}

std::int64_t reclaimable(const api::Workload& workload, const std::string& pod_set) {
    const auto& all = workload.status.reclaimable_pods;
    const auto at = std::ranges::find(all, pod_set, &api::ReclaimablePod::name);
    return at == all.end() ? 0 : at->count;
}

}  // namespace

CapacityAccount::CapacityAccount(apiserver::State& state, std::function<Time()> now, Report report)
    : state_(state), now_(std::move(now)), report_(std::move(report)) {
    state_.store.add_observer(
        [this](const apiserver::Collection& collection, const apiserver::LogEntry& entry) {
            note(collection, entry);
        }
    );
    for (const auto& [name, node] : state_.store.objects(kNodes)) {
        note_node(nullptr, node);
    }
}

void CapacityAccount::note(
    const apiserver::Collection& collection, const apiserver::LogEntry& entry
) {
    if (collection == kWorkloads) {
        note_workload(entry);
    } else if (collection == kNodes) {
        note_node(entry.before, entry.after);
    }
}

CapacityAccount::Needs CapacityAccount::needs_of(const api::Workload& workload) {
    Needs made;
    if (!has(workload, api::condition::kQuotaReserved) ||
        has(workload, api::condition::kFinished) || !workload.status.admission) {
        return made;
    }
    for (const auto& assignment : workload.status.admission->pod_set_assignments) {
        const auto& all = workload.spec.pod_sets;
        const auto pod_set = std::ranges::find(all, assignment.name, &api::PodSet::name);
        if (pod_set == all.end()) {
            continue;
        }
        const std::int64_t count = std::max<std::int64_t>(
            0,
            std::min<std::int64_t>(
                assignment.count.value_or(pod_set->count),
                pod_set->count - reclaimable(workload, assignment.name)
            )
        );
        std::set<std::string> flavors;
        for (const auto& [resource, flavor] : assignment.flavors) {
            flavors.insert(flavor);
        }
        for (const std::string& flavor : flavors) {
            Amounts& need = made[flavor];
            need["pods"] += api::Quantity::from_billionths(count * kBillion);
            for (const auto& [resource, amount] :
                 api::pod_requests(api::effective_resources(pod_set->template_->spec))) {
                need[resource] += api::Quantity::from_billionths(amount.billionths() * count);
            }
        }
    }
    return made;
}

void CapacityAccount::note_workload(const apiserver::LogEntry& entry) {
    const bool held = held_.contains(entry.name);
    Needs needs;
    if (entry.after) {
        auto workload = api::from_value<api::Workload>(*entry.after);
        SLUICE_ASSERT(workload.has_value());
        needs = needs_of(*workload);
    }
    if (needs.empty()) {
        held_.erase(entry.name);
        return;
    }
    held_[entry.name] = needs;
    if (!held) {
        for (const auto& [flavor, need] : needs) {
            check(flavor, entry.name.name);
        }
    }
}

void CapacityAccount::check(const std::string& flavor, const std::string& because) {
    Amounts used;
    std::string users;
    for (const auto& [name, needs] : held_) {
        if (const auto at = needs.find(flavor); at != needs.end()) {
            users += fmt::format(" {}", name.name);
            for (const auto& [resource, amount] : at->second) {
                used[resource] += amount;
                users += fmt::format(" {}={}", resource, amount.to_string());
            }
        }
    }
    std::string lacking = " no node";
    for (const auto& [until, room] : rooms_[flavor]) {
        if (until != Time::max() && now_() - until > kOnItsWay) {
            continue;
        }
        lacking.clear();
        for (const auto& [resource, amount] : used) {
            const auto at = room.find(resource);
            if (at == room.end() || at->second < amount) {
                lacking += fmt::format(
                    " {} {} of {}",
                    resource,
                    amount.to_string(),
                    at == room.end() ? "0" : at->second.to_string()
                );
            }
        }
        if (lacking.empty()) {
            return;
        }
    }
    report_(fmt::format(
        "{} is admitted beyond what flavor {} has:{}; it and others hold:{}",
        because,
        flavor,
        lacking,
        users
    ));
}

void CapacityAccount::note_node(
    const apiserver::Snapshot& before, const apiserver::Snapshot& after
) {
    const auto change = [&](const apiserver::Snapshot& object, std::int64_t times) {
        const auto node = api::from_value<api::Node>(*object);
        SLUICE_ASSERT(node.has_value());
        const auto pool = node->metadata.labels.find("pool");
        if (pool == node->metadata.labels.end()) {
            return;
        }
        auto& rooms = rooms_[pool->second];
        Amounts sum;
        if (!rooms.empty()) {
            sum = rooms.back().second;
            rooms.back().first = now_();
        }
        for (const auto& [resource, amount] : node->status.allocatable) {
            sum[resource] += api::Quantity::from_billionths(amount.billionths() * times);
        }
        rooms.emplace_back(Time::max(), std::move(sum));
        while (rooms.front().first != Time::max() && now_() - rooms.front().first > kOnItsWay) {
            rooms.pop_front();
        }
    };
    if (before) {
        change(before, -1);
    }
    if (after) {
        change(after, 1);
    }
}

}  // namespace sluice::whole_system
