#include "controller/process/runner/reconcile_runner.hpp"

#include "api/meta/codec.hpp"
#include "controller/known_stores.hpp"
#include "support/captured_log.hpp"
#include "support/manual_clock.hpp"

#include <catch2/catch_test_macros.hpp>
#include <catch2/generators/catch_generators.hpp>

#include <algorithm>
#include <cstdint>
#include <deque>
#include <memory>
#include <numeric>
#include <set>
#include <string>
#include <utility>
#include <vector>

// How reconciles and writes take turns. What a reconcile decides is in reconcilers_test.cpp.
namespace sluice::controller {
namespace {

class HeldSink final : public WriteSink {
  public:
    void submit(std::vector<Write> row, Attempts /*attempts*/, Done done) override {
        rows.emplace_back(std::move(row), std::move(done));
    }
    bool has_room() const override { return rows.size() < 4; }
    bool is_settled(const ObjectKey&) const override { return true; }
    Duration pace() const override { return row_time; }

    /// Answers the oldest row; the object that it was about.
    ObjectKey answer(const Result<void>& result = {}) {
        auto [row, done] = std::move(rows.front());
        rows.pop_front();
        done(result);
        return row.at(0).object;
    }

    std::deque<std::pair<std::vector<Write>, Done>> rows;
    Duration row_time{};
};

struct Bench {
    Bench() {
        add(stores.of<api::WorkloadPriorityClass>(), "{'metadata':{'name':'vip'},'value':7}");
        for (int i = 0; i < 10; ++i) {
            add(stores.of<api::Workload>(),
                "{'metadata':{'name':'w" + std::to_string(i) +
                    "','namespace':'team'},'spec':{'priority':1,'priorityClassRef':{'group':"
                    "'kueue.x-k8s.io','kind':'WorkloadPriorityClass','name':'vip'}}}");
        }
    }

    template <class T>
    void add(kube::Store<T>& store, std::string text) {
        std::ranges::replace(text, '\'', '"');
        auto object = api::decode<T>(text);
        REQUIRE(object);
        store.upsert(std::make_shared<const T>(std::move(*object)));
    }

