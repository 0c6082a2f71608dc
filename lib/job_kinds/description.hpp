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

/// What is written to an object so that its controller runs no pods, and so that it runs them.
struct Suspension {
    Path path;                           ///< from the object; settable
    json::Value suspended = true;        ///< the value of an object that is held
    std::optional<json::Value> running;  ///< of one that runs; none: there is no such field then
    /// Of one that its user has ended by them: neither held nor started, and never overwritten.
    std::vector<json::Value> final_values;

    friend bool operator==(const Suspension&, const Suspension&) = default;
};

/// Pod sets of an object: one for each value that `at` leads to. All other paths start there.
struct PodSetRule {
    Path at;
    std::optional<Predicate> when;  ///< of the object: it has these pod sets; none: always
    std::string name;               ///< of the only pod set, or
    std::optional<Path> name_from;  ///< where its name is, which is written in lower case
    Number replicas;
    Number pods_per_replica;
    Path pod_template;
    std::string pod_index_label;           ///< of the rank of a pod (TAS); "": it has none
    std::string sub_group_index_label;     ///< of the rank of a replica; "": replicas have none
    bool has_topology_annotations = true;  ///< the webhook checks those of its template

    friend bool operator==(const PodSetRule&, const PodSetRule&) = default;
};

/// How an object says that it is over.
struct Ending {
    Predicate succeeded;
    Predicate failed;
    std::optional<Path> message;  ///< where what a person is told is, if no condition says it
    /// Of two conditions the one that is listed first counts; else success does.
    bool is_first_condition = false;

    friend bool operator==(const Ending&, const Ending&) = default;
};

/// Where an object says which replicas need no quota any more: of each pod set one value.
struct ReclaimableRule {
    Path at;
    Path name;  ///< of the pod set, as the object spells it there
    Path succeeded;
    bool counts_replicas = true;  ///< else `succeeded` counts pods

    friend bool operator==(const ReclaimableRule&, const ReclaimableRule&) = default;
};

/// All that is to be known of a kind of jobs in order to queue, start and stop its objects.
struct Description {
    std::string framework;  ///< as integrations.frameworks names it. Example: ray.io/rayjob
    std::string group;
    std::string version;
    std::string kind;
    std::string resource;
    Suspension suspension;
    std::vector<PodSetRule> pod_sets;
    std::vector<Path> priority_class;  ///< of a PriorityClass, the first that is there
    Predicate active;                  ///< it has pods that have not ended
    std::optional<Predicate> ready;    ///< all of its pods are; none: they are when it is active
    std::optional<Ending> finished;    ///< none: it never ends by itself
    std::optional<ReclaimableRule> reclaimable;
    std::optional<Predicate> left_alone;  ///< such objects are not managed
    std::optional<Predicate> on_hold;     ///< such objects give their quota back and wait
    std::vector<Path> immutable_while_running;
    bool may_be_prebuilt = true;
    bool counts_pods_of_pods = false;      ///< its pods make pods that it counts, as Spark's driver
    bool may_have_slices = false;          ///< it may grow and shrink while it runs (KEP-77)
    bool may_have_pod_set_groups = false;  ///< two pod sets may be placed together (TAS)

    std::string api_version() const { return group.empty() ? version : group + "/" + version; }

    friend bool operator==(const Description&, const Description&) = default;
};

/// Reads a description strictly. What is wrong with it is added to `problems`, each with its place
/// below `path`; the result is of use only if nothing was.
Description read_description(
    const json::Value& document, std::string_view path, config::Problems& problems
);

}  // namespace sluice::job_kinds
