// Describes how a simulated cluster plays the controller of a job kind that creates pods.
#pragma once

#include "config/problem.hpp"
#include "job_kinds/path.hpp"
#include "job_kinds/predicate.hpp"
#include "json/value.hpp"

#include <cstdint>
#include <map>
#include <optional>
#include <string>
#include <string_view>
#include <vector>

namespace sluice::job_kinds {

/// Chooses pod sets by their names.
struct PodSetChoice {
    std::vector<std::string> of;  ///< empty: all pod sets
    std::vector<std::string> except;

    bool includes(std::string_view pod_set) const;
};

/// The name, labels and other fields that the controller adds to the templates of pods. Texts may
/// have the placeholders {name} (of the object), {Kind}, {kind} (in lower case), {podSet},
/// {podSetAsWritten} (as the object spells it), {index} (from 0) and {number} (from 1).
struct SimulatedPods {
    PodSetChoice pod_sets;
    std::string name;  ///< ends in the index or number, unless the pod set has only one pod
    std::map<std::string, std::string> labels;
    /// Annotations of the object that its pods get, unless they have them.
    std::vector<std::string> inherited_annotations;
    std::string restart_policy;  ///< empty: that of the template
    /// From the pod set. The policy ExitCode tries pods again whose exit code is that of a signal.
    std::optional<Path> restart_policy_from;
    bool are_last = false;  ///< created when all pods of the other pod sets are ready
};

/// Describes how a job ends.
struct SimulatedEnd {
    /// The first of these pod sets that has pods decides.
    std::vector<std::string> deciders;
    bool fails_with_any = false;  ///< a failed pod of any pod set fails the job
    /// A job without a deciding pod set ends a run time after the time at this path. Without the
    /// path, its first pod set decides.
    std::optional<Path> ready_since;
};

/// Chooses the pods of a finished job that are deleted.
struct SimulatedCleanup {
    PodSetChoice pod_sets;
    std::optional<Predicate> when;  ///< a property of the object; true if it is nullopt
    bool only_active = false;
};

/// The stage of a job.
enum class JobStage : std::uint8_t {
    Suspending,  ///< suspended, and pods are still active
    Suspended,
    Starting,
    Running,
    Succeeded,
    Failed,
};

/// A condition that the controller sets. Reason and message may have the placeholders {name},
/// {Kind} and {kind}.
struct SimulatedCondition {
    std::string type;
    bool status = true;
    std::string reason;
    std::string message;
    bool only_if_present = false;
};

/// A part of the status. All parts that apply to a stage are merged.
struct SimulatedStatus {
    std::vector<JobStage> stages;  ///< empty: all stages
    std::vector<SimulatedCondition> conditions;
    /// The fields, except conditions. Texts may have the placeholders of conditions, and be {now},
    /// {since} (the time when the field was first set) or {generation}. An object with one of these
    /// members is the placeholder of a value: $count (the number of wanted, active, ready,
    /// succeeded or failed pods), $perPodSet (an object for each pod set, without counts of 0),
    /// $perPod (a text for each phase of a pod) and $podName (the name of the pod set's first pod,
    /// if it exists).
    json::Value fields = json::Object();
};

/// Describes how a simulated cluster plays the controller of a job kind that creates pods.
struct Simulation {
    std::vector<SimulatedPods> pods;  ///< all entries that include a pod set apply, in this order
    std::optional<SimulatedEnd> end;  ///< nullopt if jobs do not end; their pods are replaced
    /// True if a job runs when a pod of the deciding pod set is ready; false if it runs when all
    /// pods are ready, except the last ones.
    bool runs_with_decider = false;
    std::optional<Predicate> stays_running;  ///< the job runs as long as its object says so
    std::vector<SimulatedCleanup> cleanup;
    std::vector<SimulatedStatus> status;
};

/// Reads the key `simulation` of a built-in kind strictly. Adds its faults to `problems`, each with
/// its place below `path`.
Simulation read_simulation(
    const json::Value& document, const std::string& path, config::Problems& problems
);

}  // namespace sluice::job_kinds
