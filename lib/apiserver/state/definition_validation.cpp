#include "apiserver/state/definition_validation.hpp"

#include "api/meta/names.hpp"
#include "apiserver/objects/field_checks.hpp"
#include "apiserver/objects/values.hpp"
#include "apiserver/rules/webhook_validation.hpp"
#include "apiserver/schema/schema.hpp"
#include "apiserver/schema/schema_structure.hpp"
#include "apiserver/state/version_validation.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <iterator>
#include <set>
#include <utility>

namespace sluice::apiserver {
namespace {

using json::Value;

void check_group(const Value& spec, std::vector<Cause>& causes) {
    const auto group = spec.string_at("group");
    if (group.empty()) {
        causes.push_back(api::FieldError::required("spec.group"));
    } else if (const auto problems = api::find_dns1123_subdomain_problems(group);
               !problems.empty()) {
        add_problems(causes, "spec.group", group, problems);
    } else if (group.find('.') == std::string_view::npos) {
        causes.push_back(api::FieldError::invalid(
            "spec.group", group, "should be a domain with at least one dot"
        ));
    }
}

void check_names(const Value& spec, std::vector<Cause>& causes) {
    const Value& names = member_or_null(spec, "names");
    for (const auto* name : {"plural", "singular", "kind", "listKind"}) {
        if (names.string_at(name).empty()) {
            causes.push_back(api::FieldError::required(fmt::format("spec.names.{}", name)));
        }
    }
    for (const auto* name : {"plural", "singular"}) {
        if (const auto text = names.string_at(name); !text.empty()) {
            check_dns1035_label(causes, fmt::format("spec.names.{}", name), text);
        }
    }
    for (const auto* name : {"kind", "listKind"}) {
        if (const auto text = names.string_at(name); !text.empty()) {
            check_kind_name(causes, fmt::format("spec.names.{}", name), text);
        }
    }
    const auto kind = names.string_at("kind");
    const auto list_kind = names.string_at("listKind");
    if (!kind.empty() && kind == list_kind) {
        causes.push_back(api::FieldError::invalid(
            "spec.names.listKind", list_kind, "kind and listKind may not be the same"
        ));
    }
    for (const auto* name : {"shortNames", "categories"}) {
        const auto& texts = items_of(names.find(name));
        for (std::size_t i = 0; i < texts.size(); ++i) {
            const auto field = fmt::format("spec.names.{}[{}]", name, i);
            check_dns1035_label(causes, field, texts[i].is_string() ? texts[i].as_string() : "");
        }
    }
}

/// Requires that a definition in a group of the Kubernetes community has an approval annotation.
std::vector<Cause> find_approval_faults(const Value& definition) {
    constexpr std::string_view kAnnotation = "api-approved.kubernetes.io";
    constexpr std::string_view kSee = "see https://github.com/kubernetes/enhancements/pull/1111";
    const auto group = member_or_null(definition, "spec").string_at("group");
    const bool is_protected = group == "k8s.io" || group == "kubernetes.io" ||
                              group.ends_with(".k8s.io") || group.ends_with(".kubernetes.io");
    if (!is_protected) {
        return {};
    }
    const auto field = fmt::format("metadata.annotations[{}]", kAnnotation);
    const auto approval = text_at(definition, {"metadata", "annotations", kAnnotation});
    if (approval.empty()) {
        return {api::FieldError::required(
            field,
            fmt::format(
                "protected groups must have approval annotation \"{}\", {}", kAnnotation, kSee
            )
        )};
    }
    const auto scheme = approval.find("://");
    const bool is_url = scheme != std::string_view::npos && scheme > 0 &&
                        approval.size() > scheme + 3 && approval[scheme + 3] != '/';
    if (is_url || approval.starts_with("unapproved")) {
        return {};
    }
    return {api::FieldError::invalid(
        field,
        approval,
        fmt::format(
            "protected groups must have approval annotation \"{}\" with either a URL or a reason "
            "starting with \"unapproved\", {}",
            kAnnotation,
            kSee
        )
    )};
}

void check_preservation(const Value& spec, const Value* old_spec, std::vector<Cause>& causes) {
    const bool was = old_spec != nullptr && is_true(*old_spec, "preserveUnknownFields");
    if (is_true(spec, "preserveUnknownFields") && !was) {
        causes.push_back(api::FieldError::invalid(
            "spec.preserveUnknownFields",
            true,
            "cannot set to true, set x-kubernetes-preserve-unknown-fields to true in "
            "spec.versions[*].schema instead"
        ));
    }
}

void check_conversion(const Value& spec, std::vector<Cause>& causes) {
    const Value& conversion = member_or_null(spec, "conversion");
    const auto strategy = conversion.string_at("strategy");
    check_one_of(causes, "spec.conversion", conversion, "strategy", {"None", "Webhook"});
    const Value& webhook = member_or_null(conversion, "webhook");
    const Value* client = webhook.find("clientConfig");
    const Value* versions = webhook.find("conversionReviewVersions");
    const std::string client_path = "spec.conversion.webhookClientConfig";
    const std::string versions_path = "spec.conversion.conversionReviewVersions";
    if (strategy == "Webhook") {
        if (client == nullptr) {
            causes.push_back(
                api::FieldError::required(client_path, "required when strategy is set to Webhook")
            );
        } else {
            check_webhook_client(causes, client_path, *client);
        }
        if (items_of(versions).empty()) {
            causes.push_back(api::FieldError::required(versions_path));
        } else {
            check_review_versions(causes, versions_path, *versions);
        }
        return;
    }
    constexpr std::string_view kNotSet = "should not be set when strategy is not set to Webhook";
    if (client != nullptr) {
        causes.push_back(api::FieldError::forbidden(client_path, kNotSet));
    }
    if (!items_of(versions).empty()) {
        causes.push_back(api::FieldError::forbidden(versions_path, kNotSet));
    }
}

void check_scope(const Value& spec, std::vector<Cause>& causes) {
    const auto scope = spec.string_at("scope");
    if (scope.empty()) {
        causes.push_back(api::FieldError::required("spec.scope"));
    } else if (scope != "Cluster" && scope != "Namespaced") {
        causes.push_back(
            api::FieldError::not_supported("spec.scope", scope, {"Cluster", "Namespaced"})
        );
    }
}

/// Returns a fault of all versions. The message prints them in the form of the API server's
/// internal struct, without the parts that all versions share.
Cause refuse_versions(const json::Array& versions, std::string_view why) {
    json::Array shown;
    for (const Value& version : versions) {
        const Value* warning = version.find("deprecationWarning");
        shown.push_back(json::Object{
            {"Name", version.string_at("name")},
            {"Served", is_true(version, "served")},
            {"Storage", is_true(version, "storage")},
            {"Deprecated", is_true(version, "deprecated")},
            {"DeprecationWarning", warning == nullptr ? Value() : *warning},
            {"Schema", Value()},
            {"Subresources", Value()},
            {"AdditionalPrinterColumns", Value()},
            {"SelectableFields", Value()},
        });
    }
    return {
        "FieldValueInvalid",
        fmt::format("Invalid value: {}: {}", json::print(shown), why),
        "spec.versions"
    };
}

void check_schemas(const json::Array& versions, std::vector<Cause>& causes) {
    const auto schema_of_version = [](const Value& version) {
        return version.find_path({"schema", "openAPIV3Schema"});
    };
    const bool are_alike = std::ranges::all_of(versions, [&](const Value& version) {
        const Value* first = schema_of_version(versions.front());
        const Value* schema = schema_of_version(version);
        return first != nullptr && schema != nullptr && *first == *schema;
    });
    for (std::size_t i = 0; i < versions.size(); ++i) {
        const Value* schema = schema_of_version(versions[i]);
        const auto path = are_alike ? std::string("spec.validation.openAPIV3Schema")
                                    : fmt::format("spec.versions[{}].schema.openAPIV3Schema", i);
        if (schema == nullptr) {
            causes.push_back(api::FieldError::required(path));
            continue;
        }
        auto faults = check_structural(*schema, path);
        if (const auto compiled = compile_schema(*schema); faults.empty() && !compiled) {
            faults.push_back(api::FieldError::invalid(path, Value(), compiled.error().detail));
        }
        std::ranges::move(faults, std::back_inserter(causes));
        if (are_alike) {
            return;
        }
    }
}

void check_versions(const Value& spec, std::vector<Cause>& causes) {
    const auto& versions = items_of(spec.find("versions"));
    std::set<std::string> names;
    std::size_t stored = 0;
    for (const Value& version : versions) {
        stored += is_true(version, "storage") ? 1 : 0;
        names.emplace(version.string_at("name"));
    }
    check_schemas(versions, causes);
    check_version_contents(causes, versions);
    if (names.size() != versions.size()) {
        causes.push_back(refuse_versions(versions, "must contain unique version names"));
    }
    if (stored != 1) {
        causes.push_back(
            refuse_versions(versions, "must have exactly one version marked as storage version")
        );
    }
    if (stored == 0) {
        causes.push_back(api::FieldError::invalid(
            "status.storedVersions", Value(), "must have at least one stored version"
        ));
    }
}

void check_stored_versions(const Value& definition, std::vector<Cause>& causes) {
    const auto& versions = items_of(definition.find_path({"spec", "versions"}));
    const auto& stored = items_of(definition.find_path({"status", "storedVersions"}));
    for (std::size_t i = 0; i < stored.size(); ++i) {
        const bool is_there = std::ranges::any_of(versions, [&](const Value& version) {
            return version.string_at("name") == stored[i].as_string();
        });
        if (!is_there) {
            const auto& name = stored[i].as_string();
            causes.push_back(api::FieldError::invalid(
                fmt::format("status.storedVersions[{}]", i),
                stored[i],
                fmt::format(
                    "missing from spec.versions; {} was previously a storage version, and must "
                    "remain in spec.versions until a storage migration ensures no data remains "
                    "persisted in {} and removes {} from status.storedVersions",
                    name,
                    name,
                    name
                )
            ));
        }
    }
}

void check_fixed(const Value& spec, const Value& old_spec, std::vector<Cause>& causes) {
    for (const auto* name : {"group", "scope"}) {
        if (!(member_or_null(spec, name) == member_or_null(old_spec, name))) {
            causes.push_back(api::FieldError::invalid(
                fmt::format("spec.{}", name), member_or_null(spec, name), "field is immutable"
            ));
        }
    }
    for (const auto* name : {"plural", "kind"}) {
        const Value& value = member_or_null(member_or_null(spec, "names"), name);
        if (!(value == member_or_null(member_or_null(old_spec, "names"), name))) {
            causes.push_back(api::FieldError::invalid(
                fmt::format("spec.names.{}", name), value, "field is immutable"
            ));
        }
    }
}

}  // namespace

std::vector<Cause> find_definition_faults(const Value& definition, const Value* old_definition) {
    std::vector<Cause> causes;
    const Value& spec = member_or_null(definition, "spec");
    const auto wanted = fmt::format(
        "{}.{}", member_or_null(spec, "names").string_at("plural"), spec.string_at("group")
    );
    const auto name = member_or_null(definition, "metadata").string_at("name");
    if (name != wanted) {
        causes.push_back(api::FieldError::invalid(
            "metadata.name", name, "must be spec.names.plural+\".\"+spec.group"
        ));
    }
    check_group(spec, causes);
    check_scope(spec, causes);
    check_versions(spec, causes);
    check_names(spec, causes);
    check_conversion(spec, causes);
    check_preservation(
        spec, old_definition == nullptr ? nullptr : old_definition->find("spec"), causes
    );
    // An old definition that lacks the annotation may keep lacking it.
    if (old_definition == nullptr || find_approval_faults(*old_definition).empty()) {
        std::ranges::move(find_approval_faults(definition), std::back_inserter(causes));
    }
    if (old_definition != nullptr) {
        if (!causes.empty()) {
            drop_known(causes, find_definition_faults(*old_definition, nullptr));
        }
        check_fixed(spec, member_or_null(*old_definition, "spec"), causes);
        check_stored_versions(definition, causes);
    }
    return causes;
}

}  // namespace sluice::apiserver
