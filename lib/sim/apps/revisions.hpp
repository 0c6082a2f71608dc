#pragma once

#include "json/value.hpp"
#include "sim/objects/turn.hpp"
#include "sim/objects/write.hpp"

#include <cstdint>
#include <set>
#include <string>
#include <string_view>
#include <vector>

namespace sluice::sim {

/// The label of pods that says of which revision they are.
inline constexpr std::string_view kRevisionHash = "controller-revision-hash";

/// The ControllerRevisions of an object whose pods are made of a template: one for each template
/// that it had, up to `spec.revisionHistoryLimit` of old ones.
class Revisions {
  public:
    /// `label`: the label of a revision with its hash.
    Revisions(const Turn& turn, std::string_view label);

    /// The revision of the template, by name and by hash.
    const std::string& name() const { return name_; }
    const std::string& hash() const { return hash_; }
    /// How many names were taken by other templates.
    std::int64_t collisions() const { return collisions_; }
    /// Makes the revision of the template the newest one: it is created, or gets the next number.
    void save(Outcome& outcome) const;
    /// Removes the oldest of the old ones, but none whose name or hash is in use.
    void forget_old(const std::set<std::string, std::less<>>& in_use, Outcome& outcome) const;

  private:
    void choose_name();

    const Turn& turn_;
    std::string label_;
    json::Value template_;
    json::Value data_;                            ///< what a revision of the template holds
    const json::Value* current_ = nullptr;        ///< nullptr: it is to be created
    std::vector<const json::Value*> duplicates_;  ///< further ones of the same template
    std::vector<const json::Value*> old_;         ///< by number
    std::string name_;
    std::string hash_;
    std::int64_t collisions_ = 0;
};

}  // namespace sluice::sim
