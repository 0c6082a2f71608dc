#include "kube/client/reflector.hpp"

#include "api/core/job.hpp"
#include "api/kueue/kueue_names.hpp"
#include "base/clock.hpp"
#include "json/value.hpp"
#include "kube/client/event_sink.hpp"
#include "kube/client/leader_election.hpp"
#include "net/loop/task_group.hpp"
#include "support/embedded_server.hpp"
#include "support/manual_clock.hpp"
#include "support/objects.hpp"
#include "support/run_async.hpp"

#include <catch2/catch_test_macros.hpp>
#include <catch2/generators/catch_generators.hpp>

#include <algorithm>
#include <chrono>
#include <string>
#include <vector>

namespace sluice::test {
namespace {

using namespace std::chrono_literals;
using Strings = std::vector<std::string>;

api::Job make_job(const std::string& name) {
    api::Job job = object<api::Job>(R"(
metadata: {namespace: ns}
spec: {template: {spec: {restartPolicy: Never, containers: [{name: c, image: i}]}}}
)");
    job.metadata.name = name;
    return job;
}

boost::asio::awaitable<void> follow(kube::Reflector* reflector) {
    co_await reflector->run();
}

/// A reflector at work on a server in memory.
struct Watched {
    explicit Watched(Duration length = 5min) : watch_length(length) {}

    Duration watch_length;
    net::EventLoop loop;
    SystemClock clock;
    EmbeddedServer client{loop.executor(), clock};
    kube::KindStore<api::Job> kind_store{kube::kind_of<api::Job>()};
    const kube::Store<api::Job>& store = kind_store.objects();
    Strings seen;
    int synced = 0;
    kube::Reflector reflector{
        client,
        clock,
        kind_store,
        options(watch_length),
        [this](const kube::AnyChange& change) {
            seen.push_back(
                (change.before == change.after ? "?"
                 : !change.before              ? "+"
                 : !change.after               ? "-"
                                               : "~") +
                change.key.name
            );
        },
        [this] { ++synced; }
    };
    net::TaskGroup tasks{loop.executor(), "test"};

