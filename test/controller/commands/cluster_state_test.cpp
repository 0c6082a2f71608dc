#include "controller/commands/live_view/cluster_state.hpp"

#include "json/value.hpp"

#include <catch2/catch_test_macros.hpp>

#include <string>
#include <vector>

namespace sluice::commands {
namespace {

const apiserver::Collection queues{"kueue.x-k8s.io", "clusterqueues"};
const apiserver::Collection workloads{"kueue.x-k8s.io", "workloads"};

void put(
    apiserver::Store& store,
    const apiserver::Collection& collection,
    const std::string& name,
    const std::string& rest
) {
    const auto object = json::parse(R"({"metadata":{"name":")" + name + R"("},)" + rest + "}");
    REQUIRE(object);
    store.put(collection, {"ns", name}, *object);
}

std::string conditions(const std::string& list) {
    return R"("status":{"conditions":[)" + list + "]}";
}

}  // namespace

TEST_CASE("the usage of a queue is read beside its nominal quota", "[commands][live]") {
    apiserver::Store store;
    put(store, queues, "q", R"("spec":{"cohortName":"c","resourceGroups":[{"flavors":[
        {"name":"f","resources":[{"name":"cpu","nominalQuota":4},
                                 {"name":"memory","nominalQuota":"8Gi"}]}]}]},
        "status":{"flavorsReservation":[{"name":"f","resources":[
            {"name":"cpu","total":"6","borrowed":"2"}]}]})");
    const ClusterState state = read_cluster_state(store);
    REQUIRE(state.queues.size() == 1);
    CHECK(state.queues[0].cohort == "c");
    REQUIRE(state.queues[0].quotas.size() == 2);
    const QuotaState& cpu = state.queues[0].quotas[0];
    CHECK(cpu.nominal.to_string() == "4");
    CHECK(cpu.used.to_string() == "6");
    CHECK(cpu.borrowed.to_string() == "2");
    CHECK(state.queues[0].quotas[1].used.is_zero());
    CHECK(state.queues[0].quotas[1].nominal.to_string() == "8Gi");
}

TEST_CASE("racks of a flavor with a topology show their use", "[commands][live]") {
    apiserver::Store store;
    put(store, {"kueue.x-k8s.io", "topologies"}, "racks", R"("spec":{"levels":[
        {"nodeLabel":"block"},{"nodeLabel":"rack"},{"nodeLabel":"kubernetes.io/hostname"}]})");
    put(store,
        {"kueue.x-k8s.io", "resourceflavors"},
        "b200",
        R"("spec":{"topologyName":"racks","nodeLabels":{"gpu":"b200"}})");
    put(store, {"kueue.x-k8s.io", "resourceflavors"}, "plain", R"("spec":{})");
    put(store, queues, "q", R"("spec":{"resourceGroups":[{"flavors":[{"name":"b200","resources":[
        {"name":"cpu","nominalQuota":4},{"name":"nvidia.com/gpu","nominalQuota":16}]}]}]})");
    const auto node = [&store](
                          const std::string& name,
                          const std::string& rack,
                          const std::string& spec,
                          const char* ready
                      ) {
        const std::string labels =
            rack.empty() ? R"("gpu":"b200")" : R"("gpu":"b200","block":"x","rack":")" + rack + '"';
        const auto object = json::parse(
            R"({"metadata":{"name":")" + name + R"(","labels":{)" + labels + R"(}},"spec":)" +
            spec +
            R"(,"status":{"allocatable":{"cpu":"64","nvidia.com/gpu":"8"},"conditions":[
                {"type":"Ready","status":")" +
            ready + R"("}]}})"
        );
        REQUIRE(object);
        store.put({"", "nodes"}, {"", name}, *object);
    };
    node("n1", "a", "{}", "True");
    node("n2", "a", R"({"unschedulable":true})", "True");
    node("n3", "b", "{}", "False");
    node("n5", "b", R"({"taints":[{"key":"broken","effect":"NoExecute"}]})", "True");
    node("n6", "b", R"({"taints":[{"key":"nvidia.com/gpu","effect":"NoSchedule"}]})", "True");
    node("n4", "", "{}", "True");  // in no rack
    const std::string gpus = R"("containers":[{"resources":{"requests":{"nvidia.com/gpu":"4"}}}])";
    put(store,
        {"", "pods"},
        "runs",
        R"("spec":{"nodeName":"n1",)" + gpus + R"(},"status":{"phase":"Running"})");
    put(store,
        {"", "pods"},
        "done",
        R"("spec":{"nodeName":"n1",)" + gpus + R"(},"status":{"phase":"Succeeded"})");
    const auto domains = read_cluster_state(store).domains;
    REQUIRE(domains.size() == 2);
    CHECK(domains[0].domain == "x/a");
    CHECK(domains[0].flavor == "b200");
    CHECK(domains[0].resource == "nvidia.com/gpu");
    CHECK(domains[0].nodes == 2);
    CHECK(domains[0].lost == 1);
    CHECK(domains[0].used.to_string() == "4");
    CHECK(domains[0].allocatable.to_string() == "8");
    CHECK(domains[1].domain == "x/b");
    CHECK(domains[1].nodes == 3);
    CHECK(domains[1].lost == 2);
    CHECK(domains[1].allocatable.to_string() == "8");
}

