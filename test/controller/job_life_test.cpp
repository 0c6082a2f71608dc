#include "controller/queued_jobs.hpp"

#include <catch2/catch_test_macros.hpp>
#include <catch2/generators/catch_generators.hpp>
#include <catch2/generators/catch_generators_range.hpp>

#include <algorithm>

namespace sluice::controller {

// It was resumed by hand before its Workload had quota, and nobody was in time to suspend it.
TEST_CASE(
    "a Job that runs without the node labels of its flavor is stopped", "[controller][bypass]"
) {
    MiniCluster cluster;
    make_queues(cluster);
    cluster.put(job("sample", 2));
    if (GENERATE(true, false)) {
        cluster.merge(
            job_key("sample"), "{'metadata':{'annotations':{'kueue.x-k8s.io/elastic-job':'true'}}}"
        );
    }
    cluster.settle();
    REQUIRE(is_running(cluster, "sample"));
    set_active_pods(cluster, "sample", 1);
    cluster.settle();
    const auto selector = [&cluster] {
        return cluster.at(job_key("sample"), {"spec", "template", "spec", "nodeSelector"});
    };
    REQUIRE(selector() == "{\"tier\":\"spot\"}");
    cluster.merge(job_key("sample"), "{'spec':{'template':{'spec':{'nodeSelector':null}}}}");
    cluster.settle();
    CHECK(has_event(cluster, "Stopped", "Resumed without the node labels of its flavors"));
    set_active_pods(cluster, "sample", 0);
    cluster.settle();
    CHECK(is_running(cluster, "sample"));
    CHECK(selector() == "{\"tier\":\"spot\"}");
    CHECK(
        cluster.condition("team", cluster.workload_of("team", "sample"), "Admitted") ==
        "True/Admitted"
    );
}

TEST_CASE(
    "a job gets a workload, waits for nothing, runs on its flavor, and finishes", "[controller]"
) {
    MiniCluster cluster(GENERATE(range<std::uint64_t>(1, 8)));
    make_queues(cluster);
    cluster.put(job("sample", 2));
    cluster.settle();

    const std::string workload = cluster.workload_of("team", "sample");
    REQUIRE(workload.starts_with("job-sample-"));
    CHECK(cluster.condition("team", workload, "QuotaReserved") == "True/QuotaReserved");
    CHECK(cluster.condition("team", workload, "Admitted") == "True/Admitted");
    REQUIRE(is_running(cluster, "sample"));
    CHECK(
        cluster.at(job_key("sample"), {"spec", "template", "spec", "nodeSelector"}) ==
        R"({"tier":"spot"})"
    );
    CHECK(
        cluster.at(
            job_key("sample"), {"spec", "template", "metadata", "labels", "kueue.x-k8s.io/podset"}
        ) == "main"
    );
    CHECK(has_event(cluster, "CreatedWorkload", "Created Workload: team/" + workload));
    CHECK(has_event(cluster, "Started", "Admitted by clusterQueue cq"));
    const ObjectKey queue{kind_of<api::ClusterQueue>(), "", "cq"};
    CHECK(cluster.at(queue, {"status", "admittedWorkloads"}) == "1");
    CHECK(
        cluster.at(queue, {"status", "flavorsUsage"}).find(R"("total":"2")") != std::string::npos
    );

    cluster.merge(job_key("sample"), R"({'status':{'conditions':[{'type':'Complete','status':'True',
        'message':'done'}],'succeeded':1}})");
    cluster.settle();
    CHECK(cluster.condition("team", workload, "Finished") == "True/Succeeded");
    CHECK(
        cluster.at({kind_of<api::Workload>(), "team", workload}, {"metadata", "finalizers"}).empty()
    );
    CHECK(std::ranges::count(cluster.events, "FinishedWorkload", &EventNote::reason) == 1);
    CHECK(
        cluster.at(queue, {"status", "flavorsUsage"}).find(R"("total":"0")") != std::string::npos
    );
}

