// Finds the pod sets of an object by the description of its kind.
#pragma once

#include "base/error.hpp"
#include "job_kinds/description.hpp"
#include "json/value.hpp"

#include <cstdint>
#include <string>
#include <utility>
#include <vector>

namespace sluice::job_kinds {

/// A pod set of an object.
struct DescribedPodSet {
    std::string name;
    std::string said_name;  ///< name as the object spells it
    std::int32_t replicas = 1;
    std::int32_t pods_per_replica = 1;
    Location pod_template;             ///< location in the object
    const PodSetRule* rule = nullptr;  ///< of the description

    std::int32_t count() const { return replicas * pods_per_replica; }
};

/// Returns the pod sets of the object in the order of the description's rules. Does not check that
/// the templates exist. Errors: Invalid with the place of an invalid number, of an invalid pod set
/// name, or of a name that two pod sets have. *Lifetime*: refers to the description.
Result<std::vector<DescribedPodSet>> find_pod_sets(
    const Description& description, const json::Value& object
);

/// Returns the number of pods that no longer need quota, in the order of the pod sets, for each pod
/// set that reports succeeded pods or replicas. A number above the size of the pod set is ignored.
/// The last of two entries with the same name counts. Requires: find_pod_sets() made `pod_sets`.
std::vector<std::pair<std::string, std::int32_t>> find_reclaimable(
    const Description& description,
    const std::vector<DescribedPodSet>& pod_sets,
    const json::Value& object
);

}  // namespace sluice::job_kinds
