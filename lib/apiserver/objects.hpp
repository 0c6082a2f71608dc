#pragma once

#include "apiserver/core.hpp"
#include "apiserver/flow.hpp"
#include "json/value.hpp"

#include <memory>
#include <string>
#include <string_view>

/// Objects between their stored text and trees.
namespace sluice::apiserver {

/// What is stored of an object; its resourceVersion is read from its metadata. Requires: it is in
/// `version`, with a name and a uid.
StoredPtr make_stored(
    const Resource& resource, std::string_view version, const json::Value& object
);

/// The object as a tree, in the version in which it is stored.
json::Value read_stored(const Resource& resource, const Stored& object);

/// The body of an object of that version without a call of a webhook; nullptr: one is needed.
std::shared_ptr<const std::string> body_in_version(
    const Resource& resource, const StoredPtr& object, std::string_view version
);

/// The object's body in that version, converted by a webhook where that is needed.
Flow<Result<std::shared_ptr<const std::string>>> load_body(
    Core* core, ResourcePtr resource, StoredPtr object, std::string version
);

/// The object as a tree in that version, likewise.
Flow<Result<json::Value>> load_object(
    Core* core, ResourcePtr resource, StoredPtr object, std::string version
);

/// A tree in another version of its resource. Errors: InternalError where the webhook fails.
Flow<Result<json::Value>> convert_object(
    Core* core, ResourcePtr resource, json::Value object, std::string to_version
);

/// `{"kind":KIND,"apiVersion":VERSION,`: what stands before a body.
std::string body_prefix(std::string_view kind, std::string_view api_version);
/// A tree made of a body.
json::Value read_body(std::string_view kind, std::string_view api_version, std::string_view body);
/// The body of a tree.
std::string print_body(const json::Value& object);

/// A string of metadata; "" when there is none.
std::string_view meta_string(const json::Value& object, std::string_view name);
/// The object's metadata, made where it is missing.
json::Value& metadata_of(json::Value& object);

/// What field selectors may ask for of an object of a built-in kind.
SortedPairs builtin_fields(const Resource& resource, const json::Value& object);
/// The names of these; empty: only metadata.name and metadata.namespace.
std::vector<std::string> builtin_field_names(const Resource& resource);

}  // namespace sluice::apiserver
