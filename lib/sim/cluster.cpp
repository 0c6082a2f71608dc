#include "sim/cluster.hpp"

#include "api/micro_time.hpp"
#include "sim/fields.hpp"
#include "sim/job_pod.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <iterator>
#include <utility>
#include <vector>

namespace sluice::sim {

namespace {

const apiserver::Collection jobs_collection{"batch", "jobs"};
const apiserver::Collection pods_collection{"", "pods"};
const apiserver::Collection nodes_collection{"", "nodes"};
constexpr std::string_view kNotReady = "node.kubernetes.io/not-ready";
constexpr int kRoundsMax = 10'000;

std::string pod_path(std::string_view ns, std::string_view name) {
    return fmt::format("/api/v1/namespaces/{}/pods/{}", ns, name);
}

bool has_ended(const json::Value& pod) {
    const std::string_view phase = text_at(pod, {"status", "phase"});
    return phase == "Succeeded" || phase == "Failed";
}

bool waits_for_node(const json::Value& pod) {
    return text_at(pod, {"spec", "nodeName"}).empty() && !has_ended(pod) &&
           list_at(pod, {"spec", "schedulingGates"}).empty() &&
           pod.find_path({"metadata", "deletionTimestamp"}) == nullptr;
}

bool fits(const Amounts& wanted, const Amounts& free) {
    return std::ranges::all_of(wanted, [&free](const auto& entry) {
        const auto found = free.find(entry.first);
        return entry.second == 0 || (found != free.end() && entry.second <= found->second);
    });
}

}  // namespace

SimulatedCluster::SimulatedCluster(apiserver::ApiServer& server, Options options)
    : server_(server), options_(options) {
    server_.state().store.add_observer(
        [this](const apiserver::Collection& collection, const apiserver::LogEntry& entry) {
            note(collection, entry);
        }
    );
    for (const auto& [name, job] : server_.state().store.objects(jobs_collection)) {
        jobs_.insert(name);
    }
    for (const auto& [name, pod] : server_.state().store.objects(pods_collection)) {
        pods_.insert(name);
    }
    must_schedule_ = true;
}

void SimulatedCluster::note(
    const apiserver::Collection& collection, const apiserver::LogEntry& entry
) {
    if (collection == jobs_collection) {
        jobs_.insert(entry.name);
    } else if (collection == nodes_collection) {
        must_schedule_ = true;
    } else if (collection == pods_collection) {
        pods_.insert(entry.name);
        must_schedule_ = true;
        const json::Value& pod = entry.after ? *entry.after : *entry.before;
        for (const json::Value& owner : list_at(pod, {"metadata", "ownerReferences"})) {
            if (owner.string_at("kind") == "Job" && is_true_at(owner, {"controller"})) {
                jobs_.insert({entry.name.ns, std::string(owner.string_at("name"))});
            }
        }
    }
}

std::optional<Time> SimulatedCluster::next_time() const {
    std::optional<Time> next;
    for (const auto* times : {&jobs_again_, &pods_again_}) {
        for (const auto& [name, time] : *times) {
            next = std::min(next.value_or(time), time);
        }
    }
    return next;
}

void SimulatedCluster::take_due(Time now) {
    const auto take = [now](std::map<Name, Time>& times, std::set<Name>& due) {
        std::erase_if(times, [&](const auto& entry) {
            if (entry.second > now) {
                return false;
            }
            due.insert(entry.first);
            return true;
        });
    };
    take(jobs_again_, jobs_);
    take(pods_again_, pods_);
}

void SimulatedCluster::run(Time now) {
    take_due(now);
    for (int round = 0; has_work() && round < kRoundsMax; ++round) {
        for (const Name& name : std::exchange(jobs_, {})) {
            reconcile_one_job(name, now);
        }
        if (std::exchange(must_schedule_, false)) {
            schedule(now);
        }
        for (const Name& name : std::exchange(pods_, {})) {
            reconcile_one_pod(name, now);
        }
    }
}

void SimulatedCluster::reconcile_one_job(const Name& name, Time now) {
    jobs_again_.erase(name);
    const apiserver::Snapshot job = server_.state().store.find(jobs_collection, name);
    if (!job) {
        return;
    }
    const std::string uid(text_at(*job, {"metadata", "uid"}));
    std::vector<apiserver::Snapshot> held;
    std::vector<const json::Value*> pods;
    for (const auto& [collection, key] : server_.state().dependents(uid)) {
        if (collection == pods_collection) {
            held.push_back(server_.state().store.find(collection, key));
            pods.push_back(held.back().get());
        }
    }
    JobBackoff& backoff = backoffs_[uid];
    const Outcome outcome = reconcile_job(*job, pods, backoff, now);
    for (const Write& write : outcome.writes) {
        if (!perform(write, *job, now)) {
            break;
        }
    }
    for (const Note& each : outcome.notes) {
        tell(*job, each, now);
    }
    if (outcome.again_at) {
        jobs_again_[name] = *outcome.again_at;
    }
}

/// A pod whose Job is gone is counted by nobody.
bool SimulatedCluster::release_orphan(const json::Value& pod, Time now) {
    const JobPod view = JobPod::make(pod);
    if (!view.is_tracked) {
        return false;
    }
    for (const json::Value& owner : list_at(pod, {"metadata", "ownerReferences"})) {
        if (server_.state().find_by_uid(owner.string_at("uid")) != nullptr) {
            return false;
        }
    }
    json::Array left = list_at(pod, {"metadata", "finalizers"});
    std::erase(left, json::Value(kTrackingFinalizer));
    const json::Value metadata = json::Object{{"finalizers", std::move(left)}};
    request(
        "PATCH",
        pod_path(text_at(pod, {"metadata", "namespace"}), view.name),
        json::Object{{"metadata", metadata}},
        now,
        "application/merge-patch+json"
    );
    return true;
}

void SimulatedCluster::reconcile_one_pod(const Name& name, Time now) {
    pods_again_.erase(name);
    const apiserver::Snapshot pod = server_.state().store.find(pods_collection, name);
    if (!pod) {
        return;
    }
    if (release_orphan(*pod, now)) {
        return;
    }
    const Outcome outcome = reconcile_pod(*pod, options_.run_time, now);
    for (const Write& write : outcome.writes) {
        if (write.verb == Write::Verb::DeletePod) {
            request(
                "DELETE", pod_path(name.ns, name.name), json::Object{{"gracePeriodSeconds", 0}}, now
            );
        } else if (!perform(write, *pod, now)) {
            break;
        }
    }
    if (outcome.again_at) {
        pods_again_[name] = *outcome.again_at;
    }
}

std::map<std::string, Amounts> SimulatedCluster::free_room() const {
    std::map<std::string, Amounts> free;
    for (const auto& [name, node] : server_.state().store.objects(nodes_collection)) {
        free[name.name] = room_of(*node);
    }
    for (const auto& [name, pod] : server_.state().store.objects(pods_collection)) {
        const auto node = free.find(std::string(text_at(*pod, {"spec", "nodeName"})));
        if (node == free.end() || has_ended(*pod)) {
            continue;
        }
        for (const auto& [resource, amount] : requests_of(*pod)) {
            node->second[resource] -= amount;
        }
    }
    return free;
}

std::string SimulatedCluster::find_node(
    const json::Value& pod,
    const Amounts& wanted,
    std::map<std::string, Amounts>& free,
    std::map<std::string, int>& reasons
) const {
    for (const auto& [name, node] : server_.state().store.objects(nodes_collection)) {
        std::string obstacle = find_obstacle(pod, *node);
        if (obstacle.empty() && fits(wanted, free[name.name])) {
            return name.name;
        }
        ++reasons[obstacle.empty() ? std::string("Insufficient resources") : obstacle];
    }
    return "";
}

/// Nodes are ready as soon as they are there; the API server keeps pods off new ones until somebody
/// has found them so.
void SimulatedCluster::admit_nodes(Time now) {
    std::vector<std::pair<std::string, json::Array>> tainted;
    for (const auto& [name, node] : server_.state().store.objects(nodes_collection)) {
        const json::Array& taints = list_at(*node, {"spec", "taints"});
        json::Array left;
        std::ranges::copy_if(taints, std::back_inserter(left), [](const json::Value& taint) {
            return taint.string_at("key") != kNotReady || taint.string_at("effect") != "NoSchedule";
        });
        if (left.size() != taints.size()) {
            tainted.emplace_back(name.name, std::move(left));
        }
    }
    for (auto& [name, taints] : tainted) {
        json::Value changed = taints.empty() ? json::Value() : json::Value(std::move(taints));
        request(
            "PATCH",
            "/api/v1/nodes/" + name,
            json::Object{{"spec", json::Object{{"taints", std::move(changed)}}}},
            now,
            "application/merge-patch+json"
        );
    }
}

void SimulatedCluster::schedule(Time now) {
    admit_nodes(now);
    std::vector<Name> waiting;
    for (const auto& [name, pod] : server_.state().store.objects(pods_collection)) {
        if (waits_for_node(*pod)) {
            waiting.push_back(name);
        }
    }
    if (waiting.empty()) {
        return;
    }
    std::map<std::string, Amounts> free = free_room();
    for (const Name& name : waiting) {
        const apiserver::Snapshot pod = server_.state().store.find(pods_collection, name);
        const Amounts wanted = requests_of(*pod);
        std::map<std::string, int> reasons;
        const std::string node = find_node(*pod, wanted, free, reasons);
        if (!node.empty()) {
            for (const auto& [resource, amount] : wanted) {
                free[node][resource] -= amount;
            }
            request(
                "POST",
                pod_path(name.ns, name.name) + "/binding",
                json::Object{
                    {"apiVersion", "v1"},
                    {"kind", "Binding"},
                    {"target", json::Object{{"kind", "Node"}, {"name", node}}}
                },
                now
            );
            continue;
        }
        std::string message = fmt::format(
            "0/{} nodes are available", server_.state().store.objects(nodes_collection).size()
        );
        const char* separator = ": ";
        for (const auto& [reason, count] : reasons) {
            message += fmt::format("{}{} {}", std::exchange(separator, ", "), count, reason);
        }
        tell_unschedulable(*pod, message + ".", now);
    }
}

void SimulatedCluster::tell_unschedulable(
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
        {"status", "False"},
        {"reason", "Unschedulable"},
        {"message", message},
        {"lastTransitionTime", api::to_string(now)}
    });
    request(
        "PATCH",
        pod_path(text_at(pod, {"metadata", "namespace"}), text_at(pod, {"metadata", "name"})) +
            "/status",
        json::Object{{"status", json::Object{{"conditions", std::move(changed)}}}},
        now,
        "application/merge-patch+json"
    );
    tell(pod, {true, "FailedScheduling", message}, now);
}

