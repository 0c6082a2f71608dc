#include "sim/apps/deployment.hpp"

#include "api/meta/micro_time.hpp"
#include "sim/apps/int_or_percent.hpp"
#include "sim/objects/conditions.hpp"
#include "sim/objects/fields.hpp"
#include "sim/pods/owned.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <array>
#include <charconv>
#include <cmath>
#include <functional>
#include <iterator>
#include <limits>
#include <string>
#include <utility>

namespace sluice::sim {

namespace {

constexpr std::string_view kHash = "pod-template-hash";
constexpr std::string_view kMost = "deployment.kubernetes.io/max-replicas";
constexpr std::string_view kRevision = "deployment.kubernetes.io/revision";
constexpr std::string_view kRevisionHistory = "deployment.kubernetes.io/revision-history";
/// Maximum length of the revision history, in bytes.
constexpr std::size_t kRevisionHistoryMost = 2000;
/// Above any number of pods.
constexpr double kShareMost = 1e12;
constexpr std::string_view kProgressing = "Progressing";
constexpr std::string_view kPaused = "DeploymentPaused";
constexpr std::string_view kDone = "NewReplicaSetAvailable";
constexpr std::string_view kTimedOut = "ProgressDeadlineExceeded";

std::int64_t revision_number(std::string_view text) {
    std::int64_t number = 0;
    std::from_chars(text.data(), text.data() + text.size(), number);
    return number;
}

std::int64_t revision_of(const json::Value& set) {
    return revision_number(text_at(set, {"metadata", "annotations", kRevision}));
}

class DeploymentTurn {
  public:
    explicit DeploymentTurn(const Turn& turn)
        : turn_(turn), deployment_(turn.object), sets_(turn.owned_of("ReplicaSet")) {
        replicas_ = find_int(deployment_, {"spec", "replicas"}).value_or(1);
        const json::Value* pod_template = deployment_.find_path({"spec", "template"});
        template_ = pod_template == nullptr ? json::Value(json::Object()) : *pod_template;
        hash_ = template_hash(template_);
        newest_ = find_named(sets_, fmt::format("{}-{}", name_of(deployment_), hash_));
        for (const json::Value* set : sets_) {
            // A ReplicaSet that was adopted may have a different name.
            newest_ = newest_ == nullptr && has_template(*set) ? set : newest_;
        }
        std::ranges::stable_sort(sets_, {}, [](const json::Value* set) {
            return revision_of(*set);
        });
    }

    Outcome run() {
        if (!is_deleted(deployment_)) {
            if (is_paused()) {
                number();
                scale_paused();
                forget_old();
            } else if (newest_ == nullptr) {
                create_newest();
            } else {
                number();
                roll();
                forget_old();
            }
        }
        write_status();
        return std::move(outcome_);
    }

  private:
    static std::int64_t size_of(const json::Value& set) {
        return find_int(set, {"spec", "replicas"}).value_or(0);
    }
    std::int64_t sum(FieldPath path) const {
        std::int64_t total = 0;
        for (const json::Value* set : sets_) {
            total += find_int(*set, path).value_or(0);
        }
        return total;
    }
    /// Returns true if the set creates pods from the Deployment's current template.
    bool has_template(const json::Value& set) const {
        const json::Value* found = set.find_path({"spec", "template"});
        if (found == nullptr) {
            return false;
        }
        json::Value plain = *found;
        make_object_at(plain, {"metadata", "labels"}).erase(kHash);
        return plain == template_;
    }
    bool is_paused() const { return is_true_at(deployment_, {"spec", "paused"}); }
    bool recreates() const {
        return text_at(deployment_, {"spec", "strategy", "type"}) == "Recreate";
    }

