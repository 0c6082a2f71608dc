#include "controller/process/passed_kinds.hpp"

#include "controller/admitting_cluster.hpp"
#include "controller/jobs/described/described_kind.hpp"
#include "controller/kinds/builtin_kinds.hpp"
#include "controller/queued_jobs.hpp"
#include "controller/run_time_cluster.hpp"
#include "job_kinds/builtin.hpp"
#include "support/captured_log.hpp"

#include <catch2/catch_test_macros.hpp>
#include <catch2/generators/catch_generators.hpp>
#include <fmt/format.h>

#include <algorithm>
#include <memory>
#include <set>
#include <string>
#include <vector>

// Built-in kinds whose integration is off, between jobs and what manages them.
namespace sluice::controller {
namespace {

std::shared_ptr<const kube::RunTimeKind> job_set_names() {
    static const auto names = std::make_shared<const kube::RunTimeKind>(kube::RunTimeKind::Names{
        .group = "jobset.x-k8s.io", .version = "v1alpha2", .kind = "JobSet", .resource = "jobsets"
    });
    return names;
}

job_kinds::ConfiguredKind app_wrappers() {
    const auto* builtin = job_kinds::find_builtin("workload.codeflare.dev/appwrapper");
    REQUIRE(builtin != nullptr);
    return {.description = std::make_shared<const job_kinds::Description>(*builtin)};
}

const std::shared_ptr<const kube::RunTimeKind>& wrapper_names() {
    static const auto names = names_of(*app_wrappers().description);
    return names;
}

std::set<std::string> passed_below(const Registry& registry, bool manages_pods) {
    std::set<std::string> names;
    for (const KindEntry& entry : find_passed_kinds(registry, manages_pods)) {
        CHECK(entry.is_only_passed);
        names.insert(kube::to_string(entry.kind));
    }
    return names;
}

/// An AppWrapper with a queue, a JobSet of its own and the JobSet's Job, which names no queue.
struct Wrapped {
    explicit Wrapped(const std::string& labels, bool is_passed = true) {
        cluster.add_kind(described_job_kind(app_wrappers(), wrapper_names()));
        cluster.add_kind(
            is_passed ? passed_kind(job_set_names()) : make_dynamic_entry(job_set_names())
        );
        make_queues(cluster);
        cluster.put(
            "{'kind':'LocalQueue','metadata':{'name':'default','namespace':'team'},"
            "'spec':{'clusterQueue':'cq','stopPolicy':'None'}}"
        );
        cluster.put(fmt::format(
            "{{'apiVersion':'workload.codeflare.dev/v1beta2','kind':'AppWrapper','metadata':"
            "{{'name':'wrapper','namespace':'team','labels':{{{}}}}},'spec':{{'suspend':true,"
            "'components':[]}}}}",
            labels
        ));
        cluster.settle();
        cluster.put(fmt::format(
            "{{'apiVersion':'jobset.x-k8s.io/v1alpha2','kind':'JobSet','metadata':{{'name':'set',"
            "'namespace':'team','ownerReferences':[{}]}},'spec':{{}}}}",
            reference(wrapper_names()->kind(), "wrapper")
        ));
        cluster.settle();
    }

    std::string reference(Kind kind, const std::string& name) const {
        return fmt::format(
            "{{'apiVersion':'{}','kind':'{}','name':'{}','uid':'{}','controller':true}}",
            kind.api_version(),
            kind.name(),
            name,
            cluster.at({kind, "team", name}, {"metadata", "uid"})
        );
    }
    std::string child() const {
        std::string text = job("child", 1);
        const std::string own = "'namespace':'team',";
        text.replace(
            text.find(own),
            own.size(),
            own + fmt::format("'ownerReferences':[{}],", reference(job_set_names()->kind(), "set"))
        );
        const std::string label = "'kueue.x-k8s.io/queue-name':'main'";
        text.erase(text.find(label), label.size());
        text.replace(text.find("'suspend':true"), 14, "'suspend':false");
        return text;
    }
    std::string queue_of_child() const {
        return cluster.at(job_key("child"), {"metadata", "labels", "kueue.x-k8s.io/queue-name"});
    }

