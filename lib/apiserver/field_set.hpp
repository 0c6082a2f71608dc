#pragma once

#include "apiserver/shape.hpp"
#include "json/value.hpp"

#include <map>
#include <string>
#include <vector>

namespace sluice::apiserver {

/// A set of fields of an object, in the form of metadata.managedFields (FieldsV1): `f:` names a
/// member, `k:` an element of a keyed list, `v:` one of a set; `.` is the container itself.
class FieldSet {
  public:
    static FieldSet from_value(const json::Value& fields_v1);
    json::Value to_value() const;

    bool empty() const { return !is_self_ && children_.empty(); }
    void insert_self() { is_self_ = true; }
    FieldSet& child(const std::string& key) { return children_[key]; }
    void insert(const FieldSet& other);
    /// Removes the fields of the other set, and with a container all below it.
    void remove(const FieldSet& other);
    FieldSet common(const FieldSet& other) const;
    /// Drops one field and all below it.
    void erase(const std::vector<std::string>& path);
    /// Keeps that member alone.
    void keep(const std::string& key);
    /// The fields as texts, such as `.spec.containers[name="a"].image`.
    std::vector<std::string> paths() const;

    bool is_self() const { return is_self_; }
    const std::map<std::string, FieldSet>& children() const { return children_; }

    friend bool operator==(const FieldSet&, const FieldSet&) = default;

  private:
    void add_paths(const std::string& prefix, std::vector<std::string>& out) const;
    void tidy();

    bool is_self_ = false;
    std::map<std::string, FieldSet> children_;
};

/// The fields that a configuration names when it is applied.
FieldSet collect_fields(const json::Value& config, const Shape& shape);

/// What is another between two states of an object.
struct FieldChanges {
    FieldSet set;      ///< added, or of another value
    FieldSet removed;  ///< not there any more
};
FieldChanges compare_fields(
    const json::Value& before, const json::Value& after, const Shape& shape
);

/// Merges a configuration into an object, as server-side apply does: objects by member, keyed
/// lists by element, all else as a whole.
void merge_config(json::Value& object, const json::Value& config, const Shape& shape);

/// Removes from the object those fields.
void remove_fields(json::Value& object, const FieldSet& fields, const Shape& shape);

}  // namespace sluice::apiserver
