#pragma once

#include "json/value.hpp"
#include "sim/objects/turn.hpp"

#include <cstdint>
#include <string>
#include <vector>

/// Jobs that come in replicas: what JobSets make, and TrainJobs as well.
namespace sluice::sim {

/// The Jobs of one entry of `replicatedJobs` as they are now.
struct ReplicatedJob {
    const json::Value* spec = nullptr;  ///< the entry
    std::string name;
    std::int64_t wanted = 1;
    std::int64_t active = 0;  ///< with pods that are active
    std::int64_t ready = 0;   ///< all of whose pods are ready or have succeeded
    std::int64_t succeeded = 0;
    std::int64_t failed = 0;
    std::int64_t suspended = 0;
    std::vector<const json::Value*> jobs;

    bool is_complete() const { return succeeded >= wanted; }
    bool is_ready() const { return ready + succeeded >= wanted; }
    /// As a status lists it.
    json::Value to_status() const;
};

/// What an object says of its replicated Jobs.
struct ReplicatedJobs {
    const json::Value& owner;
    std::vector<ReplicatedJob> all;
    bool is_suspended = false;
    bool is_in_order = false;   ///< each waits until the one before it is ready
    std::int64_t restarts = 0;  ///< Jobs of earlier attempts are deleted

    /// Finds the Jobs of each entry among those that the owner controls. `entries` must outlive it.
    static ReplicatedJobs find(const Turn& turn, const json::Array& entries);

    bool has_failed() const;
    /// Makes those that are missing, once what they depend on has come, and suspends and resumes
    /// those that are there.
    void manage(Outcome& outcome) const;
    /// Deletes Jobs; those that are over stay.
    void remove_active(Outcome& outcome) const;
    json::Array statuses() const;

  private:
    bool may_start(std::size_t place) const;
    std::string name_of_job(const ReplicatedJob& each, std::int64_t number) const;
    json::Value make_job(const ReplicatedJob& each, std::int64_t number) const;
};

}  // namespace sluice::sim
