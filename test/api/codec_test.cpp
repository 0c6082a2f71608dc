#include "api/meta/codec.hpp"

#include "api/core/job.hpp"
#include "api/core/lease.hpp"
#include "api/kueue/cluster_queue.hpp"
#include "api/kueue/workload.hpp"

#include <catch2/catch_test_macros.hpp>

#include <cstdint>
#include <limits>
#include <string>
#include <vector>

using namespace sluice;

TEST_CASE("a ClusterQueue survives decoding and printing", "[api][codec]") {
    const std::string text =
        R"({"apiVersion":"kueue.x-k8s.io/v1beta2","kind":"ClusterQueue","metadata":{"name":"q",)"
        R"("creationTimestamp":"2026-01-02T03:04:05Z"},"spec":{"resourceGroups":[)"
        R"({"coveredResources":["cpu"],"flavors":[{"name":"f","resources":[{"name":"cpu",)"
        R"("nominalQuota":"10","borrowingLimit":"0"}]}]}],"cohortName":"c",)"
        R"("queueingStrategy":"StrictFIFO","namespaceSelector":{},"flavorFungibility":)"
        R"({"whenCanBorrow":"MayStopSearch","whenCanPreempt":"TryNextFlavor"},"preemption":)"
        R"({"reclaimWithinCohort":"Any","borrowWithinCohort":{"policy":"Never"},)"
        R"("withinClusterQueue":"Never"},"stopPolicy":"None"}})";
    const auto queue = api::decode<api::ClusterQueue>(text);
    REQUIRE(queue);
    CHECK(queue->spec.cohort_name == "c");
    CHECK(queue->spec.namespace_selector.has_value());
    const auto& quota = queue->spec.resource_groups.at(0).flavors.at(0).resources.at(0);
    CHECK(quota.nominal_quota.value() == 10);
    CHECK(quota.borrowing_limit.has_value());
    CHECK_FALSE(quota.lending_limit.has_value());
    CHECK(api::encode(*queue) == text);
    CHECK(api::from_value<api::ClusterQueue>(api::to_value(*queue)).value() == *queue);
}

TEST_CASE(
    "numbers are quantities, null is absence and unknown fields are skipped", "[api][codec]"
) {
    const auto pod = api::decode<api::Pod>(
        R"({"metadata":{"name":"p","managedFields":[{"a":[{}]}]},"spec":{"priority":null,)"
        R"("x":{"y":[1]},)"
        R"("containers":[{"name":"c","resources":{"requests":{"cpu":2,"memory":1.5}}}]}})"
    );
    REQUIRE(pod);
    CHECK_FALSE(pod->spec.priority.has_value());
    const auto& requests = pod->spec.containers.at(0).resources.requests;
    CHECK(requests.at("cpu").to_string() == "2");
    CHECK(requests.at("memory").to_string() == "1500m");
}

TEST_CASE("a pod template is carried whole beside the fields read", "[api][codec]") {
    const std::string text =
        R"({"metadata":{"labels":{"a":"b"}},"spec":{"containers":[{"name":"c","env":[{"name":"E",)"
        R"("value":"1"}]}],"hostNetwork":true}})";
    const std::string job =
        R"({"metadata":{"name":"j"},"spec":{"suspend":true,"template":)" + text + "}}";
    api::Interner interner;
    const auto first = api::decode<api::Job>(job, {.interner = &interner});
    const auto second = api::decode<api::Job>(job, {.interner = &interner});
    REQUIRE(first);
    REQUIRE(second);
    CHECK(first->spec.template_.raw.view() == text);
    CHECK(first->spec.template_.raw.view().data() == second->spec.template_.raw.view().data());
    CHECK(first->spec.template_.metadata.labels.at("a") == "b");
    CHECK(first->spec.template_.spec.containers.at(0).name == "c");
    CHECK(api::encode(*first).find(text) != std::string::npos);
    SECTION("the order of members does not make templates differ") {
        const auto other = api::decode<api::PodTemplateSpec>(
            R"({"spec":{"hostNetwork":true,"containers":[{"env":[{"value":"1","name":"E"}],)"
            R"("name":"c"}]},"metadata":{"labels":{"a":"b"}}})"
        );
        REQUIRE(other);
        CHECK(*other == first->spec.template_);
    }
}

