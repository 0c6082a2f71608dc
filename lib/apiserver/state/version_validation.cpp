#include "apiserver/state/version_validation.hpp"

#include "api/meta/names.hpp"
#include "apiserver/objects/values.hpp"
#include "base/printable.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <array>
#include <cstddef>
#include <functional>
#include <initializer_list>
#include <set>
#include <string>
#include <string_view>

namespace sluice::apiserver {

namespace {

using json::Value;

constexpr std::size_t kSelectableMax = 8;
constexpr std::size_t kWarningMax = 256;

/// Checks a part of a version; reports its faults at `path`.
using CheckPart =
    std::function<void(Causes& causes, const std::string& path, const Value& version)>;

/// Returns true if all versions have the same value at the path.
bool are_alike(const json::Array& versions, std::initializer_list<std::string_view> path) {
    const auto part_of = [path](const Value& version) {
        const Value* part = version.find_path(path);
        return part == nullptr ? Value() : *part;
    };
    return std::ranges::all_of(versions, [&](const Value& version) {
        return part_of(version) == part_of(versions.front());
    });
}

void check_each(
    Causes& causes, const json::Array& versions, std::string_view part, const CheckPart& check
) {
    if (are_alike(versions, {part})) {
        check(causes, fmt::format("spec.{}", part), versions.front());
        return;
    }
    for (std::size_t i = 0; i < versions.size(); ++i) {
        check(causes, fmt::format("spec.versions[{}].{}", i, part), versions[i]);
    }
}

void check_among(
    Causes& causes,
    const std::string& path,
    const Value& column,
    std::string_view name,
    std::string_view supported
) {
    const std::string_view text = column.string_at(name);
    const std::string listed = fmt::format(",{},", supported);
    if (listed.find(fmt::format(",{},", text)) == std::string::npos) {
        causes.push_back(api::FieldError::invalid(
            fmt::format("{}.{}", path, name), text, fmt::format("must be one of {}", supported)
        ));
    }
}

/// Requires a path of members, each after a dot.
void check_simple_path(Causes& causes, const std::string& path, std::string_view text) {
    if (text.empty()) {
        causes.push_back(api::FieldError::required(path));
    } else if (!text.starts_with('.')) {
        causes.push_back(
            api::FieldError::invalid(path, text, "must be a simple json path starting with .")
        );
    }
}

void check_columns(Causes& causes, const std::string& path, const Value& version) {
    constexpr std::string_view kTypes = "boolean,date,integer,number,string";
    constexpr std::string_view kFormats = "byte,date,date-time,double,float,int32,int64,password";
    const auto& columns = items_of(version.find("additionalPrinterColumns"));
    for (std::size_t i = 0; i < columns.size(); ++i) {
        const std::string here = fmt::format("{}[{}]", path, i);
        if (columns[i].string_at("name").empty()) {
            causes.push_back(api::FieldError::required(here + ".name"));
        }
        if (columns[i].string_at("type").empty()) {
            causes.push_back(
                api::FieldError::required(here + ".type", fmt::format("must be one of {}", kTypes))
            );
        } else {
            check_among(causes, here, columns[i], "type", kTypes);
        }
        if (!columns[i].string_at("format").empty()) {
            check_among(causes, here, columns[i], "format", kFormats);
        }
        check_simple_path(causes, here + ".JSONPath", columns[i].string_at("jsonPath"));
    }
}

/// Returns the word or symbol at the beginning of a text.
std::string_view first_token(std::string_view text) {
    constexpr std::string_view kWord =
        "abcdefghijklmnopqrstuvwxyzABCDEFGHIJKLMNOPQRSTUVWXYZ0123456789_";
    return text.substr(
        0, std::max<std::size_t>(1, std::min(text.find_first_not_of(kWord), text.size()))
    );
}

/// Returns why the path does not lead to a field that a selector may name; "" if it does.
std::string find_selectable_fault(const Value* schema, std::string_view path) {
    if (!path.starts_with('.') && !path.starts_with('[')) {
        return fmt::format("is an invalid path: expected [ or . but got: {}", first_token(path));
    }
    while (!path.empty()) {
        if (path.front() == '[') {
            return "is an invalid path: array notation is not allowed";
        }
        path.remove_prefix(1);
        if (path.empty()) {
            return "is an invalid path: unexpected end of JSON path";
        }
        const std::string_view name = path.substr(0, path.find_first_of(".["));
        path.remove_prefix(name.size());
        const Value* property =
            schema == nullptr ? nullptr : schema->find_path({"properties", name});
        if (property == nullptr && schema != nullptr) {
            property = schema->find("additionalProperties");
        }
        if (name.empty() || property == nullptr || !property->is_object()) {
            return "is an invalid path: does not refer to a valid field";
        }
        schema = property;
    }
    const std::string_view type = schema->string_at("type");
    return type == "string" || type == "boolean" || type == "integer"
               ? ""
               : "must point to a field of type string, boolean or integer. Enum string fields and "
                 "strings with formats are allowed.";
}

/// `schema`: the schema of the version; nullptr if all versions share a schema but not their
/// fields.
void check_selectable_fields(
    Causes& causes, const std::string& path, const Value& version, const Value* schema
) {
    const auto& fields = items_of(version.find("selectableFields"));
    if (!fields.empty() && schema == nullptr) {
        causes.push_back(api::FieldError::invalid(
            path, "", "may only be set when `version.schema.openAPIV3Schema` is not included"
        ));
        return;
    }
    std::set<std::string_view> seen;
    for (std::size_t i = 0; i < fields.size(); ++i) {
        const std::string here = fmt::format("{}[{}].jsonPath", path, i);
        const std::string_view text = fields[i].string_at("jsonPath");
        if (text.empty()) {
            causes.push_back(api::FieldError::required(here));
        } else if (const auto fault = find_selectable_fault(schema, text); !fault.empty()) {
            causes.push_back(api::FieldError::invalid(here, text, fault));
        } else if (!seen.insert(text).second) {
            causes.push_back(api::FieldError::duplicate(here, text));
        }
    }
    if (seen.size() > kSelectableMax) {
        causes.push_back(api::FieldError::too_many(path, seen.size(), kSelectableMax));
    }
}

void check_under(
    Causes& causes,
    const std::string& path,
    std::string_view text,
    std::initializer_list<std::string_view> roots,
    std::string_view detail
) {
    const std::size_t count = causes.size();
    check_simple_path(causes, path, text);
    const bool is_under = std::ranges::any_of(roots, [text](std::string_view root) {
        return text.starts_with(root);
    });
    if (causes.size() == count && !is_under) {
        causes.push_back(api::FieldError::invalid(path, text, detail));
    }
}

void check_scale(Causes& causes, const std::string& path, const Value& version) {
    const Value* scale = version.find_path({"subresources", "scale"});
    if (scale == nullptr || !scale->is_object()) {
        return;
    }
    const std::string here = path + ".scale.";
    check_under(
        causes,
        here + "specReplicasPath",
        scale->string_at("specReplicasPath"),
        {".spec."},
        "should be a json path under .spec"
    );
    check_under(
        causes,
        here + "statusReplicasPath",
        scale->string_at("statusReplicasPath"),
        {".status."},
        "should be a json path under .status"
    );
    if (const auto selector = scale->string_at("labelSelectorPath"); !selector.empty()) {
        check_under(
            causes,
            here + "labelSelectorPath",
            selector,
            {".spec.", ".status."},
            "should be a json path under either .spec or .status"
        );
    }
}

void check_warning(Causes& causes, const std::string& path, const Value& version) {
    const Value* warning = version.find("deprecationWarning");
    if (warning == nullptr || !warning->is_string()) {
        return;
    }
    const std::string& text = warning->as_string();
    if (!is_true(version, "deprecated")) {
        causes.push_back(
            api::FieldError::invalid(path, text, "can only be set for deprecated versions")
        );
    } else if (text.empty()) {
        causes.push_back(api::FieldError::invalid(path, text, "must not be an empty string"));
    } else if (text.size() > kWarningMax) {
        causes.push_back(api::FieldError::invalid(
            path, text, fmt::format("must be <= {} characters long", kWarningMax)
        ));
    } else if (const auto shown = printable(text); shown != text) {
        const auto [at, where] = std::ranges::mismatch(text, shown);
        causes.push_back(api::FieldError::invalid(
            path,
            text,
            fmt::format(
                "must only contain printable UTF-8 characters; non-printable character found at "
                "index {}",
                at - text.begin()
            )
        ));
    }
}

}  // namespace

void check_version_contents(Causes& causes, const json::Array& versions) {
    if (versions.empty()) {
        return;
    }
    for (std::size_t i = 0; i < versions.size(); ++i) {
        const std::string here = fmt::format("spec.versions[{}]", i);
        const std::string_view name = versions[i].string_at("name");
        const auto problems = api::find_dns1035_label_problems(name);
        add_problems(causes, here + ".name", name, problems);
        if (i == 0 && !name.empty()) {
            add_problems(causes, "spec.version", name, problems);
        }
        check_warning(causes, here + ".deprecationWarning", versions[i]);
    }
    check_each(causes, versions, "additionalPrinterColumns", check_columns);
    check_each(causes, versions, "subresources", check_scale);
    const bool share_schema = are_alike(versions, {"schema"});
    const bool share_fields = are_alike(versions, {"selectableFields"});
    check_each(
        causes,
        versions,
        "selectableFields",
        [&](Causes& found, const std::string& path, const Value& version) {
            const bool is_known = share_fields || !share_schema;
            check_selectable_fields(
                found,
                path,
                version,
                is_known ? version.find_path({"schema", "openAPIV3Schema"}) : nullptr
            );
        }
    );
}

}  // namespace sluice::apiserver
