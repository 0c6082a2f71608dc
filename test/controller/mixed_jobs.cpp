#include "controller/mixed_jobs.hpp"

#include "base/prng.hpp"
#include "controller/admitting_cluster.hpp"
#include "controller/job_samples.hpp"
#include "controller/kinds/builtin_kinds.hpp"
#include "controller/played_jobs.hpp"
#include "controller/queued_jobs.hpp"
#include "controller/queued_pods.hpp"
#include "engine/state/audit.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <array>
#include <chrono>
#include <iterator>
#include <map>
#include <optional>
#include <set>
#include <string>
#include <string_view>
#include <utility>

namespace sluice::controller {

namespace {

constexpr std::array<std::string_view, 2> kQueues{"main", "other"};
constexpr std::array<std::string_view, 3> kPriorities{"", "middle", "high"};
/// Of each ClusterQueue; the largest sample asks for less.
constexpr int kCpu = 10;

/// Nothing is reclaimed from the other queue: a borrower, who it borrows from, and a workload of
/// high priority there can evict each other in turns for as long as none of them ends.
constexpr std::string_view kClusterQueue =
    R"({{'kind':'ClusterQueue','metadata':{{'name':'{}'}},'spec':{{'cohortName':'teams',
    'namespaceSelector':{{}},'queueingStrategy':'BestEffortFIFO','stopPolicy':'None',
    'preemption':{{'withinClusterQueue':'LowerPriority','reclaimWithinCohort':'Never'}},
    'resourceGroups':[{{'coveredResources':['cpu','memory'],'flavors':[{{'name':'spot','resources':[
        {{'name':'cpu','nominalQuota':'{}'}},
        {{'name':'memory','nominalQuota':'1000Gi'}}]}}]}}]}}}})";
constexpr std::string_view kLocalQueue =
    R"({{'kind':'LocalQueue','metadata':{{'name':'{0}','namespace':'team'}},
    'spec':{{'clusterQueue':'{0}','stopPolicy':'None'}}}})";
constexpr std::string_view kPriorityClass =
    R"({{'kind':'WorkloadPriorityClass','metadata':{{'name':'{}'}},'value':{}}})";

class Course {
  public:
    explicit Course(const MixedJobsOptions& options)
        : options_(options), prng_(options.seed), cluster_({}, options.seed) {
        judged_ = cluster_.fault;
        cluster_.fault = [this](const Write& write) -> std::optional<Error> {
            if (is_stormy_ && prng_.chance(4)) {
                return Error{
                    prng_.chance(50) ? ErrorCode::Conflict : ErrorCode::Unavailable, "a fault", {}
                };
            }
            return judged_(write);
        };
        cluster_.lost_answer = [this](const Write&) -> std::optional<Error> {
            if (is_stormy_ && prng_.chance(3)) {
                return Error{ErrorCode::Timeout, "the answer is lost", {}};
            }
            return std::nullopt;
        };
    }

    MixedJobsResult play() {
        make_cluster();
        is_stormy_ = true;
        while (result_.created < options_.jobs) {
            step();
            if (prng_.chance(3)) {
                check_at_rest();
            }
        }
        is_stormy_ = false;
        run_all_to_their_ends();
        leave_nothing();
        return std::move(result_);
    }

  private:
    void make_cluster() {
        cluster_.add_kind(pod_kind(true));
        std::map<std::string, Kind> added;
        for (const JobSample& sample : job_samples()) {
            const std::string& name = sample.kind.description->kind;
            if (!added.contains(name)) {
                KindEntry entry = described_job_kind(sample.kind);
                added.emplace(name, entry.kind);
                for (KindEntry& referenced : referenced_kinds(entry)) {
                    cluster_.add_kind(std::move(referenced));
                }
                cluster_.add_kind(std::move(entry));
                for (const json::Value& other : sample.others) {
                    cluster_.put(json::print(other));
                }
            }
            kinds_.push_back(added.at(name));
        }
        make_queues(cluster_);
        for (const std::string_view queue : kQueues) {
            cluster_.put(fmt::format(kClusterQueue, queue, kCpu));
            cluster_.put(fmt::format(kLocalQueue, queue));
        }
        for (std::size_t i = 1; i < kPriorities.size(); ++i) {
            cluster_.put(fmt::format(kPriorityClass, kPriorities[i], 10 * i));
        }
        cluster_.settle();
    }

