#include "cluster_world.hpp"
#include "sim/objects/fields.hpp"

#include <catch2/catch_test_macros.hpp>
#include <fmt/format.h>

#include <chrono>
#include <string>
#include <vector>

namespace sluice::test {

using namespace std::chrono_literals;
using sim::find_int;
using sim::list_at;
using sim::text_at;

namespace {

const std::string kSet = "/apis/jobset.x-k8s.io/v1alpha2/namespaces/default/jobsets/s";
const std::string kJobs = "/apis/batch/v1/namespaces/default/jobs";

std::string replicated(
    std::string_view name,
    int replicas,
    std::string_view more = "",
    std::string_view annotations = ""
) {
    return fmt::format(
        "{{name: {}, replicas: {}, {} template: {{spec: {{backoffLimit: 0, template: {{metadata: "
        "{{annotations: {{{}}}}}, spec: {{restartPolicy: Never, containers: [{{name: c, image: "
        "i}}]}}}}}}}}}}",
        name,
        replicas,
        more,
        annotations
    );
}

class JobSetWorld : public ClusterWorld {
  public:
    explicit JobSetWorld(const std::string& spec) {
        define("jobset.x-k8s.io/v1alpha2", "JobSet");
        create_yaml(
            "{apiVersion: jobset.x-k8s.io/v1alpha2, kind: JobSet, metadata: {name: s}, spec: {" +
            spec + "}}"
        );
    }

    std::vector<std::string> jobs() {
        std::vector<std::string> names;
        for (const json::Value& job : list(kJobs)) {
            names.emplace_back(text_at(job, {"metadata", "name"}));
        }
        return names;
    }
};

using Names = std::vector<std::string>;

}  // namespace

TEST_CASE("a JobSet has a Job for each replica, and its pods know it", "[sim][kinds]") {
    JobSetWorld world("replicatedJobs: [" + replicated("a", 2) + ", " + replicated("b", 1) + "]");
    CHECK(world.jobs() == Names{"s-a-0", "s-a-1", "s-b-0"});
    const json::Value job = world.get(kJobs + "/s-a-1");
    CHECK(text_at(job, {"metadata", "labels", "jobset.sigs.k8s.io/replicatedjob-name"}) == "a");
    const json::Value* labels = job.find_path({"spec", "template", "metadata", "labels"});
    REQUIRE(labels != nullptr);
    CHECK(labels->string_at("jobset.sigs.k8s.io/jobset-name") == "s");
    CHECK(labels->string_at("jobset.sigs.k8s.io/job-index") == "1");
    world.pass(30s);
    CHECK(text_at(world.get(kSet), {"status", "terminalState"}) == "Completed");
    CHECK(world.events("JobSet") == Names{"AllJobsCompleted"});
}

TEST_CASE("a replicated Job waits for those that it depends on", "[sim][kinds]") {
    SECTION("until they are complete") {
        JobSetWorld world(
            "replicatedJobs: [" + replicated("a", 1) + ", " +
            replicated("b", 1, "dependsOn: [{name: a, status: Complete}],") + "]"
        );
        CHECK(world.jobs() == Names{"s-a-0"});
        world.pass(30s);
        CHECK(world.jobs() == Names{"s-a-0", "s-b-0"});
        CHECK_FALSE(sim::has_condition(world.get(kSet), "Completed"));
        world.pass(30s);
        CHECK(sim::has_condition(world.get(kSet), "Completed"));
    }
    SECTION("until those before it are ready, in order") {
        const std::string second = replicated("b", 1);
        JobSetWorld world(
            "startupPolicy: {startupPolicyOrder: InOrder}, replicatedJobs: [{name: a, template: "
            "{spec: {template: {spec: {restartPolicy: Never, nodeSelector: {no: such}, containers: "
            "[{name: c, image: i}]}}}}}, " +
            second + "]"
        );
        CHECK(world.jobs() == Names{"s-a-0"});
        world.create_yaml(
            "{apiVersion: v1, kind: Node, metadata: {name: m, labels: {no: such}}, status: "
            "{conditions: [{type: Ready, status: 'True'}], allocatable: {cpu: '4', pods: '9'}}}"
        );
        CHECK(world.jobs() == Names{"s-a-0", "s-b-0"});
    }
}

TEST_CASE("a JobSet begins anew after a failure as often as it may", "[sim][kinds]") {
    JobSetWorld world(
        "failurePolicy: {maxRestarts: 1}, replicatedJobs: [" + replicated("good", 1) + ", " +
        replicated("bad", 1, "", "sluice.dev/exit-code: '1', sluice.dev/run-seconds: '5'") + "]"
    );
    world.pass(5s);
    CHECK(find_int(world.get(kSet), {"status", "restarts"}) == 1);
    CHECK_FALSE(sim::has_condition(world.get(kSet), "Failed"));
    CHECK(
        text_at(
            world.get(kJobs + "/s-good-0"),
            {"metadata", "labels", "jobset.sigs.k8s.io/restart-attempt"}
        ) == "1"
    );
    world.pass(5s);
    CHECK(sim::has_condition(world.get(kSet), "Failed"));
    CHECK(world.jobs() == Names{"s-bad-0"});  // the other one did not end by itself
}

TEST_CASE("a success policy says which Jobs count", "[sim][kinds]") {
    const std::string jobs = "replicatedJobs: [" + replicated("a", 1) + ", " +
                             replicated("b", 2, "", "sluice.dev/run-seconds: '5'") + "]";
    SECTION("those that are named") {
        JobSetWorld world("successPolicy: {operator: All, targetReplicatedJobs: [b]}, " + jobs);
        world.pass(5s);
        CHECK(sim::has_condition(world.get(kSet), "Completed"));
        CHECK(world.jobs() == Names{"s-b-0", "s-b-1"});
    }
    SECTION("all") {
        JobSetWorld world(jobs);
        world.pass(5s);
        CHECK_FALSE(sim::has_condition(world.get(kSet), "Completed"));
    }
}

TEST_CASE("a JobSet that is resumed runs on what its template says by then", "[sim][kinds]") {
    JobSetWorld world("suspend: true, replicatedJobs: [" + replicated("a", 1) + "]");
    CHECK(world.pods().empty());
    CHECK(sim::has_condition(world.get(kSet), "Suspended"));
    json::Value set = world.get(kSet);
    json::Value& spec = *set.find("spec");
    spec.set("suspend", false);
    json::Value& entry = spec.find("replicatedJobs")->as_array().front();
    sim::make_object_at(entry, {"template", "spec", "template", "spec", "nodeSelector"})
        .set("kubernetes.io/hostname", "node-1");
    world.send("PUT", kSet, json::print(set), "application/json");
    REQUIRE(world.pods().size() == 1);
    CHECK(
        text_at(world.pods().front(), {"spec", "nodeSelector", "kubernetes.io/hostname"}) ==
        "node-1"
    );
    CHECK_FALSE(sim::has_condition(world.get(kSet), "Suspended"));
}

}  // namespace sluice::test
