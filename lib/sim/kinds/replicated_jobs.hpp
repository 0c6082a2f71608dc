// Manages the replicated Jobs of JobSets and TrainJobs.
#pragma once

#include "json/value.hpp"
#include "sim/objects/turn.hpp"

#include <cstdint>
#include <string>
#include <vector>

/// Manages replicated Jobs, which JobSets and TrainJobs have.
namespace sluice::sim {

/// The present Jobs of one entry of `replicatedJobs`.
struct ReplicatedJob {
    const json::Value* spec = nullptr;  ///< the entry
    std::string name;
    std::int64_t wanted = 1;
    std::int64_t active = 0;  ///< Jobs with active pods
    std::int64_t ready = 0;   ///< Jobs all of whose pods are ready or have succeeded
    std::int64_t succeeded = 0;
    std::int64_t failed = 0;
    std::int64_t suspended = 0;
    std::vector<const json::Value*> jobs;

    bool is_complete() const { return succeeded >= wanted; }
    bool is_ready() const { return ready + succeeded >= wanted; }
    /// Returns the entry of a status.
    json::Value to_status() const;
};

/// All replicated Jobs of an object.
struct ReplicatedJobs {
    const json::Value& owner;
    std::vector<ReplicatedJob> all;
    bool is_suspended = false;
    bool is_in_order = false;   ///< each waits until the previous one is ready
    std::int64_t restarts = 0;  ///< number of restarts; Jobs of earlier attempts are deleted

    /// Finds the Jobs of each entry among the Jobs that the owner controls. *Lifetime*: `entries`
    /// must outlive the result.
    static ReplicatedJobs find(const Turn& turn, const json::Array& entries);

    bool has_failed() const;
    /// Creates missing Jobs when their dependencies allow it, and suspends and resumes existing
    /// ones.
    void manage(Outcome& outcome) const;
    /// Deletes the Jobs that have not finished.
    void remove_active(Outcome& outcome) const;
    json::Array statuses() const;

  private:
    bool may_start(std::size_t place) const;
    std::string name_of_job(const ReplicatedJob& each, std::int64_t number) const;
    json::Value make_job(const ReplicatedJob& each, std::int64_t number) const;
};

}  // namespace sluice::sim