    AdmittingCluster cluster;
};

constexpr const char* kQueued = "'kueue.x-k8s.io/queue-name':'main'";

/// Oxen, which another controller manages, JobSets below them, and Jobs below those.
struct Oxen {
    Oxen() {
        cluster.external = {"Ox.v1alpha1.science.example"};
        cluster.client.serve(science_kind("Ox", "oxen"));
        cluster.put("science.example/v1alpha1", "oxen", "team", R"(
metadata: {name: ox, namespace: team, labels: {kueue.x-k8s.io/queue-name: main}}
)");
    }
    ~Oxen() { cluster.stop(); }
    Oxen(const Oxen&) = delete;
    Oxen& operator=(const Oxen&) = delete;

    void serve_job_sets() {
        cluster.client.serve(job_set_names()->kind());
        const auto ox = cluster.client.find_value(science_path("oxen", "ox"));
        cluster.put(
            "jobset.x-k8s.io/v1alpha2",
            "jobsets",
            "team",
            fmt::format(
                "{{metadata: {{name: set, namespace: team, uid: of-set, ownerReferences: [{{"
                "apiVersion: science.example/v1alpha1, kind: Ox, name: ox, uid: {}, "
                "controller: true}}]}}}}",
                ox->find("metadata")->string_at("uid")
            )
        );
    }
    void put_child() {
        const auto set =
            cluster.client.find_value({"jobset.x-k8s.io", "v1alpha2", "jobsets", "team", "set", ""}
            );
        cluster.put(
            "batch/v1",
            "jobs",
            "team",
            fmt::format(
                R"(
kind: Job
metadata:
  name: child
  namespace: team
  labels: {{kueue.x-k8s.io/queue-name: main}}
  ownerReferences:
  - {{apiVersion: jobset.x-k8s.io/v1alpha2, kind: JobSet, name: set, uid: {}, controller: true}}
spec:
  suspend: false
  parallelism: 1
  completions: 1
  template:
    spec:
      restartPolicy: Never
      containers: [{{name: c, image: i, resources: {{requests: {{cpu: '1'}}}}}}]
)",
                set->find("metadata")->string_at("uid")
            )
        );
    }
    bool is_held() const {
        const auto job = cluster.client.find<api::Job>("team", "child");
        return job && job->spec.suspend == true;
    }

    RunTimeCluster cluster;
};

}  // namespace

TEST_CASE("kinds are passed if one above them is followed", "[passed]") {
    CHECK(passed_below(make_registry({}, true), false).empty());
    std::vector<KindEntry> pods;
    pods.push_back(pod_kind(false));
    CHECK(passed_below(make_registry({}, true, std::move(pods)), true).empty());

    const Registry wrappers = make_registry({app_wrappers()}, true);
    const auto passed = passed_below(wrappers, false);
    for (const char* kind : {"jobsets.jobset.x-k8s.io", "rayclusters.ray.io", "rayjobs.ray.io"}) {
        INFO(kind);
        CHECK(passed.contains(kind));
    }
    for (const char* kind : {"appwrappers.workload.codeflare.dev", "jobs.batch", "pods"}) {
        INFO(kind);
        CHECK_FALSE(passed.contains(kind));
    }
}

TEST_CASE("kinds that make pods are passed where pods are jobs", "[passed]") {
    const Registry registry = make_registry({app_wrappers()}, false);
    const auto without = passed_below(registry, false);
    const auto with = passed_below(registry, true);
    for (const char* kind :
         {"jobs.batch",
          "deployments.apps",
          "replicasets.apps",
          "statefulsets.apps",
          "leaderworkersets.leaderworkerset.x-k8s.io"}) {
        INFO(kind);
        CHECK_FALSE(without.contains(kind));
        CHECK(with.contains(kind));
    }
    CHECK_FALSE(with.contains("pods"));
}

