#include "config/validation.hpp"

#include "config/checks.hpp"
#include "config/keys.hpp"
#include "config/problem.hpp"

#include <algorithm>
#include <array>
#include <span>
#include <string_view>

namespace sluice::config {
namespace {

/// The keys of a Configuration in the order in which their problems are reported. The others follow
/// in the order of the table.
constexpr std::array<std::string_view, 13> kReportOrder = {
    "waitForPodsReady",
    "integrations",
    "multiKueue",
    "fairSharing",
    "admissionFairSharing",
    "internalCertManagement",
    "resources",
    "metrics",
    "tls",
    "visibilityServer",
    "webhook",
    "objectRetentionPolicies",
    "managedJobsNamespaceSelector",
};

}  // namespace

std::optional<WaitForPodsReady> effective_wait_for_pods_ready(
    const Configuration& configuration, const FeatureGates& gates
) {
    if (gates.is_enabled(Feature::DisableWaitForPodsReady)) {
        return std::nullopt;
    }
    return configuration.wait_for_pods_ready;
}

std::vector<Problem> validate(
    const Configuration& configuration,
    const FeatureGates& gates,
    std::span<const Framework> frameworks
) {
    Problems out;
    auto checked = configuration;
    checked.wait_for_pods_ready = effective_wait_for_pods_ready(configuration, gates);
    std::vector<Key<Configuration>> keys(configuration_keys().begin(), configuration_keys().end());
    std::ranges::stable_sort(keys, {}, [](const Key<Configuration>& key) {
        return std::ranges::find(kReportOrder, key.name);
    });
    const Checking at{
        .path = "",
        .configuration = checked,
        .gates = gates,
        .frameworks = frameworks,
        .problems = out
    };
    check_keys(keys, at, checked);
    return out.take();
}

}  // namespace sluice::config
