#include "controller/queued_jobs.hpp"

#include <catch2/catch_test_macros.hpp>
#include <catch2/generators/catch_generators.hpp>
#include <catch2/generators/catch_generators_range.hpp>
#include <fmt/core.h>

#include <algorithm>
#include <chrono>
#include <string>
#include <string_view>
#include <vector>

// Slices of a batch/v1 Job, of which some are made by hand. Each pod asks for two of the four cpus.
namespace sluice::controller {
namespace {

const ObjectKey kLarger{kind_of<api::Workload>(), "team", "larger"};

/// A Job that runs one pod; the key of its slice. Another controller opens the gate of the pods
/// that are admitted; without it all pods run that there are.
ObjectKey run_elastic_job(
    MiniCluster& cluster,
    bool is_elastic = true,
    bool is_gated = true,
    std::string_view more_labels = ""
) {
    make_queues(cluster);
    cluster.put(job("sample", 2, more_labels));
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
              json::Object{
                  {"kueue.x-k8s.io/elastic-job", "true"},
                  {"kueue.x-k8s.io/workload-slice-replacement-for", replaced},
              }},
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
    const ObjectKey slice = run_elastic_job(cluster);
    cluster.put(job("other", 2));
    cluster.settle();
    REQUIRE(is_running(cluster, "other"));
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
    CHECK(holds_quota(cluster, slice));  // its pod has not ended yet
    set_active_pods(cluster, "sample", 0);
    cluster.settle();
    CHECK(cluster.condition("team", slice.name, "Finished") == "True/WorkloadSliceReplaced");
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

namespace {

/// The Workloads of the Job that have not finished, oldest first.
std::vector<ObjectKey> live_slices(const MiniCluster& cluster) {
    std::vector<ObjectKey> live;
    for (const ObjectKey& key : cluster.workloads_of("team", "sample")) {
        if (cluster.condition("team", key.name, "Finished").empty()) {
            live.push_back(key);
        }
    }
    return live;
}

void scale(MiniCluster& cluster, int pods) {
    cluster.merge(
        job_key("sample"),
        fmt::format("{{'spec':{{'parallelism':{},'completions':{}}}}}", pods, pods)
    );
    cluster.settle();
}

std::int64_t pod_count(const MiniCluster& cluster, const ObjectKey& slice) {
    const json::Value& pod_sets = *cluster.find(slice)->find_path({"spec", "podSets"});
    const json::Value* count = pod_sets.as_array().front().find("count");
    return count == nullptr ? 1 : count->as_int();
}

}  // namespace

TEST_CASE("an elastic job that grows gets a new slice and runs on", "[controller]") {
    MiniCluster cluster(GENERATE(range<std::uint64_t>(1, 5)));
    const ObjectKey first = run_elastic_job(cluster);
    CHECK(
        cluster.at(first, {"metadata", "annotations", "kueue.x-k8s.io/workload-slice-name"}) ==
        first.name
    );
    CHECK(
        cluster.at(
            job_key("sample"),
            {"spec", "template", "metadata", "annotations", "kueue.x-k8s.io/workload-slice-name"}
        ) == first.name
    );
    scale(cluster, 2);
    const std::vector<ObjectKey> live = live_slices(cluster);
    REQUIRE(live.size() == 1);
    const ObjectKey& second = live.front();
    CHECK(second != first);
    CHECK(pod_count(cluster, second) == 2);
    CHECK(cluster.condition("team", second.name, "Admitted") == "True/Admitted");
    CHECK(cluster.condition("team", first.name, "Finished") == "True/WorkloadSliceReplaced");
    const auto annotation = [&](const char* name) {
        return cluster.at(second, {"metadata", "annotations", name});
    };
    CHECK(annotation("kueue.x-k8s.io/elastic-job") == "true");
    CHECK(annotation("kueue.x-k8s.io/workload-slice-name") == first.name);
    CHECK(annotation("kueue.x-k8s.io/workload-slice-replacement-for") == "team/" + first.name);
    CHECK(is_running(cluster, "sample"));
    CHECK_FALSE(was_stopped(cluster));
}

TEST_CASE("an elastic job that shrinks gives quota back at once", "[controller]") {
    MiniCluster cluster(GENERATE(range<std::uint64_t>(1, 5)));
    run_elastic_job(cluster);
    scale(cluster, 2);
    cluster.put(job("other", 2));
    cluster.settle();
    REQUIRE_FALSE(is_running(cluster, "other"));
    const std::vector<ObjectKey> before = live_slices(cluster);
    scale(cluster, 1);
    REQUIRE(live_slices(cluster) == before);
    CHECK(pod_count(cluster, before.front()) == 1);
    CHECK(holds_quota(cluster, before.front()));
    CHECK(is_running(cluster, "other"));
    CHECK(is_running(cluster, "sample"));
    CHECK_FALSE(was_stopped(cluster));
}

TEST_CASE("a slice that waits follows the size of its job", "[controller]") {
    MiniCluster cluster(GENERATE(range<std::uint64_t>(1, 5)));
    const ObjectKey first = run_elastic_job(cluster);
    cluster.put(job("other", 2));
    cluster.settle();
    scale(cluster, 2);
    const std::vector<ObjectKey> live = live_slices(cluster);
    REQUIRE(live.size() == 2);
    scale(cluster, 3);
    REQUIRE(live_slices(cluster) == live);
    const ObjectKey waiting = live.front() == first ? live.back() : live.front();
    CHECK(pod_count(cluster, waiting) == 3);
    CHECK(holds_quota(cluster, first));
    CHECK_FALSE(holds_quota(cluster, waiting));
    scale(cluster, 2);
    complete(cluster, "other");
    cluster.settle();
    CHECK(live_slices(cluster) == std::vector{waiting});
    CHECK(holds_quota(cluster, waiting));
    CHECK(is_running(cluster, "sample"));
    CHECK_FALSE(was_stopped(cluster));
}

TEST_CASE("many sizes in a row leave one slice and no quota behind", "[controller]") {
    const auto seed = GENERATE(range<std::uint64_t>(1, 20));
    CAPTURE(seed);
    MiniCluster cluster(seed);
    Prng prng(seed);
    run_elastic_job(cluster);
    for (int i = 0; i < 30; ++i) {
        const int pods = 1 + static_cast<int>(prng.below(2));
        cluster.merge(
            job_key("sample"),
            fmt::format("{{'spec':{{'parallelism':{},'completions':{}}}}}", pods, pods)
        );
        for (std::uint64_t steps = prng.below(12); steps > 0; --steps) {
            cluster.tick();
        }
        if (prng.chance(10)) {
            cluster.restart();
        }
    }
    scale(cluster, 1);
    const std::vector<ObjectKey> live = live_slices(cluster);
    REQUIRE(live.size() == 1);
    CHECK(pod_count(cluster, live.front()) == 1);
    CHECK(is_running(cluster, "sample"));
    CHECK_FALSE(was_stopped(cluster));
    cluster.put(job("other", 2));
    cluster.settle();
    CHECK(is_running(cluster, "other"));
}

TEST_CASE("a change of the priority class reaches both slices", "[controller]") {
    MiniCluster cluster(GENERATE(range<std::uint64_t>(1, 5)));
    make_queues(cluster);
    for (const char* name : {"low", "high"}) {
        cluster.put(fmt::format(
            "{{'kind':'WorkloadPriorityClass','metadata':{{'name':'{}'}},'value':{}}}",
            name,
            std::string_view(name) == "low" ? 1 : 2
        ));
    }
    run_elastic_job(cluster, true, true, ",'kueue.x-k8s.io/priority-class':'low'");
    cluster.put(job("other", 2, ",'kueue.x-k8s.io/priority-class':'high'"));
    cluster.settle();
    scale(cluster, 2);
    REQUIRE(live_slices(cluster).size() == 2);
    cluster.merge(
        job_key("sample"), "{'metadata':{'labels':{'kueue.x-k8s.io/priority-class':'high'}}}"
    );
    cluster.settle();
    REQUIRE(live_slices(cluster).size() == 2);
    for (const ObjectKey& slice : live_slices(cluster)) {
        CHECK(cluster.at(slice, {"spec", "priorityClassRef", "name"}) == "high");
    }
}

TEST_CASE("an elastic job that shrinks does not count pods as done that it lost", "[controller]") {
    MiniCluster cluster(GENERATE(range<std::uint64_t>(1, 5)));
    run_elastic_job(cluster);
    cluster.merge(job_key("sample"), "{'spec':{'parallelism':2,'completions':2}}");
    cluster.settle();
    const ObjectKey slice = live_slices(cluster).front();
    const auto reclaimable = [&] {
        const json::Value* pods = cluster.find(slice)->find_path({"status", "reclaimablePods"});
        return pods == nullptr || pods->as_array().empty()
                   ? 0
                   : pods->as_array().front().find("count")->as_int();
    };
    cluster.merge(job_key("sample"), "{'status':{'succeeded':1}}");
    cluster.settle();
    REQUIRE(reclaimable() == 1);
    scale(cluster, 1);
    CHECK(pod_count(cluster, slice) == 1);
    CHECK(reclaimable() == 0);
}

TEST_CASE("what is done is taken back before an elastic job shrinks", "[controller]") {
    MiniCluster cluster(GENERATE(range<std::uint64_t>(1, 5)));
    run_elastic_job(cluster);
    scale(cluster, 2);
    const ObjectKey slice = live_slices(cluster).front();
    cluster.merge(job_key("sample"), "{'status':{'succeeded':1}}");
    cluster.settle();
    const std::size_t before = cluster.writes.size();
    scale(cluster, 1);
    std::vector<Verb> verbs;
    for (std::size_t i = before; i < cluster.writes.size(); ++i) {
        const Write& write = cluster.writes[i];
        if (write.object == slice && (write.field_manager == "kueue-reclaimable-pods" ||
                                      write.body.find_path({"spec", "podSets"}) != nullptr)) {
            verbs.push_back(write.verb);
        }
    }
    REQUIRE(verbs.size() >= 2);
    CHECK(verbs.front() == Verb::ApplyStatus);
    CHECK(verbs.back() == Verb::MergePatch);
}

TEST_CASE("a job that waits for a larger slice before its start holds no quota", "[controller]") {
    MiniCluster cluster(GENERATE(range<std::uint64_t>(1, 5)));
    const ObjectKey slice = scale_up_in_vain(cluster);
    REQUIRE(holds_quota(cluster, slice));
    cluster.merge(job_key("sample"), "{'spec':{'suspend':true}}");
    set_active_pods(cluster, "sample", 0);
    cluster.settle();
    CHECK_FALSE(is_running(cluster, "sample"));
    CHECK(cluster.find(slice) == nullptr);
    check_that_next_runs_before_larger(cluster);
}

TEST_CASE("an elastic job is evicted though its larger slice cannot be made", "[controller]") {
    MiniCluster cluster(GENERATE(range<std::uint64_t>(1, 5)));
    const ObjectKey slice = run_elastic_job(cluster);
    SECTION("because its label names no priority class") {
        cluster.merge(
            job_key("sample"), "{'metadata':{'labels':{'kueue.x-k8s.io/priority-class':'missing'}}}"
        );
    }
    SECTION("because the API server refuses it") {
        cluster.fault = [](const Write& write) -> std::optional<Error> {
            return write.verb == Verb::Create
                       ? std::optional(Error{ErrorCode::AlreadyExists, "name is taken", {}})
                       : std::nullopt;
        };
    }
    scale(cluster, 2);
    REQUIRE(live_slices(cluster) == std::vector{slice});
    REQUIRE(is_running(cluster, "sample"));
    cluster.merge(slice, "{'spec':{'active':false}}");
    cluster.settle();
    CHECK_FALSE(is_running(cluster, "sample"));
    set_active_pods(cluster, "sample", 0);
    cluster.settle();
    CHECK_FALSE(holds_quota(cluster, slice));
}

TEST_CASE("slices that are deactivated stop their job when the one it runs on is", "[controller]") {
    MiniCluster cluster(GENERATE(range<std::uint64_t>(1, 5)));
    const ObjectKey first = run_elastic_job(cluster);
    cluster.put(job("other", 2));
    cluster.settle();
    scale(cluster, 2);
    REQUIRE(live_slices(cluster).size() == 2);
    for (const ObjectKey& slice : live_slices(cluster)) {
        if (slice != first) {
            cluster.merge(slice, "{'spec':{'active':false}}");
        }
    }
    cluster.settle();
    CHECK(is_running(cluster, "sample"));
    CHECK(holds_quota(cluster, first));
    CHECK(live_slices(cluster).size() == 2);  // the inactive one waits for its user

    cluster.merge(first, "{'spec':{'active':false}}");
    cluster.settle();
    CHECK_FALSE(is_running(cluster, "sample"));
    set_active_pods(cluster, "sample", 0);
    cluster.settle();
    REQUIRE(live_slices(cluster).size() == 1);
    CHECK_FALSE(holds_quota(cluster, live_slices(cluster).front()));
}

TEST_CASE("a slice is replaced by no Workload of another job", "[controller]") {
    MiniCluster cluster(GENERATE(range<std::uint64_t>(1, 5)));
    const bool is_elastic = GENERATE(true, false);
    const bool is_gated = GENERATE(true, false);
    const ObjectKey slice = run_elastic_job(cluster, is_elastic, is_gated);
    cluster.put(job("other", 2));
    cluster.settle();
    REQUIRE(is_running(cluster, "other"));  // nothing is left
    const char* owner = GENERATE(
        "", "{'apiVersion':'batch/v1','kind':'Job','name':'sample','uid':'guess','controller':true}"
    );
    cluster.put(fmt::format(
        "{{'kind':'Workload','metadata':{{'name':'evil','namespace':'team','annotations':{{"
        "'kueue.x-k8s.io/elastic-job':'true',"
        "'kueue.x-k8s.io/workload-slice-replacement-for':'team/{}'}},'ownerReferences':[{}]}},"
        "'spec':{{'queueName':'main','podSets':[{{'name':'main','count':1,"
        "'template':{{'spec':{{'containers':[{{'name':'c','resources':{{'requests':{{'cpu':'2'}}"
        "}}}}]}}}}}}]}}}}",
        slice.name,
        owner
    ));
    cluster.settle();
    CHECK_FALSE(holds_quota(cluster, {kind_of<api::Workload>(), "team", "evil"}));
    CHECK(holds_quota(cluster, slice));
    CHECK(is_running(cluster, "sample"));
}

TEST_CASE("a job runs on its slice while checks of the larger one are pending", "[controller]") {
    MiniCluster cluster(GENERATE(range<std::uint64_t>(1, 5)));
    const ObjectKey first = run_elastic_job(cluster);
    cluster.put(
        "{'kind':'AdmissionCheck','metadata':{'name':'check'},"
        "'spec':{'controllerName':'example.com/check'},"
        "'status':{'conditions':[{'type':'Active','status':'True','reason':'Active','message':'',"
        "'lastTransitionTime':'2020-01-01T00:00:00Z'}]}}"
    );
    cluster.settle();
    cluster.merge(
        {kind_of<api::ClusterQueue>(), "", "cq"},
        "{'spec':{'admissionChecksStrategy':{'admissionChecks':[{'name':'check'}]}}}"
    );
    cluster.settle();
    scale(cluster, 2);
    const auto live = live_slices(cluster);
    REQUIRE(live.size() == 2);
    const ObjectKey larger = live.front() == first ? live.back() : live.front();
    REQUIRE(holds_quota(cluster, larger));
    REQUIRE(cluster.condition("team", larger.name, "Admitted") != "True/Admitted");
    CHECK(is_running(cluster, "sample"));
    CHECK(holds_quota(cluster, first));
    CHECK_FALSE(was_stopped(cluster));
    const bool is_ready = GENERATE(true, false);
    CAPTURE(is_ready);
    cluster.merge(
        larger,
        fmt::format(
            "{{'status':{{'admissionChecks':[{{'name':'check','state':'{}','message':'',"
            "'lastTransitionTime':'2020-01-01T00:00:00Z'}}]}}}}",
            is_ready ? "Ready" : "Rejected"
        )
    );
    cluster.settle();
    CHECK(is_running(cluster, "sample"));
    CHECK_FALSE(was_stopped(cluster));
    CHECK(holds_quota(cluster, larger) == is_ready);
    CHECK(
        cluster.condition("team", first.name, "Finished") ==
        (is_ready ? "True/WorkloadSliceReplaced" : "")
    );
}

}  // namespace sluice::controller
