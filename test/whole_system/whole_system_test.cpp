#include "api/meta/codec.hpp"
#include "base/log.hpp"
#include "whole_system/course.hpp"
#include "whole_system/invariants.hpp"
#include "whole_system/pod_account.hpp"
#include "whole_system/quota_ledger.hpp"
#include "whole_system/world.hpp"

#include <catch2/catch_test_macros.hpp>
#include <fmt/format.h>

#include <optional>
#include <string>
#include <utility>
#include <vector>

namespace sluice::whole_system {
namespace {

template <class T>
T made(std::string text) {
    auto object = api::from_value<T>(parse(std::move(text)));
    REQUIRE(object);
    return std::move(*object);
}

std::string queue_text(std::string_view name, int nominal, std::string_view limits) {
    return fmt::format(
        "{{'apiVersion':'kueue.x-k8s.io/v1beta2','kind':'ClusterQueue','metadata':{{'name':'{}'}},"
        "'spec':{{'cohortName':'team','resourceGroups':[{{'coveredResources':['cpu'],'flavors':[{{"
        "'name':'f','resources':[{{'name':'cpu','nominalQuota':'{}'{}}}]}}]}}]}}}}",
        name,
        nominal,
        limits
    );
}

QuotaLedger two_queues(std::string_view limits_of_lender) {
    QuotaLedger ledger;
    ledger.put(made<api::ClusterQueue>(queue_text("lender", 4, limits_of_lender)));
    ledger.put(made<api::ClusterQueue>(queue_text("borrower", 2, "")));
    return ledger;
}

Holding cpu(std::string queue, std::int64_t amount) {
    return {.cluster_queue = std::move(queue), .amounts = {{{"f", "cpu"}, api::Quantity(amount)}}};
}

std::string workload_text(std::string_view name, std::string_view owner, int amount) {
    return fmt::format(
        "{{'apiVersion':'kueue.x-k8s.io/v1beta2','kind':'Workload','metadata':{{'name':'{}',"
        "'namespace':'ns','ownerReferences':[{{'apiVersion':'batch/v1','kind':'Job','name':'j',"
        "'uid':'{}'}}]}},'spec':{{'podSets':[]}},'status':{{'conditions':[{{'type':'QuotaReserved',"
        "'status':'True'}}],'admission':{{'clusterQueue':'lender','podSetAssignments':[{{"
        "'name':'main','flavors':{{'cpu':'f'}},'resourceUsage':{{'cpu':'{}'}},'count':1}}]}}}}}}",
        name,
        owner,
        amount
    );
}

/// A store that is watched, long after its queue was made.
struct Watched {
    apiserver::State state{1, 100};
    Time now{std::chrono::hours(1)};
    Invariants invariants{state, [this] { return now; }};

