#include "insight/random_objects.hpp"

#include "api/kueue/kueue_names.hpp"
#include "controller/commands/schedule/schedule_simulation.hpp"

#include <fmt/format.h>

#include <array>
#include <string>
#include <utility>
#include <vector>

namespace sluice::test {
namespace {

using api::Quantity;

constexpr std::array<const char*, 2> kNamespaces = {"red", "blue"};
constexpr std::array<const char*, 2> kResources = {"cpu", "gpu"};

template <class... Texts>
std::string one_of(Prng& random, Texts... texts) {
    const std::array<const char*, sizeof...(texts)> all = {texts...};
    return all[random.below(all.size())];
}

class Maker {
  public:
    explicit Maker(Prng& random) : random_(random) {}

    commands::ScheduleCluster run() {
        for (const char* name : kNamespaces) {
            api::Namespace made;
            made.metadata.name = name;
            cluster_.namespaces.push_back(std::move(made));
        }
        add_flavors();
        add_cohorts();
        add_queues();
        add_classes();
        add_workloads();
        return std::move(cluster_);
    }

  private:
    void add_flavors() {
        const auto count = random_.between(1, 3);
        for (std::int64_t i = 0; i < count; ++i) {
            api::ResourceFlavor made;
            made.metadata.name = fmt::format("f{}", i);
            if (random_.chance(25)) {
                made.spec.node_taints.push_back(
                    {.key = "kept", .value = made.metadata.name, .effect = "NoSchedule"}
                );
            }
            if (random_.chance(40)) {
                made.spec.node_labels["type"] = made.metadata.name;
            }
            cluster_.flavors.push_back(std::move(made));
        }
    }

    void add_cohorts() {
        if (random_.chance(40)) {
            api::Cohort made;
            made.metadata.name = "above";
            if (random_.chance(30)) {
                made.spec.resource_groups.push_back(group(false));
            }
            cluster_.cohorts.push_back(std::move(made));
        }
        api::Cohort made;
        made.metadata.name = "org";
        made.spec.parent_name = cluster_.cohorts.empty() ? "" : "above";
        cluster_.cohorts.push_back(std::move(made));
    }

    api::ResourceGroup group(bool with_limits) {
        api::ResourceGroup made;
        made.covered_resources = {kResources.begin(), kResources.end()};
        for (const auto& flavor : cluster_.flavors) {
            api::FlavorQuotas quotas{.name = flavor.metadata.name, .resources = {}};
            for (const char* resource : kResources) {
                api::ResourceQuota quota{
                    .name = resource,
                    .nominal_quota = Quantity(random_.between(0, 8)),
                    .borrowing_limit = {},
                    .lending_limit = {},
                };
                if (with_limits && random_.chance(30)) {
                    quota.borrowing_limit = Quantity(random_.between(0, 6));
                }
                if (with_limits && random_.chance(25)) {
                    quota.lending_limit = Quantity(random_.between(0, 4));
                }
                quotas.resources.push_back(std::move(quota));
            }
            made.flavors.push_back(std::move(quotas));
        }
        return made;
    }

    void add_queues() {
        const auto count = random_.between(1, 4);
        for (std::int64_t i = 0; i < count; ++i) {
            api::ClusterQueue made;
            made.metadata.name = fmt::format("q{}", i);
            made.metadata.generation = 1;
            const bool in_cohort = random_.chance(80);
            made.spec.cohort_name = in_cohort ? "org" : "";
            made.spec.namespace_selector = api::LabelSelector{};
            made.spec.resource_groups.push_back(group(in_cohort));
            made.spec.queueing_strategy = one_of(random_, "BestEffortFIFO", "StrictFIFO");
            made.spec.stop_policy = random_.chance(5) ? "Hold" : "None";
            api::ClusterQueuePreemption preemption;
            preemption.within_cluster_queue =
                one_of(random_, "Never", "LowerPriority", "LowerOrNewerEqualPriority");
            preemption.reclaim_within_cohort = one_of(random_, "Never", "LowerPriority", "Any");
            if (preemption.reclaim_within_cohort != "Never" && random_.chance(30)) {
                preemption.borrow_within_cohort = api::BorrowWithinCohort{
                    .policy = "LowerPriority", .max_priority_threshold = {}
                };
            }
            made.spec.preemption = preemption;
            for (const char* ns : kNamespaces) {
                api::LocalQueue local;
                local.metadata.name = "l" + std::to_string(i);
                local.metadata.namespace_ = ns;
                local.spec.cluster_queue = made.metadata.name;
                local.spec.stop_policy = random_.chance(4) ? "Hold" : "None";
                cluster_.local_queues.push_back(std::move(local));
            }
            cluster_.cluster_queues.push_back(std::move(made));
        }
    }

    void add_classes() {
        for (const int value : {10, 20, 30}) {
            api::WorkloadPriorityClass made;
            made.metadata.name = fmt::format("p{}", value);
            made.value = value;
            cluster_.priority_classes.push_back(std::move(made));
        }
    }

    void add_workloads() {
        const auto count = random_.between(3, 14);
        for (std::int64_t i = 0; i < count; ++i) {
            api::Workload made;
            made.metadata.name = fmt::format("w{}", i);
            made.metadata.namespace_ = kNamespaces[random_.below(2)];
            made.metadata.uid = fmt::format("u{}", i);
            made.metadata.generation = 1;
            made.metadata.creation_timestamp =
                kObjectsNow - std::chrono::seconds(1'000 - 10 * random_.between(0, 90));
            made.spec.queue_name =
                fmt::format("l{}", random_.below(cluster_.cluster_queues.size()));
            made.spec.priority = static_cast<std::int32_t>(10 * random_.between(0, 2));
            const auto pod_sets = random_.chance(25) ? 2 : 1;
            for (int set = 0; set < pod_sets; ++set) {
                made.spec.pod_sets.push_back(pod_set(set));
            }
            cluster_.workloads.push_back(std::move(made));
        }
    }

    api::PodSet pod_set(int number) {
        api::PodTemplateSpec pods;
        api::Container container;
        container.name = "c";
        for (const char* resource : kResources) {
            if (random_.chance(75)) {
                container.resources.requests[resource] = Quantity(random_.between(1, 3));
            }
        }
        pods.spec.containers.push_back(std::move(container));
        if (random_.chance(20)) {
            pods.spec.node_selector["type"] = one_of(random_, "f0", "f1", "f2");
        }
        if (random_.chance(20)) {
            pods.spec.tolerations.push_back({.key = "kept", .operator_ = "Exists"});
        }
        api::PodSet made;
        made.name = number == 0 ? "main" : "more";
        made.count = static_cast<std::int32_t>(random_.between(1, 5));
        if (random_.chance(15) && made.count > 1) {
            made.min_count = static_cast<std::int32_t>(random_.between(1, made.count));
        }
        made.template_ = api::Shared<api::PodTemplateSpec>(std::move(pods));
        return made;
    }

    Prng& random_;
    commands::ScheduleCluster cluster_;
};

}  // namespace

commands::ScheduleCluster random_objects(Prng& random) {
    return Maker(random).run();
}

commands::ScheduleCluster settled(commands::ScheduleCluster cluster) {
    commands::ScheduleSimulation simulation(cluster, {}, {}, kObjectsNow);
    simulation.run({.cycles = 1'000, .until_stable = true});
    cluster.workloads = simulation.workloads();
    return cluster;
}

}  // namespace sluice::test
