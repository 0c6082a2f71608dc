#include "workload/status/messages.hpp"

#include "engine/engine.hpp"
#include "support/objects.hpp"
#include "workload/explanation/explanation.hpp"

#include <catch2/catch_test_macros.hpp>
#include <fmt/format.h>

#include <algorithm>
#include <string>
#include <vector>

namespace sluice::workload {
namespace {

using test::object;

/// One tainted and one plain flavor, a queue of 4 cpu in each, and a workload that asks for so
/// much.
class Fixture {
  public:
    explicit Fixture(std::string_view preemption = "{}") : state_({}) {
        apply(translator_.set(
            object<api::ResourceFlavor>("{metadata: {name: spot}, spec: {nodeTaints: [{key: spot, "
                                        "value: \"true\", effect: NoSchedule}]}}")
        ));
        apply(translator_.set(
            object<api::ResourceFlavor>("{metadata: {name: plain}, spec: {nodeLabels: {zone: a}}}")
        ));
        translator_.set(object<api::Namespace>("metadata: {name: ns}"));
        queue_ = object<api::ClusterQueue>(
            "{metadata: {name: q}, spec: {cohortName: root, namespaceSelector: {}, preemption: " +
            std::string(preemption) +
            ", resourceGroups: [{coveredResources: [cpu], flavors: [{name: spot, resources: "
            "[{name: cpu, nominalQuota: "
            "4}]}, {name: plain, resources: [{name: cpu, nominalQuota: 4}]}]}]}}"
        );
        apply({engine::ClusterQueueChanged{translator_.cluster_queue(queue_)}});
        const auto local =
            object<api::LocalQueue>("{metadata: {name: lq, namespace: ns}, spec: {clusterQueue: q}}"
            );
        apply({engine::LocalQueueChanged{translator_.local_queue(local, &queue_)}});
    }

    engine::CycleResult submit(std::string_view name, int priority, std::string_view pod) {
        workload_ = object<api::Workload>(fmt::format(
            "{{metadata: {{name: {0}, namespace: ns, uid: uid-{0}, labels: "
            "{{kueue.x-k8s.io/job-uid: j}}}}, spec: "
            "{{queueName: lq, priority: {1}, podSets: [{{template: {{spec: {2}}}}}]}}}}",
            name,
            priority,
            pod
        ));
        apply(translator_.set(workload_));
        return engine::run_cycle(state_, {});
    }

    std::string message(const engine::CycleResult& result) const {
        return refusal_message(state_, result.refused.at(0), workload_, &queue_, translator_);
    }

    const engine::State& state() const { return state_; }
    const api::Workload& workload() const { return workload_; }
    const Translator& translator() const { return translator_; }

