#include "sim/kinds/pod_job_status.hpp"

#include "api/meta/micro_time.hpp"
#include "job_kinds/text.hpp"
#include "json/patch.hpp"
#include "sim/objects/conditions.hpp"
#include "sim/objects/fields.hpp"
#include "sim/pods/owned.hpp"

#include <algorithm>
#include <optional>

namespace sluice::sim {

namespace {

using job_kinds::PodSetChoice;
using job_kinds::SimulatedStatus;

bool applies(const SimulatedStatus& part, const PodJob& job) {
    return part.stages.empty() || std::ranges::find(part.stages, job.stage) != part.stages.end();
}

std::vector<std::string> texts_at(const json::Value& object, FieldPath path) {
    std::vector<std::string> texts;
    for (const json::Value& each : list_at(object, path)) {
        texts.push_back(each.as_string());
    }
    return texts;
}

PodSetChoice choice_of(const json::Value& form) {
    return {.of = texts_at(form, {"of"}), .except = texts_at(form, {"except"})};
}

std::int64_t count_of(const Replicas& replicas, std::string_view what) {
    return what == "wanted"      ? replicas.wanted
           : what == "active"    ? replicas.active
           : what == "ready"     ? replicas.ready
           : what == "succeeded" ? replicas.succeeded
                                 : replicas.failed;
}

/// Returns an object with a text for each pod: that of its phase.
json::Value texts_of_pods(const PodJob& job, const json::Value& form) {
    const PodSetChoice choice = choice_of(form);
    const json::Value& rule = *form.find("$perPod");
    json::Value made = json::Object();
    for (const Replicas& each : job.replicas) {
        for (const json::Value* pod : each.pods) {
            if (choice.includes(each.name)) {
                const std::string_view text =
                    text_at(rule, {"phases", text_at(*pod, {"status", "phase"})});
                made.set(name_of(*pod), text.empty() ? rule.string_at("otherwise") : text);
            }
        }
    }
    return made;
}

/// Returns an object with a member for each pod set: its counts, except those that are 0.
json::Value counts_by_pod_set(const PodJob& job, const json::Value& counts) {
    json::Value made = json::Object();
    for (const Replicas& each : job.replicas) {
        json::Value entry = json::Object();
        for (const auto& [name, form] : counts.as_object()) {
            if (const std::int64_t count = count_of(each, form.string_at("$count")); count != 0) {
                entry.set(name, count);
            }
        }
        made.set(each.key, std::move(entry));
    }
    return made;
}

/// Evaluates the fields of a status.
class StatusFields {
  public:
    explicit StatusFields(const PodJob& job)
        : job_(job), placeholders_(placeholders_of(job.turn.object)) {}

    /// Returns the value of a field; nullopt if the status lacks the field. `present`: the value in
    /// the present status, or nullptr.
    std::optional<json::Value> evaluate(const json::Value& field, const json::Value* present)
        const {
        if (field.is_string()) {
            return evaluate_text(field.as_string(), present);
        }
        if (!field.is_object()) {
            return field;
        }
        if (const json::Value* count = field.find("$count")) {
            const PodSetChoice choice = choice_of(field);
            std::int64_t total = 0;
            for (const Replicas& each : job_.replicas) {
                total += choice.includes(each.name) ? count_of(each, count->as_string()) : 0;
            }
            return json::Value(total);
        }
        if (const json::Value* counts = field.find("$perPodSet")) {
            return counts_by_pod_set(job_, *counts);
        }
        if (field.find("$perPod") != nullptr) {
            return texts_of_pods(job_, field);
        }
        if (const json::Value* pod_set = field.find("$podName")) {
            return name_of_first_pod(pod_set->as_string());
        }
        json::Value made = json::Object();
        for (const auto& [name, member] : field.as_object()) {
            auto value = evaluate(member, present == nullptr ? nullptr : present->find(name));
            if (value) {
                made.set(name, std::move(*value));
            }
        }
        return made;
    }

  private:
    json::Value evaluate_text(const std::string& text, const json::Value* present) const {
        if (text == "{now}") {
            return api::to_string(job_.turn.now);
        }
        if (text == "{since}") {
            const bool is_known = present != nullptr && present->is_string();
            return is_known ? *present : json::Value(api::to_string(job_.turn.now));
        }
        if (text == "{generation}") {
            return find_int(job_.turn.object, {"metadata", "generation"}).value_or(1);
        }
        return fill_in(text, placeholders_);
    }

    std::optional<json::Value> name_of_first_pod(std::string_view pod_set) const {
        const auto found = std::ranges::find(job_.replicas, pod_set, &Replicas::name);
        if (found == job_.replicas.end() || found->pods.empty()) {
            return std::nullopt;
        }
        return json::Value(name_of(*found->pods.front()));
    }

    const PodJob& job_;
    Placeholders placeholders_;
};

json::Array make_conditions(const PodJob& job) {
    const Placeholders placeholders = placeholders_of(job.turn.object);
    json::Array conditions = conditions_of(job.turn.object);
    for (const SimulatedStatus& part : simulation_of(job.kind).status) {
        if (!applies(part, job)) {
            continue;
        }
        for (const job_kinds::SimulatedCondition& each : part.conditions) {
            const std::string reason = fill_in(each.reason, placeholders);
            const std::string message = fill_in(each.message, placeholders);
            const bool is_present = find_element(conditions, "type", each.type) != nullptr;
            if (is_present || !each.only_if_present) {
                set_condition(conditions, {each.type, each.status, reason, message}, job.turn.now);
            }
        }
    }
    return conditions;
}

}  // namespace

Placeholders placeholders_of(const json::Value& object) {
    const std::string_view kind = object.string_at("kind");
    return {
        {"name", std::string(name_of(object))},
        {"Kind", std::string(kind)},
        {"kind", job_kinds::lower_case(kind)},
    };
}

std::string fill_in(std::string_view text, const Placeholders& placeholders) {
    std::string made(text);
    for (const auto& [word, value] : placeholders) {
        const std::string placeholder = "{" + std::string(word) + "}";
        for (std::size_t at = made.find(placeholder); at != std::string::npos;
             at = made.find(placeholder, at + value.size())) {
            made.replace(at, placeholder.size(), value);
        }
    }
    return made;
}

json::Value make_status(const PodJob& job) {
    json::Value fields = json::Object();
    for (const SimulatedStatus& part : simulation_of(job.kind).status) {
        if (applies(part, job)) {
            json::apply_merge_patch(fields, part.fields);
        }
    }
    const StatusFields evaluation(job);
    auto made = evaluation.evaluate(fields, job.turn.object.find("status"));
    json::Value status = made ? *std::move(made) : json::Value(json::Object());
    if (json::Array conditions = make_conditions(job); !conditions.empty()) {
        status.set("conditions", std::move(conditions));
    }
    return status;
}

}  // namespace sluice::sim
