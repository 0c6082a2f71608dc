#include "controller/admitting_cluster.hpp"
#include "controller/job_samples.hpp"
#include "controller/jobs/job/topology_request.hpp"
#include "controller/kinds/builtin_kinds.hpp"
#include "controller/queued_jobs.hpp"
#include "json/patch.hpp"
#include "yaml/parse.hpp"

#include <catch2/catch_test_macros.hpp>
#include <catch2/generators/catch_generators.hpp>
#include <fmt/format.h>

#include <algorithm>
#include <string>
#include <string_view>

// What described kinds do where they are odd, beside their contract.
namespace sluice::controller {
namespace {

const JobSample& sample_of(std::string_view file) {
    return *std::ranges::find(job_samples(), file, &JobSample::file);
}

/// A job of the sample with its cluster.
struct DescribedCase {
    explicit DescribedCase(std::string_view file) : sample(sample_of(file)) {
        KindEntry entry = described_job_kind(sample.kind);
        key = {entry.kind, "team", sample.name()};
        cluster.add_kind(std::move(entry));
        make_large_queues(cluster);
    }
    /// The sample, changed by a merge patch in YAML.
    void create(std::string_view changes = "{}") {
        json::Value object = sample.object;
        json::apply_merge_patch(object, *yaml::parse_document(changes));
        REQUIRE(cluster.create(object) == "");
        cluster.settle();
    }
    void merge(std::string_view yaml) {
        cluster.merge(key, json::print(*yaml::parse_document(yaml)));
        cluster.settle();
    }
    std::string workload() const { return cluster.workload_of("team", sample.name()); }
    std::string condition(std::string_view type) const {
        return cluster.condition("team", workload(), type);
    }

    const JobSample& sample;
    AdmittingCluster cluster;
    ObjectKey key;
};

constexpr const char* kHold = "{status: {jobDeploymentStatus: ValidationFailed}}";
const ObjectKey kClusterQueue{kind_of<api::ClusterQueue>(), "", "cq"};

bool has_note(const MiniCluster& cluster, std::string_view part) {
    return std::ranges::any_of(cluster.events, [part](const EventNote& event) {
        return event.note.find(part) != std::string::npos;
    });
}

json::Value training(std::string_view status) {
    return *yaml::parse_document(fmt::format(
        "{{apiVersion: example.com/v1, kind: Training, metadata: {{name: t, namespace: team, "
        "labels: {{kueue.x-k8s.io/queue-name: main}}}}, spec: {{status: {}, template: {{spec: "
        "{{containers: [{{name: c, resources: {{requests: {{cpu: 1}}}}}}]}}}}}}}}",
        status
    ));
}

}  // namespace

TEST_CASE("a job that is on hold gets no Workload", "[job-kinds]") {
    DescribedCase ray("rayjob");
    json::Value held = ray.sample.object;
    json::apply_merge_patch(held, *yaml::parse_document(kHold));
    ray.cluster.create(held);
    ray.cluster.settle();
    CHECK(ray.workload().empty());
    ray.merge("{status: {jobDeploymentStatus: ''}}");
    CHECK_FALSE(ray.workload().empty());
}

TEST_CASE("a job gives its quota back on hold, and comes back from there", "[job-kinds]") {
    DescribedCase ray("rayjob");
    ray.create();
    REQUIRE(ray.condition("Admitted") == "True/Admitted");
    ray.merge(kHold);
    CHECK(ray.condition("QuotaReserved") == "False/OnHold");
    CHECK(quota_held(ray.cluster).empty());
    ray.merge("{status: {jobDeploymentStatus: Suspended}}");
    CHECK(ray.condition("QuotaReserved").starts_with("True"));
}

TEST_CASE("what another controller has put on hold stays there", "[job-kinds]") {
    DescribedCase set("jobset");
    set.cluster.merge(kClusterQueue, "{'spec':{'stopPolicy':'Hold'}}");
    set.create();
    const ObjectKey workload{kind_of<api::Workload>(), "team", set.workload()};
    set.cluster.merge(workload, R"({'status':{'conditions':[{'type':'QuotaReserved',
        'status':'False','reason':'OnHold','message':'scaled to zero',
        'lastTransitionTime':'2020-01-01T00:00:00Z'}]}})");
    set.cluster.settle();
    set.merge("{metadata: {annotations: {seen: again}}}");
    CHECK(set.condition("QuotaReserved") == "False/OnHold");
}

TEST_CASE("of two ends success counts, but where the first condition does", "[job-kinds]") {
    const auto both = [](const char* success) {
        return fmt::format(
            "{{status: {{conditions: [{{type: Failed, status: 'True', message: bad}}, "
            "{{type: {}, status: 'True', message: good}}]}}}}",
            success
        );
    };
    DescribedCase set("jobset");
    set.create();
    set.merge(both("Completed"));
    CHECK(set.condition("Finished") == "True/Succeeded");
    DescribedCase torch("pytorchjob");
    torch.create();
    torch.merge(both("Succeeded"));
    CHECK(torch.condition("Finished") == "True/Failed");
}

TEST_CASE("a RayJob that runs without its submitter is restored all the same", "[job-kinds]") {
    DescribedCase ray("rayjob_with_submitter");
    ray.create();
    REQUIRE(ray.condition("Admitted") == "True/Admitted");
    ray.merge("{spec: {submitterPodTemplate: null}}");
    const ObjectKey workload{kind_of<api::Workload>(), "team", ray.workload()};
    ray.cluster.merge(workload, "{'spec':{'active':false}}");
    ray.cluster.settle();
    CHECK(ray.cluster.at(ray.key, {"spec", "suspend"}) == "true");
    const std::string head = ray.cluster.at(ray.key, {"spec", "rayClusterSpec", "headGroupSpec"});
    CHECK(head.find("spot") == std::string::npos);
}

