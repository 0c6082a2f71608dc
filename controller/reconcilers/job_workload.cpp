#include "controller/reconcilers/job_workload.hpp"

#include "api/codec.hpp"
#include "controller/reconcilers/finalizer.hpp"
#include "controller/reconcilers/workload_name.hpp"
#include "controller/reconcilers/workload_status.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <charconv>
#include <set>

namespace sluice::controller {

namespace {

constexpr std::string_view kMaxExecutionTimeLabel = "kueue.x-k8s.io/max-exec-time-seconds";
constexpr std::string_view kProvisioningPrefix = "provreq.kueue.x-k8s.io/";
/// Labels that the Job controller's defaulting puts into the template and that name this one Job.
constexpr std::string_view kJobLabels[] = {
    "job-name", "controller-uid", "batch.kubernetes.io/controller-uid"
};

Result<std::optional<std::int32_t>> parse_number(std::string_view where, std::string_view text) {
    if (text.empty()) {
        return std::optional<std::int32_t>();
    }
    std::int32_t value = 0;
    const auto [end, error] = std::from_chars(text.data(), text.data() + text.size(), value);
    if (error != std::errc() || end != text.data() + text.size() || value < 1) {
        return make_invalid(fmt::format("{}: \"{}\" is not a number above 0", where, text));
    }
    return std::optional(value);
}

/// Of variables with the same name only the last counts (the Workload's list is keyed by name).
void drop_repeated_variables(json::Value& container) {
    json::Value* env = container.find("env");
    if (env == nullptr || !env->is_array()) {
        return;
    }
    std::set<std::string, std::less<>> seen;
    json::Array& variables = env->as_array();
    json::Array kept;
    for (auto variable = variables.rbegin(); variable != variables.rend(); ++variable) {
        if (seen.emplace(variable->string_at("name")).second) {
            kept.push_back(std::move(*variable));
        }
    }
    std::ranges::reverse(kept);
    variables = std::move(kept);
}

api::RawJson cleaned_template(const api::PodTemplateSpec& pod_template) {
    auto parsed = json::parse(pod_template.raw.view());
    if (!parsed) {
        return pod_template.raw;
    }
    json::Value& value = *parsed;
    if (json::Value* metadata = value.find("metadata")) {
        metadata->erase("creationTimestamp");
        if (json::Value* labels = metadata->find("labels")) {
            for (const std::string_view label : kJobLabels) {
                labels->erase(label);
            }
        }
    }
    if (json::Value* spec = value.find("spec")) {
        for (const std::string_view list : {"containers", "initContainers"}) {
            json::Value* containers = spec->find(list);
            if (containers != nullptr && containers->is_array()) {
                std::ranges::for_each(containers->as_array(), drop_repeated_variables);
            }
        }
    }
    return api::RawJson(json::print(value));
}

bool is_empty(const json::Value* value) {
    return value == nullptr || value->is_null() ||
           (value->is_array() && value->as_array().empty()) ||
           (value->is_object() && value->as_object().empty());
}

bool are_equal_numbers(const json::Value& a, const json::Value& b) {
    const auto text = [](const json::Value& v) {
        return v.is_string() ? v.as_string() : v.is_number() ? json::print(v) : std::string();
    };
    const auto left = api::Quantity::parse(text(a));
    const auto right = api::Quantity::parse(text(b));
    return left && right && *left == *right;
}

bool is_equal(const json::Value* a, const json::Value* b, bool quantities);

bool are_equal_objects(const json::Value& a, const json::Value& b, bool quantities) {
    const auto is_quantity_map = [quantities](std::string_view key) {
        return quantities || key == "requests" || key == "limits";
    };
    for (const auto& [key, value] : a.as_object()) {
        if (!is_equal(&value, b.find(key), is_quantity_map(key))) {
            return false;
        }
    }
    return std::ranges::all_of(b.as_object(), [&](const json::Member& member) {
        return a.find(member.first) != nullptr || is_empty(&member.second);
    });
}

bool is_equal(const json::Value* a, const json::Value* b, bool quantities) {
    if (is_empty(a) || is_empty(b)) {
        return is_empty(a) && is_empty(b);
    }
    if (a->is_object() && b->is_object()) {
        return are_equal_objects(*a, *b, quantities);
    }
    if (a->is_array() && b->is_array()) {
        const json::Array& left = a->as_array();
        const json::Array& right = b->as_array();
        return std::ranges::equal(left, right, [&](const json::Value& x, const json::Value& y) {
            return is_equal(&x, &y, quantities);
        });
    }
    return *a == *b || (quantities && are_equal_numbers(*a, *b));
}

bool are_templates_equal(
    const api::PodTemplateSpec& a, const api::PodTemplateSpec& b, bool with_tolerations
) {
    const auto left = json::parse(a.raw.view());
    const auto right = json::parse(b.raw.view());
    if (!left || !right) {
        return false;
    }
    for (const std::string_view field : {"containers", "initContainers", "tolerations"}) {
        if (field == "tolerations" && !with_tolerations) {
            continue;
        }
        if (!is_semantically_equal(
                left->find_path({"spec", field}), right->find_path({"spec", field})
            )) {
            return false;
        }
    }
    return true;
}

bool are_pod_sets_equal(const api::PodSet& a, const api::PodSet& b, bool with_tolerations) {
    return a.count == b.count && a.min_count == b.min_count &&
           are_templates_equal(*a.template_, *b.template_, with_tolerations);
}

Result<std::optional<std::int32_t>> max_execution_time(const api::Job& job) {
    return parse_number(
        "label kueue.x-k8s.io/max-exec-time-seconds",
        find_value(job.metadata.labels, kMaxExecutionTimeLabel)
    );
}

Priority priority_of(const api::WorkloadPriorityClass& priority_class) {
    return {
        .ref =
            api::PriorityClassRef{
                "kueue.x-k8s.io", "WorkloadPriorityClass", priority_class.metadata.name
            },
        .value = priority_class.value,
    };
}

Priority priority_of(const api::PriorityClass& priority_class) {
    return {
        .ref =
            api::PriorityClassRef{
                "scheduling.k8s.io", "PriorityClass", priority_class.metadata.name
            },
        .value = priority_class.value,
    };
}

/// How many of the Job's completed indexes lie below `limit`. Example: "1,3-5" has 4.
std::int32_t count_indexes(std::string_view text, std::int32_t limit) {
    std::int32_t count = 0;
    while (!text.empty()) {
        const std::size_t comma = text.find(',');
        const std::string part(text.substr(0, comma));
        const std::size_t dash = part.find('-');
        const std::int32_t first = std::atoi(part.c_str());
        const std::int32_t last =
            dash == std::string::npos ? first : std::atoi(part.c_str() + dash + 1);
        count += std::max(0, std::min(last, limit - 1) - first + 1);
        text = comma == std::string_view::npos ? std::string_view() : text.substr(comma + 1);
    }
    return count;
}

/// Errors: Invalid naming the annotation.
Result<std::optional<std::int32_t>> min_pod_count(const api::Job& job, const Settings& settings) {
    constexpr std::string_view kWhere = "annotation kueue.x-k8s.io/job-min-parallelism";
    if (!settings.partial_admission) {
        return std::optional<std::int32_t>();
    }
    auto minimum = parse_number(kWhere, find_value(job.metadata.annotations, kMinParallelism));
    const std::int32_t count = pod_count(job);
    const std::int32_t asked = minimum ? minimum->value_or(0) : 0;
    if (asked > count) {
        return make_invalid(
            fmt::format("{}: {} is above the number of pods, {}", kWhere, asked, count)
        );
    }
    return minimum;
}

/// The pod set but for the minimum of its count.
Result<api::PodSet> make_counted_pod_set(const api::Job& job, const Settings& settings) {
    api::PodSet pod_set;
    pod_set.name = "main";
    pod_set.count = pod_count(job);
    auto pod_template =
        api::decode<api::PodTemplateSpec>(cleaned_template(job.spec.template_).view());
    if (!pod_template) {
        return with_context(pod_template.error(), "spec.template");
    }
    pod_set.template_ = std::move(*pod_template);
    if (settings.gates.topology_aware_scheduling) {
        pod_set.topology_request.emplace();
        pod_set.topology_request->pod_index_label = "batch.kubernetes.io/job-completion-index";
    }
    return pod_set;
}

api::ObjectMeta make_metadata(const api::Job& job, const Settings& settings) {
    api::ObjectMeta metadata;
    metadata.name = workload_name(
        "Job",
        "batch",
        job.metadata.name,
        job.metadata.uid,
        settings.short_workload_names ? 63 : 253
    );
    metadata.namespace_ = job.metadata.namespace_;
    metadata.labels["kueue.x-k8s.io/job-uid"] = job.metadata.uid;
    for (const std::string& key : settings.label_keys_to_copy) {
        if (const std::string* value = job.metadata.find_label(key)) {
            metadata.labels[key] = *value;
        }
    }
    for (const auto& [key, value] : job.metadata.annotations) {
        const bool is_gate = key == kAdmissionGatedBy && settings.gates.admission_gated_by;
        if (key.starts_with(kProvisioningPrefix) || is_gate) {
            metadata.annotations[key] = value;
        }
    }
    metadata.finalizers.emplace_back(kInUseFinalizer);
    metadata.owner_references.push_back(
        {.api_version = "batch/v1",
         .kind = "Job",
         .name = job.metadata.name,
         .uid = job.metadata.uid,
         .controller = true,
         .block_owner_deletion = true}
    );
    return metadata;
}

}  // namespace

std::int32_t pod_count(const api::Job& job) {
    const std::int32_t parallelism = job.spec.parallelism.value_or(1);
    return job.spec.completions ? std::min(parallelism, *job.spec.completions) : parallelism;
}

bool is_suspended(const api::Job& job) {
    return job.spec.suspend.value_or(false) &&
           find_value(job.metadata.annotations, kStoppingAnnotation) != "true";
}

bool is_being_stopped(const api::Job& job) {
    return job.spec.suspend.value_or(false) && !is_suspended(job);
}

bool is_elastic(const api::Job& job, const Settings& settings) {
    return settings.elastic_jobs &&
           find_value(job.metadata.annotations, "kueue.x-k8s.io/elastic-job") == "true";
}

std::optional<JobEnd> find_end(const api::Job& job) {
    for (const api::ObjectCondition& condition : job.status.conditions) {
        if (condition.status == "True" &&
            (condition.type_ == "Complete" || condition.type_ == "Failed")) {
            return JobEnd{.success = condition.type_ == "Complete", .message = condition.message};
        }
    }
    return std::nullopt;
}

std::optional<Error> find_problem(const api::Job& job, const Settings& settings) {
    if (const auto minimum = min_pod_count(job, settings); !minimum) {
        return minimum.error();
    }
    if (const auto limit = max_execution_time(job); !limit) {
        return limit.error();
    }
    return std::nullopt;
}

Result<api::PodSet> make_pod_set(const api::Job& job, const Settings& settings) {
    const auto minimum = min_pod_count(job, settings);
    if (!minimum) {
        return minimum.error();
    }
    auto pod_set = make_counted_pod_set(job, settings);
    if (pod_set) {
        pod_set->min_count = *minimum;
    }
    return pod_set;
}

bool is_equivalent(const api::Job& job, const api::Workload& workload, const Settings& settings) {
    const api::OwnerReference* owner = workload.metadata.controller_owner();
    if (owner == nullptr || owner->uid != job.metadata.uid || owner->name != job.metadata.name) {
        return false;
    }
    auto wanted = make_counted_pod_set(job, settings);
    const auto limit = max_execution_time(job);
    if (!wanted || workload.spec.pod_sets.size() != 1 ||
        (limit && *limit != workload.spec.maximum_execution_time_seconds)) {
        return false;
    }
    // A slice may wait while its Job runs with what the flavors of another injected.
    const bool with_tolerations = !is_admitted(workload) && !is_elastic(job, settings);
    const api::PodSet& asked = workload.spec.pod_sets.front();
    // What cannot be read asks for nothing else than there is.
    const auto minimum = min_pod_count(job, settings);
    wanted->min_count = minimum ? *minimum : asked.min_count;
    if (has_quota_reserved(workload) && workload.status.admission &&
        workload.status.admission->pod_set_assignments.size() == 1) {
        api::PodSet running = asked;
        if (asked.min_count) {
            running.count =
                workload.status.admission->pod_set_assignments.front().count.value_or(asked.count);
        }
        if (is_elastic(job, settings) && !is_suspended(job)) {
            running.count = std::min(running.count, wanted->count);
        }
        if (are_pod_sets_equal(*wanted, running, with_tolerations)) {
            return true;
        }
        return is_suspended(job) && are_pod_sets_equal(*wanted, asked, with_tolerations);
    }
    return are_pod_sets_equal(*wanted, asked, with_tolerations);
}

Result<Priority> resolve_priority(
    const Stores& stores, const api::Job& job, const Settings& settings
) {
    const std::string_view label = find_value(job.metadata.labels, kPriorityClassLabel);
    if (!label.empty()) {
        const auto found = stores.of<api::WorkloadPriorityClass>().find(label);
        if (!found) {
            return Error{
                ErrorCode::NotFound,
                fmt::format("WorkloadPriorityClass \"{}\" not found", label),
                {}
            };
        }
        return priority_of(*found);
    }
    if (settings.workload_priority_class_defaulting) {
        if (const auto found = stores.of<api::WorkloadPriorityClass>().find("default")) {
            return priority_of(*found);
        }
    }
    const std::string& pod_class = job.spec.template_.spec.priority_class_name;
    if (!pod_class.empty()) {
        const auto found = stores.of<api::PriorityClass>().find(pod_class);
        if (!found) {
            return Error{
                ErrorCode::NotFound, fmt::format("PriorityClass \"{}\" not found", pod_class), {}
            };
        }
        return priority_of(*found);
    }
    const api::PriorityClass* lowest = nullptr;
    for (const auto& [key, candidate] : stores.of<api::PriorityClass>().all()) {
        if (candidate->global_default && (lowest == nullptr || candidate->value < lowest->value)) {
            lowest = candidate.get();
        }
    }
    return lowest == nullptr ? Priority{} : priority_of(*lowest);
}

Result<api::Workload> make_workload(
    const Stores& stores, const api::Job& job, const Settings& settings
) {
    const auto priority = resolve_priority(stores, job, settings);
    if (!priority) {
        return priority.error();
    }
    auto pod_set = make_pod_set(job, settings);
    if (!pod_set) {
        return pod_set.error();
    }
    const auto limit = max_execution_time(job);
    if (!limit) {
        return limit.error();
    }
    api::Workload workload;
    workload.metadata = make_metadata(job, settings);
    workload.spec.queue_name = std::string(find_value(job.metadata.labels, kQueueLabel));
    workload.spec.pod_sets.push_back(std::move(*pod_set));
    workload.spec.priority_class_ref = priority->ref;
    workload.spec.priority = priority->value;
    workload.spec.maximum_execution_time_seconds = *limit;
    return workload;
}

std::int32_t count_reclaimable(const api::Job& job, const api::Workload& workload) {
    const std::int32_t parallelism = job.spec.parallelism.value_or(1);
    if (parallelism <= 1 || workload.spec.pod_sets.size() != 1) {
        return 0;
    }
    const std::int32_t completions = job.spec.completions.value_or(parallelism);
    std::int32_t terminal = job.status.succeeded;
    if (job.spec.completion_mode == "Indexed") {
        terminal = count_indexes(job.status.completed_indexes, completions) +
                   count_indexes(job.status.failed_indexes, completions);
    }
    if (terminal == 0) {
        return 0;
    }
    const std::int32_t remaining = std::max(0, completions - terminal);
    return std::clamp(parallelism - remaining, 0, workload.spec.pod_sets.front().count);
}

bool is_semantically_equal(const json::Value* a, const json::Value* b) {
    return is_equal(a, b, false);
}

}  // namespace sluice::controller
