#include "whole_system/topology_account.hpp"

#include "api/core/effective_requests.hpp"
#include "api/kueue/kueue_names.hpp"
#include "api/kueue/topology_assignment.hpp"
#include "api/meta/codec.hpp"
#include "base/assert.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <set>

namespace sluice::whole_system {

namespace {

const apiserver::Collection kWorkloads{std::string(api::kKueueGroup), "workloads"};
const apiserver::Collection kPods{"", "pods"};
const apiserver::Collection kNodes{"", "nodes"};
constexpr char kHostname[] = "kubernetes.io/hostname";
constexpr char kGate[] = "kueue.x-k8s.io/topology";

template <class T>
T read(const apiserver::Snapshot& object) {
    auto made = api::from_value<T>(*object);
    SLUICE_ASSERT(made.has_value());
    return std::move(*made);
}

bool holds(const api::Workload& workload) {
    const auto is_true = [&workload](std::string_view type) {
        return std::ranges::any_of(workload.status.conditions, [type](const auto& each) {
            return each.type_ == type && each.status == "True";
        });
    };
    return is_true(api::condition::kQuotaReserved) && !is_true(api::condition::kFinished) &&
           workload.spec.active.value_or(true) && workload.status.admission.has_value();
}

bool is_gated(const api::Pod& pod) {
    return std::ranges::any_of(pod.spec.scheduling_gates, [](const auto& gate) {
        return gate.name == kGate;
    });
}

std::string text_in(const api::StringMap& map, const char* key) {
    const auto found = map.find(key);
    return found == map.end() ? std::string() : found->second;
}

bool is_over(const api::Pod& pod) {
    return pod.status.phase == "Succeeded" || pod.status.phase == "Failed";
}

}  // namespace

TopologyAccount::TopologyAccount(apiserver::State& state, std::function<Time()> now, Report report)
    : state_(state), now_(std::move(now)), report_(std::move(report)) {
    state_.store.add_observer(
        [this](const apiserver::Collection& collection, const apiserver::LogEntry& entry) {
            note(collection, entry);
        }
    );
    for (const auto& [name, node] : state_.store.objects(kNodes)) {
        const auto read_node = read<api::Node>(node);
        rooms_[text_in(read_node.metadata.labels, kHostname)].emplace_back(
            Time::max(), read_node.status.allocatable
        );
    }
}

void TopologyAccount::note(
    const apiserver::Collection& collection, const apiserver::LogEntry& entry
) {
    if (collection == kWorkloads) {
        note_workload(entry);
    } else if (collection == kPods) {
        note_pod(entry);
    } else if (collection == kNodes) {
        note_node(entry);
    }
}

TopologyAccount::Assignment TopologyAccount::assignment_of(const api::Workload& workload) {
    Assignment made;
    for (const auto& pod_set : workload.status.admission->pod_set_assignments) {
        if (!pod_set.topology_assignment) {
            continue;
        }
        for (const api::AssignedDomain& domain :
             api::decode(*pod_set.topology_assignment).domains) {
            made[{pod_set.name, domain.values.back()}] += domain.count;
        }
    }
    return made;
}

void TopologyAccount::note_workload(const apiserver::LogEntry& entry) {
    const auto known = held_.find(entry.name);
    const Assignment before = known == held_.end() ? Assignment() : known->second.assignment;
    if (!entry.after || !holds(read<api::Workload>(entry.after))) {
        if (known != held_.end()) {
            former_[entry.name].push_back({now_(), before});
            held_.erase(known);
        }
        return;
    }
    Holder holder{.assignment = {}, .workload = read<api::Workload>(entry.after)};
    holder.assignment = assignment_of(holder.workload);
    if (holder.assignment.empty() || holder.assignment == before) {
        return;
    }
    if (!before.empty()) {
        former_[entry.name].push_back({now_(), before});
    }
    ++assigned_;
    const Assignment after = holder.assignment;
    held_[entry.name] = std::move(holder);
    for (const auto& [where, count] : after) {
        const auto old = before.find(where);
        if (old == before.end() || old->second < count) {
            check_room(where.second, entry.name.name);
        }
    }
}

/// No host has more pods by assignments than it had room for at some time in the last minutes.
void TopologyAccount::check_room(const std::string& host, const std::string& because) {
    Amounts used;
    std::string users;
    for (const auto& [name, holder] : held_) {
        for (const auto& [where, count] : holder.assignment) {
            if (where.second != host) {
                continue;
            }
            users += fmt::format(" {}/{}={}", name.name, where.first, count);
            used["pods"] += api::Quantity::from_billionths(count * 1'000'000'000);
            for (const api::PodSet& pod_set : holder.workload.spec.pod_sets) {
                if (pod_set.name != where.first) {
                    continue;
                }
                const auto of_pod =
                    api::pod_requests(api::effective_resources(pod_set.template_->spec));
                for (const auto& [resource, amount] : of_pod) {
                    used[resource] += api::Quantity::from_billionths(amount.billionths() * count);
                }
            }
        }
    }
    std::string lacking = " no such node";
    for (const auto& [until, room] : rooms_[host]) {
        lacking.clear();
        if (until != Time::max() && now_() - until > kOnItsWay) {
            continue;
        }
        for (const auto& [resource, amount] : used) {
            const auto has = room.find(resource);
            if (has == room.end() || has->second < amount) {
                lacking += fmt::format(
                    " {} {} of {}",
                    resource,
                    amount.to_string(),
                    has == room.end() ? "0" : has->second.to_string()
                );
            }
        }
        if (lacking.empty()) {
            return;
        }
    }
    report_(fmt::format("{} fills host {} beyond its room:{}:{}", because, host, lacking, users));
}

void TopologyAccount::note_node(const apiserver::LogEntry& entry) {
    const auto host_of = [](const apiserver::Snapshot& node) {
        return text_in(read<api::Node>(node).metadata.labels, kHostname);
    };
    const std::string host = host_of(entry.after ? entry.after : entry.before);
    auto& rooms = rooms_[host];
    if (!rooms.empty()) {
        rooms.back().first = now_();
    }
    if (entry.after) {
        rooms.emplace_back(Time::max(), read<api::Node>(entry.after).status.allocatable);
    }
    while (!rooms.empty() && rooms.front().first != Time::max() &&
           now_() - rooms.front().first > kOnItsWay) {
        rooms.pop_front();
    }
}

void TopologyAccount::note_pod(const apiserver::LogEntry& entry) {
    if (!entry.before || !entry.after) {
        return;
    }
    const auto before = read<api::Pod>(entry.before);
    const auto after = read<api::Pod>(entry.after);
    // Where no topology is assigned, the start of a pod opens the gate.
    const bool has_host = after.spec.node_selector.contains(kHostname);
    if (is_gated(before) && !is_gated(after) && (has_host || !held_.empty())) {
        check_ungated(entry.name, after);
    }
}

std::int64_t TopologyAccount::pods_there(
    const std::string& ns, const api::Pod& like, const std::string& host
) const {
    std::int64_t count = 0;
    for (const auto& [name, object] : state_.store.objects(kPods)) {
        if (name.ns != ns) {
            continue;
        }
        const auto pod = read<api::Pod>(object);
        count += text_in(pod.spec.node_selector, kHostname) == host && !is_gated(pod) &&
                         !is_over(pod) &&
                         text_in(pod.metadata.annotations, api::annotation::kWorkload) ==
                             text_in(like.metadata.annotations, api::annotation::kWorkload) &&
                         text_in(pod.metadata.labels, api::label::kPodSet) ==
                             text_in(like.metadata.labels, api::label::kPodSet)
                     ? 1
                     : 0;
    }
    return count;
}

/// A pod is ungated onto a host of its Workload's topology, and with no more pods than it has
/// there.
void TopologyAccount::check_ungated(const apiserver::ObjectName& name, const api::Pod& pod) {
    ++ungated_;
    const std::string host = text_in(pod.spec.node_selector, kHostname);
    const apiserver::ObjectName workload{
        name.ns, text_in(pod.metadata.annotations, api::annotation::kWorkload)
    };
    const std::pair where(text_in(pod.metadata.labels, api::label::kPodSet), host);
    std::int64_t room = -1;
    const auto take = [&room, &where](const Assignment& assignment) {
        const auto found = assignment.find(where);
        room = std::max(room, found == assignment.end() ? 0 : found->second);
    };
    if (const auto held = held_.find(workload); held != held_.end()) {
        take(held->second.assignment);
    }
    for (const Former& former : former_[workload]) {
        if (now_() - former.until <= kOnItsWay) {
            take(former.assignment);
        }
    }
    const std::int64_t there = pods_there(name.ns, pod, host);
    if (there > room) {
        report_(fmt::format(
            "pod {} is ungated as number {} of podSet {} of {} on host {}, which has {} there",
            name.name,
            there,
            where.first,
            workload.name,
            host,
            room
        ));
    }
}

}  // namespace sluice::whole_system
