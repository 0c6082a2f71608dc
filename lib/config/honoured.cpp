#include "config/honoured.hpp"

#include "config/keys.hpp"

#include <cstddef>
#include <string>
#include <utility>
#include <vector>

namespace sluice::config {

std::vector<Problem> unsupported_settings(
    const Configuration& configuration, const FeatureGates& gates, Command command
) {
    Report report{.command = command, .found = {}};
    const auto defaults = default_configuration(configuration.namespace_);
    report_keys(configuration_keys(), report, "", configuration, defaults);
    constexpr const char* kFault = "is not supported";
    std::vector<Problem> found;
    for (std::string& path : report.found) {
        found.push_back({.path = std::move(path), .why = kFault});
    }
    for (std::size_t i = 0; i < kFeatures.size(); ++i) {
        const auto feature = static_cast<Feature>(i);
        // Many features that are not implemented are on by default. A file that names such a gate
        // asks for the feature.
        const bool is_asked_for =
            gates.is_enabled(feature) && (!kFeatures[i].default_on || gates.is_named(feature));
        if (kFeatures[i].build == FeatureBuild::NotBuilt && is_asked_for) {
            found.push_back(gates.problem_of(to_string(feature), kFault));
        }
    }
    return found;
}

}  // namespace sluice::config
