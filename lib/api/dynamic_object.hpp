#pragma once

#include "api/codec.hpp"
#include "api/meta.hpp"
#include "json/value.hpp"

#include <string_view>

namespace sluice::api {

/// An object of a kind that is not known when Sluice is built.
struct DynamicObject {
    json::Value value;

    std::string_view api_version() const { return value.string_at("apiVersion"); }
    std::string_view kind() const { return value.string_at("kind"); }
    std::string_view name() const { return metadata_at("name"); }
    // NOLINTNEXTLINE(readability-identifier-naming): `namespace` is a keyword
    std::string_view namespace_() const { return metadata_at("namespace"); }
    std::string_view uid() const { return metadata_at("uid"); }
    std::string_view resource_version() const { return metadata_at("resourceVersion"); }
    /// The group of apiVersion, "" for the core group.
    std::string_view group() const;
    std::string_view version() const;
    /// Errors: Invalid with the path of the field.
    Result<ObjectMeta> metadata() const;

    friend bool operator==(const DynamicObject&, const DynamicObject&) = default;

  private:
    std::string_view metadata_at(std::string_view key) const;
};

}  // namespace sluice::api
