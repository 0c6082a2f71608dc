#pragma once

#include "engine/audited.hpp"
#include "engine/engine.hpp"
#include "engine/topology/flavor_topology.hpp"

#include <chrono>
#include <cstdint>
#include <string>
#include <string_view>
#include <utility>
#include <vector>

namespace sluice::engine {

/// One ClusterQueue with quota for everything, and a flavor "f" of racks and hosts.
struct PlacedCluster {
    static constexpr std::uint32_t kInRack = 1;  ///< shape of pods that need one rack

    static Options options_with_delay() {
        Options made;
        made.second_pass_delay = std::chrono::seconds(1);
        return made;
    }

    State state;
    Time now{std::chrono::seconds(1'700'000'000)};

    explicit PlacedCluster(const Options& options = options_with_delay()) : state(options) {
        set_levels({"rack", std::string(kHostnameLevel)});
        tell(PodShapeChanged{
            {.id = kInRack, .topology = TopologyRequest{.required = "rack"}, .resources = {"cpu"}}
        });
        ClusterQueue made;
        made.name = "cq";
        made.resource_groups = {
            {.covered_resources = {"cpu"},
             .flavors = {{.flavor = "f", .quotas = {{.nominal = Amount(1000)}}}}}
        };
        tell(ClusterQueueChanged{made});
        tell(LocalQueueChanged{{.ns = "ns", .name = "lq", .cluster_queue = "cq"}});
    }

    void tell(const Event& event) { apply_audited(state, event, now); }
    void set_levels(std::vector<std::string> levels) {
        tell(FlavorChanged{{.name = "f", .topology = "t", .levels = std::move(levels)}});
    }
    static Node node(std::string name, std::vector<std::string> path, std::int64_t cpu) {
        return {
            .name = std::move(name),
            .places = {{.flavor = "f", .path = std::move(path)}},
            .capacity =
                {{.resource = "cpu", .amount = Amount(cpu)},
                 {.resource = "pods", .amount = Amount(100)}},
        };
    }
    void set_node(const std::string& name, const std::string& rack, std::int64_t cpu) {
        tell(NodeChanged{node(name, {rack, name}, cpu)});
    }
    static Workload workload(const std::string& name, std::int32_t pods, std::int64_t cpu) {
        Workload made;
        made.ns = "ns";
        made.name = name;
        made.uid = name;
        made.local_queue = "lq";
        made.pod_sets = {
            {.name = "main",
             .count = pods,
             .requests = {{.resource = "cpu", .amount = Amount(cpu)}},
             .shape = kInRack}
        };
        return made;
    }
    /// The workload with quota and these domains, as its object says.
    static Workload holder(
        const std::string& name, std::int64_t cpu, const std::vector<DomainPods>& domains
    ) {
        std::int32_t pods = 0;
        for (const DomainPods& domain : domains) {
            pods += domain.count;
        }
        Workload made = workload(name, pods, cpu);
        made.queueable = false;
        made.reservation = QuotaReservation{
            .cluster_queue = "cq",
            .pod_sets =
                {{.name = "main",
                  .resources = {{.resource = "cpu", .flavor = "f", .amount = Amount(cpu) * pods}},
                  .count = pods,
                  .domains = domains}},
        };
        return made;
    }
    void add(const Workload& workload) { tell(WorkloadChanged{workload}); }
    CycleResult cycle() {
        refresh(state);
        return run_cycle_audited(state, now);
    }
    /// The domains that the podSet gets, as "name=pods", in their order.
    std::string domains_of(const AssignedPodSet& pod_set) const {
        std::string text;
        for (const LeafPods& pods : pod_set.leaves.value_or(std::vector<LeafPods>())) {
            text += (text.empty() ? "" : " ") +
                    state.topologies().find(pod_set.topology)->id_of(pods.leaf) + "=" +
                    std::to_string(pods.count);
        }
        return text;
    }
    /// The domains that the next cycle gives to the first workload that it admits; "" without one.
    std::string admitted() {
        const CycleResult result = cycle();
        return result.admitted.empty() ? "" : domains_of(result.admitted.front().pod_sets.front());
    }
    /// The cpu that is free on a node.
    Amount free_on(std::string_view host) {
        refresh(state);
        require_sound(state);
        const FlavorTopology& of = *state.topologies().find(state.data().flavors.find("f"));
        const auto leaf = of.find_leaf(host);
        return leaf ? of.free().free(*leaf, state.data().resources.find("cpu")) : Amount();
    }
};

}  // namespace sluice::engine
