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
    /// Asked before each write that takes or renews the lease, on the thread that makes it: false
    /// leaves the lease to another replica. Empty: it is always written.
    std::function<bool()> may_lead = {};
};

/// Competes for a Lease, holds it and gives it up. Pure: next() says what to do, the on_… calls say
/// how it went. All deadlines are of the monotonic clock, as a wall clock that is set would make a
/// leader renew too late; wall time is only written into the Lease. Another holder's lease counts
/// as running for its length since this process first saw its present state, so clocks need not
/// agree.
class LeaderElector {
  public:
    enum class Action : std::uint8_t {
        Wait,    ///< until `until`
        Get,     ///< read the Lease
        Create,  ///< create `lease`
        Update,  ///< write `lease`, with Conflict when it changed since it was read
        Lost,    ///< this process was the leader and is it no more; the end
    };
    struct Step {
        Action action = Action::Get;
        Instant until;     ///< Wait: when to ask again; else by when the call must have ended
        api::Lease lease;  ///< Create, Update
    };

    /// Requires: lease_length in whole seconds > renew_deadline > retry_period, without which two
    /// leaders may act or a renewal comes too late.
    LeaderElector(LeaderOptions options, std::uint64_t seed);

    /// What to do now; `wall` is the time that is written.
    Step next(Instant now, Time wall);
    void on_read(const api::Lease& lease, Instant now);
    void on_absent();
    void on_written(const api::Lease& lease, Instant now);
    void on_failed(const Error& error, Instant now);

    /// The write that gives the lease up, if it is held; call it once. This process leads no more,
    /// also when the answer to a renewal comes later.
    std::optional<api::Lease> release(Time wall);
    /// The same after that write met a Conflict, as a renewal under way does to it: the write that
    /// gives up `read`, the Lease as it is now, if this process holds it.
    std::optional<api::Lease> release_again(const api::Lease& read, Time wall) const;

    /// Whether a write that takes the lease may have come through without an answer.
    bool may_hold() const { return !leading_ && !lost_ && is_unanswered_; }
    bool is_leader() const { return leading_; }
    /// Until when it is the leader without another renewal: renew_deadline after the last one was
    /// asked for; none: it does not lead.
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
    Instant seen_at_{};               // when its present state was first seen
    std::string holder_;
    bool must_read_ = true;
    bool absent_ = false;
    bool leading_ = false;
    bool lost_ = false;
    bool is_unanswered_ = false;
    Instant asked_at_{};    // when the last write was begun
    Instant renewed_at_{};  // when the last write that came through was begun
    Instant not_before_{};
};

/// The merge patch that writes the Lease's spec if it is still of the resourceVersion that was
/// read.
std::string make_lease_patch(const api::Lease& lease);

}  // namespace sluice::kube
