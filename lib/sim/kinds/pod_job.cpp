#include "sim/kinds/pod_job.hpp"

#include "api/meta/micro_time.hpp"
#include "base/assert.hpp"
#include "job_kinds/pod_sets.hpp"
#include "sim/kinds/pod_job_status.hpp"
#include "sim/kinds/pod_templates.hpp"
#include "sim/objects/fields.hpp"
#include "sim/pods/owned.hpp"
#include "sim/pods/pod_life.hpp"

#include <algorithm>
#include <charconv>
#include <map>
#include <optional>
#include <set>
#include <string>
#include <string_view>
#include <system_error>
#include <utility>

namespace sluice::sim {

namespace {

using job_kinds::JobStage;
using job_kinds::SimulatedPods;

/// Exit codes from this one on mean a signal.
constexpr std::int64_t kSignals = 128;
/// Restart policy of a pod set whose pods are tried again if a signal ended them. Only operators
/// know it, not the kubelet.
constexpr std::string_view kExitCodePolicy = "ExitCode";

void count_pod(Replicas& replicas, const json::Value& pod) {
    const std::string_view phase = text_at(pod, {"status", "phase"});
    replicas.active += is_active_pod(pod) ? 1 : 0;
    replicas.ready += is_ready_pod(pod) ? 1 : 0;
    replicas.succeeded += phase == "Succeeded" ? 1 : 0;
    replicas.failed += phase == "Failed" && !is_deleted(pod) ? 1 : 0;
    replicas.pods.push_back(&pod);
}

/// Returns the number at the end of a name.
std::optional<std::int64_t> last_number(std::string_view name) {
    const std::string_view digits = name.substr(name.find_last_not_of("0123456789") + 1);
    std::int64_t number = 0;
    const auto end = std::from_chars(digits.data(), digits.data() + digits.size(), number);
    return end.ec == std::errc() ? std::optional(number) : std::nullopt;
}

/// Returns the exit code of a failed pod.
std::int64_t exit_code_of(const json::Value& pod) {
    for (const json::Value& status : list_at(pod, {"status", "containerStatuses"})) {
        const auto code = find_int(status, {"state", "terminated", "exitCode"});
        if (code.value_or(0) != 0) {
            return *code;
        }
    }
    return 1;
}

/// Returns the location of the pod set in the object.
job_kinds::Location location_of(const job_kinds::DescribedPodSet& pod_set) {
    job_kinds::Location location = pod_set.pod_template;
    location.resize(location.size() - pod_set.rule->pod_template.steps().size());
    return location;
}

/// Returns the key of the pod set in the object; its name if it is not in a map.
std::string key_of(const job_kinds::DescribedPodSet& pod_set) {
    const job_kinds::Location location = location_of(pod_set);
    const bool is_in_map = !pod_set.rule->name_from && !location.empty() &&
                           location.back().kind != job_kinds::Step::Kind::Index;
    return is_in_map ? location.back().name : pod_set.said_name;
}

class PodJobTurn {
  public:
    PodJobTurn(const job_kinds::BuiltinKind& kind, const Turn& turn)
        : description_(kind.description),
          simulation_(simulation_of(kind)),
          object_(turn.object),
          pods_(turn.owned_of("Pod")),
          job_{turn, kind, {}} {
        for (const json::Value* pod : pods_) {
            by_name_.emplace(name_of(*pod), pod);
            if (const auto last = last_number(name_of(*pod))) {
                numbers_.insert({std::max<std::int64_t>(*last - 1, 0), *last});
            }
        }
    }

    Outcome run() {
        if (is_deleted(object_)) {
            return {};
        }
        if (const auto problem = find_replicas()) {
            return {{}, {{true, "ValidationError", *problem}}, {}};
        }
        if (is_over()) {
            clean();
            return std::move(outcome_);
        }
        job_.stage = find_stage();
        if (is_held()) {
            remove_all();
        } else if (job_.stage == JobStage::Starting || job_.stage == JobStage::Running) {
            make_pods();
        }
        replace_status(object_, make_status(job_), outcome_);
        return std::move(outcome_);
    }

