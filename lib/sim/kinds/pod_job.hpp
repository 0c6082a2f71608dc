#pragma once

#include "job_kinds/description.hpp"
#include "json/value.hpp"
#include "sim/objects/turn.hpp"

#include <cstdint>
#include <functional>
#include <string>
#include <vector>

/// Kinds of jobs whose controller makes pods of its own, as their description says which.
namespace sluice::sim {

/// The pods of one pod set as they are now.
struct Replicas {
    std::string name;       ///< of the pod set, in lower case
    std::string said_name;  ///< as the object spells it
    json::Value pod_template;
    std::int64_t wanted = 0;
    std::int64_t active = 0;  ///< neither ended nor deleted
    std::int64_t ready = 0;
    std::int64_t succeeded = 0;
    std::int64_t failed = 0;
    std::vector<const json::Value*> pods;  ///< all that are there, by their numbers
};

/// How far a job is.
enum class Stage : std::uint8_t { Suspended, Running, Succeeded, Failed };

/// A job and its pods, as its controller sees them.
struct PodJob {
    const Turn& turn;
    std::vector<Replicas> replicas;
    Stage stage = Stage::Running;

    bool is_ready() const;
    std::int64_t ready() const;
    std::int64_t active() const;
};

/// What tells one of these kinds from the others.
struct PodJobKind {
    const job_kinds::Description* description = nullptr;
    /// The object with the templates that the description looks for; none: it has them.
    std::function<Result<json::Value>(const json::Value& object)> complete{};
    /// Name of the pod of that number in the pod set. It ends in the number or in the one after it,
    /// unless the pod set has one pod.
    std::function<std::string(const json::Value& object, const Replicas&, std::int64_t)> pod_name;
    /// Writes into a pod what the controller adds to its template.
    std::function<void(json::Value& pod, const json::Value& object, const Replicas&, std::int64_t)>
        dress{};
    /// How many of these pods are to be there now; none: all.
    std::function<std::int64_t(const PodJob&, const Replicas&)> count{};
    /// Running, or how it has ended.
    std::function<Stage(const PodJob&, Outcome&)> judge;
    /// Whether a pod of a job that is over is deleted; none: it stays.
    std::function<bool(const json::Value& object, const json::Value& pod)> is_cleaned{};
    /// The pods of a job that is not over are replaced when they have failed.
    bool replaces_failed = false;
    std::function<json::Value(const PodJob&)> status;
};

/// One turn of the controller of the kind.
Outcome reconcile_pod_job(const PodJobKind& kind, const Turn& turn);

}  // namespace sluice::sim
