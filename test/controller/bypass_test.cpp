#include "controller/kinds/builtin_kinds.hpp"
#include "controller/queued_jobs.hpp"
#include "controller/queued_pods.hpp"
#include "yaml/parse.hpp"

#include <catch2/catch_test_macros.hpp>
#include <catch2/generators/catch_generators.hpp>
#include <fmt/format.h>

#include <array>
#include <memory>
#include <string>
#include <string_view>
#include <vector>

// Users who try to run without quota, or to take that of others: what they write has passed the
// webhooks, or these did not answer. Quota is neither escaped nor leaked.
namespace sluice::controller {
namespace {

constexpr const char* kQueueLabel = "kueue.x-k8s.io/queue-name";

KindEntry experiment_kind() {
    constexpr std::string_view kText = R"(
apiVersion: science.example/v1alpha1
kind: Experiment
suspend: {path: spec.suspend}
podSets:
- {at: spec, name: main, replicas: size, template: pod}
active: {path: status.phase, in: [Running]}
finished:
  succeeded: {path: status.phase, in: [Done]}
  failed: {path: status.phase, in: [Broken]}
)";
    config::Problems problems;
    auto description = job_kinds::read_description(*yaml::parse_document(kText), "", problems);
    REQUIRE(problems.empty());
    return described_job_kind(
        {.description = std::make_shared<const job_kinds::Description>(std::move(description)),
         .is_builtin = false}
    );
}

/// A job of one of several kinds, as its user and its own controller treat it.
class Subject {
  public:
    Subject() = default;
    Subject(const Subject&) = delete;
    Subject& operator=(const Subject&) = delete;
    virtual ~Subject() = default;

    virtual void create(MiniCluster& cluster, int cpu) const = 0;
    /// Its objects, to which the user writes.
    virtual std::vector<ObjectKey> objects() const = 0;
    /// The user lets it run, whatever Sluice thinks of it.
    virtual std::string run_patch() const = 0;
    /// Its pods are made and run.
    virtual void run_pods(MiniCluster& cluster) const = 0;
    virtual void succeed(MiniCluster& cluster) const = 0;
    /// What its controller does when it was told to stop.
    virtual void end_pods(MiniCluster& cluster) const = 0;
    /// Nothing holds its pods back.
    virtual bool runs(const MiniCluster& cluster) const = 0;
    virtual ObjectKey workload(const MiniCluster& cluster) const {
        return workload_key(cluster, "subject");
    }

    void edit(MiniCluster& cluster, std::string_view patch) const {
        for (const ObjectKey& key : objects()) {
            if (is_there(cluster, key)) {
                cluster.merge(key, patch);
            }
        }
        cluster.settle();
    }
    /// The user deletes it, and its pods end.
    void remove(MiniCluster& cluster) const {
        const ObjectKey workload_before = workload(cluster);
        for (const ObjectKey& key : objects()) {
            if (is_there(cluster, key)) {
                cluster.remove(key);
            }
        }
        if (is_there(cluster, objects().front())) {
            end_pods(cluster);
        }
        cluster.settle();
        for (const ObjectKey& key : objects()) {
            CHECK_FALSE(is_there(cluster, key));
        }
        if (is_there(cluster, workload_before)) {
            cluster.remove(workload_before);  // as the garbage collector does
            cluster.settle();
        }
    }
};

class JobSubject final : public Subject {
  public:
    void create(MiniCluster& cluster, int cpu) const override { cluster.put(job("subject", cpu)); }
    std::vector<ObjectKey> objects() const override { return {job_key("subject")}; }
    std::string run_patch() const override { return "{'spec':{'suspend':false}}"; }
    void run_pods(MiniCluster& cluster) const override { set_active_pods(cluster, "subject", 1); }
    void succeed(MiniCluster& cluster) const override {
        set_active_pods(cluster, "subject", 0);
        complete(cluster, "subject");
    }
    void end_pods(MiniCluster& cluster) const override { set_active_pods(cluster, "subject", 0); }
    bool runs(const MiniCluster& cluster) const override { return is_running(cluster, "subject"); }
};

class DescribedSubject final : public Subject {
  public:
    explicit DescribedSubject(Kind kind) : key_{kind, "team", "subject"} {}
    void create(MiniCluster& cluster, int cpu) const override {
        cluster.put(fmt::format(
            "{{'apiVersion':'science.example/v1alpha1','kind':'Experiment','metadata':{{'name':"
            "'subject','namespace':'team','labels':{{'{}':'main'}}}},'spec':{{'suspend':true,"
            "'size':1,'pod':{{'spec':{{'containers':[{{'name':'c','image':'i','resources':"
            "{{'requests':{{'cpu':'{}'}}}}}}]}}}}}}}}",
            kQueueLabel,
            cpu
        ));
    }
    std::vector<ObjectKey> objects() const override { return {key_}; }
    std::string run_patch() const override { return "{'spec':{'suspend':false}}"; }
    void run_pods(MiniCluster& cluster) const override { set_phase(cluster, "Running"); }
    void succeed(MiniCluster& cluster) const override { set_phase(cluster, "Done"); }
    void end_pods(MiniCluster& cluster) const override { set_phase(cluster, "Stopped"); }
    bool runs(const MiniCluster& cluster) const override {
        return cluster.at(key_, {"spec", "suspend"}) == "false";
    }

