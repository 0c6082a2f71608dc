#include "job_kinds/builtin.hpp"

#include "job_kinds/frameworks.hpp"

#include <catch2/catch_test_macros.hpp>
#include <catch2/generators/catch_generators.hpp>

#include <algorithm>
#include <array>
#include <string>
#include <string_view>
#include <vector>

namespace sluice::job_kinds {

namespace {

constexpr std::string_view kSurvey = R"(
apiVersion: science.example/v1
kind: Survey
featureGate: SparkApplicationIntegration
chart:
  controlsJobs: false
suspend:
  path: spec.suspend
podSets:
- name: main
  template: spec.template
active:
  path: status.active
finished:
  succeeded:
    condition: Done
  failed:
    condition: Lost
simulation:
  pods:
  - name: "{name}-{index}"
  end: {}
)";

/// Returns the kinds of the files, and adds their faults in one text.
std::vector<BuiltinKind> read_kinds(std::vector<BuiltinFile> files, std::string& faults) {
    config::Problems problems;
    auto kinds = read_builtin_kinds(files, problems);
    faults = config::to_string(problems.take());
    return kinds;
}

/// Returns the faults of the file with a text replaced by another.
std::string faults_with(std::string_view text, std::string_view other) {
    std::string changed(kSurvey);
    const std::size_t at = changed.find(text);
    REQUIRE(at != std::string::npos);
    changed.replace(at, text.size(), other);
    std::string faults;
    read_kinds({{"survey.yaml", changed}}, faults);
    return faults;
}

}  // namespace

TEST_CASE("the files of the built-in kinds have no faults", "[job-kinds]") {
    config::Problems problems;
    const auto files = builtin_files();
    CHECK(read_builtin_kinds(files, problems).size() == files.size());
    CHECK(config::to_string(problems.take()).empty());
}

TEST_CASE("the frameworks are those of Kueue, sorted by name", "[job-kinds]") {
    const std::vector<config::Framework>& frameworks = known_frameworks();
    std::string names;
    for (const config::Framework& framework : frameworks) {
        names += framework.name + "=" + framework.kind + "\n";
    }
    CHECK(
        names ==
        "batch/job=Job.v1.batch\n"
        "deployment=Deployment.v1.apps\n"
        "jobset.x-k8s.io/jobset=JobSet.v1alpha2.jobset.x-k8s.io\n"
        "kubeflow.org/jaxjob=JAXJob.v1.kubeflow.org\n"
        "kubeflow.org/mpijob=MPIJob.v2beta1.kubeflow.org\n"
        "kubeflow.org/paddlejob=PaddleJob.v1.kubeflow.org\n"
        "kubeflow.org/pytorchjob=PyTorchJob.v1.kubeflow.org\n"
        "kubeflow.org/tfjob=TFJob.v1.kubeflow.org\n"
        "kubeflow.org/xgboostjob=XGBoostJob.v1.kubeflow.org\n"
        "leaderworkerset.x-k8s.io/leaderworkerset=LeaderWorkerSet.v1.leaderworkerset.x-k8s.io\n"
        "pod=Pod.v1\n"
        "ray.io/raycluster=RayCluster.v1.ray.io\n"
        "ray.io/rayjob=RayJob.v1.ray.io\n"
        "ray.io/rayservice=RayService.v1.ray.io\n"
        "sparkoperator.k8s.io/sparkapplication=SparkApplication.v1beta2.sparkoperator.k8s.io\n"
        "statefulset=StatefulSet.v1.apps\n"
        "trainer.kubeflow.org/trainjob=TrainJob.v1alpha1.trainer.kubeflow.org\n"
        "workload.codeflare.dev/appwrapper=AppWrapper.v1beta2.workload.codeflare.dev\n"
    );
    for (const config::Framework& framework : frameworks) {
        const bool is_spark = framework.name == "sparkoperator.k8s.io/sparkapplication";
        CHECK(framework.gate.has_value() == is_spark);
    }
}

TEST_CASE("a file defines a kind with its gate and its simulation", "[job-kinds]") {
    std::string faults;
    const auto kinds = read_kinds({{"survey.yaml", kSurvey}}, faults);
    CHECK(faults.empty());
    REQUIRE(kinds.size() == 1);
    CHECK(kinds[0].description.framework == "science.example/survey");
    CHECK(kinds[0].description.resource == "surveys");
    CHECK(kinds[0].gate == config::Feature::SparkApplicationIntegration);
    REQUIRE(kinds[0].simulation);
    CHECK(kinds[0].simulation->pods.size() == 1);
}

TEST_CASE("a simulation has the members of another one that it lacks", "[job-kinds]") {
    constexpr std::string_view kOther = R"(
apiVersion: science.example/v1
kind: Census
suspend: {path: spec.suspend}
podSets: [{name: main, template: spec.template}]
active: {path: status.active}
finished: {succeeded: {condition: Done}, failed: {condition: Lost}}
simulation: {like: science.example/survey, runsWithDecider: true}
)";
    std::string faults;
    const auto kinds = read_kinds({{"survey.yaml", kSurvey}, {"census.yaml", kOther}}, faults);
    CHECK(faults.empty());
    REQUIRE(kinds.size() == 2);
    REQUIRE(kinds[0].simulation);
    CHECK(kinds[0].simulation->pods.front().name == "{name}-{index}");
    CHECK(kinds[0].simulation->runs_with_decider);
    CHECK_FALSE(kinds[1].simulation->runs_with_decider);
}

TEST_CASE("reports the faults of a simulation with their places", "[job-kinds]") {
    const auto [text, other, fault] = GENERATE(table<std::string, std::string, std::string>({
        {"SparkApplicationIntegration", "Sparks", "survey.yaml.featureGate: must be the name of"},
        {"{index}", "{rank}", "simulation.pods[0].name: \"{rank}\" is not a placeholder here"},
        {"{index}", "{index", "simulation.pods[0].name: \"{index"},
        {"name: \"{name}-{index}\"", "last: true", "simulation.pods: needs the names of the pods"},
        {"  end: {}", "  status: []", "survey.yaml.simulation.end: is needed if, and only if,"},
        {"  end: {}", "  end: {}\n  like: x", "survey.yaml.simulation.like: must be a framework"},
        {"  end: {}", "  end: {}\n  status: [{in: [late]}]", "\"late\" is not a stage"},
        {"  end: {}", "  end: {}\n  status: [{conditions: [{}]}]", "conditions[0].type: is req"},
        {"  end: {}",
         "  end: {}\n  status: [{fields: {a: {b: {$count: lost}}}}]",
         "status[0].fields.a.b: \"lost\" is not a count of pods"},
        {"  end: {}",
         "  end: {}\n  status: [{fields: {a: {$sum: 1}}}]",
         "status[0].fields.a: needs one of $count,"},
        {"  end: {}",
         "  end: {}\n  status: [{fields: {a: \"{podSet}\"}}]",
         "status[0].fields.a: \"{podSet}\" is not a placeholder here"},
        {"  end: {}", "  end: {}\n  speed: 3", "survey.yaml.simulation.speed"},
    }));
    CAPTURE(text, other);
    CHECK(faults_with(text, other).find(fault) != std::string::npos);
}

}  // namespace sluice::job_kinds
