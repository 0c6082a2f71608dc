// The controller process: all parts of the controller, its start and its shutdown.
#pragma once

#include "base/clock.hpp"
#include "config/configuration.hpp"
#include "config/feature_gates.hpp"
#include "controller/insight/insight_source.hpp"
#include "controller/kinds/registry.hpp"
#include "controller/process/capacity_watch.hpp"
#include "controller/process/external_kinds.hpp"
#include "controller/process/heartbeat.hpp"
#include "controller/process/informers.hpp"
#include "controller/process/metrics/metrics_reporter.hpp"
#include "controller/process/run_time_kinds.hpp"
#include "controller/process/runner/reconcile_runner.hpp"
#include "controller/process/status_servers.hpp"
#include "controller/process/visibility_service.hpp"
#include "controller/process/webhooks/kind_admissions.hpp"
#include "controller/process/webhooks/loop_calls.hpp"
#include "controller/process/webhooks/webhook_service.hpp"
#include "controller/process/writes/api_writer.hpp"
#include "controller/reconcile/settings.hpp"
#include "controller/reconcile/stores.hpp"
#include "controller/scheduler/decision_applier.hpp"
#include "controller/scheduler/scheduling_loop.hpp"
#include "controller/scheduler/state_feeder.hpp"
#include "controller/visibility/pending_workloads.hpp"
#include "engine/driver/driver.hpp"
#include "engine/state/state.hpp"
#include "job_kinds/configured.hpp"
#include "journal/journal.hpp"
#include "kube/client/client.hpp"
#include "kube/client/event_sink.hpp"
#include "kube/client/leadership.hpp"
#include "net/loop/event_loop.hpp"
#include "net/loop/task_group.hpp"
#include "net/transport/listening_socket.hpp"
#include "workload/translation/translator.hpp"

#include <cstdint>
#include <functional>
#include <map>
#include <memory>
#include <optional>
#include <set>
#include <string>
#include <vector>

namespace sluice::controller {

/// Options and clients of a process; the main client is a separate argument.
struct ProcessOptions {
    config::Configuration configuration;
    config::FeatureGates gates;
    Settings settings;
    std::vector<job_kinds::ConfiguredKind> job_kinds;
    std::set<std::string> controllers;  ///< KindEntry::controller of the controllers that run
    bool with_scheduler = true;
    bool with_webhooks = true;
    /// Socket of the webhooks, which already listens; if it is nullptr, the process opens one.
    std::shared_ptr<net::ListeningSocket> webhook_socket = nullptr;
    bool with_servers = true;  ///< health, readiness, metrics and profiles
    bool in_cluster = false;
    std::string lease_namespace;
    std::string hostname;
    std::string identity{};  ///< holder identity in the Lease; empty: the hostname and a new UUID
    std::uint64_t seed = 1;
    /// Client for the Lease. Requires: it is set if leaderElect is on.
    std::unique_ptr<kube::Client> lease_client = nullptr;
    /// True if the lease is renewed in its own thread, where nothing else delays a renewal.
    bool has_lease_thread = true;
    /// How long the main loop may be blocked before the probes fail and the lease is no longer
    /// renewed.
    Duration stall_max = Heartbeat::kStallMax;
    /// Client for access reviews of the metrics, used on the thread that serves them. If it is
    /// nullptr, everyone may read the metrics.
    std::unique_ptr<kube::Client> review_client = nullptr;
    /// Client for access reviews of the visibility API, used on its thread. If it is nullptr, the
    /// visibility API is not served.
    std::unique_ptr<kube::Client> visibility_client = nullptr;
    /// Folder of the journal, and its limits. If it is nullopt, no journal is written.
    std::optional<journal::SegmentOptions> journal = std::nullopt;
};

/// The running controller: the only class that knows all of its parts. Everything except the
/// servers and the lease runs on one loop, so its parts need no lock.
class ControllerProcess {
  public:
    ControllerProcess(
        kube::Client& client, const Clock& clock, net::EventLoop& loop, ProcessOptions options
    );
    ~ControllerProcess();
    ControllerProcess(const ControllerProcess&) = delete;
    ControllerProcess& operator=(const ControllerProcess&) = delete;

    /// Runs until it is stopped or loses the lease. Returns the exit code: 0 after stop(), 2 if a
    /// server cannot start, otherwise 1.
    boost::asio::awaitable<int> run();
    /// Starts an orderly shutdown: outstanding writes get a bounded time, then the lease is
    /// released.
    void stop() { finish(0); }
    /// Logs the workloads that hold quota of each ClusterQueue and those that wait for it.
    void log_queues();

    /// Returns true once the servers run, the initial lists have been received and the webhook
    /// answers; followers are ready, too.
    bool is_ready() const { return is_ready_; }
    /// Returns true if it makes decisions: it is the leader, or leader election is off.
    bool is_acting() const { return is_acting_; }
    /// See ReconcileRunner::next_deadline().
    std::optional<Time> next_deadline() const { return runner_.next_deadline(); }
    /// Reviews an AdmissionReview as the webhook at that path does, for an API server in the same
    /// process. Requires: with_webhooks is off. Errors: NotFound if no webhook has the path.
    kube::Async<net::ServerResponse> review(std::string path, std::string body);
    /// Watches one more kind, immediately or as soon as the API server serves it. Requires: no
    /// registered kind has the same group and resource.
    void add_kind(KindEntry entry, Informers::Wait wait = Informers::Wait::ForFirstList);
    /// Port of /healthz and /readyz; 0 if they are not served.
    std::uint16_t health_port() const { return status_.health_port(); }
    /// Port of /metrics; 0 if it is not served.
    std::uint16_t metrics_port() const { return status_.metrics_port(); }
    /// Counts a request to the API server at `host` for the metrics; status 0 means that no
    /// response was received. Thread: any.
    void count_request(const std::string& host, const std::string& method, int status) {
        metrics_.runtime().observe_request(host, method, status);
    }

