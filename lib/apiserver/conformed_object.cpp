#include "apiserver/conformed_object.hpp"

#include "apiserver/body.hpp"
#include "apiserver/builtin_defaults.hpp"
#include "apiserver/decoding.hpp"
#include "apiserver/failures.hpp"
#include "apiserver/schema_functions.hpp"
#include "apiserver/state.hpp"

#include <fmt/format.h>
#include <fmt/ranges.h>

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

/// Drops unknown fields; they and the duplicates, in the words of strict decoding.
std::vector<std::string> drop_unknown(
    const ResourceType& type, json::Value& object, const std::vector<std::string>& duplicates
) {
    std::vector<std::string> unknown;
    if (const auto schema = schema_of(type)) {
        for (const std::string& path : prune(*schema, object)) {
            unknown.push_back(fmt::format("unknown field \"{}\"", path));
        }
    }
    std::vector<std::string> twice;
    twice.reserve(duplicates.size());
    for (const std::string& path : duplicates) {
        twice.push_back(fmt::format("duplicate field \"{}\"", path));
    }
    // Custom resources are read as they come, and looked at by their schema afterwards.
    auto& first = type.is_custom ? twice : unknown;
    auto& second = type.is_custom ? unknown : twice;
    first.insert(first.end(), second.begin(), second.end());
    return std::move(first);
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
        if (const auto fault = find_decoding_fault(*schema, object)) {
            return undecodable(type, object, how, *fault);
        }
    }
    const json::Value before = object;
    std::vector<std::string> faults = drop_unknown(type, object, how.duplicates);
    if (!faults.empty() && how.validation == FieldValidation::Strict) {
        return undecodable(
            type, before, how, fmt::format("strict decoding error: {}", fmt::join(faults, ", "))
        );
    }
    if (how.validation == FieldValidation::Ignore) {
        faults.clear();
    }
    fill_in(type, object, how.origin);
    return faults;
}

}  // namespace sluice::apiserver
