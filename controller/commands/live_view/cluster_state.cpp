#include "controller/commands/live_view/cluster_state.hpp"

#include "api/kueue/kueue_names.hpp"
#include "api/meta/micro_time.hpp"
#include "sim/objects/fields.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <cstdint>
#include <map>
#include <string_view>
#include <tuple>
#include <utility>

namespace sluice::commands {

namespace {

using sim::find_element;
using sim::list_at;
using sim::text_at;

const apiserver::Collection queues_collection{api::kKueueGroup, "clusterqueues"};
const apiserver::Collection workloads_collection{api::kKueueGroup, "workloads"};
const apiserver::Collection nodes_collection{"", "nodes"};
const apiserver::Collection pods_collection{"", "pods"};

api::Quantity quantity_at(const json::Value& object, std::string_view key) {
    const json::Value* found = object.find(key);
    if (found == nullptr) {
        return {};
    }
    const auto quantity =
        api::Quantity::parse(found->is_string() ? found->as_string() : json::print(*found));
    return quantity ? *quantity : api::Quantity();
}

using Sums = std::map<std::string, api::Quantity>;

void add_amounts(Sums& sums, const json::Value* amounts) {
    if (amounts == nullptr || !amounts->is_object()) {
        return;
    }
    for (const auto& [resource, amount] : amounts->as_object()) {
        sums[resource] += quantity_at(*amounts, resource);
    }
}

std::string print_amounts(const Sums& sums) {
    std::string text;
    for (const auto& [resource, amount] : sums) {
        if (!amount.is_zero() && resource != "pods" && resource != "ephemeral-storage") {
            text += fmt::format("{}{} {}", text.empty() ? "" : ", ", resource, amount.to_string());
        }
    }
    return text;
}

const json::Value* condition_in(const json::Value& object, std::string_view type) {
    return find_element(list_at(object, {"status", "conditions"}), "type", type);
}

bool is_condition_set(const json::Value* condition) {
    return condition != nullptr && condition->string_at("status") == "True";
}

QueueState read_queue_state(const std::string& name, const json::Value& queue) {
    QueueState state{.name = name};
    state.cohort = text_at(queue, {"spec", "cohortName"});
    const json::Value* active = condition_in(queue, api::condition::kActive);
    if (active != nullptr && !is_condition_set(active)) {
        state.obstacle = active->string_at("message");
    }
    const json::Array& used = list_at(queue, {"status", "flavorsReservation"});
    for (const json::Value& group : list_at(queue, {"spec", "resourceGroups"})) {
        for (const json::Value& flavor : list_at(group, {"flavors"})) {
            const std::string_view flavor_name = flavor.string_at("name");
            const json::Value* usage = find_element(used, "name", flavor_name);
            for (const json::Value& resource : list_at(flavor, {"resources"})) {
                const std::string_view resource_name = resource.string_at("name");
                QuotaState quota{
                    .flavor = std::string(flavor_name), .resource = std::string(resource_name)
                };
                quota.nominal = quantity_at(resource, "nominalQuota");
                const json::Value* amounts =
                    usage == nullptr
                        ? nullptr
                        : find_element(list_at(*usage, {"resources"}), "name", resource_name);
                if (amounts != nullptr) {
                    quota.used = quantity_at(*amounts, "total");
                    quota.borrowed = quantity_at(*amounts, "borrowed");
                }
                state.quotas.push_back(std::move(quota));
            }
        }
    }
    return state;
}

/// Returns kind and name of the Workload's controller owner, its job; those of the Workload if it
/// has none.
std::pair<std::string, std::string> name_job(
    const apiserver::ObjectName& name, const json::Value& workload
) {
    for (const json::Value& owner : list_at(workload, {"metadata", "ownerReferences"})) {
        if (sim::is_true_at(owner, {"controller"})) {
            return {
                std::string(owner.string_at("kind")),
                fmt::format("{}/{}", name.ns, owner.string_at("name"))
            };
        }
    }
    return {"Workload", fmt::format("{}/{}", name.ns, name.name)};
}

std::optional<Time> time_of(const json::Value& condition) {
    const auto time = api::parse_time(condition.string_at("lastTransitionTime"));
    return time ? std::optional(*time) : std::nullopt;
}

RunningState read_running(const apiserver::ObjectName& name, const json::Value& workload) {
    auto [kind, job] = name_job(name, workload);
    Sums sums;
    for (const json::Value& assigned :
         list_at(workload, {"status", "admission", "podSetAssignments"})) {
        add_amounts(sums, assigned.find("resourceUsage"));
    }
    return {
        .name = std::move(job),
        .kind = std::move(kind),
        .queue = std::string(text_at(workload, {"status", "admission", "clusterQueue"})),
        .amounts = print_amounts(sums),
        .since = time_of(*condition_in(workload, api::condition::kAdmitted))
    };
}

/// Removes the usual beginning of the message, which is evident among the waiting workloads.
std::string_view shorten(std::string_view message) {
    constexpr std::string_view kUsual = "couldn't assign flavors to pod set ";
    const std::size_t colon = message.find(": ");
    return message.starts_with(kUsual) && colon != std::string_view::npos
               ? message.substr(colon + 2)
               : message;
}

std::string reason_of(const json::Value& workload) {
    const json::Value* reserved = condition_in(workload, api::condition::kQuotaReserved);
    const json::Value* admitted = condition_in(workload, api::condition::kAdmitted);
    const json::Value* evicted = condition_in(workload, api::condition::kEvicted);
    std::string reason;
    if (const json::Value* active = workload.find_path({"spec", "active"});
        active != nullptr && active->is_bool() && !active->as_bool()) {
        reason = "deactivated";
    } else if (is_condition_set(reserved)) {
        reason = admitted == nullptr ? "quota reserved" : admitted->string_at("message");
    } else if (reserved != nullptr) {
        reason = shorten(reserved->string_at("message"));
    } else {
        reason = "not looked at yet";
    }
    return is_condition_set(evicted) ? fmt::format("{}: {}", evicted->string_at("reason"), reason)
                                     : reason;
}

void read_workloads(const apiserver::Store& store, ClusterState& state) {
    struct Waiting {
        std::int64_t priority = 0;
        std::string_view created;
        WaitingState state;
    };
    std::vector<Waiting> waiting;
    for (const auto& [name, workload] : store.objects(workloads_collection)) {
        const json::Value* finished = condition_in(*workload, api::condition::kFinished);
        if (is_condition_set(finished)) {
            const std::string_view reason = finished->string_at("reason");
            if (reason == api::reason::kWorkloadSliceReplaced) {
                continue;  // its job runs on
            }
            const bool is_failure =
                reason == api::reason::kFailed || reason == api::reason::kFailedToStart;
            ++(is_failure ? state.failed : state.succeeded);
        } else if (is_condition_set(condition_in(*workload, api::condition::kAdmitted))) {
            state.running.push_back(read_running(name, *workload));
        } else {
            auto [kind, job] = name_job(name, *workload);
            const json::Value* priority = workload->find_path({"spec", "priority"});
            waiting.push_back(
                {.priority = priority != nullptr && priority->is_int() ? priority->as_int() : 0,
                 .created = text_at(*workload, {"metadata", "creationTimestamp"}),
                 .state =
                     {.name = std::move(job),
                      .kind = std::move(kind),
                      .queue = std::string(text_at(*workload, {"spec", "queueName"})),
                      .reason = reason_of(*workload)}}
            );
        }
    }
    std::ranges::stable_sort(state.running, [](const RunningState& a, const RunningState& b) {
        return a.since > b.since;
    });
    std::ranges::stable_sort(waiting, [](const Waiting& a, const Waiting& b) {
        return std::tie(b.priority, a.created) < std::tie(a.priority, b.created);
    });
    for (Waiting& each : waiting) {
        state.waiting.push_back(std::move(each.state));
    }
}

/// Returns true if the scheduler found no node for the pod.
bool is_unplaced(const json::Value& pod) {
    const json::Value* conditions = pod.find_path({"status", "conditions"});
    if (conditions == nullptr || !conditions->is_array() ||
        !text_at(pod, {"spec", "nodeName"}).empty()) {
        return false;
    }
    return std::ranges::any_of(conditions->as_array(), [](const json::Value& condition) {
        return condition.string_at("type") == "PodScheduled" &&
               condition.string_at("reason") == "Unschedulable";
    });
}

}  // namespace

ClusterState read_cluster_state(const apiserver::Store& store) {
    ClusterState state;
    Sums capacity;
    for (const auto& [name, node] : store.objects(nodes_collection)) {
        ++state.nodes;
        add_amounts(capacity, node->find_path({"status", "allocatable"}));
    }
    state.capacity = print_amounts(capacity);
    for (const auto& [name, pod] : store.objects(pods_collection)) {
        state.pods += text_at(*pod, {"status", "phase"}) == "Running" ? 1 : 0;
        state.unplaced += is_unplaced(*pod) ? 1 : 0;
    }
    for (const auto& [name, queue] : store.objects(queues_collection)) {
        state.queues.push_back(read_queue_state(name.name, *queue));
    }
    std::ranges::stable_sort(state.queues, {}, &QueueState::cohort);
    state.domains = read_domain_states(store);
    read_workloads(store, state);
    return state;
}

}  // namespace sluice::commands
