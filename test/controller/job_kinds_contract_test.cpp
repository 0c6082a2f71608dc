#include "controller/admitting_cluster.hpp"
#include "controller/job_samples.hpp"
#include "controller/kinds/builtin_kinds.hpp"
#include "controller/queued_jobs.hpp"
#include "job_kinds/builtin.hpp"
#include "json/patch.hpp"
#include "yaml/parse.hpp"

#include <catch2/catch_test_macros.hpp>
#include <catch2/generators/catch_generators.hpp>
#include <catch2/generators/catch_generators_range.hpp>

#include <algorithm>
#include <memory>
#include <optional>
#include <string>
#include <string_view>
#include <utility>

// What every kind of jobs does by its description alone. A kind is a file in `job_kinds`.
namespace sluice::controller {
namespace {

const ObjectKey kClusterQueue{kind_of<api::ClusterQueue>(), "", "cq"};

/// A kind with one pod that is made by objects below.
KindEntry wrapper_kind() {
    constexpr std::string_view kText = R"(
apiVersion: wraps.example/v1
kind: Wrapper
suspend: {path: spec.suspend}
podSets:
- {at: spec, name: main, template: pod}
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

/// Whether the controller dies, and another begins, after each step of a story.
enum class Restarts : std::uint8_t { None, AfterEachStep };

/// One job of the sample, and the course of its life.
class Story {
  public:
    explicit Story(
        const JobSample& sample, Restarts restarts = Restarts::None, Settings settings = {}
    )
        : sample(sample), cluster(std::move(settings)), restarts_(restarts) {
        KindEntry entry = described_job_kind(sample.kind);
        job = {entry.kind, "team", sample.name()};
        for (KindEntry& referenced : referenced_kinds(entry)) {
            cluster.add_kind(std::move(referenced));
        }
        cluster.add_kind(std::move(entry));
        make_large_queues(cluster);
        for (const json::Value& other : sample.others) {
            cluster.put(json::print(other));
        }
        cluster.settle();
    }

    /// Goes on to rest. A controller that begins there has nothing to do.
    void rest() {
        cluster.settle();
        CHECK(cluster.refused.empty());
        if (restarts_ == Restarts::AfterEachStep) {
            const std::size_t written = cluster.writes.size();
            cluster.restart();
            cluster.settle();
            CHECK(cluster.writes.size() == written);
        }
    }
    void hold_queue() { stop_policy("Hold"); }
    void open_queue() { stop_policy("None"); }
    void create() {
        REQUIRE(cluster.create(sample.object) == "");
        rest();
    }
    void play(const json::Value& status) {
        cluster.merge(job, json::print(json::Object{{"status", status}}));
        rest();
    }
    void create_and_run() {
        create();
        play(sample.active);
        REQUIRE(is_running());
    }
    ObjectKey workload() const {
        return {kind_of<api::Workload>(), "team", cluster.workload_of("team", sample.name())};
    }
    std::string condition(std::string_view type) const {
        return cluster.condition("team", workload().name, type);
    }
    std::string message(std::string_view type) const {
        const json::Value* list = cluster.find(workload())->find_path({"status", "conditions"});
        for (const json::Value& entry : list->as_array()) {
            if (entry.string_at("type") == type) {
                return std::string(entry.string_at("message"));
            }
        }
        return "";
    }
    const json::Value& object() const { return *cluster.find(job); }
    bool has_suspension(const json::Value& value) const {
        const json::Value* found = sample.suspend.find(object());
        return found == nullptr ? value.is_null() : *found == value;
    }
    bool is_held() const { return has_suspension(sample.suspended); }
    bool is_running() const { return has_suspension(sample.running); }
    /// The spec without what a start adds beside injections.
    std::string spec() const {
        json::Value spec = *object().find("spec");
        json::Value whole = json::Object{{"spec", spec}};
        for (const job_kinds::Path& made : sample.made_at_start) {
            job_kinds::Location parent = made.steps();
            const std::string name = parent.back().name;
            parent.pop_back();
            job_kinds::find(whole, parent)->erase(name);
        }
        return json::print_sorted(whole);
    }
    /// What a start has injected into metadata or spec of a template.
    const json::Value* injected(
        const SamplePodSet& pod_set,
        std::string_view part,
        std::initializer_list<std::string_view> path
    ) const {
        const json::Value* found = pod_set.injected.value_or(pod_set.pod_template).find(object());
        if (found != nullptr && !pod_set.injected) {
            found = found->find(part);
        }
        return found == nullptr ? nullptr : found->find_path(path);
    }
    void evict() {
        cluster.merge(workload(), "{'spec':{'active':false}}");
        rest();
    }

    const JobSample& sample;
    AdmittingCluster cluster;
    ObjectKey job;

  private:
    void stop_policy(const std::string& policy) {
        cluster.merge(kClusterQueue, "{'spec':{'stopPolicy':'" + policy + "'}}");
        rest();
    }
    Restarts restarts_;
};

const JobSample& each_sample() {
    const auto& samples = job_samples();
    return samples[GENERATE_REF(range(std::size_t{0}, samples.size()))];
}

Restarts each_course() {
    return GENERATE(Restarts::None, Restarts::AfterEachStep);
}

std::string text_at(const json::Value* value) {
    return value == nullptr ? "" : value->is_string() ? value->as_string() : json::print(*value);
}

}  // namespace

TEST_CASE("every kind that is described has a sample", "[job-kinds][contract]") {
    for (const job_kinds::Description& builtin : job_kinds::builtin_descriptions()) {
        INFO(builtin.framework);
        CHECK(std::ranges::any_of(job_samples(), [&builtin](const JobSample& sample) {
            return *sample.kind.description == builtin;
        }));
    }
    CHECK(std::ranges::any_of(job_samples(), [](const JobSample& sample) {
        return !sample.kind.is_builtin;
    }));
}

TEST_CASE("a new job is held, and its Workload says its pods", "[job-kinds][contract]") {
    const JobSample& sample = each_sample();
    CAPTURE(sample.file);
    Story story(sample, each_course());
    story.hold_queue();
    REQUIRE(story.cluster.create(sample.object) == "");
    CHECK(story.is_held());
    const std::string spec = story.spec();
    story.rest();
    CHECK(story.is_held());
    CHECK(story.spec() == spec);
    REQUIRE(story.cluster.workloads_of("team", sample.name()).size() == 1);
    const json::Value& workload = *story.cluster.find(story.workload());
    std::string kind = sample.kind.description->kind;
    std::ranges::transform(kind, kind.begin(), [](unsigned char c) { return std::tolower(c); });
    CHECK(story.workload().name.starts_with(kind + "-sample-"));
    CHECK(text_at(workload.find_path({"spec", "queueName"})) == "main");
    CHECK(
        text_at(workload.find_path({"metadata", "labels", "kueue.x-k8s.io/job-uid"})) ==
        text_at(story.object().find_path({"metadata", "uid"}))
    );
    const json::Array& pod_sets = workload.find_path({"spec", "podSets"})->as_array();
    REQUIRE(pod_sets.size() == sample.pod_sets.size());
    for (std::size_t i = 0; i < pod_sets.size(); ++i) {
        const SamplePodSet& wanted = sample.pod_sets[i];
        CAPTURE(wanted.name);
        CHECK(pod_sets[i].string_at("name") == wanted.name);
        CHECK(pod_sets[i].find("count")->as_int() == wanted.count);
        const json::Value* containers = pod_sets[i].find_path({"template", "spec", "containers"});
        REQUIRE(containers != nullptr);
        CHECK(
            text_at(containers->as_array()[0].find_path({"resources", "requests", "cpu"})) ==
            wanted.cpu
        );
    }
    CHECK_FALSE(story.condition("QuotaReserved").starts_with("True"));
    CHECK(quota_held(story.cluster).empty());
}

TEST_CASE("a job that no webhook saw is stopped and queued", "[job-kinds][contract]") {
    const JobSample& sample = each_sample();
    CAPTURE(sample.file);
    Story story(sample);
    story.hold_queue();
    story.cluster.put(json::print(sample.object));
    story.rest();
    CHECK(story.is_held());
    CHECK_FALSE(story.workload().name.empty());
}

TEST_CASE("an admitted job is started with what was admitted", "[job-kinds][contract]") {
    const JobSample& sample = each_sample();
    CAPTURE(sample.file);
    Story story(sample, each_course());
    story.hold_queue();
    story.create();
    story.open_queue();
    CHECK(story.condition("Admitted") == "True/Admitted");
    CHECK(story.is_running());
    for (const SamplePodSet& pod_set : sample.pod_sets) {
        CAPTURE(pod_set.name);
        CHECK(text_at(story.injected(pod_set, "spec", {"nodeSelector", "tier"})) == "spot");
        const std::string tolerations = text_at(story.injected(pod_set, "spec", {"tolerations"}));
        CHECK(tolerations.find(R"("key":"spot")") != std::string::npos);
        const auto label = [&](std::string_view name) {
            return text_at(story.injected(pod_set, "metadata", {"labels", name}));
        };
        CHECK(label("kueue.x-k8s.io/podset") == pod_set.name);
    }
    CHECK(has_event(story.cluster, "Started", "Admitted by clusterQueue cq"));
    CHECK_FALSE(quota_held(story.cluster).empty());
}

TEST_CASE("a job says when its pods are ready", "[job-kinds][contract]") {
    const JobSample& sample = each_sample();
    CAPTURE(sample.file);
    Settings settings;
    settings.wait_for_pods_ready.emplace();
    Story story(sample, each_course(), settings);
    story.create();
    CHECK(story.condition("PodsReady") == "False/WaitForStart");
    story.play(sample.ready);
    CHECK(story.condition("PodsReady") == "True/Started");
}

TEST_CASE("a job that is over is finished with its message", "[job-kinds][contract]") {
    const JobSample& sample = each_sample();
    CAPTURE(sample.file);
    Story story(sample, each_course());
    story.create_and_run();
    const auto check = [&story](const SampleEnd& end, const char* reason) {
        story.play(end.status);
        CHECK(story.condition("Finished") == std::string("True/") + reason);
        CHECK(story.message("Finished") == end.message);
        CHECK(story.cluster.at(story.workload(), {"metadata", "finalizers"}).empty());
        CHECK(quota_held(story.cluster).empty());
    };
    SECTION("in success") {
        if (sample.succeeded) {
            check(*sample.succeeded, "Succeeded");
        }
    }
    SECTION("in failure") {
        if (sample.failed) {
            check(*sample.failed, "Failed");
        }
    }
}

TEST_CASE("pods that have succeeded need no quota", "[job-kinds][contract]") {
    const JobSample& sample = each_sample();
    CAPTURE(sample.file);
    Story story(sample, each_course());
    story.create_and_run();
    if (!sample.partly) {
        return;
    }
    const std::string before = quota_held(story.cluster);
    story.play(*sample.partly);
    std::map<std::string, std::int64_t> reclaimable;
    const json::Value* list =
        story.cluster.find(story.workload())->find_path({"status", "reclaimablePods"});
    REQUIRE(list != nullptr);
    for (const json::Value& entry : list->as_array()) {
        reclaimable[std::string(entry.string_at("name"))] = entry.find("count")->as_int();
    }
    CHECK(reclaimable == sample.reclaimable);
    CHECK(quota_held(story.cluster) != before);
}

TEST_CASE(
    "an evicted job is suspended and as it was, and may start again", "[job-kinds][contract]"
) {
    const JobSample& sample = each_sample();
    CAPTURE(sample.file);
    Story story(sample, each_course());
    story.hold_queue();
    story.create();
    const std::string before = story.spec();
    story.open_queue();
    story.play(sample.active);
    const std::string started = story.spec();
    CHECK(started != before);
    story.evict();
    CHECK(story.is_held());
    CHECK((story.spec() == before) == !sample.is_restored_late);
    CHECK(story.condition("QuotaReserved").starts_with("True"));  // while its pods end
    story.play(sample.stopped);
    CHECK(story.spec() == before);
    CHECK(story.condition("QuotaReserved").starts_with("False"));
    CHECK(quota_held(story.cluster).empty());
    story.cluster.merge(story.workload(), "{'spec':{'active':true}}");
    story.rest();
    CHECK(story.is_running());
    CHECK(story.spec() == started);
    CHECK(story.cluster.workloads_of("team", sample.name()).size() == 1);
}

TEST_CASE("a job that is deleted leaves nothing behind", "[job-kinds][contract]") {
    const JobSample& sample = each_sample();
    CAPTURE(sample.file);
    Story story(sample, each_course());
    const int stage = GENERATE(range(0, 6));
    CAPTURE(stage);
    if (stage == 0) {
        story.hold_queue();
        story.create();
    } else {
        story.create();
    }
    if (stage >= 2) {
        story.play(stage == 2 ? sample.active : sample.ready);
    }
    if (stage == 3 && sample.succeeded) {
        story.play(sample.succeeded->status);
    }
    if (stage == 4 && sample.failed) {
        story.play(sample.failed->status);
    }
    if (stage == 5) {
        story.evict();
    }
    const ObjectKey workload = story.workload();
    story.cluster.remove(story.job);
    story.rest();
    CHECK(story.cluster.find(story.job) == nullptr);
    CHECK(quota_held(story.cluster).empty());
    collect_garbage(story.cluster, {workload});
    CHECK(story.cluster.find(workload) == nullptr);
    CHECK(story.cluster.workloads_of("team", sample.name()).empty());
}

TEST_CASE("a job whose Workload is deleted is stopped and queued anew", "[job-kinds][contract]") {
    const JobSample& sample = each_sample();
    CAPTURE(sample.file);
    Story story(sample);
    story.create_and_run();
    story.hold_queue();
    const std::string uid = story.cluster.at(story.workload(), {"metadata", "uid"});
    story.cluster.remove(story.workload());
    story.rest();
    CHECK(story.is_held());
    story.play(sample.stopped);
    CHECK(story.cluster.at(story.workload(), {"metadata", "uid"}) != uid);
    CHECK(quota_held(story.cluster).empty());
}

TEST_CASE("what would lead a running job out of its quota is refused", "[job-kinds][contract]") {
    const JobSample& sample = each_sample();
    CAPTURE(sample.file);
    Story story(sample);
    AdmittingCluster& cluster = story.cluster;
    story.hold_queue();
    story.create();
    CHECK(cluster.edit(story.job, "{'metadata':{'labels':{'kueue.x-k8s.io/queue-name':'other'}}}")
              .empty());
    story.rest();
    CHECK(cluster.at(story.workload(), {"spec", "queueName"}) == "other");
    CHECK(cluster.edit(story.job, "{'metadata':{'labels':{'kueue.x-k8s.io/queue-name':'main'}}}")
              .empty());
    story.open_queue();
    story.play(sample.active);
    REQUIRE(story.is_running());
    const auto refused = [&](std::string_view patch) {
        return cluster.edit(story.job, patch).find("immutable") != std::string::npos;
    };
    CHECK(refused("{'metadata':{'labels':{'kueue.x-k8s.io/queue-name':'other'}}}"));
    CHECK(refused("{'metadata':{'labels':{'kueue.x-k8s.io/queue-name':null}}}"));
    CHECK(refused("{'metadata':{'labels':{'kueue.x-k8s.io/max-exec-time-seconds':'9'}}}"));
    CHECK(refused("{'metadata':{'annotations':{'kueue.x-k8s.io/elastic-job':'true'}}}"));
    CHECK_FALSE(
        cluster.edit(story.job, "{'metadata':{'labels':{'kueue.x-k8s.io/priority-class':'top'}}}")
            .empty()
    );
    if (!sample.immutable.empty()) {
        CHECK(refused(sample.immutable));
    }
    // Where no webhook was asked, the quota is held all the same.
    cluster.merge(story.job, "{'metadata':{'labels':{'kueue.x-k8s.io/queue-name':null}}}");
    story.rest();
    CHECK(story.condition("QuotaReserved").starts_with("True"));
}

TEST_CASE(
    "a template that changes while its job waits is what the job starts with",
    "[job-kinds][contract]"
) {
    const JobSample& sample = each_sample();
    CAPTURE(sample.file);
    Story story(sample, each_course());
    story.hold_queue();
    story.create();
    json::Value changed = story.object();
    if (sample.larger) {
        json::apply_merge_patch(changed, *sample.larger);
    } else {
        job_kinds::Location containers = sample.pod_sets.front().pod_template.steps();
        containers.push_back({.kind = job_kinds::Step::Kind::Member, .name = "spec"});
        containers.push_back({.kind = job_kinds::Step::Kind::Member, .name = "containers"});
        json::Value& container = job_kinds::find(changed, containers)->as_array()[0];
        container.find("resources")->find("requests")->set("cpu", "3");
    }
    story.cluster.put(json::print(changed));
    story.rest();
    REQUIRE(story.cluster.workloads_of("team", sample.name()).size() == 1);
    const json::Value& pod_set = story.cluster.find(story.workload())
                                     ->find_path({"spec", "podSets"})
                                     ->as_array()[sample.larger_pod_set];
    CHECK(
        text_at(pod_set.find_path({"template", "spec", "containers"})
                    ->as_array()[0]
                    .find_path({"resources", "requests", "cpu"})) == "3"
    );
    story.open_queue();
    CHECK(story.is_running());
}

TEST_CASE("what contradicts a template is never started", "[job-kinds][contract]") {
    const JobSample& sample = each_sample();
    CAPTURE(sample.file);
    Story story(sample);
    json::Value object = sample.object;
    if (sample.contradiction) {
        json::apply_merge_patch(object, *sample.contradiction);
    } else {
        job_kinds::Location labels = sample.pod_sets.front().pod_template.steps();
        labels.push_back({.kind = job_kinds::Step::Kind::Member, .name = "metadata"});
        labels.push_back({.kind = job_kinds::Step::Kind::Member, .name = "labels"});
        job_kinds::make_object(object, labels)->set("kueue.x-k8s.io/podset", "another");
    }
    REQUIRE(story.cluster.create(object) == "");
    story.rest();
    CHECK(story.is_held());
    CHECK(story.condition("Finished") == "True/FailedToStart");
    CHECK(quota_held(story.cluster).empty());
    // Nor does it run when somebody else starts it.
    json::Value patch = json::Object{};
    job_kinds::Location at = sample.suspend.steps();
    const std::string last = at.back().name;
    at.pop_back();
    json::Value& parent = at.empty() ? patch : *job_kinds::make_object(patch, at);
    parent.set(last, sample.running);
    story.cluster.merge(story.job, json::print(patch));
    story.rest();
    CHECK(story.is_held());
}

TEST_CASE(
    "a job below a managed one has no Workload, and runs while that does", "[job-kinds][contract]"
) {
    const JobSample& sample = each_sample();
    CAPTURE(sample.file);
    Story story(sample);
    AdmittingCluster& cluster = story.cluster;
    const bool is_admitted = GENERATE(true, false);
    CAPTURE(is_admitted);
    if (!is_admitted) {
        story.hold_queue();
    }
    KindEntry entry = wrapper_kind();
    const Kind wrapper = entry.kind;
    cluster.add_kind(std::move(entry));
    cluster.put(R"({'apiVersion':'wraps.example/v1','kind':'Wrapper','metadata':{'name':'parent',
        'namespace':'team','labels':{'kueue.x-k8s.io/queue-name':'main'}},'spec':{'suspend':true,
        'pod':{'spec':{'containers':[{'name':'c','image':'i','resources':{'requests':{
            'cpu':'50','memory':'50Gi'}}}]}}}})");
    cluster.put(job("full", 1));
    story.rest();
    const bool has_room = GENERATE(true, false);
    CAPTURE(has_room);
    const ObjectKey parent = has_room ? ObjectKey{wrapper, "team", "parent"} : job_key("full");
    json::Value child = sample.object;
    child.find("metadata")
        ->set(
            "ownerReferences",
            json::Array{json::Object{
                {"apiVersion", parent.kind.api_version()},
                {"kind", parent.kind.name()},
                {"name", parent.name},
                {"uid", cluster.at(parent, {"metadata", "uid"})},
                {"controller", true},
            }}
        );
    REQUIRE(cluster.create(child) == "");
    CHECK(story.is_held() == !has_room);
    story.rest();
    CHECK(cluster.workloads_of("team", sample.name()).empty());
    CHECK(story.is_held() == !(is_admitted && has_room));
}

}  // namespace sluice::controller
