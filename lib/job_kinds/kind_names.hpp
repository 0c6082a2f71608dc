// Records which names of kinds, resources and frameworks are taken.
#pragma once

#include "config/problem.hpp"
#include "job_kinds/description.hpp"

#include <map>
#include <string>
#include <string_view>
#include <vector>

namespace sluice::job_kinds {

/// Records which names of kinds, resources and frameworks are taken, and by which description. A
/// kind may be described only once.
class KindNames {
  public:
    struct Conflict {
        config::Problem problem;  ///< path below that of the description
        /// Another description has the name; false: the name is Sluice's own.
        bool is_duplicate = false;
    };

    /// Takes the names of all kinds that Sluice knows without a user's description.
    KindNames();

    /// Takes the names of a description for its owner, whose name appears in messages. Takes no
    /// name if any of them is taken already. Returns the conflicts.
    std::vector<Conflict> claim(const Description& description, std::string_view owner);

  private:
    /// Owners of names; an empty owner is Sluice itself.
    using Owners = std::map<std::string, std::string, std::less<>>;

    Owners kinds_;       ///< Kind.group
    Owners resources_;   ///< resource.group
    Owners frameworks_;  ///< as integrations.frameworks has them
};

}  // namespace sluice::job_kinds
