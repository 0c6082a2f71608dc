#include "sim/apps/stateful_set.hpp"

#include "sim/apps/revisions.hpp"
#include "sim/objects/fields.hpp"
#include "sim/pods/owned.hpp"
#include "sim/pods/pod_life.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <charconv>
#include <iterator>
#include <map>
#include <set>
#include <string>
#include <utility>

namespace sluice::sim {

namespace {

/// The label of a StatefulSet's ControllerRevision with its hash.
constexpr std::string_view kHashOfRevision = "controller.kubernetes.io/hash";

class StatefulSetTurn {
  public:
    explicit StatefulSetTurn(const Turn& turn)
        : turn_(turn),
          set_(turn.object),
          revisions_(turn, kHashOfRevision),
          revision_(revisions_.name()) {
        first_ = find_int(set_, {"spec", "ordinals", "start"}).value_or(0);
        replicas_ = find_int(set_, {"spec", "replicas"}).value_or(1);
        is_ordered_ = text_at(set_, {"spec", "podManagementPolicy"}) != "Parallel";
        const json::Value* pod_template = set_.find_path({"spec", "template"});
        template_ = pod_template == nullptr ? json::Value(json::Object()) : *pod_template;
        old_revision_ = text_at(set_, {"status", "currentRevision"});
        old_template_ = template_;
        for (const json::Value* each : turn.owned_of("ControllerRevision")) {
            const json::Value* found = each->find_path({"data", "spec", "template"});
            if (found != nullptr && name_of(*each) == old_revision_) {
                old_template_ = *found;
                old_template_.erase("$patch");
            }
        }
        for (const json::Value* pod : turn.owned_of("Pod")) {
            if (const auto ordinal = ordinal_of(*pod)) {
                pods_.emplace(*ordinal, pod);
            }
        }
    }

    Outcome run() {
        if (!is_deleted(set_)) {
            revisions_.save(outcome_);
            manage();
            forget_old_revisions();
        }
        write_status();
        return std::move(outcome_);
    }

  private:
    std::optional<std::int64_t> ordinal_of(const json::Value& pod) const {
        const std::string prefix = std::string(name_of(set_)) + "-";
        const std::string_view name = name_of(pod);
        std::int64_t ordinal = 0;
        if (!name.starts_with(prefix)) {
            return std::nullopt;
        }
        const char* end = name.data() + name.size();
        const auto [at, error] = std::from_chars(name.data() + prefix.size(), end, ordinal);
        return error == std::errc() && at == end ? std::optional(ordinal) : std::nullopt;
    }

    bool is_wanted(std::int64_t ordinal) const {
        return ordinal >= first_ && ordinal < first_ + replicas_;
    }
    static bool is_healthy(const json::Value& pod) { return is_ready_pod(pod); }
    static std::string_view revision_of(const json::Value& pod) {
        return text_at(pod, {"metadata", "labels", kRevisionHash});
    }

    /// Returns true if a new pod with that ordinal gets the template from before the update.
    bool is_held_back(std::int64_t ordinal) const {
        return text_at(set_, {"spec", "updateStrategy", "type"}) == "RollingUpdate" &&
               !old_revision_.empty() && ordinal < first_ + partition();
    }
    std::int64_t partition() const {
        return find_int(set_, {"spec", "updateStrategy", "rollingUpdate", "partition"}).value_or(0);
    }

    /// Returns true if this turn has reached its limit of pods to create or delete.
    bool is_full() const { return changed_pods_ >= kPodsAtOnce; }

    void create(std::int64_t ordinal) {
        ++changed_pods_;
        const std::string name = fmt::format("{}-{}", name_of(set_), ordinal);
        const bool is_old = is_held_back(ordinal);
        json::Value pod = make_owned_pod(set_, is_old ? old_template_ : template_, name);
        make_object_at(pod, {"metadata"}).set("generateName", std::string(name_of(set_)) + "-");
        set_metadata(pod, "labels", "statefulset.kubernetes.io/pod-name", name);
        set_metadata(pod, "labels", "apps.kubernetes.io/pod-index", std::to_string(ordinal));
        set_metadata(pod, "labels", kRevisionHash, is_old ? old_revision_ : revision_);
        json::Value& spec = make_object_at(pod, {"spec"});
        spec.set("hostname", name);
        if (const auto service = text_at(set_, {"spec", "serviceName"}); !service.empty()) {
            spec.set("subdomain", service);
        }
        Write write = creation(std::move(pod));
        write.note = Note{false, "SuccessfulCreate", success_text("Create", name)};
        write.asks_webhooks = true;
        outcome_.writes.push_back(std::move(write));
    }

