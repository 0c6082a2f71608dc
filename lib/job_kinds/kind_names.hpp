#pragma once

#include "config/problem.hpp"
#include "job_kinds/description.hpp"

#include <map>
#include <string>
#include <string_view>
#include <vector>

namespace sluice::job_kinds {

/// Which names of kinds, resources and frameworks are taken, and by which description. A kind may
/// be described once.
class KindNames {
  public:
    struct Conflict {
        config::Problem problem;    ///< its path is below that of the description
        bool is_duplicate = false;  ///< another description has the name; else Sluice itself has
    };

    /// Those that Sluice knows by itself are taken.
    KindNames();

    /// Takes the names of the description for its owner, whom messages name; nothing is taken if
    /// any name is taken already. Returns what stands against it.
    std::vector<Conflict> claim(const Description& description, std::string_view owner);

  private:
    /// "" owns what Sluice knows by itself.
    using Owners = std::map<std::string, std::string, std::less<>>;

    Owners kinds_;       ///< Kind.group
    Owners resources_;   ///< resource.group
    Owners frameworks_;  ///< as integrations.frameworks has them
};

}  // namespace sluice::job_kinds