    static kube::ReflectorOptions options(Duration watch_length) {
        kube::ReflectorOptions out;
        out.watcher.page_size = 2;
        out.watcher.watch_length_min = watch_length;
        out.watcher.watch_length_max = watch_length;
        out.watcher.backoff = kube::BackoffOptions{1ms, 5ms, 0};
        return out;
    }
    void start() {
        tasks.spawn(follow(&reflector));
        settle();
    }
    void settle() { run_what_is_ready(loop); }
    void await_seen(std::size_t count) {
        CHECK(run_until(loop, [&] { return seen.size() >= count; }));
    }
    ~Watched() { run_async(loop, tasks.stop(0s)); }
    Strings take() { return std::exchange(seen, {}); }
    std::size_t lists() const { return calls(Verb::List); }
    std::size_t calls(Verb verb) const {
        return static_cast<std::size_t>(std::ranges::count(client.calls(), verb, &Call::verb));
    }
};

boost::asio::awaitable<void> acquire_into(kube::LeaderElection* election, bool* elected) {
    *elected = co_await election->acquire();
}

boost::asio::awaitable<void> hold_it(kube::LeaderElection* election) {
    co_await election->hold();
}

}  // namespace

TEST_CASE("a store is filled in pages and follows every change", "[kube][reflector]") {
    Watched server;
    for (const auto* name : {"a", "b", "c", "d", "e"}) {
        server.client.add(make_job(name));
    }
    server.start();
    CHECK(server.take() == Strings{"+a", "+b", "+c", "+d", "+e"});
    CHECK(server.synced == 1);
    CHECK(server.store.has_synced());
    CHECK(server.lists() == 3);
    server.client.add(make_job("f"));
    server.client.patch(
        kube::path_of<api::Job>("ns", "a"), *json::parse(R"({"metadata":{"labels":{"x":"y"}}})")
    );
    server.client.erase<api::Job>("ns", "b");
    server.settle();
    CHECK(server.take() == Strings{"+f", "~a", "-b"});
    CHECK(server.store.find("ns", "a")->metadata.labels.at("x") == "y");
    CHECK(server.store.size() == 5);
}

TEST_CASE("a watch that ends resumes without a list and misses nothing", "[kube][reflector]") {
    const bool breaks = GENERATE(true, false);
    Watched server(breaks ? 5min : 1s);
    server.client.add(make_job("a"));
    server.start();
    server.await_seen(1);
    server.take();
    const auto lists = server.lists();
    if (breaks) {
        server.client.break_watches();
    } else {
        CHECK(run_until(server.loop, [&] { return server.calls(Verb::Watch) >= 2; }));
    }
    server.client.add(make_job("b"));
    server.await_seen(1);
    server.settle();
    CHECK(server.take() == Strings{"+b"});
    CHECK(server.lists() == lists);
}

TEST_CASE("410 Gone swaps in a new list and reports only what differs", "[kube][reflector]") {
    Watched server;
    server.client.add(make_job("a"));
    server.client.add(make_job("b"));
    server.start();
    server.await_seen(2);
    server.take();
    server.client.erase<api::Job>("ns", "a");
    server.client.add(make_job("c"));
    server.client.forget_history();
    server.await_seen(2);
    server.settle();
    CHECK(server.take() == Strings{"-a", "+c"});
    CHECK(server.synced == 2);
}

TEST_CASE("a server that fails for a while is asked again", "[kube][reflector]") {
    Watched server;
    server.client.add(make_job("a"));
    const Error down{ErrorCode::Unavailable, "down", {}};
    server.client.fail_next(Verb::List, "jobs", down, 2);
    server.client.fail_next(Verb::Watch, "jobs", down, 2);
    server.start();
    server.client.add(make_job("b"));
    server.await_seen(2);
    CHECK(server.take() == Strings{"+a", "+b"});
}

TEST_CASE("a page beyond what may be taken comes in smaller ones", "[kube][reflector]") {
    Watched server;
    for (const auto* name : {"a", "b", "c", "d", "e"}) {
        server.client.add(make_job(name));
    }
    const Error too_large{ErrorCode::Invalid, "HTTP body is larger than allowed", {}};
    server.client.fail_next(Verb::List, "jobs", too_large, 1);
    server.start();
    server.await_seen(5);
    server.settle();
    CHECK(server.take() == Strings{"+a", "+b", "+c", "+d", "+e"});
    CHECK(server.lists() == 6);  // that one, and five pages of one
    CHECK(server.synced == 1);
}

TEST_CASE(
    "an object that cannot be read is known as such and the rest goes on", "[kube][reflector]"
) {
    Watched server;
    auto bad =
        *json::parse(R"({"kind":"Job","metadata":{"name":"bad"},"spec":{"parallelism":"x"}})");
    server.client.store_as_is(kube::path_of<api::Job>("ns"), bad);
    server.client.add(make_job("good"));
    server.start();
    CHECK(server.take() == Strings{"+good", "?bad"});
    REQUIRE(server.kind_store.unreadable().size() == 1);
    const auto& [name, unreadable] = *server.kind_store.unreadable().begin();
    CHECK(name == kube::NamespacedName{"ns", "bad"});
    CHECK(unreadable.error.find("parallelism") != std::string::npos);
    CHECK(unreadable.text.find("\"parallelism\":\"x\"") != std::string::npos);
    CHECK(server.kind_store.find_metadata({"ns", "bad"}) != nullptr);
    CHECK_FALSE(server.store.find("ns", "bad"));
    SECTION("one that was good keeps its last good state, and the version that is there is known") {
        bad.find("metadata")->set("name", "good");
        server.client.store_as_is(kube::path_of<api::Job>("ns"), bad);
        server.settle();
        CHECK(server.take() == Strings{"?good"});
        const auto last_good = server.store.find("ns", "good");
        REQUIRE(last_good);
        CHECK(
            server.kind_store.find_metadata({"ns", "good"})->resource_version !=
            last_good->metadata.resource_version
        );
        server.client.forget_history();
        CHECK(run_until(server.loop, [&] { return server.synced == 2; }));
        CHECK(server.take().empty());
        CHECK(server.kind_store.unreadable().size() == 2);
        CHECK(server.store.find("ns", "good"));
    }
    SECTION("one that can be read again is as it is, one that goes is forgotten") {
        server.client.store_as_is(kube::path_of<api::Job>("ns"), api::to_value(make_job("bad")));
        server.settle();
        CHECK(server.take() == Strings{"+bad"});
        CHECK(server.kind_store.unreadable().empty());
        bad.find("metadata")->set("name", "other");
        server.client.store_as_is(kube::path_of<api::Job>("ns"), bad);
        server.client.erase<api::Job>("ns", "other");
        server.settle();
        CHECK(server.take() == Strings{"?other", "?other"});
        CHECK(server.kind_store.unreadable().empty());
    }
}

TEST_CASE(
    "a collection that is not served any more ends the following of it", "[kube][reflector]"
) {
    Watched server;
    server.client.add(make_job("a"));
    server.client.fail_next(Verb::List, "jobs", Error{ErrorCode::NotFound, "no such thing", {}}, 1);
    CHECK(run_async(server.loop, server.reflector.run()) == kube::Reflector::End::NotServed);
    CHECK(server.take().empty());
}

TEST_CASE(
    "one of two candidates leads, and the other when it gives the lease up", "[kube][leader]"
) {
    net::EventLoop loop;
    SystemClock clock;
    EmbeddedServer client(loop.executor(), clock);
    kube::LeaderOptions options;
    options.namespace_ = "kueue-system";
    options.retry_period = 2ms;
    options.identity = "one";
    kube::LeaderElection one(client, clock, options, 1);
    options.identity = "two";
    kube::LeaderElection two(client, clock, options, 2);
    CHECK(run_async(loop, one.acquire()));
    net::TaskGroup tasks(loop.executor(), "test");
    bool elected = false;
    client.clear_calls();
    tasks.spawn(acquire_into(&two, &elected));
    CHECK(run_until(loop, [&] { return client.calls().size() >= 2; }));
    CHECK_FALSE(elected);
    run_async(loop, one.release());
    run_async(loop, tasks.wait());
    CHECK(elected);
    CHECK(two.term().is_running(clock.instant()));
    CHECK(client.find<api::Lease>("kueue-system", api::kLeaderLease)->spec.lease_transitions == 1);
    client.fail_next(Verb::MergePatch, "leases", Error{ErrorCode::Conflict, "", {}});
    auto stolen = *client.find<api::Lease>("kueue-system", api::kLeaderLease);
    stolen.spec.holder_identity = "thief";
    client.add(stolen);
    CHECK(run_async(loop, two.hold()));
    CHECK_FALSE(two.term().is_running(clock.instant()));
}

TEST_CASE("a leader whose wall clock is set back goes on renewing", "[kube][leader]") {
    net::EventLoop loop;
    test::ManualClock clock;
    EmbeddedServer client(loop.executor(), clock);
    kube::LeaderOptions options;
    options.namespace_ = "kueue-system";
    options.identity = "one";
    options.retry_period = 2ms;
    kube::LeaderElection one(client, clock, options, 1);
    REQUIRE(run_async(loop, one.acquire()));
    const auto before = clock.now();
    clock.step_wall(-1h);
    net::TaskGroup tasks(loop.executor(), "test");
    tasks.spawn(hold_it(&one));
    const auto is_renewed = [&] {
        const auto lease = client.find<api::Lease>("kueue-system", api::kLeaderLease);
        return lease->spec.renew_time->time < before;
    };
    for (int i = 0; i < 1000 && !is_renewed(); ++i) {
        run_async(loop, net::pause_for(2ms));
        clock.advance(2ms);
    }
    run_async(loop, tasks.stop(0s));
    CHECK(one.term().is_running(clock.instant()));
    CHECK(is_renewed());
}

TEST_CASE("events are written beside, and an expired series is created anew", "[kube][events]") {
    net::EventLoop loop;
    SystemClock clock;
    EmbeddedServer client(loop.executor(), clock);
    kube::EventRecorderOptions options;
    options.hostname = "host";
    client.add_namespace("ns");
    kube::EventSink sink(client, clock, loop.executor(), options, 1);
    net::TaskGroup tasks(loop.executor(), "test");
    tasks.spawn(sink.run());
    kube::EventNote note;
    note.regarding.namespace_ = "ns";
    note.regarding.name = "w";
    note.reason = "Admitted";
    note.reporting_controller = "kueue-admission";
    const auto written = [&] {
        return run_until(loop, [&] { return client.all<api::Event>().size() == 1; });
    };
    sink.record(note);
    REQUIRE(written());
    const auto name = client.all<api::Event>().front().metadata.name;
    client.erase<api::Event>("ns", name);
    sink.record(note);
    REQUIRE(written());
    CHECK(client.all<api::Event>().front().series->count == 2);
    run_async(loop, tasks.stop(0s));
    sink.record(note);
    run_async(loop, sink.flush());
}

}  // namespace sluice::test
