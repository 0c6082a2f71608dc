#include "apiserver/operations/definition_status.hpp"

#include "api/meta/micro_time.hpp"
#include "apiserver/admission/webhook_answer.hpp"
#include "apiserver/operations/write_operation.hpp"

#include <string_view>
#include <utility>

namespace sluice::apiserver {

namespace {

constexpr std::string_view kExtensionsGroup = "apiextensions.k8s.io";

json::Value condition(
    std::string_view type, std::string_view reason, std::string_view message, Time now
) {
    return json::Object{
        {"type", type},
        {"status", "True"},
        {"lastTransitionTime", api::to_string(now)},
        {"reason", reason},
        {"message", message}
    };
}

bool is_established(const json::Value& definition) {
    const json::Value* accepted = definition.find_path({"status", "acceptedNames"});
    const json::Value* names = definition.find_path({"spec", "names"});
    const json::Value* conditions = definition.find_path({"status", "conditions"});
    return accepted != nullptr && names != nullptr && *accepted == *names &&
           conditions != nullptr && conditions->is_array() && !conditions->as_array().empty();
}

}  // namespace

void establish_definition(State& state, const std::string& name, Time now) {
    const Snapshot definition =
        state.store.find({std::string(kExtensionsGroup), "customresourcedefinitions"}, {"", name});
    if (!definition || is_established(*definition)) {
        return;
    }
    json::Array conditions{
        condition("NamesAccepted", "NoConflicts", "no conflicts found", now),
        condition(
            "Established", "InitialNamesAccepted", "the initial names have been accepted", now
        )
    };
    const json::Value status = json::Object{
        {"acceptedNames", *definition->find_path({"spec", "names"})},
        {"conditions", std::move(conditions)}
    };
    Request request;
    request.method = "PATCH";
    request.content_type = "application/merge-patch+json";
    request.user_agent = "kube-apiserver";
    request.body = json::print(json::Object{{"status", status}});
    Route route{
        .type = state.types.find_stored(kExtensionsGroup, "customresourcedefinitions"),
        .ns = {},
        .name = name,
        .subresource = "status"
    };
    WriteOperation write(state, std::move(request), std::move(route), WriteVerb::Patch);
    while (const auto call = write.advance(now)) {
        // Webhooks are not called about writes of the server itself.
        write.take_answer(make_approval(call->review));
    }
}

}  // namespace sluice::apiserver