    Watched() {
        put("clusterqueues", "lender", queue_text("lender", 4, ""));
        now += std::chrono::hours(1);
    }
    void put(std::string plural, std::string name, std::string text) {
        const bool is_queue = plural == "clusterqueues";
        state.store.put(
            {"kueue.x-k8s.io", std::move(plural)},
            {is_queue ? "" : "ns", std::move(name)},
            parse(std::move(text))
        );
    }
};

}  // namespace

TEST_CASE("the ledger lets a queue borrow what its cohort lends, and no more", "[whole_system]") {
    const QuotaLedger free = two_queues("");
    CHECK(free.has_room(cpu("borrower", 6)));
    CHECK_FALSE(free.has_room(cpu("borrower", 7)));
    const QuotaLedger limited = two_queues(",'lendingLimit':'1'");
    CHECK(limited.has_room(cpu("borrower", 3)));
    CHECK_FALSE(limited.has_room(cpu("borrower", 4)));
    CHECK(limited.has_room(cpu("lender", 6)));
    const QuotaLedger modest = two_queues(",'borrowingLimit':'1'");
    CHECK(modest.has_room(cpu("lender", 5)));
    CHECK_FALSE(modest.has_room(cpu("lender", 6)));
}

TEST_CASE("the ledger counts what others of the cohort hold", "[whole_system]") {
    QuotaLedger ledger = two_queues("");
    ledger.hold({"ns", "a"}, cpu("lender", 4));
    CHECK(ledger.has_room(cpu("borrower", 2)));
    CHECK_FALSE(ledger.has_room(cpu("borrower", 3)));
    CHECK(ledger.could_have_room(cpu("borrower", 3)));
    ledger.hold({"ns", "a"}, std::nullopt);
    CHECK(ledger.has_room(cpu("borrower", 3)));
}

TEST_CASE("an admission beyond quota is a problem, one within is none", "[whole_system]") {
    Watched watched;
    watched.put("workloads", "a", workload_text("a", "u1", 4));
    CHECK(watched.invariants.problems().empty());
    watched.put("workloads", "b", workload_text("b", "u2", 1));
    REQUIRE(watched.invariants.problems().size() == 1);
    CHECK(
        watched.invariants.problems().front().find(
            "ns/b was admitted beyond quota: cpu of f in team: 5 used, 4 is the limit"
        ) != std::string::npos
    );
}

TEST_CASE("a job that holds quota by two Workloads is a problem", "[whole_system]") {
    Watched watched;
    watched.put("workloads", "a", workload_text("a", "u1", 1));
    watched.put("workloads", "b", workload_text("b", "u1", 1));
    REQUIRE(watched.invariants.problems().size() == 1);
    CHECK(watched.invariants.problems().front().find("holds quota twice") != std::string::npos);
}

TEST_CASE("an object that is written again and again is a problem", "[whole_system]") {
    Watched watched;
    for (int i = 0; i < Invariants::kLoopWrites; ++i) {
        watched.put(
            "localqueues", "q", fmt::format("{{'metadata':{{'name':'q'}},'spec':{{'i':{}}}}}", i)
        );
    }
    REQUIRE(watched.invariants.problems().size() == 1);
    CHECK(watched.invariants.problems().front().find("in a loop") != std::string::npos);
}

TEST_CASE("pods beyond what Workloads hold are a problem after the grace", "[whole_system]") {
    apiserver::State state{1, 100};
    Time now{std::chrono::hours(1)};
    PodAccount account(state, [&now] { return now; });
    account.set_grace(std::chrono::minutes(1));
    const auto put_pod = [&state](std::string name, std::string_view gates) {
        state.store.put(
            {"", "pods"},
            {"ns", name},
            parse(fmt::format(
                "{{'metadata':{{'name':'{}','namespace':'ns'}},'spec':{{{}'containers':[{{'name':"
                "'c','image':'i','resources':{{'requests':{{'cpu':'2'}}}}}}]}}}}",
                name,
                gates
            ))
        );
    };
    state.store.put(
        {"kueue.x-k8s.io", "workloads"}, {"ns", "a"}, parse(workload_text("a", "u1", 3))
    );
    put_pod("a", "");
    put_pod("b", "'schedulingGates':[{'name':'kueue.x-k8s.io/admission'}],");
    now += std::chrono::hours(1);
    account.check();
    CHECK(account.problems().empty());
    put_pod("b", "");
    account.check();
    CHECK(account.problems().empty());
    now += std::chrono::seconds(61);
    account.check();
    REQUIRE(account.problems().size() == 1);
    CHECK(account.problems().front().starts_with(
        "for 61 s, cpu: the pods request 4, the Workloads hold 3: pod a cpu=2 pod b cpu=2"
    ));
}

TEST_CASE("a hostile tenant gets no more than the quota", "[whole_system]") {
    log::set_level(log::Level::Off);
    const CourseResult result = play_hostile_course({.seed = 3, .actions = 30});
    CHECK(result.problems == std::vector<std::string>());
    CHECK(result.jobs > 0);
}

TEST_CASE("the journals of all replicas replay with every decision the same", "[whole_system]") {
    log::set_level(log::Level::Off);
    for (const std::uint64_t seed : {5U, 6U}) {
        const CourseResult result =
            play_course({.seed = seed, .actions = 15, .records_journals = true});
        CHECK(result.problems == std::vector<std::string>());
        CHECK(result.replayed_cycles > 5);
    }
}

TEST_CASE("the same seed has the same course, another one has another", "[whole_system]") {
    log::set_level(log::Level::Off);
    const CourseResult first = play_course({.seed = 7, .actions = 12});
    const CourseResult again = play_course({.seed = 7, .actions = 12});
    const CourseResult other = play_course({.seed = 8, .actions = 12});
    CHECK(first.problems.empty());
    CHECK(first.digest == again.digest);
    CHECK(first.digest != other.digest);
    CHECK(first.jobs > 0);
}

}  // namespace sluice::whole_system
