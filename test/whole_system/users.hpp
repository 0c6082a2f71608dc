#pragma once

#include "apiserver/types/request.hpp"
#include "base/prng.hpp"
#include "controller/commands/cluster/virtual_cluster.hpp"
#include "json/value.hpp"
#include "whole_system/invariants.hpp"
#include "whole_system/job_kinds.hpp"
#include "whole_system/user_client.hpp"
#include "whole_system/world.hpp"

#include <cstdint>
#include <functional>
#include <string>
#include <vector>

namespace sluice::whole_system {

/// Users and administrators: each action is some request that a person would make, by a seed. A
/// refusal is no problem: the webhooks may be away, and an edit may be one that is not allowed.
class Users {
  public:
    /// Lifetime: all outlive it.
    Users(
        commands::VirtualCluster& cluster, Invariants& invariants, const World& world, Prng& prng
    );

    /// Does something and says what.
    std::string act();
    /// Undoes what holds jobs up: queues take jobs again, Workloads are active, what users had
    /// suspended themselves runs.
    void let_all_run();
    void delete_all_jobs();
    std::uint64_t jobs() const { return jobs_; }

  private:
    std::string create_job();
    std::string create_job_set();
    std::string create_training_job();
    std::string create_pod();
    std::string create_group();
    std::string delete_job();
    std::string edit_job();
    std::string edit_workload();
    std::string edit_queue();
    std::string lose_node();
    std::string trouble_node();
    std::string kill_pod();
    int resize_node(const std::string& name, std::int64_t cpu);
    std::string labels();

    const std::string& any_queue() { return world_.queues[prng_.below(world_.queues.size())]; }
    const JobKind& any_kind();
    std::string any_name(const apiserver::Collection& collection);

    commands::VirtualCluster& cluster_;
    UserClient client_;
    const World& world_;
    Prng& prng_;
    std::uint64_t jobs_ = 0;
    std::uint64_t nodes_ = 0;
};

}  // namespace sluice::whole_system
