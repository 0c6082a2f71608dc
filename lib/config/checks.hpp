// The checks that the rows of the table of keys name.
#pragma once

#include "config/configuration.hpp"
#include "config/feature_gates.hpp"
#include "config/framework.hpp"
#include "config/problem.hpp"

#include <fmt/core.h>

#include <initializer_list>
#include <map>
#include <optional>
#include <span>
#include <string>
#include <string_view>
#include <vector>

namespace sluice::config {

/// The key that is checked, with what a check may look at besides its value.
struct Checking {
    std::string path;
    const Configuration& configuration;
    const FeatureGates& gates;
    std::span<const Framework> frameworks;  ///< all that may be listed
    Problems& problems;

    /// Adds a problem of this key.
    void add(std::string_view why) const { problems.add(path, why); }
    /// Returns the key below this one.
    Checking inside(std::string_view name) const;
    /// Returns an item of this list or an entry of this map.
    Checking item(const auto& index) const {
        return {fmt::format("{}[{}]", path, index), configuration, gates, frameworks, problems};
    }
};

/// Checks that no number and no duration is negative.
struct NotNegative {
    template <class T>
    void operator()(const Checking& at, const T& value) const {
        if (value < T{}) {
            at.add("must be greater than or equal to 0");
        }
    }
    template <class T>
    void operator()(const Checking& at, const std::optional<T>& value) const {
        (*this)(at, value.value_or(T{}));
    }
    template <class T>
    void operator()(const Checking& at, const std::map<std::string, T>& values) const {
        for (const auto& [key, value] : values) {
            (*this)(at.item(key), value);
        }
    }
};

/// Checks that the text is one of these.
void check_one_of(
    const Checking& at, std::string_view value, std::initializer_list<std::string_view> allowed
);
/// Checks managedJobsNamespaceSelector. It must be well-formed and exclude kube-system and Sluice's
/// own namespace, because nothing else could start their jobs.
void check_namespace_selector(const Checking& at, const api::LabelSelector& selector);
/// Compares the keys of tls.
void check_tls(const Checking& at, const TlsOptions& tls);
/// Checks the names of internalCertManagement, unless it is turned off.
void check_certificates(const Checking& at, const InternalCertManagement& certs);
/// Checks leaderElection, unless it is turned off. The rules are those of client-go:
/// leaseDuration > renewDeadline > 1.2 times retryPeriod, all greater than 0, and a lock of kind
/// Lease. In addition, leaseDuration is rounded to the whole seconds that the Lease records,
/// because other replicas wait for these.
void check_leader_election(const Checking& at, const LeaderElection& election);
/// Checks metrics.customLabels.
void check_custom_labels(const Checking& at, const std::vector<CustomLabel>& labels);
/// Checks integrations: each kind of job is listed once.
void check_integrations(const Checking& at, const Integrations& integrations);
/// Checks multiKueue.origin, and compares the other keys of multiKueue with each other and with
/// integrations.
void check_multi_kueue(const Checking& at, const MultiKueue& multi_kueue);
/// Checks resources: the strategies of transformations and of quotas, and device classes.
void check_resources(const Checking& at, const Resources& resources);
/// Checks resources.deviceClassMappings as a part of check_resources().
void check_device_class_mappings(
    const Checking& at, const std::vector<DeviceClassMapping>& mappings
);

}  // namespace sluice::config
