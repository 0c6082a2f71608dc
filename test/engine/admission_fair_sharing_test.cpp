#include "engine/audited.hpp"
#include "engine/engine.hpp"

#include <catch2/catch_approx.hpp>
#include <catch2/catch_test_macros.hpp>

#include <chrono>
#include <limits>
#include <string>
#include <utility>
#include <vector>

namespace sluice::engine {
namespace {

using namespace std::chrono_literals;
using Catch::Approx;

constexpr Time kNow{std::chrono::seconds(1'700'000'000)};
constexpr Billionths kUnit = 1'000'000'000;  // a core, a byte

Options sharing_options() {
    Options options;
    options.admission_fair_sharing = true;
    options.usage_half_life = 10s;
    options.usage_sampling_interval = 10s;
    return options;
}

/// LocalQueues "a" and "b" of one ClusterQueue with 10 cores.
struct TwoTeams {
    State state;
    Time now = kNow;

    explicit TwoTeams(
        ConsumedResources consumed_by_a = {},
        double weight_of_a = 1.0,
        Options options = sharing_options(),
        bool by_usage = true
    )
        : state(std::move(options)) {
        tell(FlavorChanged{{.name = "f"}});
        ClusterQueue queue;
        queue.name = "cq";
        queue.resource_groups = {
            {.covered_resources = {"cpu"},
             .flavors = {{.flavor = "f", .quotas = {{.nominal = Amount(10'000)}}}}}
        };
        queue.preemption.within_cluster_queue = PreemptionPolicy::LowerPriority;
        queue.admission_fair_sharing = by_usage;
        tell(ClusterQueueChanged{queue});
        report_local_queue("a", weight_of_a, std::move(consumed_by_a));
        report_local_queue("b", 1.0, {});
    }
    void tell(const Event& event) { apply_audited(state, event, now); }
    void report_local_queue(const std::string& name, double weight, ConsumedResources consumed) {
        tell(LocalQueueChanged{
            {.ns = "ns",
             .name = name,
             .cluster_queue = "cq",
             .fair_weight = weight,
             .consumed = std::move(consumed)}
        });
    }
    Workload make(const std::string& queue, const std::string& name, std::int64_t millis) {
        Workload made;
        made.ns = "ns";
        made.name = name;
        made.uid = name;
        made.local_queue = queue;
        made.queue_order = now;
        made.generation = 1;
        made.pod_sets = {
            {.name = "main", .requests = {{.resource = "cpu", .amount = Amount(millis)}}}
        };
        return made;
    }
    Workload make_holder(const Workload& pending, bool admitted) {
        Workload made = pending;
        const Amount amount = pending.pod_sets[0].requests[0].amount;
        made.reservation = QuotaReservation{
            .cluster_queue = "cq",
            .pod_sets =
                {{.name = "main",
                  .resources = {{.resource = "cpu", .flavor = "f", .amount = amount}},
                  .count = 1}},
            .reserved_at = now,
            .admitted = admitted,
        };
        return made;
    }
    std::vector<std::string> order() {
        std::vector<std::string> keys;
        for (const auto index : state.heap_in_order(state.find_cluster_queue("cq"))) {
            keys.push_back(std::string(state.workload_key(index)).substr(3));
        }
        return keys;
    }
    std::string admit_one() {
        const CycleResult result = run_cycle_audited(state, now);
        REQUIRE(result.admitted.size() == 1);
        return std::string(state.workload_key(result.admitted.front().workload)).substr(3);
    }
    double usage_of(const std::string& queue) {
        return state.local_queue(state.find_local_queue("ns/" + queue)).fair_usage;
    }
};

}  // namespace

TEST_CASE("the team that has used less goes first, whatever the priorities", "[engine][afs]") {
    TwoTeams teams({{"cpu", 3 * kUnit}});
    auto urgent = teams.make("a", "urgent", 1'000);
    urgent.priority = 100;
    teams.tell(WorkloadChanged{urgent});
    teams.tell(WorkloadChanged{teams.make("b", "plain", 1'000)});
    CHECK(teams.order() == std::vector<std::string>{"plain", "urgent"});
}

TEST_CASE(
    "without a half-life the past does not count, not even the reported one", "[engine][afs]"
) {
    auto options = sharing_options();
    options.usage_half_life = Duration{};
    TwoTeams teams({{"cpu", 3 * kUnit}}, 1.0, options);
    auto urgent = teams.make("a", "urgent", 1'000);
    urgent.priority = 100;
    teams.tell(WorkloadChanged{urgent});
    teams.tell(WorkloadChanged{teams.make("b", "plain", 1'000)});
    CHECK(teams.order() == std::vector<std::string>{"urgent", "plain"});
}

TEST_CASE("without its mode a ClusterQueue keeps to priorities", "[engine][afs]") {
    TwoTeams teams({{"cpu", 3 * kUnit}}, 1.0, sharing_options(), false);
    auto urgent = teams.make("a", "urgent", 1'000);
    urgent.priority = 100;
    teams.tell(WorkloadChanged{teams.make("b", "plain", 1'000)});
    teams.tell(WorkloadChanged{urgent});
    CHECK(teams.order() == std::vector<std::string>{"urgent", "plain"});
}

TEST_CASE("an admission counts at once, so that teams take turns", "[engine][afs]") {
    TwoTeams teams;
    for (const char* name : {"a1", "a2", "a3"}) {
        teams.tell(WorkloadChanged{teams.make("a", name, 1'000)});
    }
    teams.now += 1s;
    for (const char* name : {"b1", "b2"}) {
        teams.tell(WorkloadChanged{teams.make("b", name, 1'000)});
    }
    std::vector<std::string> admitted;
    for (int i = 0; i < 5; ++i) {
        admitted.push_back(teams.admit_one());
    }
    CHECK(admitted == std::vector<std::string>{"a1", "b1", "a2", "b2", "a3"});
    // Half of the requests: one sampling interval is one half-life.
    CHECK(teams.usage_of("a") == Approx(1.5));
}

TEST_CASE("a charge is dropped with an admission that came to nothing", "[engine][afs]") {
    TwoTeams teams;
    teams.tell(WorkloadChanged{teams.make("a", "a1", 2'000)});
    CHECK(teams.admit_one() == "a1");
    CHECK(teams.usage_of("a") == Approx(1.0));
    SECTION("its write failed") {
        teams.tell(AdmissionFailed{.ns = "ns", .name = "a1"});
    }
    SECTION("it was deleted") {
        teams.tell(WorkloadDeleted{.ns = "ns", .name = "a1"});
    }
    SECTION("it was deactivated before it was admitted") {
        teams.tell(AdmissionWritten{.ns = "ns", .name = "a1"});
        auto inactive = teams.make("a", "a1", 2'000);
        inactive.queueable = false;
        inactive.ended = true;
        teams.tell(WorkloadChanged{inactive});
    }
    SECTION("it was deactivated while that was being written") {
        auto inactive = teams.make("a", "a1", 2'000);
        inactive.queueable = false;
        inactive.ended = true;
        teams.tell(WorkloadChanged{inactive});
    }
    CHECK(teams.usage_of("a") == 0.0);
}

TEST_CASE("a charge stays while the workload may still be admitted by it", "[engine][afs]") {
    TwoTeams teams;
    const auto pending = teams.make("a", "a1", 2'000);
    teams.tell(WorkloadChanged{pending});
    teams.admit_one();
    teams.tell(AdmissionWritten{.ns = "ns", .name = "a1"});
    const auto reserving = teams.make_holder(pending, false);
    teams.tell(WorkloadChanged{reserving});
    SECTION("it is on hold") {
        auto on_hold = pending;
        on_hold.queueable = false;
        teams.tell(WorkloadChanged{on_hold});
        CHECK(teams.usage_of("a") == Approx(1.0));
    }
    SECTION("it is deactivated and has not given its reservation up") {
        auto inactive = reserving;
        inactive.queueable = false;
        inactive.ended = true;
        teams.tell(WorkloadChanged{inactive});
        CHECK(teams.usage_of("a") == Approx(1.0));
        SECTION("and is admitted once it is active again") {
            teams.tell(WorkloadChanged{reserving});
            teams.tell(WorkloadChanged{teams.make_holder(pending, true)});
            const auto& queue = teams.state.local_queue(teams.state.find_local_queue("ns/a"));
            CHECK_FALSE(queue.ledger.has_charges());
            CHECK(teams.usage_of("a") == Approx(1.0));
        }
        SECTION("until it does") {
            inactive.reservation.reset();
            teams.tell(WorkloadChanged{inactive});
            CHECK(teams.usage_of("a") == 0.0);
        }
    }
}

TEST_CASE("a charge becomes consumption when the workload is admitted", "[engine][afs]") {
    TwoTeams teams;
    const auto pending = teams.make("a", "a1", 2'000);
    teams.tell(WorkloadChanged{pending});
    teams.admit_one();
    teams.tell(AdmissionWritten{.ns = "ns", .name = "a1"});
    teams.tell(WorkloadChanged{teams.make_holder(pending, false)});
    teams.tell(WorkloadChanged{teams.make_holder(pending, true)});
    const auto& queue = teams.state.local_queue(teams.state.find_local_queue("ns/a"));
    CHECK_FALSE(queue.ledger.has_charges());
    CHECK(queue.ledger.usage({}, 1.0) == Approx(1.0));
    CHECK(teams.usage_of("a") == Approx(1.0));
}

TEST_CASE("usage is sampled when it is due, and decays to nothing", "[engine][afs]") {
    TwoTeams teams({{"cpu", 8 * kUnit}});
    REQUIRE(next_due(teams.state) == kNow + 10s);
    teams.now += 10s;
    teams.tell(TimerFired{});
    CHECK(teams.usage_of("a") == Approx(4.0));
    CHECK(next_due(teams.state) == kNow + 20s);
    for (int i = 0; i < 40; ++i) {
        teams.now += 10s;
        teams.tell(TimerFired{});
    }
    CHECK(teams.usage_of("a") == 0.0);
}

TEST_CASE("a sample that is due beyond the end of the clock never comes", "[engine][afs]") {
    STATIC_REQUIRE(later(kNow, 10s) == kNow + 10s);
    STATIC_REQUIRE(later(kNow, Duration::max()) == Time::max());
    STATIC_REQUIRE(later(Time(-1s), Duration::max()) == Time::max() - 1s);
    Options options = sharing_options();
    options.usage_sampling_interval = Duration::max();
    TwoTeams teams({{"cpu", 8 * kUnit}}, 1.0, options);
    teams.now += 10s;
    teams.tell(TimerFired{});
    CHECK(next_due(teams.state) == Time::max());
    CHECK(teams.usage_of("a") == Approx(8.0));
}

TEST_CASE("what runs is consumed as time passes", "[engine][afs]") {
    TwoTeams teams;
    teams.tell(WorkloadChanged{teams.make_holder(teams.make("a", "a1", 4'000), true)});
    CHECK(teams.usage_of("a") == 0.0);
    teams.now += 10s;
    teams.tell(TimerFired{});
    CHECK(teams.usage_of("a") == Approx(2.0));
    teams.tell(WorkloadDeleted{.ns = "ns", .name = "a1"});
    teams.now += 10s;
    teams.tell(TimerFired{});
    CHECK(teams.usage_of("a") == Approx(1.0));
}

TEST_CASE("weights divide usage, and a team of weight 0 goes last", "[engine][afs]") {
    TwoTeams heavy({{"cpu", 8 * kUnit}}, 4.0);
    CHECK(heavy.usage_of("a") == Approx(2.0));
    heavy.report_local_queue("a", 0.0, {});
    CHECK(heavy.usage_of("a") == std::numeric_limits<double>::infinity());
    heavy.tell(WorkloadChanged{heavy.make("a", "first", 1'000)});
    heavy.tell(WorkloadChanged{heavy.make("b", "second", 1'000)});
    CHECK(heavy.order() == std::vector<std::string>{"second", "first"});
}

TEST_CASE("resources count by their weights", "[engine][afs]") {
    Options options = sharing_options();
    options.resource_weights = {{"cpu", 2.0}, {"memory", 0.0}};
    TwoTeams teams(
        {{"cpu", 3 * kUnit}, {"memory", 1'000'000'000'000 * kUnit}, {"gpu", 1 * kUnit}},
        1.0,
        options
    );
    CHECK(teams.usage_of("a") == Approx(7.0));
}

TEST_CASE("the victim is taken from the team that has used more", "[engine][afs]") {
    TwoTeams teams({{"cpu", 3 * kUnit}});
    auto of_a = teams.make("a", "a1", 5'000);
    of_a.priority = 5;
    teams.tell(WorkloadChanged{teams.make_holder(of_a, true)});
    teams.tell(WorkloadChanged{teams.make_holder(teams.make("b", "b1", 5'000), true)});
    auto urgent = teams.make("b", "urgent", 5'000);
    urgent.priority = 10;
    teams.tell(WorkloadChanged{urgent});
    const CycleResult result = run_cycle(teams.state, teams.now);
    REQUIRE(result.preempted.size() == 1);
    CHECK(teams.state.workload_key(result.preempted.front().victim) == "ns/a1");
}

TEST_CASE("a LocalQueue that is deleted forgets its usage", "[engine][afs]") {
    TwoTeams teams({{"cpu", 3 * kUnit}});
    teams.tell(LocalQueueDeleted{.ns = "ns", .name = "a"});
    teams.tell(LocalQueueDeleted{.ns = "ns", .name = "b"});
    CHECK_FALSE(next_due(teams.state));
    teams.report_local_queue("a", 1.0, {});
    CHECK(teams.usage_of("a") == 0.0);
}

TEST_CASE("the order of admissions does not show in the usage", "[engine][afs]") {
    TwoTeams teams;
    for (const std::int64_t millis : {200, 400, 600}) {
        teams.tell(WorkloadChanged{teams.make("a", "a" + std::to_string(millis), millis)});
    }
    for (const std::int64_t millis : {600, 400, 200}) {
        teams.tell(WorkloadChanged{teams.make("b", "b" + std::to_string(millis), millis)});
    }
    for (int i = 0; i < 6; ++i) {
        teams.admit_one();
    }
    CHECK(teams.usage_of("a") == Approx(0.6));
    CHECK(teams.usage_of("a") == teams.usage_of("b"));
}

TEST_CASE("usage decays in decimals of nine places, cut off", "[engine][afs]") {
    // 1 core by 0.7 and, later, 0.7 core by 0.3333333333333333.
    CHECK(scaled(1'000'000'000, 0.7) == 700'000'000);
    CHECK(scaled(700'000'000, 1.0 / 3.0) == 233'333'333);
    CHECK(scaled(1, 0.9999999999999999) == 0);
    CHECK(scaled(1, 1.0) == 1);
    CHECK(scaled(5, 0.0) == 0);
    CHECK(scaled(-700'000'000, 1.0 / 3.0) == -233'333'333);
    constexpr Billionths kMost =
        Billionths{std::numeric_limits<std::int64_t>::max()} * 1'000'000'000;
    CHECK(scaled(kMost, 1.0) == kMost);
    CHECK(scaled(kMost, 0.1) == kMost / 10);
    CHECK(scaled(kMost, 1e-30) == 0);
    CHECK(scaled(kMost, 1e-18) == 9'223'372'036);
}

TEST_CASE("what its workloads hold in another ClusterQueue is not its usage", "[engine][afs]") {
    TwoTeams teams;
    ClusterQueue other;
    other.name = "other";
    other.admission_fair_sharing = true;
    teams.tell(ClusterQueueChanged{other});
    auto elsewhere = teams.make_holder(teams.make("a", "a1", 4'000), true);
    elsewhere.reservation->cluster_queue = "other";
    teams.tell(WorkloadChanged{elsewhere});
    teams.now += 10s;
    teams.tell(TimerFired{});
    CHECK(teams.usage_of("a") == 0.0);
    SECTION("until the LocalQueue is one of that ClusterQueue") {
        teams.tell(LocalQueueChanged{{.ns = "ns", .name = "a", .cluster_queue = "other"}});
        teams.now += 10s;
        teams.tell(TimerFired{});
        CHECK(teams.usage_of("a") == Approx(2.0));
        teams.tell(WorkloadDeleted{.ns = "ns", .name = "a1"});
        teams.now += 10s;
        teams.tell(TimerFired{});
        CHECK(teams.usage_of("a") == Approx(1.0));
    }
}

TEST_CASE("an admission without LocalQueue leaves nothing behind", "[engine][afs]") {
    TwoTeams teams;
    const auto pending = teams.make("a", "a1", 2'000);
    teams.tell(WorkloadChanged{pending});
    teams.admit_one();
    teams.tell(AdmissionWritten{.ns = "ns", .name = "a1"});
    teams.tell(LocalQueueDeleted{.ns = "ns", .name = "a"});
    teams.now += 10s;
    teams.tell(WorkloadChanged{teams.make_holder(pending, true)});
    teams.tell(WorkloadDeleted{.ns = "ns", .name = "a1"});
    teams.report_local_queue("a", 1.0, {});
    CHECK(teams.usage_of("a") == 0.0);
}

TEST_CASE("the weight of a LocalQueue goes with it", "[engine][afs]") {
    TwoTeams teams;
    teams.report_local_queue("a", 0.0, {});
    const auto pending = teams.make("a", "a1", 1'000);
    teams.tell(WorkloadChanged{pending});
    teams.admit_one();
    teams.tell(LocalQueueDeleted{.ns = "ns", .name = "a"});
    teams.tell(AdmissionFailed{.ns = "ns", .name = "a1"});
    CHECK(teams.usage_of("a") == 0.0);
}

TEST_CASE("rules that make a circle of victims still give one order", "[engine][afs]") {
    // Within "lent" a1 goes before b1, whose team has used less; by priority b1 goes before x1 of
    // "other", and x1 before a1.
    for (const bool fair_sharing : {false, true}) {
        Options options = sharing_options();
        options.fair_sharing = fair_sharing;
        TwoTeams teams({{"cpu", 3 * kUnit}}, 1.0, options);
        const auto report_queue = [&teams](const std::string& name, std::int64_t nominal) {
            ClusterQueue queue;
            queue.name = name;
            queue.cohort = "all";
            queue.resource_groups = {
                {.covered_resources = {"cpu"},
                 .flavors = {{.flavor = "f", .quotas = {{.nominal = Amount(nominal)}}}}}
            };
            queue.preemption.reclaim_within_cohort = PreemptionPolicy::Any;
            queue.admission_fair_sharing = true;
            teams.tell(ClusterQueueChanged{queue});
        };
        report_queue("cq", 0);
        report_queue("other", 0);
        report_queue("owner", 3'000);
        const auto hold =
            [&teams](const std::string& team, const char* name, const char* in, int prio) {
                auto holder = teams.make_holder(teams.make(team, name, 1'000), true);
                holder.priority = prio;
                holder.reservation->cluster_queue = in;
                teams.tell(WorkloadChanged{holder});
            };
        hold("a", "a1", "cq", 3);
        hold("b", "b1", "cq", 1);
        hold("none", "x1", "other", 2);
        teams.tell(LocalQueueChanged{{.ns = "ns", .name = "o", .cluster_queue = "owner"}});
        teams.tell(WorkloadChanged{teams.make("o", "wants", 1'000)});
        const CycleResult result = run_cycle(teams.state, teams.now);
        REQUIRE(result.preempted.size() == 1);
        // Of each ClusterQueue the order is kept, and the places are those of the priorities.
        CHECK(teams.state.workload_key(result.preempted.front().victim) == "ns/a1");
    }
}

TEST_CASE("LocalQueues of one name in several namespaces are equal as victims", "[engine][afs]") {
    // Upstream compares the names of LocalQueues without their namespaces.
    TwoTeams teams;
    for (const auto& [ns, cores] : {std::pair("red", 9), std::pair("blue", 1)}) {
        teams.tell(LocalQueueChanged{
            {.ns = ns, .name = "main", .cluster_queue = "cq", .consumed = {{"cpu", cores * kUnit}}}
        });
        Workload holder = teams.make_holder(teams.make("main", "w", 5'000), true);
        holder.ns = ns;
        holder.uid = ns;
        holder.priority = ns == std::string("red") ? 1 : 0;
        teams.tell(WorkloadChanged{holder});
    }
    Workload wants = teams.make("a", "wants", 5'000);
    wants.priority = 2;
    teams.tell(WorkloadChanged{wants});
    const CycleResult result = run_cycle(teams.state, teams.now);
    REQUIRE(result.preempted.size() == 1);
    CHECK(teams.state.workload_key(result.preempted.front().victim) == "blue/w");
}

TEST_CASE("a third name does not tell LocalQueues of one name apart", "[engine][afs]") {
    TwoTeams teams;
    const auto hold = [&teams](const char* ns, const char* queue, double cores, int priority) {
        teams.tell(LocalQueueChanged{
            {.ns = ns, .name = queue, .cluster_queue = "cq", .consumed = {{"cpu", cores}}}
        });
        Workload holder = teams.make_holder(teams.make(queue, "w", 3'000), true);
        holder.ns = ns;
        holder.uid = ns;
        holder.priority = priority;
        teams.tell(WorkloadChanged{holder});
    };
    hold("red", "main", 9.0, 1);
    hold("blue", "main", 5.0, 0);
    hold("green", "side", 1.0, -1);
    Workload wants = teams.make("a", "wants", 3'000);
    wants.priority = 2;
    teams.tell(WorkloadChanged{wants});
    const CycleResult result = run_cycle(teams.state, teams.now);
    REQUIRE(result.preempted.size() == 1);
    CHECK(teams.state.workload_key(result.preempted.front().victim) == "blue/w");
}

}  // namespace sluice::engine
