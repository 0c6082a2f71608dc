#include "controller/described_story.hpp"
#include "controller/queued_jobs.hpp"
#include "job_kinds/derived/wrapped_pod_sets.hpp"
#include "yaml/parse.hpp"

#include <catch2/catch_test_macros.hpp>
#include <catch2/generators/catch_generators.hpp>
#include <fmt/format.h>

#include <string>
#include <string_view>

// What AppWrappers wrap.
namespace sluice::controller {
namespace {

constexpr const char* kPod = "{spec: {containers: [{name: c}]}}";

/// path=replicas of each pod set of a component, or what is wrong with it.
std::string wrapped(std::string_view component, const json::Value* settled = nullptr) {
    const auto pod_sets =
        job_kinds::wrapped_pod_sets(*yaml::parse_document(component), settled, "at");
    if (!pod_sets) {
        return pod_sets.error().detail;
    }
    std::string text;
    for (const json::Value& one : *pod_sets) {
        text += text.empty() ? "" : " ";
        text += fmt::format("{}={}", one.string_at("path"), json::print(*one.find("replicas")));
    }
    return text;
}

std::string component(std::string_view api_version, std::string_view kind, std::string_view spec) {
    return fmt::format(
        "{{template: {{apiVersion: {}, kind: {}, spec: {}}}}}", api_version, kind, spec
    );
}

}  // namespace

TEST_CASE("pod sets of known kinds need no declaration", "[job-kinds][app-wrapper]") {
    struct Row {
        const char* api_version;
        const char* kind;
        std::string spec;
        const char* wrapped;
    };
    const std::string pod = std::string("template: ") + kPod;
    const auto row = GENERATE_COPY(
        Row{"batch/v1", "Job", "{" + pod + "}", "template.spec.template=1"},
        Row{"batch/v1", "Job", "{parallelism: 3, " + pod + "}", "template.spec.template=3"},
        Row{"batch/v1",
            "Job",
            "{parallelism: 3, completions: 2, " + pod + "}",
            "template.spec.template=2"},
        Row{"v1", "Pod", "{containers: [{name: c}]}", "template=1"},
        Row{"apps/v1", "Deployment", "{replicas: 4, " + pod + "}", "template.spec.template=4"},
        Row{"apps/v1", "StatefulSet", "{" + pod + "}", "template.spec.template=1"},
        Row{"jobset.x-k8s.io/v1alpha2",
            "JobSet",
            "{replicatedJobs: [{replicas: 2, template: {spec: {parallelism: 3, " + pod +
                "}}}, {template: {spec: {" + pod + "}}}]}",
            "template.spec.replicatedJobs[0].template.spec.template=6 "
            "template.spec.replicatedJobs[1].template.spec.template=1"},
        Row{"kubeflow.org/v1",
            "PyTorchJob",
            "{pytorchReplicaSpecs: {Worker: {replicas: 5, " + pod + "}, Master: {" + pod + "}}}",
            "template.spec.pytorchReplicaSpecs.Master.template=1 "
            "template.spec.pytorchReplicaSpecs.Worker.template=5"},
        Row{"ray.io/v1",
            "RayCluster",
            "{headGroupSpec: {" + pod + "}, workerGroupSpecs: [{replicas: 2, " + pod + "}]}",
            "template.spec.headGroupSpec.template=1 "
            "template.spec.workerGroupSpecs[0].template=2"},
        Row{"ray.io/v1",
            "RayJob",
            "{rayClusterSpec: {headGroupSpec: {" + pod + "}}}",
            "template.spec.rayClusterSpec.headGroupSpec.template=1"},
        Row{"v1", "Service", "{ports: []}", ""},
        Row{"batch/v1", "Job", "{}", "at.template: no pod template at \"template.spec.template\""}
    );
    CAPTURE(row.kind, row.spec);
    CHECK(wrapped(component(row.api_version, row.kind, row.spec)) == row.wrapped);
}

TEST_CASE("a declared pod set is found by its path", "[job-kinds][app-wrapper]") {
    const auto declared = [](std::string_view path) {
        return fmt::format(
            "{{podSets: [{{path: '{}', replicas: 2}}], template: {{spec: {{a: [{{b: {}}}]}}}}}}",
            path,
            kPod
        );
    };
    CHECK(wrapped(declared("template.spec.a[0].b")) == "template.spec.a[0].b=2");
    CHECK(
        wrapped(declared("template.spec.a[1].b")) ==
        "at.podSets[0].path: no pod template at \"template.spec.a[1].b\""
    );
    CHECK(
        wrapped(declared("spec.a[0].b")) ==
        "at.podSets[0].path: \"spec.a[0].b\" does not begin with \"template\""
    );
    CHECK(
        wrapped(declared("template.spec.a[*].b")) ==
        "at.podSets[0].path: \"template.spec.a[*].b\" leads to more than one place"
    );
    CHECK(wrapped(declared("template[")).starts_with("at.podSets[0].path: \"template[\", character")
    );
}

TEST_CASE("what the AppWrapper controller settled on counts", "[job-kinds][app-wrapper]") {
    const json::Value settled = *yaml::parse_document("[{path: template.spec.template}]");
    const auto pod_sets = job_kinds::wrapped_pod_sets(
        *yaml::parse_document(
            component("batch/v1", "Job", fmt::format("{{parallelism: 3, template: {}}}", kPod))
        ),
        &settled,
        "at"
    );
    REQUIRE(pod_sets);
    REQUIRE(pod_sets->size() == 1);
    CHECK(pod_sets->at(0).find("replicas") == nullptr);  // it is one
}

TEST_CASE(
    "an AppWrapper that leads to no pods is refused with the place", "[job-kinds][app-wrapper]"
) {
    DescribedStory story("appwrapper");
    story.object.find("spec")
        ->find("components")
        ->as_array()[2]
        .set("podSets", *yaml::parse_document("[{path: template.none}]"));
    CHECK(
        story.create() ==
        "spec.components[2].podSets[0].path: Invalid value: no pod template at "
        "\"template.none\""
    );
    story.put();
    CHECK(story.is_reported("InvalidSpec", "spec.components[2].podSets[0].path: no pod template at")
    );
    story.change("{metadata: {labels: null}}");
    CHECK(story.create() == "");  // without a queue it is nobody's business
}

TEST_CASE("rules of new AppWrappers are no rules of updates", "[job-kinds][app-wrapper]") {
    DescribedStory story("appwrapper");
    story.change("{metadata: {labels: {kueue.x-k8s.io/max-exec-time-seconds: '0'}}}");
    CHECK_FALSE(story.create().empty());
    story.change("{spec: {suspend: true}}");
    story.cluster.put(json::print(story.object));
    CHECK(story.cluster.edit(story.job, "{'metadata':{'labels':{'a':'b'}}}") == "");
}

TEST_CASE("pods of an AppWrapper are ranked as their pod set says", "[job-kinds][app-wrapper]") {
    Settings settings;
    settings.gates.topology_aware_scheduling = true;
    DescribedStory story("appwrapper", settings);
    story.stop_queue();
    story.object.find("spec")
        ->find("components")
        ->as_array()[2]
        .set(
            "podSets",
            *yaml::parse_document("[{path: 'template.spec.parts[1].pod', annotations: "
                                  "{workload.codeflare.dev.appwrapper/tas-pod-index-label: i, "
                                  "workload.codeflare.dev.appwrapper/tas-sub-group-index-label: g, "
                                  "workload.codeflare.dev.appwrapper/tas-sub-group-count: '2'}}]")
        );
    REQUIRE(story.create() == "");
    const json::Value& pod_sets =
        *story.cluster.find(story.workload())->find_path({"spec", "podSets"});
    CHECK(
        json::print(*pod_sets.as_array().at(0).find("topologyRequest")) ==
        R"({"podIndexLabel":"batch.kubernetes.io/job-completion-index"})"
    );
    CHECK(
        json::print_sorted(*pod_sets.as_array().at(1).find("topologyRequest")) ==
        R"({"podIndexLabel":"i","subGroupCount":2,"subGroupIndexLabel":"g"})"
    );
}

TEST_CASE("an AppWrapper fails when what it wraps is gone", "[job-kinds][app-wrapper]") {
    DescribedStory story("appwrapper");
    REQUIRE(story.create() == "");
    story.merge("{status: {phase: Failed, conditions: [{type: ResourcesDeployed, status: 'True'}]}}"
    );
    CHECK(story.condition("Finished").empty());
    story.merge("{status: {conditions: [{type: ResourcesDeployed, status: 'False'}]}}");
    CHECK(story.condition("Finished") == "True/Failed");
}

}  // namespace sluice::controller
