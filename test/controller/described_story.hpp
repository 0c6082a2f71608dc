#pragma once

#include "controller/admitting_cluster.hpp"
#include "controller/job_samples.hpp"
#include "controller/kinds/builtin_kinds.hpp"

#include <string>
#include <string_view>
#include <utility>

namespace sluice::controller {

/// The sample of that file.
const JobSample& job_sample(std::string_view file);

/// A cluster with a sample's kind and all that the sample needs; the job is still to be created.
class DescribedStory {
  public:
    explicit DescribedStory(std::string_view file, Settings settings = {});

    /// Makes the object what the YAML merges into it.
    DescribedStory& change(std::string_view yaml);
    /// Its user creates it. Why it is refused; "": it is there.
    std::string create();
    /// The same where no webhook answers, from now on.
    void put();
    /// Somebody changes the stored object, or another one, past all webhooks.
    void merge(std::string_view yaml) { merge(job, yaml); }
    void merge(const ObjectKey& key, std::string_view yaml);
    void stop_queue();
    void open_queue();
    void evict();

    const json::Value& stored() const { return *cluster.find(job); }
    /// Of its one Workload.
    ObjectKey workload() const;
    std::string condition(std::string_view type) const;
    /// The message of the Workload's condition, or "".
    std::string message(std::string_view type) const;
    /// name=count of the Workload's pod sets. Example: a=1 b=2
    std::string pod_sets() const;
    bool is_reported(std::string_view reason, std::string_view part) const;

    const JobSample& sample;
    AdmittingCluster cluster;
    ObjectKey job;
    json::Value object;  ///< as it will be created
};

}  // namespace sluice::controller
