// Simulates controllers of job kinds that create pods themselves.
#pragma once

#include "job_kinds/description.hpp"
#include "json/value.hpp"
#include "sim/objects/turn.hpp"

#include <cstdint>
#include <functional>
#include <string>
#include <vector>

/// Simulates job kinds whose controller creates pods itself. Their description defines the pod
/// sets.
namespace sluice::sim {

/// The present pods of one pod set.
struct Replicas {
    std::string name;       ///< name of the pod set, in lower case
    std::string said_name;  ///< name as the object spells it
    json::Value pod_template;
    std::int64_t wanted = 0;
    std::int64_t active = 0;  ///< neither ended nor deleted
    std::int64_t ready = 0;
    std::int64_t succeeded = 0;
    std::int64_t failed = 0;
    std::vector<const json::Value*> pods;  ///< all existing pods, by their numbers
};

/// The stage of a job.
enum class Stage : std::uint8_t { Suspended, Running, Succeeded, Failed };

/// A job and its pods, as its controller sees them.
struct PodJob {
    const Turn& turn;
    std::vector<Replicas> replicas;
    Stage stage = Stage::Running;

    /// Returns true if all wanted pods are ready or have succeeded.
    bool is_ready() const;
    /// Returns the number of ready pods in all pod sets.
    std::int64_t ready() const;
    /// Returns the number of active pods in all pod sets.
    std::int64_t active() const;
};

/// The differences between these kinds.
struct PodJobKind {
    const job_kinds::Description* description = nullptr;
    /// Returns the object with the templates that the description refers to. Empty if the object
    /// has them itself.
    std::function<Result<json::Value>(const json::Value& object)> complete{};
    /// Returns the name of the pod with that number in the pod set. The name ends in the number or
    /// in the next number, unless the pod set has only one pod.
    std::function<std::string(const json::Value& object, const Replicas&, std::int64_t)> pod_name;
    /// Adds to a pod what the controller adds to its template.
    std::function<void(json::Value& pod, const json::Value& object, const Replicas&, std::int64_t)>
        dress{};
    /// Returns how many of these pods must exist at present. Empty if all must exist.
    std::function<std::int64_t(const PodJob&, const Replicas&)> count{};
    /// Returns Running, or how the job has ended.
    std::function<Stage(const PodJob&, Outcome&)> judge;
    /// Returns true if a pod of a finished job must be deleted. Empty if all pods stay.
    std::function<bool(const json::Value& object, const json::Value& pod)> is_cleaned{};
    /// True if failed pods are replaced while the job is not finished.
    bool replaces_failed = false;
    /// Returns the new status of the object.
    std::function<json::Value(const PodJob&)> status;
};

/// Returns the writes of one turn of the kind's controller.
Outcome reconcile_pod_job(const PodJobKind& kind, const Turn& turn);

}  // namespace sluice::sim
