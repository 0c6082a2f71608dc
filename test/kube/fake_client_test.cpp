#include "support/fake_client.hpp"

#include "api/job.hpp"
#include "api/workload.hpp"
#include "json/value.hpp"
#include "kube/client/typed_client.hpp"
#include "support/manual_clock.hpp"
#include "support/run_async.hpp"

#include <catch2/catch_test_macros.hpp>

#include <string>

namespace sluice::test {
namespace {

using kube::ApplyOptions;
using kube::ResourcePath;

const ResourcePath kWorkload{"kueue.x-k8s.io", "v1beta2", "workloads", "ns", "w", ""};
const ResourcePath kStatus{"kueue.x-k8s.io", "v1beta2", "workloads", "ns", "w", "status"};

struct Server {
    net::EventLoop loop;
    ManualClock clock;
    FakeClient client{loop.executor(), clock};

    Server() {
        api::Workload workload;
        workload.metadata.namespace_ = "ns";
        workload.metadata.name = "w";
        client.add(workload);
    }
    Result<std::string> apply(
        const ResourcePath& path,
        const std::string& manager,
        const std::string& rest,
        bool force = true
    ) {
        const auto body =
            R"({"apiVersion":"kueue.x-k8s.io/v1beta2","kind":"Workload",)" + rest + "}";
        ApplyOptions options;
        options.field_manager = manager;
        options.force = force;
        return run_async(loop, client.apply(path, body, options));
    }
    std::string stored(std::initializer_list<std::string_view> path) const {
        const auto* value = client.find_value(kWorkload)->find_path(path);
        return value == nullptr ? "none" : json::print_sorted(*value);
    }
};

std::string condition(const std::string& type, const std::string& status) {
    return R"({"type":")" + type + R"(","status":")" + status + R"("})";
}

std::string conditions(const std::string& items) {
    return R"("status":{"conditions":[)" + items + "]}";
}

}  // namespace

TEST_CASE("two managers own conditions of their own in one list", "[fake]") {
    Server server;
    REQUIRE(server.apply(
        kStatus, "a", conditions(condition("A", "True") + "," + condition("B", "True"))
    ));
    REQUIRE(server.apply(kStatus, "b", conditions(condition("C", "True"))));
    CHECK(server.client.find<api::Workload>("ns", "w")->status.conditions.size() == 3);
    SECTION("what a manager leaves out goes, what others own stays") {
        REQUIRE(server.apply(kStatus, "a", conditions(condition("B", "False"))));
        CHECK(
            server.stored({"status", "conditions"}) ==
            "[" + json::print_sorted(*json::parse(condition("B", "False"))) + "," +
                json::print_sorted(*json::parse(condition("C", "True"))) + "]"
        );
    }
    SECTION("leaving out everything removes the rest") {
        REQUIRE(server.apply(kStatus, "a", R"("status":{})"));
        REQUIRE(server.apply(kStatus, "b", R"("status":{})"));
        CHECK(server.client.find<api::Workload>("ns", "w")->status.conditions.empty());
    }
    SECTION("a foreign value conflicts unless forced, and then changes hands") {
        const auto refused = server.apply(kStatus, "b", conditions(condition("A", "False")), false);
        REQUIRE_FALSE(refused);
        CHECK(refused.error().code == ErrorCode::Conflict);
        REQUIRE(server.apply(kStatus, "b", conditions(condition("A", "False"))));
        REQUIRE(server.apply(kStatus, "a", R"("status":{})"));
        CHECK(
            server.stored({"status", "conditions"}).find(R"("False","type":"A")") !=
            std::string::npos
        );
    }
}

TEST_CASE("status and the rest are written apart", "[fake]") {
    Server server;
    REQUIRE(server.apply(
        kWorkload, "a", R"("spec":{"active":false},)" + conditions(condition("A", "True"))
    ));
    CHECK(server.stored({"status", "conditions"}) == "none");
    CHECK(server.stored({"metadata", "generation"}) == "2");
    REQUIRE(server.apply(
        kStatus, "a", R"("spec":{"active":true},)" + conditions(condition("A", "True"))
    ));
    CHECK(server.stored({"spec", "active"}) == "false");
    CHECK(server.stored({"metadata", "generation"}) == "2");
}

TEST_CASE("a write that changes nothing makes no new version", "[fake]") {
    Server server;
    REQUIRE(server.apply(kStatus, "a", conditions(condition("A", "True"))));
    const auto version = server.stored({"metadata", "resourceVersion"});
    REQUIRE(server.apply(kStatus, "a", conditions(condition("A", "True"))));
    CHECK(server.stored({"metadata", "resourceVersion"}) == version);
}

TEST_CASE("a stale resourceVersion is a conflict in every kind of write", "[fake]") {
    Server server;
    const std::string stale = R"("metadata":{"name":"w","namespace":"ns","resourceVersion":"1"})";
    CHECK(server.apply(kStatus, "a", stale).error().code == ErrorCode::Conflict);
    CHECK(
        run_async(server.loop, server.client.update(kWorkload, "{" + stale + "}", {}))
            .error()
            .code == ErrorCode::Conflict
    );
    CHECK(
        run_async(server.loop, server.client.merge_patch(kWorkload, "{" + stale + "}", {}))
            .error()
            .code == ErrorCode::Conflict
    );
    kube::DeleteOptions options;
    options.resource_version = "1";
    CHECK(
        run_async(server.loop, server.client.remove(kWorkload, options)).error().code ==
        ErrorCode::Conflict
    );
}

TEST_CASE(
    "an object with finalizers stays until they are gone; dependents go with their owner", "[fake]"
) {
    Server server;
    api::Job job;
    job.metadata.namespace_ = "ns";
    job.metadata.name = "j";
    job.metadata.uid = "job-uid";
    server.client.add(job);
    const std::string patch =
        R"({"metadata":{"finalizers":["kueue.x-k8s.io/resource-in-use"],"ownerReferences":)"
        R"([{"apiVersion":"batch/v1","kind":"Job","name":"j","uid":"job-uid"}]}})";
    REQUIRE(run_async(server.loop, server.client.merge_patch(kWorkload, patch, {})));
    server.client.erase<api::Job>("ns", "j");
    CHECK_FALSE(server.client.find<api::Job>("ns", "j"));
    const auto held = server.client.find<api::Workload>("ns", "w");
    REQUIRE(held);
    CHECK(held->metadata.deletion_timestamp);
    REQUIRE(run_async(
        server.loop, server.client.merge_patch(kWorkload, R"({"metadata":{"finalizers":null}})", {})
    ));
    CHECK_FALSE(server.client.find<api::Workload>("ns", "w"));
}

TEST_CASE("faults come as ordered, before or after the effect", "[fake]") {
    Server server;
    const Error lost{ErrorCode::Unavailable, "lost", {}};
    server.client.fail_next(Verb::Apply, "workloads", lost);
    CHECK_FALSE(server.apply(kStatus, "a", conditions(condition("A", "True"))));
    CHECK(server.stored({"status", "conditions"}) == "none");
    server.client.fail_next(Verb::Apply, "workloads", lost, 1, true);
    CHECK_FALSE(server.apply(kStatus, "a", conditions(condition("A", "True"))));
    CHECK(server.stored({"status", "conditions"}) != "none");
    CHECK(server.apply(kStatus, "a", conditions(condition("A", "True"))));
    CHECK(server.client.writes().size() == 3);
}

TEST_CASE("typed calls create, read, list in pages and delete", "[fake]") {
    Server server;
    kube::TypedClient<api::Job> jobs(server.client);
    for (int i = 0; i < 7; ++i) {
        api::Job job;
        job.metadata.namespace_ = "ns";
        job.metadata.generate_name = "job-";
        const auto made = run_async(server.loop, jobs.create(job));
        REQUIRE(made);
        CHECK(made->metadata.uid.size() == 36);
    }
    kube::ListOptions options;
    options.limit = 3;
    const auto all = run_async(server.loop, jobs.list({}, options));
    REQUIRE(all);
    REQUIRE(all->size() == 7);
    const kube::NamespacedName key{"ns", all->front().metadata.name};
    REQUIRE(run_async(server.loop, jobs.get(key)));
    REQUIRE(run_async(server.loop, jobs.remove(key)));
    CHECK(run_async(server.loop, jobs.get(key)).error().code == ErrorCode::NotFound);
    CHECK(run_async(server.loop, jobs.list("other", {}))->empty());
}

}  // namespace sluice::test
