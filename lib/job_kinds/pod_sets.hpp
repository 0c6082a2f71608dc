#pragma once

#include "base/error.hpp"
#include "job_kinds/description.hpp"
#include "json/value.hpp"

#include <cstdint>
#include <string>
#include <utility>
#include <vector>

namespace sluice::job_kinds {

/// A pod set that an object has.
struct DescribedPodSet {
    std::string name;
    std::string said_name;  ///< as the object spells it
    std::int32_t replicas = 1;
    std::int32_t pods_per_replica = 1;
    Location pod_template;             ///< from the object
    const PodSetRule* rule = nullptr;  ///< of the description

    std::int32_t count() const { return replicas * pods_per_replica; }
};

/// The pod sets of the object in the order of the description's rules. A template that is not there
/// is found by whoever reads it. Errors: Invalid with the place of a number that counts no pods, of
/// a name that no pod set may have, or of one that two have. Lifetime: refers to the description.
Result<std::vector<DescribedPodSet>> find_pod_sets(
    const Description& description, const json::Value& object
);

/// The replicas or pods that have succeeded, in pods, of each pod set that has some, in the order
/// of the pod sets; at most all of them. Of two entries of a name the last one counts. Requires:
/// find_pod_sets made `pod_sets`.
std::vector<std::pair<std::string, std::int32_t>> find_reclaimable(
    const Description& description,
    const std::vector<DescribedPodSet>& pod_sets,
    const json::Value& object
);

}  // namespace sluice::job_kinds
