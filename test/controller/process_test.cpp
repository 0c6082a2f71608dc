#include "api/core/lease.hpp"
#include "api/kueue/conditions.hpp"
#include "controller/mini_cluster.hpp"
#include "controller/process/controller_process.hpp"
#include "controller/running_process.hpp"
#include "metrics/registry.hpp"
#include "net/http/http_client.hpp"
#include "net/loop/event_loop.hpp"
#include "net/loop/task_group.hpp"
#include "net/loop/virtual_time.hpp"
#include "net/transport/tls.hpp"
#include "support/client_on_loop.hpp"
#include "support/embedded_server.hpp"
#include "support/run_async.hpp"

#include <catch2/catch_test_macros.hpp>

#include <algorithm>
#include <chrono>
#include <functional>
#include <memory>
#include <optional>
#include <string>

namespace sluice::controller {

TEST_CASE("a write that is refused again and again is tried ever more rarely", "[process]") {
    net::VirtualTime time{Time(std::chrono::hours(24 * 365 * 50))};
    net::EventLoop loop;
    test::EmbeddedServer client(loop.executor(), time);
    make_queues(client);
    for (const test::Verb verb : {test::Verb::Apply, test::Verb::MergePatch, test::Verb::Update}) {
        client.fail_next(verb, "jobs", make_invalid("the webhook says no"), 100'000);
    }
    Running running(loop, client, make_options(), time);
    make_job(client, "refused");
    const auto go_on = [&](Duration duration) {
        const Time end = time.now() + duration;
        while (time.now() < end) {
            while (loop.run_ready()) {
            }
            time.move(end);
        }
    };
    const auto tries = [&client] {
        const auto writes = client.writes();
        return std::ranges::count_if(writes, [](const std::string& write) {
            return write.ends_with(" jobs");
        });
    };
    go_on(std::chrono::minutes(1));
    const auto in_a_minute = tries();
    CHECK(in_a_minute >= 10);
    CHECK(in_a_minute <= 20);
    go_on(std::chrono::minutes(10));
    CHECK(tries() <= in_a_minute + 15);
    running.process().stop();
    go_on(std::chrono::minutes(1));
    CHECK(running.exit_code() == 0);
}

TEST_CASE("the process runs a job and ends in order", "[controller][process]") {
    const SystemClock clock;
    net::EventLoop loop;
    test::EmbeddedServer client(loop.executor(), clock);
    make_queues(client);
    Running running(loop, client, make_options());
    make_job(client, "sample");
    REQUIRE(test::run_async(loop, until([&] { return is_running(client, "sample"); })));
    const auto is_told = [&client] {
        const auto events = client.all<api::Event>();
        return std::ranges::any_of(events, [](const api::Event& e) {
            return e.reason == "Started";
        });
    };
    CHECK(test::run_async(loop, until(is_told)));
    CHECK(test::run_async(loop, running.stop()) == 0);
}

TEST_CASE("an admission whose answer is lost is not given away twice", "[controller][process]") {
    const SystemClock clock;
    net::EventLoop loop;
    test::EmbeddedServer client(loop.executor(), clock);
    make_queues(client);
    const Error lost{ErrorCode::Timeout, "no answer", {}};
    client.fail_next(test::Verb::Apply, "workloads", lost, 1, true);
    Running running(loop, client, make_options());
    make_job(client, "first");
    make_job(client, "second");
    make_job(client, "third");
    REQUIRE(test::run_async(loop, until([&] {
                                return is_running(client, "first") + is_running(client, "second") +
                                           is_running(client, "third") ==
                                       2;
                            })));
    CHECK(test::run_async(loop, running.stop()) == 0);
    std::int64_t reserved = 0;
    for (const api::Workload& workload : client.all<api::Workload>()) {
        reserved += workload.status.admission.has_value() ? 1 : 0;
    }
    CHECK(reserved == 2);
}

TEST_CASE(
    "a job starts when the answer to the admission comes after its echo", "[controller][process]"
) {
    ManualClock clock;  // a reconcile some seconds later comes too late for this test
    net::EventLoop loop;
    test::EmbeddedServer client(loop.executor(), clock);
    make_queues(client);
    client.set_answer_delay(std::chrono::milliseconds(50));
    Running running(loop, client, make_options(), clock);
    make_job(client, "sample");
    CHECK(test::run_async(loop, until([&] {
                              clock.advance(std::chrono::microseconds(500));
                              return is_running(client, "sample");
                          })));
    CHECK(test::run_async(loop, running.stop()) == 0);
}

TEST_CASE(
    "of two replicas one acts, and the other takes over at its end", "[controller][process]"
) {
    const SystemClock clock;
    net::EventLoop loop;
    test::EmbeddedServer client(loop.executor(), clock);
    make_queues(client);
    Running first(loop, client, make_elected_options(loop, client));
    REQUIRE(test::run_async(loop, until([&] { return first.process().is_acting(); })));
    Running second(loop, client, make_elected_options(loop, client));
    REQUIRE(test::run_async(loop, until([&] { return second.process().is_ready(); })));
    make_job(client, "one");
    REQUIRE(test::run_async(loop, until([&] { return is_running(client, "one"); })));
    CHECK_FALSE(second.process().is_acting());

    CHECK(test::run_async(loop, first.stop()) == 0);
    make_job(client, "two");
    REQUIRE(test::run_async(loop, until([&] { return is_running(client, "two"); })));
    CHECK(second.process().is_acting());
    CHECK(test::run_async(loop, second.stop()) == 0);
}

TEST_CASE("the lease has a client of its own", "[controller][process]") {
    const SystemClock clock;
    net::EventLoop loop;
    test::EmbeddedServer client(loop.executor(), clock);
    test::EmbeddedServer leases(loop.executor(), clock);
    make_queues(client);
    Running running(loop, client, make_elected_options(loop, leases));
    REQUIRE(test::run_async(loop, until([&] { return running.process().is_acting(); })));
    CHECK(test::run_async(loop, running.stop()) == 0);
    const auto is_lease = [](const test::Call& call) { return call.path.plural == "leases"; };
    CHECK(std::ranges::none_of(client.calls(), is_lease));
    CHECK(std::ranges::all_of(leases.calls(), is_lease));
    CHECK_FALSE(leases.calls().empty());
}

TEST_CASE("a loop that is busy beyond the renew deadline keeps its lease", "[process][lease]") {
    const SystemClock clock;
    net::EventLoop loop;
    net::LoopThread server("server");  // answers while the process's loop does nothing
    test::EmbeddedServer client(loop.executor(), clock);
    test::EmbeddedServer leases(server.loop().executor(), clock);
    make_queues(client);
    auto options = make_elected_options(server.loop(), leases);
    config::LeaderElection& election = options.configuration.leader_election;
    election.lease_duration = std::chrono::seconds(4);
    election.renew_deadline = std::chrono::seconds(2);
    election.retry_period = std::chrono::milliseconds(100);
    Running running(loop, client, std::move(options));
    REQUIRE(test::run_async(loop, until([&] { return running.process().is_acting(); })));
    net::run_on(server.loop(), renewed_for(leases, std::chrono::milliseconds(2500)));
    make_job(client, "sample");
    CHECK(test::run_async(loop, until([&] { return is_running(client, "sample"); })));
    CHECK_FALSE(running.exit_code());
    CHECK(test::run_async(loop, running.stop()) == 0);
}

TEST_CASE("a process that lost its lease ends and sends nothing more", "[process][lease]") {
    const SystemClock clock;
    net::EventLoop loop;
    test::EmbeddedServer client(loop.executor(), clock);
    test::EmbeddedServer leases(loop.executor(), clock);
    make_queues(client);
    Running running(loop, client, make_elected_options(loop, leases));
    REQUIRE(test::run_async(loop, until([&] { return running.process().is_acting(); })));
    auto stolen = leases.all<api::Lease>().front();
    stolen.spec.holder_identity = "thief";
    leases.add(stolen);
    REQUIRE(test::run_async(loop, until([&] { return !running.process().is_acting(); })));
    client.clear_calls();
    make_job(client, "sample");
    CHECK(test::run_async(loop, running.stop()) == 1);
    CHECK(client.writes().empty());
    CHECK(leases.all<api::Lease>().front().spec.holder_identity == "thief");
}

TEST_CASE("the lease is given up after the last write", "[process][lease]") {
    const SystemClock clock;
    net::EventLoop loop;
    test::EmbeddedServer client(loop.executor(), clock);
    make_queues(client);
    Running running(loop, client, make_elected_options(loop, client));
    REQUIRE(test::run_async(loop, until([&] { return running.process().is_acting(); })));
    const auto has_apply = [&] {
        return std::ranges::any_of(client.calls(), [](const test::Call& call) {
            return call.verb == test::Verb::Apply && call.path.plural == "workloads";
        });
    };
    client.set_answer_delay(std::chrono::milliseconds(200));
    make_job(client, "sample");
    REQUIRE(test::run_async(loop, until(has_apply)));
    CHECK(test::run_async(loop, running.stop()) == 0);
    CHECK(client.all<api::Lease>().front().spec.holder_identity.empty());
    CHECK(client.all<api::Workload>().front().status.admission.has_value());
    const auto writes = client.writes();
    REQUIRE_FALSE(writes.empty());
    CHECK(writes.back() == "MergePatch leases");
}

TEST_CASE("a process without the scheduler makes workloads and admits none", "[process]") {
    const SystemClock clock;
    net::EventLoop loop;
    test::EmbeddedServer client(loop.executor(), clock);
    make_queues(client);
    auto options = make_options();
    options.with_scheduler = false;
    Running running(loop, client, std::move(options));
    make_job(client, "sample");
    REQUIRE(test::run_async(loop, until([&] { return has_workload(client); })));
    const auto is_counted = [&client] {
        const auto queue = client.find<api::LocalQueue>("team", "main");
        return queue && queue->status.pending_workloads == 1;
    };
    CHECK(test::run_async(loop, until(is_counted)));
    CHECK_FALSE(is_running(client, "sample"));
    CHECK_FALSE(client.all<api::Workload>().front().status.admission);
    CHECK(test::run_async(loop, running.stop()) == 0);

    // Another process that is the scheduler and the rest of the reconcilers goes on from there.
    options = make_options();
    Running whole(loop, client, std::move(options));
    CHECK(test::run_async(loop, until([&] { return is_running(client, "sample"); })));
    CHECK(test::run_async(loop, whole.stop()) == 0);
}

TEST_CASE("kinds that are defined after the start are followed", "[controller][process]") {
    const SystemClock clock;
    net::EventLoop loop;
    test::EmbeddedServer client(loop.executor(), clock);
    Running running(loop, client, make_options());
    const auto asks_in_vain = [&client] { return client.calls().size() >= 20; };
    REQUIRE(test::run_async(loop, until(asks_in_vain)));
    CHECK_FALSE(running.process().is_ready());
    make_queues(client);
    client.add(decode<api::Cohort>("{'metadata':{'name':'org'}}"));
    client.add(decode<api::WorkloadPriorityClass>("{'metadata':{'name':'high'},'value':1}"));
    client.add(decode<api::AdmissionCheck>(
        "{'metadata':{'name':'budget'},'spec':{'controllerName':'example.com/budget'}}"
    ));
    client.add(decode<api::Topology>(
        "{'metadata':{'name':'racks'},'spec':{'levels':[{'nodeLabel':'rack'}]}}"
    ));
    REQUIRE(test::run_async(loop, until([&] { return running.process().is_ready(); })));
    for (const std::string_view plural :
         {"clusterqueues", "cohorts", "workloadpriorityclasses", "admissionchecks", "topologies"}) {
        CAPTURE(plural);
        // A kind is watched once its list was read.
        const auto is_watched = [&client, plural] {
            return std::ranges::any_of(client.calls(), [plural](const test::Call& call) {
                return call.verb == test::Verb::Watch && call.path.plural == plural;
            });
        };
        CHECK(test::run_async(loop, until(is_watched)));
    }
    CHECK(test::run_async(loop, running.stop()) == 0);
}

TEST_CASE("of picked reconcilers only those act", "[controller][process]") {
    const SystemClock clock;
    net::EventLoop loop;
    test::EmbeddedServer client(loop.executor(), clock);
    make_queues(client);
    auto options = make_options();
    options.controllers = {"clusterqueue", "workload"};
    Running running(loop, client, std::move(options));
    make_job(client, "ignored");
    client.add(decode<api::Workload>(
        R"({'metadata':{'namespace':'team','name':'by-hand'},'spec':{'queueName':'main',
        'active':true,'podSets':[{'name':'main','count':1,'template':{'spec':{
            'restartPolicy':'Never','containers':[
            {'name':'c','image':'i','resources':{'requests':{'cpu':'2'}}}]}}}]}})"
    ));
    const auto is_admitted = [&client] {
        const auto workload = client.find<api::Workload>("team", "by-hand");
        return workload && api::is_true(workload->status.conditions, "Admitted");
    };
    REQUIRE(test::run_async(loop, until(is_admitted)));
    const auto is_told = [&client] {
        const auto queue = client.find<api::ClusterQueue>("", "cq");
        return queue && queue->status.admitted_workloads == 1;
    };
    CHECK(test::run_async(loop, until(is_told)));
    CHECK(test::run_async(loop, running.stop()) == 0);
    CHECK(client.all<api::Workload>().size() == 1);
    for (const test::Call& call : client.calls()) {
        const bool is_write = call.verb != test::Verb::Get && call.verb != test::Verb::List &&
                              call.verb != test::Verb::Watch;
        CAPTURE(call.path.plural);
        CHECK(
            (!is_write || call.path.plural == "clusterqueues" || call.path.plural == "workloads" ||
             call.path.plural == "events")
        );
    }
}