  private:
    /// Sets the role in metrics and logs: `standalone`, `follower` or `leader`.
    void set_role(const std::string& role);
    // Wiring (wiring.cpp): the dependencies of each part, and the parts it notifies.
    Informers::Parts informers_parts();
    SchedulingLoop::Parts scheduling_parts();
    ReconcileRunner::Parts runner_parts();
    CapacityWatch::Parts capacity_parts();
    ApiWriter::Parts writer_parts();
    MetricsReporter::Parts metrics_parts();
    RunTimeKinds::Parts run_time_kinds_parts();
    ExternalKinds::Parts external_kinds_parts();
    /// Returns the webhooks by their paths.
    std::map<std::string, AdmissionJudge> make_admissions();
    /// Returns the webhooks of kinds that are described at run time, by the prefix of their paths.
    std::map<std::string, AdmissionJudge> make_later_admissions();
    std::unique_ptr<kube::Leadership> make_leadership();
    /// Returns true if it needs the lease to act (leaderElection.leaderElect).
    bool competes() const;
    std::set<Kind> reconciled_kinds() const;
    ChangeContext change_context() const { return {registry_, stores_}; }
    Enqueue enqueuer() {
        return [this](const ObjectKey& key, Urgency urgency) { runner_.enqueue(key, urgency); };
    }
    void on_change(const kube::AnyChange& change);
    void follow_pods();
    void hold_cycles_for_pods();
    boost::asio::awaitable<void> resume_cycles();
    bool reconciles_pod_rows() const;
    void on_gone(Kind kind);
    void on_kinds_changed();
    void add_external_kind(KindEntry entry);
    /// Returns entries for kinds between jobs and the objects that manage them.
    std::vector<KindEntry> missing_passed_kinds() const;
    void on_write_ended(const ObjectKey& key, bool is_accepted);
    std::optional<std::int64_t> weighted_share(const ObjectKey& key) const;
    /// Errors: NotLeader if the lease has expired, even if the process has not noticed yet.
    Result<void> check_lease() const;
    void wake();

    kube::Async<void> start_servers();
    boost::asio::awaitable<bool> start_webhook();
    boost::asio::awaitable<bool> sync_stores();
    boost::asio::awaitable<void> live();
    boost::asio::awaitable<bool> lead();
    void elected();
    void act();
    /// Runs steps until cancelled, each at the time that the last one returned, or when woken.
    boost::asio::awaitable<void> run_steps(
        std::function<std::optional<Instant>()> step, net::Notifier* woken
    );
    boost::asio::awaitable<void> shut_down();
    void finish(int code);

    kube::Client& client_;
    const Clock& clock_;
    net::EventLoop& loop_;
    ProcessOptions options_;

    Registry registry_;
    Stores stores_;
    workload::Translator translator_;
    engine::State state_;
    engine::Driver driver_;
    std::unique_ptr<journal::Journal> journal_;  ///< if it is nullptr, nothing is recorded
    StateFeeder feeder_;
    net::TaskGroup followers_;  ///< reflectors; they run until the end
    net::TaskGroup workers_;    ///< scheduler and reconcilers
    net::TaskGroup writes_;     ///< writes of their decisions
    net::TaskGroup services_;   ///< events, certificates, the life cycle of the process itself
    net::Notifier reconcilers_wake_;
    net::Notifier scheduler_wake_;
    net::Notifier capacity_wake_;  ///< never notified: its reports come by the clock
    net::Notifier metrics_dirty_;
    net::Notifier finished_;
    kube::EventSink events_;
    MetricsReporter metrics_;
    ApiWriter writer_;
    DecisionApplier applier_;
    SchedulingLoop scheduling_;
    CapacityWatch capacity_;
    ReconcileRunner runner_;
    Informers informers_;
    RunTimeKinds run_time_kinds_;
    ExternalKinds external_kinds_;
    Heartbeat heartbeat_;
    std::unique_ptr<kube::Leadership> leadership_;  ///< without it, it acts without a lease
    StatusServers status_;
    LoopCalls loop_calls_;
    PendingWorkloads pending_;
    InsightSource insight_;
    std::optional<VisibilityService> visibility_;
    std::optional<WebhookService> webhooks_;
    std::map<std::string, AdmissionJudge> reviews_;        ///< for review()
    std::map<std::string, AdmissionJudge> later_reviews_;  ///< for kinds described at run time
    std::optional<int> exit_code_;
    bool follows_pods_ = false;
    bool holds_cycles_ = false;  ///< until pods are listed
    bool knows_pods_ = false;    ///< cycles have been held for their list
    bool follows_ = false;       ///< registered kinds are watched, later ones once added
    bool knows_kinds_ = false;   ///< kinds that ConfigMaps described at the start are watched
    bool is_ready_ = false;
    bool is_acting_ = false;
    bool has_lost_lease_ = false;
};

}  // namespace sluice::controller
