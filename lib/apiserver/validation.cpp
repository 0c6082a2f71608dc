#include "apiserver/validation.hpp"

#include "apiserver/builtin_validation.hpp"
#include "apiserver/crd_validation.hpp"
#include "apiserver/schema_functions.hpp"

#include <iterator>
#include <utility>

namespace sluice::apiserver {
namespace {

using json::Value;

void append(std::vector<Cause>& causes, std::vector<Cause> more) {
    causes.insert(
        causes.end(), std::make_move_iterator(more.begin()), std::make_move_iterator(more.end())
    );
}

std::vector<Cause> find_custom_faults(
    const Scope& scope, const Value& object, const Value* old_object
) {
    std::vector<Cause> causes;
    if (const auto kind = object.string_at("kind"); kind != scope.resource->kind) {
        causes.push_back(
            invalid_value("kind", Value(kind), "must be " + scope.resource->kind)
        );
    }
    if (scope.version->schema == nullptr) {
        return causes;
    }
    append(causes, validate(*scope.version->schema, object, old_object));
    // Rules are not evaluated on what is malformed.
    if (causes.empty()) {
        append(causes, check_rules(*scope.version, object, old_object));
    }
    return causes;
}

}  // namespace

std::vector<Cause> find_faults(
    const Core& /*core*/, const Scope& scope, const Value& object, const Value* old_object
) {
    const auto& resource = *scope.resource;
    auto causes =
        validate_metadata(resource.group, resource.kind, resource.namespaced, object, old_object);
    if (resource.is_custom) {
        append(causes, find_custom_faults(scope, object, old_object));
    } else if (resource.kind == "CustomResourceDefinition") {
        append(causes, find_crd_faults(object, old_object));
    } else if (old_object == nullptr) {
        append(causes, validate_builtin(resource.group, resource.kind, object));
    } else {
        append(
            causes,
            validate_builtin_update(
                resource.group, resource.kind, scope.subresource_name(), object, *old_object
            )
        );
    }
    return causes;
}

}  // namespace sluice::apiserver
