#include "controller/owned_fields.hpp"

#include "api/core/pod.hpp"
#include "api/kueue/workload.hpp"
#include "api/meta/micro_time.hpp"
#include "api/schema/crd.hpp"
#include "apiserver/fields/managed_fields.hpp"
#include "apiserver/schema/schema.hpp"
#include "apiserver/types/builtin_schemas.hpp"
#include "base/assert.hpp"

#include <memory>

namespace sluice::controller {

namespace {

using apiserver::Schema;

std::shared_ptr<const Schema> workload_schema() {
    const json::Value definition = api::make_crd(*kube::kind_of<api::Workload>().info());
    for (const json::Value& each : definition.find_path({"spec", "versions"})->as_array()) {
        if (each.string_at("name") == api::Workload::kVersion) {
            auto compiled =
                apiserver::compile_schema(*each.find_path({"schema", "openAPIV3Schema"}));
            SLUICE_ASSERT(compiled.has_value());
            return std::move(*compiled);
        }
    }
    SLUICE_ASSERT(false && "Workloads have a definition");
    return nullptr;
}

/// nullptr: the controller applies to none of the kind.
const Schema* find_schema(kube::Kind kind) {
    static const auto kWorkload = workload_schema();
    static const auto kPod = apiserver::builtin_schema("", "v1", "Pod");
    if (kind == kube::kind_of<api::Workload>()) {
        return kWorkload.get();
    }
    return kind == kube::kind_of<api::Pod>() ? kPod.get() : nullptr;
}

apiserver::WriteContext make_context(
    kube::Kind kind, std::string_view manager, std::string_view subresource, Time now
) {
    return {
        .manager = std::string(manager),
        .api_version = kind.api_version(),
        .subresource = std::string(subresource),
        .now = api::to_string(now),
        .reset = apiserver::reset_fields_of(
            kind.group(), kind.name(), subresource, kind == kube::kind_of<api::Workload>()
        ),
    };
}

}  // namespace

Result<json::Value> apply_to_status(
    kube::Kind kind,
    const json::Value& live,
    const json::Value& config,
    std::string_view manager,
    Time now
) {
    const Schema* schema = find_schema(kind);
    SLUICE_ASSERT(schema != nullptr);
    return apiserver::apply(
        &live, config, *schema, make_context(kind, manager, "status", now), true
    );
}

void note_update(
    kube::Kind kind,
    const json::Value* before,
    json::Value& after,
    std::string_view manager,
    std::string_view subresource,
    Time now
) {
    if (const Schema* schema = find_schema(kind)) {
        apiserver::update_managed_fields(
            before, after, *schema, make_context(kind, manager, subresource, now)
        );
    }
}

}  // namespace sluice::controller