TEST_CASE(
    "a job that does not fit waits with a reason, and runs when quota is free", "[controller]"
) {
    MiniCluster cluster(GENERATE(range<std::uint64_t>(1, 8)));
    make_queues(cluster);
    cluster.put(job("first", 3));
    cluster.settle();
    cluster.put(job("second", 3));
    cluster.settle();
    const std::string second = cluster.workload_of("team", "second");
    CHECK(is_running(cluster, "first"));
    CHECK_FALSE(is_running(cluster, "second"));
    CHECK(cluster.condition("team", second, "QuotaReserved") == "False/WaitingForQuota");
    CHECK(cluster.condition("team", second, "Admitted") == "False/NoReservation");
    CHECK(
        cluster.at({kind_of<api::LocalQueue>(), "team", "main"}, {"status", "pendingWorkloads"}) ==
        "1"
    );

    cluster.merge(
        job_key("first"), "{'status':{'conditions':[{'type':'Failed','status':'True'}]}}"
    );
    cluster.settle();
    CHECK(
        cluster.condition("team", cluster.workload_of("team", "first"), "Finished") == "True/Failed"
    );
    CHECK(is_running(cluster, "second"));
}

TEST_CASE("a higher priority preempts, and the victim comes back restored", "[controller]") {
    MiniCluster cluster(GENERATE(range<std::uint64_t>(1, 8)));
    make_queues(cluster);
    cluster.put("{'kind':'WorkloadPriorityClass','metadata':{'name':'high'},'value':1000}");
    cluster.put(job("low", 3));
    cluster.settle();
    cluster.merge(job_key("low"), "{'status':{'active':1,'startTime':'2020-01-01T00:00:00Z'}}");
    cluster.put(job("urgent", 3, ",'kueue.x-k8s.io/priority-class':'high'"));
    cluster.settle();

    // The victim is stopped; while a pod is active its quota is its own, and its template cannot
    // change.
    const std::string low = cluster.workload_of("team", "low");
    CHECK_FALSE(is_running(cluster, "low"));
    CHECK(cluster.condition("team", low, "Evicted") == "True/Preempted");
    CHECK(cluster.condition("team", low, "Preempted") == "True/InClusterQueue");
    CHECK(cluster.condition("team", low, "QuotaReserved") == "True/QuotaReserved");
    CHECK(
        cluster.at(job_key("low"), {"metadata", "annotations", "kueue.x-k8s.io/stopping"}) == "true"
    );
    CHECK_FALSE(is_running(cluster, "urgent"));

    set_active_pods(cluster, "low", 0);
    cluster.settle();
    CHECK(cluster.at(job_key("low"), {"spec", "template", "spec", "nodeSelector"}).empty());
    CHECK(cluster.at(job_key("low"), {"metadata", "annotations", "kueue.x-k8s.io/stopping"}).empty()
    );
    CHECK(cluster.condition("team", low, "QuotaReserved").starts_with("False/"));
    CHECK(cluster.condition("team", low, "Requeued") == "True/Preempted");
    CHECK(is_running(cluster, "urgent"));

    complete(cluster, "urgent");
    cluster.settle();
    CHECK(is_running(cluster, "low"));
    CHECK(cluster.condition("team", low, "Evicted") == "False/QuotaReserved");
}

TEST_CASE("a job runs on two flavors that have the same node label", "[controller]") {
    MiniCluster cluster;
    make_queues(cluster);
    cluster.put(
        "{'kind':'ResourceFlavor','metadata':{'name':'tall'},'spec':{'nodeLabels':{'tier':'tall',"
        "'gpu':'yes'}}}"
    );
    cluster.merge(
        {kind_of<api::ClusterQueue>(), "", "cq"},
        "{'spec':{'resourceGroups':[{'coveredResources':['cpu'],'flavors':[{'name':'spot',"
        "'resources':[{'name':'cpu','nominalQuota':'4'}]}]},{'coveredResources':['memory'],"
        "'flavors':[{'name':'tall','resources':[{'name':'memory','nominalQuota':'4Gi'}]}]}]}}"
    );
    cluster.put(job("sample", 1));
    cluster.merge(
        job_key("sample"),
        "{'spec':{'template':{'spec':{'containers':[{'name':'c','image':'i','resources':{"
        "'requests':{'cpu':'1','memory':'1Gi'}}}]}}}}"
    );
    cluster.settle();
    CHECK(is_running(cluster, "sample"));
    const auto selector = [&](const char* label) {
        return cluster.at(job_key("sample"), {"spec", "template", "spec", "nodeSelector", label});
    };
    CHECK(selector("tier") == "tall");
    CHECK(selector("gpu") == "yes");
}

