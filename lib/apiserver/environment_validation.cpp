#include "apiserver/environment_validation.hpp"

#include "api/names.hpp"
#include "apiserver/values.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <array>
#include <optional>
#include <string>
#include <string_view>
#include <vector>

namespace sluice::apiserver {

namespace {

using json::Value;

/// Whether the API server knows the field of a pod by that name.
bool is_field_of_pod(std::string_view field) {
    constexpr std::array<std::string_view, 16> kFields{
        "metadata.annotations",
        "metadata.labels",
        "metadata.name",
        "metadata.namespace",
        "metadata.uid",
        "spec.host",
        "spec.hostNetwork",
        "spec.nodeName",
        "spec.restartPolicy",
        "spec.schedulerName",
        "spec.serviceAccountName",
        "status.hostIP",
        "status.hostIPs",
        "status.phase",
        "status.podIP",
        "status.podIPs",
    };
    return std::ranges::find(kFields, field) != kFields.end();
}

/// Those that a variable, or a file, can have.
const std::vector<std::string>& fields_for(FieldUse use) {
    static const std::vector<std::string> kOfVariables{
        "metadata.name",
        "metadata.namespace",
        "metadata.uid",
        "spec.nodeName",
        "spec.serviceAccountName",
        "status.hostIP",
        "status.hostIPs",
        "status.podIP",
        "status.podIPs",
    };
    static const std::vector<std::string> kOfFiles{
        "metadata.annotations",
        "metadata.labels",
        "metadata.name",
        "metadata.namespace",
        "metadata.uid",
    };
    return use == FieldUse::Variable ? kOfVariables : kOfFiles;
}

/// `metadata.labels['a']` is about the label a. Nothing: it is about the whole field.
std::optional<std::string> subscript_of(std::string_view path) {
    const std::size_t begin = path.find("['");
    return begin == std::string_view::npos || !path.ends_with("']")
               ? std::nullopt
               : std::optional(std::string(path.substr(begin + 2, path.size() - begin - 4)));
}

void check_subscript(
    Causes& causes, const std::string& path, std::string_view field, std::string subscript
) {
    if (field == "metadata.annotations") {
        for (char& c : subscript) {
            c = c >= 'A' && c <= 'Z' ? static_cast<char>(c - 'A' + 'a') : c;
        }
    } else if (field != "metadata.labels") {
        causes.push_back(invalid_value(path, field, "does not support subscript"));
        return;
    }
    check_qualified_name(causes, path, subscript);
}

bool is_printable_name(std::string_view name) {
    return std::ranges::all_of(name, [](char c) { return c >= ' ' && c <= '~' && c != '='; });
}

void check_variable_name(Causes& causes, const std::string& field, std::string_view name) {
    if (!is_printable_name(name)) {
        causes.push_back(invalid_value(
            field,
            name,
            "a valid environment variable name must consist only of printable ASCII characters "
            "other than '='"
        ));
    }
}

void check_key(Causes& causes, const std::string& path, const Value& reference) {
    check_subdomain(causes, path + ".name", reference.string_at("name"));
    const std::string_view key = reference.string_at("key");
    const bool is_valid = std::ranges::all_of(key, [](char c) {
        return (c >= 'a' && c <= 'z') || (c >= 'A' && c <= 'Z') || (c >= '0' && c <= '9') ||
               c == '-' || c == '_' || c == '.';
    });
    if (key.empty()) {
        causes.push_back(required_value(path + ".key"));
    } else if (!is_valid) {
        causes.push_back(invalid_value(
            path + ".key",
            key,
            api::pattern_problem(
                "a valid config key must consist of alphanumeric characters, '-', '_' or '.'",
                "[-._a-zA-Z0-9]+",
                {"key.name", "KEY_NAME", "key-name"}
            )
        ));
    }
}

void check_value_source(Causes& causes, const std::string& path, const Value& variable) {
    const Value& source = *variable.find("valueFrom");
    std::size_t count = 0;
    if (const Value* field = source.find("fieldRef")) {
        ++count;
        check_field_reference(causes, path + ".fieldRef", *field, FieldUse::Variable);
    }
    if (const Value* resource = source.find("resourceFieldRef")) {
        ++count;
        check_resource_reference(causes, path + ".resourceFieldRef", *resource, FieldUse::Variable);
    }
    for (const char* const name : {"configMapKeyRef", "secretKeyRef"}) {
        if (const Value* key = source.find(name)) {
            ++count;
            check_key(causes, fmt::format("{}.{}", path, name), *key);
        }
    }
    count += source.find("fileKeyRef") != nullptr ? 1 : 0;
    if (count == 0) {
        causes.push_back(invalid_value(
            path,
            "",
            "must specify one of: `fieldRef`, `resourceFieldRef`, `configMapKeyRef`, "
            "`secretKeyRef` or `fileKeyRef`"
        ));
    } else if (!variable.string_at("value").empty()) {
        causes.push_back(invalid_value(path, "", "may not be specified when `value` is not empty"));
    } else if (count > 1) {
        causes.push_back(
            invalid_value(path, "", "may not have more than one field specified at a time")
        );
    }
}

void check_whole_sources(Causes& causes, const std::string& path, const Value* sources) {
    const auto& items = items_of(sources);
    for (std::size_t i = 0; i < items.size(); ++i) {
        const std::string here = element_path(path, i);
        check_variable_name(causes, here + ".prefix", items[i].string_at("prefix"));
        std::size_t count = 0;
        for (const char* const name : {"configMapRef", "secretRef"}) {
            const Value* source = items[i].find(name);
            if (source == nullptr) {
                continue;
            }
            ++count;
            const std::string field = fmt::format("{}.{}.name", here, name);
            if (source->string_at("name").empty()) {
                causes.push_back(required_value(field));
            } else {
                check_subdomain(causes, field, source->string_at("name"));
            }
        }
        if (count == 0) {
            causes.push_back(
                invalid_value(path, "", "must specify one of: `configMapRef` or `secretRef`")
            );
        } else if (count > 1) {
            causes.push_back(
                invalid_value(path, "", "may not have more than one field specified at a time")
            );
        }
    }
}

void check_divisor(Causes& causes, const std::string& path, const Value& reference) {
    const std::string_view resource = reference.string_at("resource");
    const Value* divisor = reference.find("divisor");
    if (divisor == nullptr) {
        return;
    }
    const std::string text = divisor->is_string() ? divisor->as_string() : json::print(*divisor);
    std::vector<std::string_view> allowed{"0", "1"};
    std::string_view told;
    if (resource.ends_with(".cpu")) {
        allowed.emplace_back("1m");
        told = "only divisor's values 1m and 1 are supported with the cpu resource";
    } else if (resource.ends_with(".memory") || resource.ends_with(".ephemeral-storage")) {
        allowed.insert(
            allowed.end(),
            {"1k", "1M", "1G", "1T", "1P", "1E", "1Ki", "1Mi", "1Gi", "1Ti", "1Pi", "1Ei"}
        );
        told =
            resource.ends_with(".memory")
                ? "only divisor's values 1, 1k, 1M, 1G, 1T, 1P, 1E, 1Ki, 1Mi, 1Gi, 1Ti, 1Pi, 1Ei "
                  "are supported with the memory resource"
                : "only divisor's values 1, 1k, 1M, 1G, 1T, 1P, 1E, 1Ki, 1Mi, 1Gi, 1Ti, 1Pi, 1Ei "
                  "are supported with the local ephemeral storage resource";
    }
    if (!told.empty() && std::ranges::find(allowed, text) == allowed.end()) {
        causes.push_back(invalid_value(path + ".divisor", resource, told));
    }
}

}  // namespace

void check_field_reference(
    Causes& causes, const std::string& path, const Value& reference, FieldUse use
) {
    const std::string_view said = reference.string_at("fieldPath");
    // An older name of it.
    const std::string_view whole = said == "spec.host" ? "spec.nodeName" : said;
    const std::string_view field = whole.substr(0, whole.find("['"));
    if (said.empty()) {
        causes.push_back(required_value(path + ".fieldPath"));
    } else if (!is_field_of_pod(field)) {
        causes.push_back(invalid_value(
            path + ".fieldPath",
            said,
            fmt::format("error converting fieldPath: field label not supported: {}", said)
        ));
    } else if (const auto subscript = subscript_of(whole)) {
        check_subscript(causes, path, field, *subscript);
    } else if (const auto& fields = fields_for(use);
               std::ranges::find(fields, whole) == fields.end()) {
        causes.push_back(unsupported_value(path + ".fieldPath", whole, fields));
    }
}

void check_resource_reference(
    Causes& causes, const std::string& path, const Value& reference, FieldUse use
) {
    static const std::vector<std::string> kResources{
        "limits.cpu",
        "limits.ephemeral-storage",
        "limits.memory",
        "requests.cpu",
        "requests.ephemeral-storage",
        "requests.memory",
    };
    const std::string resource(reference.string_at("resource"));
    if (use == FieldUse::Volume && reference.string_at("containerName").empty()) {
        causes.push_back(required_value(path + ".containerName"));
        return;
    }
    if (resource.empty()) {
        causes.push_back(required_value(path + ".resource"));
        return;
    }
    const bool is_huge_page =
        resource.starts_with("limits.hugepages-") || resource.starts_with("requests.hugepages-");
    if (!is_huge_page && std::ranges::find(kResources, resource) == kResources.end()) {
        causes.push_back(unsupported_value(path + ".resource", resource, kResources));
    }
    check_divisor(causes, path, reference);
}

void check_environment(Causes& causes, const std::string& path, const Value& container) {
    const auto& variables = items_of(container.find("env"));
    for (std::size_t i = 0; i < variables.size(); ++i) {
        const std::string here = element_path(path + ".env", i);
        const std::string_view name = variables[i].string_at("name");
        if (name.empty()) {
            causes.push_back(required_value(here + ".name"));
        }
        check_variable_name(causes, here + ".name", name);
        const Value* source = variables[i].find("valueFrom");
        if (source != nullptr && source->is_object()) {
            check_value_source(causes, here + ".valueFrom", variables[i]);
        }
    }
    check_whole_sources(causes, path + ".envFrom", container.find("envFrom"));
}

}  // namespace sluice::apiserver
