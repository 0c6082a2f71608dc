// Sets of field paths, as FieldsV1 of metadata.managedFields encodes them.
#pragma once

#include "apiserver/objects/field_path.hpp"
#include "base/error.hpp"
#include "json/value.hpp"

#include <functional>
#include <string_view>
#include <vector>

namespace sluice::apiserver {

/// A set of paths as a tree. Each node is one path, which is either in the set or only a prefix of
/// longer paths.
class FieldSet {
  public:
    struct Child;

    bool is_member = false;       ///< the path of this node is in the set
    std::vector<Child> children;  ///< sorted by element

    /// Returns true if neither the path of this node nor a longer one is in the set.
    bool empty() const { return !is_member && children.empty(); }
    /// Returns the child of that element; nullptr if the node does not have it.
    const FieldSet* find(const PathElement& element) const;
    /// Returns the child of that element; adds an empty child if the node does not have it.
    FieldSet& at(const PathElement& element);
    /// Adds a path to the set.
    void insert(const FieldPath& path);
    /// Returns true if the path itself is in the set.
    bool contains(const FieldPath& path) const;

    /// Encodes the set as FieldsV1. An empty set is an empty object.
    json::Value to_fields_v1() const;
    /// Decodes FieldsV1. Skips members that are not valid path elements. Errors: Invalid for a
    /// value that is not an object or is nested too deeply.
    static Result<FieldSet> from_fields_v1(const json::Value& fields);

    /// Calls `visit` with each path of the set; a path comes before the longer paths below it.
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
/// Returns the paths in `a` that are not in `b`.
FieldSet set_difference(FieldSet a, const FieldSet& b);
/// Returns the paths in `a` that are neither in `b` nor below a path in `b`.
FieldSet set_difference_below(FieldSet a, const FieldSet& b);
/// Returns the paths in `a` that are in `b` or below a path in `b`.
FieldSet set_restriction(const FieldSet& a, const FieldSet& b);
/// Returns the set of these paths, each of which is member names joined by dots.
FieldSet set_of_fields(const std::vector<std::string>& dotted_paths);

}  // namespace sluice::apiserver
