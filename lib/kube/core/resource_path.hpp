#pragma once

#include <compare>
#include <string>
#include <string_view>

namespace sluice::kube {

/// Names one object of a kind; `namespace_` is empty for cluster-scoped kinds.
struct NamespacedName {
    std::string namespace_;
    std::string name;

    friend auto operator<=>(const NamespacedName&, const NamespacedName&) = default;
    friend bool operator==(const NamespacedName&, const NamespacedName&) = default;
};

/// "namespace/name", or "name" when there is no namespace.
std::string to_string(const NamespacedName& key);

/// The reverse of to_string(NamespacedName).
NamespacedName parse_namespaced_name(std::string_view text);

/// The key of an object of any API type.
template <class T>
NamespacedName key_of(const T& object) {
    return NamespacedName{object.metadata.namespace_, object.metadata.name};
}

/// Where an object, a collection or a subresource lives in the API. The core group is "".
/// An empty name is the collection; an empty namespace is a cluster-scoped kind or all namespaces.
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

/// The path of the kind T, built from its constants. Example: `path_of<api::Job>("team-a",
/// "train")`.
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

/// The request target, for example "/apis/batch/v1/namespaces/team-a/jobs/train/status".
std::string to_target(const ResourcePath& path);

/// For messages: "jobs.batch team-a/train".
std::string describe(const ResourcePath& path);

/// Escapes everything but the unreserved characters of RFC 3986, for path segments and query
/// values.
std::string percent_encode(std::string_view text);

}  // namespace sluice::kube
