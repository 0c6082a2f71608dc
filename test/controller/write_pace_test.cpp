#include "controller/known_stores.hpp"
#include "controller/process/writes/api_writer.hpp"
#include "net/loop/event_loop.hpp"
#include "net/loop/task_group.hpp"
#include "support/embedded_server.hpp"
#include "support/manual_clock.hpp"
#include "support/objects.hpp"
#include "support/run_async.hpp"

#include <catch2/catch_test_macros.hpp>

#include <chrono>
#include <string>
#include <utility>
#include <vector>

// How long rows take of late, which decides how long statuses of queues are gathered.
namespace sluice::controller {
namespace {

using namespace std::chrono_literals;

/// Statuses are gathered for 20 times the pace, and for a second at least.
constexpr Duration kNotGatheredLonger = 50ms;

/// A writer whose rows take as long as the test says, on the virtual clock.
struct Writing {
    Writing() {
        client.serve(kind_of<api::Workload>());
        client.add(test::object<api::Workload>(R"(
metadata: {namespace: team, name: sample}
spec:
  podSets:
  - name: main
    count: 1
    template: {spec: {restartPolicy: Never, containers: [{name: c, image: i}]}}
)"));
        client.on_call([this](const test::Call&) { clock.advance(row_time); });
    }

    void write(int rows, Duration each) {
        row_time = each;
        for (int i = 0; i < rows; ++i) {
            std::vector<Write> row;
            row.push_back(
                {.object = {kind_of<api::Workload>(), "team", "sample"},
                 .body = json::Object{{"spec", json::Object{{"queueName", std::to_string(++n)}}}}}
            );
            writer.submit(std::move(row), Attempts::AFew, [](const Result<void>& result) {
                CHECK(result);
            });
            (void)test::run_async(loop, tasks.wait());
        }
    }

    test::ManualClock clock;
    net::EventLoop loop;
    test::EmbeddedServer client{loop.executor(), clock};
    KnownStores stores;
    net::TaskGroup tasks{loop.executor(), "test"};
    Duration row_time{};
    int n = 0;
    ApiWriter writer{
        {
            .client = client,
            .stores = stores,
            .clock = clock,
            .tasks = tasks,
            .on_event = [](const EventNote&) {},
            .on_observation = [](const Observation&) {},
            .on_ended = [](const ObjectKey&, bool) {},
        },
        1,
        1
    };
};

}  // namespace

TEST_CASE("the pace is that of rows of late", "[controller]") {
    Writing w;
    CHECK(w.writer.pace() == 0ms);
    w.write(100, 200ms);
    CHECK(w.writer.pace() > 150ms);
    CHECK(w.writer.pace() < 210ms);
    w.write(100, 1ms);
    CHECK(w.writer.pace() < 5ms);
}

TEST_CASE("one row that hung says nothing of the server's pace", "[controller]") {
    Writing w;
    w.write(10, 2ms);
    w.write(1, 30s);
    CHECK(w.writer.pace() <= kNotGatheredLonger);
}

TEST_CASE("a server that was slow is not slow for ever where nothing is written", "[controller]") {
    Writing w;
    w.write(100, 30s);
    CHECK(w.writer.pace() > 400ms);
    w.clock.advance(30s);
    CHECK(w.writer.pace() <= kNotGatheredLonger);
    w.write(1, 1ms);
    CHECK(w.writer.pace() <= kNotGatheredLonger);
}

}  // namespace sluice::controller