    void create_newest() {
        const std::int64_t total = sum({"spec", "replicas"});
        const std::int64_t first =
            std::clamp<std::int64_t>(replicas_ + surge() - total, 0, replicas_);
        json::Value pod_template = template_;
        set_metadata(pod_template, "labels", kHash, hash_);
        const json::Value* selector = deployment_.find_path({"spec", "selector"});
        json::Value chosen = selector == nullptr ? json::Value(json::Object()) : *selector;
        make_object_at(chosen, {"matchLabels"}).set(kHash, hash_);
        const std::int64_t revision = sets_.empty() ? 1 : revision_of(*sets_.back()) + 1;
        const std::string name = fmt::format("{}-{}", name_of(deployment_), hash_);
        const json::Value metadata = json::Object{
            {"name", name},
            {"labels", *pod_template.find_path({"metadata", "labels"})},
            {"annotations", newest_annotations(revision)},
            {"ownerReferences", owner_references(deployment_)}
        };
        // With strategy Recreate, a new set waits for the pods of the old sets to end.
        const std::int64_t size = recreates() && total > 0 ? 0 : first;
        json::Value spec =
            json::Object{{"replicas", size}, {"selector", chosen}, {"template", pod_template}};
        if (const auto wait = find_int(deployment_, {"spec", "minReadySeconds"}).value_or(0);
            wait > 0) {
            spec.set("minReadySeconds", wait);
        }
        outcome_.writes.push_back(
            {.body =
                 json::Object{
                     {"apiVersion", "apps/v1"},
                     {"kind", "ReplicaSet"},
                     {"metadata", metadata},
                     {"spec", std::move(spec)}
                 },
             .api_version = "apps/v1",
             .kind = "ReplicaSet"}
        );
        if (size > 0) {
            record_scaled("up", name, 0, size);
        }
    }

    /// Returns the annotations of a ReplicaSet about its Deployment.
    json::Value set_annotations(std::int64_t revision) const {
        json::Value made = json::Object();
        made.set("deployment.kubernetes.io/desired-replicas", std::to_string(replicas_));
        made.set(kMost, std::to_string(replicas_ + surge()));
        made.set(kRevision, std::to_string(revision));
        return made;
    }

    /// Returns the annotations of the newest ReplicaSet. They include the annotations of the
    /// Deployment, such as `kubernetes.io/change-cause`, and the set's earlier revisions.
    json::Value newest_annotations(std::int64_t revision) const {
        json::Value made = json::Object();
        const json::Value* said = deployment_.find_path({"metadata", "annotations"});
        if (said != nullptr && said->is_object()) {
            for (const auto& [name, value] : said->as_object()) {
                if (name != "kubectl.kubernetes.io/last-applied-configuration" &&
                    name != "deprecated.deployment.rollback.to" &&
                    !name.starts_with("deployment.kubernetes.io/")) {
                    made.set(name, value);
                }
            }
        }
        const json::Value of_size = set_annotations(revision);
        for (const auto& [name, value] : of_size.as_object()) {
            made.set(name, value);
        }
        if (newest_ != nullptr && revision_of(*newest_) < revision) {
            if (std::string history = revision_history(*newest_); !history.empty()) {
                made.set(kRevisionHistory, std::move(history));
            }
        }
        return made;
    }

    /// Returns the earlier revisions of a set that became the newest again, the oldest first.
    /// Leaves out the oldest ones if the text becomes too long.
    static std::string revision_history(const json::Value& set) {
        const std::string_view before = text_at(set, {"metadata", "annotations", kRevision});
        std::string history(text_at(set, {"metadata", "annotations", kRevisionHistory}));
        if (before.empty() || history.empty()) {
            return std::string(before);
        }
        history += fmt::format(",{}", before);
        while (history.size() > kRevisionHistoryMost) {
            const std::size_t comma = history.find(',');
            history.erase(0, comma == std::string::npos ? history.size() : comma + 1);
        }
        return history;
    }

    /// Sets the revision of the newest ReplicaSet. A set that becomes the newest again gets a new
    /// revision.
    void number() {
        if (newest_ == nullptr) {
            return;  // it is created when the Deployment is resumed
        }
        std::int64_t revision = revision_of(*newest_);
        if (newest_ != sets_.back()) {
            revision = revision_of(*sets_.back()) + 1;
        }
        for (const json::Value* set : sets_) {
            if (set != newest_ && size_of(*set) == 0) {
                continue;  // it is not scaled any longer
            }
            annotate(
                *set,
                set == newest_ ? newest_annotations(revision) : set_annotations(revision_of(*set))
            );
        }
        json::Value own = json::Object();
        own.set(kRevision, std::to_string(revision));
        // A change of any other annotation of a Deployment increments its generation.
        annotate(deployment_, own, Write::Verb::PatchStatus);
    }