  private:
    bool is_suspended() const {
        const auto& suspension = description_.suspension;
        const json::Value* said = suspension.path.find(object_);
        return said != nullptr && *said == suspension.suspended;
    }

    bool is_over() const {
        const auto& finished = description_.finished;
        return finished && (finished->succeeded.holds(object_) || finished->failed.holds(object_));
    }

    bool is_held() const {
        return job_.stage == JobStage::Suspending || job_.stage == JobStage::Suspended;
    }

    JobStage find_stage() {
        if (is_suspended()) {
            return job_.active() == 0 ? JobStage::Suspended : JobStage::Suspending;
        }
        if (const auto end = find_end()) {
            return *end;
        }
        return runs() ? JobStage::Running : JobStage::Starting;
    }

    bool runs() const {
        if (simulation_.stays_running && simulation_.stays_running->holds(object_)) {
            return true;
        }
        if (!simulation_.runs_with_decider) {
            return job_.are_first_ready();
        }
        const Replicas* decider = job_.find_decider();
        return decider != nullptr && decider->ready > 0;
    }

    /// Returns how the job has ended; nullopt if it goes on. Deletes failed pods that are tried
    /// again.
    std::optional<JobStage> find_end() {
        if (!simulation_.end) {
            return std::nullopt;
        }
        const Replicas* decider = job_.find_decider();
        if (decider == nullptr) {
            return simulation_.end->ready_since ? find_end_by_time() : std::nullopt;
        }
        for (const Replicas& each : job_.replicas) {
            if ((&each == decider || simulation_.end->fails_with_any) && has_failed(each)) {
                return JobStage::Failed;
            }
        }
        return decider->succeeded >= decider->wanted ? std::optional(JobStage::Succeeded)
                                                     : std::nullopt;
    }

    bool has_failed(const Replicas& replicas) {
        bool has_failed = false;
        for (const json::Value* pod : replicas.pods) {
            if (text_at(*pod, {"status", "phase"}) != "Failed" || is_deleted(*pod)) {
                continue;
            }
            if (replicas.restart_policy == kExitCodePolicy && exit_code_of(*pod) >= kSignals) {
                outcome_.writes.push_back(deletion(*pod));
            } else {
                has_failed = true;
            }
        }
        return has_failed;
    }

    /// A job without a deciding pod set runs as long as its annotations say.
    std::optional<JobStage> find_end_by_time() {
        const auto& rule = simulation_.end;
        const json::Value* text =
            rule && rule->ready_since ? rule->ready_since->find(object_) : nullptr;
        if (text == nullptr || !text->is_string()) {
            return std::nullopt;
        }
        const auto ready = api::parse_time(text->as_string());
        if (!ready) {
            return std::nullopt;
        }
        const auto seconds = annotated_number(object_, kRunSeconds);
        const Pace& pace = job_.turn.pace;
        const Time end = later(*ready, pace.scale(seconds ? to_duration(*seconds) : pace.run_time));
        if (job_.turn.now < end) {
            outcome_.again_at = end;
            return std::nullopt;
        }
        const bool is_good = annotated_number(object_, kExitCode).value_or(0) == 0;
        return is_good ? JobStage::Succeeded : JobStage::Failed;
    }

    /// Finds the pod sets and counts their pods. Returns the fault of the object, for people;
    /// nullopt if it is valid.
    std::optional<std::string> find_replicas() {
        const auto complete = with_pod_templates(description_.framework, object_);
        if (!complete) {
            return complete.error().detail;
        }
        const auto pod_sets = job_kinds::find_pod_sets(description_, *complete);
        if (!pod_sets) {
            return pod_sets.error().detail;
        }
        for (const job_kinds::DescribedPodSet& pod_set : *pod_sets) {
            const json::Value* found = job_kinds::find(*complete, pod_set.pod_template);
            Replicas made{
                .name = pod_set.name,
                .key = key_of(pod_set),
                .pod_name = pod_name_of(pod_set),
                .labels = labels_of(pod_set),
                .pod_template = found == nullptr ? json::Value(json::Object()) : *found,
                .restart_policy = restart_policy_of(pod_set),
                .wanted = pod_set.count(),
                .pods = {}
            };
            for (const std::int64_t number : numbers_) {
                if (number >= made.wanted) {
                    break;
                }
                if (const auto* pod = find_pod(with_number(made.pod_name, number))) {
                    count_pod(made, *pod);
                }
            }
            job_.replicas.push_back(std::move(made));
        }
        return std::nullopt;
    }

