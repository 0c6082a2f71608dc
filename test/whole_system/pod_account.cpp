#include "whole_system/pod_account.hpp"

#include "api/core/effective_requests.hpp"
#include "api/kueue/kueue_names.hpp"
#include "api/meta/codec.hpp"
#include "base/assert.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <utility>

namespace sluice::whole_system {

namespace {

const apiserver::Collection kWorkloads{std::string(api::kKueueGroup), "workloads"};
const apiserver::Collection kPods{"", "pods"};
const apiserver::Collection kNodes{"", "nodes"};

template <class T>
T read(const apiserver::Snapshot& object) {
    auto made = api::from_value<T>(*object);
    SLUICE_ASSERT(made.has_value());
    return std::move(*made);
}

/// A Workload that was made for no job has no pods: it gives its quota back at once when it is
/// deactivated, though its status still shows the reservation.
std::optional<Holding> counted_of(const api::Workload& workload) {
    const bool has_gone = !workload.spec.active.value_or(true) &&
                          workload.metadata.owner_references.empty() &&
                          workload.metadata.find_label(api::label::kJobUid) == nullptr;
    return has_gone ? std::nullopt : holding_of(workload);
}

std::string name_of(const FlavorResource& of) {
    return of.first.empty() ? of.second : fmt::format("{} of {}", of.second, of.first);
}

}  // namespace

PodAccount::PodAccount(apiserver::State& state, std::function<Time()> now)
    : state_(state), now_(std::move(now)) {
    state_.store.add_observer(
        [this](const apiserver::Collection& collection, const apiserver::LogEntry& entry) {
            note(collection, entry);
        }
    );
}

void PodAccount::note(const apiserver::Collection& collection, const apiserver::LogEntry& entry) {
    if (collection == kWorkloads) {
        const auto holding =
            entry.after ? counted_of(read<api::Workload>(entry.after)) : std::nullopt;
        if (holding) {
            held_[entry.name] = *holding;
        } else {
            held_.erase(entry.name);
        }
    } else if (collection == kPods) {
        if (auto pod = read_running(entry)) {
            running_[entry.name] = std::move(*pod);
        } else {
            running_.erase(entry.name);
        }
    } else {
        return;
    }
    compare();
}

std::optional<PodAccount::RunningPod> PodAccount::read_running(const apiserver::LogEntry& entry
) const {
    if (!entry.after) {
        return std::nullopt;
    }
    const auto pod = read<api::Pod>(entry.after);
    const std::string node(entry.after->find("spec")->string_at("nodeName"));
    const bool is_over = pod.status.phase == "Succeeded" || pod.status.phase == "Failed";
    const bool may_be_bound = pod.spec.scheduling_gates.empty() && !pod.metadata.deletion_timestamp;
    if (is_over || (node.empty() && !may_be_bound)) {
        return std::nullopt;
    }
    RunningPod made;
    if (const auto found = state_.store.find(kNodes, {"", node}); found != nullptr) {
        made.flavor = found->find_path({"metadata", "labels"})->string_at("pool");
    }
    for (const auto& [resource, amount] : api::pod_requests(api::effective_resources(pod.spec))) {
        made.requests[resource] = amount;
    }
    return made;
}

Amounts PodAccount::held() const {
    Amounts made;
    for (const auto& [name, holding] : held_) {
        for (const auto& [of, amount] : holding.amounts) {
            made[of] += amount;
            made[{"", of.second}] += amount;
        }
    }
    return made;
}

/// Keeps since when each flavor and resource is used beyond what is held of it.
void PodAccount::compare() {
    check();
    Amounts used;
    for (const auto& [name, pod] : running_) {
        for (const auto& [resource, amount] : pod.requests) {
            used[{"", resource}] += amount;
            if (!pod.flavor.empty()) {
                used[{pod.flavor, resource}] += amount;
            }
        }
    }
    Amounts held = this->held();
    std::map<FlavorResource, Excess> found;
    for (const auto& [of, amount] : used) {
        if (amount <= held[of]) {
            continue;
        }
        const auto known = excesses_.find(of);
        if (known != excesses_.end()) {
            found[of] = known->second;
            continue;
        }
        found[of] = {
            .since = now_(),
            .text = fmt::format(
                "{}: the pods request {}, the Workloads hold {}:{}",
                name_of(of),
                amount.to_string(),
                held[of].to_string(),
                describe(of.first)
            )
        };
    }
    excesses_ = std::move(found);
}

std::string PodAccount::describe(const std::string& flavor) const {
    std::string made;
    for (const auto& [name, pod] : running_) {
        if (flavor.empty() || pod.flavor == flavor) {
            made += " pod " + name.name;
            for (const auto& [resource, amount] : pod.requests) {
                made += fmt::format(" {}={}", resource, amount.to_string());
            }
        }
    }
    for (const auto& [name, holding] : held_) {
        made += " Workload " + name.name;
        for (const auto& [of, amount] : holding.amounts) {
            made += fmt::format(" {}/{}={}", of.first, of.second, amount.to_string());
        }
    }
    return made;
}

void PodAccount::check() {
    for (auto& [of, excess] : excesses_) {
        longest_ = std::max(longest_, now_() - excess.since);
        if (now_() - excess.since > grace_ && !excess.is_reported) {
            report(excess);
        }
    }
}

void PodAccount::report(Excess& excess) {
    excess.is_reported = true;
    const auto lasted = std::chrono::duration_cast<std::chrono::seconds>(now_() - excess.since);
    problems_.push_back(fmt::format("for {} s, {}", lasted.count(), excess.text));
}

}  // namespace sluice::whole_system
