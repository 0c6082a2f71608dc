#include "controller/process/api_writer.hpp"

#include "api/codec.hpp"
#include "net/event_loop.hpp"
#include "net/task_group.hpp"
#include "support/fake_client.hpp"
#include "support/manual_clock.hpp"
#include "support/run_async.hpp"

#include <catch2/catch_test_macros.hpp>

#include <algorithm>
#include <chrono>
#include <memory>
#include <optional>
#include <string>
#include <vector>

namespace sluice::controller {
namespace {

using namespace std::chrono_literals;

const ObjectKey kKey{Kind::Workload, "team", "sample"};

api::Workload make_workload() {
    api::Workload workload;
    workload.metadata.namespace_ = "team";
    workload.metadata.name = "sample";
    return workload;
}

/// A writer on a fake server; the store hears only of what the test tells it.
struct Writing {
    test::ManualClock clock;
    net::EventLoop loop;
    test::FakeClient client{loop.executor(), clock};
    Stores stores;
    net::TaskGroup tasks{loop.executor(), "test"};
    std::vector<ObjectKey> ended;
    ApiWriter writer{
        {
            .client = client,
            .stores = stores,
            .clock = clock,
            .tasks = tasks,
            .on_event = [](const EventNote&) {},
            .on_observation = [](const Observation&) {},
            .on_ended = [this](const ObjectKey& key) { ended.push_back(key); },
        },
        1,
        1
    };

    /// Lets all that was begun end.
    void run() { (void)test::run_async(loop, tasks.wait()); }
    /// The store hears of the object as the server has it.
    void show() {
        const auto object = client.find<api::Workload>("team", "sample");
        if (object) {
            stores.workloads.upsert(std::make_shared<const api::Workload>(*object));
        } else {
            stores.workloads.remove({"team", "sample"});
        }
    }
    void add() {
        client.add(make_workload());
        show();
    }
    void submit(Write write) {
        std::vector<Write> row;
        row.push_back(std::move(write));
        writer.submit(std::move(row), false, [](const Result<void>& result) { CHECK(result); });
        run();
    }
    void set_queue(const std::string& name) {
        submit({.object = kKey, .body = json::Object{{"spec", json::Object{{"queueName", name}}}}});
    }
    std::ptrdiff_t gets() const {
        return std::ranges::count(client.calls(), test::Verb::Get, &test::Call::verb);
    }
};

}  // namespace

TEST_CASE("a write counts as seen when the store has it, and never before", "[controller]") {
    Writing w;
    w.add();
    CHECK(w.writer.is_settled(kKey));
    w.set_queue("main");
    CHECK_FALSE(w.writer.is_settled(kKey));
    CHECK(w.writer.ask_for_late() == w.clock.now() + 30s);
    for (int asked = 1; asked < 5; ++asked) {
        w.clock.advance(30s);
        (void)w.writer.ask_for_late();
        w.run();
        CHECK(w.gets() == asked);
        CHECK_FALSE(w.writer.is_settled(kKey));
    }
    w.show();
    CHECK(w.writer.is_settled(kKey));
    CHECK(w.writer.ask_for_late() == std::nullopt);
}

TEST_CASE("a newer state than the written one is seen as well", "[controller]") {
    Writing w;
    w.add();
    w.set_queue("main");
    SECTION("changed by another") {
        auto other = *w.client.find<api::Workload>("team", "sample");
        other.metadata.labels["by"] = "another";
        w.client.add(other);
    }
    SECTION("deleted") {
        w.client.erase<api::Workload>("team", "sample");
    }
    CHECK_FALSE(w.writer.is_settled(kKey));
    w.show();
    CHECK(w.writer.is_settled(kKey));
}

TEST_CASE("an object that came and went unseen is not waited for without end", "[controller]") {
    Writing w;
    w.submit({.verb = Verb::Create, .object = kKey, .body = api::to_value(make_workload())});
    CHECK_FALSE(w.writer.is_settled(kKey));
    w.client.erase<api::Workload>("team", "sample");
    w.ended.clear();
    w.clock.advance(30s);
    (void)w.writer.ask_for_late();
    SECTION("when the server has no such object") {
        w.run();
        CHECK(w.gets() == 1);
        CHECK(w.ended == std::vector{kKey});
        CHECK(w.writer.is_settled(kKey));
    }
    SECTION("unless it was created anew before the answer") {
        w.submit({.verb = Verb::Create, .object = kKey, .body = api::to_value(make_workload())});
        CHECK(w.gets() == 1);
        CHECK_FALSE(w.writer.is_settled(kKey));
    }
}

TEST_CASE("no more than a few late objects are asked for at once", "[controller]") {
    Writing w;
    for (int i = 0; i < 100; ++i) {
        Write write{.verb = Verb::Create, .object = kKey, .body = {}};
        write.object.name = "w" + std::to_string(i);
        auto workload = make_workload();
        workload.metadata.name = write.object.name;
        write.body = api::to_value(workload);
        w.submit(std::move(write));
    }
    w.clock.advance(30s);
    std::ptrdiff_t before = 0;
    while (w.writer.ask_for_late() == std::nullopt) {
        CHECK(w.tasks.size() <= 16);
        w.run();
        REQUIRE(w.gets() > before);
        before = w.gets();
    }
    w.run();
    CHECK(w.gets() == 100);
}

TEST_CASE("an older version is the newest when the server's history was put back", "[controller]") {
    Writing w;
    w.add();
    AwaitedEchoes echoes(w.stores, w.clock);
    const auto stored =
        version_number(w.stores.workloads.find("team", "sample")->metadata.resource_version);
    const std::string uid = w.stores.workloads.find("team", "sample")->metadata.uid;
    echoes.expect(kKey, {.uid = uid, .version = stored + 10});
    w.clock.advance(30s);
    const auto question = echoes.take_overdue();
    REQUIRE(question);
    CHECK_FALSE(echoes.take_overdue());
    SECTION("unless something was written since") {
        echoes.expect(kKey, {.uid = uid, .version = stored + 11});
        echoes.confirm(*question, stored);
        CHECK_FALSE(echoes.is_settled(kKey));
    }
    SECTION("so it is not waited for the lost one") {
        echoes.confirm(*question, stored);
        CHECK(echoes.is_settled(kKey));
        CHECK(echoes.next_overdue() == std::nullopt);
    }
}

}  // namespace sluice::controller
