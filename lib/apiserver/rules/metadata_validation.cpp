#include "api/meta/names.hpp"
#include "apiserver/objects/field_checks.hpp"
#include "apiserver/objects/values.hpp"
#include "apiserver/rules/builtin_validation.hpp"
#include "apiserver/types/builtin_schemas.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <arpa/inet.h>
#include <array>
#include <cctype>

namespace sluice::apiserver {
namespace {

using json::Value;

constexpr std::size_t kAnnotationsMax = std::size_t{256} * 1024;

bool is_builtin(std::string_view group) {
    const auto& kinds = builtin_kinds();
    return std::any_of(kinds.begin(), kinds.end(), [&](const auto& kind) {
        return kind.group == group;
    });
}

bool is_label_kind(std::string_view group, std::string_view kind) {
    return (group.empty() && (kind == "Namespace" || kind == "Service")) ||
           (group == "apps" && kind == "StatefulSet");
}

std::vector<std::string> path_segment_problems(std::string_view name) {
    std::vector<std::string> problems;
    if (name == "." || name == "..") {
        problems.push_back(fmt::format("may not be '{}'", name));
        return problems;
    }
    for (const char bad : {'/', '%'}) {
        if (name.find(bad) != std::string_view::npos) {
            problems.push_back(fmt::format("may not contain '{}'", bad));
        }
    }
    return problems;
}

/// Requires that the name is an IP address in canonical form.
std::vector<std::string> address_problems(std::string_view name) {
    const std::string text(name);
    std::array<unsigned char, sizeof(in6_addr)> bytes{};
    std::array<char, INET6_ADDRSTRLEN> printed{};
    for (const int family : {AF_INET, AF_INET6}) {
        if (inet_pton(family, text.c_str(), bytes.data()) == 1 &&
            inet_ntop(family, bytes.data(), printed.data(), printed.size()) != nullptr &&
            text == printed.data()) {
            return {};
        }
    }
    return {"must be a valid IP address in canonical form"};
}

std::vector<std::string> name_problems(
    std::string_view group, std::string_view kind, std::string_view name
) {
    if (group == "rbac.authorization.k8s.io") {
        return path_segment_problems(name);
    }
    if (group == "networking.k8s.io" && kind == "IPAddress") {
        return address_problems(name);
    }
    if (is_label_kind(group, kind)) {
        const auto problem = api::check_dns1123_label(name);
        return problem ? std::vector{*problem} : std::vector<std::string>();
    }
    return api::find_dns1123_subdomain_problems(name);
}

void check_name(
    Causes& causes, std::string_view group, std::string_view kind, const Value& metadata
) {
    const auto name = metadata.string_at("name");
    auto prefix = metadata.string_at("generateName");
    if (!prefix.empty()) {
        const Value whole = prefix;
        while (!prefix.empty() && prefix.back() == '-') {
            prefix.remove_suffix(1);
        }
        add_problems(causes, "metadata.generateName", whole, name_problems(group, kind, prefix));
    }
    if (name.empty()) {
        causes.push_back(
            api::FieldError::required("metadata.name", "name or generateName is required")
        );
    } else {
        add_problems(causes, "metadata.name", name, name_problems(group, kind, name));
    }
}

void check_annotations(Causes& causes, const Value* annotations) {
    std::size_t size = 0;
    for (const auto& [name, value] : members_of(annotations)) {
        std::string lower = name;
        std::transform(lower.begin(), lower.end(), lower.begin(), [](unsigned char c) {
            return static_cast<char>(std::tolower(c));
        });
        add_problems(
            causes, "metadata.annotations", name, api::find_qualified_name_problems(lower)
        );
        size += name.size() + (value.is_string() ? value.as_string().size() : 0);
    }
    if (size > kAnnotationsMax) {
        causes.push_back(api::FieldError::too_long("metadata.annotations", kAnnotationsMax));
    }
}

void check_finalizers(Causes& causes, bool is_of_core, const Value* finalizers) {
    bool orphans = false;
    bool is_foreground = false;
    for (const auto& finalizer : items_of(finalizers)) {
        if (finalizer.is_string()) {
            orphans |= finalizer.as_string() == "orphan";
            is_foreground |= finalizer.as_string() == "foregroundDeletion";
            check_qualified_name(causes, "metadata.finalizers", finalizer.as_string());
        }
    }
    if (orphans && is_foreground) {
        causes.push_back(api::FieldError::invalid(
            "metadata.finalizers",
            *finalizers,
            "finalizer orphan and foregroundDeletion cannot be both set"
        ));
    }
    if (!is_of_core) {
        return;
    }
    for (std::size_t i = 0; i < items_of(finalizers).size(); ++i) {
        const auto& finalizer = items_of(finalizers)[i];
        const auto text = finalizer.is_string() ? finalizer.as_string() : std::string();
        const bool is_standard =
            text == "kubernetes" || text == "orphan" || text == "foregroundDeletion";
        if (!is_standard && text.find('/') == std::string::npos) {
            causes.push_back(api::FieldError::invalid(
                fmt::format("metadata.finalizers[{}]", i),
                finalizer,
                "name is neither a standard finalizer name nor is it fully qualified"
            ));
        }
    }
}

void check_owners(Causes& causes, const Value* owners) {
    const std::string path = "metadata.ownerReferences";
    std::string controller;
    for (const auto& owner : items_of(owners)) {
        const auto version = owner.string_at("apiVersion");
        const auto slash = version.find('/');
        if (version.empty() || slash + 1 == version.size()) {
            causes.push_back(
                api::FieldError::invalid(path + ".apiVersion", version, "version must not be empty")
            );
        }
        for (const auto* name : {"kind", "name", "uid"}) {
            if (owner.string_at(name).empty()) {
                causes.push_back(
                    api::FieldError::invalid(path + "." + name, "", "must not be empty")
                );
            }
        }
        if (version == "v1" && owner.string_at("kind") == "Event") {
            causes.push_back(api::FieldError::invalid(
                path, owner, "/v1, Kind=Event is disallowed from being an owner"
            ));
        }
        if (!is_true(owner, "controller")) {
            continue;
        }
        const std::string name(owner.string_at("name"));
        if (!controller.empty()) {
            const auto detail = fmt::format(
                "Only one reference can have Controller set to true. Found \"true\" in references "
                "for {} and {}",
                controller,
                name
            );
            causes.push_back(api::FieldError::invalid(path, *owners, detail));
        }
        controller = name;
    }
}

void check_new_finalizers(Causes& causes, const Value& metadata, const Value& old_metadata) {
    if (old_metadata.string_at("deletionTimestamp").empty()) {
        return;
    }
    const auto& old_ones = items_of(old_metadata.find("finalizers"));
    std::string added;
    for (const auto& finalizer : items_of(metadata.find("finalizers"))) {
        if (std::find(old_ones.begin(), old_ones.end(), finalizer) == old_ones.end()) {
            added += (added.empty() ? "" : ", ") + json::print(finalizer);
        }
    }
    if (!added.empty()) {
        causes.push_back(api::FieldError::forbidden(
            "metadata.finalizers",
            "no new finalizers can be added if the object is being deleted, found new finalizers "
            "[]string{" +
                added + "}"
        ));
    }
}

void check_metadata_update(Causes& causes, const Value& metadata, const Value& old_metadata) {
    check_new_finalizers(causes, metadata, old_metadata);
    for (const auto* name :
         {"name",
          "namespace",
          "uid",
          "creationTimestamp",
          "deletionTimestamp",
          "deletionGracePeriodSeconds"}) {
        check_unchanged(causes, "metadata", metadata, old_metadata, name);
    }
    const auto generation = int_at(metadata, "generation", 0);
    if (generation < int_at(old_metadata, "generation", 0)) {
        causes.push_back(
            api::FieldError::invalid("metadata.generation", generation, "must not be decremented")
        );
    }
}

}  // namespace

std::vector<Cause> validate_metadata(
    std::string_view group,
    std::string_view kind,
    bool namespaced,
    const Value& object,
    const Value* old_object
) {
    Causes causes;
    const Value& metadata = member_or_null(object, "metadata");
    if (old_object == nullptr) {
        check_name(causes, group, kind, metadata);
        const bool has_namespace = !metadata.string_at("namespace").empty();
        if (namespaced && !has_namespace) {
            causes.push_back(api::FieldError::required("metadata.namespace"));
        } else if (namespaced) {
            check_label(causes, "metadata.namespace", metadata.string_at("namespace"));
        } else if (has_namespace) {
            causes.push_back(
                api::FieldError::forbidden("metadata.namespace", "not allowed on this type")
            );
        }
    } else {
        check_metadata_update(causes, metadata, member_or_null(*old_object, "metadata"));
    }
    check_labels(causes, "metadata.labels", metadata.find("labels"));
    check_annotations(causes, metadata.find("annotations"));
    check_owners(causes, metadata.find("ownerReferences"));
    check_finalizers(causes, is_builtin(group), metadata.find("finalizers"));
    return causes;
}

}  // namespace sluice::apiserver
