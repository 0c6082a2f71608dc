// What-ifs and what really happens, on random clusters of objects.
#include "api/kueue/conditions.hpp"
#include "api/kueue/kueue_names.hpp"
#include "api/meta/codec.hpp"
#include "controller/commands/offline/offline_cluster.hpp"
#include "engine/state/snapshot.hpp"
#include "insight/random_objects.hpp"
#include "insight/what_if.hpp"

#include <catch2/catch_test_macros.hpp>
#include <fmt/format.h>

#include <algorithm>
#include <map>
#include <set>
#include <string>
#include <utility>
#include <vector>

namespace sluice::insight {
namespace {

using commands::ScheduleCluster;
using Names = std::set<std::string>;

std::string key_of(const api::Workload& workload) {
    return workload.metadata.namespace_ + "/" + workload.metadata.name;
}

Names holders_of(const ScheduleCluster& cluster) {
    Names made;
    for (const auto& workload : cluster.workloads) {
        const auto& conditions = workload.status.conditions;
        if (api::is_true(conditions, api::condition::kQuotaReserved) &&
            !api::is_true(conditions, api::condition::kEvicted)) {
            made.insert(key_of(workload));
        }
    }
    return made;
}

Names minus(const Names& a, const Names& b) {
    Names made;
    std::ranges::set_difference(a, b, std::inserter(made, made.end()));
    return made;
}

/// A change of the objects, and the edit that asks about it.
struct Change {
    ScheduleCluster after;
    api::WhatIfEdit edit;
};

Change change_quota(Prng& random, ScheduleCluster cluster) {
    auto& queue = cluster.cluster_queues[random.below(cluster.cluster_queues.size())];
    auto& flavors = queue.spec.resource_groups.at(0).flavors;
    auto& flavor = flavors[random.below(flavors.size())];
    auto& quota = flavor.resources[random.below(flavor.resources.size())];
    const std::int64_t value = random.between(0, 14);
    api::WhatIfEdit edit;
    edit.kind = api::what_if::kQuota;
    edit.node = "clusterqueue/" + queue.metadata.name;
    edit.flavor = flavor.name;
    edit.resource = quota.name;
    edit.amount = fmt::format("={}", value);
    quota.nominal_quota = api::Quantity(value);
    ++queue.metadata.generation;
    return {std::move(cluster), std::move(edit)};
}

Change cancel(Prng& random, ScheduleCluster cluster) {
    const auto at = static_cast<std::ptrdiff_t>(random.below(cluster.workloads.size()));
    const auto& metadata = cluster.workloads[static_cast<std::size_t>(at)].metadata;
    api::WhatIfEdit edit;
    edit.kind = api::what_if::kCancel;
    edit.namespace_ = metadata.namespace_;
    edit.workload = metadata.name;
    cluster.workloads.erase(cluster.workloads.begin() + at);
    return {std::move(cluster), std::move(edit)};
}

Change set_priority(Prng& random, ScheduleCluster cluster) {
    auto& workload = cluster.workloads[random.below(cluster.workloads.size())];
    const auto& priority = cluster.priority_classes[random.below(3)];
    api::WhatIfEdit edit;
    edit.kind = api::what_if::kPriority;
    edit.namespace_ = workload.metadata.namespace_;
    edit.workload = workload.metadata.name;
    edit.priority_class = priority.metadata.name;
    workload.spec.priority = priority.value;
    ++workload.metadata.generation;
    return {std::move(cluster), std::move(edit)};
}

/// The submitted job is given as the Workload that it has.
Change submit(Prng& random, ScheduleCluster cluster) {
    api::Workload made = cluster.workloads[random.below(cluster.workloads.size())];
    made.status = {};
    made.metadata.name = "new";
    made.metadata.uid = "what-if-000000001";
    made.metadata.creation_timestamp = test::kObjectsNow;
    made.spec.priority = static_cast<std::int32_t>(10 * random.between(0, 3));
    api::WhatIfEdit edit;
    edit.kind = api::what_if::kSubmit;
    edit.object = api::RawJson(api::encode(made));
    cluster.workloads.push_back(std::move(made));
    return {std::move(cluster), std::move(edit)};
}

Change apply_flavor(Prng& random, ScheduleCluster cluster) {
    auto& flavor = cluster.flavors[random.below(cluster.flavors.size())];
    if (flavor.spec.node_taints.empty()) {
        flavor.spec.node_taints.push_back({.key = "new", .value = "x", .effect = "NoSchedule"});
    } else {
        flavor.spec.node_taints.clear();
    }
    api::WhatIfEdit edit;
    edit.kind = api::what_if::kApply;
    edit.object = api::RawJson(api::encode(flavor));
    return {std::move(cluster), std::move(edit)};
}

Change apply_queue(Prng& random, ScheduleCluster cluster) {
    auto& queue = cluster.cluster_queues[random.below(cluster.cluster_queues.size())];
    queue.spec.stop_policy = queue.spec.stop_policy == "None" ? "Hold" : "None";
    queue.spec.preemption.within_cluster_queue = "LowerPriority";
    ++queue.metadata.generation;
    api::WhatIfEdit edit;
    edit.kind = api::what_if::kApply;
    edit.object = api::RawJson(api::encode(queue));
    return {std::move(cluster), std::move(edit)};
}

Change random_change(Prng& random, const ScheduleCluster& cluster) {
    switch (random.below(6)) {
        case 0:
            return change_quota(random, cluster);
        case 1:
            return cancel(random, cluster);
        case 2:
            return set_priority(random, cluster);
        case 3:
            return submit(random, cluster);
        case 4:
            return apply_flavor(random, cluster);
        default:
            return apply_queue(random, cluster);
    }
}

Result<api::Workload> workload_in(std::string_view job) {
    return api::decode<api::Workload>(job);
}

api::WhatIfStatus ask(const ScheduleCluster& cluster, const std::vector<api::WhatIfEdit>& edits) {
    const commands::OfflineCluster offline(cluster, {}, test::kObjectsNow);
    auto plan = plan_change(offline.surroundings(), edits, "", workload_in);
    REQUIRE(plan);
    return ChangeDraft(*std::move(plan)).finish([](std::string_view) { return true; });
}

struct Counts {
    std::map<std::string, std::size_t> kinds;
    std::size_t starts = 0;
    std::size_t evicts = 0;
};

void compare(std::uint64_t seed, Counts& counts) {
    INFO("seed " << seed);
    Prng random(seed);
    const ScheduleCluster cluster = test::settled(test::random_objects(random));
    std::vector<api::WhatIfEdit> edits;
    ScheduleCluster after = cluster;
    // At most one submission: a second one would have the name of the first.
    for (auto left = random.between(1, 4); left > 0; --left) {
        Change change = random_change(random, after);
        const bool submits = change.edit.kind == api::what_if::kSubmit;
        if (after.workloads.empty() || (submits && !edits.empty())) {
            break;
        }
        ++counts.kinds[change.edit.kind];
        edits.push_back(std::move(change.edit));
        after = std::move(change.after);
        if (submits) {
            break;
        }
    }
    if (edits.empty()) {
        return;
    }
    const auto status = ask(cluster, edits);
    if (status.truncated) {
        return;  // workloads evict each other without end
    }
    const Names before = holders_of(cluster);
    const Names without = holders_of(test::settled(cluster));
    const Names with = holders_of(test::settled(after));
    Names starts;
    for (const auto& start : status.starts) {
        starts.insert(start.workload);
    }
    Names no_longer;
    for (const auto& start : status.no_longer_starts) {
        no_longer.insert(start.workload);
    }
    Names evicts;
    for (const auto& eviction : status.evicts) {
        evicts.insert(eviction.workload);
    }
    counts.starts += starts.size();
    counts.evicts += evicts.size();
    Names exist;
    for (const auto& workload : after.workloads) {
        exist.insert(key_of(workload));
    }
    // A workload may start with other flavors than without the change.
    CHECK(minus(minus(with, before), without) == minus(starts, without));
    CHECK(minus(starts, with).empty());
    CHECK(minus(minus(without, before), with) == minus(no_longer, minus(no_longer, exist)));
    Names gone = minus(minus(before, with), minus(before, without));
    Names present;
    std::ranges::set_intersection(gone, exist, std::inserter(present, present.end()));
    CHECK(present == evicts);
}

}  // namespace

TEST_CASE("a what-if says what then happens", "[insight][whatif]") {
    Counts counts;
    for (std::uint64_t seed = 0; seed < 500; ++seed) {
        compare(seed, counts);
    }
    CHECK(counts.kinds.size() == 5);
    CHECK(counts.starts > 60);
    CHECK(counts.evicts > 2);
}

TEST_CASE("5,000 what-ifs say what then happens", "[.][long]") {
    Counts counts;
    for (std::uint64_t seed = 10'000; seed < 15'000; ++seed) {
        compare(seed, counts);
    }
    fmt::print("{} starts, {} evictions\n", counts.starts, counts.evicts);
}

TEST_CASE("a what-if leaves the state as it was", "[insight][whatif]") {
    Prng random(7);
    const ScheduleCluster cluster = test::settled(test::random_objects(random));
    const commands::OfflineCluster offline(cluster, {}, test::kObjectsNow);
    const std::string before = engine::save(offline.world().state());
    for (int i = 0; i < 20; ++i) {
        const Change change = random_change(random, cluster);
        auto plan = plan_change(offline.surroundings(), {change.edit}, "", workload_in);
        REQUIRE(plan);
        ChangeDraft(*std::move(plan)).finish([](std::string_view) { return false; });
    }
    CHECK(engine::save(offline.world().state()) == before);
}

}  // namespace sluice::insight