TEST_CASE("Workloads with the same pod template share it", "[api][codec]") {
    const auto workload = [](const std::string& name, const std::string& cpu) {
        return R"({"metadata":{"name":")" + name +
               R"("},"spec":{"podSets":[{"name":"main","template":{"spec":{"containers":[{)" +
               R"("name":"c","env":[{"name":"E","value":"1"}],"resources":{"requests":{"cpu":)" +
               cpu + R"(}}}]}}}]}})";
    };
    api::Interner interner;
    const auto read = [&interner](const std::string& text) {
        return api::decode<api::Workload>(text, {.interner = &interner}).value();
    };
    const auto template_of = [](const api::Workload& of) { return of.spec.pod_sets[0].template_; };
    const auto first = template_of(read(workload("a", "1")));
    const auto second = template_of(read(workload("b", "1")));
    const auto other = template_of(read(workload("c", "2")));
    CHECK(first.pointer() == second.pointer());
    CHECK(first == second);
    CHECK_FALSE(first == other);
    CHECK(first->spec.containers.at(0).resources.requests.at("cpu").to_string() == "1");
    CHECK(other->spec.containers.at(0).resources.requests.at("cpu").to_string() == "2");
    const auto alone = api::decode<api::Workload>(workload("a", "1"));
    REQUIRE(alone);
    CHECK(template_of(*alone) == first);
    CHECK(api::encode(*alone) == api::encode(read(workload("a", "1"))));
    CHECK(api::encode(*alone).find(R"("env":[{"name":"E","value":"1"}])") != std::string::npos);
    for (const bool interned : {false, true}) {
        const auto bad = api::decode<api::Workload>(
            workload("a", "\"x\""), {.interner = interned ? &interner : nullptr}
        );
        REQUIRE_FALSE(bad);
        CHECK(bad.error().detail.starts_with(
            "spec.podSets[0].template.spec.containers[0].resources.requests[cpu]: "
        ));
    }
    const auto scalar = api::decode<api::Workload>(
        R"({"metadata":{"name":"w"},"spec":{"podSets":[{"template":7}]}})"
    );
    REQUIRE_FALSE(scalar);
    CHECK(scalar.error().detail == "spec.podSets[0].template: expected an object, got an integer");
    const auto absent = api::decode<api::Workload>(
        R"({"metadata":{"name":"w"},"spec":{"podSets":[{"template":null}]}})"
    );
    REQUIRE(absent);
    CHECK(template_of(*absent) == api::Shared<api::PodTemplateSpec>());
}

TEST_CASE("a pod template that was met lately is known without its text", "[api][codec]") {
    const auto workload = [](int number) {
        return json::parse(
                   R"({"spec":{"podSets":[{"template":{"spec":{"containers":[{"name":"c"}],)"
                   R"("priority":)" +
                   std::to_string(number) + "}}}]}}"
        )
            .value();
    };
    api::Interner interner;
    const auto read = [&interner](const json::Value& value) {
        return api::from_value<api::Workload>(value, {.limits = {}, .interner = &interner})
            .value()
            .spec.pod_sets[0]
            .template_;
    };
    std::vector<api::Shared<api::PodTemplateSpec>> first;
    for (int round = 0; round < 4; ++round) {
        for (int number = 0; number < 7; ++number) {
            const auto made = read(workload(number));
            CHECK(made->spec.priority == number);
            if (round == 0) {
                first.push_back(made);
            }
            CHECK(made.pointer() == first.at(static_cast<std::size_t>(number)).pointer());
        }
    }
}

TEST_CASE("a shared pod template goes when nothing holds it any more", "[api][codec]") {
    api::Interner interner;
    const auto read = [&interner](int number) {
        const std::string text =
            R"({"metadata":{"name":"w"},"spec":{"podSets":[{"template":{"spec":)"
            R"({"priority":)" +
            std::to_string(number) + "}}}]}}";
        const auto workload = api::decode<api::Workload>(text, {.interner = &interner});
        return workload.value().spec.pod_sets[0].template_;
    };
    const auto kept = read(-1);
    const std::weak_ptr<const api::PodTemplateSpec> dropped = read(-2).pointer();
    CHECK_FALSE(dropped.expired());
    for (int i = 0; i < 3000; ++i) {
        read(i);
    }
    CHECK(dropped.expired());
    CHECK(read(-1).pointer() == kept.pointer());
}

TEST_CASE("a wrong value is reported with its path", "[api][codec]") {
    const auto error_of = [](std::string_view text) {
        const auto workload = api::decode<api::Workload>(text);
        REQUIRE_FALSE(workload);
        return workload.error().detail;
    };
    CHECK(
        error_of(R"({"spec":{"podSets":[{},{"count":"x"}]}})") ==
        "spec.podSets[1].count: expected an integer, got a string"
    );
    CHECK(
        error_of(R"({"spec":{"podSets":[{"count":3000000000}]}})") ==
        "spec.podSets[0].count: 3000000000 does not fit into 32 bits"
    );
    CHECK(error_of(R"({"spec":[]})") == "spec: expected an object, got a list");
    CHECK(
        error_of(R"({"metadata":{"labels":{"a":1}}})") ==
        "metadata.labels[a]: expected a string, got an integer"
    );
    CHECK(
        error_of(R"({"metadata":{"creationTimestamp":"yesterday"}})") ==
        "metadata.creationTimestamp: 'yesterday' is not a time as in 2006-01-02T15:04:05Z"
    );
    CHECK(
        error_of(
            R"({"status":{"admission":{"podSetAssignments":[{"resourceUsage":{"cpu":"1x"}}]}}})"
        )
            .find("status.admission.podSetAssignments[0].resourceUsage[cpu]: '1x'") == 0
    );
    CHECK(error_of("[1]") == "expected an object, got a list");
    CHECK(error_of("{").find("malformed JSON") == 0);
}

TEST_CASE("a document deeper than the limit is refused", "[api][codec]") {
    std::string text = R"({"unknown":)";
    text += std::string(1000, '[') + std::string(1000, ']') + "}";
    CHECK_FALSE(api::decode<api::Workload>(text));
}

TEST_CASE("times are printed as Kubernetes prints them", "[api][time]") {
    const auto lease =
        api::decode<api::Lease>(R"({"spec":{"renewTime":"2026-01-02T05:04:05.678901234+02:00"}})");
    REQUIRE(lease);
    CHECK(
        api::to_value(*lease).find_path({"spec", "renewTime"})->as_string() ==
        "2026-01-02T03:04:05.678901Z"
    );
    CHECK(api::to_string(*api::parse_time("1969-12-31T23:59:59.5Z")) == "1969-12-31T23:59:59Z");
    const auto coarse =
        api::decode<api::Lease>(R"({"metadata":{"creationTimestamp":"2026-01-01T00:00:00.9Z"}})");
    REQUIRE(coarse);
    CHECK(api::from_value<api::Lease>(api::to_value(*coarse)).value() == *coarse);
    for (const auto* bad :
         {"2026-02-30T00:00:00Z",
          "2026-01-01",
          "2026-01-01T00:00:00",
          "2026-01-01T00:00:00.Z",
          "9999-02-29T00:00:00Z",
          "10000-01-01T00:00:00Z",
          "2026-01-01T24:00:00Z"}) {
        CAPTURE(bad);
        CHECK_FALSE(api::parse_time(bad));
    }
}

TEST_CASE("a time too far away counts as never or as long ago and stays that", "[api][time]") {
    const auto now = *api::parse_time("2026-01-01T00:00:00Z");
    for (const auto* never :
         {"9999-12-31T23:59:59Z",
          "9999-12-31T23:59:59.999-23:59",
          "5000-02-28T00:00:00Z",
          "2190-01-01T00:00:00Z",
          "2189-12-31T23:59:59-01:00"}) {
        CAPTURE(never);
        const auto time = api::parse_time(never);
        REQUIRE(time);
        CHECK(*time - now > std::chrono::years(160));
        CHECK(*time + std::chrono::seconds(std::numeric_limits<std::int32_t>::max()) > *time);
        CHECK(api::to_string(*time) == "9999-12-31T23:59:59Z");
        CHECK(api::to_string(api::MicroTime{*time}) == "9999-12-31T23:59:59.000000Z");
    }
    for (const auto* long_ago :
         {"0001-01-01T00:00:00Z", "0000-01-01T00:00:00+23:59", "1899-12-31T23:59:59.9Z"}) {
        CAPTURE(long_ago);
        const auto time = api::parse_time(long_ago);
        REQUIRE(time);
        CHECK(now - *time > std::chrono::years(120));
        CHECK(api::to_string(*time) == "0001-01-01T00:00:00Z");
    }
    CHECK(api::to_string(*api::parse_time("2189-12-31T23:59:59Z")) == "2189-12-31T23:59:59Z");
    CHECK(api::to_string(*api::parse_time("1900-01-01T00:00:01Z")) == "1900-01-01T00:00:01Z");
    const std::string text = R"({"status":{"requeueState":{"requeueAt":"9999-12-31T23:59:59Z"}}})";
    const auto workload = api::decode<api::Workload>(text);
    REQUIRE(workload);
    CHECK(
        api::to_value(*workload).find_path({"status", "requeueState", "requeueAt"})->as_string() ==
        "9999-12-31T23:59:59Z"
    );
}
