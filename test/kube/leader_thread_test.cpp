#include "kube/client/leader_thread.hpp"

#include "net/loop/on_loop.hpp"
#include "net/loop/task_group.hpp"
#include "support/client_on_loop.hpp"
#include "support/embedded_server.hpp"
#include "support/run_async.hpp"

#include <catch2/catch_test_macros.hpp>

#include <chrono>
#include <memory>
#include <optional>
#include <string>

namespace sluice::kube {
namespace {

using namespace std::chrono_literals;

/// A lease server on a thread of its own, and a leader whose caller is the test's thread.
struct Election {
    SystemClock clock;
    net::EventLoop loop;
    net::LoopThread server{"server"};
    test::EmbeddedServer leases{server.loop().executor(), clock};
    LeaderThread leader{
        std::make_unique<test::ClientOnLoop>(server.loop(), leases), clock, options(), 1
    };
    net::TaskGroup tasks{loop.executor(), "test"};
    int elected = 0;
    std::optional<bool> lost;

    static LeaderOptions options() {
        LeaderOptions made;
        made.namespace_ = "kueue-system";
        made.identity = "me";
        made.lease_length = 4s;
        made.renew_deadline = 2s;
        made.retry_period = 50ms;
        return made;
    }
    boost::asio::awaitable<void> lead() {
        auto on_elected = [this] { loop.post([this] { ++elected; }); };
        lost = co_await leader.lead(std::move(on_elected));
    }
    /// Lets this thread's loop run until the condition holds, half a minute at most.
    template <class Condition>
    bool until(Condition condition) {
        for (int i = 0; i < 6000 && !condition(); ++i) {
            test::run_async(loop, net::pause_for(5ms));
        }
        return condition();
    }
    void be_elected() {
        tasks.spawn(lead());
        REQUIRE(until([this] { return elected == 1; }));
    }
};

/// Waits on the server's thread until the lease was renewed for so long.
boost::asio::awaitable<void> renewed_for(const test::EmbeddedServer* leases, Duration length) {
    for (int i = 0; i < 6000; ++i) {
        const auto spec = leases->all<api::Lease>().front().spec;
        if (spec.renew_time->time - spec.acquire_time->time >= length) {
            co_return;
        }
        co_await net::pause_for(5ms);
    }
}

boost::asio::awaitable<void> steal(test::EmbeddedServer* leases) {
    auto lease = leases->all<api::Lease>().front();
    lease.spec.holder_identity = "thief";
    leases->add(lease);
    co_return;
}

/// Writes the lease as its holder does when it renews it.
boost::asio::awaitable<void> renew(test::EmbeddedServer* leases) {
    auto lease = leases->all<api::Lease>().front();
    lease.spec.renew_time->time += 1s;
    leases->add(lease);
    co_return;
}

boost::asio::awaitable<std::string> holder(const test::EmbeddedServer* leases) {
    co_return leases->all<api::Lease>().front().spec.holder_identity;
}

}  // namespace

TEST_CASE("a lease is renewed while the caller's loop does nothing", "[kube][leader]") {
    Election e;
    CHECK_FALSE(e.leader.term().is_running(e.clock.instant()));
    e.be_elected();
    net::run_on(e.server.loop(), renewed_for(&e.leases, 2500ms));
    CHECK(e.leader.term().is_running(e.clock.instant()));
    test::run_async(e.loop, e.tasks.stop(0s));
    CHECK(e.lost == false);
    test::run_async(e.loop, e.leader.release());
    CHECK_FALSE(e.leader.term().is_running(e.clock.instant()));
    CHECK(test::run_async(e.loop, net::on_loop(&e.server.loop(), holder(&e.leases))).empty());
}

TEST_CASE("a lease that was renewed at the same moment is given up", "[kube][leader]") {
    Election e;
    e.be_elected();
    test::run_async(e.loop, e.tasks.stop(0s));
    net::run_on(e.server.loop(), renew(&e.leases));
    test::run_async(e.loop, e.leader.release());
    CHECK(test::run_async(e.loop, net::on_loop(&e.server.loop(), holder(&e.leases))).empty());
}

TEST_CASE("a lease that another took ends the term and is not given up", "[kube][leader]") {
    Election e;
    e.be_elected();
    net::run_on(e.server.loop(), steal(&e.leases));
    REQUIRE(e.until([&e] { return e.lost.has_value(); }));
    CHECK(e.lost == true);
    CHECK_FALSE(e.leader.term().is_running(e.clock.instant()));
    test::run_async(e.loop, e.leader.release());
    CHECK(test::run_async(e.loop, net::on_loop(&e.server.loop(), holder(&e.leases))) == "thief");
}

}  // namespace sluice::kube
