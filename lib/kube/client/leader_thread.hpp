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

/// A LeaderElection on a thread of its own, over a client of its own: however long its caller's
/// loop is busy, the lease is renewed. Lifetime: the clock must outlive it; no call is under way
/// when it ends. Thread: any, unless said otherwise.
class LeaderThread final : public Leadership {
  public:
    /// The client is called on the new thread alone.
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
    net::LoopThread thread_;  // its loop outlives the client's connections
    std::unique_ptr<Client> client_;
    LeaderElection election_;
};

}  // namespace sluice::kube
