#pragma once

#include "base/clock.hpp"
#include "config/configuration.hpp"
#include "config/feature_gates.hpp"
#include "controller/kinds/registry.hpp"
#include "controller/process/external_kinds.hpp"
#include "controller/process/heartbeat.hpp"
#include "controller/process/informers.hpp"
#include "controller/process/metrics/metrics_reporter.hpp"
#include "controller/process/run_time_kinds.hpp"
#include "controller/process/runner/reconcile_runner.hpp"
#include "controller/process/status_servers.hpp"
#include "controller/process/visibility_service.hpp"
#include "controller/process/webhooks/job_admissions.hpp"
#include "controller/process/webhooks/loop_calls.hpp"
#include "controller/process/webhooks/webhook_service.hpp"
#include "controller/process/writes/api_writer.hpp"
#include "controller/reconcile/settings.hpp"
#include "controller/reconcile/stores.hpp"
#include "controller/scheduler/decision_applier.hpp"
#include "controller/scheduler/scheduling_loop.hpp"
#include "controller/scheduler/state_feeder.hpp"
#include "controller/visibility/pending_workloads.hpp"
#include "engine/state/state.hpp"
#include "job_kinds/configured.hpp"
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

/// What a process is started with, beside the client.
struct ProcessOptions {
    config::Configuration configuration;
    config::FeatureGates gates;
    Settings settings;
    std::vector<job_kinds::ConfiguredKind> job_kinds;
    std::set<std::string> controllers;  ///< KindEntry::controller of the kinds that are reconciled
    bool with_scheduler = true;
    bool with_webhooks = true;
    /// Of the webhooks, listening already; none: it is opened.
    std::shared_ptr<net::ListeningSocket> webhook_socket = nullptr;
    bool with_servers = true;  ///< health and metrics
    bool in_cluster = false;
    std::string lease_namespace;
    std::string hostname;
    std::string identity{};  ///< as the Lease names its holder; "": the hostname and a new UUID
    std::uint64_t seed = 1;
    /// Makes the Lease's calls. Requires: there is one when leaderElect is on.
    std::unique_ptr<kube::Client> lease_client = nullptr;
    /// Whether they are made on a thread of their own, where nothing else delays a renewal.
    bool has_lease_thread = true;
    /// For so long the main loop may stand still before the probes fail and the lease is not
    /// renewed.
    Duration stall_max = Heartbeat::kStallMax;
    /// Asks who may read the metrics, on the thread that serves them. None: everyone may.
    std::unique_ptr<kube::Client> review_client = nullptr;
    /// The same for the visibility API, on its thread. None: it is not served.
    std::unique_ptr<kube::Client> visibility_client = nullptr;
};

/// The running controller: the only place that knows all of its parts. Everything but what is
/// served and the lease runs on one loop, so its parts need no lock.
class ControllerProcess {
  public:
    ControllerProcess(
        kube::Client& client, const Clock& clock, net::EventLoop& loop, ProcessOptions options
    );
    ~ControllerProcess();
    ControllerProcess(const ControllerProcess&) = delete;
    ControllerProcess& operator=(const ControllerProcess&) = delete;

    /// Runs until stopped or the lease is lost; the exit code: 0 after stop(), 1 otherwise.
    boost::asio::awaitable<int> run();
    /// Ends in order: outstanding writes are finished within a bound, the lease is given up.
    void stop() { finish(0); }
    /// Logs what each ClusterQueue holds and what waits there.
    void log_queues();

    /// Serves, has seen all lists, and the webhook answers; leading is not needed for it.
    bool is_ready() const { return is_ready_; }
    /// Acts: it is the leader, or needs not be.
    bool is_acting() const { return is_acting_; }
    const Stores& stores() const { return stores_; }
    /// See ReconcileRunner::next_deadline().
    std::optional<Time> next_deadline() const { return runner_.next_deadline(); }
    /// Judges an AdmissionReview as the webhook of that path does, for an API server in the same
    /// process. Requires: with_webhooks is off. Errors: NotFound for a path without webhook.
    kube::Async<net::ServerResponse> review(std::string path, std::string body);
    /// Follows one more kind, now or as soon as the API server has it. Requires: there is no other
    /// kind of the same group and resource.
    void add_kind(KindEntry entry, Informers::Wait wait = Informers::Wait::ForFirstList);
    /// Where /healthz and /readyz are served; 0: nowhere.
    std::uint16_t health_port() const { return status_.health_port(); }
    /// Where /metrics is served; 0: nowhere.
    std::uint16_t metrics_port() const { return status_.metrics_port(); }
    /// For metrics: the API server at `host` answered a request; status 0: it did not.
    /// Thread: any.
    void count_request(const std::string& host, const std::string& method, int status) {
        metrics_.runtime().observe_request(host, method, status);
    }

