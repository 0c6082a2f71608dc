// Describes a job kind as data: suspension, pod sets, progress and end of its objects.
#pragma once

#include "config/problem.hpp"
#include "job_kinds/number.hpp"
#include "job_kinds/path.hpp"
#include "job_kinds/predicate.hpp"
#include "json/value.hpp"

#include <optional>
#include <string>
#include <string_view>
#include <vector>

namespace sluice::job_kinds {

/// Describes what to write to an object to suspend it and to resume it.
struct Suspension {
    Path path;                     ///< from the object; settable
    json::Value suspended = true;  ///< value of a suspended object
    /// Value of a running object. A running object lacks the field if this is nullopt.
    std::optional<json::Value> running;
    /// Values of an object that its user has ended. Such an object is neither suspended nor
    /// resumed, and the value is never overwritten.
    std::vector<json::Value> final_values;

    friend bool operator==(const Suspension&, const Suspension&) = default;
};

/// Pod sets of an object: one for each value that `at` leads to. All other paths begin there.
struct PodSetRule {
    Path at;
    /// The object has these pod sets if this holds, or always if it is nullopt.
    std::optional<Predicate> when;
    std::string name;               ///< name of the only pod set; empty if name_from is set
    std::optional<Path> name_from;  ///< path of the name, which is converted to lower case
    Number replicas;
    Number pods_per_replica;
    Path pod_template;
    /// Label with the rank of a pod (TAS); empty if pods have no ranks.
    std::string pod_index_label;
    /// Label with the rank of a replica; empty: replicas have no ranks.
    std::string sub_group_index_label;
    /// The webhook checks the topology annotations of its template.
    bool has_topology_annotations = true;

    friend bool operator==(const PodSetRule&, const PodSetRule&) = default;
};

/// Describes how an object reports that it has finished.
struct Ending {
    Predicate succeeded;
    Predicate failed;
    /// Path of a message for people, used if the condition has no message.
    std::optional<Path> message;
    /// True if the condition that is listed first decides between success and failure; false if
    /// success takes precedence.
    bool is_first_condition = false;

    friend bool operator==(const Ending&, const Ending&) = default;
};

/// Describes where an object reports replicas that no longer need quota: one value for each pod
/// set.
struct ReclaimableRule {
    Path at;
    Path name;  ///< name of the pod set, as the object spells it
    Path succeeded;
    bool counts_replicas = true;  ///< false: `succeeded` counts pods

    friend bool operator==(const ReclaimableRule&, const ReclaimableRule&) = default;
};

/// Describes everything that Sluice needs to queue, start and stop the objects of a job kind.
struct Description {
    std::string framework;  ///< name in integrations.frameworks. Example: ray.io/rayjob
    std::string group;
    std::string version;
    std::string kind;
    std::string resource;
    Suspension suspension;
    std::vector<PodSetRule> pod_sets;
    /// Paths of the name of a PriorityClass; the first that is set counts.
    std::vector<Path> priority_class;
    Predicate active;  ///< the object has pods that have not ended
    /// All of its pods are ready. If this is nullopt, they are ready when `active` holds.
    std::optional<Predicate> ready;
    std::optional<Ending> finished;  ///< nullopt if objects never finish
    std::optional<ReclaimableRule> reclaimable;
    std::optional<Predicate> left_alone;  ///< such objects are not managed
    std::optional<Predicate> on_hold;     ///< such objects release their quota and wait
    std::vector<Path> immutable_while_running;
    bool may_be_prebuilt = true;
    /// Counts pods that its own pods create, like Spark's driver.
    bool counts_pods_of_pods = false;
    bool may_have_slices = false;          ///< may grow and shrink while it runs (KEP-77)
    bool may_have_pod_set_groups = false;  ///< two pod sets may be placed together (TAS)

    std::string api_version() const { return group.empty() ? version : group + "/" + version; }

    friend bool operator==(const Description&, const Description&) = default;
};

/// Reads a description strictly. Adds its faults to `problems`, each with its place below `path`.
/// The result is usable only if no problem was added.
Description read_description(
    const json::Value& document, std::string_view path, config::Problems& problems
);

}  // namespace sluice::job_kinds
