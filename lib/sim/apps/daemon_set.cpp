#include "sim/apps/daemon_set.hpp"

#include "sim/apps/int_or_percent.hpp"
#include "sim/apps/revisions.hpp"
#include "sim/fields.hpp"
#include "sim/owned.hpp"
#include "sim/pod_life.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <functional>
#include <map>
#include <optional>
#include <set>
#include <string>
#include <utility>

namespace sluice::sim {

namespace {

constexpr std::string_view kGeneration = "pod-template-generation";
constexpr std::string_view kOldGeneration = "deprecated.daemonset.template.generation";
constexpr std::string_view kNameField = "metadata.name";

struct Toleration {
    std::string_view key;
    std::string_view effect;
};

/// Its pods stay on nodes that are in trouble.
constexpr Toleration kTolerations[] = {
    {"node.kubernetes.io/not-ready", "NoExecute"},
    {"node.kubernetes.io/unreachable", "NoExecute"},
    {"node.kubernetes.io/disk-pressure", "NoSchedule"},
    {"node.kubernetes.io/memory-pressure", "NoSchedule"},
    {"node.kubernetes.io/pid-pressure", "NoSchedule"},
    {"node.kubernetes.io/unschedulable", "NoSchedule"},
};
constexpr Toleration kNetworkToleration{"node.kubernetes.io/network-unavailable", "NoSchedule"};

/// "": any key.
void tolerate(json::Value& pod, const Toleration& toleration) {
    json::Array tolerations = list_at(pod, {"spec", "tolerations"});
    std::erase_if(tolerations, [&toleration](const json::Value& each) {
        return each.string_at("key") == toleration.key &&
               each.string_at("effect") == toleration.effect;
    });
    json::Value added = json::Object{{"operator", "Exists"}, {"effect", toleration.effect}};
    if (!toleration.key.empty()) {
        added.set("key", toleration.key);
    }
    tolerations.push_back(std::move(added));
    make_object_at(pod, {"spec"}).set("tolerations", std::move(tolerations));
}

constexpr FieldPath kNodeTerms = {
    "spec",
    "affinity",
    "nodeAffinity",
    "requiredDuringSchedulingIgnoredDuringExecution",
    "nodeSelectorTerms"
};

/// The node that a pod is on, or is to go to.
std::string_view node_of(const json::Value& pod) {
    if (const auto bound = text_at(pod, {"spec", "nodeName"}); !bound.empty()) {
        return bound;
    }
    for (const json::Value& term : list_at(pod, kNodeTerms)) {
        for (const json::Value& field : list_at(term, {"matchFields"})) {
            const json::Array& values = list_at(field, {"values"});
            if (field.string_at("key") == kNameField && values.size() == 1 &&
                values.front().is_string()) {
                return values.front().as_string();
            }
        }
    }
    return {};
}

class DaemonSetTurn {
  public:
    explicit DaemonSetTurn(const Turn& turn)
        : turn_(turn), set_(turn.object), revisions_(turn, kRevisionHash) {
        const json::Value* pod_template = set_.find_path({"spec", "template"});
        pod_ = make_owned_pod(
            set_,
            pod_template == nullptr ? json::Value(json::Object()) : *pod_template,
            fmt::format("{}-", name_of(set_))
        );
        for (const Toleration& each : kTolerations) {
            tolerate(pod_, each);
        }
        if (is_true_at(pod_, {"spec", "hostNetwork"})) {
            tolerate(pod_, kNetworkToleration);
        }
        nodes_ = turn.list({"", "nodes"});
        find_wanted();
        for (const json::Value* pod : turn.owned_of("Pod")) {
            if (!(is_deleted(*pod) && has_ended(*pod))) {
                pods_[std::string(node_of(*pod))].push_back(pod);
            }
        }
        for (auto& [node, pods] : pods_) {
            std::ranges::stable_sort(pods, {}, [](const json::Value* pod) {
                return text_at(*pod, {"metadata", "creationTimestamp"});
            });
        }
    }

    Outcome run() {
        if (is_deleted(set_)) {
            return {};
        }
        revisions_.save(outcome_);
        const std::size_t before = outcome_.writes.size();
        manage();
        // What was created or deleted is waited for.
        if (outcome_.writes.size() == before &&
            text_at(set_, {"spec", "updateStrategy", "type"}) != "OnDelete") {
            roll();
        }
        forget_old_revisions();
        write_status();
        return std::move(outcome_);
    }

  private:
    using Pods = std::vector<const json::Value*>;

