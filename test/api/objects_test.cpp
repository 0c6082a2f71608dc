#include "api/core/admission_review.hpp"
#include "api/core/core.hpp"
#include "api/core/event.hpp"
#include "api/kueue/conditions.hpp"
#include "api/kueue/visibility.hpp"
#include "api/kueue/workload.hpp"
#include "api/meta/dynamic_object.hpp"
#include "api/schema/scheme.hpp"

#include <catch2/catch_test_macros.hpp>

#include <set>
#include <string>

using namespace sluice;

TEST_CASE("a condition keeps its transition time while its status stays", "[api][conditions]") {
    const auto at = [](const char* text) { return *api::parse_time(text); };
    std::vector<api::Condition> conditions;
    const api::Condition first{
        .type_ = "Active",
        .status = "True",
        .observed_generation = 1,
        .last_transition_time = at("2026-01-01T00:00:00Z"),
        .reason = "Ready",
        .message = "m"
    };
    CHECK(api::set_condition(conditions, first));
    auto next = first;
    next.last_transition_time = at("2026-01-02T00:00:00Z");
    CHECK_FALSE(api::set_condition(conditions, next));
    next.message = "n";
    CHECK(api::set_condition(conditions, next));
    CHECK(conditions.at(0).last_transition_time == first.last_transition_time);
    next.status = "False";
    CHECK(api::set_condition(conditions, next));
    CHECK(conditions.at(0).last_transition_time == next.last_transition_time);
    CHECK_FALSE(api::is_true(conditions, "Active"));
}

TEST_CASE("every kind has a type of its name and a plural of its own", "[api][scheme]") {
    std::set<std::string> seen;
    for (const auto& kind : api::all_kinds()) {
        CAPTURE(kind.kind);
        CHECK(kind.type().kind == kind.kind);
        CHECK(kind.type().api_version == api::api_version(kind));
        CHECK(seen.insert(api::api_version(kind) + "/" + std::string(kind.plural)).second);
    }
}

TEST_CASE("an object of an unknown kind is reached through its tree", "[api][dynamic]") {
    const auto object = api::decode<api::DynamicObject>(
        R"({"apiVersion":"example.io/v1","kind":"Thing","metadata":{"name":"n","namespace":"s",)"
        R"("managedFields":[{}],"ownerReferences":[{"name":"o","controller":true}]},)"
        R"("spec":{"runPolicy":{"suspend":true}}})"
    );
    REQUIRE(object);
    CHECK(object->value.string_at("kind") == "Thing");
    CHECK(object->metadata.name == "n");
    CHECK(object->metadata.namespace_ == "s");
    CHECK(object->metadata.controller_owner()->name == "o");
    CHECK(object->value.find_path({"spec", "runPolicy", "suspend"})->as_bool());
    CHECK(object->value.find_path({"metadata", "managedFields"}) == nullptr);
    for (const auto* bad : {R"({"metadata":{"labels":1}})", "[]", "{"}) {
        CHECK_FALSE(api::decode<api::DynamicObject>(bad));
    }
}

TEST_CASE("reviews and events are decoded like any type", "[api][codec]") {
    const auto review = api::decode<api::AdmissionReview>(
        R"({"request":{"uid":"u","operation":"CREATE","object":{"a":[1,"x\n",null,true,1.5]},)"
        R"("oldObject":null,"kind":{"kind":"Job"}}})"
    );
    REQUIRE(review);
    CHECK(review->request->object.view() == R"({"a":[1,"x\n",null,true,1.5]})");
    CHECK(review->request->old_object.empty());
    api::AdmissionReview reply;
    reply.response = api::AdmissionResponse{
        .uid = "u", .allowed = true, .status = {}, .patch = {}, .patch_type = {}, .warnings = {}
    };
    CHECK(
        api::encode(reply) == R"({"apiVersion":"admission.k8s.io/v1","kind":"AdmissionReview",)"
                              R"("response":{"uid":"u","allowed":true}})"
    );
}

TEST_CASE("an empty status is left out and required fields are printed", "[api][codec]") {
    api::Workload workload;
    workload.metadata.name = "w";
    CHECK(
        api::encode(workload) == R"({"apiVersion":"kueue.x-k8s.io/v1beta2","kind":"Workload",)"
                                 R"("metadata":{"name":"w"},"spec":{}})"
    );
    workload.status.conditions.push_back({});
    CHECK(api::to_value(workload).find("status") != nullptr);
    const auto printed = api::encode(workload.status);
    CHECK(printed == R"({"conditions":[{"type":"","status":"","reason":"","message":""}]})");
}

TEST_CASE("a summary of what waits prints its positions from 0 and is read back", "[api][codec]") {
    api::PendingWorkloadsSummary summary;
    CHECK(
        api::encode(summary) == R"({"apiVersion":"visibility.kueue.x-k8s.io/v1beta2",)"
                                R"("kind":"PendingWorkloadsSummary","items":[]})"
    );
    api::PendingWorkload first;
    first.metadata.name = "job-a";
    first.metadata.namespace_ = "team";
    first.metadata.creation_timestamp = *api::parse_time("2026-01-01T00:00:00Z");
    first.metadata.owner_references.push_back(
        {.api_version = "batch/v1",
         .kind = "Job",
         .name = "a",
         .uid = "u",
         .controller = {},
         .block_owner_deletion = {}}
    );
    first.local_queue_name = "queue";
    api::PendingWorkload second;
    second.priority = -5;
    second.position_in_cluster_queue = 1;
    summary.items = {first, second};
    const auto text = api::encode(summary);
    CHECK(
        text == R"({"apiVersion":"visibility.kueue.x-k8s.io/v1beta2",)"
                R"("kind":"PendingWorkloadsSummary","items":[{"metadata":{"name":"job-a",)"
                R"("namespace":"team","creationTimestamp":"2026-01-01T00:00:00Z",)"
                R"("ownerReferences":[{"apiVersion":"batch/v1","kind":"Job","name":"a",)"
                R"("uid":"u"}]},"priority":0,"localQueueName":"queue",)"
                R"("positionInClusterQueue":0,"positionInLocalQueue":0},{"priority":-5,)"
                R"("localQueueName":"","positionInClusterQueue":1,"positionInLocalQueue":0}]})"
    );
    CHECK(*api::decode<api::PendingWorkloadsSummary>(text) == summary);

    const auto refused = api::decode<api::PendingWorkloadsSummary>(
        R"({"items":[{"positionInClusterQueue":"first"}]})"
    );
    REQUIRE_FALSE(refused);
    CHECK(refused.error().detail.find("items[0].positionInClusterQueue") != std::string::npos);
}
