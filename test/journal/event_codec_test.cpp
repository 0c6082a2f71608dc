// Events as JSON and back.
#include "journal/event_codec.hpp"

#include "engine/random_clusters.hpp"

#include <catch2/catch_test_macros.hpp>

#include <set>
#include <string>

namespace sluice::journal {
namespace {

std::string print(const engine::Event& event) {
    std::string text;
    append_event(event, text);
    return text;
}

}  // namespace

TEST_CASE("a workload is written by names, without what is as usual", "[journal][codec]") {
    engine::Workload made;
    made.ns = "ns";
    made.name = "w";
    made.scheduling_class = 18446744073709551615ULL;
    made.queue_order = engine::Time(engine::Duration(5));
    made.pod_sets = {{.name = "main", .count = 3, .min_count = 2, .requests = {}}};
    CHECK(
        print(engine::WorkloadChanged{made}) ==
        R"({"WorkloadChanged":{"workload":{"ns":"ns","name":"w","queueOrder":5,)"
        R"("schedulingClass":"18446744073709551615","podSets":)"
        R"([{"name":"main","count":3,"minCount":2}]}}})"
    );
}

TEST_CASE("events of random clusters are read as they were written", "[journal][codec]") {
    std::set<std::size_t> kinds;
    std::size_t events = 0;
    for (std::uint64_t seed = 0; seed < 200; ++seed) {
        const auto made = reference::make_case(seed);
        reference::View view;
        engine::Time now(std::chrono::seconds(1'000'000));
        for (const auto& step : made.steps) {
            for (const engine::Event& event : view.events_of(step, now)) {
                const std::string text = print(event);
                const auto value = json::parse(text);
                REQUIRE(value);
                const auto back = read_event(*value);
                REQUIRE(back);
                CHECK(print(*back) == text);
                kinds.insert(event.index());
                ++events;
            }
        }
    }
    CHECK(events > 5'000);
    CHECK(kinds.size() >= 10);
}

TEST_CASE("the largest numbers keep their value", "[journal][codec]") {
    engine::LocalQueue queue;
    queue.ns = "ns";
    queue.fair_weight = 0.1;
    queue.consumed["cpu"] = -(engine::Billionths{1'000'000'000'000'000'000} * 1'000'000);
    const std::string text = print(engine::LocalQueueChanged{queue});
    const auto back = read_event(*json::parse(text));
    REQUIRE(back);
    CHECK(std::get<engine::LocalQueueChanged>(*back).local_queue == queue);
}

TEST_CASE("unknown fields are ignored and faults name the field", "[journal][codec]") {
    const auto read = [](std::string_view text) { return read_event(*json::parse(text)); };
    CHECK(read(R"({"TimerFired":{"later":1}})"));
    CHECK(read(R"({"FlavorDeleted":{"name":"f","x":{}}})"));
    CHECK(read(R"({"Unheard":{}})").error().detail == "unknown event \"Unheard\"");
    CHECK(read("[]").error().detail == "an event must be an object with one member");
    CHECK(
        read(R"({"FlavorDeleted":{"name":5}})").error().detail ==
        "FlavorDeleted: name must be a string"
    );
    CHECK(!read(R"({"WorkloadChanged":{"workload":{"podSets":[{"count":99999999999}]}}})"));
    CHECK(!read(R"({"WorkloadChanged":{"workload":{"schedulingClass":"-1"}}})"));
    CHECK(!read(R"({"ClusterQueueChanged":{"clusterQueue":{"strategy":77}}})"));
}

}  // namespace sluice::journal
