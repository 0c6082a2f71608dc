#include "kube/client/leader_thread.hpp"

#include "net/loop/on_loop.hpp"

#include <utility>

namespace sluice::kube {
namespace asio = boost::asio;
namespace {

asio::awaitable<bool> release_it(LeaderElection* election) {
    co_await election->release();
    co_return true;
}

}  // namespace

LeaderThread::LeaderThread(
    std::unique_ptr<Client> client, const Clock& clock, LeaderOptions options, std::uint64_t seed
)
    : thread_("lease"),
      client_(std::move(client)),
      election_(*client_, clock, std::move(options), seed) {}

LeaderThread::~LeaderThread() {
    thread_.join();
}

asio::awaitable<bool> LeaderThread::lead(std::function<void()> on_elected) {
    const auto cancelled = co_await net::is_cancelled();
    if (cancelled) {
        co_return false;
    }
    auto work = election_.lead(std::move(on_elected));
    const bool lost = co_await net::on_loop(&thread_.loop(), std::move(work));
    co_return lost;
}

asio::awaitable<void> LeaderThread::release() {
    auto work = release_it(&election_);
    co_await net::on_loop(&thread_.loop(), std::move(work));
}

}  // namespace sluice::kube
