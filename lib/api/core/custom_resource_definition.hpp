// CustomResourceDefinition: the fields that configure and report version conversion.
#pragma once

#include "api/meta/meta.hpp"

#include <cstdint>
#include <optional>
#include <string>
#include <vector>

namespace sluice::api {

struct ServiceReference {
    std::string namespace_;
    std::string name;
    std::string path;
    std::optional<std::int32_t> port;

    static const TypeInfo& type();
    friend bool operator==(const ServiceReference&, const ServiceReference&) = default;
};

struct WebhookClientConfig {
    std::string url;
    std::optional<ServiceReference> service;
    std::string ca_bundle;  ///< base64 of PEM

    static const TypeInfo& type();
    friend bool operator==(const WebhookClientConfig&, const WebhookClientConfig&) = default;
};

struct WebhookConversion {
    std::optional<WebhookClientConfig> client_config;
    std::vector<std::string> conversion_review_versions;

    static const TypeInfo& type();
    friend bool operator==(const WebhookConversion&, const WebhookConversion&) = default;
};

struct CustomResourceConversion {
    std::string strategy;
    std::optional<WebhookConversion> webhook;

    static const TypeInfo& type();
    friend bool operator==(const CustomResourceConversion&, const CustomResourceConversion&) =
        default;
};

/// The fields of a definition's spec that Sluice reads and patches, to configure version
/// conversion.
struct CustomResourceDefinitionSpec {
    std::string group;
    std::optional<CustomResourceConversion> conversion;

    static const TypeInfo& type();
    friend bool
    operator==(const CustomResourceDefinitionSpec&, const CustomResourceDefinitionSpec&) = default;
};

struct CustomResourceDefinitionStatus {
    std::vector<Condition> conditions;
    std::vector<std::string> stored_versions;

    static const TypeInfo& type();
    friend bool
    operator==(const CustomResourceDefinitionStatus&, const CustomResourceDefinitionStatus&) =
        default;
};

/// apiextensions.k8s.io/v1 CustomResourceDefinition. Sluice patches it and never writes the whole
/// object.
struct CustomResourceDefinition {
    static constexpr std::string_view kGroup = "apiextensions.k8s.io";
    static constexpr std::string_view kVersion = "v1";
    static constexpr std::string_view kKind = "CustomResourceDefinition";
    static constexpr std::string_view kPlural = "customresourcedefinitions";
    static constexpr bool kNamespaced = false;

    ObjectMeta metadata;
    CustomResourceDefinitionSpec spec;
    CustomResourceDefinitionStatus status;

    static const TypeInfo& type();
    friend bool operator==(const CustomResourceDefinition&, const CustomResourceDefinition&) =
        default;
};

}  // namespace sluice::api
