#include "controller/reconcilers/job_start.hpp"

#include "api/codec.hpp"
#include "controller/reconcilers/strict_patch.hpp"
#include "controller/reconcilers/workload_status.hpp"
#include "json/patch.hpp"
#include "workload/quotas.hpp"
#include "workload/text.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <cctype>
#include <set>
#include <utility>

namespace sluice::controller {

namespace {

/// Set by the Job controller's defaulting; they name this Job and stay as they are.
constexpr std::string_view kLiveLabels[] = {
    "job-name",
    "controller-uid",
    "batch.kubernetes.io/job-name",
    "batch.kubernetes.io/controller-uid"
};

/// What is merged into a pod template.
struct Injection {
    api::StringMap annotations;
    api::StringMap labels;
    api::StringMap node_selector;
    std::vector<api::Toleration> tolerations;
};

/// Adds entries; of a key with two values the error names both.
Result<void> merge(api::StringMap& into, const api::StringMap& from, std::string_view field) {
    for (const auto& [key, value] : from) {
        const auto [entry, is_new] = into.emplace(key, value);
        if (!is_new && entry->second != value) {
            return make_invalid(fmt::format(
                "invalid admission check PodSetUpdate: conflict for {}: conflict for key={}, "
                "value1={}, value2={}",
                field,
                key,
                entry->second,
                value
            ));
        }
    }
    return {};
}

void add_tolerations(std::vector<api::Toleration>& into, const std::vector<api::Toleration>& from) {
    for (const api::Toleration& toleration : from) {
        if (std::ranges::find(into, toleration) == into.end()) {
            into.push_back(toleration);
        }
    }
}

Result<void> merge(Injection& into, const Injection& from) {
    if (const auto merged = merge(into.annotations, from.annotations, "annotations"); !merged) {
        return merged.error();
    }
    if (const auto merged = merge(into.labels, from.labels, "labels"); !merged) {
        return merged.error();
    }
    if (const auto merged = merge(into.node_selector, from.node_selector, "nodeSelector");
        !merged) {
        return merged.error();
    }
    add_tolerations(into.tolerations, from.tolerations);
    return {};
}

bool is_dns_label(std::string_view text) {
    const auto is_alphanumeric = [](char c) {
        return (c >= 'a' && c <= 'z') || (c >= '0' && c <= '9');
    };
    return !text.empty() && text.size() <= 63 && is_alphanumeric(text.front()) &&
           is_alphanumeric(text.back()) &&
           std::ranges::all_of(text, [&](char c) { return is_alphanumeric(c) || c == '-'; });
}

Injection make_own_injection(
    const api::Workload& workload, std::string_view pod_set, const Settings& settings
) {
    Injection own;
    own.labels["kueue.x-k8s.io/podset"] = std::string(pod_set);
    if (settings.assign_queue_labels_for_pods) {
        own.labels["kueue.x-k8s.io/local-queue-name"] = workload.spec.queue_name;
        const std::string cluster_queue =
            workload.status.admission ? workload.status.admission->cluster_queue : std::string();
        if (is_dns_label(cluster_queue)) {
            own.labels["kueue.x-k8s.io/cluster-queue-name"] = cluster_queue;
        }
    }
    if (settings.gates.topology_aware_scheduling) {
        own.annotations["kueue.x-k8s.io/workload"] = workload.metadata.name;
    }
    return own;
}

/// All that the pod set gets: own labels, then the flavors in order of their names, then the
/// checks.
Result<Injection> make_injection(
    const Stores& stores,
    const api::Workload& workload,
    const api::PodSetAssignment& assignment,
    const Settings& settings
) {
    Injection all = make_own_injection(workload, assignment.name, settings);
    std::set<std::string> flavors;
    for (const auto& [resource, flavor] : assignment.flavors) {
        flavors.insert(flavor);
    }
    for (const std::string& name : flavors) {
        const auto flavor = stores.of<api::ResourceFlavor>().find(name);
        if (!flavor) {
            return Error{
                ErrorCode::NotFound, fmt::format("ResourceFlavor \"{}\" not found", name), {}
            };
        }
        if (const auto problem = workload::find_problem(*flavor)) {
            return Error{
                ErrorCode::NotFound,
                fmt::format("ResourceFlavor \"{}\": {}", name, problem->text()),
                {}
            };
        }
        const Injection from{
            .annotations = {},
            .labels = {},
            .node_selector = flavor->spec.node_labels,
            .tolerations = flavor->spec.tolerations,
        };
        if (const auto merged = merge(all, from); !merged) {
            return merged.error();
        }
    }
    for (const api::AdmissionCheckState& check : workload.status.admission_checks) {
        for (const api::PodSetUpdate& update : check.pod_set_updates) {
            if (update.name != assignment.name || check.state != "Ready") {
                continue;
            }
            const Injection from{
                update.annotations, update.labels, update.node_selector, update.tolerations
            };
            if (const auto merged = merge(all, from); !merged) {
                return merged.error();
            }
        }
    }
    return all;
}

json::Value to_value(const api::StringMap& map) {
    json::Object object;
    for (const auto& [key, value] : map) {
        object.emplace_back(key, value);
    }
    return object;
}

json::Value sub_value(const json::Value& root, std::initializer_list<std::string_view> path) {
    const json::Value* found = root.find_path(path);
    return found == nullptr ? json::Value() : *found;
}

/// The patch of a map that turns `live` into `wanted`: keys set or removed.
json::Value map_patch(const json::Value& live, const json::Value& wanted) {
    const json::Value from = live.is_object() ? live : json::Value(json::Object{});
    const json::Value to = wanted.is_object() ? wanted : json::Value(json::Object{});
    return json::make_merge_patch(from, to);
}

void set_map(
    json::Value& target, std::string_view key, const json::Value& live, const json::Value& wanted
) {
    json::Value patch = map_patch(live, wanted);
    if (!patch.as_object().empty()) {
        target.set(key, std::move(patch));
    }
}

void set_list(
    json::Value& target, std::string_view key, const json::Value& live, const json::Value& wanted
) {
    if (!is_semantically_equal(&live, &wanted)) {
        target.set(key, wanted);
    }
}

/// What turns the Job's live template into the Workload's; an empty object when it is the same.
json::Value make_template_patch(const api::Job& job, const api::PodSet& original) {
    const auto live = json::parse(job.spec.template_.raw.view());
    const auto wanted = json::parse(original.template_->raw.view());
    if (!live || !wanted) {
        return json::Object{};
    }
    json::Value wanted_labels = sub_value(*wanted, {"metadata", "labels"});
    for (const std::string_view label : kLiveLabels) {
        if (const json::Value* value = live->find_path({"metadata", "labels", label})) {
            wanted_labels.set(label, *value);
        }
    }
    json::Value metadata = json::Object{};
    set_map(metadata, "labels", sub_value(*live, {"metadata", "labels"}), wanted_labels);
    set_map(
        metadata,
        "annotations",
        sub_value(*live, {"metadata", "annotations"}),
        sub_value(*wanted, {"metadata", "annotations"})
    );
    json::Value spec = json::Object{};
    set_map(
        spec,
        "nodeSelector",
        sub_value(*live, {"spec", "nodeSelector"}),
        sub_value(*wanted, {"spec", "nodeSelector"})
    );
    for (const std::string_view list : {"tolerations", "schedulingGates"}) {
        set_list(spec, list, sub_value(*live, {"spec", list}), sub_value(*wanted, {"spec", list}));
    }
    json::Value patch = json::Object{};
    if (!metadata.as_object().empty()) {
        patch.set("metadata", std::move(metadata));
    }
    if (!spec.as_object().empty()) {
        patch.set("spec", std::move(spec));
    }
    return patch;
}

bool wants_equal_completions(const api::Job& job) {
    return find_value(job.metadata.annotations, kCompletionsEqualParallelism) == "true";
}

/// The third write of a stop: template and counts as they were, the mark gone.
json::Value make_restore_patch(const api::Job& job, const api::Workload* workload) {
    json::Value spec = json::Object{};
    if (workload != nullptr && workload->spec.pod_sets.size() == 1) {
        const api::PodSet& original = workload->spec.pod_sets.front();
        json::Value pod_template = make_template_patch(job, original);
        if (!pod_template.as_object().empty()) {
            spec.set("template", std::move(pod_template));
        }
        if (!find_value(job.metadata.annotations, kMinParallelism).empty()) {
            if (job.spec.parallelism != original.count) {
                spec.set("parallelism", original.count);
            }
            if (wants_equal_completions(job) && job.spec.completions != original.count) {
                spec.set("completions", original.count);
            }
        }
    }
    json::Value patch = json::Object{};
    if (!find_value(job.metadata.annotations, kStoppingAnnotation).empty()) {
        patch.set(
            "metadata",
            json::Object{{"annotations", json::Object{{std::string(kStoppingAnnotation), nullptr}}}}
        );
    }
    if (!spec.as_object().empty()) {
        patch.set("spec", std::move(spec));
    }
    return patch;
}

}  // namespace

Result<json::Value> make_start_patch(
    const Stores& stores,
    const api::Job& job,
    const api::Workload& workload,
    const Settings& settings
) {
    const api::Admission admission = workload.status.admission.value_or(api::Admission{});
    const auto& assignments = admission.pod_set_assignments;
    if (assignments.size() != 1) {
        return make_invalid(
            fmt::format("invalid podset infos: expecting 1 podset, got {}", assignments.size())
        );
    }
    const auto injection = make_injection(stores, workload, assignments.front(), settings);
    if (!injection) {
        return injection.error();
    }
    const api::PodTemplateSpec& live = job.spec.template_;
    Injection result{
        .annotations = live.metadata.annotations,
        .labels = live.metadata.labels,
        .node_selector = live.spec.node_selector,
        .tolerations = live.spec.tolerations,
    };
    if (const auto merged = merge(result, *injection); !merged) {
        return merged.error();
    }
    json::Value pod_spec = json::Object{};
    if (result.node_selector != live.spec.node_selector) {
        pod_spec.set("nodeSelector", to_value(result.node_selector));
    }
    if (result.tolerations.size() != live.spec.tolerations.size()) {
        json::Array tolerations;
        for (const api::Toleration& toleration : result.tolerations) {
            tolerations.push_back(api::to_value(toleration));
        }
        pod_spec.set("tolerations", std::move(tolerations));
    }
    json::Value spec = json::Object{
        {"suspend", false},
        {"template",
         json::Object{
             {"metadata",
              json::Object{
                  {"labels", to_value(result.labels)}, {"annotations", to_value(result.annotations)}
              }},
             {"spec", std::move(pod_spec)},
         }},
    };
    const auto granted = assignments.front().count;
    if (granted && !find_value(job.metadata.annotations, kMinParallelism).empty()) {
        spec.set("parallelism", *granted);
        if (wants_equal_completions(job)) {
            spec.set("completions", *granted);
        }
    }
    return json::Value(json::Object{{"spec", std::move(spec)}});
}

StopStep next_stop_step(
    const api::Job& job, const api::Workload* workload, std::string_view message
) {
    if (!job.spec.suspend.value_or(false)) {
        Write write = job_patch(
            job,
            json::Object{
                {"metadata",
                 json::Object{
                     {"annotations", json::Object{{std::string(kStoppingAnnotation), "true"}}}
                 }},
                {"spec", json::Object{{"suspend", true}}},
            }
        );
        write.events.push_back(job_event(job, "Stopped", std::string(message)));
        return {.write = std::move(write)};
    }
    json::Value restore = make_restore_patch(job, workload);
    if (restore.as_object().empty()) {
        return {.write = std::nullopt, .is_stopped = true};
    }
    if (job.status.start_time) {
        Write write =
            job_patch(job, json::Object{{"status", json::Object{{"startTime", nullptr}}}});
        write.verb = Verb::MergePatchStatus;
        return {.write = std::move(write)};
    }
    if (job.status.active != 0) {
        return {};
    }
    return {.write = job_patch(job, std::move(restore))};
}

ObjectReference reference_to(const api::Job& job) {
    return {
        .api_version = "batch/v1",
        .kind = "Job",
        .ns = job.metadata.namespace_,
        .name = job.metadata.name,
        .uid = job.metadata.uid,
        .resource_version = job.metadata.resource_version,
    };
}

EventNote job_event(
    const Integration& integration,
    const api::ObjectMeta& job,
    std::string_view reason,
    const std::string& note,
    bool warning
) {
    return {
        .regarding =
            {
                .api_version = integration.kind.api_version(),
                .kind = std::string(integration.kind.name()),
                .ns = job.namespace_,
                .name = job.name,
                .uid = job.uid,
                .resource_version = job.resource_version,
            },
        .warning = warning,
        .reason = std::string(reason),
        .note = workload::truncated_event_note(note),
        .reporting_controller = fmt::format("{}-kueue-controller", integration.name),
    };
}

EventNote job_event(
    const api::Job& job, std::string_view reason, const std::string& note, bool warning
) {
    return job_event({kind_of<api::Job>(), "batch/job"}, job.metadata, reason, note, warning);
}

Write job_patch(const api::Job& job, json::Value patch) {
    return strict_patch(
        {kind_of<api::Job>(), job.metadata.namespace_, job.metadata.name},
        job.metadata,
        std::move(patch)
    );
}

}  // namespace sluice::controller
