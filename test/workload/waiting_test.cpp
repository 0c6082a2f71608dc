#include "workload/status/waiting.hpp"

#include "support/objects.hpp"

#include <catch2/catch_test_macros.hpp>

#include <string>

namespace sluice::workload {
namespace {

using test::object;

/// The obstacle of a workload of LocalQueue `queue`, which names ClusterQueue `cq`.
struct Queues {
    api::LocalQueue queue = object<api::LocalQueue>(
        "{metadata: {name: queue, namespace: team}, spec: {clusterQueue: cq, stopPolicy: None}}"
    );
    api::ClusterQueue cluster_queue = object<api::ClusterQueue>(
        "{metadata: {name: cq}, spec: {namespaceSelector: {}, stopPolicy: None}}"
    );
    Translator translator{TranslationSettings{}};

    Queues() { translator.set(object<api::Namespace>("{metadata: {name: team}}")); }

    std::optional<Waiting> obstacle(const std::string& metadata = "", const std::string& rest = "")
        const {
        const auto workload = object<api::Workload>(
            "{metadata: {name: w, namespace: team" + metadata + "}, spec: {queueName: queue, " +
            "podSets: []" + rest + "}"
        );
        return find_obstacle(workload, &queue, &cluster_queue, translator, {});
    }
};

constexpr const char* kGated = ", annotations: {kueue.x-k8s.io/admission-gated-by: example.com/a}";

}  // namespace

TEST_CASE("nothing keeps a workload of usable queues from its turn", "[workload][waiting]") {
    CHECK_FALSE(Queues().obstacle("", "}"));
}

TEST_CASE("a queue that is missing or stopped is named", "[workload][waiting]") {
    Queues queues;
    const auto workload =
        object<api::Workload>("{metadata: {name: w, namespace: team}, spec: {queueName: q}}");
    const auto of = [&](const api::LocalQueue* queue, const api::ClusterQueue* cluster_queue) {
        return find_obstacle(workload, queue, cluster_queue, queues.translator, {});
    };
    CHECK(of(nullptr, nullptr) == Waiting{"Misconfigured", "LocalQueue q doesn't exist"});
    CHECK(of(&queues.queue, nullptr) == Waiting{"Misconfigured", "ClusterQueue cq doesn't exist"});
    queues.cluster_queue.spec.stop_policy = "Hold";
    CHECK(
        of(&queues.queue, &queues.cluster_queue) ==
        Waiting{"Suspended", "ClusterQueue cq is inactive"}
    );
    queues.queue.spec.stop_policy = "Hold";
    CHECK(
        of(&queues.queue, &queues.cluster_queue) == Waiting{"Suspended", "LocalQueue q is inactive"}
    );
}

TEST_CASE("a workload's own reasons come before those of its queues", "[workload][waiting]") {
    Queues queues;
    queues.queue.spec.stop_policy = "Hold";
    CHECK(
        queues.obstacle("", ", active: false}") ==
        Waiting{"Deactivated", "The workload is deactivated"}
    );
    CHECK(
        queues.obstacle(
            "",
            "}, status: {conditions: [{type: QuotaReserved, status: 'False', reason: OnHold, "
            "message: scaled to zero}]}"
        ) == Waiting{"OnHold", "scaled to zero"}
    );
    CHECK(queues.obstacle(kGated, "}")->reason == "Suspended");
}

TEST_CASE("the namespace counts before a gate", "[workload][waiting]") {
    Queues queues;
    CHECK(
        queues.obstacle(kGated, "}") ==
        Waiting{"AdmissionGated", "Admission is gated by: example.com/a"}
    );
    queues.translator.remove_namespace("team");
    CHECK(
        queues.obstacle(kGated, "}") ==
        Waiting{
            "Misconfigured",
            "workload namespace \"team\" does not exist: Namespace \"team\" not found"
        }
    );
}

}  // namespace sluice::workload
