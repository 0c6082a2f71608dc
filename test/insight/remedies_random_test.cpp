// Remedies and what happens when they are made, on random clusters of objects.
#include "api/kueue/conditions.hpp"
#include "api/kueue/kueue_names.hpp"
#include "controller/commands/offline/offline_cluster.hpp"
#include "controller/commands/schedule/schedule_simulation.hpp"
#include "insight/random_objects.hpp"

#include <catch2/catch_test_macros.hpp>
#include <fmt/format.h>

#include <algorithm>
#include <map>
#include <optional>
#include <set>
#include <string>
#include <string_view>
#include <utility>
#include <vector>

namespace sluice::insight {
namespace {

using commands::ScheduleCluster;

api::Workload& workload_in(ScheduleCluster& cluster, const api::ObjectMeta& metadata) {
    return *std::ranges::find_if(cluster.workloads, [&](const api::Workload& workload) {
        return workload.metadata.name == metadata.name &&
               workload.metadata.namespace_ == metadata.namespace_;
    });
}

/// Returns true if cycles until nothing changes leave the workload with quota.
bool is_admitted(const ScheduleCluster& cluster, const api::ObjectMeta& metadata) {
    ScheduleCluster after = test::settled(cluster);
    const auto& conditions = workload_in(after, metadata).status.conditions;
    return api::is_true(conditions, api::condition::kQuotaReserved) &&
           !api::is_true(conditions, api::condition::kEvicted);
}

void set_quota(
    std::vector<api::ResourceGroup>& groups,
    const api::ExplainedRemedy& remedy,
    const std::string& resource,
    const api::Quantity& value
) {
    for (auto& flavor : groups.at(0).flavors) {
        for (auto& quota : flavor.resources) {
            if (flavor.name != remedy.flavor || quota.name != resource) {
                continue;
            }
            if (remedy.kind == "nominalQuota") {
                quota.nominal_quota = value;
            } else if (remedy.kind == "borrowingLimit") {
                quota.borrowing_limit = value;
            } else {
                quota.lending_limit = value;
            }
        }
    }
}

void raise(ScheduleCluster& cluster, const api::ExplainedRemedy& remedy) {
    const std::string name = remedy.object.substr(remedy.object.find('/') + 1);
    std::string_view rest = remedy.value;
    while (!rest.empty()) {
        const std::string one(rest.substr(0, rest.find(',')));
        rest.remove_prefix(std::min(rest.size(), one.size() + 1));
        const std::string resource = one.substr(0, one.find('='));
        const auto value = api::Quantity::parse(one.substr(one.find('=') + 1));
        REQUIRE(value);
        if (remedy.object.starts_with("cohort/")) {
            for (auto& cohort : cluster.cohorts) {
                if (cohort.metadata.name == name) {
                    set_quota(cohort.spec.resource_groups, remedy, resource, *value);
                }
            }
            continue;
        }
        for (auto& queue : cluster.cluster_queues) {
            if (queue.metadata.name == name) {
                ++queue.metadata.generation;
                set_quota(queue.spec.resource_groups, remedy, resource, *value);
            }
        }
    }
}

api::PodSet& largest_of(api::Workload& workload) {
    return *std::ranges::max_element(workload.spec.pod_sets, {}, &api::PodSet::count);
}

/// Makes the pods of the workload run on the flavor.
void adapt(ScheduleCluster& cluster, api::Workload& workload, const std::string& name) {
    const auto flavor = std::ranges::find_if(cluster.flavors, [&](const auto& candidate) {
        return candidate.metadata.name == name;
    });
    REQUIRE(flavor != cluster.flavors.end());
    for (auto& pod_set : workload.spec.pod_sets) {
        api::PodTemplateSpec pods = *pod_set.template_;
        for (const auto& taint : flavor->spec.node_taints) {
            pods.spec.tolerations.push_back(
                {.key = taint.key,
                 .operator_ = "Equal",
                 .value = taint.value,
                 .effect = "NoSchedule"}
            );
        }
        const auto label = flavor->spec.node_labels.find("type");
        if (label != flavor->spec.node_labels.end() && pods.spec.node_selector.contains("type")) {
            pods.spec.node_selector["type"] = label->second;
        }
        pod_set.template_ = api::Shared<api::PodTemplateSpec>(std::move(pods));
    }
}

void start_queues(
    ScheduleCluster& cluster, const api::ExplainedRemedy& remedy, const std::string& ns
) {
    for (auto& queue : cluster.cluster_queues) {
        if (remedy.object.find("clusterqueue/" + queue.metadata.name) != std::string::npos) {
            queue.spec.stop_policy = api::stop_policy::kNone;
            ++queue.metadata.generation;
        }
    }
    for (auto& queue : cluster.local_queues) {
        if (queue.metadata.namespace_ == ns &&
            remedy.object.find("localqueue/" + queue.metadata.name) != std::string::npos) {
            queue.spec.stop_policy = api::stop_policy::kNone;
        }
    }
}

/// Makes the change on the objects, as a user would.
void make_change(
    ScheduleCluster& cluster, const api::ObjectMeta& metadata, const api::ExplainedRemedy& remedy
) {
    api::Workload& workload = workload_in(cluster, metadata);
    if (remedy.kind == "fewerPods") {
        api::PodSet& pod_set = largest_of(workload);
        pod_set.count = std::stoi(remedy.value);
        pod_set.min_count = std::nullopt;
    } else if (remedy.kind == "toleration" || remedy.kind == "affinity") {
        adapt(cluster, workload, remedy.value);
    } else if (remedy.kind == "localQueue") {
        workload.spec.queue_name = remedy.value;
    } else if (remedy.kind == "priorityClass") {
        workload.spec.priority = std::stoi(remedy.value.substr(1));
    } else if (remedy.kind == "stopPolicy") {
        start_queues(cluster, remedy, metadata.namespace_);
    } else {
        raise(cluster, remedy);
    }
    ++workload.metadata.generation;
}

struct Tally {
    std::size_t refused = 0;
    std::map<std::string, std::size_t> remedies;
    std::size_t later = 0;  // that admit only at the turn of the workload
};

void try_remedies(const ScheduleCluster& cluster, Tally& tally) {
    const commands::OfflineCluster offline(cluster, {}, test::kObjectsNow);
    for (const api::Workload& workload : cluster.workloads) {
        const api::ObjectMeta& metadata = workload.metadata;
        const auto explanation = offline.explain(metadata.namespace_, metadata.name);
        REQUIRE(explanation);
        if (explanation->state != api::explanation_state::kPending &&
            explanation->state != api::explanation_state::kHeldBack) {
            CHECK(explanation->remedies.empty());
            continue;
        }
        ++tally.refused;
        for (const auto& remedy : explanation->remedies) {
            if (!remedy.when.empty()) {
                ++tally.later;
                continue;
            }
            ++tally.remedies[remedy.kind];
            ScheduleCluster changed = cluster;
            make_change(changed, metadata, remedy);
            INFO(metadata.namespace_ << "/" << metadata.name << ": " << remedy.change);
            CHECK(is_admitted(changed, metadata));
        }
    }
}

Tally try_clusters(std::uint64_t from, std::uint64_t to) {
    Tally tally;
    for (std::uint64_t seed = from; seed < to; ++seed) {
        INFO("seed " << seed);
        Prng random(seed);
        try_remedies(test::settled(test::random_objects(random)), tally);
    }
    return tally;
}

/// Returns true if the workload alone would be admitted, at once or after evictions.
bool is_admitted_alone(const ScheduleCluster& cluster, const api::ObjectMeta& metadata) {
    const commands::OfflineCluster offline(cluster, {}, test::kObjectsNow);
    const auto explanation = offline.explain(metadata.namespace_, metadata.name);
    REQUIRE(explanation);
    return explanation->constraints.empty() ||
           explanation->reason == api::reason::kWaitingForPreemptedWorkloads;
}

/// Makes each smaller change of the remedy's kind, one after the other.
void try_smaller(
    const ScheduleCluster& cluster,
    const api::ObjectMeta& metadata,
    const api::ExplainedRemedy& remedy
) {
    ScheduleCluster copy = cluster;
    std::vector<api::ExplainedRemedy> smaller;
    const auto add = [&](const std::string& value) {
        smaller.push_back(remedy);
        smaller.back().value = value;
    };
    if (remedy.kind == "fewerPods") {
        const int before = largest_of(workload_in(copy, metadata)).count;
        for (int count = std::stoi(remedy.value) + 1; count < before; ++count) {
            add(std::to_string(count));
        }
    } else if (remedy.kind == "priorityClass") {
        const int before = workload_in(copy, metadata).spec.priority.value_or(0);
        for (int value = before + 10; value < std::stoi(remedy.value.substr(1)); value += 10) {
            add(fmt::format("p{}", value));
        }
    } else if (remedy.kind == "nominalQuota" && remedy.value.find(',') == std::string::npos) {
        const std::size_t at = remedy.value.find('=');
        const int value = std::stoi(remedy.value.substr(at + 1));
        const int raised = std::stoi(remedy.change.substr(remedy.change.rfind('+') + 1));
        for (int less = value - raised + 1; less < value; ++less) {
            add(fmt::format("{}={}", remedy.value.substr(0, at), less));
        }
    }
    for (const auto& change : smaller) {
        ScheduleCluster changed = cluster;
        make_change(changed, metadata, change);
        INFO(
            metadata.namespace_ << "/" << metadata.name << ": " << change.kind << " "
                                << change.value << " of " << remedy.change
        );
        CHECK(!is_admitted_alone(changed, metadata));
    }
}

void print(const Tally& tally) {
    fmt::print("{} refused, {} remedies at their turn", tally.refused, tally.later);
    for (const auto& [kind, count] : tally.remedies) {
        fmt::print(", {} {}", count, kind);
    }
    fmt::print("\n");
}

}  // namespace

TEST_CASE("each remedy that is made admits the workload", "[insight][remedies]") {
    const Tally tally = try_clusters(0, 150);
    CHECK(tally.refused > 300);
    for (const char* kind :
         {"fewerPods",
          "toleration",
          "affinity",
          "localQueue",
          "priorityClass",
          "nominalQuota",
          "borrowingLimit",
          "lendingLimit",
          "stopPolicy"}) {
        CAPTURE(kind);
        CHECK(tally.remedies.contains(kind));
    }
}

TEST_CASE("no smaller change of a remedy's kind admits the workload", "[insight][remedies]") {
    std::size_t tried = 0;
    for (std::uint64_t seed = 10'000; seed < 10'080; ++seed) {
        INFO("seed " << seed);
        Prng random(seed);
        const ScheduleCluster cluster = test::settled(test::random_objects(random));
        const commands::OfflineCluster offline(cluster, {}, test::kObjectsNow);
        for (const api::Workload& workload : cluster.workloads) {
            const auto& metadata = workload.metadata;
            const auto explanation = offline.explain(metadata.namespace_, metadata.name);
            REQUIRE(explanation);
            std::set<std::string> kinds;
            for (const auto& remedy : explanation->remedies) {
                if (kinds.insert(remedy.kind).second) {
                    try_smaller(cluster, metadata, remedy);
                    ++tried;
                }
            }
        }
    }
    CHECK(tried > 300);
}

TEST_CASE("each of 10,000 refused workloads is admitted by its remedies", "[.][long]") {
    const Tally tally = try_clusters(1'000, 5'000);
    print(tally);
    CHECK(tally.refused >= 10'000);
}

}  // namespace sluice::insight