    template <typename Range>
    auto& any(Range& range) {
        return range[prng_.below(range.size())];
    }
    /// A job that is not over, or null.
    PlayedJob* any_job() {
        std::vector<PlayedJob*> living;
        for (PlayedJob& job : jobs_) {
            if (!job.is_over) {
                living.push_back(&job);
            }
        }
        return living.empty() ? nullptr : any(living);
    }
    void problem(std::string text) { players_.problem(std::move(text)); }

    void step() {
        const auto choice = prng_.below(100);
        if (choice < 30) {
            create();
        } else if (choice < 75) {
            if (PlayedJob* job = any_job()) {
                players_.play_own_controller(*job);
            }
        } else if (choice < 80) {
            if (PlayedJob* job = any_job()) {
                players_.remove(*job);
            }
        } else if (choice < 92) {
            if (PlayedJob* job = any_job()) {
                edit(*job);
            }
        } else if (choice < 95) {
            disturb_workload();
        } else if (choice < 97) {
            collect();
        } else if (choice < 98) {
            cluster_.restart();
            ++result_.restarts;
        } else {
            cluster_.clock.advance(std::chrono::seconds(prng_.between(1, 20)));
        }
        for (auto left = prng_.below(30); left > 0 && cluster_.tick(); --left) {
        }
    }

    void create() {
        PlayedJob job;
        job.name = fmt::format("j-{}", ++result_.created);
        const auto kind = prng_.below(job_samples().size() + 8);
        const bool is_seen = prng_.chance(70);  // by the webhooks
        if (kind < job_samples().size()) {
            job.form = Form::Described;
            job.sample = &job_samples()[kind];
            job.key = {kinds_[kind], "team", job.name};
            json::Value object = job.sample->object;
            object.find("metadata")->set("name", job.name);
            label(object);
            make(object, is_seen);
        } else if (kind % 8 < 4) {
            job.key = job_key(job.name);
            json::Value object = parse(controller::job(job.name, int(prng_.between(1, 3))));
            label(object);
            if (prng_.chance(50)) {
                object.find("spec")->set("suspend", false);
            }
            make(object, is_seen);
        } else if (kind % 8 < 6) {
            job.form = Form::Pod;
            job.key = pod_key(job.name);
            players_.make_pod(job.name, nullptr);
        } else {
            job.form = Form::PodGroup;
            for (int i = 0; i < 3; ++i) {
                players_.add_pod(job);
            }
        }
        jobs_.push_back(std::move(job));
    }

    static json::Value parse(std::string text) {
        std::ranges::replace(text, '\'', '"');
        return json::parse(text).value();
    }

    void label(json::Value& object) {
        json::Value& labels = *object.find("metadata")->find("labels");
        labels.set("kueue.x-k8s.io/queue-name", std::string(any(kQueues)));
        const std::string_view priority = any(kPriorities);
        if (!priority.empty()) {
            labels.set("kueue.x-k8s.io/priority-class", std::string(priority));
        }
    }

    void make(const json::Value& object, bool is_seen) {
        if (!is_seen) {
            cluster_.put(json::print(object));
        } else if (const std::string refusal = cluster_.create(object); !refusal.empty()) {
            problem(fmt::format("refused: {}: {}", json::print(object), refusal));
        }
    }

