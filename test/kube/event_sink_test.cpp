#include "kube/client/event_sink.hpp"

#include "net/loop/event_loop.hpp"
#include "net/loop/task_group.hpp"
#include "support/captured_log.hpp"
#include "support/embedded_server.hpp"
#include "support/manual_clock.hpp"
#include "support/run_async.hpp"

#include <catch2/catch_test_macros.hpp>

#include <algorithm>
#include <chrono>
#include <cstddef>
#include <string>

// How events are written. What becomes of notes is in event_recorder_test.cpp.
namespace sluice::test {
namespace {

using namespace std::chrono_literals;

kube::EventNote note(const std::string& name) {
    kube::EventNote made;
    made.regarding.namespace_ = "ns";
    made.regarding.name = name;
    made.reason = "Admitted";
    made.reporting_controller = "kueue-admission";
    return made;
}

/// A sink in front of a server in memory.
struct Sink {
    explicit Sink(std::size_t queue_max = 1000)
        : sink(
              client,
              clock,
              loop.executor(),
              {.hostname = "host", .queue_max = queue_max, .series_max = 5000},
              1,
              [this] { return may_write; }
          ) {
        client.add_namespace("ns");
        tasks.spawn(sink.run());
    }
    ~Sink() { run_async(loop, tasks.stop(0s)); }
    Sink(const Sink&) = delete;
    Sink& operator=(const Sink&) = delete;

    void record(int count) {
        for (int i = 0; i < count; ++i) {
            sink.record(note("w" + std::to_string(next++)));
        }
        run_what_is_ready(loop);
    }
    std::ptrdiff_t calls(Verb verb) const {
        return std::ranges::count(client.calls(), verb, &Call::verb);
    }

    ManualClock clock;
    net::EventLoop loop;
    EmbeddedServer client{loop.executor(), clock};
    int next = 0;
    bool may_write = true;
    kube::EventSink sink;
    net::TaskGroup tasks{loop.executor(), "test"};
};

}  // namespace

TEST_CASE("several events are written at a time, and not too many", "[kube][events]") {
    Sink s;
    s.client.set_answer_delay(1h);
    s.record(3);
    CHECK(s.calls(Verb::Create) == 3);
    s.record(20);
    CHECK(s.calls(Verb::Create) == 4);
}

TEST_CASE("a series waits until its event is there, other events do not", "[kube][events]") {
    Sink s;
    s.client.set_answer_delay(20ms);
    for (int i = 0; i < 2; ++i) {
        s.sink.record(note("often"));
    }
    s.record(1);
    CHECK(s.calls(Verb::Create) == 2);
    CHECK(s.calls(Verb::MergePatch) == 0);
    REQUIRE(run_until(s.loop, [&] { return s.calls(Verb::MergePatch) == 1; }));
    const auto events = s.client.all<api::Event>();
    REQUIRE(events.size() == 2);
    for (const api::Event& event : events) {
        CHECK(event.series.has_value() == (event.regarding.name == "often"));
    }
}

TEST_CASE("at the end all that is under way and waits is written", "[kube][events]") {
    Sink s;
    s.client.set_answer_delay(1ms);
    s.record(30);
    run_async(s.loop, s.sink.flush());
    CHECK(s.client.all<api::Event>().size() == 30);
    run_async(s.loop, s.tasks.stop(0s));
    for (int i = 0; i < 2; ++i) {
        s.sink.record(note("late"));
    }
    run_async(s.loop, s.sink.flush());
    CHECK(s.client.all<api::Event>().size() == 31);
    CHECK(s.calls(Verb::MergePatch) == 1);
}

TEST_CASE("nothing is written while that is not allowed, also at the end", "[kube][events]") {
    Sink s;
    s.may_write = false;
    s.record(5);
    run_async(s.loop, s.sink.flush());
    CHECK(s.client.all<api::Event>().empty());
    s.may_write = true;
    s.record(1);
    run_async(s.loop, s.sink.flush());
    CHECK(s.client.all<api::Event>().size() == 6);
}

TEST_CASE("events that are dropped are counted, and told once a minute", "[kube][events]") {
    Sink s(10);
    s.client.set_answer_delay(1h);
    const CapturedLog log;
    s.record(18);
    CHECK(s.sink.dropped() == 8);
    CHECK(log.count("events were dropped: more came than the API server takes\" dropped=8") == 0);
    CHECK(log.count("dropped=8") == 1);
    s.record(20);
    CHECK(log.count("events were dropped") == 1);
    s.clock.advance(1min);
    s.record(1);
    CHECK(log.count("events were dropped") == 2);
    CHECK(log.count("dropped=" + std::to_string(s.sink.dropped() - 8)) == 1);
}

}  // namespace sluice::test