TEST_CASE("nothing is admitted on an invalid flavor until it is mended", "[controller]") {
    MiniCluster cluster;
    make_queues(cluster);
    cluster.put(job("runs", 1));
    cluster.settle();
    REQUIRE(is_running(cluster, "runs"));
    const ObjectKey flavor{kind_of<api::ResourceFlavor>(), "", "spot"};
    cluster.merge(flavor, "{'spec':{'nodeLabels':{'tier':'no label'}}}");
    cluster.settle();
    const ObjectKey queue{kind_of<api::ClusterQueue>(), "", "cq"};
    CHECK(cluster.at(queue, {"status", "conditions"}).find("FlavorNotFound") != std::string::npos);
    CHECK(cluster.at(queue, {"status", "conditions"}).find("nodeLabels") != std::string::npos);
    cluster.put(job("waits", 1));
    cluster.settle();
    CHECK_FALSE(is_running(cluster, "waits"));
    CHECK(
        cluster.condition("team", cluster.workload_of("team", "waits"), "QuotaReserved") !=
        "True/QuotaReserved"
    );
    CHECK(is_running(cluster, "runs"));
    CHECK(cluster.at(queue, {"status", "reservingWorkloads"}) == "1");
    cluster.merge(flavor, "{'spec':{'nodeLabels':{'tier':'spot'}}}");
    cluster.settle();
    CHECK(is_running(cluster, "waits"));
}

TEST_CASE("a deleted job frees its quota at once", "[controller]") {
    MiniCluster cluster;
    make_queues(cluster);
    cluster.put(job("gone", 4));
    cluster.settle();
    const ObjectKey workload = workload_key(cluster, "gone");
    cluster.remove(job_key("gone"));
    cluster.put(job("next", 4));
    cluster.settle();
    CHECK(cluster.condition("team", workload.name, "Finished") == "True/OwnerNotFound");
    CHECK(cluster.at(workload, {"metadata", "finalizers"}).empty());
    CHECK(is_running(cluster, "next"));
}

TEST_CASE("a deleted workload stops its job, and a new one is made", "[controller]") {
    MiniCluster cluster;
    make_queues(cluster);
    cluster.put(job("sample", 2));
    cluster.settle();
    const ObjectKey workload = workload_key(cluster, "sample");
    const std::string uid = cluster.at(workload, {"metadata", "uid"});
    cluster.remove(workload);
    cluster.settle();
    CHECK(has_event(cluster, "Stopped", "Workload is deleted"));
    REQUIRE(cluster.find(workload) != nullptr);
    CHECK(cluster.at(workload, {"metadata", "uid"}) != uid);
    CHECK(is_running(cluster, "sample"));
}

TEST_CASE("a workload that is deleted keeps its quota while pods of its job run", "[controller]") {
    MiniCluster cluster;
    make_queues(cluster);
    cluster.put(job("sample", 2));
    cluster.settle();
    set_active_pods(cluster, "sample", 1);
    cluster.settle();
    const ObjectKey workload = workload_key(cluster, "sample");
    const std::string uid = cluster.at(workload, {"metadata", "uid"});
    cluster.remove(workload);
    cluster.settle();
    CHECK_FALSE(is_running(cluster, "sample"));
    CHECK(cluster.at(workload, {"metadata", "uid"}) == uid);
    CHECK(cluster.condition("team", workload.name, "QuotaReserved") == "True/QuotaReserved");
    set_active_pods(cluster, "sample", 0);
    cluster.settle();
    CHECK(cluster.at(workload, {"metadata", "uid"}) != uid);
}

