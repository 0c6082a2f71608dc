#include "controller/process/writes/api_writer.hpp"

#include "api/meta/codec.hpp"
#include "controller/known_stores.hpp"
#include "controller/reconcile/strict_patch.hpp"
#include "controller/reconcile/workload_status.hpp"
#include "kube/core/status_error.hpp"
#include "kube/runtime/lease_term.hpp"
#include "net/loop/event_loop.hpp"
#include "net/loop/task_group.hpp"
#include "support/embedded_server.hpp"
#include "support/manual_clock.hpp"
#include "support/objects.hpp"
#include "support/run_async.hpp"

#include <catch2/catch_test_macros.hpp>
#include <catch2/generators/catch_generators.hpp>

#include <algorithm>
#include <chrono>
#include <functional>
#include <memory>
#include <optional>
#include <string>
#include <vector>

namespace sluice::controller {
namespace {

using namespace std::chrono_literals;

const ObjectKey kKey{kind_of<api::Workload>(), "team", "sample"};

api::Workload make_workload() {
    return test::object<api::Workload>(R"(
metadata: {namespace: team, name: sample}
spec:
  podSets:
  - name: main
    count: 1
    template: {spec: {restartPolicy: Never, containers: [{name: c, image: i}]}}
)");
}

/// A writer on a server in memory; the store hears only of what the test tells it.
struct Writing {
    Writing() {
        client.serve(kind_of<api::Workload>());
        client.add_namespace("team");
    }