TEST_CASE("a process serves its health, its readiness and its metrics", "[controller][process]") {
    const SystemClock clock;
    net::EventLoop loop;
    test::EmbeddedServer client(loop.executor(), clock);
    make_queues(client);
    // So long it is not ready, which is asked meanwhile.
    client.set_delay(std::chrono::milliseconds(500));
    auto options = make_options();
    options.with_servers = true;
    // No certificate is mounted either, so the process makes one for its metrics.
    options.configuration.internal_cert_management.enable = false;
    options.configuration.health.health_probe_bind_address = "127.0.0.1:0";
    options.configuration.metrics.bind_address = "127.0.0.1:0";
    Running running(loop, client, std::move(options));
    const ControllerProcess& process = running.process();
    REQUIRE(test::run_async(loop, until([&] { return process.health_port() != 0; })));
    CHECK(fetch(loop, process.health_port(), "/healthz", false).status == 200);
    CHECK(fetch(loop, process.health_port(), "/readyz", false).status == 500);
    CHECK(fetch(loop, process.health_port(), "/healthz/healthz", false).status == 200);
    CHECK(fetch(loop, process.health_port(), "//healthz", false).status == 404);
    REQUIRE(test::run_async(loop, until([&] { return process.is_ready(); })));
    const auto ready = fetch(loop, process.health_port(), "/readyz", false);
    CHECK(ready.status == 200);
    CHECK(ready.body == "ok");
    CHECK(fetch(loop, process.health_port(), "/metrics", false).status == 404);
    for (const auto* path : {"/healthz", "/readyz"}) {
        const auto refused = fetch(loop, process.health_port(), path, false, "POST", "x");
        CHECK(refused.status == 413);
        CHECK(fetch(loop, process.health_port(), path, false, "POST").status == 405);
        CHECK(fetch(loop, process.health_port(), path, false, "HEAD").status == 200);
    }

    make_job(client, "sample");
    REQUIRE(test::run_async(loop, until([&] { return is_running(client, "sample"); })));
    const auto metrics = fetch(loop, process.metrics_port(), "/metrics", true);
    CHECK(metrics.status == 200);
    CHECK(net::find_header(metrics.headers, "Content-Type") == metrics::kTextContentType);
    CHECK(
        metrics.body.find("# TYPE kueue_admitted_workloads_total counter\n") != std::string::npos
    );
    CHECK(
        metrics.body.find("kueue_admitted_workloads_total{cluster_queue=\"cq\"") !=
        std::string::npos
    );
    for (const char* name :
         {"process_cpu_seconds_total ",
          "process_open_fds ",
          "process_start_time_seconds ",
          "sluice_events_dropped_total 0\n",
          "controller_runtime_reconcile_time_seconds_bucket{controller=\"job\",le=\"0.005\"} ",
          "workqueue_queue_duration_seconds_bucket{controller=\"job\",name=\"job\",le=\"1e-08\"} "
         }) {
        CAPTURE(name);
        CHECK(metrics.body.find(name) != std::string::npos);
    }
    CHECK(fetch(loop, process.metrics_port(), "/metrics", false).status != 200);
    const auto is_reported = [&] {
        return fetch(loop, process.metrics_port(), "/metrics", true)
                   .body.find("kueue_admitted_active_workloads{cluster_queue=\"cq\",") !=
               std::string::npos;
    };
    bool is_fresh = is_reported();
    for (int i = 0; i < 200 && !is_fresh; ++i) {
        test::run_async(loop, net::pause_for(std::chrono::milliseconds(10)));
        is_fresh = is_reported();
    }
    CHECK(is_fresh);
    CHECK(test::run_async(loop, running.stop()) == 0);
}