bool SimulatedCluster::perform(const Write& write, const json::Value& about, Time now) {
    using Verb = Write::Verb;
    const std::string_view ns = text_at(about, {"metadata", "namespace"});
    const std::string path = pod_path(ns, write.pod);
    apiserver::Response response;
    switch (write.verb) {
        case Verb::CreatePod:
            response =
                request("POST", fmt::format("/api/v1/namespaces/{}/pods", ns), write.body, now);
            break;
        case Verb::PatchPod:
        case Verb::PatchPodStatus:
            response = request(
                "PATCH",
                write.verb == Verb::PatchPod ? path : path + "/status",
                write.body,
                now,
                "application/merge-patch+json"
            );
            break;
        case Verb::DeletePod:
            response = request("DELETE", path, json::Object(), now);
            break;
        case Verb::BindPod:
            return false;  // the scheduler binds by itself
        case Verb::ReplaceStatus: {
            const auto latest = server_.state().store.find(
                jobs_collection,
                {std::string(ns), std::string(text_at(about, {"metadata", "name"}))}
            );
            if (!latest) {
                return false;
            }
            json::Value changed = *latest;
            changed.set("status", write.body);
            response = request(
                "PUT",
                fmt::format(
                    "/apis/batch/v1/namespaces/{}/jobs/{}/status",
                    ns,
                    text_at(about, {"metadata", "name"})
                ),
                changed,
                now
            );
            break;
        }
    }
    const bool is_gone = response.status == 404 && write.verb != Verb::CreatePod;
    if (response.status >= 400 && !is_gone) {
        const auto status = json::parse(response.body);
        const std::string why(status ? status->string_at("message") : std::string_view());
        if (write.verb == Verb::CreatePod) {
            tell(about, {true, "FailedCreate", "Error creating: " + why}, now);
        }
        return false;
    }
    if (write.note && !is_gone) {
        Note note = *write.note;
        if (write.verb == Verb::CreatePod) {
            const auto made = json::parse(response.body);
            note.message += made ? text_at(*made, {"metadata", "name"}) : std::string_view();
        }
        tell(about, note, now);
    }
    return true;
}

