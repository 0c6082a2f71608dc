// The job kinds that ConfigMaps describe while Sluice runs, and why others are rejected.
#pragma once

#include "base/clock.hpp"
#include "job_kinds/configured.hpp"

#include <map>
#include <memory>
#include <optional>
#include <string>
#include <utility>
#include <vector>

namespace sluice::job_kinds {

/// A ConfigMap that describes job kinds: one description under each key.
struct Sheet {
    std::string name;
    std::optional<Time> created;
    std::map<std::string, std::string> texts;
};

/// Reports to the author of a description why it is not in force.
struct Refusal {
    std::string sheet;
    std::string key;
    /// The kind is described elsewhere; false if the description is invalid.
    bool is_duplicate = false;
    std::string why;  ///< place in the description, and the reason

    friend bool operator==(const Refusal&, const Refusal&) = default;
};

/// A description that is in force.
struct InForce {
    std::shared_ptr<const Description> description;
    std::string sheet;
    std::string key;
};

/// The job kinds that ConfigMaps describe while Sluice runs, in addition to those of the
/// configuration. If a text is invalid, the last valid text of its key stays in force. If a kind is
/// described twice, the configuration takes precedence, then the oldest sheet, then the first key.
class Catalog {
  public:
    /// `configured`: the kinds that the configuration turns on. `external`: names of further kinds
    /// in the configuration, as Kind.group.
    Catalog(std::vector<ConfiguredKind> configured, std::vector<std::string> external);

    /// Replaces all sheets by the present ones.
    void set(std::vector<Sheet> sheets);

    const std::vector<InForce>& in_force() const { return in_force_; }
    const std::vector<Refusal>& refusals() const { return refusals_; }

  private:
    using Source = std::pair<std::string, std::string>;  ///< sheet and key

    /// Returns the description in force for the source; nullptr if it never had a valid one.
    std::shared_ptr<const Description> read(const Source& source, const std::string& text);

    std::vector<ConfiguredKind> configured_;
    std::vector<std::string> external_;
    /// The last valid description of each source.
    std::map<Source, std::shared_ptr<const Description>> usable_;
    std::vector<InForce> in_force_;
    std::vector<Refusal> refusals_;
};

}  // namespace sluice::job_kinds
