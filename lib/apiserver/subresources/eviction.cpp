#include "apiserver/subresources/eviction.hpp"

#include "api/meta/micro_time.hpp"
#include "apiserver/admission/rule_matching.hpp"
#include "apiserver/objects/values.hpp"
#include "apiserver/operations/deletion.hpp"
#include "apiserver/types/body.hpp"
#include "apiserver/types/failures.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <string>
#include <utility>
#include <vector>

namespace sluice::apiserver {

namespace {

using json::Value;

/// Returns true if the pod has not started, has ended or is being deleted.
bool is_idle(const Value& pod) {
    const Value* status = pod.find("status");
    const auto phase = status == nullptr ? std::string_view() : status->string_at("phase");
    return phase == "Pending" || phase == "Succeeded" || phase == "Failed" ||
           pod.find_path({"metadata", "deletionTimestamp"}) != nullptr;
}

void note_disruption(State& state, const ObjectName& name, const Value& pod, Time now) {
    Value changed = pod;
    Value& status = object_at(changed, "status");
    json::Array conditions = items_of(status.find("conditions"));
    std::erase_if(conditions, [](const Value& each) {
        return each.string_at("type") == "DisruptionTarget";
    });
    conditions.emplace_back(json::Object{
        {"type", "DisruptionTarget"},
        {"status", "True"},
        {"lastProbeTime", nullptr},
        {"lastTransitionTime", api::to_string(now)},
        {"reason", "EvictionByEvictionAPI"},
        {"message", "Eviction API: evicting"}
    });
    status.set("conditions", std::move(conditions));
    state.store.put({"", "pods"}, name, std::move(changed));
}

}  // namespace

Response make_created() {
    return make_response(
        json::Object{
            {"kind", "Status"},
            {"apiVersion", "v1"},
            {"metadata", json::Object()},
            {"status", "Success"},
            {"code", 201}
        },
        201
    );
}

Response evict_pod(State& state, const Request& request, const Route& route, Time now) {
    const ObjectName name{route.ns, route.name};
    const Snapshot pod = state.store.find({"", "pods"}, name);
    if (!pod) {
        return make_response(not_found(*route.type, route.name));
    }
    auto body = read_body(request, "Eviction");
    if (!body) {
        return make_response(body.error());
    }
    const Value* options = body->object.find("deleteOptions");
    const bool is_dry =
        request.is_dry_run() || (options != nullptr && !items_of(options->find("dryRun")).empty());
    if (!is_idle(*pod) && !is_dry) {
        note_disruption(state, name, *pod, now);
    }
    Route whole = route;
    whole.subresource.clear();
    Request deletion = request;
    deletion.method = "DELETE";
    deletion.content_type = "application/json";
    deletion.body = options == nullptr ? std::string() : json::print(*options);
    if (is_dry) {
        deletion.query.emplace("dryRun", "All");
    }
    Response gone = delete_objects(state, deletion, whole, now);
    return gone.status >= 400 ? gone : make_created();
}

}  // namespace sluice::apiserver
