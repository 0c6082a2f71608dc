// Identifies kinds and objects: `Kind` by group and resource, `ObjectKey` by kind and name.
#pragma once

#include "api/schema/scheme.hpp"
#include "kube/core/resource_path.hpp"

#include <compare>
#include <string>
#include <string_view>
#include <utility>

namespace sluice::kube {

/// A kind of objects, with the names that request paths, owner references and logs use for it. Two
/// kinds are equal if their group and resource are equal, so that a Volcano `Job` never equals a
/// batch `Job`. As cheap to copy and to compare for equality as a pointer. Lifetime: refers to an
/// api::KindInfo that must outlive it; those of kind_of<T>() live as long as the process.
class Kind {
  public:
    /// The empty kind: every name is "".
    Kind();
    explicit Kind(const api::KindInfo& info) : info_(&info) {}

    /// The API group; "" is the core group.
    std::string_view group() const { return info_->group; }
    /// The version that Sluice reads and writes.
    std::string_view version() const { return info_->version; }
    /// The kind's name in objects. Example: Workload
    std::string_view name() const { return info_->kind; }
    /// The kind's name in request paths. Example: workloads
    std::string_view resource() const { return info_->plural; }
    bool is_namespaced() const { return info_->is_namespaced; }
    /// Returns "group/version", or only the version in the core group.
    std::string api_version() const { return api::api_version(*info_); }
    /// The address of the kind's names, which serves as a key in tables with frequent lookups.
    const api::KindInfo* info() const { return info_; }

    friend bool operator==(Kind a, Kind b) {
        return a.info_ == b.info_ || (a.group() == b.group() && a.resource() == b.resource());
    }
    friend std::strong_ordering operator<=>(Kind a, Kind b) {
        if (a.info_ == b.info_) {
            return std::strong_ordering::equal;
        }
        const auto by_group = a.group() <=> b.group();
        return by_group != 0 ? by_group : a.resource() <=> b.resource();
    }

  private:
    const api::KindInfo* info_;
};

/// Returns the kind of a type in `api`.
template <class T>
Kind kind_of() {
    static constexpr api::KindInfo kInfo = api::kind_of<T>();
    return Kind(kInfo);
}

/// Owns the names of a kind that is known only at run time. Lifetime: must outlive every Kind made
/// from it.
class RunTimeKind {
  public:
    struct Names {
        std::string group;
        std::string version;
        std::string kind;
        std::string resource;
        bool is_namespaced = true;
    };
    explicit RunTimeKind(Names names)
        : names_(std::move(names)),
          info_{
              names_.group,
              names_.version,
              names_.kind,
              names_.resource,
              names_.is_namespaced,
              nullptr
          } {}
    RunTimeKind(const RunTimeKind&) = delete;
    RunTimeKind& operator=(const RunTimeKind&) = delete;

    Kind kind() const { return Kind(info_); }

  private:
    Names names_;
    api::KindInfo info_;
};

/// Returns the group of an apiVersion, "" for the core group. Example: batch of batch/v1
std::string_view group_of(std::string_view api_version);

/// Returns "jobs.batch", or "pods" in the core group, for messages and as a unique text of the
/// kind.
std::string to_string(Kind kind);

/// Identifies one object of a kind. `ns` is empty for cluster-scoped kinds.
struct ObjectKey {
    Kind kind;
    std::string ns;
    std::string name;

    friend bool operator==(const ObjectKey&, const ObjectKey&) = default;
    friend auto operator<=>(const ObjectKey&, const ObjectKey&) = default;
};

/// Returns "ns/name", or "name" for cluster-scoped kinds.
std::string to_string(const ObjectKey& key);

/// Returns the path of a kind's collection in a namespace; in all namespaces if empty.
ResourcePath path_of(Kind kind, std::string namespace_ = {});
/// Returns the path of an object.
ResourcePath path_of(const ObjectKey& key);

}  // namespace sluice::kube