void SimulatedCluster::tell(const json::Value& about, const Note& note, Time now) {
    const std::string ns(text_at(about, {"metadata", "namespace"}));
    const std::string name(text_at(about, {"metadata", "name"}));
    const bool is_job = about.string_at("kind") == "Job";
    request(
        "POST",
        fmt::format("/api/v1/namespaces/{}/events", ns),
        json::Object{
            {"apiVersion", "v1"},
            {"kind", "Event"},
            {"metadata",
             json::Object{{"name", fmt::format("{}.{:016x}", name, ++events_)}, {"namespace", ns}}},
            {"involvedObject",
             json::Object{
                 {"apiVersion", about.string_at("apiVersion")},
                 {"kind", about.string_at("kind")},
                 {"namespace", ns},
                 {"name", name},
                 {"uid", text_at(about, {"metadata", "uid"})}
             }},
            {"reason", note.reason},
            {"message", note.message},
            {"type", note.is_warning ? "Warning" : "Normal"},
            {"source", json::Object{{"component", is_job ? "job-controller" : "default-scheduler"}}
            },
            {"firstTimestamp", api::to_string(now)},
            {"lastTimestamp", api::to_string(now)},
            {"count", 1}
        },
        now
    );
}

void SimulatedCluster::add_node(const json::Value& node, Time now) {
    const std::string path = fmt::format("/api/v1/nodes/{}", text_at(node, {"metadata", "name"}));
    request("DELETE", path, json::Object(), now);
    const auto made = request("POST", "/api/v1/nodes", node, now);
    const json::Value* status = node.find("status");
    if (made.status == 201 && status != nullptr) {
        request(
            "PATCH",
            path + "/status",
            json::Object{{"status", *status}},
            now,
            "application/merge-patch+json"
        );
    }
}

apiserver::Response SimulatedCluster::request(
    std::string_view method,
    const std::string& path,
    const json::Value& body,
    Time now,
    std::string_view type
) {
    apiserver::Request made = apiserver::make_request(method, path);
    made.content_type = type;
    made.user_agent = "simulated-cluster";
    made.user = "system:simulated-cluster";
    made.body = json::print(body);
    return server_.handle(std::move(made), now);
}

}  // namespace sluice::sim
