#include "cluster_world.hpp"
#include "job_kinds/builtin.hpp"
#include "job_kinds/path.hpp"
#include "sim/objects/fields.hpp"
#include "sim/pods/owned.hpp"
#include "yaml/parse.hpp"

#include <catch2/catch_test_macros.hpp>
#include <catch2/generators/catch_generators.hpp>
#include <catch2/generators/catch_generators_range.hpp>
#include <fmt/format.h>

#include <algorithm>
#include <chrono>
#include <filesystem>
#include <fstream>
#include <iterator>
#include <string>
#include <vector>

// Every kind that is described goes through its life, from the sample that its users write.
namespace sluice::test {

using namespace std::chrono_literals;
using sim::list_at;
using sim::text_at;

namespace {

const std::filesystem::path kSamples = SLUICE_JOB_KINDS;

std::vector<std::string> sample_files() {
    std::vector<std::string> files;
    for (const auto& entry : std::filesystem::directory_iterator(kSamples)) {
        // No controller is simulated for a kind that a user describes.
        if (entry.path().stem() != "user_defined") {
            files.push_back(entry.path().string());
        }
    }
    std::ranges::sort(files);
    return files;
}

json::Value read(const std::string& file) {
    std::ifstream in(file);
    return *yaml::parse_document(std::string{std::istreambuf_iterator<char>(in), {}});
}

/// One object of a sample on a cluster.
class Sample {
  public:
    Sample(ClusterWorld& world, const std::string& file) : world_(world), sample_(read(file)) {
        object_ = *sample_.find("object");
        make(object_, "namespace", "default");
        const std::string kind(object_.string_at("kind"));
        for (const auto& each : job_kinds::builtin_descriptions()) {
            description_ = each.kind == kind ? &each : description_;
        }
        REQUIRE(description_ != nullptr);
        path_ = fmt::format(
            "/apis/{}/namespaces/default/{}/sample",
            object_.string_at("apiVersion"),
            description_->resource
        );
        // What an AppWrapper wraps beside a Job: nobody makes pods for it.
        world_.define("science.example/v1", "Experiment");
        // The pods of no kind run on a node of a special sort.
        world_.send("DELETE", "/api/v1/nodes/node-1");
        world_.create_yaml(
            "{apiVersion: v1, kind: Node, metadata: {name: m, labels: {disk: fast}}, status: "
            "{conditions: [{type: Ready, status: 'True'}], allocatable: {cpu: '64', memory: 64Gi, "
            "pods: '99'}}}"
        );
    }

    /// Says how its pods end, in the templates that its user writes; their containers end once.
    void prepare(const std::string& exit_code) {
        for (json::Value* pod_template : templates()) {
            sim::set_metadata(*pod_template, "annotations", "sluice.dev/exit-code", exit_code);
            const bool is_pod = pod_template->find("spec") != nullptr;
            if (is_pod) {
                sim::make_object_at(*pod_template, {"spec"}).set("restartPolicy", "Never");
            } else {
                // Spark's roles have the annotations as a field of their own.
                sim::make_object_at(*pod_template, {"annotations"})
                    .set("sluice.dev/exit-code", exit_code);
            }
        }
        sim::set_metadata(object_, "annotations", "sluice.dev/exit-code", exit_code);
    }

    void create() {
        for (const json::Value& other : list_at(sample_, {"others"})) {
            world_.define(other.string_at("apiVersion"), other.string_at("kind"));
            world_.create(other);
        }
        world_.define(object_.string_at("apiVersion"), kind());
        suspend_in(object_, true);
        world_.create(object_);
    }

    void suspend(bool is_suspended) {
        json::Value now = world_.get(path_);
        suspend_in(now, is_suspended);
        world_.send("PUT", path_, json::print(now), "application/json");
    }

    std::size_t active() {
        const auto pods = world_.pods();
        return static_cast<std::size_t>(std::ranges::count_if(pods, sim::is_active_pod));
    }
    std::size_t wanted() const {
        if (kind() == "AppWrapper") {
            return 2;  // of the Job
        }
        std::int64_t count = 0;
        for (const json::Value& pod_set : list_at(sample_, {"podSets"})) {
            count += sim::find_int(pod_set, {"count"}).value_or(0);
        }
        return static_cast<std::size_t>(count);
    }
    json::Value now() { return world_.get(path_); }
    bool holds(const job_kinds::Predicate& predicate) { return predicate.holds(now()); }
    /// Of a TrainJob only what Sluice completes tells how many are to be ready.
    bool is_ready() {
        const json::Array jobs = list_at(now(), {"status", "jobsStatus"});
        return kind() == "TrainJob"
                   ? std::ranges::all_of(
                         jobs,
                         [](const json::Value& job) { return sim::find_int(job, {"ready"}) == 1; }
                     )
                   : holds(*description_->ready);
    }
    const job_kinds::Description& description() const { return *description_; }
    std::string_view kind() const { return object_.string_at("kind"); }

