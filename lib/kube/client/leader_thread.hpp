// Leader election on a separate thread, so that a busy event loop does not delay renewals.
#pragma once

#include "base/clock.hpp"
#include "kube/client/client.hpp"
#include "kube/client/leader_election.hpp"
#include "kube/client/leadership.hpp"
#include "kube/runtime/lease_term.hpp"
#include "net/loop/event_loop.hpp"

#include <boost/asio/awaitable.hpp>

#include <cstdint>
#include <functional>
#include <memory>

namespace sluice::kube {

/// A LeaderElection on a separate thread, with a separate client: the lease is renewed even while
/// the caller's event loop is busy. Lifetime: the clock must outlive it; no call is in progress
/// when it is destroyed. Thread: any, unless stated otherwise.
class LeaderThread final : public Leadership {
  public:
    /// The client is called only on the new thread.
    LeaderThread(
        std::unique_ptr<Client> client,
        const Clock& clock,
        LeaderOptions options,
        std::uint64_t seed
    );
    ~LeaderThread() override;
    LeaderThread(const LeaderThread&) = delete;
    LeaderThread& operator=(const LeaderThread&) = delete;

    /// Calls `on_elected` on the new thread.
    boost::asio::awaitable<bool> lead(std::function<void()> on_elected) override;
    boost::asio::awaitable<void> release() override;
    const LeaseTerm& term() const override { return election_.term(); }

  private:
    net::LoopThread thread_;  // destroyed after the client's connections, which use its loop
    std::unique_ptr<Client> client_;
    LeaderElection election_;
};

}  // namespace sluice::kube
