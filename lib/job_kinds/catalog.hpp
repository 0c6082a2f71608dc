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

/// Texts that describe kinds, as a ConfigMap has them: one description under each key.
struct Sheet {
    std::string name;
    std::optional<Time> created;
    std::map<std::string, std::string> texts;
};

/// A description that is not in force, as its author is told.
struct Refusal {
    std::string sheet;
    std::string key;
    bool is_duplicate = false;  ///< its kind is described elsewhere; else it cannot work
    std::string why;            ///< the place in the description and the reason

    friend bool operator==(const Refusal&, const Refusal&) = default;
};

/// A description that is in force.
struct InForce {
    std::shared_ptr<const Description> description;
    std::string sheet;
    std::string key;
};

/// The kinds that are described while Sluice runs, beside those of its configuration. A text that
/// cannot be used leaves the last usable one of its key in force. Of a kind that is described twice
/// the configuration wins, then the oldest sheet, then the first key.
class Catalog {
  public:
    /// `configured`: what the configuration turns on. `external`: further kinds that it names, as
    /// Kind.group.
    Catalog(std::vector<ConfiguredKind> configured, std::vector<std::string> external);

    /// Takes the sheets as they are now, all of them.
    void set(std::vector<Sheet> sheets);

    const std::vector<InForce>& in_force() const { return in_force_; }
    const std::vector<Refusal>& refusals() const { return refusals_; }

  private:
    using Source = std::pair<std::string, std::string>;  ///< sheet and key

    /// The description to use for the source, if there is any.
    std::shared_ptr<const Description> read(const Source& source, const std::string& text);

    std::vector<ConfiguredKind> configured_;
    std::vector<std::string> external_;
    std::map<Source, std::shared_ptr<const Description>> usable_;  ///< the last of each source
    std::vector<InForce> in_force_;
    std::vector<Refusal> refusals_;
};

}  // namespace sluice::job_kinds