    void annotate(
        const json::Value& object,
        const json::Value& annotations,
        Write::Verb verb = Write::Verb::Patch
    ) {
        for (const auto& [name, value] : annotations.as_object()) {
            if (text_at(object, {"metadata", "annotations", name}) != value.as_string()) {
                const json::Value metadata = json::Object{{"annotations", annotations}};
                outcome_.writes.push_back(
                    {.verb = verb,
                     .name = std::string(name_of(object)),
                     .body = json::Object{{"metadata", metadata}},
                     .api_version = "apps/v1",
                     .kind = std::string(object.string_at("kind"))}
                );
                return;
            }
        }
    }

    std::int64_t surge() const {
        return recreates()
                   ? 0
                   : resolve_int_or_percent(
                         deployment_.find_path({"spec", "strategy", "rollingUpdate", "maxSurge"}),
                         replicas_,
                         Rounding::Up
                     );
    }
    std::int64_t unavailable_max() const {
        const std::int64_t said = resolve_int_or_percent(
            deployment_.find_path({"spec", "strategy", "rollingUpdate", "maxUnavailable"}),
            replicas_,
            Rounding::Down
        );
        return said == 0 && surge() == 0 ? 1 : said;
    }

    void record_scaled(const char* way, std::string_view name, std::int64_t from, std::int64_t to) {
        outcome_.notes.push_back(
            {false,
             "ScalingReplicaSet",
             fmt::format("Scaled {} replica set {} from {} to {}", way, name, from, to)}
        );
    }

    void scale(const json::Value& set, std::int64_t size) {
        const std::int64_t known = size_of(set);
        if (known == size) {
            return;
        }
        outcome_.writes.push_back(
            {.verb = Write::Verb::Patch,
             .name = std::string(name_of(set)),
             .body = json::Object{{"spec", json::Object{{"replicas", size}}}},
             .api_version = "apps/v1",
             .kind = "ReplicaSet"}
        );
        record_scaled(size > known ? "up" : "down", name_of(set), known, size);
    }

    void roll() {
        const std::int64_t total = sum({"spec", "replicas"});
        const std::int64_t known = size_of(*newest_);
        const bool has_others =
            total > known ||
            sum({"status", "replicas"}) > find_int(*newest_, {"status", "replicas"}).value_or(0);
        if (!has_others) {
            scale(*newest_, replicas_);
            return;
        }
        if (recreates()) {
            shrink_others(total);
            return;
        }
        const std::int64_t room = std::max<std::int64_t>(0, replicas_ + surge() - total);
        scale(*newest_, std::min(replicas_, known + room));
        const std::int64_t not_there =
            known - find_int(*newest_, {"status", "availableReplicas"}).value_or(0);
        shrink_others(total - (replicas_ - unavailable_max()) - not_there);
    }

    /// Scales a paused Deployment without changing its templates. If several sets have pods, each
    /// keeps its share.
    void scale_paused() {
        std::vector<const json::Value*> active;
        std::ranges::copy_if(sets_, std::back_inserter(active), [](const json::Value* set) {
            return size_of(*set) > 0;
        });
        if (active.size() <= 1) {
            const json::Value* latest = newest_ != nullptr ? newest_ : last_set();
            if (const json::Value* set = active.empty() ? latest : active.front()) {
                scale(*set, replicas_);
            }
        } else if (!recreates()) {
            scale_shares(std::move(active));
        }
    }
    const json::Value* last_set() const { return sets_.empty() ? nullptr : sets_.back(); }

