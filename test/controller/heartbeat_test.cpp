#include "controller/process/heartbeat.hpp"

#include "controller/running_process.hpp"
#include "support/manual_clock.hpp"

#include <catch2/catch_test_macros.hpp>

#include <chrono>
#include <string>

namespace sluice::controller {
namespace {

/// Waits until the last renewal of the lease is so long ago, half a minute at most.
boost::asio::awaitable<void> not_renewed_for(const test::EmbeddedServer* leases, Duration length) {
    for (int i = 0; i < 6000; ++i) {
        const auto renewed = leases->all<api::Lease>().front().spec.renew_time->time;
        if (kSystemClock.now() - renewed > length) {
            co_return;
        }
        co_await net::pause_for(std::chrono::milliseconds(5));
    }
}

}  // namespace

TEST_CASE("a heartbeat is regular for a limit after each beat", "[process][heartbeat]") {
    test::ManualClock clock{Time(std::chrono::hours(1))};
    Heartbeat heartbeat(clock);
    clock.advance(std::chrono::seconds(60));
    CHECK(heartbeat.is_regular());
    clock.advance(std::chrono::seconds(1));
    CHECK_FALSE(heartbeat.is_regular());
    CHECK(heartbeat.age() == std::chrono::seconds(61));
    heartbeat.beat();
    CHECK(heartbeat.is_regular());
    CHECK(heartbeat.age() == Duration::zero());
}

TEST_CASE("probes fail while the loop stands still for too long", "[controller][process]") {
    const SystemClock clock;
    net::EventLoop loop;
    test::EmbeddedServer client(loop.executor(), clock);
    make_queues(client);
    auto options = make_options();
    options.with_servers = true;
    options.stall_max = std::chrono::milliseconds(400);
    options.configuration.health.health_probe_bind_address = "127.0.0.1:0";
    options.configuration.metrics.bind_address = "0";
    Running running(loop, client, std::move(options));
    const ControllerProcess& process = running.process();
    REQUIRE(test::run_async(loop, until([&] { return process.is_ready(); })));
    net::EventLoop other;
    const auto status = [&](const std::string& path) {
        return fetch(other, process.health_port(), path, false).status;
    };
    // Asks again and again, while that loop turns.
    const auto comes_to = [&](net::EventLoop& turning, int wanted) {
        for (int i = 0; i < 600; ++i) {
            if (status("/healthz") == wanted && status("/readyz") == wanted) {
                return true;
            }
            test::run_async(turning, net::pause_for(std::chrono::milliseconds(50)));
        }
        return false;
    };
    CHECK(comes_to(other, 500));
    CHECK(fetch(other, process.health_port(), "/healthz", false)
              .body.starts_with("the main loop has not turned for "));
    CHECK(comes_to(loop, 200));
    CHECK(test::run_async(loop, running.stop()) == 0);
}

TEST_CASE("a loop that stands still for too long loses its lease", "[process][lease]") {
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
    options.stall_max = std::chrono::milliseconds(500);
    Running running(loop, client, std::move(options));
    REQUIRE(test::run_async(loop, until([&] { return running.process().is_acting(); })));
    // The process's loop does not run meanwhile.
    net::run_on(server.loop(), not_renewed_for(&leases, std::chrono::milliseconds(2500)));
    client.clear_calls();
    make_job(client, "sample");
    CHECK(test::run_async(loop, until([&] { return running.exit_code().has_value(); })));
    CHECK(running.exit_code() == 1);
    CHECK(client.writes().empty());
}

}  // namespace sluice::controller