    void remove(const json::Value& pod) {
        ++changed_pods_;
        Write write = deletion(pod);
        write.note = Note{false, "SuccessfulDelete", success_text("Delete", name_of(pod))};
        outcome_.writes.push_back(std::move(write));
    }

    std::string success_text(const char* verb, std::string_view pod) const {
        return fmt::format("{} Pod {} in StatefulSet {} successful", verb, pod, name_of(set_));
    }

    /// Creates and deletes pods. With ordered management, each step waits until all pods with lower
    /// ordinals are ready, or all with higher ordinals are gone.
    void manage() {
        for (std::int64_t ordinal = first_; ordinal < first_ + replicas_; ++ordinal) {
            const auto found = pods_.find(ordinal);
            if (found == pods_.end()) {
                create(ordinal);
            } else if (has_ended(*found->second) && !is_deleted(*found->second)) {
                remove(*found->second);
            }
            const bool waits = found == pods_.end() || !is_healthy(*found->second);
            if ((is_ordered_ && waits) || is_full()) {
                return;
            }
        }
        for (auto at = pods_.rbegin(); at != pods_.rend(); ++at) {
            const auto& [ordinal, pod] = *at;
            if (is_wanted(ordinal)) {
                continue;
            }
            if (!is_deleted(*pod)) {
                remove(*pod);
            }
            if (is_ordered_ || is_full()) {
                return;
            }
        }
        update();
    }

    /// Deletes the pod with the highest ordinal and an old template, if all replaced pods are
    /// ready.
    void update() {
        if (text_at(set_, {"spec", "updateStrategy", "type"}) == "OnDelete") {
            return;
        }
        const std::int64_t last = first_ + partition();
        for (auto at = pods_.rbegin(); at != pods_.rend() && at->first >= last; ++at) {
            const json::Value& pod = *at->second;
            if (revision_of(pod) != revision_ && !is_deleted(pod)) {
                remove(pod);
                return;
            }
            if (!is_healthy(pod)) {
                return;
            }
        }
    }

    void forget_old_revisions() {
        std::set<std::string, std::less<>> in_use{old_revision_};
        for (const auto& [ordinal, pod] : pods_) {
            in_use.emplace(revision_of(*pod));
        }
        revisions_.forget_old(in_use, outcome_);
    }

    void write_status() {
        std::int64_t ready = 0;
        std::int64_t updated = 0;
        std::int64_t count = 0;
        std::vector<const json::Value*> all;
        for (const auto& [ordinal, pod] : pods_) {
            all.push_back(pod);
            const bool is_there = is_active_pod(*pod);
            count += is_there ? 1 : 0;
            ready += is_ready_pod(*pod) ? 1 : 0;
            updated += is_there && revision_of(*pod) == revision_ ? 1 : 0;
        }
        const Availability available = find_availability(set_, all, turn_);
        outcome_.again_at = available.next;
        const bool is_done = old_revision_.empty() || (updated == replicas_ && ready == replicas_);
        const std::string& current = is_done ? revision_ : old_revision_;
        json::Value status = json::Object{
            {"observedGeneration", find_int(set_, {"metadata", "generation"}).value_or(1)},
            {"replicas", count},
            {"collisionCount", revisions_.collisions()},
            {"currentRevision", current},
            {"updateRevision", revision_},
            {"availableReplicas", available.count}
        };
        const auto set_count = [&status](std::string_view name, std::int64_t number) {
            if (number != 0) {
                status.set(name, number);
            }
        };
        set_count("readyReplicas", ready);
        set_count("currentReplicas", current == revision_ ? updated : count - updated);
        set_count("updatedReplicas", updated);
        replace_status(set_, std::move(status), outcome_);
    }

    const Turn& turn_;
    const json::Value& set_;
    std::int64_t first_ = 0;
    std::int64_t replicas_ = 1;
    bool is_ordered_ = true;
    json::Value template_;
    Revisions revisions_;
    std::string revision_;
    std::string old_revision_;  ///< revision of pods from before the update, or the current one
    json::Value old_template_;
    std::map<std::int64_t, const json::Value*> pods_;  ///< by ordinal
    std::int64_t changed_pods_ = 0;                    ///< created or deleted in this turn
    Outcome outcome_;
};

}  // namespace

Outcome reconcile_stateful_set(const Turn& turn) {
    return StatefulSetTurn(turn).run();
}

}  // namespace sluice::sim
