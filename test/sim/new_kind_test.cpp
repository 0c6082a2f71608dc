#include "cluster_world.hpp"
#include "job_kinds/builtin.hpp"
#include "sim/controllers.hpp"
#include "sim/objects/fields.hpp"

#include <catch2/catch_test_macros.hpp>

#include <array>
#include <chrono>
#include <string>
#include <string_view>
#include <vector>

// A kind of jobs that only a YAML file defines.
namespace sluice::test {

using namespace std::chrono_literals;
using sim::find_int;
using sim::text_at;

namespace {

using Names = std::vector<std::string>;

constexpr std::string_view kKind = R"(
apiVersion: science.example/v1
kind: Survey
suspend:
  path: spec.suspend
podSets:
- at: spec.roles['Lead']
  name: lead
  template: template
- at: spec.roles['Crew']
  name: crew
  replicas: replicas
  template: template
active:
  sum: status.roles[*].active
  above: 0
ready:
  path: status.phase
  in: [Running]
finished:
  succeeded:
    condition: Done
  failed:
    condition: Lost
simulation:
  pods:
  - name: "{name}-{podSet}-{index}"
    labels: {science.example/survey: "{name}", science.example/number: "{number}"}
    restartPolicy: Never
  - of: [crew]
    last: true
  end:
    with: [lead]
  cleanup:
  - of: [crew]
  status:
  - fields:
      roles: {$perPodSet: {active: {$count: active}}}
      observedGeneration: "{generation}"
  - in: [suspending, suspended]
    fields: {phase: Held}
  - in: [starting]
    fields: {phase: Starting}
  - in: [running]
    fields:
      phase: Running
      runningSince: "{since}"
      crew: {$perPod: {phases: {Running: up}, otherwise: down}, of: [crew]}
      leader: {$podName: lead}
  - in: [succeeded]
    conditions:
    - {type: Done, reason: "{Kind}Done", message: "{kind} {name} is done"}
  - in: [failed]
    conditions:
    - {type: Lost, reason: "{Kind}Lost", message: "{kind} {name} is lost"}
)";

sim::SimulatedCluster::Options options_of(std::string_view kind) {
    config::Problems problems;
    const std::array files{job_kinds::BuiltinFile{.name = "survey.yaml", .text = kind}};
    const auto kinds = job_kinds::read_builtin_kinds(files, problems);
    REQUIRE(config::to_string(problems.take()).empty());
    return {.controllers = sim::make_controllers(kinds)};
}

const std::string kSurvey = "/apis/science.example/v1/namespaces/default/surveys/s";

void create(ClusterWorld& world, std::string_view exit_code) {
    world.define("science.example/v1", "Survey");
    world.create_yaml(
        "{apiVersion: science.example/v1, kind: Survey, metadata: {name: s}, spec: {suspend: true, "
        "roles: {Lead: {template: {metadata: {annotations: {sluice.dev/run-seconds: '60', "
        "sluice.dev/exit-code: '" +
        std::string(exit_code) +
        "'}}, spec: {containers: [{name: c, image: i}]}}}, Crew: {replicas: 2, template: "
        "{metadata: {annotations: {sluice.dev/run-seconds: '600'}}, spec: {containers: [{name: c, "
        "image: i}]}}}}}}"
    );
}

}  // namespace

TEST_CASE("plays a kind that only a file of YAML defines", "[sim][kinds]") {
    ClusterWorld world(options_of(kKind));
    create(world, "0");
    CHECK(world.pod_names().empty());
    CHECK(text_at(world.get(kSurvey), {"status", "phase"}) == "Held");

    world.send("PATCH", kSurvey, "{spec: {suspend: false}}");
    CHECK(world.pod_names() == Names{"s-crew-0", "s-crew-1", "s-lead-0"});
    const json::Value crew = world.pods()[1];
    CHECK(text_at(crew, {"metadata", "labels", "science.example/survey"}) == "s");
    CHECK(text_at(crew, {"metadata", "labels", "science.example/number"}) == "2");
    CHECK(text_at(crew, {"spec", "restartPolicy"}) == "Never");
    json::Value survey = world.get(kSurvey);
    CHECK(text_at(survey, {"status", "phase"}) == "Running");
    CHECK(text_at(survey, {"status", "leader"}) == "s-lead-0");
    CHECK(text_at(survey, {"status", "crew", "s-crew-1"}) == "up");
    CHECK(find_int(survey, {"status", "roles", "Crew", "active"}) == 2);
    CHECK(find_int(survey, {"status", "observedGeneration"}) == 2);
    const std::string since(text_at(survey, {"status", "runningSince"}));
    CHECK_FALSE(since.empty());

    world.pass(30s);
    world.send("PATCH", kSurvey, "{metadata: {labels: {a: b}}}");
    CHECK(text_at(world.get(kSurvey), {"status", "runningSince"}) == since);

    world.pass(30s);
    survey = world.get(kSurvey);
    CHECK(sim::has_condition(survey, "Done"));
    CHECK_FALSE(sim::has_condition(survey, "Lost"));
    const json::Value* done =
        sim::find_element(sim::list_at(survey, {"status", "conditions"}), "type", "Done");
    REQUIRE(done != nullptr);
    CHECK(done->string_at("reason") == "SurveyDone");
    CHECK(done->string_at("message") == "survey s is done");
    CHECK(world.pod_names() == Names{"s-lead-0"});
}

TEST_CASE("fails a job of such a kind with its deciding pod", "[sim][kinds]") {
    ClusterWorld world(options_of(kKind));
    create(world, "1");
    world.send("PATCH", kSurvey, "{spec: {suspend: false}}");
    world.pass(60s);
    CHECK(sim::has_condition(world.get(kSurvey), "Lost"));
}

TEST_CASE("deletes the pods of a job of such a kind that is suspended", "[sim][kinds]") {
    ClusterWorld world(options_of(kKind));
    create(world, "0");
    world.send("PATCH", kSurvey, "{spec: {suspend: false}}");
    world.pass(10s);
    world.send("PATCH", kSurvey, "{spec: {suspend: true}}");
    CHECK(world.pod_names().empty());
    const json::Value survey = world.get(kSurvey);
    CHECK(text_at(survey, {"status", "phase"}) == "Held");
    CHECK(survey.find_path({"status", "runningSince"}) == nullptr);
}

}  // namespace sluice::test