    /// Calls `visit` with the rules for the pods of the pod set, in their order.
    template <class Visit>
    void visit_rules(std::string_view pod_set, Visit visit) const {
        for (const SimulatedPods& rule : simulation_.pods) {
            if (rule.pod_sets.includes(pod_set)) {
                visit(rule);
            }
        }
    }

    std::string restart_policy_of(const job_kinds::DescribedPodSet& pod_set) const {
        std::string policy;
        visit_rules(pod_set.name, [&](const SimulatedPods& rule) {
            if (!rule.restart_policy.empty()) {
                policy = rule.restart_policy;
            }
            if (rule.restart_policy_from) {
                const json::Value* place = job_kinds::find(object_, location_of(pod_set));
                const json::Value* said =
                    place == nullptr ? nullptr : rule.restart_policy_from->find(*place);
                policy = said != nullptr && said->is_string() ? said->as_string() : "Never";
            }
        });
        return policy;
    }

    Placeholders placeholders_of_pod_set(const job_kinds::DescribedPodSet& pod_set) const {
        Placeholders placeholders = placeholders_of(object_);
        placeholders.emplace_back("podSet", pod_set.name);
        placeholders.emplace_back("podSetAsWritten", pod_set.said_name);
        return placeholders;
    }

    /// Returns the name of the pods of the pod set. It still has the placeholders of their numbers.
    std::string pod_name_of(const job_kinds::DescribedPodSet& pod_set) const {
        std::string_view text;
        visit_rules(pod_set.name, [&text](const SimulatedPods& rule) {
            text = rule.name.empty() ? text : std::string_view(rule.name);
        });
        return fill_in(text, placeholders_of_pod_set(pod_set));
    }

    /// Returns the labels of the pods of the pod set, as pod_name_of() does.
    std::map<std::string, std::string> labels_of(const job_kinds::DescribedPodSet& pod_set) const {
        const Placeholders placeholders = placeholders_of_pod_set(pod_set);
        std::map<std::string, std::string> labels;
        visit_rules(pod_set.name, [&](const SimulatedPods& rule) {
            for (const auto& [label, text] : rule.labels) {
                labels[label] = fill_in(text, placeholders);
            }
        });
        return labels;
    }

    static std::string with_number(const std::string& text, std::int64_t number) {
        return fill_in(
            text, {{"index", std::to_string(number)}, {"number", std::to_string(number + 1)}}
        );
    }

    const json::Value* find_pod(std::string_view name) const {
        const auto found = by_name_.find(name);
        return found == by_name_.end() ? nullptr : found->second;
    }

    bool is_full() const { return std::ssize(outcome_.writes) >= kPodsAtOnce; }

    void make_pods() {
        std::set<std::string, std::less<>> kept;
        for (const Replicas& replicas : job_.replicas) {
            const bool must_wait = job_.are_last(replicas) && replicas.pods.empty();
            const std::int64_t wanted = must_wait && !job_.are_first_ready() ? 0 : replicas.wanted;
            for (std::int64_t i = 0; i < wanted; ++i) {
                if (is_full()) {
                    return;
                }
                const std::string name = with_number(replicas.pod_name, i);
                const json::Value* pod = find_pod(name);
                if (pod == nullptr) {
                    make_pod(replicas, name, i);
                    continue;
                }
                kept.insert(name);
                if (!simulation_.end && has_ended(*pod) && !is_deleted(*pod)) {
                    outcome_.writes.push_back(deletion(*pod));
                }
            }
        }
        for (const json::Value* pod : pods_) {
            if (!is_full() && !kept.contains(name_of(*pod)) && is_active_pod(*pod)) {
                outcome_.writes.push_back(deletion(*pod));
            }
        }
    }

