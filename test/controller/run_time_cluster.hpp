#pragma once

#include "api/core/config_map.hpp"
#include "api/kueue/conditions.hpp"
#include "api/meta/codec.hpp"
#include "controller/process/controller_process.hpp"
#include "net/loop/event_loop.hpp"
#include "net/loop/task_group.hpp"
#include "support/embedded_server.hpp"
#include "support/run_async.hpp"
#include "yaml/parse.hpp"

#include <catch2/catch_test_macros.hpp>
#include <fmt/format.h>

#include <algorithm>
#include <functional>
#include <map>
#include <memory>
#include <optional>
#include <string>
#include <string_view>
#include <vector>

namespace sluice::controller {

/// The kind of that name in science.example. Lifetime: that of the process.
inline Kind science_kind(
    const std::string& kind, const std::string& plural, const std::string& version = "v1alpha1"
) {
    static std::vector<std::unique_ptr<const kube::RunTimeKind>> all;
    all.push_back(std::make_unique<const kube::RunTimeKind>(kube::RunTimeKind::Names{
        .group = "science.example", .version = version, .kind = kind, .resource = plural
    }));
    return all.back()->kind();
}

inline kube::ResourcePath science_path(const std::string& plural, const std::string& name = "") {
    return {"science.example", "v1alpha1", plural, "team", name, ""};
}

/// An API server in memory with a queue of four cpus, and a controller that can be restarted.
class RunTimeCluster {
  public:
    RunTimeCluster() : client(loop.executor(), clock) {
        client.serve_kueue();
        put("v1", "namespaces", "", "{metadata: {name: team}}");
        put("kueue.x-k8s.io/v1beta2", "resourceflavors", "", "{metadata: {name: plain}}");
        put("kueue.x-k8s.io/v1beta2", "clusterqueues", "", R"({metadata: {name: cq}, spec: {
            namespaceSelector: {}, resourceGroups: [{coveredResources: [cpu], flavors: [
                {name: plain, resources: [{name: cpu, nominalQuota: '4'}]}]}]}})");
        put("kueue.x-k8s.io/v1beta2",
            "localqueues",
            "team",
            "{metadata: {name: main, namespace: team}, spec: {clusterQueue: cq}}");
        client.serve(science_kind("Experiment", "experiments"));
        client.serve(science_kind("Trial", "trials"));
    }
    ~RunTimeCluster() { stop(); }
    RunTimeCluster(const RunTimeCluster&) = delete;
    RunTimeCluster& operator=(const RunTimeCluster&) = delete;

    void start() {
        ProcessOptions options;
        options.configuration = config::default_configuration("kueue-system");
        options.configuration.leader_election.leader_elect = false;
        options.configuration.integrations.external_frameworks = external;
        options.job_kinds = configured;
        options.controllers = {
            "clusterqueue", "localqueue", "resourceflavor", "workload", "job", "jobkinds"
        };
        options.with_webhooks = false;
        options.with_servers = false;
        options.hostname = "host";
        process = std::make_unique<ControllerProcess>(client, clock, loop, std::move(options));
        tasks = std::make_unique<net::TaskGroup>(loop.executor(), "test");
        tasks->spawn(run_to_end(process.get()), "process");
        REQUIRE(eventually([this] { return process->is_acting(); }));
    }
    void stop() {
        if (process) {
            process->stop();
            test::run_async(loop, tasks->wait());
            process.reset();
        }
    }
    bool eventually(std::function<bool()> condition) {
        return test::run_until(loop, std::move(condition));
    }
    /// Lets everything happen that happens soon.
    void pass_time() { test::run_async(loop, net::pause_for(std::chrono::milliseconds(300))); }

    void put(
        const std::string& api_version,
        const std::string& plural,
        const std::string& ns,
        std::string_view yaml
    ) {
        auto object = yaml::parse_document(yaml);
        REQUIRE(object);
        object->set("apiVersion", api_version);
        const std::string_view version(api_version);
        client.put(
            {std::string(kube::group_of(version)),
             std::string(version.substr(version.find('/') + 1)),
             plural,
             ns,
             "",
             ""},
            std::move(*object)
        );
    }
    /// A ConfigMap of descriptions; with `created` one that is older than the test.
    void describe(
        const std::string& name,
        const std::map<std::string, std::string>& texts,
        const std::string& created = ""
    ) {
        json::Value data = json::Object{};
        for (const auto& [key, text] : texts) {
            data.set(key, text);
        }
        const kube::ResourcePath path{"", "v1", "configmaps", "kueue-system", "", ""};
        json::Value object = json::Object{
            {"metadata",
             json::Object{
                 {"name", name},
                 {"namespace", "kueue-system"},
                 {"labels", json::Object{{"sluice.dev/job-kinds", "true"}}},
             }},
            {"data", std::move(data)},
        };
        if (created.empty()) {
            client.put(path, std::move(object));
        } else {
            object.find("metadata")->set("creationTimestamp", created);
            client.store_as_is(path, std::move(object));
        }
    }
    void take_back(const std::string& name) { client.erase<api::ConfigMap>("kueue-system", name); }
    void put_experiment(const std::string& name, int size = 1, const char* state = "Held") {
        put("science.example/v1alpha1",
            "experiments",
            "team",
            fmt::format(
                R"(
kind: Experiment
metadata: {{name: {}, namespace: team, labels: {{kueue.x-k8s.io/queue-name: main}}}}
spec:
  state: {}
  size: {}
  pod: {{spec: {{containers: [{{name: c, image: i, resources: {{requests: {{cpu: '2'}}}}}}]}}}}
)",
                name,
                state,
                size
            ));
    }
    void put_trial(const std::string& name) {
        put("science.example/v1alpha1",
            "trials",
            "team",
            fmt::format(
                R"(
kind: Trial
metadata: {{name: {}, namespace: team, labels: {{kueue.x-k8s.io/queue-name: main}}}}
spec:
  suspend: true
  size: 1
  pod: {{spec: {{containers: [{{name: c, image: i, resources: {{requests: {{cpu: '1'}}}}}}]}}}}
)",
                name
            ));
    }
    void put_job(const std::string& name, int cpu) {
        put("batch/v1",
            "jobs",
            "team",
            fmt::format(
                R"(
kind: Job
metadata: {{name: {}, namespace: team, labels: {{kueue.x-k8s.io/queue-name: main}}}}
spec:
  suspend: true
  parallelism: 1
  completions: 1
  template:
    spec:
      restartPolicy: Never
      containers: [{{name: c, image: i, resources: {{requests: {{cpu: '{}'}}}}}}]
)",
                name,
                cpu
            ));
    }
    /// What the Job controller writes.
    void complete_job(const std::string& name) {
        client.patch(kube::path_of<api::Job>("team", name, "status"), *yaml::parse_document(R"(
status:
  startTime: '2026-01-01T00:00:00Z'
  completionTime: '2026-01-01T00:00:01Z'
  succeeded: 1
  conditions:
  - {type: SuccessCriteriaMet, status: 'True', lastTransitionTime: '2026-01-01T00:00:00Z'}
  - {type: Complete, status: 'True', lastTransitionTime: '2026-01-01T00:00:01Z'}
)"));
    }
    /// What the kind's own controller writes.
    void set_phase(const std::string& name, const char* phase) {
        const auto path = science_path("experiments", name);
        json::Value object = *client.find_value(path);
        object.set("status", json::Object{{"phase", phase}});
        client.put(science_path("experiments"), std::move(object));
    }

    std::string state(const std::string& name) const {
        const auto path = science_path("experiments", name);
        const auto object = client.find_value(path);
        const json::Value* spec = object == nullptr ? nullptr : object->find("spec");
        return spec == nullptr ? "" : std::string(spec->string_at("state"));
    }
    bool is_job_running(const std::string& name) const {
        const auto job = client.find<api::Job>("team", name);
        return job && job->spec.suspend == false;
    }
    bool is_trial_running(const std::string& name) const {
        const auto path = science_path("trials", name);
        const json::Value* suspend = client.find_value(path)->find_path({"spec", "suspend"});
        return suspend != nullptr && suspend->is_bool() && !suspend->as_bool();
    }
    std::optional<api::Workload> workload_of(const std::string& name) const {
        for (const api::Workload& workload : client.all<api::Workload>()) {
            const auto* owner = workload.metadata.controller_owner();
            if (owner != nullptr && owner->name == name) {
                return workload;
            }
        }
        return std::nullopt;
    }
    std::string condition(const std::string& name, const char* type) const {
        const auto workload = workload_of(name);
        const auto* found =
            workload ? api::find_condition(workload->status.conditions, type) : nullptr;
        return found == nullptr ? "" : found->status + "/" + found->reason;
    }
    bool has_event(std::string_view reason, std::string_view note) const {
        return std::ranges::any_of(client.all<api::Event>(), [&](const api::Event& event) {
            return event.reason == reason && event.note.find(note) != std::string::npos &&
                   event.regarding.kind == "ConfigMap";
        });
    }
    std::string note_of(std::string_view reason, const std::string& config_map) const {
        for (const api::Event& event : client.all<api::Event>()) {
            if (event.reason == reason && event.regarding.name == config_map) {
                return event.note;
            }
        }
        return "";
    }

    static boost::asio::awaitable<void> run_to_end(ControllerProcess* process) {
        co_await process->run();
    }

    const SystemClock clock;
    std::vector<std::string> external;
    std::vector<job_kinds::ConfiguredKind> configured;
    net::EventLoop loop;
    test::EmbeddedServer client;
    std::unique_ptr<ControllerProcess> process;
    std::unique_ptr<net::TaskGroup> tasks;
};

}  // namespace sluice::controller
