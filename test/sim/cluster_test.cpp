#include "cluster_world.hpp"
#include "sim/objects/fields.hpp"

#include <catch2/catch_test_macros.hpp>

#include <chrono>
#include <string>

namespace sluice::test {

using namespace std::chrono_literals;
using sim::find_int;
using sim::text_at;

namespace {

const std::string kJob = "/apis/batch/v1/namespaces/default/jobs/j";

void create_job(ClusterWorld& world, std::string_view more = "", std::string_view metadata = "") {
    world.create_yaml(
        "{apiVersion: batch/v1, kind: Job, metadata: {name: j}, spec: {" + std::string(more) +
        " template: {metadata: {" + std::string(metadata) +
        "}, spec: {restartPolicy: Never, containers: [{name: c, image: i}]}}}}"
    );
}

}  // namespace

TEST_CASE("a Job runs its pod on a node to its end", "[sim][cluster]") {
    ClusterWorld world;
    create_job(world);
    REQUIRE(world.pods().size() == 1);
    CHECK(text_at(world.pods().front(), {"spec", "nodeName"}) == "node-1");
    CHECK(text_at(world.pods().front(), {"status", "phase"}) == "Running");
    world.pass(29s);
    CHECK_FALSE(sim::has_condition(world.get(kJob), "Complete"));
    world.pass(1s);
    CHECK(sim::has_condition(world.get(kJob), "Complete"));
    CHECK(text_at(world.pods().front(), {"status", "phase"}) == "Succeeded");
    CHECK(world.events("Job") == std::vector<std::string>{"SuccessfulCreate", "Completed"});
}

TEST_CASE("what a Job owns beside its pods is no pod", "[sim][cluster]") {
    ClusterWorld world;
    create_job(world, "suspend: true, parallelism: 2, completions: 2,");
    world.create_yaml(
        "{apiVersion: v1, kind: ConfigMap, metadata: {name: m, ownerReferences: [{apiVersion: "
        "batch/v1, kind: Job, name: j, controller: true, uid: " +
        std::string(text_at(world.get(kJob), {"metadata", "uid"})) + "}]}}"
    );
    world.send("PATCH", kJob, "{spec: {suspend: false}}");
    CHECK(world.pods().size() == 2);
    world.pass(30s);
    CHECK(sim::has_condition(world.get(kJob), "Complete"));
}

TEST_CASE("the pods of a node that is gone have failed, and are replaced", "[sim][cluster]") {
    ClusterWorld world;
    create_job(world, "podReplacementPolicy: Failed,", "finalizers: [example.com/hold]");
    REQUIRE(world.pods().size() == 1);
    world.send("DELETE", "/api/v1/nodes/node-1");
    REQUIRE(world.pods().size() == 1);
    const json::Value lost = world.pods().front();
    CHECK(text_at(lost, {"status", "phase"}) == "Failed");
    CHECK_FALSE(text_at(lost, {"metadata", "deletionTimestamp"}).empty());
    const json::Value* condition =
        sim::find_element(sim::list_at(lost, {"status", "conditions"}), "type", "DisruptionTarget");
    REQUIRE(condition != nullptr);
    CHECK(condition->string_at("status") == "True");
    CHECK(condition->string_at("reason") == "DeletionByPodGC");
    CHECK(condition->string_at("message") == "PodGC: node no longer exists");
    CHECK(find_int(world.get(kJob), {"status", "failed"}) == 1);
    world.pass(10s);
    REQUIRE(world.pods().size() == 2);
    const bool is_first =
        world.pods().front().find_path({"metadata", "deletionTimestamp"}) != nullptr;
    const json::Value replacement = is_first ? world.pods().back() : world.pods().front();
    CHECK(text_at(replacement, {"status", "phase"}) == "Pending");
    CHECK(world.events("Pod") == std::vector<std::string>{"Scheduled", "FailedScheduling"});
}

TEST_CASE("a pod may take its time to stop, but not more than its grace period", "[sim][cluster]") {
    ClusterWorld world;
    create_job(world, "", "annotations: {sluice.dev/stop-seconds: '6'}");
    const std::string pod = "/api/v1/namespaces/default/pods/" + world.pod_names().front();
    SECTION("six seconds of thirty") {
        world.send("DELETE", pod);
        CHECK(find_int(world.get(kJob), {"status", "terminating"}) == 1);
        world.pass(5s);
        CHECK(text_at(world.get(pod), {"status", "phase"}) == "Running");
        world.pass(1s);
        CHECK(world.get(pod).is_null());
        CHECK(find_int(world.get(kJob), {"status", "terminating"}) == 0);
    }
    SECTION("two seconds of two") {
        world.send("DELETE", pod, "{gracePeriodSeconds: 2}");
        world.pass(1s);
        CHECK_FALSE(world.get(pod).is_null());
        world.pass(1s);
        CHECK(world.get(pod).is_null());
    }
}

TEST_CASE("a Job that has a time to live is deleted after it, with its pods", "[sim][cluster]") {
    ClusterWorld world;
    create_job(world, "ttlSecondsAfterFinished: 60,");
    world.pass(30s);
    REQUIRE(sim::has_condition(world.get(kJob), "Complete"));
    world.pass(59s);
    CHECK_FALSE(world.get(kJob).is_null());
    world.pass(1s);
    CHECK(world.get(kJob).is_null());
    CHECK(world.pods().empty());
}

TEST_CASE("at sixty times the speed a minute passes in a second", "[sim][cluster]") {
    ClusterWorld world({.pace = {.speed = 60}});
    SECTION("of pods and of what is left of a Job") {
        create_job(
            world, "ttlSecondsAfterFinished: 120,", "annotations: {sluice.dev/run-seconds: '600'}"
        );
        world.pass(9s);
        CHECK(text_at(world.pods().front(), {"status", "phase"}) == "Running");
        world.pass(1s);
        CHECK(sim::has_condition(world.get(kJob), "Complete"));
        world.pass(1s);
        CHECK_FALSE(world.get(kJob).is_null());
        world.pass(1s);
        CHECK(world.get(kJob).is_null());
    }
    SECTION("of a deadline") {
        create_job(
            world, "activeDeadlineSeconds: 300,", "annotations: {sluice.dev/run-seconds: '600'}"
        );
        world.pass(4s);
        CHECK_FALSE(sim::has_condition(world.get(kJob), "Failed"));
        world.pass(1s);
        CHECK(sim::has_condition(world.get(kJob), "Failed"));
    }
    SECTION("of the deadline of a pod") {
        world.create_yaml(
            "{apiVersion: v1, kind: Pod, metadata: {name: p, annotations: "
            "{sluice.dev/run-seconds: '600'}}, spec: {activeDeadlineSeconds: 300, restartPolicy: "
            "Never, containers: [{name: c, image: i}]}}"
        );
        world.pass(4s);
        CHECK(text_at(world.pods().front(), {"status", "phase"}) == "Running");
        world.pass(1s);
        CHECK(text_at(world.pods().front(), {"status", "reason"}) == "DeadlineExceeded");
    }
    SECTION("of less than a second, though times are written in whole ones") {
        world.pass(700ms);
        create_job(world);
        world.pass(400ms);
        CHECK(text_at(world.pods().front(), {"status", "phase"}) == "Running");
        world.pass(100ms);
        CHECK(text_at(world.pods().front(), {"status", "phase"}) == "Succeeded");
    }
}

TEST_CASE("pods leave a node with a taint that they do not tolerate", "[sim][cluster]") {
    ClusterWorld world;
    for (const auto& [name, tolerations] :
         {std::pair("leaves", "[]"),
          std::pair("stays", "[{key: k, operator: Exists}]"),
          std::pair(
              "leaves-later",
              "[{key: k, operator: Exists, effect: NoExecute, tolerationSeconds: 60}]"
          )}) {
        world.create_yaml(fmt::format(
            "{{apiVersion: v1, kind: Pod, metadata: {{name: {}}}, spec: {{tolerations: {}, "
            "terminationGracePeriodSeconds: 0, containers: [{{name: c, image: x}}]}}}}",
            name,
            tolerations
        ));
    }
    world.pass(5s);
    world.send("PATCH", "/api/v1/nodes/node-1", "{spec: {taints: [{key: k, effect: NoExecute}]}}");
    world.pass(5s);
    CHECK(world.pod_names() == std::vector<std::string>{"leaves-later", "stays"});
    world.pass(60s);
    CHECK(world.pod_names() == std::vector<std::string>{"stays"});
    CHECK(world.events("Pod").back() == "TaintManagerEviction");
    SECTION("but not where the taint goes before") {
        world.create_yaml(
            "{apiVersion: v1, kind: Pod, metadata: {name: waits}, spec: {tolerations: [{key: k, "
            "operator: Exists, effect: NoExecute, tolerationSeconds: 60}], containers: [{name: c, "
            "image: x}]}}"
        );
        world.pass(30s);
        world.send("PATCH", "/api/v1/nodes/node-1", "{spec: {taints: null}}");
        world.pass(60s);
        CHECK(world.pod_names() == std::vector<std::string>{"stays", "waits"});
    }
}

TEST_CASE("an annotation makes a node fail and recover", "[sim][cluster]") {
    ClusterWorld world;
    world.create_yaml(
        "{apiVersion: v1, kind: Pod, metadata: {name: p}, spec: {terminationGracePeriodSeconds: 0, "
        "containers: [{name: c, image: x, command: [sleep, '3600']}]}}"
    );
    world.pass(5s);
    const auto annotate = [&world](const char* value) {
        world.send(
            "PATCH",
            "/api/v1/nodes/node-1",
            fmt::format("{{metadata: {{annotations: {{sluice.dev/ready: {}}}}}}}", value)
        );
        world.pass(5s);
    };
    annotate("'false'");
    const json::Value failed = world.get("/api/v1/nodes/node-1");
    CHECK_FALSE(sim::has_condition(failed, "Ready"));
    CHECK(sim::list_at(failed, {"spec", "taints"}).size() == 2);
    CHECK(world.pod_names().size() == 1);
    SECTION("its pods leave it after five minutes") {
        world.pass(300s);
        CHECK(world.pod_names().empty());
    }
    SECTION("it comes back in time") {
        annotate("null");
        const json::Value node = world.get("/api/v1/nodes/node-1");
        CHECK(sim::has_condition(node, "Ready"));
        CHECK(sim::list_at(node, {"spec", "taints"}).empty());
        world.pass(300s);
        CHECK(world.pod_names().size() == 1);
    }
}

TEST_CASE("a pod that waits for a node gets one that comes", "[sim][cluster]") {
    ClusterWorld world;
    world.send("DELETE", "/api/v1/nodes/node-1");
    create_job(world);
    CHECK(text_at(world.pods().front(), {"spec", "nodeName"}).empty());
    world.create_yaml(
        "{apiVersion: v1, kind: Node, metadata: {name: late}, status: {conditions: [{type: Ready, "
        "status: 'True'}], allocatable: {cpu: '1', pods: '9'}}}"
    );
    CHECK(text_at(world.pods().front(), {"spec", "nodeName"}) == "late");
}

TEST_CASE("a pod takes the room on its node that it takes of a quota", "[sim][cluster]") {
    ClusterWorld world;
    const auto first_node = [&](const char* spec) {
        world.create_yaml(
            std::string("{apiVersion: v1, kind: Pod, metadata: {name: large}, spec: ") + spec + "}"
        );
        return std::string(text_at(world.pods().front(), {"spec", "nodeName"}));
    };
    SECTION("sidecars count beside the containers") {
        CHECK(first_node("{initContainers: [{name: log, image: i, restartPolicy: Always, "
                         "resources: {requests: {cpu: 40}}}], "
                         "containers: [{name: main, image: i, resources: {requests: {cpu: 40}}}]}")
                  .empty());
    }
    SECTION("requests of the pod count instead of those of its containers") {
        CHECK(first_node("{resources: {requests: {cpu: 65}}, containers: [{name: main, image: i}]}")
                  .empty());
    }
    SECTION("an init container counts if it takes more than the containers") {
        CHECK(
            first_node(
                "{initContainers: [{name: load, image: i, resources: {requests: {cpu: 40}}}], "
                "containers: [{name: main, image: i, resources: {requests: {cpu: 40}}}]}"
            ) == "node-1"
        );
    }
}

TEST_CASE("a Node that a user makes is joined by a kubelet", "[sim][cluster]") {
    ClusterWorld world;
    world.create_yaml(
        "{apiVersion: v1, kind: Node, metadata: {name: big, labels: {a: b}}, status: {capacity: "
        "{cpu: 64, memory: 1Gi}}}"
    );
    const json::Value node = world.get("/api/v1/nodes/big");
    CHECK(sim::has_condition(node, "Ready"));
    CHECK(sim::list_at(node, {"spec", "taints"}).empty());
    CHECK(text_at(node, {"status", "allocatable", "pods"}) == "110");
    CHECK(text_at(node, {"metadata", "labels", "kubernetes.io/hostname"}) == "big");
    CHECK(text_at(node, {"metadata", "labels", "a"}) == "b");
    CHECK_FALSE(sim::list_at(node, {"status", "addresses"}).empty());
    world.create_yaml(
        "{apiVersion: v1, kind: Node, metadata: {name: told}, status: {capacity: {cpu: 8}, "
        "allocatable: {cpu: 7}, addresses: [{type: InternalIP, address: 10.9.9.9}], nodeInfo: "
        "{architecture: arm64}}}"
    );
    const json::Value told = world.get("/api/v1/nodes/told");
    CHECK(text_at(told, {"status", "capacity", "cpu"}) == "8");
    CHECK(text_at(told, {"status", "allocatable", "cpu"}) == "7");
    CHECK(text_at(told, {"status", "nodeInfo", "architecture"}) == "arm64");
    CHECK(text_at(told, {"status", "nodeInfo", "kubeletVersion"}) == "simulated");
    const json::Array& addresses = sim::list_at(told, {"status", "addresses"});
    CHECK(addresses.front().string_at("address") == "10.9.9.9");
    // One that says nothing of its size, or has somebody who keeps up its conditions, stays as it
    // is.
    world.create_yaml("{apiVersion: v1, kind: Node, metadata: {name: bare}}");
    world.create_yaml(
        "{apiVersion: v1, kind: Node, metadata: {name: own}, status: {capacity: {cpu: 64}, "
        "conditions: [{type: Ready, status: 'False'}]}}"
    );
    CHECK(sim::list_at(world.get("/api/v1/nodes/bare"), {"status", "conditions"}).empty());
    CHECK_FALSE(sim::has_condition(world.get("/api/v1/nodes/own"), "Ready"));
    CHECK(world.is_idle());
}

TEST_CASE("a Job of which not all pods may be made tells of those that are", "[sim][cluster]") {
    ClusterWorld world;
    world.create_yaml(
        "{apiVersion: v1, kind: ResourceQuota, metadata: {name: q}, spec: {hard: {pods: 2}}}"
    );
    world.create_yaml(
        "{apiVersion: batch/v1, kind: Job, metadata: {name: wide}, spec: {parallelism: 3, "
        "completions: 3, template: {metadata: {annotations: {sluice.dev/run-seconds: '20'}}, spec: "
        "{restartPolicy: Never, containers: [{name: c, image: i}]}}}}"
    );
    const std::string path = "/apis/batch/v1/namespaces/default/jobs/wide";
    CHECK(world.pods().size() == 2);
    CHECK(find_int(world.get(path), {"status", "active"}) == 2);
    CHECK_FALSE(text_at(world.get(path), {"status", "startTime"}).empty());
    // Pods that have ended make room.
    world.pass(2min);
    CHECK(find_int(world.get(path), {"status", "succeeded"}) == 3);
    CHECK(sim::has_condition(world.get(path), "Complete"));
}

TEST_CASE("an annotation that is no number is told", "[sim][cluster]") {
    ClusterWorld world;
    world.create_yaml(
        "{apiVersion: v1, kind: Pod, metadata: {name: p, annotations: {sluice.dev/run-seconds: "
        "two, sluice.dev/exit-code: '1'}}, spec: {restartPolicy: Never, containers: [{name: c, "
        "image: i}]}}"
    );
    const auto count = [&world] {
        return std::ranges::count(world.events("Pod"), "InvalidAnnotation");
    };
    CHECK(count() == 1);
    world.pass(31s);
    CHECK(count() == 1);
    CHECK(text_at(world.pods().front(), {"status", "phase"}) == "Failed");
}

TEST_CASE("what happens to pods within a second is one change of their Job", "[sim][cluster]") {
    ClusterWorld world({.job_batch = 1s});
    create_job(world, "completions: 2, parallelism: 2,");
    CHECK(find_int(world.get(kJob), {"status", "active"}) == 2);
    CHECK(find_int(world.get(kJob), {"status", "ready"}) == 0);
    world.pass(1s);
    CHECK(find_int(world.get(kJob), {"status", "ready"}) == 2);
    world.pass(1s);
    world.send("PATCH", kJob, "{spec: {parallelism: 1}}");
    CHECK(find_int(world.get(kJob), {"status", "active"}) == 1);  // its user does not wait
    world.pass(28s);
    CHECK_FALSE(find_int(world.get(kJob), {"status", "succeeded"}));
    world.pass(1s);
    CHECK(find_int(world.get(kJob), {"status", "succeeded"}) == 1);
}

TEST_CASE("pods that are deleted with their Job have not failed", "[sim][cluster]") {
    ClusterWorld world;
    create_job(world, "", "annotations: {sluice.dev/stop-seconds: '6'}");
    world.send("DELETE", kJob, "{propagationPolicy: Foreground}");
    const json::Value job = world.get(kJob);
    REQUIRE_FALSE(job.is_null());
    CHECK(job.find_path({"status", "uncountedTerminatedPods"})->as_object().empty());
    CHECK_FALSE(find_int(job, {"status", "failed"}));
    world.pass(6s);
    CHECK(world.get(kJob).is_null());
}

TEST_CASE("pods that were deleted before their Job go with it", "[sim][cluster]") {
    ClusterWorld world;
    create_job(world, "", "");
    world.pass(1s);
    const auto names = world.pod_names();
    REQUIRE(names.size() == 1);
    // The server alone: the Job's controller sees both at once.
    for (const std::string& path :
         {"/api/v1/namespaces/default/pods/" + names[0], std::string(kJob)}) {
        apiserver::Request request = apiserver::make_request("DELETE", path);
        request.content_type = "application/json";
        request.body = R"({"propagationPolicy":"Background"})";
        REQUIRE(world.handle(std::move(request)).status == 200);
    }
    world.settle();
    world.pass(60s);
    CHECK(world.get(kJob).is_null());
    CHECK(world.pod_names().empty());
    SECTION("also one after the other") {
        create_job(world, "", "");
        world.pass(1s);
        world.send("DELETE", "/api/v1/namespaces/default/pods/" + world.pod_names().at(0));
        world.send("DELETE", kJob, "{propagationPolicy: Background}");
        world.pass(60s);
        CHECK(world.pod_names().empty());
    }
}

TEST_CASE("events of a Job with many pods are few", "[sim][cluster]") {
    ClusterWorld world;
    create_job(world, "completions: 30, parallelism: 30,");
    CHECK(world.pods().size() == 30);
    std::int64_t told = 0;
    std::size_t events = 0;
    for (const json::Value& event : world.list("/api/v1/namespaces/default/events")) {
        if (text_at(event, {"involvedObject", "kind"}) != "Job") {
            continue;
        }
        told += find_int(event, {"count"}).value_or(0);
        ++events;
    }
    CHECK(events == 10);
    CHECK(told == 25);
}

TEST_CASE("an event that is deleted in its hour is not looked for later", "[sim][cluster]") {
    ClusterWorld world;
    const std::string events = "/api/v1/namespaces/default/events";
    const auto write = [&](const std::string& name) {
        world.send(
            "POST",
            events,
            "{metadata: {name: " + name +
                ", namespace: default}, involvedObject: {kind: Pod, namespace: default}}"
        );
    };
    write("undated");
    world.send("DELETE", events + "/undated");
    write("dated");
    create_job(world);
    world.send("DELETE", events + "/dated");
    world.pass(2h);
    world.create_yaml("{apiVersion: v1, kind: Node, metadata: {generateName: more-}}");
    CHECK(world.events("Pod").empty());
}

TEST_CASE("events go an hour after they were written last", "[sim][cluster]") {
    ClusterWorld world;
    create_job(world);
    world.pass(30s);
    CHECK(world.events("Pod") == std::vector<std::string>{"Scheduled"});
    CHECK(world.events("Job") == std::vector<std::string>{"SuccessfulCreate", "Completed"});
    const auto look = [&world] {
        world.create_yaml("{apiVersion: v1, kind: Node, metadata: {generateName: more-}}");
    };
    world.pass(59min);
    look();
    CHECK(world.events("Job").size() == 2);
    world.pass(30s);
    look();
    CHECK(world.events("Pod").empty());
    CHECK(world.events("Job") == std::vector<std::string>{"Completed"});
    world.pass(30s);
    look();
    CHECK(world.events("Job").empty());
}

}  // namespace sluice::test