  private:
    void set_phase(MiniCluster& cluster, const char* phase) const {
        cluster.merge(key_, fmt::format("{{'status':{{'phase':'{}'}}}}", phase));
    }
    ObjectKey key_;
};

/// Pods, alone or as a group of two.
class PodSubject final : public Subject {
  public:
    explicit PodSubject(bool is_group) : is_group_(is_group) {}
    void create(MiniCluster& cluster, int cpu) const override {
        if (!is_group_) {
            put_pod(
                cluster,
                {.name = "subject", .cpu = std::to_string(cpu), .labels = {}, .annotations = {}}
            );
            return;
        }
        for (const char* name : {"a", "b"}) {
            PodText pod = group_pod(name, 2);
            pod.cpu = std::to_string(cpu / 2);
            put_pod(cluster, pod);
        }
    }
    std::vector<ObjectKey> objects() const override {
        return is_group_ ? std::vector{pod_key("a"), pod_key("b")}
                         : std::vector{pod_key("subject")};
    }
    std::string run_patch() const override { return "{'spec':{'schedulingGates':null}}"; }
    void run_pods(MiniCluster& cluster) const override {
        for (const ObjectKey& key : objects()) {
            run_pod(cluster, key.name);
        }
    }
    void succeed(MiniCluster& cluster) const override { end(cluster, "Succeeded"); }
    void end_pods(MiniCluster& cluster) const override { end(cluster, "Failed"); }
    bool runs(const MiniCluster& cluster) const override {
        for (const ObjectKey& key : objects()) {
            if (is_there(cluster, key) && !is_pod_gated(cluster, key.name) &&
                !is_pod_deleted(cluster, key.name)) {
                return true;
            }
        }
        return false;
    }
    ObjectKey workload(const MiniCluster& cluster) const override {
        return is_group_ ? group_workload() : Subject::workload(cluster);
    }

