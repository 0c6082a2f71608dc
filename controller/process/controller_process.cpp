#include "controller/process/controller_process.hpp"

#include "base/assert.hpp"
#include "base/earlier.hpp"
#include "base/log.hpp"
#include "controller/kinds/builtin_kinds.hpp"
#include "controller/process/settings.hpp"
#include "engine/fair_sharing.hpp"
#include "net/certificate.hpp"
#include "net/with_timeout.hpp"
#include "workload/options.hpp"

#include <algorithm>
#include <chrono>
#include <utility>

namespace sluice::controller {

namespace {

constexpr std::size_t kRowsMax = 256;
constexpr Duration kWriteGrace = std::chrono::seconds(8);
constexpr Duration kEventGrace = std::chrono::seconds(2);
constexpr Duration kReleaseGrace = std::chrono::seconds(3);
constexpr Duration kWebhookRetry = std::chrono::seconds(2);

kube::LeaderOptions leader_options(const ProcessOptions& options) {
    const config::LeaderElection& wanted = options.configuration.leader_election;
    kube::LeaderOptions made;
    made.namespace_ = options.lease_namespace;
    made.name = wanted.resource_name;
    made.identity = options.hostname + "_" + net::make_uuid();
    made.lease_length = wanted.lease_duration;
    made.renew_deadline = wanted.renew_deadline;
    made.retry_period = wanted.retry_period;
    return made;
}

kube::Async<void> as_result(boost::asio::awaitable<void> work) {
    co_await std::move(work);
    co_return Result<void>();
}

/// Starts the webhook unless it runs, and tells the API server where it is.
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

ControllerProcess::ControllerProcess(
    kube::Client& client, const Clock& clock, net::EventLoop& loop, ProcessOptions options
)
    : clock_(clock),
      loop_(loop),
      options_(std::move(options)),
      registry_(make_builtin_registry()),
      translator_(workload::make_settings(options_.configuration, options_.gates)),
      state_(make_engine_options(options_.configuration, options_.gates, options_.seed)),
      feeder_(registry_, stores_, translator_, state_, clock),
      followers_(loop.executor(), "follow"),
      workers_(loop.executor(), "work"),
      writes_(loop.executor(), "write"),
      services_(loop.executor(), "service"),
      reconcilers_wake_(loop.executor()),
      scheduler_wake_(loop.executor()),
      metrics_dirty_(loop.executor()),
      finished_(loop.executor()),
      events_(client, clock, loop.executor(), {.hostname = options_.hostname}, options_.seed),
      metrics_(
          {stores_,
           translator_,
           state_,
           options_.configuration.metrics.enable_cluster_queue_resources,
           options_.configuration.metrics.local_queue_metrics.enable &&
               options_.gates.is_enabled(config::Feature::LocalQueueMetrics),
           options_.gates.is_enabled(config::Feature::MetricsForCohorts),
           options_.configuration.leader_election.leader_elect
               ? options_.configuration.leader_election.resource_name
               : std::string(),
           [this] { return runner_.work(); },
           [this] { metrics_dirty_.notify(); }}
      ),
      writer_(
          {
              .client = client,
              .stores = stores_,
              .clock = clock,
              .tasks = writes_,
              .on_event = [this](const EventNote& note) { record(note); },
              .on_observation = [this](const Observation& seen) { metrics_.observe(seen); },
              .on_ended = [this](const ObjectKey& key) { on_write_ended(key); },
              .before_send = [this] { return check_lease(); },
          },
          kRowsMax,
          options_.seed
      ),
      applier_({stores_, options_.settings, translator_, state_, feeder_, writer_, clock}),
      scheduling_(
          {state_,
           feeder_,
           applier_,
           writer_,
           clock,
           [this](const engine::CycleResult& result, Duration took) {
               metrics_.observe_cycle(result, took);
           },
           [this](const std::vector<engine::AuditFinding>& findings) {
               metrics_.observe_audit(findings);
           },
           [this](const std::string& cluster_queue) {
               runner_.look({kind_of<api::ClusterQueue>(), "", cluster_queue}, Urgency::AtOnce);
           }}
      ),
      runner_(
          {
              .registry = registry_,
              .view = {stores_, translator_, options_.settings, &registry_.job_kinds().all()},
              .sink = writer_,
              .clock = clock,
              .enabled = reconciled_kinds(),
              .on_event = [this](const EventNote& note) { record(note); },
              .weighted_share = [this](const ObjectKey& key) { return weighted_share(key); },
              .has_holders = [this](const std::string& queue
                             ) { return applier_.has_holders(queue); },
              .wake = [this] { reconcilers_wake_.notify(); },
          },
          options_.seed
      ),
      informers_(
          {client,
           clock,
           stores_,
           loop.executor(),
           [this](const kube::AnyChange& change) { on_change(change); },
           [this](Kind kind) { on_gone(kind); },
           options_.seed}
      ),
      status_(clock, options_.configuration, [this] { return metrics_.print(); }) {
    metrics_.set_role(
        options_.configuration.leader_election.leader_elect ? "follower" : "standalone"
    );
    if (options_.with_webhooks) {
        webhooks_.emplace(
            WebhookService::Parts{client, clock, options_.configuration, options_.in_cluster}
        );
    }
    if (options_.configuration.leader_election.leader_elect) {
        SLUICE_ASSERT(options_.lease_client != nullptr);
        election_.emplace(
            std::move(options_.lease_client), clock, leader_options(options_), options_.seed
        );
    }
    registry_.add_stores(stores_);
}

ControllerProcess::~ControllerProcess() = default;

std::set<Kind> ControllerProcess::reconciled_kinds() const {
    std::set<Kind> kinds;
    for (const KindEntry& entry : registry_.all()) {
        if (entry.reconcile && options_.controllers.contains(entry.controller)) {
            kinds.insert(entry.kind);
        }
    }
    return kinds;
}

void ControllerProcess::add_kind(KindEntry entry) {
    const KindEntry& added = registry_.add(std::move(entry));
    stores_.add(added.make_store());
    if (added.reconcile) {
        runner_.enable(added.kind);
    }
    informers_.follow(added, &followers_);
}

void ControllerProcess::on_change(const kube::AnyChange& change) {
    feeder_.changed(change, clock_.now());
    if (change.key.kind == kind_of<api::Workload>()) {
        applier_.workload_changed(change.key.ns, change.key.name);
    }
    metrics_.changed(change);
    if (is_acting_) {
        look_after(change_context(), change, [this](const ObjectKey& key, Urgency urgency) {
            runner_.look(key, urgency);
        });
    }
    wake();
}

void ControllerProcess::on_gone(Kind kind) {
    if (is_acting_) {
        look_at_owners(change_context(), kind, [this](const ObjectKey& key, Urgency urgency) {
            runner_.look(key, urgency);
        });
    }
}

std::optional<std::int64_t> ControllerProcess::weighted_share(const ObjectKey& key) const {
    if (!options_.settings.fair_sharing) {
        return std::nullopt;
    }
    const engine::NodeIndex node = key.kind == kind_of<api::Cohort>()
                                       ? state_.find_cohort(key.name)
                                       : state_.find_cluster_queue(key.name);
    return node.is_valid() ? std::optional(engine::share_of(state_, node).rounded()) : std::nullopt;
}

void ControllerProcess::wake() {
    reconcilers_wake_.notify();
    scheduler_wake_.notify();
}

void ControllerProcess::on_write_ended(const ObjectKey& key) {
    if (key.kind == kind_of<api::Workload>()) {
        applier_.workload_changed(key.ns, key.name);
        // Its Job may have looked at the echo before the answer came, and wait for it.
        const api::ObjectMeta* workload = stores_.find_metadata(key);
        const auto owner = workload == nullptr ? std::nullopt : find_owner(registry_, *workload);
        if (is_acting_ && owner) {
            runner_.look(*owner, Urgency::AtOnce);
        }
    }
    if (is_acting_) {
        runner_.look(key, Urgency::AtOnce);
    }
    wake();
}

void ControllerProcess::record(const EventNote& note) {
    events_.record(note);
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

/// Serves conversion before anything is listed: the API server may need it for the lists.
boost::asio::awaitable<bool> ControllerProcess::start_webhook() {
    if (!webhooks_) {
        co_return true;
    }
    for (;;) {
        const auto done = co_await serve(&*webhooks_);
        if (done) {
            break;
        }
        log::error("webhook is not ready", {{"error", done.error().detail}});
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
    if (!election_) {
        act();
        co_return true;
    }
    // The lease's thread goes on renewing, whenever this loop comes to act.
    auto on_elected = [this] { loop_.post([this] { elected(); }); };
    const bool lost = co_await election_->lead(std::move(on_elected));
    co_return !lost;
}

void ControllerProcess::elected() {
    if (exit_code_) {
        return;
    }
    log::info(
        "elected",
        {{"lease",
          options_.lease_namespace + "/" + options_.configuration.leader_election.resource_name}}
    );
    act();
}

Result<void> ControllerProcess::check_lease() const {
    if (!election_ || election_->term().is_running(clock_.instant())) {
        return {};
    }
    return Error{ErrorCode::NotLeader, "the leader's lease has run out", {}};
}

void ControllerProcess::act() {
    is_acting_ = true;
    if (options_.configuration.leader_election.leader_elect) {
        metrics_.set_role("leader");
    }
    look_at_all(change_context(), [this](const ObjectKey& key, Urgency urgency) {
        runner_.look(key, urgency);
    });
    const auto reconcile = [this] { return earlier(runner_.step(), writer_.ask_for_late()); };
    workers_.spawn(run_steps(reconcile, &reconcilers_wake_), "reconcilers");
    if (options_.with_scheduler) {
        workers_.spawn(
            run_steps([this] { return scheduling_.step(); }, &scheduler_wake_), "scheduler"
        );
    }
}

boost::asio::awaitable<void> ControllerProcess::live() {
    const bool serves = co_await start_webhook();
    if (!serves) {
        finish(1);
        co_return;
    }
    for (const KindEntry& entry : registry_.all()) {
        informers_.follow(entry, &followers_);
    }
    const bool synced = co_await informers_.wait_synced();
    if (!synced) {
        co_return;
    }
    feeder_.feed_all(clock_.now());
    is_ready_ = true;
    status_.set_ready(true);
    log::info(
        "ready",
        {{"workloads", stores_.of<api::Workload>().size()},
         {"jobs", stores_.of<api::Job>().size()},
         {"clusterQueues", stores_.of<api::ClusterQueue>().size()}}
    );
    const bool in_order = co_await lead();
    if (!in_order) {
        log::error("lease was lost");
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
        log::error("server cannot start", {{"error", started.error().detail}});
        co_return 2;
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

/// What decides ends first, then what was decided is written, then the lease goes to another
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
        log::warning("events were left behind", {{"error", flushed.error().detail}});
    }
    co_await services_.stop(Duration::zero());
    if (election_ && !has_lost_lease_) {
        auto release = as_result(election_->release());
        const auto released = co_await net::with_timeout(std::move(release), kReleaseGrace);
        if (!released) {
            log::warning("lease was not released", {{"error", released.error().detail}});
        }
    }
    co_await followers_.stop(Duration::zero());
    if (webhooks_) {
        co_await webhooks_->stop(std::chrono::seconds(1));
    }
    status_.stop();
}

}  // namespace sluice::controller
