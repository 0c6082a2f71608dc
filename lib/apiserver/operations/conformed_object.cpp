#include "apiserver/operations/conformed_object.hpp"

#include "apiserver/defaults/builtin_defaults.hpp"
#include "apiserver/schema/decoding.hpp"
#include "apiserver/schema/schema_functions.hpp"
#include "apiserver/state/state.hpp"
#include "apiserver/types/body.hpp"
#include "apiserver/types/failures.hpp"

#include <fmt/format.h>
#include <fmt/ranges.h>

#include <algorithm>
#include <iterator>
#include <utility>

namespace sluice::apiserver {

namespace {

Error undecodable(
    const ResourceType& type, const json::Value& object, const Conforming& how, std::string_view why
) {
    if (how.origin == Origin::Webhook) {
        return internal(std::string(why));
    }
    if (how.origin == Origin::Body) {
        return cannot_be_handled(type, why);
    }
    return invalid_patch(how.show ? how.show(object) : json::print(object), why);
}

/// Drops unknown fields and returns them in the words of strict decoding.
std::vector<std::string> drop_unknown(const ResourceType& type, json::Value& object) {
    std::vector<std::string> unknown;
    if (const auto schema = schema_of(type)) {
        for (const std::string& path : prune(*schema, object)) {
            unknown.push_back(fmt::format("unknown field \"{}\"", path));
        }
    }
    return unknown;
}

std::vector<std::string> joined(std::vector<std::string> first, std::vector<std::string> second) {
    std::ranges::move(second, std::back_inserter(first));
    return first;
}

/// Returns both lists in the order in which decoding finds the faults: YAML is converted, and
/// custom resources are read, before the schema is applied.
std::vector<std::string> in_order(
    const ResourceType& type,
    bool is_yaml,
    std::vector<std::string> unknown,
    std::vector<std::string> twice
) {
    return type.is_custom || is_yaml ? joined(std::move(twice), std::move(unknown))
                                     : joined(std::move(unknown), std::move(twice));
}

void fill_in(const ResourceType& type, json::Value& object, Origin origin) {
    if (!type.is_custom) {
        apply_builtin_defaults(type.group, type.version, type.kind, object);
        return;
    }
    const auto schema = schema_of(type);
    if (schema == nullptr) {
        return;
    }
    if (origin == Origin::Apply) {
        fill_defaults(*schema, object);
    } else {
        apply_defaults(*schema, object);
    }
}

}  // namespace

FieldValidation to_field_validation(std::string_view text) {
    return text == "Ignore"   ? FieldValidation::Ignore
           : text == "Strict" ? FieldValidation::Strict
                              : FieldValidation::Warn;
}

Result<std::vector<std::string>> conform(
    const ResourceType& type, json::Value& object, const Conforming& how
) {
    if (const auto schema = schema_of(type)) {
        const auto form =
            how.origin == Origin::StrategicPatch ? DecodedForm::Maps : DecodedForm::Json;
        if (const auto fault = find_decoding_fault(*schema, object, form)) {
            return undecodable(type, object, how, *fault);
        }
    }
    const json::Value before = object;
    const std::vector<std::string> unknown = drop_unknown(type, object);
    const Duplicates& twice = how.duplicates;
    std::vector<std::string> faults;
    if (how.validation != FieldValidation::Ignore) {
        faults = in_order(type, twice.is_yaml, unknown, twice.texts);
    }
    if (!faults.empty() && how.validation == FieldValidation::Strict) {
        if (const std::string refusal = yaml_refusal(twice); !refusal.empty()) {
            faults = in_order(type, true, unknown, {refusal});
        }
        return undecodable(
            type, before, how, fmt::format("strict decoding error: {}", fmt::join(faults, ", "))
        );
    }
    fill_in(type, object, how.origin);
    return faults;
}

}  // namespace sluice::apiserver
