// Flavors that enforce capacity: quota alone admits nothing, pods need room on nodes.
#include "base/prng.hpp"
#include "engine/audited.hpp"
#include "engine/engine.hpp"
#include "engine/state/snapshot.hpp"

#include <catch2/catch_test_macros.hpp>

#include <algorithm>
#include <chrono>
#include <cstdint>
#include <string>
#include <utility>
#include <vector>

namespace sluice::engine {
namespace {

/// ClusterQueues "a" and "b" of one cohort with quota for everything, and flavors "f" and "g" with
/// nodes, of which "f" enforces capacity.
struct Enforced {
    State state;
    Time now{std::chrono::seconds(1'700'000'000)};

    explicit Enforced(const Options& options = {}) : state(options) {
        tell(FlavorChanged{flavor("f", true)});
        tell(FlavorChanged{flavor("g", false)});
        for (const std::string name : {"a", "b"}) {
            ClusterQueue made;
            made.name = name;
            made.cohort = "all";
            made.preemption.within_cluster_queue = PreemptionPolicy::LowerPriority;
            made.resource_groups =
                {{.covered_resources = {"gpu"},
                  .flavors = {
                      {.flavor = "f", .quotas = {{.nominal = Amount(1000)}}},
                      {.flavor = "g", .quotas = {{.nominal = Amount(1000)}}},
                  }}};
            tell(ClusterQueueChanged{made});
            tell(LocalQueueChanged{{.ns = "ns", .name = name, .cluster_queue = name}});
        }
    }

    static ResourceFlavor flavor(const std::string& name, bool enforces) {
        ResourceFlavor made{.name = name, .topology = {}};
        if (enforces) {
            made.levels = {std::string(kHostnameLevel)};
        }
        made.enforces_capacity = enforces;
        return made;
    }
    void tell(const Event& event) { apply_audited(state, event, now); }
    /// A node with so many GPUs; `counted` of them are used by pods of holders.
    void set_node(
        const std::string& name,
        std::int64_t gpus,
        std::int64_t counted = 0,
        const std::vector<std::string>& flavors = {"f"}
    ) {
        Node made;
        made.name = name;
        for (const auto& f : flavors) {
            made.places.push_back({.flavor = f, .path = {name}});
        }
        made.capacity = {
            {.resource = "gpu", .amount = Amount(gpus - counted)},
            {.resource = "pods", .amount = Amount(100)},
        };
        if (counted != 0) {
            made.quota_capacity = {
                {.resource = "gpu", .amount = Amount(gpus)},
                {.resource = "pods", .amount = Amount(100)},
            };
        }
        tell(NodeChanged{made});
    }
    static Workload workload(
        const std::string& name,
        std::int32_t pods,
        std::int64_t gpus,
        const std::string& queue = "a"
    ) {
        Workload made;
        made.ns = "ns";
        made.name = name;
        made.uid = name;
        made.local_queue = queue;
        made.pod_sets = {
            {.name = "main",
             .count = pods,
             .requests = {{.resource = "gpu", .amount = Amount(gpus)}}}
        };
        return made;
    }
    /// The workload with quota in flavor f, as its object says.
    static Workload holder(const std::string& name, std::int32_t pods, std::int64_t gpus) {
        Workload made = workload(name, pods, gpus);
        made.queueable = false;
        made.reservation = QuotaReservation{
            .cluster_queue = "a",
            .pod_sets =
                {{.name = "main",
                  .resources = {{.resource = "gpu", .flavor = "f", .amount = Amount(gpus * pods)}},
                  .count = pods}},
        };
        return made;
    }
    void add(const Workload& workload) { tell(WorkloadChanged{workload}); }
    void run(const std::string& name, std::vector<DomainPods> hosts) {
        tell(WorkloadPodsChanged{
            .ns = "ns", .name = name, .pod_sets = {{.pod_set = "main", .hosts = std::move(hosts)}}
        });
    }
    /// The workloads that a cycle admits, as "name:flavor", in their order.
    std::string admitted() {
        const CycleResult result = cycle();
        std::string text;
        for (const auto& decision : result.admitted) {
            text += (text.empty() ? "" : " ") +
                    std::string(state.workload(decision.workload).key().substr(3)) + ":" +
                    state.flavor_name(decision.pod_sets.front().flavors.front().flavor);
        }
        return text;
    }
    CycleResult cycle() { return run_cycle_audited(state, now); }
    /// GPUs that no pod takes on a node of the flavor, nor will take.
    std::int64_t free_on(const std::string& host, const std::string& flavor = "f") {
        refresh(state);
        require_sound(state);
        const FlavorTopology* of = state.topologies().find(state.data().flavors.find(flavor));
        REQUIRE(of != nullptr);
        const auto leaf = of->find_leaf(host);
        return leaf ? of->free().free(*leaf, state.data().resources.find("gpu")).value() : 0;
    }
    /// Leaves flavor f alone in both queues.
    void without_g() {
        for (const std::string name : {"a", "b"}) {
            ClusterQueue made = state.cluster_queue(state.find_cluster_queue(name)).spec;
            made.resource_groups.front().flavors.pop_back();
            tell(ClusterQueueChanged{made});
        }
    }
};

}  // namespace

TEST_CASE("a gang without room on nodes waits, whatever the quota", "[engine][capacity]") {
    Enforced c;
    c.without_g();
    c.set_node("n1", 8);
    c.set_node("n2", 8);
    c.add(Enforced::workload("gang", 3, 8));
    const CycleResult refused = c.cycle();
    REQUIRE(refused.refused.size() == 1);
    const auto& failure = *refused.refused.front().pod_sets.front().flavors.back().placement;
    CHECK(failure.kind == PlacementFailure::Kind::NodesLackRoom);
    CHECK(failure.text == "f");
    CHECK(failure.wanted == 3);
    CHECK(failure.fitting == 2);
    c.set_node("n3", 8);
    CHECK(c.admitted() == "gang:f");
    CHECK(c.free_on("n1") + c.free_on("n2") + c.free_on("n3") == 0);
}

TEST_CASE("whole pods are counted, not sums", "[engine][capacity]") {
    Enforced c;
    c.without_g();
    for (const std::string node : {"n1", "n2", "n3", "n4"}) {
        c.set_node(node, 7);
    }
    c.add(Enforced::workload("large", 1, 8));
    CHECK(c.admitted().empty());
    c.add(Enforced::workload("small", 4, 7, "b"));
    CHECK(c.admitted() == "small:f");
}

TEST_CASE("a flavor whose nodes are full is passed over", "[engine][capacity]") {
    Enforced c;
    c.set_node("n1", 8);
    c.add(Enforced::workload("w1", 1, 8));
    CHECK(c.admitted() == "w1:f");
    c.add(Enforced::workload("w2", 1, 8));
    std::string all = c.admitted();
    if (all.empty()) {  // the next cycle goes on after the first flavor
        all = c.admitted();
    }
    CHECK(all == "w2:g");
}

TEST_CASE("two heads of one cycle do not get the same room", "[engine][capacity]") {
    Enforced c;
    c.without_g();
    c.set_node("n1", 8);
    c.set_node("n2", 4);
    c.add(Enforced::workload("one", 2, 4, "a"));
    c.add(Enforced::workload("two", 2, 4, "b"));
    std::string all = c.admitted();
    all += c.admitted();
    all += c.admitted();
    CHECK(all == "one:f");
    CHECK(c.free_on("n1") + c.free_on("n2") == 4);
}

TEST_CASE(
    "pods that run elsewhere free the room that they were expected to take", "[engine][capacity]"
) {
    Enforced c;
    c.without_g();
    c.set_node("n1", 8);
    c.set_node("n2", 8);
    c.add(Enforced::holder("w", 2, 4));
    c.tell(TimerFired{});
    const std::string expected = c.free_on("n1") == 0 ? "n1" : "n2";
    const std::string other = expected == "n1" ? "n2" : "n1";
    CHECK(c.free_on(other) == 8);
    c.set_node(other, 8, 4);
    c.run("w", {{.id = other, .count = 1}});
    CHECK(c.free_on(other) == 4);
    CHECK(c.free_on(expected) == 4);
    c.set_node(other, 8, 8);
    c.run("w", {{.id = other, .count = 2}});
    CHECK(c.free_on(other) == 0);
    CHECK(c.free_on(expected) == 8);
    c.set_node(other, 8);
    c.tell(WorkloadDeleted{.ns = "ns", .name = "w"});
    CHECK(c.free_on(other) == 8);
}

TEST_CASE("room moves when other pods run where it was kept", "[engine][capacity]") {
    Enforced c;
    c.without_g();
    c.set_node("n1", 8);
    c.set_node("n2", 8);
    c.add(Enforced::workload("late", 1, 8));
    CHECK(c.admitted() == "late:f");
    c.add(Enforced::workload("soon", 1, 8));
    CHECK(c.admitted() == "soon:f");
    // kube-scheduler takes the node that was meant for the other one.
    const std::string meant_for_late = [&] {
        const auto& record = c.state.workload(c.state.find_workload("ns/late"));
        return record.holding->placement->nodes.front().expected.front().id;
    }();
    c.set_node(meant_for_late, 8, 8);
    c.run("soon", {{.id = meant_for_late, .count = 1}});
    c.add(Enforced::workload("next", 1, 8));
    CHECK(c.admitted().empty());
    CHECK(c.free_on("n1") == 0);
    CHECK(c.free_on("n2") == 0);
}

TEST_CASE("room counts again after a status of the holder", "[engine][capacity]") {
    Enforced c;
    c.set_node("n1", 8);
    c.add(Enforced::holder("w", 2, 4));
    c.run("w", {{.id = "n1", .count = 1}});
    c.set_node("n1", 8, 4);
    CHECK(c.free_on("n1") == 0);
    Workload smaller = Enforced::holder("w", 2, 4);
    smaller.pod_sets.front().reclaimable = 1;
    c.add(smaller);
    CHECK(c.free_on("n1") == 4);
}

TEST_CASE(
    "nothing is admitted onto GPUs that are gone for a while, and nothing is evicted",
    "[engine][capacity]"
) {
    Enforced c;
    c.without_g();
    c.set_node("n1", 8);
    c.set_node("n2", 8);
    c.add(Enforced::holder("runs", 1, 8));
    c.run("runs", {{.id = "n1", .count = 1}});
    c.set_node("n1", 8, 8);
    c.set_node("n1", 0, 8);
    c.set_node("n2", 0);
    c.add(Enforced::workload("waits", 1, 8));
    const CycleResult result = c.cycle();
    CHECK(result.admitted.empty());
    CHECK(result.preempted.empty());
    c.set_node("n1", 8, 8);
    CHECK(c.admitted().empty());
    c.set_node("n2", 8);
    CHECK(c.admitted() == "waits:f");
}

TEST_CASE("room on a node that leaves is looked for elsewhere", "[engine][capacity]") {
    Enforced c;
    c.without_g();
    c.set_node("n1", 8);
    c.add(Enforced::holder("w", 1, 8));
    CHECK(c.free_on("n1") == 0);
    c.tell(NodeDeleted{"n1"});
    c.add(Enforced::workload("next", 1, 8));
    CHECK(c.admitted().empty());
    c.set_node("n2", 8);
    CHECK(c.admitted().empty());  // the holder's pod comes first
    CHECK(c.free_on("n2") == 0);
    c.set_node("n3", 8);
    CHECK(c.admitted() == "next:f");
}

TEST_CASE("a more important workload evicts for room on nodes", "[engine][capacity]") {
    Enforced c;
    c.without_g();
    c.set_node("n1", 8);
    c.add(Enforced::holder("low", 1, 8));
    c.run("low", {{.id = "n1", .count = 1}});
    c.set_node("n1", 8, 8);
    Workload high = Enforced::workload("high", 1, 8);
    high.priority = 100;
    c.add(high);
    const CycleResult result = c.cycle();
    REQUIRE(result.preempted.size() == 1);
    CHECK(c.state.workload(result.preempted.front().victim).key() == "ns/low");
}

TEST_CASE("nothing is evicted for a gang that no node could hold", "[engine][capacity]") {
    Enforced c;
    c.without_g();
    c.set_node("n1", 8);
    c.add(Enforced::holder("low", 1, 8));
    Workload high = Enforced::workload("high", 2, 8);
    high.priority = 100;
    c.add(high);
    const CycleResult result = c.cycle();
    CHECK(result.preempted.empty());
    CHECK(result.admitted.empty());
}

TEST_CASE("flavors on the same nodes see each other's pods", "[engine][capacity]") {
    Enforced c;
    c.tell(FlavorChanged{Enforced::flavor("g", true)});
    c.set_node("n1", 8, 0, {"f", "g"});
    c.add(Enforced::workload("one", 1, 8));
    CHECK(c.admitted() == "one:f");
    CHECK(c.free_on("n1", "g") == 0);
    c.add(Enforced::workload("two", 1, 8, "b"));
    CHECK(c.admitted().empty());
    CHECK(c.admitted().empty());
}

TEST_CASE("a flavor that begins to enforce counts what holders have", "[engine][capacity]") {
    Enforced c;
    c.tell(FlavorChanged{Enforced::flavor("f", false)});
    c.set_node("n1", 8);
    c.add(Enforced::holder("w", 1, 8));
    c.add(Enforced::workload("next", 1, 8));
    c.tell(FlavorChanged{Enforced::flavor("f", true)});
    c.set_node("n1", 8);
    CHECK(c.free_on("n1") == 0);
    c.tell(FlavorChanged{Enforced::flavor("f", false)});
    CHECK(c.state.holders_without_room().empty());
    CHECK(c.admitted() == "next:f");
    c.tell(FlavorDeleted{"f"});
}

TEST_CASE("a flavor that ceases to enforce forgets pods without room", "[engine][capacity]") {
    Enforced c;
    c.set_node("n1", 8);
    c.add(Enforced::holder("w", 2, 8));
    CHECK(c.free_on("n1") == 0);
    CHECK(c.state.holders_without_room().size() == 1);
    c.tell(FlavorChanged{Enforced::flavor("f", false)});
    CHECK(c.state.holders_without_room().empty());
}

TEST_CASE("an admission whose write fails gives its room back", "[engine][capacity]") {
    Enforced c;
    c.set_node("n1", 8);
    c.add(Enforced::workload("w", 1, 8));
    CHECK(c.admitted() == "w:f");
    CHECK(c.free_on("n1") == 0);
    c.tell(AdmissionFailed{.ns = "ns", .name = "w", .object_gone = true});
    CHECK(c.free_on("n1") == 8);
}

TEST_CASE("a state keeps its room when it is saved and loaded", "[engine][capacity]") {
    Enforced c;
    c.set_node("n1", 8);
    c.set_node("n2", 8);
    c.add(Enforced::holder("w", 3, 4));
    c.run("w", {{.id = "n1", .count = 1}});
    c.set_node("n1", 8, 4);
    refresh(c.state);
    auto loaded = load(save(c.state));
    REQUIRE(loaded);
    refresh(*loaded);
    require_sound(*loaded);
    CHECK(save(*loaded) == save(c.state));
}

TEST_CASE("room that a holder gives back wakes queues of other trees", "[engine][capacity]") {
    Enforced c;
    c.without_g();
    for (const std::string name : {"a", "b"}) {
        ClusterQueue made = c.state.cluster_queue(c.state.find_cluster_queue(name)).spec;
        made.cohort.clear();
        c.tell(ClusterQueueChanged{made});
    }
    c.set_node("n1", 8);
    c.add(Enforced::holder("runs", 1, 8));
    c.run("runs", {{.id = "n1", .count = 1}});
    c.set_node("n1", 8, 8);
    c.add(Enforced::workload("other", 1, 8, "b"));
    CHECK(c.admitted().empty());
    c.tell(WorkloadDeleted{.ns = "ns", .name = "runs"});
    CHECK(c.admitted() == "other:f");
}

TEST_CASE("a job that grows needs room for its new pods alone", "[engine][capacity]") {
    Options options;
    options.gates.elastic_jobs = true;
    Enforced c(options);
    c.without_g();
    c.set_node("n1", 8);
    c.set_node("n2", 8);
    Workload slice = Enforced::holder("slice", 1, 8);
    slice.is_unowned = false;
    slice.job = "job";
    c.add(slice);
    c.run("slice", {{.id = "n1", .count = 1}});
    c.set_node("n1", 8, 8);
    Workload larger = Enforced::workload("larger", 2, 8);
    larger.is_unowned = false;
    larger.job = "job";
    larger.replaces = "ns/slice";
    c.add(larger);
    CHECK(c.admitted() == "larger:f");
}

TEST_CASE("large pods find room before small ones take it", "[engine][capacity]") {
    Enforced c;
    c.without_g();
    c.set_node("n1", 8);
    c.set_node("n2", 9);
    Workload job = Enforced::workload("job", 1, 1);
    job.pod_sets.push_back(
        {.name = "workers", .count = 2, .requests = {{.resource = "gpu", .amount = Amount(8)}}}
    );
    c.add(job);
    CHECK(c.admitted() == "job:f");
}

TEST_CASE("pods of other clusters need no room here", "[engine][capacity]") {
    Enforced c;
    c.without_g();
    ClusterQueue remote = c.state.cluster_queue(c.state.find_cluster_queue("a")).spec;
    remote.places_elsewhere = true;
    c.tell(ClusterQueueChanged{remote});
    c.set_node("n1", 8);
    c.add(Enforced::holder("remote", 2, 8));
    c.add(Enforced::workload("local", 1, 8, "b"));
    CHECK(c.admitted() == "local:f");
    c.add(Enforced::workload("another", 1, 8, "a"));
    CHECK(c.admitted() == "another:f");
}

TEST_CASE(
    "of two gangs with room for one, one runs and the other holds nothing, 1000 times",
    "[engine][capacity]"
) {
    Prng random(30);
    for (int i = 0; i < 1000; ++i) {
        Enforced c;
        c.without_g();
        const bool halves = random.chance(50);
        const int nodes = halves ? 3 : 6;
        for (int n = 0; n < nodes; ++n) {
            c.set_node("n" + std::to_string(n), 12 / nodes);
        }
        const std::int64_t gpus = random.chance(50) ? 1 : 2;
        std::vector<std::string> order{"one", "two"};
        if (random.chance(50)) {
            std::swap(order.front(), order.back());
        }
        for (const auto& name : order) {
            c.add(Enforced::workload(
                name, static_cast<std::int32_t>(8 / gpus), gpus, random.chance(50) ? "a" : "b"
            ));
            if (random.chance(50)) {
                c.cycle();
            }
        }
        for (int k = 0; k < 4; ++k) {
            c.cycle();
        }
        const auto holds = [&](const char* name) {
            return c.state.workload(c.state.find_workload(std::string("ns/") + name)).holding !=
                   nullptr;
        };
        CAPTURE(i);
        REQUIRE(holds("one") != holds("two"));
    }
}

}  // namespace sluice::engine
