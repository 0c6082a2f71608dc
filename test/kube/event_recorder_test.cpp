#include "kube/runtime/event_recorder.hpp"

#include "json/value.hpp"
#include "support/manual_clock.hpp"

#include <catch2/catch_test_macros.hpp>
#include <catch2/generators/catch_generators.hpp>

#include <chrono>
#include <set>
#include <string>

namespace sluice::kube {
namespace {

using namespace std::chrono_literals;

constexpr Instant kStart = Instant(100h);
constexpr Time kWall = Time(1'800'000'000s);

using Verb = EventRecorder::Verb;

EventRecorder recorder() {
    EventRecorderOptions options;
    options.hostname = "host";
    options.queue_max = 10;
    return EventRecorder(options, 1);
}

EventNote note(std::string reason, std::string name = "w1") {
    EventNote out;
    out.regarding.kind = "Workload";
    out.regarding.namespace_ = "ns";
    out.regarding.name = std::move(name);
    out.reason = std::move(reason);
    out.note = "why";
    out.reporting_controller = "kueue-admission";
    return out;
}

}  // namespace

TEST_CASE("a note becomes an event with everything the API wants", "[kube][events]") {
    auto events = recorder();
    events.record(note("QuotaReserved"), kStart, kWall);
    const auto write = events.take();
    REQUIRE(write);
    CHECK(write->verb == Verb::Create);
    const auto& event = write->event;
    CHECK(event.metadata.namespace_ == "ns");
    CHECK(event.metadata.name.starts_with("w1."));
    CHECK(event.type_ == "Normal");
    CHECK(event.action == "QuotaReserved");
    CHECK(event.reporting_instance == "kueue-admission-host");
    CHECK(event.event_time->time == kWall);
    CHECK_FALSE(event.series);
    CHECK_FALSE(events.take());
}

TEST_CASE(
    "an event about a cluster-scoped object goes to the namespace default", "[kube][events]"
) {
    auto events = recorder();
    auto about = note("Stopped");
    about.regarding.namespace_.clear();
    events.record(about, kStart, kWall);
    CHECK(events.take()->event.metadata.namespace_ == "default");
}

TEST_CASE(
    "equal notes become one series: second at once, the rest when the gap has passed",
    "[kube][events]"
) {
    auto events = recorder();
    for (int i = 0; i < 5; ++i) {
        events.record(note("Pending"), kStart + i * 1min, kWall + i * 1min);
    }
    const auto first = events.take();
    const auto second = events.take();
    REQUIRE((first && second));
    CHECK(second->verb == Verb::PatchSeries);
    CHECK(second->event.metadata.name == first->event.metadata.name);
    CHECK(second->event.series->count == 2);
    CHECK_FALSE(events.take());
    REQUIRE(events.next_due() == kStart + 6min);
    events.tick(kStart + 6min);
    const auto told = events.take();
    REQUIRE(told);
    CHECK(told->event.series->count == 5);
    CHECK(told->event.series->last_observed_time->time == kWall + 4min);
    CHECK(make_series_patch(told->event).starts_with(R"({"series":{"count":5,)"));
    events.tick(kStart + 12min);
    CHECK_FALSE(events.take());
    CHECK_FALSE(events.next_due());
    SECTION("after the gap a new event begins") {
        events.record(note("Pending"), kStart + 12min, kWall + 12min);
        CHECK(events.take()->verb == Verb::Create);
    }
}

TEST_CASE("a wall clock that is set neither ends nor stalls a series", "[kube][events]") {
    const auto step = GENERATE(Duration(1h), Duration(-1h));
    test::ManualClock clock;
    auto events = recorder();
    const auto record = [&] { events.record(note("Pending"), clock.instant(), clock.now()); };
    record();
    clock.step_wall(step);
    clock.advance(1min);
    for (int i = 0; i < 3; ++i) {
        record();
    }
    CHECK(events.take()->verb == Verb::Create);
    const auto second = events.take();
    REQUIRE(second);
    CHECK(second->verb == Verb::PatchSeries);
    CHECK(second->event.series->last_observed_time->time == clock.now());
    CHECK_FALSE(events.take());
    clock.advance(5min - 1s);
    events.tick(clock.instant());
    CHECK_FALSE(events.take());
    clock.advance(1s);
    REQUIRE(events.next_due() == clock.instant());
    events.tick(clock.instant());
    CHECK(events.take()->event.series->count == 4);
    clock.advance(6min);
    events.tick(clock.instant());
    CHECK_FALSE(events.next_due());
}

TEST_CASE(
    "notes that differ in anything but their text are events of their own", "[kube][events]"
) {
    auto events = recorder();
    events.record(note("Pending"), kStart, kWall);
    events.take();
    auto other = note("Pending");
    SECTION("reason") {
        other.reason = "Admitted";
    }
    SECTION("object") {
        other.regarding.name = "w2";
    }
    SECTION("its version") {
        other.regarding.resource_version = "9";
    }
    SECTION("controller") {
        other.reporting_controller = "x";
    }
    SECTION("type") {
        other.type = EventType::Warning;
    }
    events.record(other, kStart, kWall);
    CHECK(events.take()->verb == Verb::Create);
}

TEST_CASE("a full queue drops the oldest and counts it", "[kube][events]") {
    auto events = recorder();
    for (int i = 0; i < 13; ++i) {
        events.record(note("Pending", "w" + std::to_string(i)), kStart, kWall);
    }
    CHECK(events.dropped() == 3);
    CHECK(events.take()->event.regarding.name == "w3");
}

TEST_CASE("writes of one event are taken one after the other, others meanwhile", "[kube][events]") {
    auto events = recorder();
    events.record(note("Pending", "w1"), kStart, kWall);
    events.record(note("Pending", "w1"), kStart, kWall);
    events.record(note("Pending", "w2"), kStart, kWall);
    const auto created = events.take();
    REQUIRE(created);
    const std::set<std::string> under_way{created->event.metadata.name};
    const auto other = events.take(under_way);
    REQUIRE(other);
    CHECK(other->event.regarding.name == "w2");
    CHECK_FALSE(events.take(under_way));
    CHECK(events.has_waiting());
    const auto patch = events.take();
    REQUIRE(patch);
    CHECK(patch->verb == Verb::PatchSeries);
    CHECK(patch->event.metadata.name == created->event.metadata.name);
    CHECK_FALSE(events.has_waiting());
}

TEST_CASE("what was dropped is told once a minute at most", "[kube][events]") {
    auto events = recorder();
    int n = 0;
    const auto drop = [&](int count, Instant now) {
        for (int i = 0; i < count; ++i) {
            events.record(note("Pending", "w" + std::to_string(n++)), now, kWall);
        }
    };
    drop(10, kStart);  // the queue is full
    CHECK_FALSE(events.take_dropped(kStart));
    CHECK(events.next_due() == kStart + 6min);
    drop(3, kStart);
    CHECK(events.next_due() <= kStart);
    CHECK(events.take_dropped(kStart) == 3);
    CHECK(events.next_due() == kStart + 6min);
    drop(2, kStart + 10s);
    drop(2, kStart + 50s);
    CHECK_FALSE(events.take_dropped(kStart + 59s));
    CHECK(events.next_due() == kStart + 1min);
    CHECK(events.take_dropped(kStart + 1min) == 4);
    CHECK_FALSE(events.take_dropped(kStart + 2min));
    CHECK(events.dropped() == 7);
}

TEST_CASE("texts are cut to what the server takes, never inside a character", "[kube][events]") {
    auto events = recorder();
    auto about = note("Pending", std::string(253, 'n'));
    about.note = std::string(1023, 'x') + "é" + std::string(100, 'y');
    events.record(about, kStart, kWall);
    const auto event = events.take()->event;
    CHECK(event.note == std::string(1023, 'x'));
    CHECK(event.metadata.name.size() <= 253);
}

TEST_CASE("a series whose event has expired is created anew", "[kube][events]") {
    auto events = recorder();
    events.record(note("Pending"), kStart, kWall);
    events.record(note("Pending"), kStart, kWall);
    events.take();
    const auto patch = events.take();
    events.on_patch_not_found(patch->event);
    const auto again = events.take();
    REQUIRE(again);
    CHECK(again->verb == Verb::Create);
    CHECK(again->event.series->count == 2);
}

TEST_CASE("of too many series the least recently seen one is forgotten", "[kube][events]") {
    EventRecorderOptions options;
    options.series_max = 2;
    EventRecorder events(options, 1);
    const auto record = [&](const std::string& name) {
        events.record(note("Started", name), kStart, kWall);
        return events.take()->verb;
    };
    CHECK(record("a") == Verb::Create);
    CHECK(record("b") == Verb::Create);
    CHECK(record("a") == Verb::PatchSeries);
    CHECK(record("c") == Verb::Create);  // in place of b
    CHECK(record("b") == Verb::Create);  // in place of a, which is older than c now
    CHECK(record("c") == Verb::PatchSeries);
    CHECK(record("a") == Verb::Create);
}

}  // namespace sluice::kube
