#include "sim/kinds/leader_worker_set.hpp"

#include "sim/objects/conditions.hpp"
#include "sim/objects/fields.hpp"
#include "sim/pods/owned.hpp"
#include "sim/pods/pod_life.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <charconv>
#include <map>
#include <string>
#include <system_error>
#include <utility>

namespace sluice::sim {

namespace {

constexpr std::string_view kPrefix = "leaderworkerset.sigs.k8s.io/";
constexpr std::string_view kRevision = "leaderworkerset.sigs.k8s.io/template-revision-hash";
constexpr std::string_view kGroup = "leaderworkerset.sigs.k8s.io/group-index";

/// The pods of one replica.
struct Group {
    std::vector<const json::Value*> pods;
    bool is_old = false;    ///< has an earlier template
    bool has_lost = false;  ///< one of its pods has ended or is being deleted
    std::int64_t ready = 0;
};

class LeaderWorkerSetTurn {
  public:
    explicit LeaderWorkerSetTurn(const Turn& turn) : turn_(turn), set_(turn.object) {
        replicas_ = find_int(set_, {"spec", "replicas"}).value_or(1);
        size_ = find_int(set_, {"spec", "leaderWorkerTemplate", "size"}).value_or(1);
        // Its definition requires that, but the user may change the definition.
        size_ = std::max<std::int64_t>(size_, 1);
        const json::Value* templates = set_.find_path({"spec", "leaderWorkerTemplate"});
        revision_ = template_hash(templates == nullptr ? json::Value() : *templates);
        for (const json::Value* pod : turn.owned_of("Pod")) {
            add(*pod);
        }
    }

    Outcome run() {
        if (!is_deleted(set_)) {
            for (std::int64_t i = 0; i < replicas_ && !is_full(); ++i) {
                manage(i);
            }
            for (const auto& [name, group] : groups_) {
                if (!is_wanted(name)) {
                    remove(group);
                }
            }
            if (!is_full()) {
                update();
            }
        }
        write_status();
        return std::move(outcome_);
    }

  private:
    bool is_wanted(const std::string& group) const {
        std::int64_t number = 0;
        const char* end = group.data() + group.size();
        const auto [at, error] = std::from_chars(group.data(), end, number);
        return error == std::errc() && at == end && std::to_string(number) == group &&
               number >= 0 && number < replicas_;
    }

    bool is_full() const { return std::ssize(outcome_.writes) >= kPodsAtOnce; }

    void add(const json::Value& pod) {
        Group& group = groups_[std::string(text_at(pod, {"metadata", "labels", kGroup}))];
        group.pods.push_back(&pod);
        group.is_old = group.is_old || text_at(pod, {"metadata", "labels", kRevision}) != revision_;
        group.has_lost = group.has_lost || !is_active_pod(pod);
        group.ready += is_ready_pod(pod) ? 1 : 0;
    }

    std::string pod_name(std::int64_t group, std::int64_t worker) const {
        return worker == 0 ? fmt::format("{}-{}", name_of(set_), group)
                           : fmt::format("{}-{}-{}", name_of(set_), group, worker);
    }

    void remove(const Group& group) {
        for (const json::Value* pod : group.pods) {
            if (!is_full() && !is_deleted(*pod)) {
                outcome_.writes.push_back(deletion(*pod));
            }
        }
    }

    /// Manages one group. A group that has lost a pod is created again as a whole, unless
    /// restartPolicy is None.
    void manage(std::int64_t number) {
        Group& group = groups_[std::to_string(number)];
        const bool is_whole =
            text_at(set_, {"spec", "leaderWorkerTemplate", "restartPolicy"}) != "None";
        if (group.has_lost) {
            for (const json::Value* pod : group.pods) {
                if (!is_full() && !is_deleted(*pod) && (is_whole || has_ended(*pod))) {
                    outcome_.writes.push_back(deletion(*pod));
                }
            }
            if (is_whole) {
                return;
            }
        }
        const bool waits = text_at(set_, {"spec", "startupPolicy"}) == "LeaderReady";
        for (std::int64_t worker = 0; worker < size_ && !is_full(); ++worker) {
            const json::Value* pod = find_named(group.pods, pod_name(number, worker));
            if (pod == nullptr) {
                create(number, worker);
            }
            if (worker == 0 && waits && (pod == nullptr || !is_ready_pod(*pod))) {
                return;
            }
        }
    }