    void scale_shares(std::vector<const json::Value*> active) {
        const std::int64_t most = replicas_ > 0 ? replicas_ + surge() : 0;
        std::int64_t left = most - sum({"spec", "replicas"});
        std::ranges::stable_sort(active, std::ranges::greater(), [](const json::Value* set) {
            return size_of(*set);
        });
        std::vector<std::int64_t> sizes;
        for (const json::Value* set : active) {
            const std::int64_t size = size_of(*set);
            const std::int64_t before = std::max<std::int64_t>(
                revision_number(text_at(*set, {"metadata", "annotations", kMost})), 1
            );
            const double exact =
                static_cast<double>(size) * static_cast<double>(most) / static_cast<double>(before);
            const auto share =
                static_cast<std::int64_t>(std::min(std::round(exact), kShareMost)) - size;
            const std::int64_t added = left > 0 ? std::clamp<std::int64_t>(share, 0, left)
                                                : std::clamp<std::int64_t>(share, left, 0);
            sizes.push_back(size + std::max(added, -size));
            left -= added;
        }
        sizes.front() = std::max<std::int64_t>(0, sizes.front() + left);
        for (std::size_t i = 0; i < active.size(); ++i) {
            scale(*active[i], sizes[i]);
        }
    }

    void shrink_others(std::int64_t count) {
        for (const json::Value* set : sets_) {
            if (set != newest_ && count > 0) {
                const std::int64_t less = std::min(count, size_of(*set));
                scale(*set, size_of(*set) - less);
                count -= less;
            }
        }
    }

    void forget_old() {
        const std::int64_t kept =
            find_int(deployment_, {"spec", "revisionHistoryLimit"}).value_or(10);
        std::vector<const json::Value*> empty;
        std::ranges::copy_if(sets_, std::back_inserter(empty), [this](const json::Value* set) {
            return set != newest_ && size_of(*set) == 0 && !is_deleted(*set) &&
                   find_int(*set, {"status", "replicas"}).value_or(0) == 0;
        });
        for (std::int64_t i = 0; i < std::ssize(empty) - kept; ++i) {
            outcome_.writes.push_back(background_deletion(*empty[static_cast<std::size_t>(i)]));
        }
    }

    /// Sets lastUpdateTime, which only the conditions of Deployments have.
    void set_update_times(json::Array& conditions) const {
        const json::Array known = conditions_of(deployment_);
        for (json::Value& condition : conditions) {
            const json::Value* before = find_element(known, "type", condition.string_at("type"));
            condition.set(
                "lastUpdateTime",
                before == nullptr ? std::string() : std::string(before->string_at("lastUpdateTime"))
            );
            const bool has_progressed =
                has_progressed_ && condition.string_at("type") == kProgressing;
            if (before == nullptr || has_progressed || *before != condition) {
                condition.set("lastUpdateTime", api::to_string(turn_.now));
            }
        }
    }

    /// Returns true if the Deployment has a progress deadline.
    bool has_deadline() const {
        const auto said = find_int(deployment_, {"spec", "progressDeadlineSeconds"});
        return said && *said != std::numeric_limits<std::int32_t>::max();
    }

    /// Returns true if there are more new pods or fewer old pods than in the last status.
    bool shows_progress(const json::Value& status) const {
        const auto growth = [&](std::string_view name) {
            return find_int(status, {name}).value_or(0) -
                   find_int(deployment_, {"status", name}).value_or(0);
        };
        const std::int64_t updated = growth("updatedReplicas");
        return updated > 0 || growth("replicas") - updated < 0 || growth("readyReplicas") > 0 ||
               growth("availableReplicas") > 0;
    }

    bool is_complete(const json::Value& status) const {
        return std::ranges::all_of(
            std::array{"replicas", "updatedReplicas", "availableReplicas"},
            [&](std::string_view name) { return find_int(status, {name}).value_or(0) == replicas_; }
        );
    }