  private:
    void apply(const Translator::Events& events) {
        for (const auto& event : events) {
            engine::apply(state_, event, {});
        }
    }
    Translator translator_{TranslationSettings{}};
    engine::State state_;
    api::ClusterQueue queue_;
    api::Workload workload_;
};

std::string cpu(std::string_view amount) {
    return fmt::format(
        "{{containers: [{{name: c, resources: {{requests: {{cpu: {}}}}}}}]}}", amount
    );
}

TEST_CASE("a reason is shown where Kueue has none", "[workload][messages]") {
    using enum engine::WaitingReason;
    CHECK(waiting_reason(UnspecifiedTopology, {}).empty());
    CHECK(shown_reason(UnspecifiedTopology, {}) == "TopologyPlacementFailed");
    CHECK(shown_reason(Unspecified, {}) == "NoMatchingFlavor");
    CHECK(shown_reason(WaitingForQuota, {}) == "WaitingForQuota");
}

}  // namespace

TEST_CASE("a refusal names each flavor's obstacle, sorted", "[workload][messages]") {
    Fixture fixture;
    const auto result = fixture.submit("w", 0, cpu("5500m"));
    CHECK(
        fixture.message(result) ==
        "couldn't assign flavors to pod set main: insufficient quota for cpu in flavor plain, "
        "previously considered "
        "podsets requests (0) + current podset request (5500m) > maximum capacity (4), untolerated "
        "taint {spot true "
        "NoSchedule <nil>} in flavor spot"
    );
    CHECK(waiting_reason(result.refused[0].reason, {}) == "ExceedsMaxQuota");
    CHECK(
        waiting_reason(result.refused[0].reason, {.unadmitted_workloads_observability = false}) ==
        "Pending"
    );
}

TEST_CASE("an admission names the flavors that it passed over", "[workload][messages]") {
    Fixture fixture;
    const auto considered = [&](const engine::CycleResult& result) {
        return considered_flavors(
            fixture.state(),
            result.admitted.at(0),
            fixture.workload(),
            fixture.translator().references()
        );
    };
    CHECK(
        considered(fixture.submit("first", 0, cpu("1"))) ==
        "main: spot(NoFit;untolerated taint {spot true NoSchedule <nil>} in flavor spot)"
    );
    const auto tolerant = [](std::string_view amount) {
        const auto pod = cpu(amount);
        return pod.substr(0, pod.size() - 1) + ", tolerations: [{operator: Exists}]}";
    };
    CHECK(considered(fixture.submit("second", 0, tolerant("3"))).empty());
    CHECK(
        considered(fixture.submit("third", 0, tolerant("2"))) ==
        "main: spot(preemptionMode=NoCandidates;borrow=1;insufficient unused quota for cpu in "
        "flavor spot, 1 more needed)"
    );
}

TEST_CASE("an affinity and an undeclared resource have their sentences", "[workload][messages]") {
    Fixture fixture;
    const auto result = fixture.submit(
        "w",
        0,
        "{nodeSelector: {zone: b}, tolerations: [{key: other}], containers: [{name: c, resources: "
        "{requests: {cpu: 1}}}]}"
    );
    CHECK(
        fixture.message(result).find("flavor plain doesn't match node affinity") !=
        std::string::npos
    );
    Fixture other;
    CHECK(
        other.message(
            other.submit("w", 0, "{containers: [{name: c, resources: {requests: {x: 1}}}]}")
        ) == "couldn't assign flavors to pod set main: resource x unavailable in ClusterQueue"
    );
}

TEST_CASE("invalid requests say what is wrong", "[workload][messages]") {
    Fixture fixture;
    const auto result = fixture.submit(
        "w", 0, "{containers: [{name: c, resources: {requests: {cpu: 2}, limits: {cpu: 1}}}]}"
    );
    CHECK(fixture.message(result).starts_with("resources validation failed: spec.podSets[0]"));
    CHECK(waiting_reason(result.refused.at(0).reason, {}) == "Misconfigured");
}

TEST_CASE("a preemption is told to both sides", "[workload][messages]") {
    Fixture fixture("{withinClusterQueue: LowerPriority}");
    const auto admitted = fixture.submit("low", 1, cpu("3"));
    REQUIRE(admitted.admitted.size() == 1);
    const auto admission = make_admission(
        fixture.translator(), fixture.state(), admitted.admitted[0], fixture.workload()
    );
    CHECK(admission.cluster_queue == "q");
    CHECK(admission.pod_set_assignments.at(0).flavors.at("cpu") == "plain");
    CHECK(admission.pod_set_assignments[0].resource_usage.at("cpu").to_string() == "3");
    const auto low = fixture.workload();

    const auto result = fixture.submit("high", 2, cpu("4"));
    REQUIRE(result.preempted.size() == 1);
    CHECK(
        preemption_message(fixture.state(), result.preempted[0], fixture.workload()) ==
        "Preempted to accommodate a workload (UID: uid-high, JobUID: j) due to prioritization in "
        "the ClusterQueue; "
        "preemptor path: /root/q; preemptee path: /root/q"
    );
    CHECK(to_string(result.preempted[0].reason) == "InClusterQueue");
    CHECK(
        priorities_note(fixture.translator(), fixture.workload(), low) ==
        "; preemptor effective priority: 2 (base: 2, boost: 0); preemptee effective priority: 1 "
        "(base: 1, boost: 0)"
    );
    CHECK(fixture.message(result).ends_with(
        "3 more needed, untolerated taint {spot true NoSchedule <nil>} in flavor spot. Pending the "
        "preemption of 1 workload(s)"
    ));
}

TEST_CASE(
    "an explanation names the node, the numbers, the holders and what could help",
    "[workload][explanation]"
) {
    Fixture fixture;
    fixture.submit("first", 1, cpu("3"));
    const auto result = fixture.submit("second", 1, cpu("2"));
    const auto constraints = Explanations(fixture.state(), result).of(0);
    REQUIRE(constraints.size() == 2);
    CHECK(constraints[1].kind == "taint");
    CHECK(constraints[1].remedies.empty());
    const auto& quota = constraints[0];
    CHECK(quota.kind == "quota");
    CHECK(quota.node == "cohort/root");
    CHECK(quota.pod_set == "main");
    CHECK(quota.needed == "2");
    CHECK(quota.free == "1");
    CHECK(quota.limit == "4");
    REQUIRE(quota.holders.size() == 1);
    CHECK(quota.holders[0].workload == "ns/first");
    CHECK(quota.holders[0].amount == "3");
    CHECK(quota.remedies == std::vector<std::string>{"wait"});
}

TEST_CASE(
    "preemption helps only against those that the policy gives up", "[workload][explanation]"
) {
    const auto remedies = [](int priority) {
        Fixture fixture("{withinClusterQueue: LowerPriority}");
        fixture.submit("first", 1, cpu("3"));
        const auto result = fixture.submit("second", priority, cpu("2"));
        std::string found;
        for (const auto& c : Explanations(fixture.state(), result).of(0)) {
            found += fmt::format("{}: {}; ", c.kind, fmt::join(c.remedies, ","));
        }
        return found;
    };
    CHECK(remedies(1) == "quota: wait; priority: wait; taint: ; ");
    CHECK(remedies(2) == "quota: wait; taint: ; ");  // the eviction is under way
}

TEST_CASE("what exceeds the capacity can never be had", "[workload][explanation]") {
    Fixture fixture;
    const auto result = fixture.submit("big", 1, cpu("9"));
    const auto constraints = Explanations(fixture.state(), result).of(0);
    REQUIRE(constraints.size() == 2);
    CHECK(constraints[0].kind == "quota");
    CHECK(constraints[0].limit == "4");
    CHECK(constraints[0].remedies.empty());
}

TEST_CASE("what is cut off at 64 bits is explained with a quantity", "[workload][explanation]") {
    Fixture fixture;
    const auto result = fixture.submit("huge", 1, cpu("90000000000000000"));
    const auto constraints = Explanations(fixture.state(), result).of(0);
    const auto quota = std::ranges::find(constraints, "quota", &Constraint::kind);
    REQUIRE(quota != constraints.end());
    CHECK(quota->needed == "9223372036854775807m");
}

}  // namespace sluice::workload
