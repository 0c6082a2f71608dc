#include "controller/process/reconcile_runner.hpp"

#include "api/codec.hpp"
#include "controller/known_stores.hpp"
#include "support/manual_clock.hpp"

#include <catch2/catch_test_macros.hpp>
#include <catch2/generators/catch_generators.hpp>

#include <algorithm>
#include <cstdio>
#include <deque>
#include <memory>
#include <set>
#include <string>
#include <string_view>
#include <unistd.h>
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
    ReconcileRunner runner{
        {
            .registry = stores.registry,
            .view = {stores, translator, settings},
            .sink = sink,
            .clock = clock,
            .enabled = {kind_of<api::WorkloadPriorityClass>(), kind_of<api::ResourceFlavor>()},
            .on_event = [](const EventNote&) {},
            .weighted_share = [](const ObjectKey&) { return std::optional<std::int64_t>(); },
            .has_holders = [](const std::string&) { return false; },
            .consumed =
                [](const ObjectKey&) { return std::optional<api::AdmissionFairSharingStatus>(); },
            .wake = [] {},
        },
        1
    };
};

/// What is logged while it lives.
class CapturedLog {
  public:
    CapturedLog() { ::dup2(::fileno(file_), STDERR_FILENO); }
    CapturedLog(const CapturedLog&) = delete;
    CapturedLog& operator=(const CapturedLog&) = delete;
    ~CapturedLog() {
        ::dup2(before_, STDERR_FILENO);
        ::close(before_);
        std::fclose(file_);
    }

    /// How many lines have the text.
    int count(std::string_view text) const {
        std::rewind(file_);
        std::string line(4096, 0);
        int found = 0;
        while (std::fgets(line.data(), static_cast<int>(line.size()), file_) != nullptr) {
            found += std::string_view(line.c_str()).find(text) != std::string_view::npos ? 1 : 0;
        }
        return found;
    }

  private:
    std::FILE* file_ = std::tmpfile();
    int before_ = ::dup(STDERR_FILENO);
};

const ObjectKey kClass{kind_of<api::WorkloadPriorityClass>(), "", "vip"};

}  // namespace

TEST_CASE("a wide change is written no faster than the writer takes it", "[controller]") {
    Bench bench;
    bench.runner.enqueue(kClass, Urgency::AtOnce);
    std::set<std::string> written;
    while (!bench.runner.is_idle() || !bench.sink.rows.empty()) {
        bench.runner.step();
        REQUIRE(bench.sink.rows.size() <= 4);
        REQUIRE_FALSE(bench.sink.rows.empty());
        CHECK(bench.sink.rows.front().first.size() == 1);
        written.insert(bench.sink.answer().name);
    }
    CHECK(written.size() == 10);
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

TEST_CASE("a failure is logged once until it changes or ends", "[controller]") {
    Bench bench;
    const CapturedLog log;
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
    CHECK(log.count("warning write was not accepted object=vip") == 1);
    fail_with("too short");
    CHECK(log.count("too short") == 1);
    CHECK(bench.runner.work().at("workloadpriorityclass_controller").failed == 4);
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
