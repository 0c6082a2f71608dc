#include "apiserver/http/in_process_client.hpp"

#include "api/core/job.hpp"
#include "api/kueue/workload.hpp"
#include "json/value.hpp"
#include "support/embedded_server.hpp"
#include "support/manual_clock.hpp"
#include "support/objects.hpp"
#include "support/run_async.hpp"
#include "support/typed_client.hpp"

#include <catch2/catch_test_macros.hpp>

#include <chrono>
#include <memory>
#include <optional>
#include <string>

// How the controller's client meets the server, with what goes wrong on the way.
namespace sluice::test {
namespace {

using namespace std::chrono_literals;
using kube::ResourcePath;

const ResourcePath kMaps{"", "v1", "configmaps", "default", "", ""};
const ResourcePath kMap{"", "v1", "configmaps", "default", "a", ""};
const Error kLost{ErrorCode::Unavailable, "lost", {}};

struct Connected {
    net::EventLoop loop;
    ManualClock clock;
    EmbeddedServer client{loop.executor(), clock};

    Connected() { client.put(kMaps, *json::parse(R"({"metadata":{"name":"a"}})")); }

    Result<std::string> write(const std::string& text) {
        return run_async(loop, client.merge_patch(kMap, R"({"data":{"k":")" + text + R"("}})", {}));
    }
    std::string stored() const {
        const json::Value* data = client.find_value(kMap)->find("data");
        return data == nullptr ? "" : std::string(data->string_at("k"));
    }
    std::unique_ptr<kube::WatchStream> watch() {
        kube::WatchOptions options;
        options.resource_version =
            client.find_value(kMap)->find("metadata")->string_at("resourceVersion");
        auto stream = run_async(loop, client.watch(kMaps, options));
        REQUIRE(stream);
        return std::move(*stream);
    }
};

}  // namespace

TEST_CASE("a call fails as ordered, before or after its effect", "[client]") {
    Connected server;
    server.client.fail_next(Verb::MergePatch, "configmaps", kLost);
    CHECK_FALSE(server.write("one"));
    CHECK(server.stored().empty());
    server.client.fail_next(Verb::MergePatch, "configmaps", kLost, 1, true);
    CHECK_FALSE(server.write("two"));
    CHECK(server.stored() == "two");
    CHECK(server.write("three"));
    CHECK(server.client.writes().size() == 3);
}

TEST_CASE("an answer that comes late is of a call that was done", "[client]") {
    Connected server;
    server.client.set_answer_delay(5ms);
    CHECK(server.write("one"));
    CHECK(server.stored() == "one");
    SECTION("also when it comes too late") {
        server.client.set_answer_delay(1h);
        kube::WriteOptions options;
        options.timeout = 5ms;
        const auto late = run_async(
            server.loop, server.client.merge_patch(kMap, R"({"data":{"k":"two"}})", options)
        );
        REQUIRE_FALSE(late);
        CHECK(late.error().code == ErrorCode::Timeout);
        CHECK(server.stored() == "two");
    }
    SECTION("unlike one that did not reach the server in time") {
        server.client.set_delay(1h);
        kube::WriteOptions options;
        options.timeout = 5ms;
        const auto lost = run_async(
            server.loop, server.client.merge_patch(kMap, R"({"data":{"k":"two"}})", options)
        );
        REQUIRE_FALSE(lost);
        CHECK(lost.error().code == ErrorCode::Timeout);
        CHECK(server.stored() == "one");
    }
}

TEST_CASE("a webhook that a client has no way to call fails the write", "[client]") {
    Connected server;
    server.client.put(
        {"admissionregistration.k8s.io", "v1", "validatingwebhookconfigurations", "", "", ""},
        *json::parse(R"({"metadata":{"name":"h"},"webhooks":[{"name":"h.example.com",
            "admissionReviewVersions":["v1"],"sideEffects":"None",
            "clientConfig":{"url":"https://127.0.0.1:1/x"},"rules":[{"apiGroups":[""],
            "apiVersions":["v1"],"operations":["UPDATE"],"resources":["configmaps"]}]}]})")
    );
    const auto refused = server.write("one");
    REQUIRE_FALSE(refused);
    CHECK(
        refused.error().detail.find("failed to call webhook: webhooks cannot be called from here"
        ) != std::string::npos
    );
    CHECK(server.stored().empty());
}

TEST_CASE("what may not be sent does not reach the server", "[client]") {
    Connected server;
    kube::WriteOptions options;
    options.before_send = [] { return Result<void>(Error{ErrorCode::NotLeader, "no", {}}); };
    const auto refused =
        run_async(server.loop, server.client.merge_patch(kMap, R"({"data":{"k":"v"}})", options));
    REQUIRE_FALSE(refused);
    CHECK(refused.error().code == ErrorCode::NotLeader);
    CHECK(server.client.calls().empty());
}

