#include "sim/job_world.hpp"

#include "api/meta/micro_time.hpp"
#include "json/patch.hpp"
#include "sim/job/job_pod.hpp"
#include "sim/objects/fields.hpp"
#include "yaml/parse.hpp"

#include <catch2/catch_test_macros.hpp>
#include <fmt/format.h>

#include <algorithm>

namespace sluice::test {

using sim::list_at;
using sim::text_at;

JobWorld::JobWorld(std::string_view spec) : now(*api::parse_time("2026-01-01T00:00:00Z")) {
    job = *yaml::parse_document(
        "{apiVersion: batch/v1, kind: Job, metadata: {name: j, namespace: n, uid: job-uid},"
        " spec: {parallelism: 1, backoffLimit: 6, template: {metadata: {labels: {job-name: j}},"
        " spec: {restartPolicy: Never, containers: [{name: c, image: i}]}}}}"
    );
    json::apply_merge_patch(*job.find("spec"), *yaml::parse_document(spec));
    settle();
}

void JobWorld::settle() {
    for (int turn = 0; turn < 100; ++turn) {
        std::vector<const json::Value*> pods;
        for (const auto& [name, pod] : pods_) {
            pods.push_back(&pod);
        }
        const sim::Outcome outcome = sim::reconcile_job(job, pods, backoff_, now);
        for (const sim::Write& write : outcome.writes) {
            perform(write);
        }
        for (const sim::Note& note : outcome.notes) {
            events_.push_back(note.reason);
        }
        if (outcome.writes.empty()) {
            return;
        }
    }
    FAIL("the controller has never enough");
}

void JobWorld::perform(const sim::Write& write) {
    using Verb = sim::Write::Verb;
    if (write.note) {
        events_.push_back(write.note->reason);
    }
    switch (write.verb) {
        case Verb::Create: {
            const std::string name =
                fmt::format("{}{:04}", text_at(write.body, {"metadata", "generateName"}), next_++);
            json::Value pod = write.body;
            pod.find("metadata")->set("name", name);
            pod.find("metadata")->set("namespace", "n");
            pod.find("metadata")->set("uid", "uid-" + name);
            pod.find("metadata")->set("creationTimestamp", api::to_string(now));
            pod.set("status", json::Object{{"phase", "Pending"}});
            pods_.emplace(name, std::move(pod));
            break;
        }
        case Verb::Patch:
            json::apply_merge_patch(pods_.at(write.name), write.body);
            collect(write.name);
            break;
        case Verb::Delete:
            pods_.at(write.name).find("metadata")->set("deletionTimestamp", api::to_string(now));
            break;
        case Verb::ReplaceStatus:
            job.set("status", write.body);
            break;
        case Verb::PatchStatus:
            FAIL("not the business of the Job controller");
    }
}

/// What was deleted and has ended goes with its last finalizer.
void JobWorld::collect(const std::string& name) {
    const json::Value& pod = pods_.at(name);
    const auto view = sim::JobPod::make(pod);
    if (view.is_deleted && view.has_ended() && list_at(pod, {"metadata", "finalizers"}).empty()) {
        pods_.erase(name);
    }
}

void JobWorld::change(std::string_view patch) {
    json::apply_merge_patch(job, *yaml::parse_document(patch));
    settle();
}

void JobWorld::pass(Duration time) {
    now += time;
    settle();
}

void JobWorld::end_pod(bool succeeds, std::int64_t index, int exit_code) {
    for (auto& [name, pod] : pods_) {
        const auto view = sim::JobPod::make(pod);
        if (!view.is_active() || (index >= 0 && view.index != index)) {
            continue;
        }
        json::Value& status = sim::make_object_at(pod, {"status"});
        status.set("phase", succeeds ? "Succeeded" : "Failed");
        const json::Value ended = json::Object{
            {"exitCode", succeeds ? 0 : exit_code}, {"finishedAt", api::to_string(now)}
        };
        status.set(
            "containerStatuses",
            json::Array{json::Object{{"name", "c"}, {"state", json::Object{{"terminated", ended}}}}}
        );
        status.erase("conditions");
        settle();
        return;
    }
    FAIL("no such pod is active");
}

void JobWorld::delete_pod(const std::string& name) {
    pods_.at(name).find("metadata")->set("deletionTimestamp", api::to_string(now));
    settle();
}

void JobWorld::start_pods() {
    for (auto& [name, pod] : pods_) {
        if (sim::JobPod::make(pod).is_active()) {
            json::Value& status = sim::make_object_at(pod, {"status"});
            status.set("phase", "Running");
            status.set(
                "conditions",
                json::Array{json::Object{
                    {"type", "Ready"},
                    {"status", "True"},
                    {"lastTransitionTime", api::to_string(now)}
                }}
            );
        }
    }
    settle();
}

void JobWorld::confirm_deletions() {
    std::vector<std::string> names;
    for (auto& [name, pod] : pods_) {
        if (sim::JobPod::make(pod).is_terminating()) {
            sim::make_object_at(pod, {"status"}).set("phase", "Failed");
            names.push_back(name);
        }
    }
    for (const std::string& name : names) {
        collect(name);
    }
    settle();
    std::erase_if(pods_, [](const auto& entry) {
        const auto view = sim::JobPod::make(entry.second);
        return view.is_deleted && !view.is_tracked;
    });
    settle();
}

std::vector<std::string> JobWorld::active_pods() const {
    std::vector<std::string> names;
    for (const auto& [name, pod] : pods_) {
        if (sim::JobPod::make(pod).is_active()) {
            names.push_back(name);
        }
    }
    return names;
}

std::int64_t JobWorld::count(std::string_view field) const {
    return sim::find_int(job, {"status", field}).value_or(0);
}

std::string JobWorld::text(std::string_view field) const {
    return std::string(text_at(job, {"status", field}));
}

std::string JobWorld::condition(std::string_view type) const {
    const json::Value* found =
        sim::find_element(list_at(job, {"status", "conditions"}), "type", type);
    return found == nullptr
               ? std::string()
               : fmt::format("{}/{}", found->string_at("status"), found->string_at("reason"));
}

}  // namespace sluice::test
