#include "controller/kinds/builtin_kinds.hpp"
#include "controller/known_stores.hpp"
#include "controller/process/webhooks/kind_admissions.hpp"
#include "support/run_async.hpp"
#include "yaml/parse.hpp"

#include <catch2/catch_test_macros.hpp>

#include <memory>
#include <string>
#include <string_view>

// Webhooks of kinds that come at run time: they judge by what is described at that moment.
namespace sluice::controller {
namespace {

constexpr std::string_view kObject =
    R"({"metadata":{"name":"n","namespace":"ns","labels":{"kueue.x-k8s.io/queue-name":"q"}},)"
    R"("spec":{"size":"not a number"}})";

KindEntry experiment_kind() {
    config::Problems problems;
    auto description = job_kinds::read_description(
        *yaml::parse_document(
            "{apiVersion: science.example/v1, kind: Experiment, suspend: {path: "
            "spec.suspend}, podSets: [{name: main, replicas: spec.size, template: "
            "spec.pod}], active: {path: status.active}}"
        ),
        "",
        problems
    );
    REQUIRE(problems.empty());
    return described_job_kind(
        {.description = std::make_shared<const job_kinds::Description>(std::move(description)),
         .is_builtin = false}
    );
}

struct Judges {
    webhook::Verdict ask(AdmissionStep step, const std::string& version = "v1") {
        auto request = std::make_shared<api::AdmissionRequest>();
        request->kind = {"science.example", version, "Experiment"};
        request->operation = "CREATE";
        request->namespace_ = "ns";
        request->object = api::RawJson(std::string(kObject));
        const AdmissionContext context{registry.job_kinds(), stores, settings, gates};
        const auto judge = make_any_job_judge(calls, context, step);
        const auto verdict = test::run_async(loop, judge(std::move(request)));
        REQUIRE(verdict);
        return *verdict;
    }
    void add(KindEntry entry) { stores.add(registry.add(std::move(entry)).make_store()); }

    Judges() { add_synced_stores(registry, stores); }

    Registry registry = controller::make_registry({}, true);
    Stores stores;
    Settings settings;
    config::FeatureGates gates;
    net::EventLoop loop;
    LoopCalls calls{{loop, [] { return true; }}};
};

}  // namespace

TEST_CASE("what nobody describes is allowed as it is", "[admission][run-time]") {
    Judges judges;
    CHECK_FALSE(judges.ask(AdmissionStep::Default).changed);
    CHECK(judges.ask(AdmissionStep::Judge).refusal.empty());
}

TEST_CASE("a kind that is described is held and judged from then on", "[admission][run-time]") {
    Judges judges;
    judges.add(experiment_kind());
    const auto held = judges.ask(AdmissionStep::Default);
    REQUIRE(held.changed);
    CHECK(*held.changed->find_path({"spec", "suspend"}) == json::Value(true));
    CHECK_FALSE(judges.ask(AdmissionStep::Judge).refusal.empty());
    SECTION("in its version") {
        CHECK_FALSE(judges.ask(AdmissionStep::Default, "v2").changed);
        CHECK(judges.ask(AdmissionStep::Judge, "v2").refusal.empty());
    }
    SECTION("until its description is taken back") {
        const KindEntry entry = experiment_kind();
        judges.registry.replace(withdrawn_job_kind(*judges.registry.find(entry.kind)));
        CHECK_FALSE(judges.ask(AdmissionStep::Default).changed);
        CHECK(judges.ask(AdmissionStep::Judge).refusal.empty());
    }
}

}  // namespace sluice::controller