TEST_CASE("a watch that breaks is an error, one that ends in order is none", "[client]") {
    Connected server;
    const auto stream = server.watch();
    REQUIRE(server.write("one"));
    const auto line = run_async(server.loop, stream->next_line(1s));
    REQUIRE((line && *line));
    CHECK((*line)->find(R"("type":"MODIFIED")") != std::string::npos);
    SECTION("broken") {
        server.client.break_watches();
        const auto end = run_async(server.loop, stream->next_line(1s));
        REQUIRE_FALSE(end);
        CHECK(end.error().code == ErrorCode::Unavailable);
    }
    SECTION("ended") {
        server.clock.advance(kube::WatchOptions().server_timeout + 1s);
        const auto end = run_async(server.loop, stream->next_line(1s));
        REQUIRE(end);
        CHECK(*end == std::nullopt);
    }
    SECTION("from before what the server remembers") {
        server.client.forget_history();
        const auto gone = run_async(server.loop, stream->next_line(1s));
        REQUIRE((gone && *gone));
        CHECK((*gone)->find(R"("code":410)") != std::string::npos);
    }
}

TEST_CASE("a stale resourceVersion is a conflict in every kind of write", "[client]") {
    Connected server;
    const std::string stale =
        R"({"apiVersion":"v1","kind":"ConfigMap","metadata":{"name":"a","namespace":"default",)"
        R"("resourceVersion":"1"},"data":{"k":"v"}})";
    const auto code = [&server](kube::Async<std::string> call) {
        const auto answer = run_async(server.loop, std::move(call));
        return answer ? std::optional<ErrorCode>() : answer.error().code;
    };
    kube::ApplyOptions applied;
    applied.field_manager = "a";
    kube::DeleteOptions deleted;
    deleted.resource_version = "1";
    CHECK(code(server.client.apply(kMap, stale, applied)) == ErrorCode::Conflict);
    CHECK(code(server.client.update(kMap, stale, {})) == ErrorCode::Conflict);
    CHECK(code(server.client.merge_patch(kMap, stale, {})) == ErrorCode::Conflict);
    CHECK(code(server.client.remove(kMap, deleted)) == ErrorCode::Conflict);
    CHECK(server.stored().empty());
}

TEST_CASE("two managers own conditions of their own in the status of a Workload", "[client]") {
    Connected server;
    server.client.serve(kube::kind_of<api::Workload>());
    server.client.add(object<api::Workload>(R"(
metadata: {namespace: ns, name: w}
spec:
  podSets:
  - name: main
    count: 1
    template: {spec: {restartPolicy: Never, containers: [{name: c, image: i}]}}
)"));
    const auto apply = [&server](const char* manager, const std::string& types, bool is_forced) {
        std::string conditions;
        for (const char type : types) {
            conditions += conditions.empty() ? "" : ",";
            conditions += R"({"type":")" + std::string(1, type) +
                          R"(","status":"True","reason":")" + manager +
                          R"(","message":"","lastTransitionTime":"2026-01-01T00:00:00Z"})";
        }
        kube::ApplyOptions options;
        options.field_manager = manager;
        options.force = is_forced;
        return run_async(
            server.loop,
            server.client.apply(
                kube::path_of<api::Workload>("ns", "w", "status"),
                R"({"apiVersion":"kueue.x-k8s.io/v1beta2","kind":"Workload",)"
                R"("metadata":{"name":"w","namespace":"ns"},"status":{"conditions":[)" +
                    conditions + "]}}",
                options
            )
        );
    };
    const auto stored = [&server] {
        std::string types;
        const auto workload = server.client.find<api::Workload>("ns", "w");
        for (const api::Condition& each : workload->status.conditions) {
            types += each.type_ + each.reason;
        }
        return types;
    };
    REQUIRE(apply("one", "AB", true));
    REQUIRE(apply("two", "C", true));
    CHECK(stored() == "AoneBoneCtwo");
    SECTION("what a manager leaves out goes, what others own stays") {
        REQUIRE(apply("one", "B", true));
        CHECK(stored() == "BoneCtwo");
    }
    SECTION("what another owns is refused unless forced, and then changes hands") {
        const auto refused = apply("two", "AC", false);
        REQUIRE_FALSE(refused);
        CHECK(refused.error().code == ErrorCode::Conflict);
        REQUIRE(apply("two", "AC", true));
        REQUIRE(apply("one", "", true));
        CHECK(stored() == "AtwoCtwo");
    }
}

TEST_CASE("typed calls create, read, list in pages and delete", "[client]") {
    Connected server;
    server.client.add_namespace("ns");
    kube::TypedClient<api::Job> jobs(server.client);
    for (int i = 0; i < 7; ++i) {
        const auto job = object<api::Job>(R"(
metadata: {namespace: ns, generateName: job-}
spec: {template: {spec: {restartPolicy: Never, containers: [{name: c, image: i}]}}}
)");
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
    kube::DeleteOptions removal;
    removal.propagation = kube::Propagation::Background;
    REQUIRE(run_async(server.loop, jobs.remove(key, removal)));
    CHECK(run_async(server.loop, jobs.get(key)).error().code == ErrorCode::NotFound);
    CHECK(run_async(server.loop, jobs.list("other", {}))->empty());
}

}  // namespace sluice::test