    /// Users edit what they may, and try what they may not.
    void edit(PlayedJob& job) {
        std::string patch;
        switch (prng_.below(4)) {
            case 0:
                if (!may_change_queue(job)) {
                    return;
                }
                job.queue = any(kQueues);
                patch = fmt::format(
                    "{{'metadata':{{'labels':{{'kueue.x-k8s.io/queue-name':'{}'}}}}}}", job.queue
                );
                break;
            case 1:
                patch = fmt::format(
                    "{{'metadata':{{'labels':{{'kueue.x-k8s.io/priority-class':'{}'}}}}}}",
                    prng_.chance(50) ? "middle" : "high"
                );
                break;
            case 2:
                patch = fmt::format("{{'spec':{{'suspend':{}}}}}", prng_.chance(50));
                break;
            default:
                patch = fmt::format("{{'spec':{{'parallelism':{}}}}}", prng_.between(1, 3));
        }
        const bool is_of_batch_jobs = patch.starts_with("{'spec'");
        if (is_of_batch_jobs && job.form != Form::BatchJob) {
            return;
        }
        if (job.form != Form::PodGroup) {
            edit(job.key, patch);
        }
        for (const std::string& pod : job.pods) {
            edit(pod_key(pod), patch);
        }
    }

    /// The pods of a group name one queue: it is changed where none of them runs, of all at once.
    bool may_change_queue(const PlayedJob& job) const {
        return std::ranges::all_of(job.pods, [this](const std::string& pod) {
            return cluster_.find(pod_key(pod)) != nullptr && is_pod_gated(cluster_, pod);
        });
    }

    void edit(const ObjectKey& key, std::string_view patch) {
        if (cluster_.find(key) != nullptr) {
            cluster_.edit(key, patch);
        }
    }

    /// An administrator turns a workload off or on, or deletes it.
    void disturb_workload() {
        const auto workloads = cluster_.keys_of(kind_of<api::Workload>());
        if (workloads.empty()) {
            return;
        }
        const ObjectKey& key = any(workloads);
        if (prng_.chance(20)) {
            cluster_.remove(key);
        } else {
            cluster_.merge(
                key, prng_.chance(40) ? "{'spec':{'active':false}}" : "{'spec':{'active':true}}"
            );
        }
    }

    std::set<std::string> living_uids() {
        std::vector<Kind> kinds = kinds_;
        kinds.push_back(kind_of<api::Job>());
        kinds.push_back(kind_of<api::Pod>());
        std::set<std::string> uids;
        for (const Kind kind : kinds) {
            for (const ObjectKey& key : cluster_.keys_of(kind)) {
                uids.insert(cluster_.at(key, {"metadata", "uid"}));
            }
        }
        return uids;
    }

    /// The garbage collector: Workloads all of whose owners are gone are deleted.
    void collect() {
        const auto living = living_uids();
        for (const ObjectKey& key : cluster_.keys_of(kind_of<api::Workload>())) {
            const json::Value* owners =
                cluster_.find(key)->find_path({"metadata", "ownerReferences"});
            if (owners != nullptr &&
                std::ranges::none_of(owners->as_array(), [&living](const json::Value& owner) {
                    return living.contains(std::string(owner.string_at("uid")));
                })) {
                cluster_.remove(key);
            }
        }
    }

    bool has_quota(std::string_view workload) const {
        return cluster_.condition("team", workload, "QuotaReserved").starts_with("True");
    }

    void check_account() {
        for (const engine::AuditFinding& finding : engine::audit(cluster_.controller().state)) {
            problem(fmt::format("after {} jobs: audit: {}", result_.created, finding.what));
        }
    }

    /// With nothing under way, what runs has quota.
    void check_at_rest() {
        is_stormy_ = false;
        cluster_.settle(std::chrono::minutes(2));
        check_account();
        for (const PlayedJob& job : jobs_) {
            if (job.is_over || job.form == Form::Pod || job.form == Form::PodGroup ||
                cluster_.find(job.key) == nullptr) {
                continue;
            }
            const bool runs = job.form == Form::BatchJob
                                  ? is_running(cluster_, job.name)
                                  : players_.has_suspension(job, job.sample->running);
            const auto workloads = cluster_.workloads_of("team", job.name);
            const bool has = std::ranges::any_of(workloads, [this](const ObjectKey& key) {
                return has_quota(key.name);
            });
            if (runs && !has) {
                problem(fmt::format(
                    "after {} jobs: {} ({}) runs without quota",
                    result_.created,
                    job.name,
                    job.key.kind.name()
                ));
            }
        }
        is_stormy_ = true;
    }

