#include "sim/cluster.hpp"

#include "api/meta/micro_time.hpp"
#include "apiserver/cluster_content.hpp"
#include "sim/job/job_pod.hpp"
#include "sim/objects/fields.hpp"
#include "sim/pods/adoption.hpp"
#include "sim/pods/pod_life.hpp"
#include "sim/pods/taint_eviction.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <cstddef>
#include <limits>
#include <utility>

namespace sluice::sim {

namespace {

const apiserver::Collection jobs_collection{"batch", "jobs"};
const apiserver::Collection pods_collection{"", "pods"};
const apiserver::Collection nodes_collection{"", "nodes"};
const apiserver::Collection sets_collection{"apps", "replicasets"};
const apiserver::Collection revisions_collection{"apps", "controllerrevisions"};
const apiserver::Collection events_collection{"", "events"};
constexpr std::size_t kPodsARound = 100;
constexpr int kRoundsMax = 10'000;
/// Delay before a rejected write is tried again.
constexpr Duration kRetry = std::chrono::seconds(10);

}  // namespace

SimulatedCluster::SimulatedCluster(apiserver::ApiServer& server, Options options)
    : server_(server), writer_(server), options_(std::move(options)) {
    server_.state().store.add_observer(
        [this](const apiserver::Collection& collection, const apiserver::LogEntry& entry) {
            note(collection, entry);
        }
    );
    for (const apiserver::Collection& collection : server_.state().store.collections()) {
        for (const auto& [name, object] : server_.state().store.objects(collection)) {
            if (collection == pods_collection) {
                note_pod({.name = name, .before = nullptr, .after = object, .last = nullptr});
            }
            if (collection == sets_collection) {
                note_set({.name = name, .before = nullptr, .after = object, .last = nullptr});
            }
            if (collection == nodes_collection) {
                follow_node(node_addresses_, *object);
            }
            if (collection == events_collection) {
                event_ages_.note_written(name);
            }
            if (has_controller(collection)) {
                objects_.emplace(collection, name);
            }
        }
    }
    must_schedule_ = true;
    options_.job_batch = options_.pace.scale(options_.job_batch);
}

bool SimulatedCluster::has_controller(const apiserver::Collection& collection) const {
    return collection == jobs_collection || options_.controllers.contains(collection);
}

void SimulatedCluster::note(
    const apiserver::Collection& collection, const apiserver::LogEntry& entry
) {
    if (collection == jobs_collection) {
        note_job(entry);
        if (!entry.after) {
            const std::string uid(text_at(*entry.before, {"metadata", "uid"}));
            backoffs_.erase(uid);
            note_pods_of(uid, entry.name.ns);
        }
    } else if (collection == events_collection) {
        if (entry.after) {
            event_ages_.note_written(entry.name);
        } else {
            event_ages_.note_gone(entry.name);
        }
    } else if (has_controller(collection)) {
        objects_.emplace(collection, entry.name);
    } else if (collection == nodes_collection) {
        must_schedule_ = true;
        if (!entry.after) {
            note_pods_on(entry.name.name);
        } else {
            nodes_.insert(entry.name.name);
            follow_node(node_addresses_, *entry.after);
            if (has_evicting_taints(*entry.after) ||
                (entry.before && has_evicting_taints(*entry.before))) {
                note_pods_on(entry.name.name);
            }
        }
    } else if (collection == pods_collection) {
        note_pod(entry);
        must_schedule_ = true;
        if (!entry.after) {
            started_.erase(std::string(text_at(*entry.before, {"metadata", "uid"})));
            tainted_.erase(std::string(text_at(*entry.before, {"metadata", "uid"})));
        }
    }
    if (collection == sets_collection) {
        note_set(entry);
    }
    // A StatefulSet does not watch its revisions.
    if (collection != revisions_collection) {
        note_owner(entry.after ? *entry.after : *entry.before);
    }
}

/// Queues a Job. A new Job, or a change of its spec, is reconciled without delay.
void SimulatedCluster::note_job(const apiserver::LogEntry& entry) {
    const bool is_status = entry.before && entry.after &&
                           find_int(*entry.before, {"metadata", "generation"}) ==
                               find_int(*entry.after, {"metadata", "generation"});
    (is_status ? batched_ : objects_).emplace(jobs_collection, entry.name);
}

void SimulatedCluster::note_owner(const json::Value& object) {
    for (const json::Value& owner : list_at(object, {"metadata", "ownerReferences"})) {
        const Key* key = server_.state().find_by_uid(owner.string_at("uid"));
        if (key != nullptr && is_true_at(owner, {"controller"}) && has_controller(key->first)) {
            (key->first == jobs_collection ? batched_ : objects_).insert(*key);
        }
    }
}

/// Queues the Deployments that could adopt a ReplicaSet without a controller.
void SimulatedCluster::note_set(const apiserver::LogEntry& entry) {
    if (!entry.after || is_controlled(*entry.after)) {
        free_sets_.erase(entry.name);
        return;
    }
    free_sets_.insert(entry.name);
    if (changes_selection(entry)) {
        note_all({"apps", "deployments"}, entry.name.ns);
    }
}

/// Queues a pod, and the objects that could adopt it.
void SimulatedCluster::note_pod(const apiserver::LogEntry& entry) {
    pods_.insert(entry.name);
    follow_pod(pod_addresses_, entry.before.get(), entry.after.get());
    const bool is_orphan = entry.after && !is_controlled(*entry.after);
    if (is_orphan) {
        orphans_.insert(entry.name);
    } else {
        orphans_.erase(entry.name);
    }
    if (is_orphan && changes_selection(entry)) {
        for (const auto& [collection, controller] : options_.controllers) {
            if (adopts_pods(collection)) {
                note_all(collection, entry.name.ns);
            }
        }
        note_all(jobs_collection, entry.name.ns);
    }
}

void SimulatedCluster::note_all(const apiserver::Collection& collection, const std::string& ns) {
    const auto& objects = server_.state().store.objects(collection);
    for (auto at = objects.lower_bound({ns, ""}); at != objects.end() && at->first.ns == ns; ++at) {
        objects_.emplace(collection, at->first);
    }
}

std::optional<Time> SimulatedCluster::next_time() const {
    std::optional<Time> next;
    for (const auto& [key, time] : again_) {
        next = std::min(next.value_or(time), time);
    }
    return next;
}

void SimulatedCluster::take_due(Time now) {
    std::erase_if(again_, [&](const auto& entry) {
        const auto& [key, time] = entry;
        if (time > now) {
            return false;
        }
        if (key.first == pods_collection) {
            pods_.insert(key.second);
        } else {
            objects_.insert(key);
        }
        return true;
    });
    for (const Name& name : event_ages_.take_old(now)) {
        server_.state().store.remove(events_collection, name);
    }
}

/// Starts the delays of batched Jobs. The first change of a Job sets the end of its delay.
void SimulatedCluster::delay_batched(Time now) {
    for (const Key& key : std::exchange(batched_, {})) {
        if (options_.job_batch == Duration()) {
            objects_.insert(key);
            continue;
        }
        const auto [at, is_new] = again_.emplace(key, now + options_.job_batch);
        at->second = std::min(at->second, now + options_.job_batch);
    }
}

void SimulatedCluster::run(Time now) {
    take_due(now);
    for (int round = 0; has_work() && round < kRoundsMax; ++round) {
        look_once(now, std::numeric_limits<std::size_t>::max());
    }
}

void SimulatedCluster::run_round(Time now) {
    take_due(now);
    look_once(now, kPodsARound);
}

void SimulatedCluster::look_once(Time now, std::size_t pods_max) {
    delay_batched(now);
    for (const std::string& name : std::exchange(nodes_, {})) {
        look_at_node(name, now);
    }
    for (const Key& key : std::exchange(objects_, {})) {
        reconcile_object(key, now);
    }
    if (std::exchange(must_schedule_, false)) {
        schedule(now);
    }
    std::set<Name> pods = std::exchange(pods_, {});
    for (; !pods.empty() && pods_max > 0; --pods_max) {
        reconcile_pod(pods.extract(pods.begin()).value(), now);
    }
    pods_.merge(pods);
    event_ages_.date(now);
}

namespace {

/// Corrects the status of a Job: it counts pods that the same turn creates as if all had been
/// created.
Write without_missing(const Write& write, std::int64_t missing) {
    Write corrected = write;
    const auto active = find_int(write.body, {"active"});
    if (missing > 0 && write.verb == Write::Verb::ReplaceStatus && active) {
        corrected.body.erase("active");
        if (*active > missing) {
            corrected.body.set("active", *active - missing);
        }
    }
    return corrected;
}

}  // namespace

void SimulatedCluster::perform(
    const Key& key, const apiserver::Snapshot& object, const Outcome& outcome, Time now
) {
    std::optional<Time> again = outcome.again_at;
    std::int64_t missing = 0;  // pods that were not created
    for (const Write& write : outcome.writes) {
        const bool makes_pod = write.verb == Write::Verb::Create && write.kind == "Pod";
        if (makes_pod && missing > 0) {
            ++missing;
        } else if (write.asks_webhooks && options_.send) {
            send(key, object, write);
        } else if (!writer_.perform(without_missing(write, missing), *object, now)) {
            again = std::min(again.value_or(now + kRetry), now + kRetry);
            if (!makes_pod) {
                break;
            }
            // The remaining pods are skipped; the other writes are still performed.
            ++missing;
            report_failed_creation(key, *object, now);
        }
    }
    for (const Note& each : outcome.notes) {
        writer_.record_event(*object, each, now);
    }
    if (again) {
        again_[key] = *again;
    }
}

/// Reports a failed creation in a condition of a ReplicaSet or ReplicationController, until the
/// next write of its status.
void SimulatedCluster::report_failed_creation(const Key& key, const json::Value& object, Time now) {
    const std::string_view kind = object.string_at("kind");
    const bool has_condition_for_it = kind == "ReplicaSet" || kind == "ReplicationController";
    const json::Array& known = list_at(object, {"status", "conditions"});
    if (!has_condition_for_it || find_element(known, "type", "ReplicaFailure") != nullptr) {
        return;
    }
    const bool was_due = objects_.contains(key);
    json::Array conditions = known;
    conditions.emplace_back(json::Object{
        {"type", "ReplicaFailure"},
        {"status", "True"},
        {"reason", "FailedCreate"},
        {"message", writer_.last_refusal()},
        {"lastTransitionTime", api::to_string(now)}
    });
    writer_.perform(
        {.verb = Write::Verb::PatchStatus,
         .name = std::string(text_at(object, {"metadata", "name"})),
         .body = json::Object{{"status", json::Object{{"conditions", std::move(conditions)}}}},
         .api_version = std::string(object.string_at("apiVersion")),
         .kind = std::string(kind)},
        object,
        now
    );
    if (!was_due) {
        objects_.erase(key);  // its own condition is not a reason to try again immediately
    }
}

void SimulatedCluster::send(const Key& key, const apiserver::Snapshot& object, const Write& write) {
    auto request = writer_.prepare(write, *object);
    if (!request) {
        return;
    }
    ++sent_[key];
    options_.send(
        std::move(*request),
        [this, key, object, write](const apiserver::Response& response, Time now) {
            const bool is_done = writer_.finish(write, *object, response, now);
            if (--sent_[key] == 0) {
                sent_.erase(key);
            }
            if (is_done) {
                objects_.insert(key);
            } else {
                report_failed_creation(key, *object, now);
                again_[key] = now + kRetry;
            }
        }
    );
}

void SimulatedCluster::reconcile_object(const Key& key, Time now) {
    again_.erase(key);
    if (sent_.contains(key)) {
        return;
    }
    const apiserver::Snapshot object = server_.state().store.find(key.first, key.second);
    if (!object) {
        return;
    }
    const std::string_view uid = text_at(*object, {"metadata", "uid"});
    std::vector<apiserver::Snapshot> held;
    std::vector<const json::Value*> owned;
    for (const auto& [collection, name] : server_.state().dependents(uid)) {
        apiserver::Snapshot dependent = server_.state().store.find(collection, name);
        const json::Value* owner =
            find_element(list_at(*dependent, {"metadata", "ownerReferences"}), "uid", uid);
        if (owner != nullptr && is_true_at(*owner, {"controller"})) {
            owned.push_back(dependent.get());
            held.push_back(std::move(dependent));
        }
    }
    if (!adopted_kind(key.first).empty() && settle_ownership(key, *object, owned, now)) {
        return;
    }
    perform(key, object, ask_controller(key, *object, owned, now), now);
}

/// Adopts and releases pods. Returns true if there were any, so that the object is reconciled
/// again: immediately, or after a delay if a write was rejected.
bool SimulatedCluster::settle_ownership(
    const Key& key,
    const json::Value& object,
    const std::vector<const json::Value*>& owned,
    Time now
) {
    const bool has_sets = adopted_kind(key.first) == "ReplicaSet";
    const auto& free = has_sets ? free_sets_ : orphans_;
    std::vector<apiserver::Snapshot> orphans;
    for (auto at = free.lower_bound({key.second.ns, ""});
         at != free.end() && at->ns == key.second.ns;
         ++at) {
        const auto& collection = has_sets ? sets_collection : pods_collection;
        if (auto found = server_.state().store.find(collection, *at)) {
            orphans.push_back(std::move(found));
        }
    }
    std::vector<Write> writes = release(object, owned);
    std::ranges::move(adopt(object, orphans), std::back_inserter(writes));
    bool are_accepted = true;
    for (const Write& write : writes) {
        are_accepted = writer_.perform(write, object, now) && are_accepted;
    }
    if (!are_accepted) {
        again_[key] = now + kRetry;  // an immediate retry would be rejected forever
    } else if (!writes.empty()) {
        objects_.insert(key);
    }
    return !writes.empty();
}

Outcome SimulatedCluster::ask_controller(
    const Key& key,
    const json::Value& object,
    const std::vector<const json::Value*>& owned,
    Time now
) {
    const std::string_view ns = text_at(object, {"metadata", "namespace"});
    if (key.first == jobs_collection) {
        // A queued Job also owns its Workload.
        std::vector<const json::Value*> pods = owned;
        std::erase_if(pods, [](const json::Value* each) {
            return each->string_at("kind") != "Pod";
        });
        return reconcile_job(
            object,
            pods,
            backoffs_[std::string(text_at(object, {"metadata", "uid"}))],
            now,
            options_.pace
        );
    }
    const Controller& controller = options_.controllers.at(key.first);
    const json::Value read = find(ns, controller.api_version, controller.kind, key.second.name);
    if (read.is_null()) {
        return {};  // the controller does not know its version
    }
    const Turn::Find find_other =
        [&](std::string_view version, std::string_view kind, std::string_view name) {
            return find(ns, version, kind, name);
        };
    return controller.reconcile(
        {.object = read, .owned = owned, .find = find_other, .pace = options_.pace, .now = now}
    );
}

json::Value SimulatedCluster::find(
    std::string_view ns, std::string_view api_version, std::string_view kind, std::string_view name
) const {
    const auto type = find_type(server_.state().types, api_version, kind);
    if (type == nullptr) {
        return {};
    }
    const apiserver::Snapshot found = server_.state().store.find(
        apiserver::State::collection_of(*type),
        {type->is_namespaced ? std::string(ns) : std::string(), std::string(name)}
    );
    // No webhook is called: an object whose conversion needs one counts as absent.
    return found && !server_.state().needs_webhook(*found, *type)
               ? server_.state().to_version(*found, *type)
               : json::Value();
}

/// Removes the Job finalizer from a pod that no longer belongs to a Job: nothing would count it.
bool SimulatedCluster::release_orphan(const json::Value& pod, Time now) {
    if (!JobPod::make(pod).is_tracked) {
        return false;
    }
    for (const json::Value& owner : list_at(pod, {"metadata", "ownerReferences"})) {
        const bool is_job = owner.string_at("kind") == "Job";
        if (is_job && server_.state().find_by_uid(owner.string_at("uid")) != nullptr) {
            return false;
        }
    }
    writer_.perform(lose_finalizer(pod), pod, now);
    return true;
}

void SimulatedCluster::reconcile_pod(const Name& name, Time now) {
    const Key key{pods_collection, name};
    again_.erase(key);
    const apiserver::Snapshot pod = server_.state().store.find(pods_collection, name);
    if (!pod || release_orphan(*pod, now)) {
        return;
    }
    const std::string node(text_at(*pod, {"spec", "nodeName"}));
    if (node.empty()) {
        return;
    }
    const apiserver::Snapshot its_node = server_.state().store.find(nodes_collection, {"", node});
    if (!its_node) {
        perform(key, pod, collect_lost_pod(*pod, now), now);
        return;
    }
    const std::string uid(text_at(*pod, {"metadata", "uid"}));
    const std::optional<Time> leaves_at = find_leaving_time(*pod, uid, *its_node, now);
    if (leaves_at && *leaves_at <= now) {
        perform(key, pod, evict_for_taint(*pod, now), now);
        return;
    }
    const auto started = started_.find(uid);
    Outcome outcome = run_pod(
        *pod,
        options_.pace,
        started == started_.end() ? std::nullopt : std::optional(started->second),
        now
    );
    if (options_.pace.speed != 1 && !outcome.writes.empty()) {
        started_[uid] = now;
    }
    if (leaves_at) {
        outcome.again_at = std::min(outcome.again_at.value_or(*leaves_at), *leaves_at);
    }
    give_addresses(*pod, outcome);
    perform(key, pod, outcome, now);
}

void SimulatedCluster::give_addresses(const json::Value& pod, Outcome& outcome) {
    if (begins_to_run(pod, outcome)) {
        const apiserver::Snapshot node = server_.state().store.find(
            nodes_collection, {"", std::string(text_at(pod, {"spec", "nodeName"}))}
        );
        give_pod_addresses(outcome, pod_addresses_.take(), node.get());
    }
}

}  // namespace sluice::sim