    void make_pod(const Replicas& replicas, const std::string& name, std::int64_t number) {
        json::Value pod = make_owned_pod(object_, replicas.pod_template, name);
        for (const auto& [label, text] : replicas.labels) {
            set_metadata(pod, "labels", label, with_number(text, number));
        }
        visit_rules(replicas.name, [&](const SimulatedPods& rule) {
            for (const std::string& annotation : rule.inherited_annotations) {
                const std::string_view said =
                    text_at(object_, {"metadata", "annotations", annotation});
                if (!said.empty() &&
                    text_at(pod, {"metadata", "annotations", annotation}).empty()) {
                    set_metadata(pod, "annotations", annotation, said);
                }
            }
        });
        if (const std::string& policy = replicas.restart_policy; !policy.empty()) {
            make_object_at(pod, {"spec"})
                .set("restartPolicy", policy == kExitCodePolicy ? "Never" : policy);
        }
        outcome_.writes.push_back(creation(std::move(pod)));
    }

    void remove_all() {
        for (const json::Value* pod : pods_) {
            if (!is_full() && !is_deleted(*pod)) {
                outcome_.writes.push_back(deletion(*pod));
            }
        }
    }

    void clean() {
        for (const job_kinds::SimulatedCleanup& rule : simulation_.cleanup) {
            if (rule.when && !rule.when->holds(object_)) {
                continue;
            }
            for (const Replicas& replicas : job_.replicas) {
                if (rule.pod_sets.includes(replicas.name)) {
                    clean(rule, replicas);
                }
            }
        }
    }

    void clean(const job_kinds::SimulatedCleanup& rule, const Replicas& replicas) {
        for (const json::Value* pod : replicas.pods) {
            if (!is_full() && !is_deleted(*pod) && (!rule.only_active || is_active_pod(*pod))) {
                outcome_.writes.push_back(deletion(*pod));
            }
        }
    }

    const job_kinds::Description& description_;
    const job_kinds::Simulation& simulation_;
    const json::Value& object_;
    std::vector<const json::Value*> pods_;
    std::map<std::string_view, const json::Value*> by_name_;
    std::set<std::int64_t> numbers_{0};  ///< numbers in the names of existing pods
    PodJob job_;
    Outcome outcome_;
};

}  // namespace

const job_kinds::Simulation& simulation_of(const job_kinds::BuiltinKind& kind) {
    SLUICE_ASSERT(kind.simulation.has_value());
    return *kind.simulation;
}

std::int64_t PodJob::active() const {
    std::int64_t total = 0;
    for (const Replicas& each : replicas) {
        total += each.active;
    }
    return total;
}

bool PodJob::are_last(const Replicas& each) const {
    return std::ranges::any_of(simulation_of(kind).pods, [&each](const SimulatedPods& rule) {
        return rule.are_last && rule.pod_sets.includes(each.name);
    });
}

bool PodJob::are_first_ready() const {
    return std::ranges::all_of(replicas, [this](const Replicas& each) {
        return are_last(each) || each.ready >= each.wanted;
    });
}

const Replicas* PodJob::find_decider() const {
    const auto& end = simulation_of(kind).end;
    for (std::size_t i = 0; end && i < end->deciders.size(); ++i) {
        for (const Replicas& each : replicas) {
            if (each.name == end->deciders[i] && each.wanted > 0) {
                return &each;
            }
        }
    }
    const bool has_first = end && !end->ready_since && !replicas.empty();
    return has_first ? &replicas.front() : nullptr;
}

Outcome reconcile_pod_job(const job_kinds::BuiltinKind& kind, const Turn& turn) {
    return PodJobTurn(kind, turn).run();
}

}  // namespace sluice::sim
