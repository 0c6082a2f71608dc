#include "sim/event_recorder.hpp"

#include <catch2/catch_test_macros.hpp>
#include <fmt/format.h>

#include <chrono>
#include <set>
#include <string>

namespace sluice::test {

using namespace std::chrono_literals;
using sim::EventRecorder;

TEST_CASE("the same event again is counted", "[sim][events]") {
    EventRecorder recorder;
    const Time start{};
    const auto first = recorder.record("Job/a", "j", {false, "Created", "one"}, start);
    REQUIRE(first);
    CHECK(first->count == 1);
    const auto again = recorder.record("Job/a", "j", {false, "Created", "one"}, start + 5s);
    REQUIRE(again);
    CHECK(again->name == first->name);
    CHECK(again->count == 2);
    CHECK(again->first == start);
    SECTION("another message, reason, type or object is another event") {
        for (const auto& other :
             {recorder.record("Job/a", "j", {false, "Created", "two"}, start),
              recorder.record("Job/a", "j", {false, "Deleted", "one"}, start),
              recorder.record("Job/a", "j", {true, "Created", "one"}, start),
              recorder.record("Job/b", "j", {false, "Created", "one"}, start)}) {
            REQUIRE(other);
            CHECK(other->count == 1);
            CHECK(other->name != first->name);
        }
    }
}

TEST_CASE("many events of a reason become one", "[sim][events]") {
    EventRecorder recorder;
    const Time start{};
    std::set<std::string> names;
    std::string last;
    for (int i = 0; i < 15; ++i) {
        const auto event =
            recorder.record("Job/a", "j", {false, "Created", fmt::format("pod {}", i)}, start);
        REQUIRE(event);
        names.insert(event->name);
        last = event->message;
        if (i == 14) {
            CHECK(event->count == 6);
        }
    }
    CHECK(names.size() == 10);
    CHECK(last == "(combined from similar events): pod 14");
    const auto later =
        recorder.record("Job/a", "j", {false, "Created", "pod 15"}, start + 10min + 1s);
    REQUIRE(later);
    CHECK(later->message == "pod 15");
}

TEST_CASE("of an object no more than 25 events are written at once", "[sim][events]") {
    EventRecorder recorder;
    const Time start{};
    int written = 0;
    for (int i = 0; i < 40; ++i) {
        written += recorder.record("Job/a", "j", {false, "Created", "pod"}, start) ? 1 : 0;
    }
    CHECK(written == 25);
    CHECK(recorder.record("Job/b", "k", {false, "Created", "pod"}, start));
    CHECK_FALSE(recorder.record("Job/a", "j", {false, "Completed", "done"}, start + 4min));
    const auto later = recorder.record("Job/a", "j", {false, "Completed", "done"}, start + 6min);
    REQUIRE(later);
    CHECK(later->count == 2);
}

TEST_CASE("what is long ago is forgotten when there is much", "[sim][events]") {
    EventRecorder recorder;
    const Time start{};
    const auto tell = [&recorder](int first, int last, Time now) {
        for (int i = first; i < last; ++i) {
            recorder.record(fmt::format("Job/{}", i), "j", {false, "Created", "pod"}, now);
        }
    };
    tell(0, 4000, start);
    const auto soon = recorder.record("Job/1", "j", {false, "Created", "pod"}, start + 9min);
    REQUIRE(soon);
    CHECK(soon->count == 2);
    tell(4000, 4200, start + 11min);
    const auto late = recorder.record("Job/2", "j", {false, "Created", "pod"}, start + 11min);
    REQUIRE(late);
    CHECK(late->count == 1);
    const auto again = recorder.record("Job/1", "j", {false, "Created", "pod"}, start + 11min);
    REQUIRE(again);
    CHECK(again->count == 3);
}

}  // namespace sluice::test
