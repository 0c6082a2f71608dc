#include "api/meta/micro_time.hpp"
#include "sim/cluster.hpp"
#include "sim/objects/fields.hpp"
#include "sim/pods/node_spec.hpp"
#include "sim/pods/owned.hpp"
#include "sim/pods/pod_life.hpp"
#include "sim/pods/pod_scheduler.hpp"
#include "sim/pods/taint_eviction.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <iterator>
#include <utility>

// The nodes of the cluster, the scheduling of pods, and the pods that a change of another object
// affects.
namespace sluice::sim {

void SimulatedCluster::schedule(Time now) {
    const auto& store = server_.state().store;
    for (const Placement& placement : place_pods(store)) {
        if (placement.node.empty()) {
            report_unschedulable(*placement.pod, placement.message, now);
            continue;
        }
        bind(*placement.pod, placement.node, now);
    }
}

void SimulatedCluster::bind(const json::Value& pod, const std::string& node, Time now) {
    const std::string_view ns = text_at(pod, {"metadata", "namespace"});
    const std::string_view name = text_at(pod, {"metadata", "name"});
    const json::Value target = json::Object{{"kind", "Node"}, {"name", node}};
    const auto response = writer_.request(
        "POST",
        fmt::format("/api/v1/namespaces/{}/pods/{}/binding", ns, name),
        json::Object{{"apiVersion", "v1"}, {"kind", "Binding"}, {"target", target}},
        now
    );
    if (response.status < 400) {
        const std::string message =
            fmt::format("Successfully assigned {}/{} to {}", ns, name, node);
        writer_.record_event(pod, {false, "Scheduled", message}, now);
    }
}

void SimulatedCluster::report_unschedulable(
    const json::Value& pod, const std::string& message, Time now
) {
    const json::Array& conditions = list_at(pod, {"status", "conditions"});
    const json::Value* known = find_element(conditions, "type", "PodScheduled");
    if (known != nullptr && known->string_at("message") == message) {
        return;
    }
    json::Array changed;
    std::ranges::copy_if(conditions, std::back_inserter(changed), [](const json::Value& each) {
        return each.string_at("type") != "PodScheduled";
    });
    changed.emplace_back(json::Object{
        {"type", "PodScheduled"},
        {"observedGeneration", generation_of(pod)},
        {"status", "False"},
        {"reason", "Unschedulable"},
        {"message", message},
        {"lastTransitionTime", api::to_string(now)}
    });
    const json::Value status = json::Object{{"conditions", std::move(changed)}};
    writer_.perform(
        {.verb = Write::Verb::PatchStatus,
         .name = std::string(text_at(pod, {"metadata", "name"})),
         .body = json::Object{{"status", status}},
         .note = Note{true, "FailedScheduling", message}},
        pod,
        now
    );
}

void SimulatedCluster::look_at_node(const std::string& name, Time now) {
    const apiserver::Snapshot node = server_.state().store.find({"", "nodes"}, {"", name});
    if (!node) {
        return;
    }
    if (const auto joined = join_node(*node)) {
        writer_.set_node_status(with_addresses_and_times(*joined, now), now);
        return;
    }
    if (follow_readiness(*node, now) || follow_cordon(*node, now) ||
        !has_condition(*node, "Ready")) {
        return;
    }
    // The node controller makes a ready node schedulable.
    json::Array taints = list_at(*node, {"spec", "taints"});
    const auto removed = std::erase_if(taints, [](const json::Value& taint) {
        return taint.string_at("key") == "node.kubernetes.io/not-ready";
    });
    if (removed > 0) {
        writer_.set_taints(name, std::move(taints), now);
    }
}

bool SimulatedCluster::follow_cordon(const json::Value& node, Time now) {
    constexpr const char* kKey = "node.kubernetes.io/unschedulable";
    const bool is_cordoned = is_true_at(node, {"spec", "unschedulable"});
    json::Array taints = list_at(node, {"spec", "taints"});
    if (is_cordoned == (find_element(taints, "key", kKey) != nullptr)) {
        return false;
    }
    if (is_cordoned) {
        taints.emplace_back(json::Object{{"key", kKey}, {"effect", "NoSchedule"}});
    } else {
        std::erase_if(taints, [](const json::Value& taint) {
            return taint.string_at("key") == kKey;
        });
    }
    writer_.set_taints(std::string(text_at(node, {"metadata", "name"})), std::move(taints), now);
    return true;
}

bool SimulatedCluster::follow_readiness(const json::Value& node, Time now) {
    constexpr const char* kReason = "SetByAnnotation";
    const bool is_wanted =
        text_at(node, {"metadata", "annotations", "sluice.dev/ready"}) != "false";
    json::Array conditions = list_at(node, {"status", "conditions"});
    const auto ready = std::ranges::find_if(conditions, [](const json::Value& each) {
        return each.string_at("type") == "Ready";
    });
    const bool is_set = ready != conditions.end() && ready->string_at("reason") == kReason;
    if (ready == conditions.end() || is_wanted != is_set) {
        return false;  // as wanted, or somebody else's
    }
    ready->set("status", is_wanted ? "True" : "False");
    ready->set("reason", is_wanted ? "KubeletReady" : kReason);
    ready->set(
        "message", is_wanted ? "kubelet is posting ready status" : "sluice.dev/ready is false"
    );
    ready->set("lastTransitionTime", api::to_string(now));
    json::Value changed = node;
    make_object_at(changed, {"status"}).set("conditions", std::move(conditions));
    writer_.set_node_status(changed, now);
    if (!is_wanted) {
        json::Array taints = list_at(node, {"spec", "taints"});
        for (const char* const effect : {"NoSchedule", "NoExecute"}) {
            taints.emplace_back(
                json::Object{{"key", "node.kubernetes.io/not-ready"}, {"effect", effect}}
            );
        }
        writer_.set_taints(
            std::string(text_at(node, {"metadata", "name"})), std::move(taints), now
        );
    }
    return true;
}

void SimulatedCluster::add_node(const json::Value& node, Time now) {
    writer_.replace_node(with_addresses_and_times(node, now), now);
}

json::Value SimulatedCluster::with_addresses_and_times(const json::Value& node, Time now) {
    json::Value added = node;
    if (list_at(node, {"status", "addresses"}).empty()) {
        make_object_at(added, {"status"})
            .set(
                "addresses",
                json::Array{
                    json::Object{{"type", "InternalIP"}, {"address", node_addresses_.take()}},
                    json::Object{
                        {"type", "Hostname"}, {"address", text_at(node, {"metadata", "name"})}
                    }
                }
            );
    }
    json::Array conditions = list_at(node, {"status", "conditions"});
    for (json::Value& condition : conditions) {
        for (const char* const time : {"lastHeartbeatTime", "lastTransitionTime"}) {
            if (condition.is_object() && condition.find(time) == nullptr) {
                condition.set(time, api::to_string(now));
            }
        }
    }
    make_object_at(added, {"status"}).set("conditions", std::move(conditions));
    return added;
}

void SimulatedCluster::note_pods_on(const std::string& node) {
    for (const auto& [name, pod] : server_.state().store.objects({"", "pods"})) {
        if (text_at(*pod, {"spec", "nodeName"}) == node) {
            pods_.insert(name);
        }
    }
}

void SimulatedCluster::note_pods_of(const std::string& uid, const std::string& ns) {
    const auto& pods = server_.state().store.objects({"", "pods"});
    for (auto at = pods.lower_bound({ns, ""}); at != pods.end() && at->first.ns == ns; ++at) {
        const json::Array& owners = list_at(*at->second, {"metadata", "ownerReferences"});
        if (find_element(owners, "uid", uid) != nullptr) {
            pods_.insert(at->first);
        }
    }
}

std::optional<Time> SimulatedCluster::find_leaving_time(
    const json::Value& pod, const std::string& uid, const json::Value& node, Time now
) {
    if (!has_evicting_taints(node) || has_ended(pod) || is_deleted(pod)) {
        tainted_.erase(uid);
        return std::nullopt;
    }
    const Time since = tainted_.emplace(uid, now).first->second;
    return find_eviction(pod, node, since, options_.pace);
}

}  // namespace sluice::sim
