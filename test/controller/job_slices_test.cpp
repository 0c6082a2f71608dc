#include "controller/queued_jobs.hpp"

#include <catch2/catch_test_macros.hpp>
#include <catch2/generators/catch_generators.hpp>
#include <catch2/generators/catch_generators_range.hpp>

#include <algorithm>
#include <chrono>
#include <string>

// Slices of a batch/v1 Job that another controller makes. Each pod asks for two of the four cpus.
namespace sluice::controller {
namespace {

const ObjectKey kLarger{kind_of<api::Workload>(), "team", "larger"};

/// A Job that runs one pod; the key of its slice. Another controller opens the gate of the pods
/// that are admitted; without it all pods run that there are.
ObjectKey run_elastic_job(MiniCluster& cluster, bool is_elastic = true, bool is_gated = true) {
    make_queues(cluster);
    cluster.put(job("sample", 2));
    if (is_gated) {
        cluster.merge(
            job_key("sample"),
            "{'spec':{'template':{'spec':{'schedulingGates':[{'name':'kueue.x-k8s.io/elastic-job'}"
            "]}}}}"
        );
    }
    if (is_elastic) {
        cluster.merge(
            job_key("sample"), "{'metadata':{'annotations':{'kueue.x-k8s.io/elastic-job':'true'}}}"
        );
    }
    cluster.settle();
    REQUIRE(is_running(cluster, "sample"));
    set_active_pods(cluster, "sample", 1);
    cluster.settle();
    return workload_key(cluster, "sample");
}

/// A slice of two pods in place of that one.
void put_larger_slice(MiniCluster& cluster, const ObjectKey& slice) {
    const json::Value& old = *cluster.find(slice);
    json::Value spec = *old.find("spec");
    spec.find("podSets")->as_array().front().set("count", 2);
    const std::string replaced = slice.ns + "/" + slice.name;
    const json::Value made = json::Object{
        {"kind", "Workload"},
        {"metadata",
         json::Object{
             {"name", kLarger.name},
             {"namespace", kLarger.ns},
             {"annotations",
              json::Object{{"kueue.x-k8s.io/workload-slice-replacement-for", replaced}}},
             {"finalizers", *old.find_path({"metadata", "finalizers"})},
             {"ownerReferences", *old.find_path({"metadata", "ownerReferences"})},
         }},
        {"spec", std::move(spec)},
    };
    cluster.put(json::print(made));
}

void scale_up(MiniCluster& cluster, const ObjectKey& slice) {
    put_larger_slice(cluster, slice);
    cluster.merge(job_key("sample"), "{'spec':{'parallelism':2,'completions':2}}");
}

/// The same beside a Job of two cpus, so that the larger slice waits. The key of the one in place.
ObjectKey scale_up_in_vain(MiniCluster& cluster, bool is_gated = true) {
    const ObjectKey slice = run_elastic_job(cluster, true, is_gated);
    cluster.put(job("other", 2));
    cluster.settle();
    scale_up(cluster, slice);
    cluster.settle();
    return slice;
}

bool was_stopped(const MiniCluster& cluster) {
    return std::ranges::any_of(cluster.events, [](const EventNote& event) {
        return event.reason == "Stopped" && event.regarding.name == "sample";
    });
}

bool holds_quota(const MiniCluster& cluster, const ObjectKey& slice) {
    return cluster.condition(slice.ns, slice.name, "QuotaReserved") == "True/QuotaReserved";
}

/// What the slice gave up is free for another Job; once all others are done the larger one has it.
void check_that_next_runs_before_larger(MiniCluster& cluster) {
    cluster.put(job("next", 2));
    cluster.settle();
    CHECK(is_running(cluster, "next"));
    complete(cluster, "other");
    complete(cluster, "next");
    cluster.settle();
    CHECK(holds_quota(cluster, kLarger));
    CHECK(is_running(cluster, "sample"));
}

}  // namespace

TEST_CASE("a slice holds its quota until the larger one is admitted", "[controller]") {
    MiniCluster cluster(GENERATE(range<std::uint64_t>(1, 8)));
    const bool is_slice_first = GENERATE(true, false);
    const ObjectKey slice = run_elastic_job(cluster);
    cluster.put(job("other", 2));
    cluster.settle();
    REQUIRE(is_running(cluster, "other"));
    if (is_slice_first) {
        put_larger_slice(cluster, slice);
        cluster.settle();
    }
    scale_up(cluster, slice);
    cluster.settle();
    REQUIRE(cluster.find(slice) != nullptr);
    CHECK(holds_quota(cluster, slice));
    CHECK(cluster.at(slice, {"metadata", "deletionTimestamp"}).empty());
    CHECK_FALSE(cluster.at(slice, {"metadata", "finalizers"}).empty());
    REQUIRE(cluster.find(kLarger) != nullptr);
    CHECK_FALSE(holds_quota(cluster, kLarger));
    CHECK(is_running(cluster, "sample"));

    complete(cluster, "other");
    cluster.settle();
    CHECK(holds_quota(cluster, kLarger));
    CHECK(cluster.condition("team", slice.name, "Finished") == "True/WorkloadSliceReplaced");
    CHECK(cluster.at(slice, {"metadata", "finalizers"}).empty());
    CHECK(is_running(cluster, "sample"));
    CHECK_FALSE(was_stopped(cluster));

    complete(cluster, "sample");
    cluster.settle();
    CHECK(cluster.condition("team", kLarger.name, "Finished") == "True/Succeeded");
    CHECK(cluster.at(kLarger, {"metadata", "finalizers"}).empty());
    CHECK(cluster.find(slice) != nullptr);
}

TEST_CASE(
    "a slice ends in the end, whatever writes fail and whenever its controller dies", "[controller]"
) {
    const auto seed = GENERATE(range<std::uint64_t>(1, 30));
    CAPTURE(seed);
    MiniCluster cluster(seed);
    Prng prng(seed);
    const ObjectKey slice = run_elastic_job(cluster);
    cluster.put(job("other", 2));
    cluster.settle();
    cluster.fault = [&prng](const Write&) -> std::optional<Error> {
        return prng.chance(40) ? std::optional(Error{ErrorCode::Unavailable, "later", {}})
                               : std::nullopt;
    };
    scale_up(cluster, slice);
    complete(cluster, "other");
    for (int i = 0; i < 300; ++i) {
        cluster.tick();
        cluster.clock.advance(std::chrono::milliseconds(prng.below(20)));
        if (prng.chance(2)) {
            cluster.restart();
        }
    }
    cluster.fault = {};
    cluster.settle(std::chrono::minutes(2));
    CHECK(holds_quota(cluster, kLarger));
    CHECK(cluster.condition("team", slice.name, "Finished") == "True/WorkloadSliceReplaced");
    CHECK(cluster.at(slice, {"metadata", "finalizers"}).empty());
    CHECK(cluster.condition("team", kLarger.name, "Finished").empty());
    CHECK(is_running(cluster, "sample"));
    CHECK_FALSE(was_stopped(cluster));
    CHECK(std::ranges::count(cluster.events, "WorkloadSliceReplaced", &EventNote::reason) == 1);
}

TEST_CASE("pods without a gate do not run on quota that a larger slice waits for", "[controller]") {
    MiniCluster cluster(GENERATE(range<std::uint64_t>(1, 5)));
    const ObjectKey slice = scale_up_in_vain(cluster, false);
    CHECK_FALSE(is_running(cluster, "sample"));
    CHECK(holds_quota(cluster, slice));  // its pod has not ended yet
    set_active_pods(cluster, "sample", 0);
    cluster.settle();
    CHECK(cluster.find(slice) == nullptr);  // nothing runs on its quota
    check_that_next_runs_before_larger(cluster);
}

TEST_CASE("a larger slice that is admitted before its job grows stops nothing", "[controller]") {
    MiniCluster cluster(GENERATE(range<std::uint64_t>(1, 5)));
    const ObjectKey slice = run_elastic_job(cluster, true, GENERATE(true, false));
    put_larger_slice(cluster, slice);
    cluster.settle();
    CHECK(holds_quota(cluster, kLarger));
    CHECK(is_running(cluster, "sample"));
    cluster.merge(job_key("sample"), "{'spec':{'parallelism':2,'completions':2}}");
    cluster.settle();
    CHECK(is_running(cluster, "sample"));
    CHECK_FALSE(was_stopped(cluster));
}

TEST_CASE("a slice that is evicted before the larger one is admitted gives way", "[controller]") {
    MiniCluster cluster(GENERATE(range<std::uint64_t>(1, 5)));
    const ObjectKey slice = scale_up_in_vain(cluster);
    cluster.merge(slice, "{'spec':{'active':false}}");
    cluster.settle();
    CHECK_FALSE(is_running(cluster, "sample"));
    set_active_pods(cluster, "sample", 0);
    cluster.settle();
    CHECK(cluster.find(slice) == nullptr);
    check_that_next_runs_before_larger(cluster);
}

TEST_CASE("a job whose larger slice is deleted queues anew", "[controller]") {
    MiniCluster cluster(GENERATE(range<std::uint64_t>(1, 5)));
    const ObjectKey slice = run_elastic_job(cluster);
    put_larger_slice(cluster, slice);
    cluster.settle();
    REQUIRE(cluster.condition("team", slice.name, "Finished") == "True/WorkloadSliceReplaced");
    cluster.remove(kLarger);
    cluster.settle();
    CHECK_FALSE(is_running(cluster, "sample"));
    set_active_pods(cluster, "sample", 0);
    cluster.settle();
    CHECK(cluster.find(kLarger) == nullptr);
    const std::string made = cluster.workload_of("team", "sample");
    CHECK(cluster.condition("team", made, "Finished").empty());
    CHECK(cluster.condition("team", made, "Admitted") == "True/Admitted");
    CHECK(is_running(cluster, "sample"));
}

TEST_CASE("a job that ends or is deleted between two slices frees both", "[controller]") {
    MiniCluster cluster(GENERATE(range<std::uint64_t>(1, 5)));
    const ObjectKey slice = scale_up_in_vain(cluster);
    const bool is_deleted = GENERATE(true, false);
    if (is_deleted) {
        cluster.remove(job_key("sample"));
    } else {
        complete(cluster, "sample");
    }
    cluster.settle();
    for (const ObjectKey& each : {slice, kLarger}) {
        CHECK(
            cluster.condition("team", each.name, "Finished") ==
            (is_deleted ? "True/OwnerNotFound" : "True/Succeeded")
        );
        CHECK(cluster.at(each, {"metadata", "finalizers"}).empty());
    }
    cluster.put(job("next", 2));
    cluster.settle();
    CHECK(is_running(cluster, "next"));
}

TEST_CASE("a job that is not elastic has one workload", "[controller]") {
    MiniCluster cluster(GENERATE(range<std::uint64_t>(1, 9)));
    const ObjectKey slice = run_elastic_job(cluster, false);
    put_larger_slice(cluster, slice);
    cluster.settle();
    CHECK(cluster.find(kLarger) == nullptr);
    CHECK(holds_quota(cluster, slice));
    CHECK(cluster.condition("team", slice.name, "Finished").empty());
    CHECK(is_running(cluster, "sample"));
}

}  // namespace sluice::controller