  private:
    void end(MiniCluster& cluster, const char* phase) const {
        for (const ObjectKey& key : objects()) {
            if (is_there(cluster, key)) {
                set_pod_status(cluster, key.name, fmt::format("'phase':'{}'", phase));
            }
        }
    }
    bool is_group_;
};

/// Four cpus, of which the subject wants all.
struct Bypass {
    explicit Bypass(std::string_view which) {
        KindEntry experiments = experiment_kind();
        kind = experiments.kind;
        cluster.add_kind(std::move(experiments));
        start_with_pods(cluster);
        if (which == "Job") {
            subject = std::make_unique<JobSubject>();
        } else if (which == "described kind") {
            subject = std::make_unique<DescribedSubject>(kind);
        } else {
            subject = std::make_unique<PodSubject>(which == "pod group");
        }
        cluster.settle();
    }
    /// The subject runs, and another Job waits for its quota.
    void run() {
        subject->create(cluster, 4);
        cluster.settle();
        REQUIRE(subject->runs(cluster));
        subject->run_pods(cluster);
        cluster.put(job("other", 4));
        cluster.settle();
        REQUIRE_FALSE(is_running(cluster, "other"));
    }
    /// Another Job has all quota, and the subject waits.
    void wait() {
        cluster.put(job("other", 4));
        cluster.settle();
        REQUIRE(is_running(cluster, "other"));
        subject->create(cluster, 4);
        cluster.settle();
        REQUIRE_FALSE(subject->runs(cluster));
    }
    std::string held(const char* queue = "cq") const {
        const json::Value* status = cluster.find({kind_of<api::ClusterQueue>(), "", queue});
        const json::Value* flavors = status->find_path({"status", "flavorsReservation"});
        std::string total;
        if (flavors != nullptr) {
            for (const json::Value& flavor : flavors->as_array()) {
                for (const json::Value& resource : flavor.find("resources")->as_array()) {
                    total += resource.string_at("total");
                }
            }
        }
        return total;
    }

    MiniCluster cluster;
    Kind kind;  ///< the described one
    std::unique_ptr<Subject> subject;
};

std::string relabel(const char* label, const char* value) {
    return value == nullptr
               ? fmt::format("{{'metadata':{{'labels':{{'{}':null}}}}}}", label)
               : fmt::format("{{'metadata':{{'labels':{{'{}':'{}'}}}}}}", label, value);
}

#define ALL_SUBJECTS GENERATE("Job", "described kind", "pod", "pod group")

}  // namespace

TEST_CASE("what runs and loses its queue name holds its quota to its end", "[bypass]") {
    const char* which = ALL_SUBJECTS;
    CAPTURE(which);
    Bypass bypass(which);
    MiniCluster& cluster = bypass.cluster;
    bypass.run();
    bypass.subject->edit(cluster, relabel(kQueueLabel, nullptr));
    CHECK(bypass.held() == "4");
    CHECK_FALSE(is_running(cluster, "other"));
    SECTION("success") {
        bypass.subject->succeed(cluster);
    }
    SECTION("deletion") {
        bypass.subject->remove(cluster);
    }
    SECTION("eviction") {
        cluster.merge(bypass.subject->workload(cluster), "{'spec':{'active':false}}");
        cluster.settle();
        CHECK_FALSE(bypass.subject->runs(cluster));
        bypass.subject->end_pods(cluster);
    }
    SECTION("the end of its Workload") {
        cluster.remove(bypass.subject->workload(cluster));
        cluster.settle();
        CHECK_FALSE(bypass.subject->runs(cluster));
        bypass.subject->end_pods(cluster);
    }
    SECTION("also when the controller restarts") {
        cluster.restart();
        cluster.settle();
        CHECK(bypass.held() == "4");
        CHECK_FALSE(is_running(cluster, "other"));
        bypass.subject->succeed(cluster);
    }
    cluster.settle();
    CHECK(is_running(cluster, "other"));
    CHECK(bypass.held() == "4");
}

TEST_CASE("what runs and names another queue stays in its own", "[bypass]") {
    const char* which = ALL_SUBJECTS;
    CAPTURE(which);
    Bypass bypass(which);
    MiniCluster& cluster = bypass.cluster;
    cluster.put(R"({'kind':'ClusterQueue','metadata':{'name':'cq2'},'spec':{
        'namespaceSelector':{},'queueingStrategy':'BestEffortFIFO','stopPolicy':'None',
        'preemption':{'withinClusterQueue':'Never','reclaimWithinCohort':'Never'},
        'resourceGroups':[{'coveredResources':['cpu'],
            'flavors':[{'name':'spot','resources':[{'name':'cpu','nominalQuota':'8'}]}]}]}})");
    cluster.put(
        "{'kind':'LocalQueue','metadata':{'name':'big','namespace':'team'},"
        "'spec':{'clusterQueue':'cq2','stopPolicy':'None'}}"
    );
    bypass.run();
    const char* target = GENERATE("big", "no-such-queue");
    bypass.subject->edit(cluster, relabel(kQueueLabel, target));
    CHECK(bypass.held() == "4");
    CHECK(bypass.held("cq2") == "0");
    CHECK_FALSE(is_running(cluster, "other"));
    CHECK(bypass.subject->runs(cluster));
    bypass.subject->succeed(cluster);
    cluster.settle();
    CHECK(is_running(cluster, "other"));
    CHECK(bypass.held("cq2") == "0");
}

