#pragma once

#include "base/prng.hpp"
#include "controller/job_samples.hpp"
#include "controller/mini_cluster.hpp"
#include "controller/mixed_jobs.hpp"

#include <cstdint>
#include <string>
#include <vector>

namespace sluice::controller {

enum class Form : std::uint8_t { BatchJob, Described, Pod, PodGroup };

struct PlayedJob {
    std::string name;
    Form form = Form::BatchJob;
    const JobSample* sample = nullptr;  ///< of a described job
    ObjectKey key;                      ///< of a job that is one object
    std::vector<std::string> pods;      ///< of a group, those that its user has not given up
    int pods_made = 0;
    std::string queue = "main";  ///< of a group: that of all its pods
    bool runs = false;           ///< its controller has made pods
    bool is_over = false;        ///< it has finished, or is deleted
};

/// Plays the controllers of all kinds of jobs, the scheduler of pods and kubelet, a step at a time.
class OwnControllers {
  public:
    /// Lifetime: all outlive it. Counts and problems are added to the result.
    OwnControllers(MiniCluster& cluster, Prng& prng, MixedJobsResult& result)
        : cluster_(cluster), prng_(prng), result_(result) {}

    void make_pod(const std::string& name, const PlayedJob* group);
    /// One more pod of the group.
    void add_pod(PlayedJob& group);
    /// What the kind's own controller, or kubelet, does next with the job.
    void play_own_controller(PlayedJob& job);
    /// Its user deletes the job.
    void remove(PlayedJob& job);
    /// Whether the field that holds a described job has the value.
    bool has_suspension(const PlayedJob& job, const json::Value& value) const;
    /// Notes what may never be.
    void problem(std::string text);

  private:
    void status(const PlayedJob& job, const json::Value& status);
    void gone(PlayedJob& job);
    void finished(PlayedJob& job);
    void set_running(PlayedJob& job, bool runs);
    void play_batch_job(PlayedJob& job);
    void play_described(PlayedJob& job);
    bool play_pod(PlayedJob& job, const std::string& name);
    void play_group(PlayedJob& job);
    void remove_object(const ObjectKey& key);

    MiniCluster& cluster_;
    Prng& prng_;
    MixedJobsResult& result_;
};

}  // namespace sluice::controller