    /// Sets the condition Progressing, which describes the rollout of the newest template.
    void set_progress(json::Array& conditions, const json::Value& status) {
        const json::Value* known = find_element(conditions, "type", kProgressing);
        const std::string reason(known == nullptr ? "" : known->string_at("reason"));
        const std::string set = fmt::format("{}-{}", name_of(deployment_), hash_);
        const auto say = [&](std::string_view why, const std::string& message) {
            set_condition(conditions, {kProgressing, true, why, message}, turn_.now);
        };
        const auto pause = [&](std::string_view why, std::string_view message) {
            set_condition(conditions, {kProgressing, false, why, message, true}, turn_.now);
        };
        if (is_deleted(deployment_)) {
            return;
        }
        if (!has_deadline()) {
            std::erase_if(conditions, [](const json::Value& each) {
                return each.string_at("type") == kProgressing;
            });
        } else if (is_paused()) {
            if (reason != kTimedOut) {
                pause(kPaused, "Deployment is paused");
            }
        } else if (newest_ == nullptr) {
            say("NewReplicaSetCreated", fmt::format("Created new replica set \"{}\"", set));
        } else if (is_complete(status)) {
            say(kDone, fmt::format("ReplicaSet \"{}\" has successfully progressed.", set));
        } else if (reason == kDone && is_rolled_out(status)) {
            return;  // the loss of pods after the rollout does not count as a lack of progress
        } else if (shows_progress(status)) {
            has_progressed_ = true;
            say("ReplicaSetUpdated", fmt::format("ReplicaSet \"{}\" is progressing.", set));
        } else if (reason == kPaused) {
            pause("DeploymentResumed", "Deployment is resumed");
        } else if (known == nullptr) {
            say("FoundNewReplicaSet", fmt::format("Found new replica set \"{}\"", set));
        } else if (reason != kTimedOut && reason != kDone && is_late(*known)) {
            const std::string message =
                fmt::format("ReplicaSet \"{}\" has timed out progressing.", set);
            set_condition(conditions, {kProgressing, false, kTimedOut, message}, turn_.now);
        }
    }

    /// Returns true if the progress deadline has passed. Otherwise, requests another turn at the
    /// deadline.
    bool is_late(const json::Value& condition) {
        const auto last = find_time(condition, {"lastUpdateTime"});
        if (!last) {
            return false;
        }
        const std::int64_t seconds =
            find_int(deployment_, {"spec", "progressDeadlineSeconds"}).value_or(0);
        const Time end = later(*last, turn_.pace.scale_seconds(seconds));
        if (end <= turn_.now) {
            return true;
        }
        look_again(end);
        return false;
    }

    void look_again(Time time) {
        outcome_.again_at = std::min(outcome_.again_at.value_or(time), time);
    }

    static bool is_rolled_out(const json::Value& status) {
        return find_int(status, {"replicas"}).value_or(0) ==
               find_int(status, {"updatedReplicas"}).value_or(0);
    }

    void write_status() {
        const std::int64_t available = sum({"status", "availableReplicas"});
        json::Value status = json::Object{
            {"observedGeneration", find_int(deployment_, {"metadata", "generation"}).value_or(1)}
        };
        const auto set_count = [&status](std::string_view name, std::int64_t count) {
            if (count != 0) {
                status.set(name, count);
            }
        };
        const std::int64_t updated =
            newest_ == nullptr ? 0 : find_int(*newest_, {"status", "replicas"}).value_or(0);
        set_count("replicas", sum({"status", "replicas"}));
        set_count("updatedReplicas", updated);
        set_count("readyReplicas", sum({"status", "readyReplicas"}));
        set_count("availableReplicas", available);
        status.set("terminatingReplicas", sum({"status", "terminatingReplicas"}));
        set_count("unavailableReplicas", std::max<std::int64_t>(0, replicas_ - available));
        json::Array conditions = conditions_of(deployment_);
        const bool is_available = available >= replicas_ - unavailable_max();
        set_condition(
            conditions,
            {"Available",
             is_available,
             is_available ? "MinimumReplicasAvailable" : "MinimumReplicasUnavailable",
             is_available ? "Deployment has minimum availability."
                          : "Deployment does not have minimum availability."},
            turn_.now
        );
        set_progress(conditions, status);
        set_update_times(conditions);
        status.set("conditions", std::move(conditions));
        replace_status(deployment_, std::move(status), outcome_);
    }

    const Turn& turn_;
    const json::Value& deployment_;
    std::vector<const json::Value*> sets_;  ///< by revision
    std::int64_t replicas_ = 1;
    json::Value template_;
    std::string hash_;
    const json::Value* newest_ = nullptr;
    bool has_progressed_ = false;
    Outcome outcome_;
};

}  // namespace

Outcome reconcile_deployment(const Turn& turn) {
    return DeploymentTurn(turn).run();
}

}  // namespace sluice::sim
