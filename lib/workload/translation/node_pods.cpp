#include "workload/translation/node_pods.hpp"

#include "api/core/effective_requests.hpp"
#include "api/kueue/kueue_names.hpp"
#include "workload/pods/amounts.hpp"
#include "workload/pods/node_fit.hpp"
#include "workload/pods/requests.hpp"

#include <algorithm>
#include <tuple>
#include <utility>

namespace sluice::workload {
namespace {

constexpr char kPods[] = "pods";

/// Adds what the pod takes (`times` 1), or takes it away (-1).
void add_to_sums(
    std::map<std::string, engine::Amount>& sums,
    const std::vector<engine::ResourceRequest>& requests,
    std::int64_t times
) {
    for (const auto& request : requests) {
        engine::Amount& sum = sums[request.resource];
        sum = times > 0 ? sum + request.amount : sum - request.amount;
    }
}

}  // namespace

std::string owner_key(const api::ObjectMeta& workload) {
    const auto* slice = workload.find_annotation(api::annotation::kWorkloadSliceName);
    return workload.namespace_ + "/" + (slice == nullptr ? workload.name : *slice);
}

bool NodePods::RequestsLess::operator()(
    const std::shared_ptr<const Requests>& a, const std::shared_ptr<const Requests>& b
) const {
    return std::ranges::lexicographical_compare(*a, *b, [](const auto& x, const auto& y) {
        return std::tie(x.resource, x.amount) < std::tie(y.resource, y.amount);
    });
}

std::shared_ptr<const NodePods::Requests> NodePods::share(Requests requests) {
    return *requests_.insert(std::make_shared<const Requests>(std::move(requests))).first;
}

bool NodePods::is_claimed(const Owner& owner) const {
    const auto at = claims_.find(owner.workload);
    return at != claims_.end() && std::ranges::any_of(at->second, [&owner](const auto& claim) {
               return claim.second.contains(owner.pod_set);
           });
}

bool NodePods::is_counted(const Pod& pod) const {
    return pod.owner != nullptr && (pod.is_ending || is_claimed(*pod.owner));
}

void NodePods::add(const std::string& key, const Pod& pod, Touched& touched) {
    NodePodSums& sums = nodes_.at(*pod.node);
    ++sums.pods;
    add_to_sums(sums.taken, *pod.requests, 1);
    if (pod.is_counted) {
        add_to_sums(sums.counted, *pod.requests, 1);
    }
    touched.nodes.insert(*pod.node);
    if (pod.owner != nullptr) {
        Owned& owned = by_owner_[pod.owner->workload];
        owned.pods.insert(key);
        if (!pod.is_ending) {
            ++owned.running[pod.owner->pod_set][*pod.node];
        }
        touched.workloads.insert(pod.owner->workload);
    }
}

void NodePods::take_away(const std::string& key, const Pod& pod, Touched& touched) {
    const auto at = nodes_.find(*pod.node);
    NodePodSums& sums = at->second;
    add_to_sums(sums.taken, *pod.requests, -1);
    if (pod.is_counted) {
        add_to_sums(sums.counted, *pod.requests, -1);
    }
    touched.nodes.insert(*pod.node);
    if (pod.owner != nullptr) {
        const auto owner = by_owner_.find(pod.owner->workload);
        Owned& owned = owner->second;
        owned.pods.erase(key);
        if (!pod.is_ending) {
            auto& nodes = owned.running[pod.owner->pod_set];
            if (--nodes[*pod.node] == 0) {
                nodes.erase(*pod.node);
            }
        }
        if (owned.pods.empty()) {
            by_owner_.erase(owner);
        }
        touched.workloads.insert(pod.owner->workload);
    }
    if (--sums.pods == 0) {
        nodes_.erase(at);
    }
    constexpr int kHereAndInSet = 2;
    if (pod.requests.use_count() == kHereAndInSet) {
        requests_.erase(pod.requests);
    }
}

NodePods::Touched NodePods::set(const api::Pod& pod) {
    const auto& metadata = pod.metadata;
    if (!is_foreign(pod)) {
        return remove(metadata.namespace_, metadata.name);
    }
    Requests requests = to_engine_requests(pod_requests(api::effective_resources(pod.spec)));
    std::erase_if(requests, [](const auto& r) { return r.resource == kPods; });
    requests.push_back({.resource = kPods, .amount = engine::Amount(1)});
    Pod made{
        .node = nullptr,
        .requests = nullptr,
        .owner = nullptr,
        .is_ending = metadata.deletion_timestamp.has_value(),
    };
    const auto* workload = metadata.find_annotation(api::annotation::kWorkloadSliceName);
    if (workload == nullptr) {
        workload = metadata.find_annotation(api::annotation::kWorkload);
    }
    const auto* pod_set = metadata.find_label(api::label::kPodSet);
    if (workload != nullptr && pod_set != nullptr) {
        made.owner = std::make_unique<Owner>(metadata.namespace_ + "/" + *workload, *pod_set);
    }
    made.is_counted = is_counted(made);
    const std::string key = metadata.namespace_ + "/" + metadata.name;
    const auto [at, is_new] = pods_.try_emplace(key);
    Pod& known = at->second;
    const bool same_owner =
        (known.owner == nullptr && made.owner == nullptr) ||
        (known.owner != nullptr && made.owner != nullptr && *known.owner == *made.owner);
    Touched touched;
    if (!is_new && *known.node == pod.spec.node_name && *known.requests == requests && same_owner &&
        known.is_counted == made.is_counted && known.is_ending == made.is_ending) {
        return touched;
    }
    if (!is_new) {
        take_away(key, known, touched);
    }
    made.node = &nodes_.try_emplace(pod.spec.node_name).first->first;
    made.requests = share(std::move(requests));
    known = std::move(made);
    add(key, known, touched);
    return touched;
}

NodePods::Touched NodePods::remove(const std::string& ns, const std::string& name) {
    Touched touched;
    if (const auto pod = pods_.extract(ns + "/" + name)) {
        take_away(pod.key(), pod.mapped(), touched);
    }
    return touched;
}

NodePods::Touched NodePods::claim(
    const std::string& owner, const std::string& workload, std::set<std::string> pod_sets
) {
    Touched touched;
    const auto known = claims_.find(owner);
    if (pod_sets.empty()) {
        if (known == claims_.end() || known->second.erase(workload) == 0) {
            return touched;
        }
        owners_.erase(workload);
        if (known->second.empty()) {
            claims_.erase(known);
        }
    } else {
        auto& claim = claims_[owner][workload];
        if (claim == pod_sets) {
            return touched;
        }
        claim = std::move(pod_sets);
        owners_[workload] = owner;
    }
    const auto pods = by_owner_.find(owner);
    if (pods == by_owner_.end()) {
        return touched;
    }
    touched.workloads.insert(owner);
    for (const std::string& key : pods->second.pods) {
        Pod& pod = pods_.at(key);
        // Pods of a workload that gives back its quota are about to end: until they say more, they
        // stay counted.
        if (!pod.is_counted && is_counted(pod)) {
            add_to_sums(nodes_.at(*pod.node).counted, *pod.requests, 1);
            pod.is_counted = true;
            touched.nodes.insert(*pod.node);
        }
    }
    return touched;
}

NodePods::Touched NodePods::release(const std::string& workload) {
    const auto owner = owners_.find(workload);
    return owner == owners_.end() ? Touched() : claim(std::string(owner->second), workload, {});
}

const NodePodSums* NodePods::find(const std::string& node) const {
    const auto at = nodes_.find(node);
    return at == nodes_.end() ? nullptr : &at->second;
}

const NodePods::Running& NodePods::running(const std::string& owner) const {
    static const Running kNone;
    const auto at = by_owner_.find(owner);
    return at == by_owner_.end() ? kNone : at->second.running;
}

std::vector<std::string> NodePods::claimants(const std::string& owner) const {
    std::vector<std::string> made;
    if (const auto at = claims_.find(owner); at != claims_.end()) {
        for (const auto& [workload, pod_sets] : at->second) {
            made.push_back(workload);
        }
    }
    return made;
}

std::set<std::string> NodePods::owners_on(const std::string& node) const {
    std::set<std::string> owners;
    for (const auto& [owner, owned] : by_owner_) {
        const bool is_there = std::ranges::any_of(owned.pods, [&](const std::string& key) {
            return *pods_.at(key).node == node;
        });
        if (is_there) {
            owners.insert(owner);
        }
    }
    return owners;
}

}  // namespace sluice::workload
