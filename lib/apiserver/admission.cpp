#include "apiserver/admission.hpp"

#include "apiserver/builtin_defaults.hpp"
#include "apiserver/objects.hpp"
#include "apiserver/values.hpp"
#include "apiserver/webhooks.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <array>
#include <utility>

namespace sluice::apiserver {
namespace {

using json::Object;
using json::Value;

constexpr std::string_view kPriorityClasses = "priorityclasses.scheduling.k8s.io";

bool is_system_namespace(std::string_view name) {
    static constexpr std::array<std::string_view, 3> kNames{
        "default", "kube-system", "kube-public"
    };
    return std::ranges::find(kNames, name) != kNames.end();
}

bool is_new_pod(const AdmissionRequest& request) {
    return request.operation == "CREATE" && request.scope->resource->store_name() == "pods"
           && request.scope->subresource == nullptr;
}

/// The class whose priority a pod of that class name gets; nullptr: there is none.
StoredPtr find_priority_class(Core& core, std::string_view name) {
    const auto classes = core.store.collection(std::string(kPriorityClasses));
    if (!name.empty()) {
        return classes->find("", name);
    }
    StoredPtr best;
    std::int64_t best_value = 0;
    const auto resource = core.registry.find_by_store_name(kPriorityClasses);
    for (const auto& [key, stored] : classes->objects()) {
        const auto object = read_stored(*resource, *stored);
        const auto value = int_at(object, "value", 0);
        if (is_true(object, "globalDefault") && (best == nullptr || value < best_value)) {
            best = stored;
            best_value = value;
        }
    }
    return best;
}

Result<void> admit_priority(Core& core, const Scope& scope, Value& pod) {
    Value& spec = object_at(pod, "spec");
    const std::string name(spec.string_at("priorityClassName"));
    const auto stored = find_priority_class(core, name);
    if (stored == nullptr && !name.empty()) {
        return forbidden_request(
            scope.group_resource(),
            meta_string(pod, "name"),
            fmt::format("no PriorityClass with name {} was found", name)
        );
    }
    std::int64_t priority = 0;
    std::string policy = "PreemptLowerPriority";
    if (stored != nullptr) {
        const auto resource = core.registry.find_by_store_name(kPriorityClasses);
        const auto object = read_stored(*resource, *stored);
        priority = int_at(object, "value", 0);
        if (const auto written = object.string_at("preemptionPolicy"); !written.empty()) {
            policy = written;
        }
        spec.set("priorityClassName", stored->name);
    }
    const auto written = int_at(spec, "priority", priority);
    if (written != priority) {
        return forbidden_request(
            scope.group_resource(),
            meta_string(pod, "name"),
            fmt::format(
                "the integer value of priority ({}) must not be provided in pod spec; priority "
                "admission controller computed {} from the given PriorityClass name",
                written,
                priority
            )
        );
    }
    spec.set("priority", priority);
    if (spec.find("preemptionPolicy") == nullptr) {
        spec.set("preemptionPolicy", policy);
    }
    return {};
}

Result<void> admit_service_account(Core& core, const Scope& scope, const Value& pod) {
    const Value* spec = pod.find("spec");
    const auto name = spec == nullptr ? std::string_view() : spec->string_at("serviceAccountName");
    const auto accounts = core.store.collection("serviceaccounts");
    if (name.empty() || accounts->find(scope.namespace_, name) != nullptr) {
        return {};
    }
    return forbidden_request(
        scope.group_resource(),
        meta_string(pod, "name"),
        fmt::format(
            "error looking up service account {}/{}: serviceaccount \"{}\" not found",
            scope.namespace_,
            name,
            name
        )
    );
}

Result<void> run_plugins(Core& core, AdmissionRequest& request) {
    if (!is_new_pod(request)) {
        return {};
    }
    admit_pod(*request.object);
    if (auto account = admit_service_account(core, *request.scope, *request.object); !account) {
        return account;
    }
    return admit_priority(core, *request.scope, *request.object);
}

Error namespace_terminating(const Scope& scope) {
    return forbidden_request(
        scope.group_resource(),
        scope.name,
        fmt::format(
            "unable to create new content in namespace {} because it is being terminated",
            scope.namespace_
        ),
        {Cause{
            .reason = "NamespaceTerminating",
            .message = fmt::format("namespace {} is being terminated", scope.namespace_),
            .field = "metadata.namespace"
        }}
    );
}

}  // namespace

Result<void> admit_namespace(const Core& core, const Scope& scope) {
    const auto& resource = *scope.resource;
    if (resource.store_name() == "namespaces" || !resource.namespaced) {
        return {};
    }
    const auto found = core.store.find(Place{"namespaces", scope.namespace_});
    if (found == nullptr) {
        return object_not_found({"", "namespaces"}, scope.namespace_);
    }
    return found->is_deleting ? Result<void>(namespace_terminating(scope)) : Result<void>();
}

Flow<Result<void>> admit_mutating(Core* core, AdmissionRequest request) {
    if (request.object != nullptr) {
        if (const auto admitted = run_plugins(*core, request); !admitted) {
            co_return admitted.error();
        }
    }
    co_return co_await call_mutating_webhooks(core, request);
}

Flow<Result<void>> admit_validating(Core* core, AdmissionRequest request) {
    const auto& scope = *request.scope;
    if (request.operation == "DELETE" && scope.resource->store_name() == "namespaces"
        && is_system_namespace(scope.name)) {
        co_return forbidden_request(
            scope.group_resource(), scope.name, "this namespace may not be deleted"
        );
    }
    co_return co_await call_validating_webhooks(core, request);
}

}  // namespace sluice::apiserver