TEST_CASE("pods run, or have no node", "[commands][live]") {
    apiserver::Store store;
    const apiserver::Collection pods{"", "pods"};
    put(store, pods, "runs", R"("spec":{"nodeName":"n"},"status":{"phase":"Running"})");
    put(store, pods, "waits", R"("spec":{},)" + conditions(R"({"type":"PodScheduled",
        "status":"False","reason":"Unschedulable"})"));
    put(store, pods, "gated", R"("spec":{},)" + conditions(R"({"type":"PodScheduled",
        "status":"False","reason":"SchedulingGated"})"));
    const ClusterState state = read_cluster_state(store);
    CHECK(state.pods == 1);
    CHECK(state.unplaced == 1);
}

TEST_CASE("workloads are running, waiting, succeeded or failed", "[commands][live]") {
    apiserver::Store store;
    put(store, workloads, "running", R"("spec":{"queueName":"l"},"status":{"admission":
        {"clusterQueue":"q","podSetAssignments":[{"resourceUsage":{"cpu":"2"}},
        {"resourceUsage":{"cpu":"500m"}}]},"conditions":[{"type":"Admitted","status":"True",
        "lastTransitionTime":"2026-11-25T14:00:00Z"}]})");
    put(store,
        workloads,
        "ok",
        conditions(
            R"({"type":"Admitted","status":"True"},
           {"type":"Finished","status":"True","reason":"Succeeded"})"
        ));
    put(store,
        workloads,
        "bad",
        conditions(R"({"type":"Finished","status":"True","reason":"Failed"})"));
    put(store,
        workloads,
        "waiting",
        R"("spec":{"priority":5},)" +
            conditions(
                R"({"type":"QuotaReserved","status":"False","message":"couldn't assign flavors to pod set main: 1 more needed"})"
            ));
    put(store,
        workloads,
        "urgent",
        R"("spec":{"priority":9},)" +
            conditions(
                R"({"type":"QuotaReserved","status":"False","message":"2 more needed"},
           {"type":"Evicted","status":"True","reason":"Preempted"})"
            ));
    put(store, workloads, "new", R"("spec":{})");
    put(store, workloads, "off", R"("spec":{"active":false})");
    const ClusterState state = read_cluster_state(store);
    CHECK(state.succeeded == 1);
    CHECK(state.failed == 1);
    REQUIRE(state.running.size() == 1);
    CHECK(state.running[0].name == "ns/running");
    CHECK(state.running[0].queue == "q");
    CHECK(state.running[0].amounts == "cpu 2500m");
    REQUIRE(state.waiting.size() == 4);
    CHECK(state.waiting[0].name == "ns/urgent");
    CHECK(state.waiting[0].reason == "Preempted: 2 more needed");
    CHECK(state.waiting[1].reason == "1 more needed");
    CHECK(state.waiting[2].reason == "not looked at yet");
    CHECK(state.waiting[3].reason == "deactivated");
}

TEST_CASE("a workload is called by the job that controls it", "[commands][live]") {
    apiserver::Store store;
    const auto object = json::parse(R"({"metadata":{"name":"w","ownerReferences":[
        {"kind":"Other","name":"x"},{"kind":"JobSet","name":"j","controller":true}]}})");
    REQUIRE(object);
    store.put(workloads, {"team", "w"}, *object);
    const ClusterState state = read_cluster_state(store);
    REQUIRE(state.waiting.size() == 1);
    CHECK(state.waiting[0].name == "team/j");
    CHECK(state.waiting[0].kind == "JobSet");
}

TEST_CASE("objects of unexpected form do no harm to a live view", "[commands][live]") {
    apiserver::Store store;
    put(store, queues, "q", R"("spec":{"resourceGroups":[{"flavors":"x"},7]},"status":[])");
    put(store, queues, "r", R"("spec":{"resourceGroups":[{"flavors":[{"name":"f","resources":
        [{"name":"cpu","nominalQuota":"many"}]}]}]})");
    put(store, workloads, "w", R"("status":{"conditions":[{"type":"Admitted","status":"True"}],
        "admission":{"podSetAssignments":[{"resourceUsage":3}]}})");
    const ClusterState state = read_cluster_state(store);
    CHECK(state.queues.size() == 2);
    CHECK(state.queues[1].quotas[0].nominal.is_zero());
    REQUIRE(state.running.size() == 1);
    CHECK_FALSE(state.running[0].since);
}

}  // namespace sluice::commands
