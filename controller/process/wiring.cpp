// Puts the parts of the controller together. Objects from the API server go from the informers into
// the stores, from there to the engine's state and the work queue. Decisions of the engine and the
// reconcilers go through one writer, whose results go to events and metrics.

#include "api/core/config_map.hpp"
#include "base/assert.hpp"
#include "base/log.hpp"
#include "config/kind_argument.hpp"
#include "controller/jobs/members/serving_names.hpp"
#include "controller/jobs/pod/pod_resize.hpp"
#include "controller/kinds/builtin_kinds.hpp"
#include "controller/process/controller_process.hpp"
#include "controller/process/passed_kinds.hpp"
#include "controller/process/settings.hpp"
#include "controller/reconcile/pod_rows.hpp"
#include "controller/scheduler/consumed_resources.hpp"
#include "engine/state/fair_sharing.hpp"
#include "job_kinds/frameworks.hpp"
#include "kube/client/leader_election.hpp"
#include "kube/client/leader_thread.hpp"
#include "webhook/kueue_webhooks.hpp"
#include "workload/capacity/capacity_rule.hpp"
#include "workload/translation/options.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <utility>

namespace sluice::controller {

namespace {

/// Enough to keep an API server busy; each row holds a connection and its buffers.
constexpr std::size_t kRowsMax = 64;
/// Cycles wait so long for the first list of pods.
constexpr Duration kPodsPatience = std::chrono::seconds(30);

kube::LeaderOptions leader_options(const ProcessOptions& options) {
    const config::LeaderElection& wanted = options.configuration.leader_election;
    kube::LeaderOptions made;
    made.namespace_ = options.lease_namespace;
    made.name = wanted.resource_name;
    made.identity =
        options.identity.empty() ? options.hostname + "_" + net::make_uuid() : options.identity;
    made.lease_length = wanted.lease_duration;
    made.renew_deadline = wanted.renew_deadline;
    made.retry_period = wanted.retry_period;
    return made;
}

bool lists(const config::Configuration& configuration, std::string_view framework) {
    const auto& frameworks = configuration.integrations.frameworks;
    return std::ranges::find(frameworks, framework) != frameworks.end();
}

/// Returns the entries of pods and of kinds whose pods are jobs.
std::vector<KindEntry> kinds_of_pods(const ProcessOptions& options) {
    const config::Configuration& configuration = options.configuration;
    const bool has_stateful_sets = lists(configuration, kStatefulSets);
    const bool has_leader_worker_sets = lists(configuration, kLeaderWorkerSets);
    std::vector<KindEntry> kinds;
    if (lists(configuration, "pod") || options.settings.manages_held_pods_alone) {
        KindEntry pods = pod_kind(options.settings.workload_identifier_annotations);
        if (!options.controllers.contains(pods.controller)) {
            pods.reconcile = pod_kind_without_jobs().reconcile;
        }
        kinds.push_back(std::move(pods));
    }
    if (lists(configuration, kDeployments)) {
        kinds.push_back(deployment_kind());
        kinds.push_back(replica_set_kind());
    }
    if (has_stateful_sets || has_leader_worker_sets) {
        kinds.push_back(stateful_set_kind(has_stateful_sets));
    }
    if (has_leader_worker_sets) {
        kinds.push_back(leader_worker_set_kind());
    }
    return kinds;
}

Registry make_kind_registry(const ProcessOptions& options) {
    std::vector<KindEntry> more = kinds_of_pods(options);
    more.push_back(job_kinds_config_map_kind(options.configuration.namespace_));
    return make_registry(
        options.job_kinds, lists(options.configuration, "batch/job"), std::move(more)
    );
}

boost::asio::awaitable<Result<webhook::Verdict>> as_awaitable(Result<webhook::Verdict> verdict) {
    co_return verdict;
}

/// Makes a judge that needs only the request.
AdmissionJudge judge_at_once(
    std::function<Result<webhook::Verdict>(const api::AdmissionRequest&)> judge
) {
    return [judge = std::move(judge)](const std::shared_ptr<const api::AdmissionRequest>& request) {
        return as_awaitable(judge(*request));
    };
}

std::string path_of(std::string_view verb, Kind kind) {
    return webhook::admission_path(verb, kind.group(), kind.version(), kind.name());
}

/// Adds webhooks that allow everything: webhook configurations name all frameworks, whether they
/// are enabled or not.
void add_passing(std::map<std::string, AdmissionJudge>& admissions) {
    const auto pass = judge_at_once([](const api::AdmissionRequest&) {
        return Result<webhook::Verdict>(webhook::Verdict());
    });
    for (const config::Framework& framework : job_kinds::known_frameworks()) {
        // Kind.version.group
        const std::string_view name = framework.kind;
        const auto first = name.find('.');
        const auto second = name.find('.', first + 1);
        for (const std::string_view verb : {"mutate", "validate"}) {
            admissions.emplace(
                webhook::admission_path(
                    verb,
                    second == std::string_view::npos ? std::string_view() : name.substr(second + 1),
                    name.substr(first + 1, second - first - 1),
                    name.substr(0, first)
                ),
                pass
            );
        }
    }
}

}  // namespace

ControllerProcess::ControllerProcess(
    kube::Client& client, const Clock& clock, net::EventLoop& loop, ProcessOptions options
)
    : client_(client),
      clock_(clock),
      loop_(loop),
      options_(std::move(options)),
      registry_(make_kind_registry(options_)),
      translator_(workload::make_translation_settings(options_.configuration, options_.gates)),
      state_(make_engine_options(options_.configuration, options_.gates, options_.seed)),
      driver_(state_),
      journal_(
          options_.journal ? std::make_unique<journal::Journal>(state_, *options_.journal) : nullptr
      ),
      feeder_(registry_, stores_, translator_, driver_, clock),
      followers_(loop.executor(), "follow"),
      workers_(loop.executor(), "work"),
      writes_(loop.executor(), "write"),
      services_(loop.executor(), "service"),
      reconcilers_wake_(loop.executor()),
      scheduler_wake_(loop.executor()),
      capacity_wake_(loop.executor()),
      metrics_dirty_(loop.executor()),
      finished_(loop.executor()),
      events_(
          client,
          clock,
          loop.executor(),
          {.hostname = options_.hostname},
          options_.seed,
          [this] { return check_lease().has_value(); }
      ),
      metrics_(metrics_parts()),
      writer_(writer_parts(), kRowsMax, options_.seed),
      applier_({
          stores_,
          options_.settings,
          translator_,
          state_,
          feeder_,
          writer_,
          clock,
          [this](const EventNote& note) { events_.record(note); },
      }),
      scheduling_(scheduling_parts()),
      capacity_(capacity_parts()),
      runner_(runner_parts(), options_.seed),
      informers_(informers_parts()),
      run_time_kinds_(run_time_kinds_parts()),
      external_kinds_(external_kinds_parts()),
      heartbeat_(clock, options_.stall_max),
      status_(
          clock,
          options_.configuration,
          heartbeat_,
          [this] { return metrics_.print(); },
          std::move(options_.review_client)
      ),
      loop_calls_({loop_, [this] { return knows_kinds_ && informers_.has_synced(); }}),
      pending_(stores_, state_),
      insight_(
          {stores_,
           state_,
           translator_,
           registry_.job_kinds(),
           options_.settings,
           clock,
           [this](engine::WorkloadIndex workload) { return pending_.find_place(workload); }}
      ) {
    driver_.set_observer(journal_.get());
    set_role(competes() ? "follower" : "standalone");
    if (options_.with_webhooks) {
        webhooks_.emplace(WebhookService::Parts{
            .client = client,
            .clock = clock,
            .configuration = options_.configuration,
            .in_cluster = options_.in_cluster,
            .admissions = make_admissions(),
            .later_admissions = make_later_admissions(),
            .metrics = &metrics_.runtime().metrics(),
            .socket = options_.webhook_socket,
        });
    } else {
        reviews_ = make_admissions();
        later_reviews_ = make_later_admissions();
    }
    if (options_.visibility_client != nullptr) {
        std::function<const serving::ServingCertificates*()> find_certificate;
        if (webhooks_) {
            find_certificate = [this] { return webhooks_->find_shown(); };
        }
        visibility_.emplace(
            VisibilityService::Parts{
                .clock = clock,
                .configuration = options_.configuration,
                .calls = loop_calls_,
                .pending = pending_,
                .insight = insight_,
                .find_certificate = std::move(find_certificate),
            },
            std::move(options_.visibility_client)
        );
    }
    if (competes()) {
        SLUICE_ASSERT(options_.lease_client != nullptr);
        leadership_ = make_leadership();
    }
    for (const Kind kind : external_kinds_.expected()) {
        registry_.expect_external(kind);
    }
    for (KindEntry& entry : missing_passed_kinds()) {
        registry_.add(std::move(entry));
    }
    registry_.add_stores(stores_);
}

ControllerProcess::~ControllerProcess() = default;

std::unique_ptr<kube::Leadership> ControllerProcess::make_leadership() {
    if (options_.has_lease_thread) {
        kube::LeaderOptions made = leader_options(options_);
        made.may_lead = [this] { return heartbeat_.is_regular(); };
        return std::make_unique<kube::LeaderThread>(
            std::move(options_.lease_client), clock_, std::move(made), options_.seed
        );
    }
    return std::make_unique<kube::LeaderElection>(
        *options_.lease_client, clock_, leader_options(options_), options_.seed
    );
}

bool ControllerProcess::competes() const {
    return options_.configuration.leader_election.leader_elect;
}

Informers::Parts ControllerProcess::informers_parts() {
    return {
        .client = client_,
        .clock = clock_,
        .stores = stores_,
        .executor = loop_.executor(),
        .on_change = [this](const kube::AnyChange& change) { on_change(change); },
        .on_gone = [this](Kind kind) { on_gone(kind); },
        .on_passed =
            [this](const KindEntry& entry, bool is_passed) {
                if (registry_.set_passed(entry, is_passed)) {
                    on_kinds_changed();
                }
            },
        .seed = options_.seed,
    };
}

SchedulingLoop::Parts ControllerProcess::scheduling_parts() {
    return {
        .driver = driver_,
        .feeder = feeder_,
        .applier = applier_,
        .sink = writer_,
        .clock = clock_,
        .on_cycle = [this](
                        const engine::CycleResult& result, Duration took
                    ) { metrics_.observe_cycle(result, took); },
        .on_audit = [this](const std::vector<engine::AuditFinding>& findings
                    ) { metrics_.observe_audit(findings); },
        .on_activity =
            [this](const std::string& cluster_queue) {
                runner_.enqueue({kind_of<api::ClusterQueue>(), "", cluster_queue}, Urgency::AtOnce);
            },
    };
}

ReconcileRunner::Parts ControllerProcess::runner_parts() {
    return {
        .registry = registry_,
        .view =
            {stores_,
             translator_,
             options_.settings,
             &registry_.job_kinds().all(),
             &registry_.job_kinds().withdrawn()},
        .sink = writer_,
        .clock = clock_,
        .enabled = reconciled_kinds(),
        .on_event = [this](const EventNote& note) { events_.record(note); },
        .weighted_share = [this](const ObjectKey& key) { return weighted_share(key); },
        .has_holders = [this](const std::string& queue) { return applier_.has_holders(queue); },
        .consumed = [this](const ObjectKey& key) { return consumed_by(state_, key); },
        .drift = [this](const ObjectKey& key) { return capacity_.drifts().drift(key); },
        .wake = [this] { reconcilers_wake_.notify(); },
    };
}

CapacityWatch::Parts ControllerProcess::capacity_parts() {
    return {
        .stores = stores_,
        .clock = clock_,
        .on_report = [this](const auto& report) { metrics_.observe_capacity(report); },
        .on_drift =
            [this](const ObjectKey& key) {
                // A Cohort has no condition: each change is an event.
                const QuotaDrift drift = capacity_.drifts().drift(key);
                const auto cohort = key.kind == kind_of<api::Cohort>()
                                        ? stores_.of<api::Cohort>().find(key.name)
                                        : nullptr;
                if (cohort && drift.state == QuotaDrift::State::Exceeds) {
                    events_.record(drift_event(key, cohort->metadata.uid, drift));
                }
                runner_.enqueue(key, Urgency::Batched);
                reconcilers_wake_.notify();
            },
        .on_event = [this](const EventNote& note) { events_.record(note); },
    };
}

ApiWriter::Parts ControllerProcess::writer_parts() {
    return {
        .client = client_,
        .stores = stores_,
        .clock = clock_,
        .tasks = writes_,
        .on_event = [this](const EventNote& note) { events_.record(note); },
        .on_observation = [this](const Observation& seen) { metrics_.observe(seen); },
        .on_ended = [this](const ObjectKey& key, bool ok) { on_write_ended(key, ok); },
        .before_send = [this] { return check_lease(); },
    };
}

MetricsReporter::Parts ControllerProcess::metrics_parts() {
    const config::Metrics& wanted = options_.configuration.metrics;
    return {
        .stores = stores_,
        .translator = translator_,
        .state = state_,
        .cluster_queue_resources = wanted.enable_cluster_queue_resources,
        .local_queues = wanted.local_queue_metrics.enable &&
                        options_.gates.is_enabled(config::Feature::LocalQueueMetrics),
        .unadmitted = options_.gates.is_enabled(config::Feature::UnadmittedWorkloadsObservability),
        .local_queue_selector = wanted.local_queue_metrics.local_queue_selector,
        .custom_labels = options_.gates.is_enabled(config::Feature::CustomMetricLabels)
                             ? make_custom_labels(wanted.custom_labels)
                             : std::vector<metrics::CustomLabel>(),
        .cohorts = options_.gates.is_enabled(config::Feature::MetricsForCohorts),
        .creation_latency =
            options_.gates.is_enabled(config::Feature::MetricForWorkloadCreationLatency),
        .runtime = {
            .lease = competes() ? options_.configuration.leader_election.resource_name : "",
            .work = [this] { return runner_.work(); },
            .rows_max = kRowsMax,
            .dropped_events = [this] { return events_.dropped(); },
            .journal = journal_.get(),
            .process = true
        },
        .on_dirty = [this] { metrics_dirty_.notify(); },
    };
}

RunTimeKinds::Parts ControllerProcess::run_time_kinds_parts() {
    std::vector<std::string> external;
    for (const std::string& name : options_.configuration.integrations.external_frameworks) {
        const config::KindArgument kind = config::split_kind_argument(name);
        external.push_back(fmt::format("{}.{}", kind.kind, kind.group));
    }
    return {
        .registry = registry_,
        .stores = stores_,
        .informers = informers_,
        .runner = runner_,
        .feeder = feeder_,
        .clock = clock_,
        .executor = loop_.executor(),
        .catalog = job_kinds::Catalog(options_.job_kinds, std::move(external)),
        .is_reconciled = options_.controllers.contains(kJobKindsController),
        .on_event = [this](const EventNote& note) { events_.record(note); },
        .on_changed = [this] { on_kinds_changed(); },
    };
}

ExternalKinds::Parts ControllerProcess::external_kinds_parts() {
    return {
        .client = client_,
        .names = options_.configuration.integrations.external_frameworks,
        .on_found = [this](KindEntry entry) { add_external_kind(std::move(entry)); },
    };
}

std::map<std::string, AdmissionJudge> ControllerProcess::make_later_admissions() {
    const AdmissionContext context{
        registry_.job_kinds(), stores_, options_.settings, options_.gates
    };
    return {
        {"/mutate-", make_any_job_judge(loop_calls_, context, AdmissionStep::Default)},
        {"/validate-", make_any_job_judge(loop_calls_, context, AdmissionStep::Judge)},
    };
}

std::map<std::string, AdmissionJudge> ControllerProcess::make_admissions() {
    std::map<std::string, AdmissionJudge> made;
    for (webhook::Webhook& hook : webhook::make_kueue_webhooks(options_.gates)) {
        made[hook.path] = judge_at_once(std::move(hook.judge));
    }
    const AdmissionContext context{
        registry_.job_kinds(), stores_, options_.settings, options_.gates
    };
    for (const KindEntry& entry : registry_.all()) {
        if (entry.admission == nullptr) {
            continue;
        }
        made[path_of("mutate", entry.kind)] =
            make_kind_judge(loop_calls_, context, *entry.admission, AdmissionStep::Default);
        made[path_of("validate", entry.kind)] =
            make_kind_judge(loop_calls_, context, *entry.admission, AdmissionStep::Judge);
    }
    made[std::string(kResizePath)] = make_resize_judge(loop_calls_, context);
    add_passing(made);
    return made;
}

std::set<Kind> ControllerProcess::reconciled_kinds() const {
    std::set<Kind> kinds;
    for (const KindEntry& entry : registry_.all()) {
        const bool has_rows = entry.kind == kind_of<api::Pod>() && reconciles_pod_rows();
        if (entry.reconcile && (has_rows || options_.controllers.contains(entry.controller))) {
            kinds.insert(entry.kind);
        }
    }
    return kinds;
}

void ControllerProcess::on_change(const kube::AnyChange& change) {
    feeder_.changed(change, clock_.now());
    if (change.key.kind == kind_of<api::Workload>()) {
        applier_.workload_changed(change.key.ns, change.key.name);
        const auto workload = kube::change_as<api::Workload>(change).after;
        if (workload && has_gated_pods(*workload, options_.settings.elastic_jobs)) {
            follow_pods();
        }
        run_time_kinds_.workload_changed();
    } else if (change.key.kind == kind_of<api::ResourceFlavor>()) {
        const auto flavor = kube::change_as<api::ResourceFlavor>(change).after;
        if (flavor &&
            (!flavor->spec.topology_name.empty() || workload::enforces_capacity(*flavor)) &&
            options_.settings.gates.topology_aware_scheduling) {
            follow_pods();
            hold_cycles_for_pods();
        }
    } else if (change.key.kind == kind_of<api::ConfigMap>()) {
        run_time_kinds_.config_map_changed();
    }
    metrics_.changed(change);
    if (is_acting_) {
        enqueue_affected(change_context(), change, enqueuer());
        runner_.enqueue_waiting(change.key);
    }
    wake();
}

/// Watches pods once a Workload or a flavor needs it: pods are many.
void ControllerProcess::follow_pods() {
    if (follows_pods_ || registry_.find(kind_of<api::Pod>()) != nullptr || !reconciles_pod_rows()) {
        return;
    }
    follows_pods_ = true;
    // Posted, because adding a store during a change would affect the other receivers of the
    // change. Webhooks answer meanwhile.
    const auto wait = is_ready_ ? Informers::Wait::ForNothing : Informers::Wait::ForFirstList;
    loop_.post([this, wait] { add_kind(pod_kind_without_jobs(), wait); });
}

/// Decides nothing before the pods are known that take room on the nodes of the first flavor that
/// looks at nodes. Does not wait for long: the account may not have the right to list pods.
void ControllerProcess::hold_cycles_for_pods() {
    if (!is_ready_ || !follows_ || holds_cycles_ || knows_pods_ || !follows_pods_) {
        return;  // the stores are filled before the first cycle, and hold pods that are jobs
    }
    holds_cycles_ = true;
    services_.spawn(resume_cycles(), "first list of pods");
}

boost::asio::awaitable<void> ControllerProcess::resume_cycles() {
    const Instant until = clock_.instant() + kPodsPatience;
    const bool waited = co_await informers_.wait_listed(kind_of<api::Pod>(), until);
    if (waited) {
        holds_cycles_ = false;
        knows_pods_ = true;
        wake();
    }
}

bool ControllerProcess::reconciles_pod_rows() const {
    return options_.controllers.contains(kElasticJobController) ||
           options_.controllers.contains(kTopologyController);
}

void ControllerProcess::on_gone(Kind kind) {
    if (is_acting_) {
        enqueue_owners(change_context(), kind, enqueuer());
    }
}

std::vector<KindEntry> ControllerProcess::missing_passed_kinds() const {
    const bool manages_pods = lists(options_.configuration, "pod");
    return find_passed_kinds(registry_, manages_pods);
}

void ControllerProcess::on_kinds_changed() {
    // A newly described kind may be the first one whose objects own jobs.
    for (KindEntry& entry : missing_passed_kinds()) {
        add_kind(std::move(entry), Informers::Wait::ForNothing);
    }
    if (is_acting_) {
        enqueue_all(change_context(), enqueuer());
    }
    wake();
}

/// Watches an external kind: once its objects are known, they manage the jobs below them.
void ControllerProcess::add_external_kind(KindEntry entry) {
    if (registry_.find(entry.kind) != nullptr ||
        registry_.find(entry.kind.group(), entry.kind.name()) != nullptr) {
        log::warning(
            "external kind is already watched", {{"resource", kube::to_string(entry.kind)}}
        );
        return;
    }
    log::info("external kind is watched", {{"resource", kube::to_string(entry.kind)}});
    add_kind(std::move(entry), Informers::Wait::ForNothing);
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

void ControllerProcess::on_write_ended(const ObjectKey& key, bool is_accepted) {
    if (key.kind == kind_of<api::Workload>()) {
        applier_.workload_changed(key.ns, key.name);
    }
    if (is_acting_) {
        runner_.enqueue_after_write(key, is_accepted);
    }
    wake();
}

Result<void> ControllerProcess::check_lease() const {
    if (!leadership_ || leadership_->term().is_running(clock_.instant())) {
        return {};
    }
    return Error{ErrorCode::NotLeader, "the leader's lease has run out", {}};
}

}  // namespace sluice::controller