TEST_CASE("what waits does not run because its user says so", "[bypass]") {
    const char* which = ALL_SUBJECTS;
    CAPTURE(which);
    Bypass bypass(which);
    MiniCluster& cluster = bypass.cluster;
    bypass.wait();
    SECTION("at once") {
        bypass.subject->edit(cluster, bypass.subject->run_patch());
    }
    SECTION("and takes the queue name away") {
        bypass.subject->edit(cluster, relabel(kQueueLabel, nullptr));
        bypass.subject->edit(cluster, bypass.subject->run_patch());
    }
    SECTION("and takes the mark of what is managed away") {
        bypass.subject->edit(cluster, relabel("kueue.x-k8s.io/managed", nullptr));
        bypass.subject->edit(cluster, bypass.subject->run_patch());
    }
    SECTION("and takes the mark and the finalizer away") {
        const std::string patch =
            "{'metadata':{'finalizers':null,'labels':{'kueue.x-k8s.io/managed':null}},"
            "'spec':{'schedulingGates':null,'suspend':false}}";
        bypass.subject->edit(cluster, patch);
    }
    CHECK_FALSE(bypass.subject->runs(cluster));
    CHECK(is_running(cluster, "other"));
    CHECK(bypass.held() == "4");
}

TEST_CASE("pods that lose the mark of what is managed hold their quota to their end", "[bypass]") {
    const char* which = GENERATE("pod", "pod group");
    CAPTURE(which);
    Bypass bypass(which);
    MiniCluster& cluster = bypass.cluster;
    bypass.run();
    const char* patch = GENERATE(
        "{'metadata':{'labels':{'kueue.x-k8s.io/managed':null}}}",
        "{'metadata':{'finalizers':null,'labels':{'kueue.x-k8s.io/managed':null,"
        "'kueue.x-k8s.io/queue-name':null}}}"
    );
    CAPTURE(patch);
    bypass.subject->edit(cluster, patch);
    CHECK(bypass.held() == "4");
    CHECK_FALSE(is_running(cluster, "other"));
    SECTION("success") {
        bypass.subject->succeed(cluster);
    }
    SECTION("deletion") {
        bypass.subject->remove(cluster);
    }
    cluster.settle();
    CHECK(is_running(cluster, "other"));
}

TEST_CASE("a part of what is admitted cannot grow without quota", "[bypass]") {
    SECTION("a Job") {
        Bypass bypass("Job");
        bypass.run();
        bypass.subject->edit(bypass.cluster, "{'spec':{'parallelism':8,'completions':8}}");
        CHECK_FALSE(bypass.subject->runs(bypass.cluster));
        CHECK(bypass.held() == "4");  // until its pods have ended
        bypass.subject->end_pods(bypass.cluster);
        bypass.cluster.settle();
        CHECK_FALSE(bypass.subject->runs(bypass.cluster));
        CHECK(is_running(bypass.cluster, "other"));
    }
    SECTION("a described kind") {
        Bypass bypass("described kind");
        bypass.run();
        bypass.subject->edit(bypass.cluster, "{'spec':{'size':8}}");
        CHECK_FALSE(bypass.subject->runs(bypass.cluster));
        bypass.subject->end_pods(bypass.cluster);
        bypass.cluster.settle();
        CHECK_FALSE(bypass.subject->runs(bypass.cluster));
        CHECK(is_running(bypass.cluster, "other"));
    }
    SECTION("a group of pods") {
        Bypass bypass("pod group");
        bypass.run();
        PodText more = group_pod("c", 2);
        more.cpu = "2";
        put_pod(bypass.cluster, more);
        bypass.cluster.settle();
        CHECK((!is_there(bypass.cluster, pod_key("c")) || is_pod_gated(bypass.cluster, "c")));
        CHECK(bypass.held() == "4");
    }
}

