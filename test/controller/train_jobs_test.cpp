#include "controller/described_story.hpp"
#include "controller/jobs/described/training_runtime.hpp"
#include "controller/queued_jobs.hpp"
#include "job_kinds/derived/replicated_jobs.hpp"
#include "yaml/parse.hpp"

#include <catch2/catch_test_macros.hpp>
#include <catch2/generators/catch_generators.hpp>
#include <fmt/format.h>

#include <algorithm>
#include <string>
#include <string_view>

// TrainJobs and the runtimes that they take their pods from.
namespace sluice::controller {
namespace {

const ObjectKey kTorch{cluster_training_runtime_names()->kind(), "", "torch"};

/// name=parallelism of each Job, with its replicas where they are not one.
std::string made_jobs(std::string_view train_job, std::string_view runtime) {
    std::string text;
    for (const json::Value& job : job_kinds::make_replicated_jobs(
             *yaml::parse_document(train_job), *yaml::parse_document(runtime)
         )) {
        text += text.empty() ? "" : " ";
        text += fmt::format(
            "{}={}",
            job.string_at("name"),
            job.find_path({"template", "spec", "parallelism"})->as_int()
        );
        const json::Value* replicas = job.find("replicas");
        if (replicas != nullptr && *replicas != json::Value(1)) {
            text += "*" + json::print(*replicas);
        }
    }
    return text;
}

std::string replicated_job(std::string_view name, std::string_view step, std::string_view more) {
    return fmt::format(
        "{{name: {}, replicas: 2, template: {{metadata: {{labels: "
        "{{trainer.kubeflow.org/trainjob-ancestor-step: {}}}}}, spec: {{parallelism: 3, template: "
        "{{spec: {{containers: [{{name: node{}}}]}}}}}}}}}}",
        name,
        step,
        more
    );
}

/// A runtime of these Jobs.
std::string runtime(std::string_view policy, std::string_view jobs) {
    return fmt::format(
        "{{spec: {{mlPolicy: {}, template: {{spec: {{replicatedJobs: [{}]}}}}}}}}", policy, jobs
    );
}

}  // namespace

TEST_CASE("the nodes of a TrainJob are the pods of its trainer", "[job-kinds][train]") {
    const std::string job = replicated_job("node", "trainer", "");
    const std::string other =
        "{name: other, replicas: 2, template: {spec: {parallelism: 3, "
        "template: {spec: {containers: []}}}}}";
    constexpr const char* kFour = "{spec: {trainer: {numNodes: 4}}}";
    CHECK(made_jobs(kFour, runtime("{torch: {}}", job)) == "node=4");
    CHECK(made_jobs(kFour, runtime("{numNodes: 2}", job)) == "node=4");
    CHECK(made_jobs("{spec: {}}", runtime("{numNodes: 2}", job)) == "node=2");
    CHECK(made_jobs("{spec: {}}", runtime("{}", job)) == "node=1");
    CHECK(made_jobs("{spec: {}}", runtime("null", job)) == "node=3");
    CHECK(made_jobs(kFour, runtime("{torch: {}}", other)) == "other=3*2");
}

TEST_CASE("the launcher of MPI may be one of the nodes", "[job-kinds][train]") {
    const std::string jobs = replicated_job("launcher", "trainer", "") + "," +
                             "{name: node, replicas: 1, template: {spec: {template: {spec: "
                             "{containers: [{name: node}]}}}}}";
    constexpr const char* kFour = "{spec: {trainer: {numNodes: 4}}}";
    CHECK(made_jobs(kFour, runtime("{mpi: {}}", jobs)) == "launcher=1 node=4");
    CHECK(
        made_jobs(kFour, runtime("{mpi: {runLauncherAsNode: true}}", jobs)) == "launcher=1 node=3"
    );
    CHECK(
        made_jobs("{spec: {}}", runtime("{mpi: {runLauncherAsNode: true}}", jobs)) ==
        "launcher=1 node=1"
    );
}

TEST_CASE("patches are merged into the runtime in their order", "[job-kinds][train]") {
    const json::Array jobs = job_kinds::make_replicated_jobs(
        *yaml::parse_document(
            "{metadata: {name: t}, spec: {trainer: {image: mine, env: [{name: a, value: last}], "
            "resourcesPerNode: {requests: {cpu: 2}}}, runtimePatches: [{manager: x, "
            "trainingRuntimeSpec: {template: {spec: {replicatedJobs: [{name: node, template: "
            "{spec: {template: {spec: {nodeSelector: {a: b}, tolerations: [{key: t}]}}}}}]}}}}, "
            "{manager: y, trainingRuntimeSpec: {template: {spec: {replicatedJobs: [{name: node, "
            "template: {spec: {template: {spec: {nodeSelector: {c: d}}}}}}]}}}}]}}"
        ),
        *yaml::parse_document(runtime(
            "{torch: {}}",
            replicated_job(
                "node",
                "trainer",
                ", image: i, env: [{name: a, value: first}, {name: z, value: kept}], resources: "
                "{requests: {cpu: 1, memory: 1Gi}}"
            )
        ))
    );
    const json::Value& pod = *jobs.at(0).find_path({"template", "spec", "template", "spec"});
    CHECK(json::print(*pod.find("nodeSelector")) == R"({"a":"b","c":"d"})");
    CHECK(json::print(*pod.find("tolerations")) == R"([{"key":"t"}])");
    CHECK(
        json::print(pod.find("containers")->as_array().at(0)) ==
        R"({"name":"node","image":"mine","env":[{"name":"a","value":"last"},)"
        R"({"name":"z","value":"kept"}],"resources":{"requests":{"cpu":2,"memory":"1Gi"}}})"
    );
}

TEST_CASE("a TrainJob without its runtime is refused, managed or not", "[job-kinds][train]") {
    const bool is_queued = GENERATE(true, false);
    DescribedStory story("trainjob");
    if (!is_queued) {
        story.change("{metadata: {labels: null}}");
    }
    CHECK(
        story.change("{spec: {runtimeRef: {name: none}}}").create() == "runtime 'none' not found"
    );
    CHECK(
        story.change("{spec: {runtimeRef: {name: torch, kind: TrainingRuntime}}}").create() ==
        "runtime 'torch' not found"
    );
    CHECK(
        story.change("{spec: {runtimeRef: {kind: Job}}}").create() ==
        "unsupported runtime: Job.trainer.kubeflow.org"
    );
    CHECK(
        story.change("{spec: {runtimeRef: {kind: ClusterTrainingRuntime, apiGroup: b}}}")
            .create() == "unsupported runtime: ClusterTrainingRuntime.b"
    );
    CHECK(story.change("{spec: {runtimeRef: {apiGroup: trainer.kubeflow.org}}}").create() == "");
}

TEST_CASE("a TrainJob waits for its runtime, and is told so", "[job-kinds][train]") {
    DescribedStory story("trainjob");
    const json::Value torch = *story.cluster.find(kTorch);
    story.cluster.remove(kTorch);
    story.cluster.settle();
    story.put();
    CHECK(story.workload().name.empty());
    CHECK(story.cluster.at(story.job, {"spec", "suspend"}) == "true");
    CHECK(std::ranges::count(story.cluster.events, "InvalidSpec", &EventNote::reason) >= 1);
    CHECK(story.is_reported("InvalidSpec", "runtime 'torch' not found"));
    story.cluster.put(json::print(torch));
    story.cluster.settle();
    CHECK(story.pod_sets() == "dataset-initializer=1 node=4");
    CHECK(story.condition("Admitted") == "True/Admitted");
    CHECK(story.cluster.at(story.job, {"spec", "suspend"}) == "false");
}

TEST_CASE("a TrainJob is taken while its runtime's kind is not known", "[job-kinds][train]") {
    const bool is_queued = GENERATE(true, false);
    CAPTURE(is_queued);
    DescribedStory story("trainjob");
    const json::Value torch = *story.cluster.find(kTorch);
    story.cluster.remove(kTorch);
    story.cluster.settle();
    REQUIRE(story.change("{}").create() == "runtime 'torch' not found");
    story.cluster.controller().stores.find(kTorch.kind)->drop();
    if (!is_queued) {
        story.change("{metadata: {labels: null}}");
    }
    REQUIRE(story.create() == "");
    CHECK(story.workload().name.empty());
    CHECK((story.cluster.at(story.job, {"spec", "suspend"}) == "true") == is_queued);
    story.cluster.put(json::print(torch));
    story.cluster.settle();
    CHECK(story.pod_sets() == (is_queued ? "dataset-initializer=1 node=4" : ""));
    CHECK(story.condition("Admitted") == (is_queued ? "True/Admitted" : ""));
}

TEST_CASE("a runtime of the namespace is another one", "[job-kinds][train]") {
    DescribedStory story("trainjob");
    json::Value own = *story.cluster.find(kTorch);
    own.set("kind", "TrainingRuntime");
    own.find("metadata")->set("namespace", "team");
    own.find("spec")
        ->find("template")
        ->find("spec")
        ->find("replicatedJobs")
        ->as_array()
        .erase(own.find("spec")
                   ->find("template")
                   ->find("spec")
                   ->find("replicatedJobs")
                   ->as_array()
                   .begin());
    story.cluster.put(json::print(own));
    story.cluster.settle();
    CHECK(story.change("{spec: {runtimeRef: {kind: TrainingRuntime}}}").create() == "");
    CHECK(story.pod_sets() == "node=4");
}

TEST_CASE("a TrainJob is started with one write", "[job-kinds][train]") {
    DescribedStory story("trainjob");
    REQUIRE(story.create() == "");
    REQUIRE(story.cluster.at(story.job, {"spec", "suspend"}) == "false");
    CHECK(std::ranges::count(story.cluster.writes, story.job, &Write::object) == 1);
}

TEST_CASE("a TrainJob that waits follows its runtime", "[job-kinds][train]") {
    DescribedStory story("trainjob");
    story.stop_queue();
    REQUIRE(story.change("{spec: {trainer: {numNodes: null}}}").create() == "");
    CHECK(story.pod_sets() == "dataset-initializer=1 node=1");
    story.merge(kTorch, "{spec: {mlPolicy: {numNodes: 7}}}");
    CHECK(story.pod_sets() == "dataset-initializer=1 node=7");
}

TEST_CASE("a TrainJob that runs does not follow its runtime", "[job-kinds][train]") {
    DescribedStory story("trainjob");
    REQUIRE(story.change("{spec: {trainer: {numNodes: null}}}").create() == "");
    story.merge("{status: {jobsStatus: [{name: node, active: 1, ready: 0, succeeded: 0}]}}");
    const std::string uid = story.cluster.at(story.workload(), {"metadata", "uid"});
    SECTION("when that changes") {
        story.merge(kTorch, "{spec: {mlPolicy: {numNodes: 7}}}");
    }
    SECTION("when that goes") {
        story.cluster.remove(kTorch);
        story.cluster.settle();
    }
    CHECK(story.cluster.at(story.job, {"spec", "suspend"}) == "false");
    CHECK(story.cluster.at(story.workload(), {"metadata", "uid"}) == uid);
    CHECK(story.condition("Admitted") == "True/Admitted");
    story.merge("{status: {conditions: [{type: Complete, status: 'True', message: done}]}}");
    CHECK(story.condition("Finished") == "True/Succeeded");
}

TEST_CASE("the JobSet of a TrainJob runs below it", "[job-kinds][train]") {
    DescribedStory story("trainjob");
    KindEntry sets = described_job_kind(job_sample("jobset").kind);
    const ObjectKey child{sets.kind, "team", "child"};
    story.cluster.add_kind(std::move(sets));
    REQUIRE(story.create() == "");
    json::Value object = job_sample("jobset").object;
    object.set(
        "metadata",
        json::Object{
            {"name", "child"},
            {"namespace", "team"},
            {"labels", json::Object{{"kueue.x-k8s.io/queue-name", "main"}}},
            {"ownerReferences",
             json::Array{json::Object{
                 {"apiVersion", "trainer.kubeflow.org/v1alpha1"},
                 {"kind", "TrainJob"},
                 {"name", "sample"},
                 {"uid", story.cluster.at(story.job, {"metadata", "uid"})},
                 {"controller", true},
             }}},
        }
    );
    REQUIRE(story.cluster.create(object) == "");
    story.cluster.settle();
    CHECK(story.cluster.workloads_of("team", "child").empty());
    CHECK(story.cluster.at(child, {"spec", "suspend"}) != "true");
}

TEST_CASE("each TrainJob has Kueue's patch, once", "[job-kinds][train]") {
    DescribedStory story("trainjob");
    story.stop_queue();
    story.change("{metadata: {labels: null}}");
    SECTION("that a webhook adds") {
        REQUIRE(story.create() == "");
    }
    SECTION("that is there already") {
        story.change(
            "{spec: {runtimePatches: [{manager: example.com/mine, trainingRuntimeSpec: {template: "
            "{metadata: {labels: {a: b}}}}}, {manager: kueue.x-k8s.io/manager, "
            "trainingRuntimeSpec: {template: {spec: {}}}}]}}"
        );
        REQUIRE(story.create() == "");
    }
    CHECK(
        json::print(*story.stored().find_path({"spec", "runtimePatches"})) ==
        R"([{"manager":"example.com/mine","trainingRuntimeSpec":{"template":{"metadata":)"
        R"({"labels":{"a":"b"}}}}},{"manager":"kueue.x-k8s.io/manager","trainingRuntimeSpec":)"
        R"({"template":{"spec":{}}}}])"
    );
}

TEST_CASE("a TrainJob that no webhook saw gets Kueue's patch at its start", "[job-kinds][train]") {
    DescribedStory story("trainjob");
    story.put();
    CHECK(story.condition("Admitted") == "True/Admitted");
    CHECK(story.cluster.at(story.job, {"spec", "suspend"}) == "false");
    const json::Value* patches = story.stored().find_path({"spec", "runtimePatches"});
    CHECK(patches->as_array().at(1).string_at("manager") == "kueue.x-k8s.io/manager");
}

TEST_CASE("a start repeats the tolerations that it replaces", "[job-kinds][train]") {
    DescribedStory story("trainjob");
    REQUIRE(story.create() == "");
    const auto path = job_kinds::Path::compile(
        "spec.runtimePatches[1].trainingRuntimeSpec.template.spec.replicatedJobs[1].template.spec."
        "template.spec.tolerations[*].key"
    );
    std::string keys;
    for (const job_kinds::Found& key : path->find_all(story.stored())) {
        keys += key.value->as_string() + " ";
    }
    CHECK(keys == "own spot ");
}

TEST_CASE("a stop of a TrainJob restores it when its pods have ended", "[job-kinds][train]") {
    DescribedStory story("trainjob");
    REQUIRE(story.create() == "");
    story.merge("{status: {jobsStatus: [{name: node, active: 1, ready: 1, succeeded: 0}]}}");
    story.evict();
    const auto has_jobs = [&story] {
        const json::Value& own =
            story.stored().find_path({"spec", "runtimePatches"})->as_array().at(1);
        return own.find_path({"trainingRuntimeSpec", "template", "spec", "replicatedJobs"}) !=
               nullptr;
    };
    CHECK(story.cluster.at(story.job, {"spec", "suspend"}) == "true");
    CHECK(has_jobs());
    CHECK(story.condition("QuotaReserved").starts_with("True"));
    story.cluster.restart();
    story.cluster.settle();
    CHECK(has_jobs());
    story.merge("{status: {jobsStatus: [{name: node, active: 0, ready: 0, succeeded: 0}]}}");
    CHECK_FALSE(has_jobs());
    CHECK(story.condition("QuotaReserved").starts_with("False"));
}

TEST_CASE("a topology of the runtime is refused where it is read", "[job-kinds][train]") {
    DescribedStory story("trainjob");
    constexpr const char* kRequired = "kueue.x-k8s.io/podset-required-topology";
    json::Value torch = *story.cluster.find(kTorch);
    json::Value& node =
        torch.find("spec")->find("template")->find("spec")->find("replicatedJobs")->as_array()[1];
    json::Value& annotations = *job_kinds::make_object(
        node, job_kinds::Path::compile("template.spec.template.metadata.annotations")->steps()
    );
    annotations.set(kRequired, "r k");
    story.cluster.put(json::print(torch));
    story.cluster.settle();
    const std::string refusal = story.create();
    INFO(refusal);
    CHECK(refusal.starts_with(
        "job[node].annotations[kueue.x-k8s.io/podset-required-topology]: Invalid value: \"r k\": "
    ));
    CHECK(refusal.ends_with(
        ". Adjust either the \"TrainJob.spec.runtimePatches\" or the \"TrainingRuntime.Template\" "
        "annotations for the corresponding Job"
    ));
    annotations.set(kRequired, "rack");
    story.cluster.put(json::print(torch));
    story.cluster.settle();
    CHECK(story.create() == "");
}

}  // namespace sluice::controller
