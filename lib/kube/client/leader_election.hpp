// Performs the actions of a LeaderElector: reads and writes the Lease.
#pragma once

#include "base/clock.hpp"
#include "kube/client/client.hpp"
#include "kube/client/leadership.hpp"
#include "kube/runtime/leader_elector.hpp"
#include "kube/runtime/lease_term.hpp"

#include <boost/asio/awaitable.hpp>

#include <cstdint>
#include <functional>
#include <string>

namespace sluice::kube {

/// Performs the actions of a LeaderElector. Lifetime: client and clock must outlive this object.
///
///     const auto elected = co_await election.acquire();
///     … run the scheduler at the same time …
///     co_await election.hold();      // returns when the lease was lost: end the process at once
///     co_await election.release();   // on an orderly end
class LeaderElection final : public Leadership {
  public:
    LeaderElection(Client& client, const Clock& clock, LeaderOptions options, std::uint64_t seed);

    /// Competes until elected (true). Returns false if cancelled, or if the lease was held before
    /// and is lost.
    boost::asio::awaitable<bool> acquire();
    /// Renews the lease until it is lost (true) or this call is cancelled (false).
    boost::asio::awaitable<bool> hold();
    boost::asio::awaitable<void> release() override;

    /// Calls acquire(), then hold().
    boost::asio::awaitable<bool> lead(std::function<void()> on_elected) override;

    const LeaseTerm& term() const override { return term_; }

  private:
    /// Writes a Lease in its released form.
    boost::asio::awaitable<Result<std::string>> write_released(
        const api::Lease* lease, Duration timeout
    );
    boost::asio::awaitable<Result<api::Lease>> read_lease(Duration timeout);
    boost::asio::awaitable<void> perform(LeaderElector::Step step);
    void take(const Result<std::string>& answer);
    /// Returns the action to take now; also ends a term that is over.
    LeaderElector::Step next();
    void publish_term();

    Client& client_;
    const Clock& clock_;
    LeaderOptions options_;
    LeaderElector elector_;
    LeaseTerm term_;
};

}  // namespace sluice::kube
