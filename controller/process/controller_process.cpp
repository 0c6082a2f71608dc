#include "controller/process/controller_process.hpp"

#include "base/earlier.hpp"
#include "base/log.hpp"
#include "base/log_common_field.hpp"
#include "config/go_duration.hpp"
#include "controller/process/queue_dump.hpp"
#include "net/loop/with_timeout.hpp"

#include <algorithm>
#include <chrono>
#include <utility>

namespace sluice::controller {

namespace {

constexpr Duration kWriteGrace = std::chrono::seconds(8);
constexpr Duration kEventGrace = std::chrono::seconds(2);
constexpr Duration kReleaseGrace = std::chrono::seconds(6);
constexpr Duration kWebhookRetry = std::chrono::seconds(2);
constexpr Duration kWebhookGrace = std::chrono::seconds(1);

kube::Async<void> as_done(boost::asio::awaitable<bool> work) {
    const bool done = co_await std::move(work);
    if (!done) {
        co_return Error{ErrorCode::Canceled, "canceled", {}};
    }
    co_return Result<void>();
}

kube::Async<void> as_result(boost::asio::awaitable<void> work) {
    co_await std::move(work);
    co_return Result<void>();
}

/// Starts the webhook server if it does not run, and publishes its address to the API server.
kube::Async<void> serve(WebhookService* webhook) {
    if (!webhook->is_serving()) {
        const auto started = co_await webhook->start();
        if (!started) {
            co_return started.error();
        }
    }
    const auto published = co_await webhook->publish();
    co_return published;
}

}  // namespace

void ControllerProcess::add_kind(KindEntry entry, Informers::Wait wait) {
    const KindEntry& added = registry_.add(std::move(entry));
    stores_.add(added.make_store());
    if (added.reconcile) {
        runner_.enable(added.kind);
    }
    if (follows_) {
        informers_.follow(added, &followers_, wait);
    }
}

void ControllerProcess::set_role(const std::string& role) {
    metrics_.set_role(role);
    log::set_common_field({"replica-role", role});
}

void ControllerProcess::log_queues() {
    controller::log_queues(stores_, &pending_);
}

kube::Async<net::ServerResponse> ControllerProcess::review(std::string path, std::string body) {
    auto found = reviews_.find(path);
    if (found == reviews_.end()) {
        found = std::ranges::find_if(later_reviews_, [&](const auto& entry) {
            return path.starts_with(entry.first);
        });
        if (found == later_reviews_.end()) {
            co_return Error{ErrorCode::NotFound, "no webhook has the path " + path, {}};
        }
    }
    AdmissionHandler handler(found->second);
    net::ServerRequest request;
    request.method = "POST";
    request.target = std::move(path);
    request.body = net::SpooledBody(std::move(body));
    net::ServerResponse response = co_await handler.handle(std::move(request));
    co_return response;
}

void ControllerProcess::finish(int code) {
    if (!exit_code_) {
        exit_code_ = code;
    }
    finished_.notify();
}

kube::Async<void> ControllerProcess::start_servers() {
    if (!options_.with_servers) {
        co_return Result<void>();
    }
    const auto started = co_await status_.start();
    if (started) {
        services_.spawn(status_.keep(), "metrics certificate");
    }
    co_return started;
}

/// Serves conversion before any kind is listed: the API server may call it to answer a list.
boost::asio::awaitable<bool> ControllerProcess::start_webhook() {
    if (!webhooks_) {
        co_return true;
    }
    for (std::string logged;;) {
        const auto done = co_await serve(&*webhooks_);
        if (done) {
            break;
        }
        const bool is_ending = co_await net::is_cancelled();
        if (is_ending) {
            co_return false;
        }
        const std::string& problem = done.error().detail;
        const bool is_race = done.error().code == ErrorCode::Conflict;
        log::write(
            problem == logged || is_race ? log::Level::Debug : log::Level::Error,
            "webhook is not ready; retrying every two seconds",
            {{"error", problem}}
        );
        logged = problem;
        if (done.error().code == ErrorCode::Invalid) {
            co_return false;
        }
        const bool waited = co_await net::pause_for(kWebhookRetry);
        if (!waited) {
            co_return false;
        }
    }
    services_.spawn(webhooks_->keep(), "certificates");
    co_return true;
}

boost::asio::awaitable<bool> ControllerProcess::lead() {
    if (!leadership_) {
        act();
        co_return true;
    }
    // The lease's thread goes on renewing, however late this loop acts.
    auto on_elected = [this] { loop_.post([this] { elected(); }); };
    const bool lost = co_await leadership_->lead(std::move(on_elected));
    co_return !lost;
}

void ControllerProcess::elected() {
    if (exit_code_) {
        return;
    }
    log::info(
        "acquired the lease",
        {{"lease",
          options_.lease_namespace + "/" + options_.configuration.leader_election.resource_name}}
    );
    act();
}

void ControllerProcess::act() {
    is_acting_ = true;
    run_time_kinds_.start_reports();
    if (competes()) {
        set_role("leader");
    }
    enqueue_all(change_context(), enqueuer());
    const auto reconcile = [this] { return earlier(runner_.step(), writer_.ask_for_late()); };
    workers_.spawn(run_steps(reconcile, &reconcilers_wake_), "reconcilers");
    workers_.spawn(run_steps([this] { return capacity_.step(); }, &capacity_wake_), "capacity");
    if (options_.with_scheduler) {
        workers_.spawn(
            run_steps(
                [this] { return holds_cycles_ ? std::optional<Instant>() : scheduling_.step(); },
                &scheduler_wake_
            ),
            "scheduler"
        );
    }
}

/// Waits for the initial lists, at most for the configured time. Ends the process if they are late.
/// Returns true if all stores are filled.
boost::asio::awaitable<bool> ControllerProcess::sync_stores() {
    const auto& limit = options_.configuration.controller.cache_sync_timeout;
    if (!limit || *limit <= Duration::zero()) {
        co_return co_await informers_.wait_synced();
    }
    auto waiting = as_done(informers_.wait_synced());
    const auto synced = co_await net::with_timeout(std::move(waiting), *limit);
    if (!synced && synced.error().code == ErrorCode::Timeout) {
        log::error(
            "initial lists did not arrive within controller.cacheSyncTimeout",
            {{"limit", config::print_go_duration(*limit)}}
        );
        finish(1);
    }
    co_return synced&& informers_.has_synced();
}

boost::asio::awaitable<void> ControllerProcess::live() {
    const bool serves = co_await start_webhook();
    if (!serves) {
        finish(1);
        co_return;
    }
    if (visibility_ && options_.with_servers) {
        // The visibility API uses the certificate of the webhooks.
        services_.spawn(visibility_->run(), "visibility");
    }
    follows_ = true;
    for (const KindEntry& entry : registry_.all()) {
        informers_.follow(entry, &followers_);
    }
    services_.spawn(external_kinds_.run(), "external kinds");
    bool synced = co_await sync_stores();
    if (!synced) {
        co_return;
    }
    co_await run_time_kinds_.apply(Informers::Wait::ForFirstList);
    knows_kinds_ = true;
    synced = co_await sync_stores();
    if (!synced) {
        co_return;
    }
    services_.spawn(run_time_kinds_.run(), "kinds of ConfigMaps");
    feeder_.feed_all(clock_.now());
    is_ready_ = true;
    status_.set_ready(true);
    std::size_t jobs = 0;
    for (const Kind kind : registry_.job_kinds().all()) {
        jobs += stores_.find(kind)->size();
    }
    log::info(
        "ready",
        {{"workloads", stores_.of<api::Workload>().size()},
         {"jobs", jobs},
         {"clusterQueues", stores_.of<api::ClusterQueue>().size()}}
    );
    const bool in_order = co_await lead();
    if (!in_order) {
        log::error("lost the lease");
        has_lost_lease_ = true;
        finish(1);
    }
}

boost::asio::awaitable<void> ControllerProcess::run_steps(
    std::function<std::optional<Instant>()> step, net::Notifier* woken
) {
    for (;;) {
        const auto due = step();
        std::optional<Duration> limit;
        if (due) {
            limit = std::max<Duration>(*due - clock_.instant(), Duration::zero());
        }
        if (limit == Duration::zero()) {
            const bool waited = co_await net::pause_for(Duration::zero());
            if (!waited) {
                co_return;
            }
            continue;
        }
        co_await woken->wait(limit);
        const bool cancelled = co_await net::is_cancelled();
        if (cancelled) {
            co_return;
        }
    }
}

boost::asio::awaitable<int> ControllerProcess::run() {
    const auto started = co_await start_servers();
    if (!started) {
        log::error("cannot start the servers", {{"error", started.error().detail}});
        co_return 2;
    }
    if (options_.with_servers || options_.has_lease_thread) {
        services_.spawn(heartbeat_.keep(), "heartbeat");
    }
    services_.spawn(events_.run(), "events");
    services_.spawn(metrics_.keep_fresh(&metrics_dirty_), "metrics");
    services_.spawn(live(), "live");
    while (!exit_code_) {
        co_await finished_.wait();
        const bool cancelled = co_await net::is_cancelled();
        if (cancelled) {
            finish(0);
        }
    }
    co_await shut_down();
    co_return exit_code_.value_or(1);
}

/// Stops the deciding tasks first, then finishes their writes, then releases the lease for another
/// replica.
boost::asio::awaitable<void> ControllerProcess::shut_down() {
    log::info("shutting down", {{"exitCode", exit_code_.value_or(1)}});
    is_acting_ = false;
    is_ready_ = false;
    status_.set_ready(false);
    co_await workers_.stop(Duration::zero());
    co_await writes_.stop(has_lost_lease_ ? Duration::zero() : kWriteGrace);
    auto flush = as_result(events_.flush());
    const auto flushed = co_await net::with_timeout(std::move(flush), kEventGrace);
    if (!flushed) {
        log::warning("dropped unsent events at shutdown", {{"error", flushed.error().detail}});
    }
    co_await services_.stop(Duration::zero());
    if (leadership_ && !has_lost_lease_) {
        auto release = as_result(leadership_->release());
        const auto released = co_await net::with_timeout(std::move(release), kReleaseGrace);
        if (!released) {
            log::warning("cannot release the lease", {{"error", released.error().detail}});
        }
    }
    co_await followers_.stop(Duration::zero());
    co_await run_time_kinds_.stop();
    co_await loop_calls_.close(kWebhookGrace);
    if (webhooks_) {
        co_await webhooks_->stop(kWebhookGrace);
    }
    if (visibility_) {
        visibility_->stop();
    }
    status_.stop();
}

}  // namespace sluice::controller
