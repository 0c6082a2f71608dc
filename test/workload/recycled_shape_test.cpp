// What the engine makes of the numbers of pod shapes as the translator gives and recycles them.
#include "engine/engine.hpp"
#include "support/objects.hpp"
#include "workload/translation/translator.hpp"

#include <catch2/catch_test_macros.hpp>
#include <fmt/format.h>

#include <chrono>
#include <string>
#include <string_view>

namespace sluice::workload {
namespace {

using test::object;

constexpr engine::Time kNow{std::chrono::seconds(1'700'000'000)};

api::Workload workload(std::string_view name, std::string_view queue, std::string_view pod) {
    return object<api::Workload>(fmt::format(
        "{{metadata: {{name: {0}, namespace: ns, uid: {0}}}, spec: {{active: true, queueName: {1}, "
        "podSets: [{{name: main, count: 1, template: {{spec: {2}}}}}]}}}}",
        name,
        queue,
        pod
    ));
}

/// Flavor "f" of zone a; ClusterQueues "full" and "other" of one cpu of it, without cohort, each
/// with a LocalQueue of its name.
struct Cluster {
    Translator translator{{}};
    engine::State state{engine::Options{}};

    Cluster() {
        translator.set(object<api::Namespace>("{metadata: {name: ns}}"));
        tell(translator.set(
            object<api::ResourceFlavor>("{metadata: {name: f}, spec: {nodeLabels: {zone: a}}}")
        ));
        for (const char* name : {"full", "other"}) {
            const auto queue = object<api::ClusterQueue>(fmt::format(
                "{{metadata: {{name: {}}}, spec: {{namespaceSelector: {{}}, resourceGroups: "
                "[{{coveredResources: [cpu], flavors: [{{name: f, resources: [{{name: cpu, "
                "nominalQuota: 1}}]}}]}}]}}}}",
                name
            ));
            const auto local_queue = object<api::LocalQueue>(fmt::format(
                "{{metadata: {{name: {0}, namespace: ns}}, spec: {{clusterQueue: {0}}}}}", name
            ));
            tell({engine::ClusterQueueChanged{translator.cluster_queue(queue)}});
            tell({engine::LocalQueueChanged{translator.local_queue(local_queue, &queue)}});
        }
    }
    void tell(const Translator::Events& events) {
        for (const auto& event : events) {
            engine::apply(state, event, kNow);
        }
    }
    /// Every workload that can be admitted is, the others are parked.
    void run() {
        while (engine::run_cycle(state, kNow).cycle != 0) {
        }
    }
    std::size_t parked(std::string_view queue) const {
        return state.inadmissible_in_order(state.find_cluster_queue(queue)).size();
    }
};

constexpr std::string_view kTwoCpus = "{containers: [{name: c, resources: {requests: {cpu: 2}}}]}";
constexpr std::string_view kInZoneB =
    "{nodeSelector: {zone: b}, containers: [{name: c, resources: {requests: {cpu: 1}}}]}";
constexpr std::string_view kInZoneA = "{nodeSelector: {zone: a}}";

}  // namespace

TEST_CASE("pods of a new shape wake no workload, whatever number the shape has", "[workload]") {
    Cluster cluster;
    cluster.tell(cluster.translator.set(workload("waiting", "full", kTwoCpus)));
    cluster.run();
    REQUIRE(cluster.parked("full") == 1);
    SECTION("that of a workload that is gone") {
        cluster.tell(cluster.translator.set(workload("dead", "other", kInZoneB)));
        cluster.run();
        cluster.tell(cluster.translator.remove_workload("ns", "dead"));
    }
    SECTION("that of a workload that has another shape now") {
        cluster.tell(cluster.translator.set(workload("changed", "other", kInZoneB)));
        cluster.run();
        cluster.tell(cluster.translator.set(workload("changed", "other", "{}")));
    }
    cluster.tell(cluster.translator.set(workload("new", "other", kInZoneA)));
    CHECK(cluster.parked("full") == 1);
}

TEST_CASE("pods of a known shape that a flavor accepts at last wake what waits", "[workload]") {
    Cluster cluster;
    cluster.tell(cluster.translator.set(workload("waiting", "full", kInZoneB)));
    cluster.run();
    REQUIRE(cluster.parked("full") == 1);
    cluster.tell(cluster.translator.set(
        object<api::ResourceFlavor>("{metadata: {name: f}, spec: {nodeLabels: {zone: b}}}")
    ));
    CHECK(cluster.parked("full") == 0);
}

}  // namespace sluice::workload
