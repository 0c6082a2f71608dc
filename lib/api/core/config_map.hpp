// ConfigMap of core/v1.
#pragma once

#include "api/meta/meta.hpp"

#include <string>
#include <string_view>

namespace sluice::api {

/// core/v1 ConfigMap without binaryData.
struct ConfigMap {
    static constexpr std::string_view kGroup = "";
    static constexpr std::string_view kVersion = "v1";
    static constexpr std::string_view kKind = "ConfigMap";
    static constexpr std::string_view kPlural = "configmaps";
    static constexpr bool kNamespaced = true;

    ObjectMeta metadata;
    StringMap data;

    static const TypeInfo& type();
    friend bool operator==(const ConfigMap&, const ConfigMap&) = default;
};

}  // namespace sluice::api
