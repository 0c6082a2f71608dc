// Competes for a Lease, renews it and releases it, as a state machine.
#pragma once

#include "api/core/lease.hpp"
#include "api/kueue/kueue_names.hpp"
#include "base/clock.hpp"
#include "base/error.hpp"
#include "base/prng.hpp"

#include <chrono>
#include <cstdint>
#include <functional>
#include <optional>
#include <string>

namespace sluice::kube {

struct LeaderOptions {
    std::string namespace_;
    std::string name = api::kLeaderLease;
    std::string identity;  ///< `<hostname>_<uuid>`
    Duration lease_length = std::chrono::seconds(15);
    Duration renew_deadline = std::chrono::seconds(10);
    Duration retry_period = std::chrono::seconds(2);
    /// Called before each write that takes or renews the lease, on the thread that makes the write.
    /// If it returns false, the lease is left to another replica. If empty, every write is made.
    std::function<bool()> may_lead = {};
};

/// Competes for a Lease, renews it and releases it. Pure: next() returns the next action, and the
/// on_… functions report its outcome. All deadlines use the monotonic clock, because a leader would
/// renew too late if the wall clock was set; wall time is only written into the Lease. Another
/// replica's lease counts as held for its length since this process first saw its current state, so
/// the replicas' clocks need not agree.
class LeaderElector {
  public:
    enum class Action : std::uint8_t {
        Wait,    ///< until `until`
        Get,     ///< read the Lease
        Create,  ///< create `lease`
        Update,  ///< write `lease`; fail with Conflict if it changed since it was read
        Lost,    ///< this process is no longer the leader; the final action
    };
    struct Step {
        Action action = Action::Get;
        Instant until;     ///< Wait: when to call next() again; else the call's deadline
        api::Lease lease;  ///< Create, Update
    };

    /// Requires: lease_length in whole seconds > renew_deadline > retry_period. Otherwise two
    /// leaders may act, or a renewal comes too late.
    LeaderElector(LeaderOptions options, std::uint64_t seed);

    /// Returns the action to take now. `wall` is the time that is written into the Lease.
    Step next(Instant now, Time wall);
    /// Reports that Get returned the Lease.
    void on_read(const api::Lease& lease, Instant now);
    /// Reports that Get found no Lease.
    void on_absent();
    /// Reports that Create or Update stored the Lease.
    void on_written(const api::Lease& lease, Instant now);
    /// Reports that the action failed in another way.
    void on_failed(const Error& error, Instant now);

    /// Returns the write that releases the lease; nullopt if it is not held. Call it once.
    /// Afterwards this process never leads again, even if a renewal is answered later.
    std::optional<api::Lease> release(Time wall);
    /// Returns the write that releases the lease after the write of release() failed with Conflict,
    /// as happens if a renewal was in progress. `read` is the Lease as it is now. nullopt if this
    /// process does not hold it.
    std::optional<api::Lease> release_again(const api::Lease& read, Time wall) const;

    /// Returns true if a write that takes the lease may have succeeded without an answer.
    bool may_hold() const { return !leading_ && !lost_ && is_unanswered_; }
    bool is_leader() const { return leading_; }
    /// Returns the time until which this process leads without another renewal: renew_deadline
    /// after the request of the last one. nullopt if it does not lead.
    std::optional<Instant> leads_until() const {
        return leading_ ? std::optional(renewed_at_ + options_.renew_deadline) : std::nullopt;
    }
    /// The replica that was last seen to hold the lease.
    const std::string& holder() const { return holder_; }

  private:
    api::Lease make_lease(Time wall) const;
    static api::Lease make_released(api::Lease lease, Time wall);
    bool is_held_by_other(Instant now) const;

    LeaderOptions options_;
    Prng prng_;
    std::optional<api::Lease> seen_;  // the Lease as last read or written
    Instant seen_at_{};               // when its current state was first seen
    std::string holder_;
    bool must_read_ = true;
    bool absent_ = false;
    bool leading_ = false;
    bool lost_ = false;
    bool is_unanswered_ = false;
    Instant asked_at_{};    // when the last write was requested
    Instant renewed_at_{};  // when the last successful write was requested
    Instant not_before_{};
};

/// Returns the merge patch that writes the Lease's spec, on the condition that the resourceVersion
/// has not changed since it was read.
std::string make_lease_patch(const api::Lease& lease);

}  // namespace sluice::kube
