// Names of objects, and the request paths of objects, collections and subresources.
#pragma once

#include <compare>
#include <string>
#include <string_view>

namespace sluice::kube {

/// The name of an object of a known kind. `namespace_` is empty for cluster-scoped kinds.
struct NamespacedName {
    std::string namespace_;
    std::string name;

    friend auto operator<=>(const NamespacedName&, const NamespacedName&) = default;
    friend bool operator==(const NamespacedName&, const NamespacedName&) = default;
};

/// Returns "namespace/name", or "name" if the namespace is empty.
std::string to_string(const NamespacedName& key);

/// Parses the text that to_string(NamespacedName) returns.
NamespacedName parse_namespaced_name(std::string_view text);

/// Returns the namespace and name of an object of any API type.
template <class T>
NamespacedName key_of(const T& object) {
    return NamespacedName{object.metadata.namespace_, object.metadata.name};
}

/// The path of an object, a collection or a subresource in the API. The core group is "". An empty
/// name means the collection; an empty namespace means a cluster-scoped kind or all namespaces.
struct ResourcePath {
    std::string group;
    std::string version;
    std::string plural;
    std::string namespace_;
    std::string name;
    std::string subresource;

    friend auto operator<=>(const ResourcePath&, const ResourcePath&) = default;
    friend bool operator==(const ResourcePath&, const ResourcePath&) = default;
};

/// Returns a path of the kind T. Example: `path_of<api::Job>("team-a", "train")`
template <class T>
ResourcePath path_of(
    std::string namespace_ = {}, std::string name = {}, std::string subresource = {}
) {
    return ResourcePath{
        std::string(T::kGroup),
        std::string(T::kVersion),
        std::string(T::kPlural),
        std::move(namespace_),
        std::move(name),
        std::move(subresource)
    };
}

/// Returns the request target. Example: /apis/batch/v1/namespaces/team-a/jobs/train/status
std::string to_target(const ResourcePath& path);

/// Returns a text for messages. Example: jobs.batch team-a/train
std::string describe(const ResourcePath& path);

/// Escapes all characters but the unreserved ones of RFC 3986, for path segments and query values.
std::string percent_encode(std::string_view text);

}  // namespace sluice::kube
