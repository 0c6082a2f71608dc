#include "bench/bench_cluster.hpp"

#include <utility>

namespace sluice::bench {

using namespace engine;

std::string numbered(const char* prefix, std::int64_t number) {
    return prefix + std::to_string(number);
}

Workload make_workload(const std::string& queue, const std::string& name, std::int64_t cpu) {
    return {
        .ns = "ns",
        .name = name,
        .uid = name,
        .local_queue = queue,
        .queue_order = kNow,
        .generation = 1,
        .pod_sets = {{.name = "main", .requests = {{.resource = "cpu", .amount = Amount(cpu)}}}},
    };
}

Workload make_holder(const std::string& queue, const std::string& name, std::int64_t cpu) {
    Workload made = make_workload(queue, name, cpu);
    made.reservation = QuotaReservation{
        .cluster_queue = queue,
        .pod_sets =
            {{.name = "main",
              .resources = {{.resource = "cpu", .flavor = "f0", .amount = Amount(cpu)}},
              .count = 1}},
        .reserved_at = kNow,
        .admitted = true,
    };
    return made;
}

ClusterQueue make_queue(const Shape& shape, std::int64_t number) {
    ClusterQueue made;
    made.name = numbered("q", number);
    if (shape.queues_per_cohort > 0) {
        made.cohort = numbered("c", number / shape.queues_per_cohort);
    }
    ResourceGroup group{.covered_resources = {"cpu"}, .flavors = {}};
    for (std::int64_t i = 0; i < shape.flavors; ++i) {
        group.flavors.push_back(
            {.flavor = numbered("f", i), .quotas = {{.nominal = Amount(shape.cpu)}}}
        );
    }
    made.resource_groups = {std::move(group)};
    made.preemption = shape.preemption;
    made.when_can_borrow = shape.when_can_borrow;
    return made;
}

std::unique_ptr<State> make_cluster(const Shape& shape, Options options) {
    auto state = std::make_unique<State>(std::move(options));
    for (std::int64_t i = 0; i < shape.flavors; ++i) {
        apply(*state, FlavorChanged{{.name = numbered("f", i)}}, kNow);
    }
    const auto cohorts =
        shape.queues_per_cohort == 0 ? 0 : (shape.queues - 1) / shape.queues_per_cohort + 1;
    for (std::int64_t i = 0; i < cohorts; ++i) {
        std::string below = numbered("c", i);
        for (std::int64_t level = 1; level < shape.depth; ++level) {
            std::string above = numbered("c", i) + numbered("-", level);
            if (shape.one_root && level + 1 == shape.depth) {
                above = "root";
            }
            apply(*state, CohortChanged{{.name = below, .parent = above}}, kNow);
            below = std::move(above);
        }
    }
    for (std::int64_t i = 0; i < shape.queues; ++i) {
        const auto name = numbered("q", i);
        apply(*state, ClusterQueueChanged{make_queue(shape, i)}, kNow);
        apply(*state, LocalQueueChanged{{.ns = "ns", .name = name, .cluster_queue = name}}, kNow);
    }
    return state;
}

}  // namespace sluice::bench
