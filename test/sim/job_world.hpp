#pragma once

#include "base/clock.hpp"
#include "json/value.hpp"
#include "sim/job/job_controller.hpp"

#include <cstdint>
#include <map>
#include <string>
#include <string_view>
#include <vector>

namespace sluice::test {

/// One Job, its pods and its simulated controller. The test plays the kubelet.
class JobWorld {
  public:
    /// `spec`: YAML of the Job's spec. Example: "{completions: 2, parallelism: 1}"
    explicit JobWorld(std::string_view spec);

    /// Lets the controller go on until it has nothing to write.
    void settle();
    /// Merges YAML into the Job, as its user does.
    void change(std::string_view patch);
    void pass(Duration time);

    /// The first pod that is active ends so; where `index` is given, that of the index.
    void end_pod(bool succeeds, std::int64_t index = -1, int exit_code = 1);
    /// Somebody deletes the pod.
    void delete_pod(const std::string& name);
    /// It runs and is ready.
    void start_pods();
    /// Its kubelet has ended what was deleted.
    void confirm_deletions();

    std::vector<std::string> active_pods() const;
    std::size_t pods() const { return pods_.size(); }
    std::int64_t count(std::string_view field) const;
    std::string text(std::string_view field) const;
    /// "status/reason" of a condition, or "".
    std::string condition(std::string_view type) const;
    const json::Value& pod(const std::string& name) const { return pods_.at(name); }
    const std::vector<std::string>& events() const { return events_; }

    json::Value job;
    Time now;

  private:
    void perform(const sim::Write& write);
    void collect(const std::string& name);

    std::map<std::string, json::Value> pods_;
    sim::JobBackoff backoff_;
    std::vector<std::string> events_;
    int next_ = 0;
};

}  // namespace sluice::test
