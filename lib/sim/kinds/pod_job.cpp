#include "sim/kinds/pod_job.hpp"

#include "job_kinds/pod_sets.hpp"
#include "sim/pods/owned.hpp"
#include "sim/pods/pod_life.hpp"

#include <algorithm>
#include <charconv>
#include <functional>
#include <map>
#include <optional>
#include <set>
#include <string>
#include <string_view>
#include <system_error>
#include <utility>

namespace sluice::sim {

namespace {

void count_pod(Replicas& replicas, const json::Value& pod) {
    const std::string_view phase = pod.find_path({"status", "phase"}) == nullptr
                                       ? std::string_view()
                                       : pod.find("status")->string_at("phase");
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

class PodJobTurn {
  public:
    PodJobTurn(const PodJobKind& kind, const Turn& turn)
        : kind_(kind), object_(turn.object), pods_(turn.owned_of("Pod")), job_{turn, {}} {
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
        job_.stage = is_suspended() ? Stage::Suspended : kind_.judge(job_, outcome_);
        if (job_.stage == Stage::Suspended) {
            remove_all();
        } else if (job_.stage == Stage::Running) {
            make_pods();
        }
        replace_status(object_, kind_.status(job_), outcome_);
        return std::move(outcome_);
    }

  private:
    bool is_suspended() const {
        const auto& suspension = kind_.description->suspension;
        const json::Value* said = suspension.path.find(object_);
        return said != nullptr && *said == suspension.suspended;
    }

    bool is_over() const {
        const auto& finished = kind_.description->finished;
        return finished && (finished->succeeded.holds(object_) || finished->failed.holds(object_));
    }

    /// Finds the pod sets and counts their pods. Returns the fault of the object, for people;
    /// nullopt if it is valid.
    std::optional<std::string> find_replicas() {
        const auto complete =
            kind_.complete ? kind_.complete(object_) : Result<json::Value>(object_);
        if (!complete) {
            return complete.error().detail;
        }
        const auto pod_sets = job_kinds::find_pod_sets(*kind_.description, *complete);
        if (!pod_sets) {
            return pod_sets.error().detail;
        }
        for (const job_kinds::DescribedPodSet& pod_set : *pod_sets) {
            const json::Value* found = job_kinds::find(*complete, pod_set.pod_template);
            Replicas made{
                .name = pod_set.name,
                .said_name = pod_set.said_name,
                .pod_template = found == nullptr ? json::Value(json::Object()) : *found,
                .wanted = pod_set.count(),
                .pods = {}
            };
            for (const std::int64_t number : numbers_) {
                if (number >= made.wanted) {
                    break;
                }
                if (const auto* pod = find_pod(kind_.pod_name(object_, made, number))) {
                    count_pod(made, *pod);
                }
            }
            job_.replicas.push_back(std::move(made));
        }
        return std::nullopt;
    }

    const json::Value* find_pod(std::string_view name) const {
        const auto found = by_name_.find(name);
        return found == by_name_.end() ? nullptr : found->second;
    }

    bool is_full() const { return std::ssize(outcome_.writes) >= kPodsAtOnce; }

    void make_pods() {
        std::set<std::string, std::less<>> kept;
        for (const Replicas& replicas : job_.replicas) {
            const std::int64_t wanted = kind_.count ? kind_.count(job_, replicas) : replicas.wanted;
            for (std::int64_t i = 0; i < wanted; ++i) {
                if (is_full()) {
                    return;
                }
                const std::string name = kind_.pod_name(object_, replicas, i);
                const json::Value* pod = find_pod(name);
                if (pod == nullptr) {
                    make_pod(replicas, name, i);
                    continue;
                }
                kept.insert(name);
                if (kind_.replaces_failed && has_ended(*pod) && !is_deleted(*pod)) {
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
        if (kind_.dress) {
            kind_.dress(pod, object_, replicas, number);
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
        for (const json::Value* pod : pods_) {
            if (!is_full() && kind_.is_cleaned && !is_deleted(*pod) &&
                kind_.is_cleaned(object_, *pod)) {
                outcome_.writes.push_back(deletion(*pod));
            }
        }
    }

    const PodJobKind& kind_;
    const json::Value& object_;
    std::vector<const json::Value*> pods_;
    std::map<std::string_view, const json::Value*> by_name_;
    std::set<std::int64_t> numbers_{0};  ///< numbers in the names of existing pods
    PodJob job_;
    Outcome outcome_;
};

}  // namespace

bool PodJob::is_ready() const {
    return std::ranges::all_of(replicas, [](const Replicas& each) {
        return each.ready + each.succeeded >= each.wanted;
    });
}

std::int64_t PodJob::ready() const {
    std::int64_t total = 0;
    for (const Replicas& each : replicas) {
        total += each.ready;
    }
    return total;
}

std::int64_t PodJob::active() const {
    std::int64_t total = 0;
    for (const Replicas& each : replicas) {
        total += each.active;
    }
    return total;
}

Outcome reconcile_pod_job(const PodJobKind& kind, const Turn& turn) {
    return PodJobTurn(kind, turn).run();
}

}  // namespace sluice::sim
