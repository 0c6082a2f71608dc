#pragma once

#include "apiserver/objects/field_path.hpp"
#include "base/error.hpp"
#include "json/value.hpp"

#include <functional>
#include <string_view>
#include <vector>

namespace sluice::apiserver {

/// A set of paths as a tree: a node is one path, which may be in the set or only on the way to
/// longer ones.
class FieldSet {
  public:
    struct Child;

    bool is_member = false;       ///< the path of this node is in the set
    std::vector<Child> children;  ///< sorted by element

    /// Neither this path nor a longer one is in the set.
    bool empty() const { return !is_member && children.empty(); }
    /// The node below this one, or nullptr.
    const FieldSet* find(const PathElement& element) const;
    /// The node below this one, made where there is none.
    FieldSet& at(const PathElement& element);
    /// Adds a path.
    void insert(const FieldPath& path);
    bool contains(const FieldPath& path) const;

    /// As FieldsV1. An empty set is an empty object.
    json::Value to_fields_v1() const;
    /// Errors: Invalid for what is no such object or nested too deeply. Elements that are none are
    /// left out.
    static Result<FieldSet> from_fields_v1(const json::Value& fields);

    /// Calls `visit` with each path of the set: those of a node before longer ones.
    void for_each(const std::function<void(const FieldPath&)>& visit) const;

    friend bool operator==(const FieldSet& a, const FieldSet& b);
};

struct FieldSet::Child {
    PathElement element;
    FieldSet set;

    friend bool operator==(const Child&, const Child&) = default;
};

FieldSet set_union(FieldSet a, const FieldSet& b);
FieldSet set_intersection(const FieldSet& a, const FieldSet& b);
/// What is in `a` and not in `b`.
FieldSet set_difference(FieldSet a, const FieldSet& b);
/// What is in `a` and neither in `b` nor below a path in `b`.
FieldSet set_difference_below(FieldSet a, const FieldSet& b);
/// What is in `a` at or below a path in `b`.
FieldSet set_restriction(const FieldSet& a, const FieldSet& b);
/// The set of dotted paths of member names.
FieldSet set_of_fields(const std::vector<std::string>& dotted_paths);

}  // namespace sluice::apiserver
