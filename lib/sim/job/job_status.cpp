#include "sim/job/job_status.hpp"

#include "api/meta/micro_time.hpp"
#include "sim/objects/fields.hpp"

namespace sluice::sim {

namespace {

std::optional<std::string> find_text(const json::Value& object, FieldPath path) {
    const json::Value* found = object.find_path(path);
    return found != nullptr && found->is_string() ? std::optional(found->as_string())
                                                  : std::nullopt;
}

std::set<std::string, std::less<>> texts(const json::Array& list) {
    std::set<std::string, std::less<>> found;
    for (const json::Value& each : list) {
        if (each.is_string()) {
            found.insert(each.as_string());
        }
    }
    return found;
}

json::Array list_of(const std::set<std::string, std::less<>>& texts) {
    return {texts.begin(), texts.end()};
}

}  // namespace

JobStatus JobStatus::read(const json::Value& job) {
    JobStatus status;
    status.active = find_int(job, {"status", "active"}).value_or(0);
    status.succeeded = find_int(job, {"status", "succeeded"}).value_or(0);
    status.failed = find_int(job, {"status", "failed"}).value_or(0);
    status.ready = find_int(job, {"status", "ready"});
    status.terminating = find_int(job, {"status", "terminating"});
    status.start_time = find_text(job, {"status", "startTime"});
    status.completion_time = find_text(job, {"status", "completionTime"});
    status.completed_indexes = text_at(job, {"status", "completedIndexes"});
    status.failed_indexes = find_text(job, {"status", "failedIndexes"});
    status.uncounted_succeeded =
        texts(list_at(job, {"status", "uncountedTerminatedPods", "succeeded"}));
    status.uncounted_failed = texts(list_at(job, {"status", "uncountedTerminatedPods", "failed"}));
    status.conditions = list_at(job, {"status", "conditions"});
    return status;
}

json::Value JobStatus::to_value() const {
    json::Value value = json::Object();
    const auto set_count = [&value](std::string_view name, std::int64_t count) {
        if (count != 0) {
            value.set(name, count);
        }
    };
    const auto set_text = [&value](std::string_view name, const std::optional<std::string>& text) {
        if (text) {
            value.set(name, *text);
        }
    };
    if (!conditions.empty()) {
        value.set("conditions", conditions);
    }
    set_text("startTime", start_time);
    set_text("completionTime", completion_time);
    set_count("active", active);
    set_count("succeeded", succeeded);
    set_count("failed", failed);
    if (terminating) {
        value.set("terminating", *terminating);
    }
    if (!completed_indexes.empty()) {
        value.set("completedIndexes", completed_indexes);
    }
    set_text("failedIndexes", failed_indexes);
    json::Value uncounted = json::Object();
    if (!uncounted_succeeded.empty()) {
        uncounted.set("succeeded", list_of(uncounted_succeeded));
    }
    if (!uncounted_failed.empty()) {
        uncounted.set("failed", list_of(uncounted_failed));
    }
    value.set("uncountedTerminatedPods", std::move(uncounted));
    if (ready) {
        value.set("ready", *ready);
    }
    return value;
}

const json::Value* JobStatus::find_condition(std::string_view type) const {
    return find_element(conditions, "type", type);
}

bool JobStatus::is_true(std::string_view type) const {
    const json::Value* found = find_condition(type);
    return found != nullptr && found->string_at("status") == "True";
}

bool JobStatus::set_condition(
    std::string_view type, bool status, std::string_view reason, std::string_view message, Time now
) {
    const std::string_view text = status ? "True" : "False";
    const std::string time = api::to_string(now);
    const json::Value wanted = json::Object{
        {"type", type},
        {"status", text},
        {"lastProbeTime", time},
        {"lastTransitionTime", time},
        {"reason", reason},
        {"message", message}
    };
    for (json::Value& condition : conditions) {
        if (condition.string_at("type") != type) {
            continue;
        }
        const bool is_changed = condition.string_at("status") != text ||
                                condition.string_at("reason") != reason ||
                                condition.string_at("message") != message;
        if (is_changed) {
            condition = wanted;
        }
        return is_changed;
    }
    if (status) {
        conditions.push_back(wanted);
    }
    return status;
}

}  // namespace sluice::sim
