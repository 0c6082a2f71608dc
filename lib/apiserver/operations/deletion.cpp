#include "apiserver/operations/deletion.hpp"

#include "apiserver/operations/garbage_collection.hpp"
#include "apiserver/operations/list_options.hpp"
#include "apiserver/operations/reading.hpp"
#include "apiserver/state/deletion_mark.hpp"
#include "apiserver/state/deletion_options.hpp"
#include "apiserver/types/failures.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <optional>
#include <string>
#include <string_view>
#include <utility>

namespace sluice::apiserver {

namespace {

/// Returns true if the deletion is answered with the object itself, not with a Status.
bool returns_object(const ResourceType& type) {
    constexpr std::string_view kKinds[] = {
        "PersistentVolume",
        "PersistentVolumeClaim",
        "Pod",
        "PodTemplate",
        "ReplicationController",
        "ResourceQuota",
        "Service",
        "ServiceAccount"
    };
    if (type.is_custom) {
        return false;
    }
    return type.group == "resource.k8s.io" ||
           (type.group == "storage.k8s.io" && type.kind != "CSIStorageCapacity") ||
           (type.group.empty() && std::ranges::find(kKinds, type.kind) != std::end(kKinds));
}

Result<void> check_preconditions(
    const DeletionOptions& options, const ResourceType& type, const json::Value& object
) {
    const json::Value& metadata = *object.find("metadata");
    // This refusal contains the kind where other refusals contain the resource.
    ResourceType shown = type;
    shown.plural = type.kind;
    if (!options.uid.empty() && options.uid != metadata.string_at("uid")) {
        return conflict(
            shown,
            metadata.string_at("name"),
            fmt::format(
                "the UID in the precondition ({}) does not match the UID in record ({}). "
                "The object might have been deleted and then recreated",
                options.uid,
                metadata.string_at("uid")
            )
        );
    }
    if (!options.version.empty() && options.version != metadata.string_at("resourceVersion")) {
        return conflict(
            shown,
            metadata.string_at("name"),
            fmt::format(
                "the ResourceVersion in the precondition ({}) does not match the "
                "ResourceVersion in record ({}). The object might have been modified",
                options.version,
                metadata.string_at("resourceVersion")
            )
        );
    }
    return {};
}

Result<void> check_namespace(const ResourceType& type, std::string_view name) {
    const bool is_immortal = name == "default" || name == "kube-system" || name == "kube-public";
    if (!type.is_custom && type.group.empty() && type.kind == "Namespace" && is_immortal) {
        return forbidden(type, name, "this namespace may not be deleted");
    }
    return {};
}

/// Sets the default of kinds whose first version orphaned dependents: ReplicationControllers and
/// Jobs.
void choose_propagation(DeletionOptions& options, const ResourceType& type, Response& response) {
    if (type.group.empty() && type.kind == "ReplicationController" && options.propagation.empty()) {
        options.propagation = "Orphan";
    }
    if (type.group == "batch" && type.kind == "Job" && options.propagation.empty()) {
        options.propagation = "Orphan";
        response.warnings.emplace_back(
            "child pods are preserved by default when jobs are deleted; set "
            "propagationPolicy=Background to remove them or set propagationPolicy=Orphan to "
            "suppress this warning"
        );
    }
}

Response delete_one(
    State& state, DeletionOptions options, const Route& route, const ObjectName& name, Time now
) {
    const ResourceType& type = *route.type;
    if (const auto allowed = check_namespace(type, name.name); !allowed) {
        return make_response(allowed.error());
    }
    const Collection collection = State::collection_of(type);
    const Snapshot before = state.store.find(collection, name);
    if (!before) {
        return make_response(not_found(type, name.name));
    }
    if (const auto fits = check_preconditions(options, type, *before); !fits) {
        return make_response(fits.error());
    }
    Response response;
    choose_propagation(options, type, response);
    if (options.is_dry_run) {
        // Finds missing conversions, even if the object is not part of the answer.
        state.to_version(*before, type);
    }
    auto shown = mark(*before, collection, options, now);
    const bool stays = shown.has_value();
    if (!stays && returns_object(type)) {
        shown = *before;
        if (type.kind == "Pod") {
            mark_deleted(*shown, 0, now);
        }
    }
    if (!options.is_dry_run) {
        begin_deletion(state, collection, name, options, now);
        const Snapshot after = state.store.find(collection, name);
        if (stays && after && !is_container(collection)) {
            shown = *after;
        }
    }
    if (!shown) {
        json::Value details = json::Object{{"name", name.name}};
        if (!type.group.empty()) {
            details.set("group", type.group);
        }
        details.set("kind", type.plural);
        details.set("uid", before->find("metadata")->string_at("uid"));
        shown = make_success(std::move(details));
    } else {
        shown = state.to_version(*shown, type);
    }
    response.body = make_response(*shown).body;
    return response;
}

}  // namespace

Response delete_objects(
    State& state, const Request& request, const Route& route, Time now, bool is_rehearsal
) {
    auto options = read_deletion_options(request);
    if (!options) {
        return make_response(options.error());
    }
    options->is_dry_run = options->is_dry_run || is_rehearsal;
    if (!route.name.empty()) {
        return delete_one(
            state,
            *options,
            route,
            {route.type->is_namespaced ? route.ns : std::string(), route.name},
            now
        );
    }
    const auto wanted = read_list_options(request, route, false);
    if (!wanted) {
        return make_response(wanted.error());
    }
    const ObjectFilter& filter = wanted->filter;
    const Collection collection = State::collection_of(*route.type);
    json::Array items;
    for (const auto& [name, object] : Store::Objects(state.store.objects(collection))) {
        if (filter.matches(name, *object)) {
            items.push_back(to_item(state.to_version(*object, *route.type), *route.type));
            if (!options->is_dry_run) {
                begin_deletion(state, collection, name, *options, now);
            }
        }
    }
    return make_response(json::Object{
        {"kind", route.type->list_kind()},
        {"apiVersion", route.type->api_version()},
        {"metadata", json::Object{{"resourceVersion", std::to_string(state.store.version())}}},
        {"items", std::move(items)}
    });
}

}  // namespace sluice::apiserver
