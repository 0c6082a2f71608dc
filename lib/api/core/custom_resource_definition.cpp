#include "api/core/custom_resource_definition.hpp"

namespace sluice::api {

const TypeInfo& ServiceReference::type() {
    static const TypeInfo kInfo{
        .fields =
            {
                field<&ServiceReference::namespace_>("namespace", "R"),
                field<&ServiceReference::name>("name", "R"),
                field<&ServiceReference::path>("path"),
                field<&ServiceReference::port>("port"),
            },
    };
    return kInfo;
}

const TypeInfo& WebhookClientConfig::type() {
    static const TypeInfo kInfo{
        .fields =
            {
                field<&WebhookClientConfig::url>("url"),
                field<&WebhookClientConfig::service>("service"),
                field<&WebhookClientConfig::ca_bundle>("caBundle"),
            },
    };
    return kInfo;
}

const TypeInfo& WebhookConversion::type() {
    static const TypeInfo kInfo{
        .fields =
            {
                field<&WebhookConversion::client_config>("clientConfig"),
                field<&WebhookConversion::conversion_review_versions>(
                    "conversionReviewVersions", "R"
                ),
            },
    };
    return kInfo;
}

const TypeInfo& CustomResourceConversion::type() {
    static const TypeInfo kInfo{
        .fields =
            {
                field<&CustomResourceConversion::strategy>("strategy", "R"),
                field<&CustomResourceConversion::webhook>("webhook"),
            },
    };
    return kInfo;
}

const TypeInfo& CustomResourceDefinitionSpec::type() {
    static const TypeInfo kInfo{
        .fields =
            {
                field<&CustomResourceDefinitionSpec::group>("group"),
                field<&CustomResourceDefinitionSpec::conversion>("conversion"),
            },
    };
    return kInfo;
}

const TypeInfo& CustomResourceDefinitionStatus::type() {
    static const TypeInfo kInfo{
        .fields =
            {
                field<&CustomResourceDefinitionStatus::conditions>("conditions"),
                field<&CustomResourceDefinitionStatus::stored_versions>("storedVersions"),
            },
    };
    return kInfo;
}

const TypeInfo& CustomResourceDefinition::type() {
    static const TypeInfo kInfo{
        .fields =
            {
                field<&CustomResourceDefinition::metadata>("metadata"),
                field<&CustomResourceDefinition::spec>("spec"),
                field<&CustomResourceDefinition::status>("status"),
            },
        .kind = kKind,
        .api_version = "apiextensions.k8s.io/v1",
    };
    return kInfo;
}

}  // namespace sluice::api
