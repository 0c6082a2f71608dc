#include "api/core/core.hpp"
#include "api/core/job.hpp"
#include "api/kueue/kueue_names.hpp"
#include "kube/client/connection_source.hpp"
#include "kube/client/event_sink.hpp"
#include "kube/client/http_client.hpp"
#include "kube/client/leader_election.hpp"
#include "kube/client/reflector.hpp"
#include "net/loop/task_group.hpp"
#include "net/transport/certificate.hpp"
#include "support/run_async.hpp"
#include "support/typed_client.hpp"

#include <catch2/catch_test_macros.hpp>

#include <chrono>
#include <cstdlib>
#include <functional>
#include <memory>
#include <string>
#include <utility>
#include <vector>

// The client against a real API server, which SLUICE_TEST_KUBECONFIG names.
namespace sluice::kube {
namespace {

using namespace std::chrono_literals;
using test::run_async;

boost::asio::awaitable<void> follow(Reflector* reflector) {
    co_await reflector->run();
}

/// A client of the real server and a namespace of its own, deleted at the end.
struct RealServer {
    net::EventLoop loop;
    SystemClock clock;
    std::unique_ptr<Client> client;
    std::string ns;

    RealServer() {
        const char* path = std::getenv("SLUICE_TEST_KUBECONFIG");
        INFO("SLUICE_TEST_KUBECONFIG names the kubeconfig; test/e2e/client_test.py sets it");
        REQUIRE(path != nullptr);
        const auto found = find_connection({.kubeconfig_file = path, .context = "", .process = {}});
        REQUIRE(found);
        auto made = HttpClient::make(found->config, clock, 1);
        REQUIRE(made);
        client = std::move(*made);
        ns = "client-test-" + net::make_uuid().substr(0, 8);
        api::Namespace object;
        object.metadata.name = ns;
        REQUIRE(run_async(loop, TypedClient<api::Namespace>(*client).create(object)));
    }
    ~RealServer() {
        if (client) {
            static_cast<void>(run_async(loop, TypedClient<api::Namespace>(*client).remove({{}, ns}))
            );
        }
    }
    api::Job make_job(const std::string& name) const {
        const auto text = R"({"apiVersion":"batch/v1","kind":"Job","metadata":{"name":")" + name +
                          R"(","namespace":")" + ns +
                          R"("},"spec":{"suspend":true,"template":{"spec":)"
                          R"({"restartPolicy":"Never","containers":[{"name":"c","image":"i"}]}}}})";
        return *api::decode<api::Job>(text);
    }
    /// Runs the loop until the condition holds, for ten seconds at most.
    bool eventually(const std::function<bool()>& condition) {
        for (int i = 0; i < 1000 && !condition(); ++i) {
            run_async(loop, net::pause_for(10ms));
        }
        return condition();
    }
};

}  // namespace

TEST_CASE(
    "objects are created, read, patched, applied and deleted on a real server", "[kube][real]"
) {
    RealServer server;
    TypedClient<api::Job> jobs(*server.client);
    const auto created = run_async(server.loop, jobs.create(server.make_job("j")));
    REQUIRE(created);
    const NamespacedName key{server.ns, "j"};
    const auto again = run_async(server.loop, jobs.create(server.make_job("j")));
    REQUIRE_FALSE(again);
    CHECK(again.error().code == ErrorCode::AlreadyExists);

    const auto patched =
        run_async(server.loop, jobs.merge_patch(key, R"({"metadata":{"labels":{"a":"b"}}})"));
    REQUIRE(patched);
    CHECK(patched->metadata.labels.at("a") == "b");
    const std::string stale = R"({"metadata":{"resourceVersion":")" +
                              created->metadata.resource_version +
                              R"("},"spec":{"parallelism":2}})";
    CHECK(run_async(server.loop, jobs.merge_patch(key, stale)).error().code == ErrorCode::Conflict);

    ApplyOptions options;
    options.field_manager = "sluice-test";
    const std::string head = R"({"apiVersion":"batch/v1","kind":"Job","metadata":{"name":"j")";
    const auto applied =
        run_async(server.loop, jobs.apply(key, head + R"(,"labels":{"x":"1","y":"2"}}})", options));
    REQUIRE(applied);
    CHECK(applied->metadata.labels.at("y") == "2");
    const auto fewer =
        run_async(server.loop, jobs.apply(key, head + R"(,"labels":{"x":"1"}}})", options));
    REQUIRE(fewer);
    CHECK_FALSE(fewer->metadata.labels.contains("y"));
    options.force = false;
    const auto conflict =
        run_async(server.loop, jobs.apply(key, head + R"(,"labels":{"a":"c"}}})", options));
    REQUIRE_FALSE(conflict);
    CHECK(conflict.error().code == ErrorCode::Conflict);
    CHECK(conflict.error().status.find("FieldManagerConflict") != std::string::npos);

    options.force = true;
    const auto status = run_async(
        server.loop,
        jobs.apply(
            key,
            head + R"(},"status":{"conditions":[{"type":"X","status":"True"}]}})",
            options,
            "status"
        )
    );
    REQUIRE(status);
    CHECK(status->status.conditions.size() == 1);

    DeleteOptions wrong;
    wrong.uid = "00000000-0000-0000-0000-000000000000";
    CHECK(run_async(server.loop, jobs.remove(key, wrong)).error().code == ErrorCode::Conflict);
    DeleteOptions right;
    right.uid = created->metadata.uid;
    right.propagation = Propagation::Background;
    REQUIRE(run_async(server.loop, jobs.remove(key, right)));
    CHECK(server.eventually([&] {
        const auto gone = run_async(server.loop, jobs.get(key));
        return !gone && gone.error().code == ErrorCode::NotFound;
    }));
}

