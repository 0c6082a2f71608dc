#include "controller/jobs/serving/group_owner.hpp"

#include "api/kueue/kueue_names.hpp"
#include "api/meta/codec.hpp"
#include "api/meta/names.hpp"
#include "base/earlier.hpp"
#include "controller/jobs/job/job_ancestors.hpp"
#include "controller/jobs/pod/pod_kind.hpp"
#include "controller/jobs/reconciliation/workload_of_job.hpp"
#include "controller/reconcile/owned_workloads.hpp"
#include "controller/reconcile/strict_patch.hpp"
#include "controller/reconcile/workload_name.hpp"
#include "controller/reconcile/workload_status.hpp"
#include "workload/pods/text.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <charconv>
#include <chrono>
#include <utility>

namespace sluice::controller {

namespace {

constexpr std::size_t kNameLimit = 253;
constexpr std::size_t kShortNameLimit = 63;
constexpr Duration kStaleAge = std::chrono::seconds(10);

api::OwnerReference reference_of(const GroupOwner& owner) {
    return {
        .api_version = owner.kind.api_version(),
        .kind = std::string(owner.kind.name()),
        .name = owner.metadata.name,
        .uid = owner.metadata.uid,
        .controller = {},
        .block_owner_deletion = {},
    };
}

/// Example: apps/v1, Kind=StatefulSet
std::string kind_text(Kind kind) {
    return fmt::format("{}, Kind={}", kind.api_version(), kind.name());
}

/// Values that are not positive integers are ignored.
std::optional<std::int32_t> group_execution_time(const api::ObjectMeta& object) {
    const std::string_view text = find_value(object.labels, api::label::kMaxExecTimeSeconds);
    std::int32_t value = 0;
    const auto [end, error] = std::from_chars(text.data(), text.data() + text.size(), value);
    const bool is_number =
        !text.empty() && error == std::errc() && value > 0 && end == text.data() + text.size();
    return is_number ? std::optional(value) : std::nullopt;
}

}  // namespace

std::string_view GroupOwner::queue() const {
    return find_value(metadata.labels, api::label::kQueueName);
}

bool GroupOwner::is_copy() const {
    return metadata.find_label(api::label::kMultiKueueOrigin) != nullptr;
}

std::string GroupOwner::uid() const {
    const std::string* original = metadata.find_annotation(api::annotation::kMultiKueueOriginUid);
    return is_copy() && original != nullptr ? *original : metadata.uid;
}

JobResult<bool> is_managed_alone(
    const View& view, const JobKinds& kinds, const api::ObjectMeta& object
) {
    const auto ns = view.stores.of<api::Namespace>().find(object.namespace_);
    const auto& selector = view.settings.managed_jobs_namespaces;
    if (!ns || (selector && !selector->matches(ns->metadata.labels)) ||
        !asks_to_be_managed(object, view.settings)) {
        return false;
    }
    const auto ancestor = find_managed_ancestor(kinds, view.stores, view.settings, object);
    if (!ancestor) {
        return ancestor.error();
    }
    return !ancestor->has_value();
}

std::string group_workload_name(
    const GroupOwner& owner, std::string_view group, const Settings& settings
) {
    return workload_name(
        owner.kind.name(),
        owner.kind.group(),
        group,
        owner.uid(),
        settings.short_workload_names ? kShortNameLimit : kNameLimit
    );
}

JobResult<api::Workload> make_group_workload(
    const Stores& stores,
    const Settings& settings,
    const GroupOwner& owner,
    std::string name,
    std::vector<api::PodSet> pod_sets,
    bool copies_keys
) {
    if (auto problem = find_impossible_requests(pod_sets)) {
        return *std::move(problem);
    }
    std::string pod_class;
    for (const api::PodSet& pod_set : pod_sets) {
        if (pod_class.empty()) {
            pod_class = pod_set.template_->spec.priority_class_name;
        }
    }
    const auto priority = resolve_priority(stores, owner.metadata, pod_class, settings);
    if (!priority) {
        return priority.error();
    }
    api::Workload workload;
    api::ObjectMeta& metadata = workload.metadata;
    metadata.name = std::move(name);
    metadata.namespace_ = owner.metadata.namespace_;
    metadata.finalizers.emplace_back(api::finalizer::kResourceInUse);
    metadata.owner_references.push_back(reference_of(owner));
    if (!api::check_label_value(owner.metadata.uid)) {
        metadata.labels[api::label::kJobUid] = owner.metadata.uid;
    }
    for (const auto& [key, value] : owner.metadata.labels) {
        if (copies_keys && std::ranges::find(settings.label_keys_to_copy, key) !=
                               settings.label_keys_to_copy.end()) {
            metadata.labels[key] = value;
        }
    }
    for (const auto& [key, value] : owner.metadata.annotations) {
        const bool is_gate =
            key == api::annotation::kAdmissionGatedBy && settings.gates.admission_gated_by;
        const bool is_wanted =
            copies_keys && std::ranges::find(settings.annotation_keys_to_copy, key) !=
                               settings.annotation_keys_to_copy.end();
        if (key.starts_with(api::annotation_prefix::kProvisioningRequest) || is_gate || is_wanted) {
            metadata.annotations[key] = value;
        }
    }
    metadata.annotations[api::annotation::kIsGroupWorkload] = "true";
    metadata.annotations[api::annotation::kJobOwnerGvk] = kind_text(owner.kind);
    metadata.annotations[api::annotation::kJobOwnerName] = owner.metadata.name;
    workload.spec.queue_name = std::string(owner.queue());
    workload.spec.pod_sets = std::move(pod_sets);
    workload.spec.priority_class_ref = priority->ref;
    workload.spec.priority = priority->value;
    workload.spec.maximum_execution_time_seconds = group_execution_time(owner.metadata);
    return workload;
}

Write create_group_workload(const GroupOwner& owner, const api::Workload& workload, Time now) {
    Write write{
        .verb = Verb::Create,
        .object = key_of(workload),
        .body = api::to_value(workload),
    };
    write.events.push_back(owner_event(
        owner, api::reason::kCreatedWorkload, "Created Workload: " + to_string(key_of(workload))
    ));
    write.observations.push_back(
        {.kind = Observation::Kind::WorkloadCreated,
         .local_queue = workload.spec.queue_name,
         .ns = workload.metadata.namespace_,
         .reason = std::string(owner.kind.name()),
         .since_queued = now - owner.metadata.creation_timestamp.value_or(now)}
    );
    return write;
}

std::optional<Write> follow_owner(
    const GroupOwner& owner, const api::Workload& workload, const Settings& settings
) {
    json::Value metadata = json::Object{};
    json::Value annotations = json::Object{};
    json::Value patch = json::Object{};
    std::vector<EventNote> events;
    if (!is_owned_by(workload.metadata, owner.metadata.uid, OwnerRole::Member)) {
        json::Array owners;
        for (const api::OwnerReference& other : workload.metadata.owner_references) {
            owners.push_back(api::to_value(other));
        }
        owners.push_back(api::to_value(reference_of(owner)));
        metadata.set("ownerReferences", std::move(owners));
        annotations.set(api::annotation::kJobOwnerGvk, kind_text(owner.kind));
        annotations.set(api::annotation::kJobOwnerName, owner.metadata.name);
    }
    constexpr const char* kGate = api::annotation::kAdmissionGatedBy;
    const std::string_view gate = find_value(owner.metadata.annotations, kGate);
    if (settings.gates.admission_gated_by &&
        gate != find_value(workload.metadata.annotations, kGate)) {
        annotations.set(kGate, gate.empty() ? json::Value() : json::Value(gate));
        events.push_back(owner_event(
            owner,
            api::reason::kUpdatedWorkload,
            fmt::format("Updated workload AdmissionGatedBy to \"{}\"", gate)
        ));
    }
    if (owner.queue() != workload.spec.queue_name && !has_quota_reserved(workload)) {
        const std::string_view queue = owner.queue();
        patch.set(
            "spec", json::Object{{"queueName", queue.empty() ? json::Value() : json::Value(queue)}}
        );
    }
    if (!annotations.as_object().empty()) {
        metadata.set("annotations", std::move(annotations));
    }
    if (!metadata.as_object().empty()) {
        patch.set("metadata", std::move(metadata));
    }
    if (patch.as_object().empty()) {
        return std::nullopt;
    }
    Write write = strict_patch(key_of(workload), workload.metadata, std::move(patch));
    write.events = std::move(events);
    return write;
}

std::optional<Write> free_evicted(
    const Stores& stores, const api::Workload& workload, const Settings& settings, Time now
) {
    const auto& pods = stores.of<api::Pod>().by_index(kPodGroupIndex, to_string(key_of(workload)));
    if (!pods.empty() || !is_evicted(workload) || !has_quota_reserved(workload) ||
        is_finished(workload)) {
        return std::nullopt;
    }
    api::Workload changed = workload;
    workload::release_quota(changed, settings.gates, now);
    return status_write(changed);
}

void remove_stale(const api::Workload& workload, Time now, Outcome& outcome) {
    const api::Condition* finished = find_condition(workload, api::condition::kFinished);
    if (finished == nullptr || finished->reason != api::reason::kOutOfSync ||
        !finished->last_transition_time || workload.metadata.deletion_timestamp) {
        return;
    }
    const Time due = *finished->last_transition_time + kStaleAge;
    if (now < due) {
        outcome.requeue_at = earlier(outcome.requeue_at, due);
        return;
    }
    outcome.writes.push_back({
        .verb = Verb::Delete,
        .object = key_of(workload),
        .body = {},
        .uid = workload.metadata.uid,
    });
}

EventNote owner_event(
    const GroupOwner& owner, std::string_view reason, std::string_view note, EventType type
) {
    return {
        .regarding =
            {
                .api_version = owner.kind.api_version(),
                .kind = std::string(owner.kind.name()),
                .namespace_ = owner.metadata.namespace_,
                .name = owner.metadata.name,
                .uid = owner.metadata.uid,
                .resource_version = owner.metadata.resource_version,
            },
        .type = type,
        .reason = std::string(reason),
        .note = workload::truncated_event_note(note),
        .reporting_controller = fmt::format("{}-kueue-controller", owner.integration),
    };
}

Outcome refuse_owner(const GroupOwner& owner, const JobProblem& problem) {
    Outcome outcome;
    if (const std::string_view reason = to_string(problem.reason); !reason.empty()) {
        outcome.events.push_back(owner_event(owner, reason, problem.detail, EventType::Warning));
    }
    if (!problem.is_permanent()) {
        outcome.try_later = problem.detail;
    }
    return outcome;
}

}  // namespace sluice::controller
