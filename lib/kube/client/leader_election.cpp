#include "kube/client/leader_election.hpp"

#include "api/meta/codec.hpp"
#include "base/clock.hpp"
#include "base/log.hpp"
#include "net/loop/event_loop.hpp"

#include <algorithm>
#include <chrono>
#include <optional>
#include <utility>

namespace sluice::kube {
namespace asio = boost::asio;
namespace {

/// Time limit for releasing the lease; the process ends afterwards in any case.
constexpr Duration kReleaseTimeout = std::chrono::seconds(5);

}  // namespace

LeaderElection::LeaderElection(
    Client& client, const Clock& clock, LeaderOptions options, std::uint64_t seed
)
    : client_(client), clock_(clock), options_(options), elector_(std::move(options), seed) {}

asio::awaitable<bool> LeaderElection::acquire() {
    std::string holder;
    while (!elector_.is_leader()) {
        const auto cancelled = co_await net::is_cancelled();
        if (cancelled) {
            co_return false;
        }
        auto step = next();
        if (step.action == LeaderElector::Action::Lost) {
            co_return false;
        }
        co_await perform(std::move(step));
        if (elector_.holder() != holder) {
            holder = elector_.holder();
            log::info("leader seen", {{"lease", options_.name}, {"holder", holder}});
        }
    }
    co_return true;
}

asio::awaitable<bool> LeaderElection::hold() {
    for (;;) {
        const auto cancelled = co_await net::is_cancelled();
        if (cancelled) {
            co_return false;
        }
        auto step = next();
        if (step.action == LeaderElector::Action::Lost) {
            log::error(
                "leader lease lost", {{"lease", options_.name}, {"holder", elector_.holder()}}
            );
            co_return true;
        }
        co_await perform(std::move(step));
    }
}

asio::awaitable<bool> LeaderElection::lead(std::function<void()> on_elected) {
    const auto elected = co_await acquire();
    if (!elected) {
        co_return false;
    }
    on_elected();
    const auto lost = co_await hold();
    co_return lost;
}

LeaderElector::Step LeaderElection::next() {
    auto step = elector_.next(clock_.instant(), clock_.now());
    publish_term();
    return step;
}

void LeaderElection::publish_term() {
    const auto until = elector_.leads_until();
    if (until) {
        term_.extend_to(*until);
    } else {
        term_.end();
    }
}

asio::awaitable<void> LeaderElection::release() {
    const Instant end = clock_.instant() + kReleaseTimeout;
    bool must_read = elector_.may_hold();
    auto lease = elector_.release(clock_.now());
    publish_term();
    while (lease || must_read) {
        const Duration left = end - clock_.instant();
        std::optional<Error> failure;
        if (left <= Duration::zero()) {
            failure = Error{ErrorCode::Timeout, "no time is left", {}};
        } else if (must_read) {
            must_read = false;
            const auto read = co_await read_lease(left);
            lease = read ? elector_.release_again(*read, clock_.now()) : std::nullopt;
            failure = read ? std::nullopt : std::optional(read.error());
        } else {
            const auto answer = co_await write_released(&*lease, left);
            must_read = !answer && answer.error().code == ErrorCode::Conflict;
            failure = answer || must_read ? std::nullopt : std::optional(answer.error());
            lease.reset();
        }
        if (failure) {
            log::warning(
                "leader lease not released", {{"lease", options_.name}, {"error", failure->detail}}
            );
            co_return;
        }
    }
}

asio::awaitable<Result<std::string>> LeaderElection::write_released(
    const api::Lease* lease, Duration timeout
) {
    auto path = path_of<api::Lease>(options_.namespace_, options_.name);
    WriteOptions options;
    options.timeout = timeout;
    auto patch = make_lease_patch(*lease);
    auto answer =
        co_await client_.merge_patch(std::move(path), std::move(patch), std::move(options));
    co_return answer;
}

asio::awaitable<Result<api::Lease>> LeaderElection::read_lease(Duration timeout) {
    GetOptions options;
    options.timeout = timeout;
    auto path = path_of<api::Lease>(options_.namespace_, options_.name);
    const auto answer = co_await client_.get(std::move(path), std::move(options));
    co_return answer ? api::decode<api::Lease>(*answer) : Result<api::Lease>(answer.error());
}

asio::awaitable<void> LeaderElection::perform(LeaderElector::Step step) {
    const auto left =
        std::max<Duration>(step.until - clock_.instant(), std::chrono::milliseconds(1));
    if (step.action == LeaderElector::Action::Wait) {
        co_await net::pause_for(left);
        co_return;
    }
    if (step.action != LeaderElector::Action::Get && options_.may_lead && !options_.may_lead()) {
        take(Error{ErrorCode::Unavailable, "this replica cannot lead: its event loop is stuck", {}}
        );
        co_return;
    }
    auto path = path_of<api::Lease>(options_.namespace_, options_.name);
    WriteOptions options;
    options.timeout = left;
    if (step.action == LeaderElector::Action::Get) {
        const auto lease = co_await read_lease(left);
        if (lease) {
            elector_.on_read(*lease, clock_.instant());
            publish_term();
        } else if (lease.error().code == ErrorCode::NotFound) {
            elector_.on_absent();
        } else {
            take(lease.error());
        }
    } else if (step.action == LeaderElector::Action::Create) {
        path.name.clear();
        auto body = api::encode(step.lease);
        const auto answer =
            co_await client_.create(std::move(path), std::move(body), std::move(options));
        take(answer);
    } else if (step.action == LeaderElector::Action::Update) {
        auto patch = make_lease_patch(step.lease);
        const auto answer =
            co_await client_.merge_patch(std::move(path), std::move(patch), std::move(options));
        take(answer);
    }
}

void LeaderElection::take(const Result<std::string>& answer) {
    const auto lease =
        answer ? api::decode<api::Lease>(*answer) : Result<api::Lease>(answer.error());
    if (lease) {
        elector_.on_written(*lease, clock_.instant());
        publish_term();
        return;
    }
    if (lease.error().code != ErrorCode::Canceled) {
        log::warning(
            "leader lease not written", {{"lease", options_.name}, {"error", lease.error().detail}}
        );
    }
    elector_.on_failed(lease.error(), clock_.instant());
}

}  // namespace sluice::kube