    void create(std::int64_t group, std::int64_t worker) {
        const json::Value* leader =
            set_.find_path({"spec", "leaderWorkerTemplate", "leaderTemplate"});
        const json::Value* other =
            set_.find_path({"spec", "leaderWorkerTemplate", "workerTemplate"});
        const json::Value* chosen = worker == 0 && leader != nullptr ? leader : other;
        const json::Value none = json::Object();
        json::Value pod =
            make_owned_pod(set_, chosen == nullptr ? none : *chosen, pod_name(group, worker));
        const auto mark =
            [&pod](std::string_view part, std::string_view name, std::string_view value) {
                set_metadata(pod, part, std::string(kPrefix) + std::string(name), value);
            };
        mark("labels", "name", name_of(set_));
        mark("labels", "group-index", std::to_string(group));
        mark("labels", "worker-index", std::to_string(worker));
        mark("labels", "group-key", template_hash(json::Value(pod_name(group, 0))));
        mark("labels", "template-revision-hash", revision_);
        mark("annotations", "size", std::to_string(size_));
        if (worker > 0) {
            mark("annotations", "leader-name", pod_name(group, 0));
        }
        Write write = creation(std::move(pod));
        write.asks_webhooks = true;
        outcome_.writes.push_back(std::move(write));
    }

    /// Deletes the last group with an old template, if all other groups are complete.
    void update() {
        const Group* oldest = nullptr;
        for (std::int64_t i = 0; i < replicas_; ++i) {
            const Group& group = groups_[std::to_string(i)];
            if (group.is_old) {
                oldest = &group;
            }
            if (group.has_lost || group.ready < size_) {
                return;
            }
        }
        if (oldest != nullptr) {
            remove(*oldest);
        }
    }

    void write_status() {
        std::int64_t count = 0;
        std::int64_t ready = 0;
        std::int64_t updated = 0;
        for (const auto& [name, group] : groups_) {
            count += group.pods.empty() ? 0 : 1;
            ready += group.ready >= size_ ? 1 : 0;
            updated += !group.pods.empty() && !group.is_old ? 1 : 0;
        }
        json::Array conditions = conditions_of(set_);
        const bool is_done = ready >= replicas_ && updated >= replicas_;
        set_condition(
            conditions,
            {"Available",
             is_done,
             is_done ? "AllGroupsReady" : "GroupsProgressing",
             is_done ? "All replicas are ready" : "Replicas are progressing"},
            turn_.now
        );
        set_condition(
            conditions,
            {"Progressing",
             !is_done,
             is_done ? "AllGroupsReady" : "GroupsProgressing",
             is_done ? "All replicas are ready" : "Replicas are progressing"},
            turn_.now
        );
        json::Value status = json::Object{
            {"conditions", std::move(conditions)},
            {"hpaPodSelector", fmt::format("{0}name={1},{0}worker-index=0", kPrefix, name_of(set_))
            },
            {"observedGeneration", find_int(set_, {"metadata", "generation"}).value_or(1)},
            {"readyReplicas", ready},
            {"replicas", count},
            {"updatedReplicas", updated}
        };
        replace_status(set_, std::move(status), outcome_);
    }

    const Turn& turn_;
    const json::Value& set_;
    std::int64_t replicas_ = 1;
    std::int64_t size_ = 1;
    std::string revision_;
    std::map<std::string, Group> groups_;  ///< by index of the group
    Outcome outcome_;
};

}  // namespace

Outcome reconcile_leader_worker_set(const Turn& turn) {
    return LeaderWorkerSetTurn(turn).run();
}

}  // namespace sluice::sim