TEST_CASE("a forged role hides no larger pod", "[bypass]") {
    Bypass bypass("pod group");
    MiniCluster& cluster = bypass.cluster;
    const auto put = [&cluster](const char* name, const char* cpu) {
        PodText pod = group_pod(name, 2);
        pod.cpu = cpu;
        put_pod(cluster, pod);
        cluster.settle();
    };
    SECTION("when the group comes") {
        put("a", "1");
        put("b", "100");
        CHECK(is_pod_gated(cluster, "a"));
        CHECK(is_pod_gated(cluster, "b"));
        CHECK_FALSE(is_there(cluster, group_workload()));
        CHECK(has_event(
            cluster, "InvalidSpec", "pod 'b' asks for more than 'a', though both have the role 'r1'"
        ));
    }
    SECTION("nor one that takes the place of another") {
        put("a", "1");
        put("b", "1");
        run_pod(cluster, "a");
        run_pod(cluster, "b");
        set_pod_status(cluster, "a", "'phase':'Failed'");
        cluster.settle();
        put("c", "100");
        CHECK_FALSE(is_there(cluster, pod_key("c")));
        put("d", "1");
        CHECK_FALSE(is_pod_gated(cluster, "d"));
    }
}

TEST_CASE("what counts less while it waits does not run as more", "[bypass]") {
    Bypass bypass("described kind");
    MiniCluster& cluster = bypass.cluster;
    cluster.put(job("first", 2));
    cluster.settle();
    bypass.subject->create(cluster, 3);
    for (const char* field : GENERATE(
             std::to_array({"'resources':{'requests':{'cpu':'1m'}}", "'resources':null"}),
             std::to_array({"'overhead':{'cpu':'-3'}", "'overhead':null"})
         )) {
        bypass.subject->edit(cluster, fmt::format("{{'spec':{{'pod':{{'spec':{{{}}}}}}}}}", field));
        cluster.settle();
        CHECK_FALSE(bypass.subject->runs(cluster));
    }
    CHECK(bypass.held() == "2");
    complete(cluster, "first");
    cluster.settle();
    CHECK(bypass.subject->runs(cluster));
    CHECK(bypass.held() == "3");
}

TEST_CASE("requests below nothing make no quota", "[bypass]") {
    // Of Jobs and pods the API server refuses them; what a definition without schema has, it
    // stores.
    Bypass bypass("described kind");
    MiniCluster& cluster = bypass.cluster;
    const auto try_it = [&](const char* patch) {
        bypass.subject->create(cluster, 1);
        bypass.subject->edit(cluster, patch);
    };
    SECTION("of cpus") {
        try_it(
            "{'spec':{'pod':{'spec':{'containers':[{'name':'c','image':'i','resources':"
            "{'requests':{'cpu':'-4'}}}]}}}}"
        );
    }
    SECTION("of pods") {
        try_it("{'spec':{'size':-4}}");
    }
    SECTION("of both") {
        try_it(
            "{'spec':{'size':-4,'pod':{'spec':{'containers':[{'name':'c','image':'i',"
            "'resources':{'requests':{'cpu':'-1'}}}]}}}}"
        );
    }
    cluster.put(job("first", 4));
    cluster.settle();
    cluster.put(job("second", 4));
    cluster.settle();
    CHECK(is_running(cluster, "first"));
    CHECK_FALSE(is_running(cluster, "second"));
    CHECK(bypass.held() == "4");
}