TEST_CASE("pods that are being deleted keep the quota of their job", "[controller]") {
    MiniCluster cluster;
    make_queues(cluster);
    cluster.put(job("sample", 2));
    cluster.settle();
    set_active_pods(cluster, "sample", 1);
    cluster.settle();
    const ObjectKey workload = workload_key(cluster, "sample");
    cluster.merge(workload, "{'spec':{'active':false}}");
    cluster.settle();
    cluster.merge(job_key("sample"), "{'status':{'active':0,'terminating':1}}");
    cluster.settle();
    CHECK_FALSE(is_running(cluster, "sample"));
    CHECK(cluster.condition("team", workload.name, "QuotaReserved") == "True/QuotaReserved");
    cluster.merge(job_key("sample"), "{'status':{'terminating':0}}");
    cluster.settle();
    CHECK(cluster.condition("team", workload.name, "QuotaReserved") == "False/Deactivated");
}

TEST_CASE("pods name the Workload of their job, whatever their template named", "[controller]") {
    MiniCluster cluster;
    make_queues(cluster);
    cluster.put(job("sample", 2));
    cluster.merge(
        job_key("sample"),
        "{'spec':{'template':{'metadata':{'annotations':{'kueue.x-k8s.io/workload':'other'}}}}}"
    );
    cluster.settle();
    REQUIRE(is_running(cluster, "sample"));
    CHECK(
        cluster.at(
            job_key("sample"),
            {"spec", "template", "metadata", "annotations", "kueue.x-k8s.io/workload"}
        ) == cluster.workload_of("team", "sample")
    );
}

TEST_CASE("a class's new value reaches the workloads beside one that refuses it", "[controller]") {
    MiniCluster cluster(GENERATE(range<std::uint64_t>(1, 5)));
    make_queues(cluster);
    cluster.put("{'kind':'WorkloadPriorityClass','metadata':{'name':'vip'},'value':1}");
    for (const std::string_view name : {"a", "b", "c"}) {
        cluster.put(job(name, 1, ",'kueue.x-k8s.io/priority-class':'vip'"));
    }
    cluster.settle();
    const ObjectKey refusing = workload_key(cluster, "a");
    cluster.fault = [&refusing](const Write& write) -> std::optional<Error> {
        return write.object == refusing ? std::optional(Error{ErrorCode::Invalid, "refused", {}})
                                        : std::nullopt;
    };
    cluster.put("{'kind':'WorkloadPriorityClass','metadata':{'name':'vip'},'value':9}");
    cluster.settle();
    CHECK(cluster.at(refusing, {"spec", "priority"}) == "1");
    CHECK(cluster.at(workload_key(cluster, "b"), {"spec", "priority"}) == "9");
    CHECK(cluster.at(workload_key(cluster, "c"), {"spec", "priority"}) == "9");
    cluster.fault = nullptr;
    cluster.settle(std::chrono::minutes(2));
    CHECK(cluster.at(refusing, {"spec", "priority"}) == "9");
}

TEST_CASE("a job that loses its queue label gives its quota back at its end", "[controller]") {
    MiniCluster cluster;
    make_queues(cluster);
    cluster.put(job("sample", 4));
    cluster.settle();
    REQUIRE(is_running(cluster, "sample"));
    cluster.merge(job_key("sample"), "{'metadata':{'labels':{'kueue.x-k8s.io/queue-name':null}}}");
    cluster.put(job("next", 4));
    cluster.settle();
    CHECK(is_running(cluster, "sample"));
    CHECK_FALSE(is_running(cluster, "next"));
    complete(cluster, "sample");
    cluster.settle();
    CHECK(
        cluster.condition("team", cluster.workload_of("team", "sample"), "Finished") ==
        "True/Succeeded"
    );
    CHECK(is_running(cluster, "next"));
}

TEST_CASE("a gated job whose LocalQueue is not there says one reason, once", "[controller]") {
    const bool is_granular = GENERATE(true, false);
    Settings settings;
    settings.gates.unadmitted_workloads_observability = is_granular;
    MiniCluster cluster(1, {}, settings);
    make_queues(cluster);
    cluster.remove({kind_of<api::LocalQueue>(), "team", "main"});
    cluster.put(
        job("sample", 2, "},'annotations':{'kueue.x-k8s.io/admission-gated-by':'example.com/gate'")
    );
    cluster.settle();
    const ObjectKey workload = workload_key(cluster, "sample");
    CHECK(
        cluster.condition("team", workload.name, "QuotaReserved") ==
        (is_granular ? "False/Misconfigured" : "False/Inadmissible")
    );
    const auto times_told = [&cluster] {
        return std::ranges::count(cluster.events, "AdmissionGated", &EventNote::reason);
    };
    CHECK(times_told() == 0);
    make_queues(cluster);
    cluster.settle();
    CHECK(cluster.condition("team", workload.name, "QuotaReserved") == "False/AdmissionGated");
    CHECK(has_event(cluster, "AdmissionGated", "Workload admission is gated by: example.com/gate"));
    CHECK(times_told() == 1);
    CHECK_FALSE(is_running(cluster, "sample"));
}