  private:
    /// `standalone`, `follower` or `leader`, for metrics and logs.
    void set_role(const std::string& role);
    // Wiring (wiring.cpp): what each part is given, and which other part it tells of what.
    Informers::Parts informers_parts();
    SchedulingLoop::Parts scheduling_parts();
    ReconcileRunner::Parts runner_parts();
    ApiWriter::Parts writer_parts();
    MetricsReporter::Parts metrics_parts();
    RunTimeKinds::Parts run_time_kinds_parts();
    ExternalKinds::Parts external_kinds_parts();
    /// The webhooks by their paths.
    std::map<std::string, AdmissionJudge> make_admissions();
    /// Those of kinds that come at run time, by what their paths begin with.
    std::map<std::string, AdmissionJudge> make_later_admissions();
    std::unique_ptr<kube::Leadership> make_leadership();
    /// Whether it needs the lease to act (leaderElection.leaderElect).
    bool competes() const;
    std::set<Kind> reconciled_kinds() const;
    ChangeContext change_context() const { return {registry_, stores_}; }
    Enqueue enqueuer() {
        return [this](const ObjectKey& key, Urgency urgency) { runner_.enqueue(key, urgency); };
    }
    void on_change(const kube::AnyChange& change);
    void follow_elastic_pods(const kube::Change<api::Workload>& change);
    void on_gone(Kind kind);
    void on_kinds_changed();
    void add_external_kind(KindEntry entry);
    /// Returns entries of kinds that stand between jobs and what manages them.
    std::vector<KindEntry> missing_passed_kinds() const;
    void on_write_ended(const ObjectKey& key, bool is_accepted);
    std::optional<std::int64_t> weighted_share(const ObjectKey& key) const;
    /// Errors: NotLeader when the lease has run out, even if this has not been noticed yet.
    Result<void> check_lease() const;
    void wake();

    kube::Async<void> start_servers();
    boost::asio::awaitable<bool> start_webhook();
    boost::asio::awaitable<bool> sync_stores();
    boost::asio::awaitable<void> live();
    boost::asio::awaitable<bool> lead();
    void elected();
    void act();
    /// Takes steps, each when the last one said or when woken, until cancelled.
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
    StateFeeder feeder_;
    net::TaskGroup followers_;  ///< reflectors, until the end
    net::TaskGroup workers_;    ///< what decides
    net::TaskGroup writes_;     ///< what was decided
    net::TaskGroup services_;   ///< events, certificates, the course of the process itself
    net::Notifier reconcilers_wake_;
    net::Notifier scheduler_wake_;
    net::Notifier metrics_dirty_;
    net::Notifier finished_;
    kube::EventSink events_;
    MetricsReporter metrics_;
    ApiWriter writer_;
    DecisionApplier applier_;
    SchedulingLoop scheduling_;
    ReconcileRunner runner_;
    Informers informers_;
    RunTimeKinds run_time_kinds_;
    ExternalKinds external_kinds_;
    Heartbeat heartbeat_;
    std::unique_ptr<kube::Leadership> leadership_;  ///< none: it acts without a lease
    StatusServers status_;
    LoopCalls loop_calls_;
    PendingWorkloads pending_;
    std::optional<VisibilityService> visibility_;
    std::optional<WebhookService> webhooks_;
    std::map<std::string, AdmissionJudge> reviews_;        ///< of review()
    std::map<std::string, AdmissionJudge> later_reviews_;  ///< the same for kinds that come later
    std::optional<int> exit_code_;
    bool follows_elastic_pods_ = false;
    bool follows_ = false;      ///< the registered kinds; others as soon as they are added
    bool knows_kinds_ = false;  ///< those that ConfigMaps described at the start are followed, too
    bool is_ready_ = false;
    bool is_acting_ = false;
    bool has_lost_lease_ = false;
};

}  // namespace sluice::controller
