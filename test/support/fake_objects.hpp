#pragma once

#include "base/error.hpp"
#include "json/value.hpp"
#include "kube/core/resource_path.hpp"

#include <cstdint>
#include <initializer_list>
#include <string>
#include <string_view>

namespace sluice::test {

/// What FakeClient needs to know of objects and answers.

/// An error as the server's Status gives it.
Error make_status(int code, std::string_view reason, const std::string& message);
Error make_not_found(const kube::ResourcePath& path);
std::int64_t to_version(std::string_view text);

/// A string field of the object's metadata, or "".
std::string metadata_text(const json::Value& object, std::string_view field);
json::Value& metadata_of(json::Value& object);
bool has_finalizers(const json::Value& object);
bool is_being_deleted(const json::Value& object);

/// Whether the labels fulfil a selector of "a=b", "a==b", "a!=b", "a" and "!a" terms.
bool matches(const json::Value& object, std::string_view selector);
/// Whether the object fulfils a field selector on metadata.name and metadata.namespace.
bool matches_fields(const json::Value& object, std::string_view selector);
/// Whether the two are equal but for those members.
bool same_but(
    const json::Value& a, const json::Value& b, std::initializer_list<std::string_view> ignored
);
/// A line of a watch.
std::string print_event(std::string_view type, const json::Value& object);

}  // namespace sluice::test
