// Simulates the controllers of job kinds that create pods themselves.
#pragma once

#include "job_kinds/builtin.hpp"
#include "job_kinds/simulation.hpp"
#include "json/value.hpp"
#include "sim/objects/turn.hpp"

#include <cstdint>
#include <map>
#include <string>
#include <string_view>
#include <vector>

/// Simulates the controllers of job kinds that create pods themselves. The description of a kind
/// defines the pod sets; its simulation defines the pods, the end of jobs and the status.
namespace sluice::sim {

/// The present pods of one pod set.
struct Replicas {
    std::string name;  ///< name of the pod set, in lower case
    std::string key;   ///< key of the pod set in the object, or its name as the object spells it
    /// Name and labels of pods, with the placeholders {index} and {number}.
    std::string pod_name;
    std::map<std::string, std::string> labels;
    json::Value pod_template;
    std::string restart_policy;  ///< empty: that of the template
    std::int64_t wanted = 0;
    std::int64_t active = 0;  ///< neither ended nor deleted
    std::int64_t ready = 0;
    std::int64_t succeeded = 0;
    std::int64_t failed = 0;
    std::vector<const json::Value*> pods;  ///< all existing pods, by their numbers
};

/// A job and its pods, as its controller sees them.
struct PodJob {
    const Turn& turn;
    const job_kinds::BuiltinKind& kind;
    std::vector<Replicas> replicas;
    job_kinds::JobStage stage = job_kinds::JobStage::Starting;

    /// Returns the number of active pods in all pod sets.
    std::int64_t active() const;
    /// Returns true if the pods of the pod set are created after all others are ready.
    bool are_last(const Replicas& each) const;
    /// Returns true if all pods are ready, except those that are created last.
    bool are_first_ready() const;
    /// Returns the pod set that decides how the job ends; nullptr if time decides.
    const Replicas* find_decider() const;
};

/// Returns how the kind is simulated. Requires: it is.
const job_kinds::Simulation& simulation_of(const job_kinds::BuiltinKind& kind);
/// Returns the writes of one turn of the kind's controller. Requires: the kind has a simulation.
Outcome reconcile_pod_job(const job_kinds::BuiltinKind& kind, const Turn& turn);

}  // namespace sluice::sim
