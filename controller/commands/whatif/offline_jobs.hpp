// The Workloads of jobs, without a controller.
#pragma once

#include "api/kueue/workload.hpp"
#include "base/error.hpp"
#include "controller/commands/schedule/schedule_cluster.hpp"

#include <memory>
#include <string>
#include <string_view>

namespace sluice::commands {

/// Makes the Workloads that the controller would make for jobs.
class OfflineJobs {
  public:
    /// `config_file`: the Configuration, which says which kinds are managed; its defaults and every
    /// kind that Sluice ships if it is empty. `cluster`: has the priority classes. Errors: Invalid.
    static Result<std::unique_ptr<OfflineJobs>> make(
        const std::string& config_file, const ScheduleCluster& cluster
    );
    OfflineJobs(const OfflineJobs&) = delete;
    OfflineJobs& operator=(const OfflineJobs&) = delete;
    ~OfflineJobs();

    /// Returns the Workload of the job. Errors: Invalid.
    Result<api::Workload> workload_of(std::string_view job) const;

  private:
    struct Parts;
    explicit OfflineJobs(std::unique_ptr<Parts> parts);

    std::unique_ptr<Parts> parts_;
};

}  // namespace sluice::commands
