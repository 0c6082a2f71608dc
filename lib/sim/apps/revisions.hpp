// ControllerRevisions of a StatefulSet: one for each pod template that it had.
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

/// The label of pods with the hash of their revision.
inline constexpr std::string_view kRevisionHash = "controller-revision-hash";

/// The ControllerRevisions of an object with a pod template: one for each template that it had,
/// with at most `spec.revisionHistoryLimit` old ones.
class Revisions {
  public:
    /// `label`: the label of a revision that has its hash.
    Revisions(const Turn& turn, std::string_view label);

    /// Return the name and the hash of the current template's revision.
    const std::string& name() const { return name_; }
    const std::string& hash() const { return hash_; }
    /// Returns the number of names that other templates have taken.
    std::int64_t collisions() const { return collisions_; }
    /// Makes the revision of the current template the newest one: creates it, or gives it the next
    /// number.
    void save(Outcome& outcome) const;
    /// Deletes the oldest revisions beyond the limit, except those whose name or hash is in use.
    void forget_old(const std::set<std::string, std::less<>>& in_use, Outcome& outcome) const;

  private:
    void choose_name();

    const Turn& turn_;
    std::string label_;
    json::Value template_;
    json::Value data_;  ///< the data of a revision of the template
    /// Revision of the template; null if it must be created.
    const json::Value* current_ = nullptr;
    std::vector<const json::Value*> duplicates_;  ///< further revisions of the same template
    std::vector<const json::Value*> old_;         ///< revisions of earlier templates, by number
    std::string name_;
    std::string hash_;
    std::int64_t collisions_ = 0;
};

}  // namespace sluice::sim