TEST_CASE("a reflector lists in pages and follows a real watch", "[kube][real]") {
    RealServer server;
    TypedClient<api::Job> jobs(*server.client);
    for (const auto* name : {"a", "b", "c"}) {
        REQUIRE(run_async(server.loop, jobs.create(server.make_job(name))));
    }
    KindStore<api::Job> kind_store(kind_of<api::Job>());
    const Store<api::Job>& store = kind_store.objects();
    ReflectorOptions options;
    options.namespace_ = server.ns;
    options.watcher.page_size = 2;
    std::vector<std::string> seen;
    Reflector
        reflector(*server.client, server.clock, kind_store, options, [&](const AnyChange& change) {
            if (!change.before || !change.after) {
                seen.push_back((change.before ? "-" : "+") + change.key.name);
            }
        });
    net::TaskGroup tasks(server.loop.executor(), "test");
    tasks.spawn(follow(&reflector));
    REQUIRE(server.eventually([&] { return store.size() == 3; }));
    CHECK(store.has_synced());
    REQUIRE(run_async(server.loop, jobs.create(server.make_job("d"))));
    REQUIRE(run_async(server.loop, jobs.remove({server.ns, "b"})));
    CHECK(server.eventually([&] {
        return store.find(server.ns, "d") && !store.find(server.ns, "b");
    }));
    CHECK(seen.size() == 5);
    run_async(server.loop, tasks.stop(0s));
}

TEST_CASE("a watch from a point long forgotten is Gone", "[kube][real]") {
    RealServer server;
    WatchOptions options;
    options.resource_version = "1";
    const auto stream = run_async(server.loop, server.client->watch(path_of<api::Job>(), options));
    if (!stream) {
        CHECK(stream.error().code == ErrorCode::Gone);
        return;
    }
    const auto line = run_async(server.loop, (*stream)->next_line(5s));
    REQUIRE(line);
    REQUIRE(line->has_value());
    CHECK((*line)->find("\"type\":") != std::string::npos);
}

TEST_CASE("a lease is acquired, handed over and released on a real server", "[kube][real]") {
    RealServer server;
    LeaderOptions options;
    options.namespace_ = server.ns;
    options.retry_period = 100ms;
    options.identity = "one";
    LeaderElection one(*server.client, server.clock, options, 1);
    options.identity = "two";
    LeaderElection two(*server.client, server.clock, options, 2);
    REQUIRE(run_async(server.loop, one.acquire()));
    run_async(server.loop, one.release());
    REQUIRE(run_async(server.loop, two.acquire()));
    const auto lease = run_async(
        server.loop, TypedClient<api::Lease>(*server.client).get({server.ns, api::kLeaderLease})
    );
    REQUIRE(lease);
    CHECK(lease->spec.holder_identity == "two");
    CHECK(lease->spec.lease_transitions == 1);
    run_async(server.loop, two.release());
}

TEST_CASE("events and their series reach a real server", "[kube][real]") {
    RealServer server;
    EventRecorderOptions options;
    options.hostname = "host";
    EventSink sink(*server.client, server.clock, server.loop.executor(), options, 1);
    EventNote note;
    note.regarding.api_version = "batch/v1";
    note.regarding.kind = "Job";
    note.regarding.namespace_ = server.ns;
    note.regarding.name = "j";
    note.reason = "Started";
    note.note = "Admitted by clusterQueue main";
    note.reporting_controller = "batch/job-kueue-controller";
    sink.record(note);
    sink.record(note);
    run_async(server.loop, sink.flush());
    const auto events =
        run_async(server.loop, TypedClient<api::Event>(*server.client).list(server.ns));
    REQUIRE(events);
    REQUIRE(events->size() == 1);
    REQUIRE(events->front().series);
    CHECK(events->front().series->count == 2);
    CHECK(events->front().reporting_controller == "batch/job-kueue-controller");
}

TEST_CASE("discovery is read, and what is not there is NotFound", "[kube][real]") {
    RealServer server;
    const auto found = run_async(server.loop, server.client->get_raw("/apis/batch/v1"));
    REQUIRE(found);
    CHECK(found->find("\"jobs/status\"") != std::string::npos);
    CHECK(
        run_async(server.loop, server.client->get_raw("/apis/nothing/v1")).error().code ==
        ErrorCode::NotFound
    );
}

}  // namespace sluice::kube