TEST_CASE("an admission gate that comes late takes nothing away", "[controller]") {
    MiniCluster cluster;
    make_queues(cluster);
    cluster.put(job("sample", 2));
    cluster.settle();
    cluster.merge(
        job_key("sample"),
        "{'metadata':{'annotations':{'kueue.x-k8s.io/admission-gated-by':'example.com/gate'}}}"
    );
    cluster.settle();
    const ObjectKey workload = workload_key(cluster, "sample");
    REQUIRE(
        cluster.at(workload, {"metadata", "annotations", "kueue.x-k8s.io/admission-gated-by"}) ==
        "example.com/gate"
    );
    CHECK(cluster.condition("team", workload.name, "QuotaReserved") == "True/QuotaReserved");
    CHECK(cluster.condition("team", workload.name, "Evicted").empty());
    CHECK(is_running(cluster, "sample"));
}

TEST_CASE("a stopped queue drains, and its jobs come back when it is resumed", "[controller]") {
    MiniCluster cluster(GENERATE(range<std::uint64_t>(1, 5)));
    make_queues(cluster);
    cluster.put(job("sample", 2));
    cluster.settle();
    const ObjectKey queue = GENERATE(
        ObjectKey{kind_of<api::ClusterQueue>(), "", "cq"},
        ObjectKey{kind_of<api::LocalQueue>(), "team", "main"}
    );
    cluster.merge(queue, "{'spec':{'stopPolicy':'HoldAndDrain'}}");
    cluster.settle();
    const std::string workload = cluster.workload_of("team", "sample");
    CHECK_FALSE(is_running(cluster, "sample"));
    CHECK(cluster.condition("team", workload, "QuotaReserved") == "False/Suspended");
    CHECK(cluster.condition("team", workload, "Requeued").starts_with("False/"));
    cluster.merge(queue, "{'spec':{'stopPolicy':'None'}}");
    cluster.settle();
    CHECK(cluster.condition("team", workload, "Requeued").starts_with("True/"));
    CHECK(is_running(cluster, "sample"));
}

TEST_CASE("of equivalent jobs none stays without a reason after a stop", "[controller]") {
    MiniCluster cluster(GENERATE(range<std::uint64_t>(1, 11)));
    const bool with_restart = GENERATE(false, true);
    make_queues(cluster);
    const std::vector<std::pair<std::string_view, int>> jobs{
        {"p1", 3}, {"p2", 2}, {"p3", 2}, {"p4", 2}, {"p5", 3}, {"p6", 2}, {"p7", 2}
    };
    for (const auto& [name, cpu] : jobs) {
        cluster.put(job(name, cpu));
        cluster.settle();
    }
    const ObjectKey queue = GENERATE(
        ObjectKey{kind_of<api::ClusterQueue>(), "", "cq"},
        ObjectKey{kind_of<api::LocalQueue>(), "team", "main"}
    );
    cluster.merge(queue, "{'spec':{'stopPolicy':'HoldAndDrain'}}");
    cluster.settle(std::chrono::seconds(4));
    cluster.merge(queue, "{'spec':{'stopPolicy':'None'}}");
    if (with_restart) {
        cluster.restart();
    }
    cluster.settle(std::chrono::seconds(10));
    int running = 0;
    for (const auto& [name, cpu] : jobs) {
        CAPTURE(name);
        running += is_running(cluster, name) ? 1 : 0;
        const std::string workload = cluster.workload_of("team", name);
        const std::string told = cluster.condition("team", workload, "QuotaReserved");
        CHECK(told == (is_running(cluster, name) ? "True/QuotaReserved" : "False/WaitingForQuota"));
    }
    CHECK(running > 0);
}