TEST_CASE("a job with no pods, or of too many kinds, is told so", "[job-kinds]") {
    DescribedCase set("jobset");
    SECTION("none") {
        set.create("{spec: {replicatedJobs: []}}");
        CHECK(has_note(set.cluster, "it has 0 pod sets; 1 to 18 can be queued"));
    }
    SECTION("nineteen") {
        std::string jobs;
        for (int i = 0; i < 19; ++i) {
            jobs += fmt::format(
                "{{name: j{}, replicas: 1, template: {{spec: {{template: {{spec: "
                "{{containers: []}}}}}}}}}},",
                i
            );
        }
        set.create("{spec: {replicatedJobs: [" + jobs + "]}}");
        CHECK(has_note(set.cluster, "it has 19 pod sets; 1 to 18 can be queued"));
    }
    CHECK(set.workload().empty());
    CHECK(set.cluster.at(set.key, {"spec", "suspend"}) == "true");
}

TEST_CASE("a job that its user has ended by the suspend field is left so", "[job-kinds]") {
    config::Integrations integrations;
    integrations.job_kinds = {*yaml::parse_document(R"(
        apiVersion: example.com/v1
        kind: Training
        suspend: {path: spec.status, suspended: Pending, final: [Cancelled]}
        podSets: [{name: main, template: spec.template}]
        active: {path: status.active}
    )")};
    config::Problems problems;
    const auto kinds = job_kinds::configured_kinds(integrations, problems);
    REQUIRE(problems.empty());
    AdmittingCluster cluster;
    KindEntry entry = described_job_kind(kinds.front());
    const ObjectKey key{entry.kind, "team", "t"};
    cluster.add_kind(std::move(entry));
    make_large_queues(cluster);
    SECTION("from the first") {
        REQUIRE(cluster.create(training("Cancelled")) == "");
        cluster.settle();
    }
    SECTION("while it runs") {
        REQUIRE(cluster.create(training("null")) == "");
        CHECK(cluster.at(key, {"spec", "status"}) == "Pending");
        cluster.settle();
        CHECK(cluster.at(key, {"spec", "status"}).empty());
        cluster.merge(key, "{'spec':{'status':'Cancelled'}}");
        cluster.merge(
            {kind_of<api::Workload>(), "team", cluster.workload_of("team", "t")},
            "{'spec':{'active':false}}"
        );
        cluster.settle();
        CHECK(quota_held(cluster).empty());
    }
    CHECK(cluster.at(key, {"spec", "status"}) == "Cancelled");
}

TEST_CASE("ten owners are searched, and no more", "[job-kinds]") {
    const bool is_too_deep = GENERATE(false, true);
    CAPTURE(is_too_deep);
    DescribedCase set("jobset");
    const int owners = is_too_deep ? 11 : 10;
    std::string above;
    for (int i = owners; i > 0; --i) {
        json::Value object = set.sample.object;
        object.find("metadata")->set("name", fmt::format("owner-{}", i));
        object.find("metadata")->erase("labels");
        json::apply_merge_patch(object, *yaml::parse_document("{metadata: {" + above + "}}"));
        set.cluster.put(json::print(object));
        const ObjectKey owner{set.key.kind, "team", fmt::format("owner-{}", i)};
        above = fmt::format(
            "ownerReferences: [{{apiVersion: jobset.x-k8s.io/v1alpha2, kind: JobSet, "
            "name: owner-{}, uid: {}, controller: true}}]",
            i,
            set.cluster.at(owner, {"metadata", "uid"})
        );
    }
    json::Value object = set.sample.object;
    json::apply_merge_patch(object, *yaml::parse_document("{metadata: {" + above + "}}"));
    set.cluster.put(json::print(object));
    set.cluster.settle();
    CHECK(set.workload().empty() == is_too_deep);
    constexpr std::string_view kNote =
        "Terminated search for Kueue-managed Job because ancestor depth exceeded limit of 10";
    CHECK(has_event(set.cluster, "JobNestingTooDeep", std::string(kNote)) == is_too_deep);
}

TEST_CASE("slices within slices are read where the gate is on", "[job-kinds][topology]") {
    constexpr const char* kKey = "kueue.x-k8s.io/podset-slice-required-topology-constraints";
    api::ObjectMeta pod_template;
    pod_template.annotations[kKey] =
        R"([{"topology":"rack","size":4},{"topology":"kubernetes.io/hostname","size":2}])";
    Settings settings;
    const auto request = make_topology_request(pod_template, {}, settings);
    REQUIRE(request);
    REQUIRE(*request);
    CHECK(
        (*request)->podset_slice_required_topology_constraints ==
        std::vector<api::SliceTopologyConstraint>{
            {.topology = "rack", .size = 4}, {.topology = "kubernetes.io/hostname", .size = 2}
        }
    );
    for (const char* wrong : {"[]", "{}", "[1]", R"([{"topology":1}])"}) {
        pod_template.annotations[kKey] = wrong;
        const auto refused = make_topology_request(pod_template, {}, settings);
        REQUIRE_FALSE(refused);
        CHECK(refused.error().detail.find(kKey) != std::string::npos);
    }
    settings.multi_layer_topology = false;
    pod_template.annotations["kueue.x-k8s.io/podset-required-topology"] = "rack";
    const auto without = make_topology_request(pod_template, {}, settings);
    REQUIRE(without);
    CHECK((*without)->required == "rack");
    CHECK((*without)->podset_slice_required_topology_constraints.empty());
}

}  // namespace sluice::controller
