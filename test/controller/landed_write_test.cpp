#include "controller/process/writes/landed_write.hpp"

#include "api/core/job.hpp"
#include "api/kueue/workload.hpp"
#include "api/meta/micro_time.hpp"

#include <catch2/catch_test_macros.hpp>

#include <chrono>
#include <string>
#include <string_view>

namespace sluice::controller {
namespace {

using namespace std::chrono_literals;

json::Value parse(std::string_view text) {
    return *json::parse(text);
}

const Time kFirstAttempt = *api::parse_time("2026-11-23T10:00:00Z");

bool has_landed_on(const Write& write, std::string_view object) {
    return has_landed(write, parse(object), kFirstAttempt);
}

}  // namespace

TEST_CASE("a creation has landed when the object is what was to be created", "[controller]") {
    const Write create{
        .verb = Verb::Create,
        .object = {kind_of<api::Workload>(), "team", "a"},
        .body = parse(R"({"kind":"Workload","metadata":{"name":"a","labels":{"x":"1"}},
            "spec":{"queueName":"main","podSets":[{"name":"main","count":2}],"active":null}})")
    };
    const auto made = [](std::string_view created, std::string_view labels, int count) {
        return R"({"kind":"Workload","metadata":{"name":"a","uid":"u","resourceVersion":"7",
            "creationTimestamp":")" +
               std::string(created) + R"(","labels":)" + std::string(labels) +
               R"(},"spec":{"queueName":"main","priority":0,"podSets":[
            {"name":"main","minCount":1,"count":)" +
               std::to_string(count) + R"(}]},"status":{"conditions":[]}})";
    };
    CHECK(has_landed_on(create, made("2026-11-23T10:00:00Z", R"({"x":"1","y":"2"})", 2)));
    CHECK(has_landed_on(create, made("2026-11-23T09:59:55Z", R"({"x":"1"})", 2)));
    CHECK_FALSE(has_landed_on(create, made("2026-11-23T09:59:00Z", R"({"x":"1"})", 2)));
    CHECK_FALSE(has_landed_on(create, made("", R"({"x":"1"})", 2)));
    CHECK_FALSE(has_landed_on(create, made("2026-11-23T10:00:00Z", R"({"x":"2"})", 2)));
    CHECK_FALSE(has_landed_on(create, made("2026-11-23T10:00:00Z", "{}", 2)));
    CHECK_FALSE(has_landed_on(create, made("2026-11-23T10:00:00Z", R"({"x":"1"})", 3)));
}

TEST_CASE("a patch has landed when it would change nothing", "[controller]") {
    Write patch{
        .object = {kind_of<api::Job>(), "team", "a"},
        .body = parse(R"({"metadata":{"resourceVersion":"3","annotations":{"old":null}},
            "spec":{"suspend":false},"status":{"startTime":null}})")
    };
    constexpr std::string_view kSuspended =
        R"({"metadata":{"resourceVersion":"4"},"spec":{"suspend":true},"status":{}})";
    constexpr std::string_view kStarted =
        R"({"metadata":{},"spec":{"suspend":false},"status":{"startTime":"t"}})";
    constexpr std::string_view kAnnotated =
        R"({"metadata":{"annotations":{"old":"x"}},"spec":{"suspend":false},"status":{}})";
    SECTION("of the object, whatever its status") {
        CHECK(has_landed_on(patch, kStarted));
        CHECK_FALSE(has_landed_on(patch, kSuspended));
        CHECK_FALSE(has_landed_on(patch, kAnnotated));
    }
    SECTION("of the status, whatever its spec") {
        patch.verb = Verb::MergePatchStatus;
        CHECK(has_landed_on(patch, kSuspended));
        CHECK_FALSE(has_landed_on(patch, kStarted));
    }
}

TEST_CASE("an applied status has landed when its manager owns just that", "[controller]") {
    const auto apply = [](std::string_view status) {
        return Write{
            .verb = Verb::ApplyStatus,
            .object = {kind_of<api::Workload>(), "team", "a"},
            .body =
                json::Object{
                    {"metadata", json::Object{{"uid", "u"}, {"resourceVersion", "3"}}},
                    {"status", parse(status)}
                },
            .field_manager = "mine",
        };
    };
    constexpr std::string_view kObject = R"({"metadata":{"uid":"u","resourceVersion":"4",
        "managedFields":[
        {"manager":"other","operation":"Apply","subresource":"status",
         "fieldsV1":{"f:status":{"f:theirs":{}}}},
        {"manager":"mine","operation":"Apply","subresource":"status","fieldsV1":{"f:status":{
            "f:requeueState":{".":{},"f:count":{}},
            "f:conditions":{"k:{\"type\":\"Evicted\"}":{".":{},"f:type":{},"f:reason":{}}}}}}]},
        "status":{"theirs":1,"requeueState":{"count":2,"requeueAt":"t"},"conditions":[
            {"type":"PodsReady","status":"True"},
            {"type":"Evicted","status":"True","reason":"Preempted"}]}})";
    constexpr std::string_view kAll = R"({"requeueState":{"count":2},
        "conditions":[{"type":"Evicted","reason":"Preempted"}]})";
    CHECK(has_landed_on(apply(kAll), kObject));
    // Another value, another condition, and what is no longer applied but still there.
    CHECK_FALSE(has_landed_on(
        apply(
            R"({"requeueState":{"count":3},"conditions":[{"type":"Evicted","reason":"Preempted"}]})"
        ),
        kObject
    ));
    CHECK_FALSE(has_landed_on(
        apply(R"({"requeueState":{"count":2},"conditions":[{"type":"Evicted","reason":"Stopped"}]})"
        ),
        kObject
    ));
    CHECK_FALSE(
        has_landed_on(apply(R"({"conditions":[{"type":"Evicted","reason":"Preempted"}]})"), kObject)
    );
    CHECK_FALSE(has_landed_on(apply(R"({"requeueState":{"count":2}})"), kObject));
    CHECK_FALSE(has_landed_on(
        apply(R"({"requeueState":{"count":2},"conditions":[{"type":"PodsReady"}]})"), kObject
    ));
    Write to_another = apply(kAll);
    to_another.body.find("metadata")->set("uid", "v");
    CHECK_FALSE(has_landed_on(to_another, kObject));
}

TEST_CASE("a deletion has landed when the object is going or is another one", "[controller]") {
    const Write deletion{
        .verb = Verb::Delete, .object = {kind_of<api::Workload>(), "team", "a"}, .uid = "u"
    };
    CHECK_FALSE(has_landed_on(deletion, R"({"metadata":{"uid":"u"}})"));
    CHECK(has_landed_on(deletion, R"({"metadata":{"uid":"u","deletionTimestamp":"t"}})"));
    CHECK(has_landed_on(deletion, R"({"metadata":{"uid":"v"}})"));
}

}  // namespace sluice::controller
