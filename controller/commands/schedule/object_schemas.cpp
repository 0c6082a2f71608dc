#include "controller/commands/schedule/object_schemas.hpp"

#include "api/kueue/kueue_names.hpp"
#include "api/schema/schema.hpp"
#include "api/schema/scheme.hpp"
#include "apiserver/rules/builtin_validation.hpp"
#include "apiserver/schema/schema_functions.hpp"

#include <fmt/format.h>
#include <fmt/ranges.h>

#include <algorithm>

namespace sluice::commands {

const ObjectSchemas::Compiled* ObjectSchemas::find(
    std::string_view kind, std::string_view version
) {
    const auto key = std::pair(std::string(kind), std::string(version));
    if (const auto at = compiled_.find(key); at != compiled_.end()) {
        return &at->second;
    }
    const json::Value* schema = api::find_schema(kind, version);
    if (schema == nullptr) {
        return nullptr;
    }
    const auto info = std::ranges::find(api::kueue_kinds(), kind, &api::KindInfo::kind);
    Compiled compiled{
        .schema = apiserver::compile_schema(*schema).value(),
        .rules = cel::compile_rules(*schema).value(),
        .is_namespaced = info != api::kueue_kinds().end() && info->is_namespaced,
    };
    return &compiled_.emplace(key, std::move(compiled)).first->second;
}

Result<void> ObjectSchemas::complete(
    std::string_view kind,
    std::string_view version,
    json::Value& object,
    std::vector<std::string>& unknown
) {
    const Compiled* compiled = find(kind, version);
    if (compiled == nullptr) {
        return make_invalid(fmt::format("no schema for {} in {}", kind, version));
    }
    apiserver::apply_defaults(*compiled->schema, object);
    unknown = apiserver::find_unknown_fields(*compiled->schema, object);
    std::vector<std::string> faults;
    for (const auto& cause : apiserver::validate(*compiled->schema, object)) {
        faults.push_back(cause.field + ": " + cause.message);
    }
    if (faults.empty()) {
        for (const auto& violation : cel::check(compiled->rules, object, nullptr)) {
            faults.push_back(cel::print_violation(violation));
        }
    }
    // Files may omit the namespace. If the name is not a string, the decoder reports it.
    const json::Value* name = object.find_path({"metadata", "name"});
    const bool is_text = name != nullptr && name->is_string();
    for (const auto& cause :
         apiserver::validate_metadata(api::kKueueGroup, kind, compiled->is_namespaced, object)) {
        if (cause.field == "metadata.name" && is_text) {
            faults.push_back(cause.field + ": " + cause.message);
        }
    }
    return faults.empty() ? Result<void>()
                          : make_invalid(fmt::format("{}", fmt::join(faults, "; ")));
}

bool ObjectSchemas::knows(
    std::string_view kind,
    std::string_view version,
    const json::Value& object,
    const std::string& field
) {
    const Compiled* compiled = find(kind, version);
    if (compiled == nullptr) {
        return false;
    }
    const auto unknown = apiserver::find_unknown_fields(*compiled->schema, object);
    return std::ranges::find(unknown, field) == unknown.end();
}

}  // namespace sluice::commands