    test::ManualClock clock;
    net::EventLoop loop;
    test::EmbeddedServer client{loop.executor(), clock};
    KnownStores stores;
    net::TaskGroup tasks{loop.executor(), "test"};
    std::vector<ObjectKey> ended;
    const kube::LeaseTerm* term = nullptr;
    int events = 0;
    int observations = 0;
    ApiWriter writer{
        {
            .client = client,
            .stores = stores,
            .clock = clock,
            .tasks = tasks,
            .on_event = [this](const EventNote&) { ++events; },
            .on_observation = [this](const Observation&) { ++observations; },
            .on_ended = [this](const ObjectKey& key, bool) { ended.push_back(key); },
            .before_send =
                [this] {
                    const bool may = !term || term->is_running(clock.instant());
                    return may ? Result<void>()
                               : Result<void>(Error{ErrorCode::NotLeader, "run out", {}});
                },
            .backoff = {.first = 1ms, .max = 1ms, .jitter_percent = 0},
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
            stores.of<api::Workload>().upsert(std::make_shared<const api::Workload>(*object));
        } else {
            stores.of<api::Workload>().remove({"team", "sample"});
        }
    }
    void add() {
        client.add(make_workload());
        show();
    }
    void submit(Write write) {
        std::vector<Write> row;
        row.push_back(std::move(write));
        writer.submit(std::move(row), Attempts::AFew, [](const Result<void>& result) {
            CHECK(result);
        });
        run();
    }
    /// Writes what tells one event and counts once in a metric.
    Result<void> submit_told(Write write) {
        write.events.push_back({.reason = "Told"});
        write.observations.push_back({.cluster_queue = "cq"});
        std::vector<Write> row;
        row.push_back(std::move(write));
        std::optional<Result<void>> outcome;
        writer.submit(std::move(row), Attempts::AFew, [&outcome](const Result<void>& r) {
            outcome = r;
        });
        run();
        return *outcome;
    }
    void set_queue(const std::string& name) {
        submit({.object = kKey, .body = json::Object{{"spec", json::Object{{"queueName", name}}}}});
    }
    /// Writes until certain what admits the object of the store; `meanwhile` is called in each
    /// turn.
    Result<void> submit_admission(const std::function<void()>& meanwhile = {}) {
        api::Workload workload = *stores.of<api::Workload>().find("team", "sample");
        api::Admission& admission = workload.status.admission.emplace();
        admission.cluster_queue = "cq";
        admission.pod_set_assignments.emplace_back().name = "main";
        workload::set_condition(
            workload,
            "QuotaReserved",
            workload::ConditionStatus::True,
            "QuotaReserved",
            "",
            clock.now()
        );
        return submit_certain(workload, meanwhile);
    }
    Result<void> submit_eviction() {
        api::Workload workload = *stores.of<api::Workload>().find("team", "sample");
        workload::set_condition(
            workload, "Evicted", workload::ConditionStatus::True, "Preempted", "", clock.now()
        );
        return submit_certain(workload, {});
    }
    Result<void> submit_certain(
        const api::Workload& workload, const std::function<void()>& meanwhile
    ) {
        Write write = status_write(workload);
        write.body = status_apply(workload, Precondition::Uid);
        std::vector<Write> row;
        row.push_back(std::move(write));
        std::optional<Result<void>> outcome;
        writer.submit(std::move(row), Attempts::UntilCertain, [&outcome](const Result<void>& r) {
            outcome = r;
        });
        while (!outcome) {
            (void)test::run_async(loop, net::pause_for(std::chrono::microseconds(100)));
            if (meanwhile && !outcome) {
                meanwhile();
            }
        }
        run();
        return *outcome;
    }
    std::ptrdiff_t gets() const {
        return std::ranges::count(client.calls(), test::Verb::Get, &test::Call::verb);
    }
    std::ptrdiff_t applies() const {
        return std::ranges::count(client.calls(), test::Verb::Apply, &test::Call::verb);
    }
};

}  // namespace

TEST_CASE("a write counts as seen when the store has it, and never before", "[controller]") {
    Writing w;
    w.add();
    CHECK(w.writer.is_settled(kKey));
    w.set_queue("main");
    CHECK_FALSE(w.writer.is_settled(kKey));
    CHECK(w.writer.ask_for_late() == w.clock.instant() + 30s);
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

TEST_CASE("a row that waits for its next attempt takes no room", "[controller]") {
    Writing w;
    w.add();
    w.client.fail_next(test::Verb::Apply, "workloads", {ErrorCode::Internal, "webhook", {}}, 3);
    bool had_room = false;
    w.client.on_call([&](const test::Call&) { CHECK_FALSE(w.writer.has_room()); });
    const auto outcome = w.submit_admission([&] { had_room = had_room || w.writer.has_room(); });
    CHECK(outcome);
    CHECK(had_room);
    CHECK(w.writer.has_room());
    CHECK(w.applies() == 4);
}

TEST_CASE("an admission that the server goes on refusing is given up", "[controller]") {
    Writing w;
    w.add();
    const Error error{ErrorCode::Internal, "failed calling webhook", {}};
    SECTION("when it is not there") {
        w.client.fail_next(test::Verb::Apply, "workloads", error, 100);
        const auto outcome = w.submit_admission();
        REQUIRE_FALSE(outcome);
        CHECK(outcome.error().code == ErrorCode::Internal);
        CHECK(w.applies() == 5);
        CHECK(w.gets() == 1);
        CHECK(w.writer.is_settled(kKey));
    }
    SECTION("but not when it is there all the same") {
        w.client.fail_next(test::Verb::Apply, "workloads", error, 100, true);
        CHECK(w.submit_admission());
        CHECK(w.applies() == 5);
        CHECK_FALSE(w.writer.is_settled(kKey));
        w.show();
        CHECK(w.writer.is_settled(kKey));
    }
    SECTION("nor when it was evicted already") {
        w.client.on_call([&w](const test::Call&) {
            auto object = *w.client.find<api::Workload>("team", "sample");
            if (object.status.admission) {
                workload::set_condition(
                    object, "Evicted", workload::ConditionStatus::True, "Deactivated", "", Time()
                );
                w.client.add(object);
            }
        });
        w.client.fail_next(test::Verb::Apply, "workloads", error, 100, true);
        CHECK(w.submit_admission());
    }
    SECTION("later, when nothing is answered, as one may be on its way") {
        const Error none{ErrorCode::Timeout, "not finished in time", {}};
        w.client.fail_next(test::Verb::Apply, "workloads", none, 100);
        CHECK_FALSE(w.submit_admission());
        CHECK(w.applies() == 10);
    }
    SECTION("likewise when the server itself ran out of time") {
        const auto late = GENERATE(
            Error{ErrorCode::Timeout, "Timeout: request did not complete", "{\"code\":504}"},
            kube::make_status_error(
                500, R"({"kind":"Status","message":"etcdserver: request timed out"})", ""
            )
        );
        w.client.fail_next(test::Verb::Apply, "workloads", late, 100);
        CHECK_FALSE(w.submit_admission());
        CHECK(w.applies() == 10);
    }
    SECTION("and not before the server says whether it is there") {
        w.client.fail_next(test::Verb::Apply, "workloads", error, 7);
        w.client.fail_next(test::Verb::Get, "workloads", error, 100);
        CHECK(w.submit_admission());
        CHECK(w.applies() == 8);
    }
    SECTION("a refusal for something else after it landed says nothing of it") {
        const Error none{ErrorCode::Timeout, "not finished in time", {}};
        const Error forbidden{ErrorCode::Forbidden, "the authorizer is down", {}};
        w.client.fail_next(test::Verb::Apply, "workloads", none, 1, true);
        w.client.fail_next(test::Verb::Apply, "workloads", forbidden, 100);  // from then on
        CHECK(w.submit_admission());
        CHECK(w.applies() == 2);
    }
    SECTION("and one before anything was sent is a refusal") {
        const Error forbidden{ErrorCode::Forbidden, "not allowed", {}};
        w.client.fail_next(test::Verb::Apply, "workloads", forbidden, 100);
        const auto outcome = w.submit_admission();
        REQUIRE_FALSE(outcome);
        CHECK(outcome.error().code == ErrorCode::Forbidden);
        CHECK(w.applies() == 1);
    }
    SECTION("when the object is another one by now") {
        w.client.fail_next(test::Verb::Apply, "workloads", error, 100);
        w.client.erase<api::Workload>("team", "sample");
        w.client.add(make_workload());
        const auto outcome = w.submit_admission();
        REQUIRE_FALSE(outcome);
        CHECK(outcome.error().code == ErrorCode::NotFound);
    }
}

TEST_CASE("an eviction in doubt is done when the object is evicted for that", "[controller]") {
    Writing w;
    w.add();
    REQUIRE(w.submit_admission());
    w.show();
    const Error error{ErrorCode::Internal, "etcdserver: request timed out", {}};
    bool is_done = false;
    SECTION("done") {
        w.client.fail_next(test::Verb::Apply, "workloads", error, 100, true);
        is_done = true;
    }
    SECTION("not done") {
        w.client.fail_next(test::Verb::Apply, "workloads", error, 100);
    }
    CHECK(w.submit_eviction().has_value() == is_done);
}

namespace {

struct DoubtfulWrite {
    test::Verb verb;
    Write write;
};

/// One write of each verb to the object of the store, strict as the reconcilers write them.
DoubtfulWrite make_doubtful(const Writing& w, Verb verb) {
    const auto workload = w.stores.of<api::Workload>().find("team", "sample");
    switch (verb) {
        case Verb::Create: {
            auto other = make_workload();
            other.metadata.name = "new";
            other.metadata.labels["kueue.x-k8s.io/job-uid"] = "j";
            ObjectKey key{kind_of<api::Workload>(), "team", "new"};
            return {
                test::Verb::Create,
                {.verb = verb, .object = std::move(key), .body = api::to_value(other)}
            };
        }
        case Verb::MergePatch: {
            json::Value spec = json::Object{{"active", false}};
            json::Value patch = json::Object{{"spec", std::move(spec)}};
            return {test::Verb::MergePatch, strict_patch(kKey, workload->metadata, patch)};
        }
        case Verb::MergePatchStatus: {
            json::Value status = json::Object{{"clusterName", "there"}};
            json::Value patch = json::Object{{"status", std::move(status)}};
            return {test::Verb::MergePatch, strict_patch(kKey, workload->metadata, patch, verb)};
        }
        case Verb::ApplyStatus: {
            auto changed = *workload;
            workload::set_condition(
                changed, "Evicted", workload::ConditionStatus::True, "Preempted", "", w.clock.now()
            );
            return {test::Verb::Apply, status_write(changed)};
        }
        case Verb::Delete:
            break;
    }
    return {test::Verb::Delete, {.verb = verb, .object = kKey, .uid = workload->metadata.uid}};
}

}  // namespace

TEST_CASE("a write whose answer was lost is told when it is repeated in vain", "[controller]") {
    Writing w;
    w.add();
    const Verb verb = GENERATE(
        Verb::Create, Verb::MergePatch, Verb::MergePatchStatus, Verb::ApplyStatus, Verb::Delete
    );
    const Error lost = GENERATE(
        Error{ErrorCode::Timeout, "not finished in time", {}},
        Error{ErrorCode::Unavailable, "connection reset", {}},
        Error{ErrorCode::Internal, "the proxy broke", {}}
    );
    const auto doubtful = make_doubtful(w, verb);
    CAPTURE(doubtful.verb, lost.detail);
    SECTION("once") {
        w.client.fail_next(doubtful.verb, "workloads", lost, 1, true);
        CHECK(w.submit_told(doubtful.write));
        CHECK(w.events == 1);
        CHECK(w.observations == 1);
        CHECK_FALSE(w.writer.is_settled(doubtful.write.object));
    }
    SECTION("also when no attempt is answered at all") {
        w.client.fail_next(doubtful.verb, "workloads", lost, 100, true);
        CHECK(w.submit_told(doubtful.write));
        CHECK(w.events == 1);
        CHECK(w.observations == 1);
    }
    SECTION("but not when nothing was done and another changed the object") {
        w.client.fail_next(doubtful.verb, "workloads", lost, 1);
        auto other = make_workload();
        other.metadata.name = doubtful.write.object.name;
        other.metadata.labels["by"] = "another";
        w.client.add(other);
        if (verb == Verb::Delete) {
            CHECK(w.submit_told(doubtful.write)
            );  // its uid stayed, it is deleted by the repetition
            return;
        }
        const auto outcome = w.submit_told(doubtful.write);
        REQUIRE_FALSE(outcome);
        CHECK(
            outcome.error().code ==
            (verb == Verb::Create ? ErrorCode::AlreadyExists : ErrorCode::Conflict)
        );
        CHECK(w.events == 0);
        CHECK(w.observations == 0);
    }
    SECTION("nor when the server turned the first attempt away") {
        const Error refused{ErrorCode::TooManyRequests, "too many requests", {}};
        w.client.fail_next(doubtful.verb, "workloads", refused, 1);
        CHECK(w.submit_told(doubtful.write));
        CHECK(w.gets() == 0);
    }
}

TEST_CASE("an object of the name that was there before is not taken for ours", "[controller]") {
    Writing w;
    w.add();
    const auto doubtful = make_doubtful(w, Verb::Create);
    w.client.add(*api::from_value<api::Workload>(doubtful.write.body));
    w.clock.advance(1min);
    w.client.fail_next(
        test::Verb::Create, "workloads", {ErrorCode::Timeout, "not finished in time", {}}
    );
    const auto outcome = w.submit_told(doubtful.write);
    REQUIRE_FALSE(outcome);
    CHECK(outcome.error().code == ErrorCode::AlreadyExists);
    CHECK(w.events == 0);
}

TEST_CASE("a deletion in doubt whose object was replaced is done", "[controller]") {
    Writing w;
    w.add();
    const auto doubtful = make_doubtful(w, Verb::Delete);
    w.client.erase<api::Workload>("team", "sample");
    w.client.add(make_workload());
    SECTION("when an attempt may have deleted it") {
        w.client.fail_next(
            test::Verb::Delete, "workloads", {ErrorCode::Timeout, "not finished in time", {}}
        );
        CHECK(w.submit_told(doubtful.write));
        CHECK(w.events == 1);
    }
    SECTION("but refused when none can have") {
        CHECK_FALSE(w.submit_told(doubtful.write));
        CHECK(w.events == 0);
    }
    CHECK(w.client.find<api::Workload>("team", "sample"));
}

TEST_CASE("what the server has no more is waited for while the store shows it", "[controller]") {
    Writing w;
    w.add();
    w.set_queue("main");
    w.client.erase<api::Workload>("team", "sample");
    w.clock.advance(30s);
    (void)w.writer.ask_for_late();
    w.run();
    CHECK_FALSE(w.writer.is_settled(kKey));
    w.show();
    CHECK(w.writer.is_settled(kKey));
}

TEST_CASE("an end that the server took back is not waited for without end", "[controller]") {
    Writing w;
    w.add();
    w.show();
    const auto before = *w.client.find<api::Workload>("team", "sample");
    w.submit({.verb = Verb::Delete, .object = kKey, .uid = before.metadata.uid});
    CHECK_FALSE(w.writer.is_settled(kKey));
    w.client.store_as_is(kube::path_of<api::Workload>("team"), api::to_value(before));
    w.clock.advance(30s);
    (void)w.writer.ask_for_late();
    w.run();
    CHECK(w.gets() == 1);
    CHECK(w.writer.is_settled(kKey));
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
        w.run();
        REQUIRE(w.gets() > before);
        CHECK(w.gets() - before <= 16);
        before = w.gets();
    }
    w.run();
    CHECK(w.gets() == 100);
}

TEST_CASE("an older version is the newest when the server's history was put back", "[controller]") {
    Writing w;
    w.add();
    AwaitedEchoes echoes(w.stores, w.clock);
    const auto stored = version_number(
        w.stores.of<api::Workload>().find("team", "sample")->metadata.resource_version
    );
    const std::string uid = w.stores.of<api::Workload>().find("team", "sample")->metadata.uid;
    echoes.expect(kKey, {.uid = uid, .version = stored + 10});
    w.clock.advance(30s);
    const auto question = echoes.take_overdue();
    REQUIRE(question);
    CHECK_FALSE(echoes.take_overdue());
    SECTION("unless something was written since") {
        echoes.expect(kKey, {.uid = uid, .version = stored + 11});
        echoes.confirm(*question, {.uid = {}, .version = stored});
        CHECK_FALSE(echoes.is_settled(kKey));
    }
    SECTION("so it is not waited for the lost one") {
        echoes.confirm(*question, {.uid = {}, .version = stored});
        CHECK(echoes.is_settled(kKey));
        CHECK(echoes.next_overdue() == std::nullopt);
    }
}

TEST_CASE("a writer whose lease has run out sends nothing", "[controller][lease]") {
    Writing w;
    w.add();
    kube::LeaseTerm term;
    w.term = &term;
    term.extend_to(w.clock.instant() + 10s);
    w.set_queue("main");
    REQUIRE(w.client.calls().size() == 1);
    w.show();
    SECTION("not even a first attempt") {
        w.clock.advance(10s);
        const auto outcome = w.submit_admission();
        REQUIRE_FALSE(outcome);
        CHECK(outcome.error().code == ErrorCode::NotLeader);
        CHECK(w.applies() == 0);
    }
    SECTION("nor another attempt when it runs out meanwhile") {
        w.client.fail_next(
            test::Verb::Apply, "workloads", Error{ErrorCode::Unavailable, "reset", {}}
        );
        const auto outcome = w.submit_admission([&w] { w.clock.advance(10s); });
        REQUIRE_FALSE(outcome);
        CHECK(outcome.error().code == ErrorCode::NotLeader);
        CHECK(w.applies() == 1);
    }
    SECTION("whatever becomes of the wall clock") {
        w.clock.step_wall(-1h);
        w.clock.advance(10s);
        CHECK_FALSE(w.submit_admission());
        CHECK(w.applies() == 0);
    }
    SECTION("and goes on when it was renewed") {
        w.clock.advance(10s);
        term.extend_to(w.clock.instant() + 10s);
        CHECK(w.submit_admission());
        CHECK(w.applies() == 1);
    }
}

}  // namespace sluice::controller
