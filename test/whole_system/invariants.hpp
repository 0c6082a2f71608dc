#pragma once

#include "apiserver/state/state.hpp"
#include "apiserver/state/store.hpp"
#include "base/clock.hpp"
#include "whole_system/job_kinds.hpp"
#include "whole_system/quota_ledger.hpp"
#include "whole_system/write_loops.hpp"

#include <cstdint>
#include <functional>
#include <map>
#include <string>
#include <string_view>
#include <utility>
#include <vector>

namespace sluice::whole_system {

/// Watches everything that the API server stores, and notes what may never be. Lifetime: the state
/// must outlive it, and nothing is stored once it is gone.
class Invariants {
  public:
    Invariants(apiserver::State& state, std::function<Time()> now);

    /// Changes of queues and of Workloads by a user, and whatever follows of them, are on their way
    /// to a controller for so long: it may have decided before it saw them.
    static constexpr Duration kOnItsWay = std::chrono::minutes(2);

    /// So many writes of one object in this time are a loop.
    static constexpr int kLoopWrites = 200;
    static constexpr Duration kLoopTime = std::chrono::seconds(10);

    /// The name of the object that a user's request writes until the next call; "": none.
    void set_user_writes(std::string name) { user_writes_ = std::move(name); }
    /// What has to hold when nothing is under way: what runs is admitted.
    void check_at_rest();
    /// What has to hold when nothing ends any more: what fits is admitted.
    void check_at_end();
    /// What has to hold when all jobs are deleted: nothing is left of them.
    void check_nothing_left();
    /// Workloads that could not be admitted by the quotas there are, with nobody else in the way.
    bool can_ever_be_admitted(const api::Workload& workload) const;

    const QuotaLedger& ledger() const { return ledger_; }
    const std::vector<std::string>& problems() const { return problems_; }
    void add_problem(std::string text);
    /// A number of everything that was stored, in its order.
    std::uint64_t digest() const { return digest_; }
    std::uint64_t admissions() const { return admissions_; }
    std::uint64_t evictions() const { return evictions_; }

  private:
    void note(const apiserver::Collection& collection, const apiserver::LogEntry& entry);
    void count_write(const apiserver::Collection& collection, const apiserver::ObjectName& name);
    void note_queue(const apiserver::LogEntry& entry);
    void note_cohort(const apiserver::LogEntry& entry);
    void note_workload(const apiserver::LogEntry& entry);
    void note_job(const JobKind& kind, const apiserver::LogEntry& entry);
    void keep_quotas();
    std::string find_excess(const Holding& holding) const;
    void check_admission(const apiserver::ObjectName& name, const Holding& holding);
    void digest(const apiserver::Collection& collection, const apiserver::LogEntry& entry);
    bool has_admitted(std::string_view uid) const;
    std::vector<std::pair<apiserver::ObjectName, api::Workload>> workloads() const;
    void check_pending(const apiserver::ObjectName& name, const api::Workload& workload);
    bool is_behind_another(const api::Workload& workload, const api::ClusterQueue& queue) const;
    const api::ClusterQueue* queue_of(const api::Workload& workload) const;

    apiserver::State& state_;
    std::function<Time()> now_;
    QuotaLedger ledger_;
    std::map<std::string, Time, std::less<>> admitted_until_;  ///< by the owner's uid
    WriteLoops loops_{kLoopWrites, kLoopTime};
    std::vector<std::string> problems_;
    /// Quotas that were in force until then, of the last kOnItsWay.
    std::vector<std::pair<Time, Quotas>> former_quotas_;
    std::uint64_t digest_ = 14'695'981'039'346'656'037U;
    std::uint64_t admissions_ = 0;
    std::uint64_t evictions_ = 0;
    std::string user_writes_;
};

}  // namespace sluice::whole_system