TEST_CASE("a deactivated workload stops, and runs again when it is activated", "[controller]") {
    MiniCluster cluster;
    make_queues(cluster);
    cluster.put(job("sample", 2));
    cluster.settle();
    const ObjectKey workload = workload_key(cluster, "sample");
    cluster.merge(workload, "{'spec':{'active':false}}");
    cluster.settle();
    CHECK_FALSE(is_running(cluster, "sample"));
    CHECK(cluster.condition("team", workload.name, "Evicted") == "True/Deactivated");
    CHECK(cluster.condition("team", workload.name, "QuotaReserved") == "False/Deactivated");
    cluster.merge(workload, "{'spec':{'active':true}}");
    cluster.settle();
    CHECK(is_running(cluster, "sample"));
}

TEST_CASE("a controller that dies anywhere is replaced by one that goes on", "[controller]") {
    for (int steps = 1; steps < 120; ++steps) {
        CAPTURE(steps);
        MiniCluster cluster(static_cast<std::uint64_t>(steps));
        make_queues(cluster);
        cluster.put("{'kind':'WorkloadPriorityClass','metadata':{'name':'high'},'value':1000}");
        cluster.put(job("a", 3));
        cluster.put(job("b", 3, ",'kueue.x-k8s.io/priority-class':'high'"));
        for (int i = 0; i < steps; ++i) {
            cluster.tick();
        }
        cluster.restart();
        cluster.settle();
        REQUIRE(is_running(cluster, "b"));
        REQUIRE_FALSE(is_running(cluster, "a"));
        complete(cluster, "b");
        cluster.settle();
        REQUIRE(is_running(cluster, "a"));
    }
}

TEST_CASE("a write that fails or whose answer is lost is made good", "[controller]") {
    for (int failing = 1; failing < 25; ++failing) {
        const bool is_done_anyway = failing % 2 == 0;
        CAPTURE(failing);
        MiniCluster cluster(static_cast<std::uint64_t>(failing));
        int count = 0;
        const auto fail = [&](const Write&) -> std::optional<Error> {
            return ++count == failing
                       ? std::optional(Error{ErrorCode::Unavailable, "connection reset", {}})
                       : std::nullopt;
        };
        if (is_done_anyway) {
            cluster.lost_answer = fail;
        } else {
            cluster.fault = fail;
        }
        make_queues(cluster);
        cluster.put(job("sample", 2));
        cluster.settle(std::chrono::minutes(2));
        REQUIRE(is_running(cluster, "sample"));
        complete(cluster, "sample");
        cluster.settle(std::chrono::minutes(2));
        REQUIRE(
            cluster.condition("team", cluster.workload_of("team", "sample"), "Finished") ==
            "True/Succeeded"
        );
    }
}

TEST_CASE("a job that waits after its preemption may change its queue", "[controller]") {
    MiniCluster cluster;
    make_queues(cluster);
    json::Value other = *cluster.find({kind_of<api::ClusterQueue>(), "", "cq"});
    other.find("metadata")->set("name", "cq2");
    cluster.put(json::print(other));
    cluster.put(
        "{'kind':'LocalQueue','metadata':{'name':'other','namespace':'team'},"
        "'spec':{'clusterQueue':'cq2','stopPolicy':'None'}}"
    );
    cluster.put("{'kind':'WorkloadPriorityClass','metadata':{'name':'high'},'value':10}");
    cluster.put(job("low", 4));
    cluster.settle();
    const ObjectKey low = workload_key(cluster, "low");
    cluster.put(job("high", 4, ",'kueue.x-k8s.io/priority-class':'high'"));
    cluster.settle();
    REQUIRE(cluster.condition("team", low.name, "Evicted") == "True/Preempted");
    REQUIRE_FALSE(is_running(cluster, "low"));
    cluster.merge(job_key("low"), "{'metadata':{'labels':{'kueue.x-k8s.io/queue-name':'other'}}}");
    cluster.settle();
    CHECK(cluster.at(low, {"spec", "queueName"}) == "other");
    CHECK(cluster.condition("team", low.name, "Admitted") == "True/Admitted");
    CHECK(is_running(cluster, "low"));
    CHECK(is_running(cluster, "high"));
}

}  // namespace sluice::controller