  private:
    static void make(json::Value& object, std::string_view field, std::string_view text) {
        sim::make_object_at(object, {"metadata"}).set(field, text);
    }

    void suspend_in(json::Value& object, bool is_suspended) const {
        const auto& suspension = description_->suspension;
        auto steps = suspension.path.steps();
        const std::string last = steps.back().name;
        steps.pop_back();
        json::Value* parent = job_kinds::make_object(object, steps);
        REQUIRE(parent != nullptr);
        if (is_suspended) {
            parent->set(last, suspension.suspended);
        } else {
            parent->erase(last);
        }
    }

    std::vector<json::Value*> templates() {
        std::vector<json::Value*> found;
        const auto add = [&found](json::Value& root, std::string_view path) {
            if (json::Value* at = job_kinds::find(root, job_kinds::Path::compile(path)->steps())) {
                found.push_back(at);
            }
        };
        for (const json::Value& pod_set : list_at(sample_, {"podSets"})) {
            add(object_, pod_set.string_at("template"));
        }
        if (json::Value* others = sample_.find("others")) {
            for (json::Value& other : others->as_array()) {
                for (const char* number : {"0", "1"}) {
                    add(other,
                        fmt::format(
                            "spec.template.spec.replicatedJobs[{}].template.spec.template", number
                        ));
                }
            }
        }
        return found;
    }

    ClusterWorld& world_;
    json::Value sample_;
    json::Value object_;
    const job_kinds::Description* description_ = nullptr;
    std::string path_;
};

}  // namespace

TEST_CASE("there is a sample of each kind", "[sim][kinds]") {
    CHECK(sample_files().size() == job_kinds::builtin_descriptions().size() + 1);
}

TEST_CASE("a job of each kind is held, runs and ends", "[sim][kinds]") {
    const std::string file = GENERATE(Catch::Generators::from_range(sample_files()));
    const bool succeeds = GENERATE(true, false);
    CAPTURE(file, succeeds);
    ClusterWorld world;
    Sample sample(world, file);
    sample.prepare(succeeds ? "0" : "1");
    sample.create();
    CAPTURE(json::print_pretty(sample.now()));
    CHECK(sample.active() == 0);
    CHECK_FALSE(sample.holds(sample.description().active));

    sample.suspend(false);
    INFO(json::print_pretty(sample.now()));
    CHECK(sample.active() > 0);
    CHECK(sample.holds(sample.description().active));
    CHECK(sample.active() == sample.wanted());
    CHECK(sample.is_ready());
    if (!sample.description().finished) {
        world.pass(100s);
        CHECK(sample.active() == sample.wanted());
        return;
    }
    CHECK_FALSE(sample.holds(sample.description().finished->succeeded));
    CHECK_FALSE(sample.holds(sample.description().finished->failed));

    world.pass(2h);
    INFO(json::print_pretty(sample.now()));
    const auto& ending = *sample.description().finished;
    CHECK(sample.holds(succeeds ? ending.succeeded : ending.failed));
    CHECK((succeeds || !sample.holds(ending.succeeded)));
    // A RayJob that is over is not told from one that runs.
    CHECK((sample.kind() == "RayJob" || !sample.holds(sample.description().active)));
    CHECK(sample.active() == 0);
}

TEST_CASE("a job of each kind that is suspended loses its pods, and runs again", "[sim][kinds]") {
    const std::string file = GENERATE(Catch::Generators::from_range(sample_files()));
    CAPTURE(file);
    ClusterWorld world;
    Sample sample(world, file);
    sample.prepare("0");
    sample.create();
    sample.suspend(false);
    const std::size_t pods = sample.active();
    CHECK(pods > 0);
    world.pass(10s);
    sample.suspend(true);
    INFO(json::print_pretty(sample.now()));
    CHECK(sample.active() == 0);
    CHECK_FALSE(sample.holds(sample.description().active));
    CHECK_FALSE(sample.is_ready());
    if (sample.description().finished) {
        CHECK_FALSE(sample.holds(sample.description().finished->succeeded));
        CHECK_FALSE(sample.holds(sample.description().finished->failed));
    }
    sample.suspend(false);
    CHECK(sample.active() == pods);
    CHECK(sample.holds(sample.description().active));
}

TEST_CASE("what others make for a job that is held stays", "[sim][kinds]") {
    const std::string file = GENERATE(Catch::Generators::from_range(sample_files()));
    CAPTURE(file);
    ClusterWorld world;
    Sample sample(world, file);
    sample.prepare("0");
    sample.create();
    world.create(json::Object{
        {"apiVersion", "v1"},
        {"kind", "ConfigMap"},
        {"metadata",
         json::Object{
             {"name", "made-by-sluice"}, {"ownerReferences", sim::owner_references(sample.now())}
         }}
    });
    sample.suspend(false);
    sample.suspend(true);
    CHECK_FALSE(world.get("/api/v1/namespaces/default/configmaps/made-by-sluice").is_null());
}

}  // namespace sluice::test