    const Pods& pods_on(const json::Value& node) const {
        static const Pods kNone;
        const auto found = pods_.find(std::string(name_of(node)));
        return found == pods_.end() ? kNone : found->second;
    }
    bool is_current(const json::Value& pod) const {
        return text_at(pod, {"metadata", "labels", kRevisionHash}) == revisions_.hash();
    }
    bool is_wanted_on(const json::Value& node) const { return wanted_.contains(name_of(node)); }
    /// A taint that keeps pods away lets those stay that are there, unless it says otherwise.
    bool may_stay_on(const json::Value& node) const { return kept_.contains(name_of(node)); }

    /// Looks once at each node, and at what may be missing or too much there.
    void find_wanted() {
        json::Value staying = pod_;
        tolerate(staying, {"", "NoSchedule"});
        const NodeDemands demands(pod_);
        const NodeDemands demands_to_stay(staying);
        const std::string_view only = text_at(pod_, {"spec", "nodeName"});
        for (const auto& node : nodes_) {
            const std::string_view name = name_of(*node);
            if (!only.empty() && only != name) {
                continue;
            }
            if (demands.find_obstacle(*node).empty()) {
                wanted_.emplace(name);
            }
            if (demands_to_stay.find_obstacle(*node).empty()) {
                kept_.emplace(name);
            }
        }
        const auto resolve = [this](std::string_view field) {
            const json::Value* said =
                set_.find_path({"spec", "updateStrategy", "rollingUpdate", field});
            return said == nullptr ? std::nullopt
                                   : std::optional(resolve_int_or_percent(
                                         said, std::ssize(wanted_), Rounding::Up
                                     ));
        };
        surge_ = resolve("maxSurge").value_or(0);
        unavailable_max_ = resolve("maxUnavailable").value_or(1);
    }

    void create_on(const json::Value& node) {
        json::Value pod = pod_;
        set_metadata(pod, "labels", kRevisionHash, revisions_.hash());
        if (const auto generation = text_at(set_, {"metadata", "annotations", kOldGeneration});
            !generation.empty()) {
            set_metadata(pod, "labels", kGeneration, generation);
        }
        const json::Value field = json::Object{
            {"key", kNameField}, {"operator", "In"}, {"values", json::Array{name_of(node)}}
        };
        make_object_at(
            pod,
            {"spec", "affinity", "nodeAffinity", "requiredDuringSchedulingIgnoredDuringExecution"}
        )
            .set(
                "nodeSelectorTerms", json::Array{json::Object{{"matchFields", json::Array{field}}}}
            );
        outcome_.writes.push_back(creation(std::move(pod)));
    }

    void remove(const json::Value& pod) { outcome_.writes.push_back(deletion(pod)); }

    void manage() {
        for (const auto& node : nodes_) {
            const Pods& pods = pods_on(*node);
            const bool is_wanted = is_wanted_on(*node);
            if (is_wanted && pods.empty()) {
                create_on(*node);
            } else if (!pods.empty() && may_stay_on(*node)) {
                prune(*node, pods, is_wanted);
            } else {
                remove_all(pods);
            }
        }
    }

    void remove_all(const Pods& pods) {
        for (const json::Value* pod : pods) {
            if (!is_deleted(*pod)) {
                remove(*pod);
            }
        }
    }

    /// Those that have ended go, and all but one of those that run; while pods are replaced by
    /// surge, one of the old template and one of the new.
    void prune(const json::Value& node, const Pods& pods, bool is_wanted) {
        Pods running;
        for (const json::Value* pod : pods) {
            if (is_deleted(*pod)) {
                continue;
            }
            if (has_ended(*pod)) {
                tell_ended(*pod, node);
                remove(*pod);
            } else {
                running.push_back(pod);
            }
        }
        if (surge_ == 0) {
            for (std::size_t i = 1; i < running.size(); ++i) {
                remove(*running[i]);
            }
            return;
        }
        if (running.empty() && is_wanted) {
            create_on(node);
            return;
        }
        const json::Value* kept_new = nullptr;
        const json::Value* kept_old = nullptr;
        for (const json::Value* pod : running) {
            const json::Value*& kept = is_current(*pod) ? kept_new : kept_old;
            if (kept != nullptr) {
                remove(*pod);
            } else {
                kept = pod;
            }
        }
        if (kept_new != nullptr && kept_old != nullptr &&
            (!is_ready_pod(*kept_old) || is_ready_pod(*kept_new))) {
            remove(*kept_old);
        }
    }

    void tell_ended(const json::Value& pod, const json::Value& node) {
        const bool has_failed = text_at(pod, {"status", "phase"}) == "Failed";
        outcome_.notes.push_back(
            {has_failed,
             has_failed ? "FailedDaemonPod" : "SucceededDaemonPod",
             fmt::format(
                 "Found {} daemon pod {}/{} on node {}, will try to {} it",
                 has_failed ? "failed" : "succeeded",
                 text_at(pod, {"metadata", "namespace"}),
                 name_of(pod),
                 name_of(node),
                 has_failed ? "kill" : "delete"
             )}
        );
    }

