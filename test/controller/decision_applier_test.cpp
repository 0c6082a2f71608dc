#include "controller/queued_jobs.hpp"
#include "engine/engine.hpp"

#include <catch2/catch_test_macros.hpp>
#include <catch2/generators/catch_generators.hpp>
#include <catch2/matchers/catch_matchers.hpp>
#include <catch2/matchers/catch_matchers_string.hpp>

#include <algorithm>
#include <chrono>
#include <set>
#include <string>
#include <string_view>

// What becomes of decisions on their way to the API server: when there is no room for writes, and
// when the world has moved on since.
namespace sluice::controller {
namespace {

using Catch::Matchers::ContainsSubstring;

std::string workload(const std::string& name, int cpu) {
    return "{'kind':'Workload','metadata':{'name':'" + name +
           "','namespace':'team'},'spec':{'queueName':'main','active':true,'podSets':[{'name':"
           "'main','count':1,'template':{'spec':{'containers':[{'name':'c','image':'i',"
           "'resources':{'requests':{'cpu':'" +
           std::to_string(cpu) + "'}}}]}}}]}}";
}

/// A Workload that is to take the place of `slice`.
std::string replacement(const std::string& name, int cpu, const std::string& slice) {
    std::string text = workload(name, cpu);
    const std::string_view before = "'namespace':'team'";
    text.insert(
        text.find(before) + before.size(),
        ",'annotations':{'kueue.x-k8s.io/workload-slice-replacement-for':'team/" + slice + "'}"
    );
    return text;
}

ObjectKey key_of(const std::string& name) {
    return {kind_of<api::Workload>(), "team", name};
}

void set_quota(MiniCluster& cluster, int cpu) {
    cluster.merge(
        {kind_of<api::ClusterQueue>(), "", "cq"},
        "{'spec':{'resourceGroups':[{'coveredResources':['cpu'],'flavors':[{'name':'spot',"
        "'resources':[{'name':'cpu','nominalQuota':'" +
            std::to_string(cpu) + "'}]}]}]}}"
    );
}

/// Lets the stores hear of everything, and nothing else happen.
void deliver_all(MiniCluster& cluster) {
    while (cluster.deliver_next()) {
    }
}

/// One cycle, whose decisions the applier gets whether there is room or not.
engine::CycleResult run_cycle(MiniCluster& cluster) {
    MiniCluster::Controller& c = cluster.controller();
    const engine::CycleResult result = engine::run_cycle(c.state, cluster.clock.now());
    c.applier.apply(result);
    return result;
}

/// How often a reason for waiting was accepted for that Workload.
std::size_t times_told(const MiniCluster& cluster, const std::string& name) {
    return static_cast<std::size_t>(std::ranges::count_if(
        cluster.events,
        [&name](const EventNote& event) {
            return event.type == EventType::Warning && event.regarding.name == name &&
                   event.reason == "ExceedsMaxQuota";
        }
    ));
}

std::string message_of(const MiniCluster& cluster, const std::string& name) {
    const std::string list = cluster.at(key_of(name), {"status", "conditions"});
    const auto from = list.find("\"message\":\"");
    return from == std::string::npos ? "" : list.substr(from, list.find("\",", from) - from);
}

bool holds_quota(MiniCluster& cluster, const std::string& name) {
    const engine::State& state = cluster.controller().state;
    const engine::WorkloadIndex index = state.find_workload("team/" + name);
    return index.is_valid() && state.workload(index).holding != nullptr;
}

}  // namespace

TEST_CASE(
    "a parked class is told within the room that the writer has, each workload once", "[controller]"
) {
    MiniCluster cluster;
    make_queues(cluster);
    cluster.settle();
    std::set<std::string> names;
    for (int i = 0; i < 50; ++i) {
        const std::string name = "w" + std::to_string(i);
        names.insert(name);
        cluster.put(workload(name, 9));
    }
    deliver_all(cluster);
    cluster.rows_max = 4;
    std::size_t rows_most = 0;
    for (int i = 0; i < 10'000 && cluster.tick(); ++i) {
        rows_most = std::max(rows_most, cluster.rows());
    }
    cluster.settle();
    CHECK(rows_most == 4);
    for (const std::string& name : names) {
        CAPTURE(name);
        CHECK(cluster.condition("team", name, "QuotaReserved") == "False/ExceedsMaxQuota");
        CHECK(times_told(cluster, name) == 1);
    }
    CHECK(cluster.controller().applier.outstanding() == 0);
}

TEST_CASE(
    "a workload whose class is parked has Kueue's sentence where Kueue writes one, and the numbers "
    "elsewhere",
    "[controller]"
) {
    constexpr const char* kBypassed = "Bypassed scheduling evaluation because an equivalent";
    const bool is_explicit = GENERATE(false, true);
    CAPTURE(is_explicit);
    Settings settings;
    settings.gates.unadmitted_workloads_explicit_status = is_explicit;
    MiniCluster cluster(1, {}, settings);
    make_queues(cluster);
    cluster.settle();
    cluster.put(workload("first", 9));
    cluster.settle();
    cluster.put(workload("second", 9));
    cluster.settle();
    CHECK(cluster.condition("team", "second", "QuotaReserved") == "False/ExceedsMaxQuota");
    const std::string numbers = message_of(cluster, "first");
    CAPTURE(numbers);
    CHECK(numbers.find("maximum capacity") != std::string::npos);
    const std::string message = message_of(cluster, "second");
    CHECK((message.find(kBypassed) != std::string::npos) == is_explicit);
    CHECK((message.find("maximum capacity") != std::string::npos) == !is_explicit);

    // What a cycle said of the workload itself stays.
    cluster.merge(key_of("first"), "{'metadata':{'labels':{'a':'b'}}}");
    cluster.settle();
    CHECK(message_of(cluster, "first") == numbers);
}

TEST_CASE("without room the latest reason waits, and is sent when there is room", "[controller]") {
    MiniCluster cluster;
    make_queues(cluster);
    cluster.settle();
    cluster.put(workload("big", 9));
    deliver_all(cluster);
    cluster.rows_max = 0;
    REQUIRE(run_cycle(cluster).refused.size() == 1);
    CHECK(cluster.rows() == 0);
    CHECK(cluster.controller().applier.outstanding() == 1);

    // Another quota makes another sentence.
    set_quota(cluster, 7);
    deliver_all(cluster);
    cluster.clock.advance(std::chrono::seconds(5));
    engine::apply(cluster.controller().state, engine::TimerFired{}, cluster.clock.now());
    REQUIRE(run_cycle(cluster).refused.size() == 1);
    CHECK(cluster.rows() == 0);
    CHECK(cluster.controller().applier.outstanding() == 1);
    cluster.settle();
    CHECK(times_told(cluster, "big") == 0);

    cluster.rows_max = 1;
    cluster.settle();
    CHECK(times_told(cluster, "big") == 1);
    CHECK(message_of(cluster, "big").find("maximum capacity (7)") != std::string::npos);
    CHECK(cluster.controller().applier.outstanding() == 0);
}

TEST_CASE("an admission does not wait for the room that reasons wait for", "[controller]") {
    MiniCluster cluster;
    make_queues(cluster);
    cluster.settle();
    cluster.put(workload("big", 9));
    deliver_all(cluster);
    cluster.rows_max = 0;
    REQUIRE(run_cycle(cluster).refused.size() == 1);
    cluster.put(workload("small", 1));
    deliver_all(cluster);
    REQUIRE(run_cycle(cluster).admitted.size() == 1);
    REQUIRE(cluster.rows() == 1);
    cluster.settle();
    CHECK(holds_quota(cluster, "small"));
    CHECK(cluster.condition("team", "small", "Admitted") == "True/Admitted");
    CHECK(times_told(cluster, "big") == 0);
}

TEST_CASE("what waits for room is not said of a workload that waits no more", "[controller]") {
    MiniCluster cluster;
    make_queues(cluster);
    cluster.settle();
    cluster.put(workload("big", 9));
    deliver_all(cluster);
    cluster.rows_max = 0;
    REQUIRE(run_cycle(cluster).refused.size() == 1);
    SECTION("deleted") {
        cluster.remove(key_of("big"));
    }
    SECTION("deactivated") {
        cluster.merge(key_of("big"), "{'spec':{'active':false}}");
    }
    SECTION("its queue stopped") {
        cluster.merge(
            {kind_of<api::LocalQueue>(), "team", "main"}, "{'spec':{'stopPolicy':'Hold'}}"
        );
    }
    deliver_all(cluster);
    cluster.rows_max = 16;
    cluster.settle();
    CHECK(times_told(cluster, "big") == 0);
    CHECK(cluster.controller().applier.outstanding() == 0);
}

TEST_CASE("a reason decided while an earlier one is being written follows it", "[controller]") {
    MiniCluster cluster;
    make_queues(cluster);
    cluster.settle();
    cluster.put(workload("big", 9));
    cluster.settle();
    REQUIRE(times_told(cluster, "big") == 1);
    for (const int quota : {7, 6}) {
        set_quota(cluster, quota);
        deliver_all(cluster);
        cluster.clock.advance(std::chrono::seconds(5));
        engine::apply(cluster.controller().state, engine::TimerFired{}, cluster.clock.now());
        REQUIRE(run_cycle(cluster).refused.size() == 1);
        CHECK(cluster.rows() == 1);
    }
    cluster.settle();
    CHECK(times_told(cluster, "big") == 3);
    CHECK(message_of(cluster, "big").find("maximum capacity (6)") != std::string::npos);
}

TEST_CASE("an admission that waits is dropped when its queue is deleted", "[controller]") {
    MiniCluster cluster;
    make_queues(cluster);
    cluster.settle();
    cluster.put(workload("big", 9));
    cluster.settle();
    const auto decide = [&cluster](int quota) {
        set_quota(cluster, quota);
        deliver_all(cluster);
        cluster.clock.advance(std::chrono::seconds(5));
        engine::apply(cluster.controller().state, engine::TimerFired{}, cluster.clock.now());
        return run_cycle(cluster);
    };
    // The admission waits for the reason that is being written.
    REQUIRE(decide(7).refused.size() == 1);
    REQUIRE(decide(9).admitted.size() == 1);
    REQUIRE(cluster.rows() == 1);
    cluster.remove({kind_of<api::ClusterQueue>(), "", "cq"});
    cluster.settle();
    CHECK(cluster.at(key_of("big"), {"status", "admission"}).empty());
    CHECK_FALSE(holds_quota(cluster, "big"));
    CHECK(cluster.controller().applier.outstanding() == 0);
}

TEST_CASE("a reason that the server could not take is written later", "[controller]") {
    MiniCluster cluster;
    make_queues(cluster);
    cluster.settle();
    cluster.put(workload("big", 9));
    cluster.settle();
    REQUIRE(times_told(cluster, "big") == 1);
    int failures = 3;
    cluster.fault = [&failures](const Write& write) -> std::optional<Error> {
        if (write.object.kind != kind_of<api::Workload>() || failures == 0) {
            return std::nullopt;
        }
        --failures;
        return Error{ErrorCode::Unavailable, "connection reset", {}};
    };
    set_quota(cluster, 7);
    cluster.settle(std::chrono::seconds(10));
    CHECK(failures == 0);
    CHECK(times_told(cluster, "big") == 2);
    CHECK(message_of(cluster, "big").find("maximum capacity (7)") != std::string::npos);
}

TEST_CASE("reasons that the server never takes are tried ever more rarely", "[controller]") {
    MiniCluster cluster;
    make_queues(cluster);
    cluster.settle();
    cluster.rows_max = 1;
    int refused = 0;
    cluster.fault = [&refused](const Write& write) -> std::optional<Error> {
        if (write.object.kind != kind_of<api::Workload>() || write.object.name != "big") {
            return std::nullopt;
        }
        ++refused;
        return Error{ErrorCode::Internal, "failed calling webhook", {}};
    };
    cluster.put(workload("big", 9));
    cluster.settle(std::chrono::minutes(1));
    CHECK(refused >= 5);
    CHECK(refused <= 8);
    cluster.put(workload("small", 1));
    cluster.settle();
    CHECK(holds_quota(cluster, "small"));
}

TEST_CASE("the event of a reservation names the flavors that were passed over", "[controller]") {
    MiniCluster cluster;
    make_queues(cluster);
    cluster.put(
        "{'kind':'ResourceFlavor','metadata':{'name':'tainted'},'spec':{'nodeTaints':[{'key':'k',"
        "'value':'v','effect':'NoSchedule'}]}}"
    );
    cluster.merge(
        {kind_of<api::ClusterQueue>(), "", "cq"},
        "{'spec':{'resourceGroups':[{'coveredResources':['cpu'],'flavors':["
        "{'name':'tainted','resources':[{'name':'cpu','nominalQuota':'4'}]},"
        "{'name':'spot','resources':[{'name':'cpu','nominalQuota':'4'}]}]}]}}"
    );
    cluster.put(workload("w", 1));
    cluster.settle();
    CHECK(has_event(
        cluster,
        "QuotaReserved",
        "Quota reserved in ClusterQueue cq, wait time since queued was 0s; Flavors considered: "
        "main: tainted(NoFit;untolerated taint {k v NoSchedule <nil>} in flavor tainted)"
    ));
}

TEST_CASE("a workload that lacks one resource while another fits is told so", "[controller]") {
    MiniCluster cluster;
    make_queues(cluster);
    std::string text = workload("w", 1);
    const std::string_view requests = "'requests':{";
    text.insert(text.find(requests) + requests.size(), "'example.com/gpu':'1',");
    cluster.put(text);
    cluster.settle();
    CHECK(cluster.condition("team", "w", "QuotaReserved") == "False/NoMatchingFlavor");
    CHECK(
        message_of(cluster, "w").find("resource example.com/gpu unavailable in ClusterQueue") !=
        std::string::npos
    );
}

TEST_CASE(
    "a workload that gates keep from evicting is told so once, until they open", "[controller]"
) {
    const std::string told = "Workload requires preemption, but it's gated";
    MiniCluster cluster(1, {.gates = {.preemption_gates = true}});
    make_queues(cluster);
    cluster.put(workload("low", 4));
    cluster.settle();
    REQUIRE(holds_quota(cluster, "low"));
    std::string high = workload("high", 4);
    high.insert(high.find("'queueName'"), "'priority':9,'preemptionGates':[{'name':'g'}],");
    cluster.put(high);
    cluster.settle();
    CHECK(cluster.condition("team", "high", "QuotaReserved") == "False/AdmissionGated");
    CHECK(cluster.condition("team", "high", "BlockedOnPreemptionGates") == "True/PreemptionGated");
    const std::string conditions = cluster.at(key_of("high"), {"status", "conditions"});
    const std::string message = "\"message\":\"" + told + "\"";
    const std::size_t first = conditions.find(message);
    REQUIRE(first != std::string::npos);
    CHECK(conditions.find(message, first + 1) != std::string::npos);
    CHECK(has_event(cluster, "AdmissionGated", told));
    CHECK(holds_quota(cluster, "low"));

    const std::size_t writes = cluster.writes.size();
    cluster.restart();
    cluster.settle();
    cluster.merge(key_of("high"), "{'metadata':{'labels':{'by':'another'}}}");
    cluster.settle(std::chrono::seconds(30));
    CHECK(cluster.writes.size() == writes);
    CHECK(std::ranges::count(cluster.events, "AdmissionGated", &EventNote::reason) == 1);

    cluster.merge(
        key_of("high"),
        "{'status':{'preemptionGates':[{'name':'g','position':'Open','lastTransitionTime':"
        "'2020-01-01T00:00:00Z'}]}}"
    );
    cluster.settle();
    CHECK(cluster.condition("team", "low", "Preempted") == "True/InClusterQueue");
}

TEST_CASE("what one is told of its gates is not told to others of its class", "[controller]") {
    MiniCluster cluster(1, {.gates = {.preemption_gates = true}});
    make_queues(cluster);
    cluster.put(workload("low", 4));
    cluster.settle();
    std::string gated = workload("gated", 4);
    gated.insert(gated.find("'queueName'"), "'priority':9,'preemptionGates':[{'name':'g'}],");
    cluster.put(gated);
    cluster.settle();
    std::string other = workload("other", 4);
    other.insert(other.find("'queueName'"), "'priority':9,");
    cluster.put(other);
    cluster.settle();
    CHECK(cluster.condition("team", "other", "BlockedOnPreemptionGates").empty());
    CHECK(
        cluster.condition("team", "other", "QuotaReserved") == "False/WaitingForPreemptedWorkloads"
    );
    CHECK(cluster.condition("team", "gated", "QuotaReserved") == "False/AdmissionGated");
}

TEST_CASE("an admission of an older spec is not written, and is taken back", "[controller]") {
    MiniCluster cluster;
    make_queues(cluster);
    cluster.settle();
    cluster.put(workload("fickle", 9));
    deliver_all(cluster);
    REQUIRE(run_cycle(cluster).refused.size() == 1);
    REQUIRE(cluster.rows() == 1);  // the admission has to wait until this is written and seen
    cluster.put(workload("fickle", 1));
    deliver_all(cluster);
    REQUIRE(run_cycle(cluster).admitted.size() == 1);
    REQUIRE(holds_quota(cluster, "fickle"));
    cluster.put(workload("fickle", 3));
    deliver_all(cluster);
    REQUIRE(cluster.rows() == 1);

    while (cluster.rows() > 0) {
        cluster.tick();
    }
    deliver_all(cluster);
    CHECK(cluster.rows() == 0);
    CHECK_FALSE(holds_quota(cluster, "fickle"));
    CHECK(cluster.at(key_of("fickle"), {"status", "admission"}).empty());

    cluster.settle();
    CHECK(holds_quota(cluster, "fickle"));
    const std::string admission = cluster.at(key_of("fickle"), {"status", "admission"});
    CHECK(admission.find(R"("resourceUsage":{"cpu":"3"})") != std::string::npos);
}

TEST_CASE("a workload that never got its quota is not reported preempted", "[controller]") {
    MiniCluster cluster;
    make_queues(cluster);
    set_quota(cluster, 1);
    cluster.settle();
    cluster.put(workload("low", 1));
    deliver_all(cluster);
    REQUIRE(run_cycle(cluster).admitted.size() == 1);
    REQUIRE(cluster.rows() == 1);
    std::string high = workload("high", 1);
    high.insert(high.find("'queueName'"), "'priority':9,");
    cluster.put(high);
    deliver_all(cluster);
    REQUIRE(run_cycle(cluster).preempted.size() == 1);
    cluster.fault = [](const Write& write) -> std::optional<Error> {
        const bool admits = write.body.find_path({"status", "admission"}) != nullptr;
        return write.object == key_of("low") && admits
                   ? std::optional(Error{ErrorCode::Forbidden, "no", {}})
                   : std::nullopt;
    };
    cluster.settle();
    CHECK(cluster.condition("team", "high", "Admitted") == "True/Admitted");
    CHECK(cluster.condition("team", "low", "Evicted").empty());
    CHECK(cluster.condition("team", "low", "Preempted").empty());
    CHECK(std::ranges::count(cluster.events, "Preempted", &EventNote::reason) == 0);
    CHECK(cluster.controller().applier.outstanding() == 0);
}

TEST_CASE("a slice ends when the admission of its replacement is written", "[controller]") {
    MiniCluster cluster;
    make_queues(cluster);
    cluster.settle();
    cluster.put(workload("first", 3));
    cluster.settle();
    REQUIRE(cluster.condition("team", "first", "Admitted") == "True/Admitted");
    cluster.put(replacement("second", 4, "first"));
    int faults = 0;
    SECTION("at once") {}
    SECTION("on the version that the first attempt was refused for") {
        cluster.fault = [&](const Write& write) -> std::optional<Error> {
            if (write.object == key_of("first") && faults++ == 0) {
                cluster.merge(key_of("first"), "{'metadata':{'labels':{'by':'another'}}}");
            }
            return std::nullopt;
        };
    }
    SECTION("though the server refused that more than once") {
        cluster.fault = [&](const Write& write) -> std::optional<Error> {
            return write.object == key_of("first") && faults++ < 3
                       ? std::optional(Error{ErrorCode::Unavailable, "later", {}})
                       : std::nullopt;
        };
    }
    SECTION("by the next controller when the one that admitted it died before") {
        cluster.fault = [](const Write& write) -> std::optional<Error> {
            return write.object == key_of("first")
                       ? std::optional(Error{ErrorCode::Unavailable, "later", {}})
                       : std::nullopt;
        };
        while (cluster.condition("team", "second", "Admitted").empty()) {
            REQUIRE(cluster.tick());
        }
        REQUIRE(cluster.condition("team", "first", "Finished").empty());
        CHECK(holds_quota(cluster, "first"));
        cluster.fault = {};
        cluster.restart();
    }
    cluster.settle(std::chrono::seconds(30));
    CHECK(cluster.condition("team", "second", "Admitted") == "True/Admitted");
    CHECK(cluster.condition("team", "first", "Finished") == "True/WorkloadSliceReplaced");
    CHECK(cluster.condition("team", "first", "Evicted").empty());
    CHECK_FALSE(holds_quota(cluster, "first"));
    CHECK(holds_quota(cluster, "second"));
    CHECK(cluster.controller().applier.outstanding() == 0);
    CHECK(std::ranges::count(cluster.events, "WorkloadSliceReplaced", &EventNote::reason) == 1);
    const std::size_t writes = cluster.writes.size();
    cluster.restart();
    cluster.settle();
    CHECK(cluster.writes.size() == writes);
}

TEST_CASE("a slice goes on when the one that names it did not take its place", "[controller]") {
    MiniCluster cluster;
    make_queues(cluster);
    cluster.settle();
    cluster.put(workload("first", 3));
    cluster.settle();
    REQUIRE(cluster.condition("team", "first", "Admitted") == "True/Admitted");
    SECTION("holding quota of another ClusterQueue, for another job") {
        json::Value other = *cluster.find({kind_of<api::ClusterQueue>(), "", "cq"});
        other.find("metadata")->set("name", "cq2");
        cluster.put(json::print(other));
        cluster.put(
            "{'kind':'LocalQueue','metadata':{'name':'other','namespace':'team'},"
            "'spec':{'clusterQueue':'cq2','stopPolicy':'None'}}"
        );
        std::string second = replacement("second", 4, "first");
        second.replace(second.find("'main'"), 6, "'other'");
        cluster.put(second);
        cluster.settle();
        CHECK(cluster.condition("team", "second", "Admitted") == "True/Admitted");
    }
    SECTION("waiting for the difference") {
        cluster.put(replacement("second", 9, "first"));
        cluster.settle();
        CHECK_FALSE(holds_quota(cluster, "second"));
    }
    CHECK(cluster.condition("team", "first", "Finished").empty());
    CHECK(holds_quota(cluster, "first"));
}

TEST_CASE("a slice goes on when the admission of its replacement is refused", "[controller]") {
    MiniCluster cluster;
    make_queues(cluster);
    cluster.settle();
    cluster.put(workload("first", 3));
    cluster.settle();
    cluster.fault = [](const Write& write) -> std::optional<Error> {
        return write.object == key_of("second") ? std::optional(Error{ErrorCode::Invalid, "no", {}})
                                                : std::nullopt;
    };
    cluster.put(replacement("second", 4, "first"));
    cluster.settle();
    CHECK(cluster.condition("team", "first", "Finished").empty());
    CHECK(holds_quota(cluster, "first"));
    CHECK_FALSE(holds_quota(cluster, "second"));
}

}  // namespace sluice::controller