TEST_CASE("the Workload of another is not taken by naming it", "[bypass]") {
    Bypass bypass("Job");
    MiniCluster& cluster = bypass.cluster;
    bypass.run();
    const ObjectKey workload = bypass.subject->workload(cluster);
    const std::string before = cluster.at(workload, {"metadata", "ownerReferences"});
    const std::string mark =
        fmt::format("'kueue.x-k8s.io/prebuilt-workload-name':'{}'", workload.name);
    ObjectKey thief = job_key("thief");
    SECTION("by a Job that is to have it made beforehand") {
        cluster.put(job("thief", 4, "," + mark));
        cluster.merge(thief, "{'spec':{'suspend':false}}");
        cluster.settle();
        CHECK_FALSE(is_running(cluster, "thief"));
    }
    SECTION("by a described kind") {
        DescribedSubject described(bypass.kind);
        described.create(cluster, 4);
        // Another object of the same name is another job.
        cluster.merge(described.objects().front(), "{'metadata':{'annotations':{" + mark + "}}}");
        described.edit(cluster, described.run_patch());
        CHECK_FALSE(described.runs(cluster));
    }
    SECTION("by a group of pods of that name") {
        for (const char* name : {"a", "b"}) {
            PodText pod = group_pod(name, 2);
            pod.annotations["kueue.x-k8s.io/pod-group-name"] = workload.name;
            put_pod(cluster, pod);
        }
        cluster.settle();
        CHECK(is_pod_gated(cluster, "a"));
        CHECK(is_pod_gated(cluster, "b"));
    }
    CHECK(cluster.at(workload, {"metadata", "ownerReferences"}) == before);
    CHECK(bypass.subject->runs(cluster));
    CHECK(bypass.held() == "4");
}

TEST_CASE("a forged owner frees no quota", "[bypass]") {
    const char* which = GENERATE("Job", "described kind");
    CAPTURE(which);
    Bypass bypass(which);
    MiniCluster& cluster = bypass.cluster;
    cluster.merge({kind_of<api::ClusterQueue>(), "", "cq"}, R"({'spec':{'resourceGroups':[
        {'coveredResources':['cpu'],'flavors':[{'name':'spot','resources':[
            {'name':'cpu','nominalQuota':'5'}]}]}]}})");
    cluster.put(job("parent", 1));
    cluster.settle();
    REQUIRE(is_running(cluster, "parent"));
    const auto owner = [](const std::string& uid) {
        return fmt::format(
            "{{'metadata':{{'ownerReferences':[{{'apiVersion':'batch/v1','kind':'Job','name':"
            "'parent','uid':'{}','controller':true}}]}}}}",
            uid
        );
    };
    SECTION("of one that runs already") {
        bypass.run();
        bypass.subject->edit(cluster, owner(cluster.at(job_key("parent"), {"metadata", "uid"})));
        CHECK(bypass.held() == "5");
        CHECK_FALSE(is_running(cluster, "other"));
        bypass.subject->succeed(cluster);
        cluster.settle();
        CHECK(is_running(cluster, "other"));
    }
    SECTION("that has been replaced since") {
        bypass.subject->create(cluster, 4);
        bypass.subject->edit(cluster, owner("of-the-one-before"));
        CHECK(bypass.held() == "5");
        CHECK(bypass.subject->runs(cluster));
        cluster.put(job("other", 4));
        cluster.settle();
        CHECK_FALSE(is_running(cluster, "other"));
    }
    SECTION("that has ended") {
        complete(cluster, "parent");
        cluster.settle();
        bypass.subject->create(cluster, 4);
        bypass.subject->edit(cluster, owner(cluster.at(job_key("parent"), {"metadata", "uid"})));
        bypass.subject->edit(cluster, bypass.subject->run_patch());
        CHECK_FALSE(bypass.subject->runs(cluster));
    }
}

TEST_CASE("a forged note of a stop lets nothing run", "[bypass]") {
    Bypass bypass("Job");
    bypass.wait();
    bypass.subject->edit(
        bypass.cluster, "{'metadata':{'annotations':{'kueue.x-k8s.io/stopping':'true'}}}"
    );
    CHECK_FALSE(bypass.subject->runs(bypass.cluster));
    CHECK(bypass.held() == "4");
    complete(bypass.cluster, "other");
    bypass.cluster.settle();
    CHECK(bypass.subject->runs(bypass.cluster));
}

}  // namespace sluice::controller