TEST_CASE("probes are answered while the loop is held up", "[controller][process]") {
    const SystemClock clock;
    net::EventLoop loop;
    test::EmbeddedServer client(loop.executor(), clock);
    make_queues(client);
    auto options = make_options();
    options.with_servers = true;
    options.configuration.health.health_probe_bind_address = "127.0.0.1:0";
    options.configuration.metrics.bind_address = "127.0.0.1:0";
    Running running(loop, client, std::move(options));
    const ControllerProcess& process = running.process();
    REQUIRE(test::run_async(loop, until([&] { return process.is_ready(); })));
    // The process's loop does not run while another one asks.
    net::EventLoop other;
    CHECK(fetch(other, process.health_port(), "/healthz", false).status == 200);
    CHECK(fetch(other, process.health_port(), "/readyz", false).status == 200);
    CHECK(fetch(other, process.metrics_port(), "/metrics", true).status == 200);
    CHECK(test::run_async(loop, running.stop()) == 0);
}

TEST_CASE("a process serves the conversion webhook before it lists", "[controller][process]") {
    const SystemClock clock;
    net::EventLoop loop;
    test::EmbeddedServer client(loop.executor(), clock);
    make_queues(client);
    auto options = make_options();
    options.with_webhooks = true;
    options.configuration.webhook.host = "127.0.0.1";
    options.configuration.webhook.port = 0;
    Running running(loop, client, std::move(options));
    REQUIRE(test::run_async(loop, until([&] { return running.process().is_ready(); })));
    CHECK(test::run_async(loop, running.stop()) == 0);
    const auto calls = client.calls();
    const auto published = std::ranges::find_if(calls, [](const test::Call& call) {
        return call.verb == test::Verb::MergePatch &&
               call.path.plural == "customresourcedefinitions";
    });
    const auto listed = std::ranges::find(calls, test::Verb::List, &test::Call::verb);
    REQUIRE(published != calls.end());
    CHECK(published < listed);
    CHECK(published->body.find("https://127.0.0.1:") != std::string::npos);
}

TEST_CASE("what was decided is written before the end", "[controller][process]") {
    const SystemClock clock;
    net::EventLoop loop;
    test::EmbeddedServer client(loop.executor(), clock);
    make_queues(client);
    make_job(client, "sample");
    Running running(loop, client, make_options());
    const auto has_apply = [&] {
        return std::ranges::any_of(client.calls(), [](const test::Call& call) {
            return call.verb == test::Verb::Apply && call.path.plural == "workloads";
        });
    };
    client.set_delay(std::chrono::milliseconds(50));
    REQUIRE(test::run_async(loop, until(has_apply)));
    CHECK(test::run_async(loop, running.stop()) == 0);
    const auto workloads = client.all<api::Workload>();
    REQUIRE(workloads.size() == 1);
    CHECK(workloads.front().status.admission.has_value());
}

}  // namespace sluice::controller