    /// Pods of an old template that are not ready are replaced at once, others as far as not too
    /// many nodes are without a ready one, or as many as may come beside them.
    void roll() {
        const std::int64_t surge_max = surge_;
        std::int64_t left = surge_max > 0 ? surge_max : unavailable_max_;
        std::vector<std::pair<const json::Value*, const json::Value*>> candidates;
        for (const auto& node : nodes_) {
            const Pods& pods = pods_on(*node);
            if (pods.empty()) {
                continue;
            }
            const auto is_old = [this](const json::Value* pod) {
                return !is_current(*pod) && !is_deleted(*pod);
            };
            const auto old = std::ranges::find_if(pods, is_old);
            const bool has_new = std::ranges::any_of(pods, [this](const json::Value* pod) {
                return is_current(*pod) && !is_deleted(*pod);
            });
            const bool is_there = std::ranges::any_of(pods, [](const json::Value* pod) {
                return is_ready_pod(*pod);
            });
            if (old == pods.end() || has_new) {
                left -= surge_max > 0 ? (old != pods.end() ? 1 : 0) : (is_there ? 0 : 1);
            } else if (is_there) {
                candidates.emplace_back(node.get(), *old);
            } else {
                replace(*node, **old, surge_max > 0);
                left -= surge_max > 0 ? 0 : 1;
            }
        }
        for (const auto& [node, pod] : candidates) {
            if (left-- > 0) {
                replace(*node, *pod, surge_max > 0);
            }
        }
    }

    void replace(const json::Value& node, const json::Value& pod, bool has_surge) {
        if (!has_surge) {
            remove(pod);
        } else if (is_wanted_on(node)) {
            create_on(node);
        }
    }

    void forget_old_revisions() {
        std::set<std::string, std::less<>> in_use;
        for (const json::Value* pod : turn_.owned_of("Pod")) {
            in_use.emplace(text_at(*pod, {"metadata", "labels", kRevisionHash}));
        }
        revisions_.forget_old(in_use, outcome_);
    }

    void write_status() {
        std::int64_t wanted = 0;
        std::int64_t scheduled = 0;
        std::int64_t misplaced = 0;
        std::int64_t ready = 0;
        std::int64_t updated = 0;
        std::vector<const json::Value*> first;
        for (const auto& node : nodes_) {
            const Pods& pods = pods_on(*node);
            if (!is_wanted_on(*node)) {
                misplaced += pods.empty() ? 0 : 1;
                continue;
            }
            ++wanted;
            if (!pods.empty()) {
                ++scheduled;
                first.push_back(pods.front());
                ready += has_condition(*pods.front(), "Ready") ? 1 : 0;
                updated += is_current(*pods.front()) ? 1 : 0;
            }
        }
        json::Value status = json::Object{
            {"currentNumberScheduled", scheduled},
            {"numberMisscheduled", misplaced},
            {"desiredNumberScheduled", wanted},
            {"numberReady", ready},
            {"observedGeneration", find_int(set_, {"metadata", "generation"}).value_or(1)}
        };
        const auto set_count = [&status](std::string_view name, std::int64_t number) {
            if (number != 0) {
                status.set(name, number);
            }
        };
        set_count("updatedNumberScheduled", updated);
        const Availability available = find_availability(set_, first, turn_);
        outcome_.again_at = available.next;
        set_count("numberAvailable", available.count);
        set_count("numberUnavailable", wanted - available.count);
        set_count("collisionCount", revisions_.collisions());
        if (const json::Value* conditions = set_.find_path({"status", "conditions"})) {
            status.set("conditions", *conditions);
        }
        replace_status(set_, std::move(status), outcome_);
    }

    const Turn& turn_;
    const json::Value& set_;
    Revisions revisions_;
    json::Value pod_;  ///< as it is created, but for its node and its revision
    std::vector<apiserver::Snapshot> nodes_;
    std::set<std::string, std::less<>> wanted_;  ///< nodes that are to have a pod
    std::set<std::string, std::less<>> kept_;    ///< nodes that may keep theirs
    std::int64_t surge_ = 0;
    std::int64_t unavailable_max_ = 1;
    std::map<std::string, Pods> pods_;  ///< by node, oldest first
    Outcome outcome_;
};

}  // namespace

Outcome reconcile_daemon_set(const Turn& turn) {
    return DaemonSetTurn(turn).run();
}

}  // namespace sluice::sim