    void activate_all() {
        for (const ObjectKey& key : cluster_.keys_of(kind_of<api::Workload>())) {
            if (cluster_.at(key, {"spec", "active"}) == "false") {
                cluster_.merge(key, "{'spec':{'active':true}}");
            }
        }
    }

    std::size_t living() const {
        return static_cast<std::size_t>(std::ranges::count_if(jobs_, [](const PlayedJob& job) {
            return !job.is_over;
        }));
    }

    void run_all_to_their_ends() {
        constexpr int kRoundsInVain = 12;
        int in_vain = 0;
        while (living() > 0 && in_vain < kRoundsInVain) {
            const std::size_t before = living();
            activate_all();
            collect();
            cluster_.settle(std::chrono::minutes(2));
            check_account();
            for (PlayedJob& job : jobs_) {
                if (!job.is_over) {
                    players_.play_own_controller(job);
                }
            }
            in_vain = living() < before ? 0 : in_vain + 1;
        }
        for (const PlayedJob& job : jobs_) {
            if (!job.is_over) {
                problem(describe(job));
            }
        }
    }

    std::string describe(const PlayedJob& job) const {
        std::vector<ObjectKey> keys = cluster_.workloads_of("team", job.name);
        if (job.form == Form::PodGroup) {
            keys.push_back({kind_of<api::Workload>(), "team", job.name});
            std::ranges::transform(job.pods, std::back_inserter(keys), pod_key);
        } else {
            keys.push_back(job.key);
        }
        std::string text = fmt::format("{} never ended", job.name);
        for (const ObjectKey& key : keys) {
            if (const json::Value* object = cluster_.find(key)) {
                text += "\n  " + json::print(*object);
            }
        }
        return text;
    }

    /// An evicted group waits for other pods in the place of its own until its Workload is deleted.
    void give_up_groups() {
        for (const PlayedJob& job : jobs_) {
            const ObjectKey workload{kind_of<api::Workload>(), "team", job.name};
            if (job.form == Form::PodGroup && cluster_.find(workload) != nullptr) {
                cluster_.remove(workload);
            }
        }
    }

    void leave_nothing() {
        for (PlayedJob& job : jobs_) {
            players_.remove(job);
            job.is_over = true;
        }
        // Kubelet ends the pods that are being deleted.
        for (int round = 0; round < 3; ++round) {
            cluster_.settle(std::chrono::minutes(2));
            for (const ObjectKey& key : cluster_.keys_of(kind_of<api::Pod>())) {
                set_pod_status(cluster_, key.name, "'phase':'Failed'");
            }
            collect();
            give_up_groups();
        }
        cluster_.settle(std::chrono::minutes(2));
        std::vector<Kind> kinds = kinds_;
        kinds.push_back(kind_of<api::Job>());
        kinds.push_back(kind_of<api::Pod>());
        kinds.push_back(kind_of<api::Workload>());
        for (const Kind kind : kinds) {
            for (const ObjectKey& key : cluster_.keys_of(kind)) {
                problem(fmt::format("left: {}", json::print(*cluster_.find(key))));
            }
        }
        check_account();
        for (const std::string_view queue : kQueues) {
            const ObjectKey key{kind_of<api::ClusterQueue>(), "", std::string(queue)};
            const json::Value* used = cluster_.find(key)->find_path({"status", "flavorsUsage"});
            for (const json::Value& flavor : used->as_array()) {
                for (const json::Value& resource : flavor.find("resources")->as_array()) {
                    if (resource.string_at("total") != "0") {
                        problem(fmt::format("left in {}: {}", queue, json::print(resource)));
                    }
                }
            }
        }
    }

    MixedJobsOptions options_;
    Prng prng_;
    AdmittingCluster cluster_;
    MixedJobsResult result_;
    OwnControllers players_{cluster_, prng_, result_};
    std::function<std::optional<Error>(const Write&)> judged_;
    std::vector<Kind> kinds_;  ///< of the samples
    std::vector<PlayedJob> jobs_;
    bool is_stormy_ = false;  ///< writes fail, answers are lost
};

}  // namespace

MixedJobsResult play_mixed_jobs(const MixedJobsOptions& options) {
    return Course(options).play();
}

}  // namespace sluice::controller