    KnownStores stores;
    Settings settings;
    workload::Translator translator{workload::TranslationSettings{}};
    test::ManualClock clock;
    HeldSink sink;
    std::vector<EventNote> events;
    ReconcileRunner runner{
        {
            .registry = stores.registry,
            .view = {stores, translator, settings},
            .sink = sink,
            .clock = clock,
            .enabled = {kind_of<api::WorkloadPriorityClass>(), kind_of<api::ResourceFlavor>()},
            .on_event = [this](const EventNote& event) { events.push_back(event); },
            .weighted_share = [](const ObjectKey&) { return std::optional<std::int64_t>(); },
            .has_holders = [](const std::string&) { return false; },
            .consumed =
                [](const ObjectKey&) { return std::optional<api::AdmissionFairSharingStatus>(); },
            .drift = [](const ObjectKey&) { return QuotaDrift(); },
            .wake = [] {},
        },
        1
    };
};

std::uint64_t count_of(const metrics::Distribution& times) {
    const auto& counts = times.counts();
    return std::accumulate(counts.begin(), counts.end(), std::uint64_t{0});
}

const ObjectKey kClass{kind_of<api::WorkloadPriorityClass>(), "", "vip"};

}  // namespace

TEST_CASE("a wide change is written no faster than the writer takes it", "[controller]") {
    Bench bench;
    bench.runner.enqueue(kClass, Urgency::AtOnce);
    std::set<std::string> written;
    for (int i = 0; i < 10; ++i) {
        bench.runner.step();
        REQUIRE(bench.sink.rows.size() <= 4);
        REQUIRE_FALSE(bench.sink.rows.empty());
        CHECK(bench.sink.rows.front().first.size() == 1);
        written.insert(bench.sink.answer().name);
    }
    CHECK(written.size() == 10);
    bench.runner.step();
    CHECK(bench.sink.rows.empty());
}

TEST_CASE(
    "a refused part of a wide change is tried again, one that is gone is not", "[controller]"
) {
    Bench bench;
    const bool is_gone = GENERATE(true, false);
    const Error error{is_gone ? ErrorCode::NotFound : ErrorCode::Invalid, "no", {}};
    bench.runner.enqueue(kClass, Urgency::AtOnce);
    for (int i = 0; i < 10; ++i) {
        bench.runner.step();
        REQUIRE_FALSE(bench.sink.rows.empty());
        bench.sink.answer(i == 3 ? Result<void>(error) : Result<void>());
    }
    CHECK(bench.sink.rows.empty());
    bench.clock.advance(std::chrono::seconds(1));
    bench.runner.step();
    CHECK(bench.sink.rows.empty() == is_gone);
}

TEST_CASE("what is gone but still in the stores is not written in a loop", "[controller]") {
    Bench bench;
    const Error gone{ErrorCode::NotFound, "gone", {}};
    bench.runner.enqueue(kClass, Urgency::AtOnce);
    bench.runner.step();
    while (!bench.sink.rows.empty()) {
        bench.sink.answer(gone);
        bench.runner.enqueue_after_write(kClass, false);
        bench.runner.step();
    }
    bench.runner.step();
    CHECK(bench.sink.rows.empty());
    bench.clock.advance(std::chrono::seconds(1));
    bench.runner.step();
    CHECK_FALSE(bench.sink.rows.empty());
}

TEST_CASE("an object that is undone at each write is written ten times a second", "[controller]") {
    Bench bench;
    int rows = 0;
    const auto write_for = [&](int steps) {
        for (int i = 0; i < steps; ++i) {
            bench.runner.enqueue(kClass, Urgency::AtOnce);
            bench.runner.step();
            while (!bench.sink.rows.empty()) {
                ++rows;
                bench.sink.answer();
                bench.runner.step();
            }
        }
    };
    write_for(50);
    CHECK(rows == 10 * 10);
    bench.clock.advance(std::chrono::seconds(1));
    write_for(1);
    CHECK(rows == 11 * 10);
}

TEST_CASE("statuses of queues are gathered for longer where writes take long", "[controller]") {
    using std::chrono::milliseconds;
    struct Row {
        milliseconds row_time;
        milliseconds gathered;
    };
    const auto row = GENERATE(
        Row{milliseconds(0), milliseconds(1'000)},
        Row{milliseconds(5), milliseconds(1'000)},
        Row{milliseconds(200), milliseconds(4'000)},
        Row{milliseconds(30'000), milliseconds(10'000)}
    );
    Bench bench;
    bench.sink.row_time = row.row_time;
    bench.runner.enqueue(kClass, Urgency::Batched);
    bench.clock.advance(row.gathered - milliseconds(1));
    bench.runner.step();
    CHECK(bench.sink.rows.empty());
    bench.clock.advance(milliseconds(1));
    bench.runner.step();
    CHECK_FALSE(bench.sink.rows.empty());
}

TEST_CASE("what is no status of a queue waits no longer where writes take long", "[controller]") {
    using std::chrono::milliseconds;
    Bench bench;
    bench.sink.row_time = milliseconds(GENERATE(0, 30'000));
    bench.runner.enqueue(kClass, Urgency::Gathered);
    bench.clock.advance(milliseconds(999));
    bench.runner.step();
    CHECK(bench.sink.rows.empty());
    bench.clock.advance(milliseconds(1));
    bench.runner.step();
    CHECK_FALSE(bench.sink.rows.empty());
}

TEST_CASE("it is counted how long objects wait and their reconciles take", "[controller]") {
    using std::chrono::seconds;
    Bench bench;
    const auto work = [&bench] { return bench.runner.work().at("resourceflavor_controller"); };
    bench.add(
        bench.stores.of<api::ResourceFlavor>(), "{'metadata':{'name':'new','resourceVersion':'1'}}"
    );
    bench.runner.enqueue({kind_of<api::ResourceFlavor>(), "", "new"}, Urgency::AtOnce);
    bench.clock.advance(seconds(2));
    CHECK(work().waiting == 1);
    bench.runner.step();
    REQUIRE(bench.sink.rows.size() == 1);
    bench.clock.advance(seconds(3));
    CHECK(work().under_way == 1);
    CHECK(work().unfinished == seconds(3));
    CHECK(work().longest == seconds(3));
    CHECK(work().wait_times.sum() == 2);
    CHECK(count_of(work().reconcile_times) == 0);
    // Until the write is answered, whatever the answer is.
    const bool is_refused = GENERATE(false, true);
    const Error error{ErrorCode::Invalid, "no", {}};
    bench.sink.answer(is_refused ? Result<void>(error) : Result<void>());
    CHECK(work().under_way == 0);
    CHECK(work().unfinished == seconds(0));
    CHECK(count_of(work().reconcile_times) == 1);
    CHECK(work().reconcile_times.sum() == 3);
    CHECK(work().work_times.sum() == 3);
    CHECK(work().failed == (is_refused ? 1 : 0));
}

TEST_CASE("a wide change is under way until the last of its writes is answered", "[controller]") {
    using std::chrono::seconds;
    Bench bench;
    const auto work = [&bench] {
        return bench.runner.work().at("workloadpriorityclass_controller");
    };
    bench.runner.enqueue(kClass, Urgency::AtOnce);
    for (int i = 0; i < 10; ++i) {
        bench.runner.step();
        CHECK(work().under_way == 1);
        bench.clock.advance(seconds(1));
        bench.sink.answer();
    }
    CHECK(work().under_way == 0);
    CHECK(count_of(work().reconcile_times) == 1);
    CHECK(work().reconcile_times.sum() == 10);
}

TEST_CASE("a failure is logged once until it changes or ends", "[controller]") {
    Bench bench;
    const test::CapturedLog log;
    const auto fail_with = [&bench](const char* why) {
        const Error error{ErrorCode::Invalid, why, {}};
        bench.runner.enqueue(kClass, Urgency::AtOnce);
        for (bench.runner.step(); !bench.sink.rows.empty(); bench.runner.step()) {
            bench.sink.answer(error);
        }
        bench.clock.advance(std::chrono::minutes(30));
    };
    for (int i = 0; i < 3; ++i) {
        fail_with("too long");
    }
    CHECK(log.count("too long") == 1);
    CHECK(log.count("warning write was rejected object=vip") == 1);
    fail_with("too short");
    CHECK(log.count("too short") == 1);
    CHECK(bench.runner.work().at("workloadpriorityclass_controller").failed == 4);
}

TEST_CASE("an object that goes on failing is reported once an hour", "[controller]") {
    using std::chrono::minutes;
    Bench bench;
    const test::CapturedLog log;
    const auto run_for = [&bench](Duration time, const Result<void>& answer) {
        for (const Instant end = bench.clock.instant() + time; bench.clock.instant() < end;) {
            for (bench.runner.step(); !bench.sink.rows.empty(); bench.runner.step()) {
                bench.sink.answer(answer);
            }
            bench.clock.advance(std::chrono::milliseconds(500));
        }
    };
    const auto failing = [&bench] {
        return bench.runner.work().at("workloadpriorityclass_controller").failing;
    };
    const Result<void> refusal = Error{ErrorCode::Invalid, "too long", {}};
    bench.runner.enqueue(kClass, Urgency::AtOnce);
    run_for(std::chrono::seconds(40), refusal);
    CHECK(bench.events.empty());
    CHECK(failing() == 0);

    run_for(minutes(4), refusal);
    REQUIRE(bench.events.size() == 1);
    const EventNote& event = bench.events.front();
    CHECK(event.type == EventType::Warning);
    CHECK(event.reason == "ReconcileFailing");
    CHECK(event.regarding.kind == "WorkloadPriorityClass");
    CHECK(event.regarding.name == "vip");
    CHECK(event.note.find("too long") != std::string::npos);
    CHECK(failing() == 1);
    run_for(minutes(50), refusal);
    CHECK(bench.events.size() == 1);
    run_for(minutes(20), refusal);
    CHECK(bench.events.size() == 2);
    CHECK(log.count("warning reconcile keeps failing object=vip") == 2);

    run_for(minutes(3), {});
    CHECK(failing() == 0);
    CHECK(bench.events.size() == 2);
}

TEST_CASE("a wide change holds up nothing else", "[controller]") {
    Bench bench;
    bench.add(
        bench.stores.of<api::ResourceFlavor>(), "{'metadata':{'name':'new','resourceVersion':'1'}}"
    );
    bench.runner.enqueue(kClass, Urgency::AtOnce);
    bench.runner.enqueue({kind_of<api::ResourceFlavor>(), "", "new"}, Urgency::AtOnce);
    bench.runner.step();
    CHECK(std::ranges::any_of(bench.sink.rows, [](const auto& row) {
        return row.first.at(0).object.kind == kind_of<api::ResourceFlavor>();
    }));
}

}  // namespace sluice::controller