TEST_CASE("kinds that another controller manages are not passed", "[passed]") {
    Registry registry = make_registry({}, true);
    registry.expect_external(job_set_names()->kind());
    const auto passed = passed_below(registry, false);
    CHECK(passed.contains("rayclusters.ray.io"));
    CHECK_FALSE(passed.contains("jobsets.jobset.x-k8s.io"));
    const auto above = registry.job_kinds().find_above("jobset.x-k8s.io", "JobSet");
    REQUIRE(above);
    CHECK(above->ancestor_role == AncestorRole::Managed);
}

TEST_CASE("a job below a passed object belongs to what is above", "[passed]") {
    Wrapped wrapped(kQueued);
    wrapped.cluster.put(wrapped.child());
    wrapped.cluster.settle();
    CHECK(wrapped.cluster.workload_of("team", "child").empty());
    CHECK(wrapped.queue_of_child().empty());
    CHECK_FALSE(is_running(wrapped.cluster, "child"));
    CHECK(has_event(wrapped.cluster, "Suspended", "Kueue managed child job suspended"));
}

TEST_CASE("webhooks walk through passed objects", "[admission][passed]") {
    const bool is_passed = GENERATE(true, false);
    const char* labels = GENERATE(kQueued, "");
    Wrapped wrapped(labels, is_passed);
    std::string text = wrapped.child();
    std::ranges::replace(text, '\'', '"');
    CHECK(wrapped.cluster.create(*json::parse(text)) == "");
    // The default queue is for jobs without one above that may be managed.
    CHECK(wrapped.queue_of_child() == (is_passed ? "" : "default"));
}

TEST_CASE("a job waits for a passed owner that is not seen yet", "[passed]") {
    Wrapped wrapped(kQueued);
    const std::string child = wrapped.child();
    wrapped.cluster.remove({job_set_names()->kind(), "team", "set"});
    wrapped.cluster.settle();
    wrapped.cluster.put(child);
    wrapped.cluster.settle();
    CHECK(wrapped.cluster.workload_of("team", "child").empty());
    CHECK(wrapped.queue_of_child().empty());
}

TEST_CASE("the process follows passed kinds", "[passed]") {
    Oxen oxen;
    oxen.serve_job_sets();
    oxen.cluster.start();
    oxen.put_child();
    CHECK(oxen.cluster.eventually([&] { return oxen.is_held(); }));
    CHECK(oxen.cluster.client.all<api::Workload>().empty());
}

TEST_CASE("a walk ends at a kind that cannot be read", "[passed]") {
    Oxen oxen;
    oxen.serve_job_sets();
    const auto has_workload = [&] { return oxen.cluster.workload_of("child").has_value(); };
    const test::CapturedLog log;
    SECTION("as long as the API server does not have it") {
        const std::string target = "/apis/jobset.x-k8s.io/v1alpha2";
        oxen.cluster.client.set_raw(target, R"({"resources":[]})");
        oxen.cluster.start();
        oxen.put_child();
        REQUIRE(oxen.cluster.eventually(has_workload));
        SECTION("and goes through it once it is there") {
            // Without its quota the Job is stopped, and then it is the child of another.
            oxen.cluster.client.patch(
                kube::path_of<api::ClusterQueue>("", "cq"),
                *json::parse(R"({"spec":{"stopPolicy":"HoldAndDrain"}})")
            );
            oxen.cluster.client.unset_raw(target);
            CHECK(oxen.cluster.eventually([&] { return !has_workload() && oxen.is_held(); }));
        }
    }
    SECTION("as long as the account may not list it") {
        const Error forbidden{ErrorCode::Forbidden, "no rights", {}};
        oxen.cluster.client.fail_next(test::Verb::List, "jobsets", forbidden, 1000);
        oxen.cluster.start();
        oxen.put_child();
        CHECK(oxen.cluster.eventually(has_workload));
        CHECK(log.count("kind of a disabled integration cannot be listed") == 1);
        CHECK(log.count("list failed") == 0);
    }
}

}  // namespace sluice::controller
