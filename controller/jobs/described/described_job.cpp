#include "controller/jobs/described/described_job.hpp"

#include "api/meta/codec.hpp"
#include "controller/jobs/job/stored_template.hpp"
#include "json/patch.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <utility>

namespace sluice::controller {

namespace {

using job_kinds::DescribedPodSet;
using job_kinds::Predicate;

/// Sets the member that a settable path names; removes it if `value` is nullopt.
void set_member(
    json::Value& object, const job_kinds::Path& path, const std::optional<json::Value>& value
) {
    job_kinds::Location parent = path.steps();
    const std::string name = parent.back().name;
    parent.pop_back();
    json::Value* at = job_kinds::make_object(object, parent);
    if (value) {
        at->set(name, *value);
    } else {
        at->erase(name);
    }
}

/// Returns true if the user has ended the job by the field that suspends other jobs.
bool is_final(const job_kinds::Suspension& suspension, const json::Value& object) {
    const json::Value* found = suspension.path.find(object);
    return found != nullptr &&
           std::ranges::find(suspension.final_values, *found) != suspension.final_values.end();
}

/// Removes empty metadata, because a start creates metadata that is missing.
void drop_empty_metadata(json::Value& pod_template) {
    const json::Value* metadata = pod_template.find("metadata");
    if (metadata != nullptr && metadata->is_object() && metadata->as_object().empty()) {
        pod_template.erase("metadata");
    }
}

/// Returns the message of an ended job: that of the condition which says so, else that of the
/// description.
std::string end_message(
    const json::Value& object,
    const Predicate& said,
    std::optional<std::size_t> condition,
    const std::optional<job_kinds::Path>& path
) {
    const json::Value* conditions = object.find_path({"status", "conditions"});
    if (condition && conditions != nullptr) {
        return std::string(conditions->as_array()[*condition].string_at("message"));
    }
    if (!said.message.empty()) {
        return said.message;
    }
    const json::Value* message = path ? path->find(object) : nullptr;
    return message != nullptr && message->is_string() ? message->as_string() : std::string();
}

}  // namespace

void suspend(const job_kinds::Suspension& suspension, json::Value& object) {
    if (is_final(suspension, object)) {
        return;
    }
    set_member(object, suspension.path, suspension.suspended);
}

Result<api::PodTemplateSpec> read_template(
    const json::Value& pod_template, std::string_view place
) {
    auto decoded = api::decode<api::PodTemplateSpec>(json::print(pod_template));
    if (!decoded) {
        return with_context(decoded.error(), place);
    }
    return decoded;
}

Result<api::PodTemplateSpec> read_template(
    const json::Value& object, const job_kinds::Location& location
) {
    const json::Value* found = job_kinds::find(object, location);
    if (found == nullptr || !found->is_object()) {
        return make_invalid(job_kinds::to_string(location) + ": required");
    }
    return read_template(*found, job_kinds::to_string(location));
}

DescribedJob::DescribedJob(
    Kind kind,
    std::shared_ptr<const job_kinds::Description> description,
    std::shared_ptr<const api::DynamicObject> object,
    const Settings& settings
)
    : kind_(kind),
      description_(std::move(description)),
      object_(std::move(object)),
      settings_(settings) {}

const json::Value& DescribedJob::completed() const {
    if (!completed_) {
        completed_ = complete();
        if (!completed_) {
            completed_ = object_->value;
        }
    }
    return *completed_;
}

Result<const json::Value*> DescribedJob::source() const {
    if (!derived_) {
        derived_ = derive();
    }
    const auto& derived = *derived_;
    if (!derived) {
        return &completed();
    }
    return *derived ? Result<const json::Value*>(&**derived) : derived->error();
}

Result<std::vector<DescribedPodSet>> DescribedJob::described_pod_sets() const {
    const auto document = source();
    if (!document) {
        return document.error();
    }
    return find_pod_sets(*description_, **document);
}

std::string DescribedJob::place_of(const DescribedPodSet& pod_set) const {
    return job_kinds::to_string(pod_set.pod_template);
}

RankLabels DescribedJob::rank_labels(const DescribedPodSet& pod_set) const {
    RankLabels labels{.pod_index = pod_set.rule->pod_index_label};
    if (!pod_set.rule->sub_group_index_label.empty()) {
        labels.sub_group_index = pod_set.rule->sub_group_index_label;
        labels.sub_group_count = pod_set.replicas;
    }
    return labels;
}

Result<std::vector<api::PodSet>> DescribedJob::pod_sets() const {
    if (!pod_sets_) {
        pod_sets_ = read_pod_sets();
    }
    return *pod_sets_;
}

Result<api::PodSet> DescribedJob::read_pod_set(const DescribedPodSet& one) const {
    const std::string place = place_of(one);
    const json::Value* found = job_kinds::find(**source(), one.pod_template);
    if (found == nullptr || !found->is_object()) {
        return make_invalid(place + ": required");
    }
    json::Value amended = *found;
    amend(one.name, amended);
    const auto live = read_template(amended, place);
    if (!live) {
        return live.error();
    }
    auto stored = stored_template(*live, {});
    if (!stored) {
        return with_context(stored.error(), place);
    }
    api::PodSet pod_set;
    pod_set.name = one.name;
    pod_set.count = one.count();
    if (settings_.gates.topology_aware_scheduling) {
        auto request = make_topology_request(live->metadata, rank_labels(one), settings_);
        if (!request) {
            return with_context(request.error(), place);
        }
        pod_set.topology_request = std::move(*request);
    }
    pod_set.template_ = std::move(*stored);
    return pod_set;
}

Result<std::vector<api::PodSet>> DescribedJob::read_pod_sets() const {
    const auto described = described_pod_sets();
    if (!described) {
        return described.error();
    }
    std::vector<api::PodSet> all;
    for (const DescribedPodSet& one : *described) {
        auto pod_set = read_pod_set(one);
        if (!pod_set) {
            return pod_set.error();
        }
        all.push_back(std::move(*pod_set));
    }
    return all;
}

std::string DescribedJob::priority_class() const {
    for (const job_kinds::Path& path : description_->priority_class) {
        const json::Value* name = path.find(object_->value);
        if (name != nullptr && name->is_string() && !name->as_string().empty()) {
            return name->as_string();
        }
    }
    return {};
}

bool DescribedJob::is_left_alone() const {
    const auto& left_alone = description_->left_alone;
    return metadata().deletion_timestamp || (left_alone && left_alone->holds(object_->value));
}

std::optional<std::string> DescribedJob::find_hold() const {
    const auto& hold = description_->on_hold;
    if (!hold || !hold->holds(object_->value)) {
        return std::nullopt;
    }
    return hold->message.empty() ? "The job is on hold" : hold->message;
}

bool DescribedJob::is_suspended() const {
    const json::Value* found = description_->suspension.path.find(object_->value);
    return found != nullptr && *found == description_->suspension.suspended;
}

bool DescribedJob::makes_pods_of(std::string_view pod_set) const {
    const std::string& framework = description_->framework;
    if (framework == "ray.io/raycluster") {
        return !metadata().deletion_timestamp;
    }
    const bool is_job_below = framework == "kubeflow.org/mpijob" && pod_set == "launcher";
    return !is_job_below && (framework.starts_with("kubeflow.org/") ||
                             framework == "sparkoperator.k8s.io/sparkapplication");
}

bool DescribedJob::are_pods_ready() const {
    const auto& ready = description_->ready;
    if (!ready) {
        return is_active();
    }
    const auto document = source();
    if (!document) {
        return false;
    }
    json::Value released = **document;
    keep_released(released);
    return ready->holds(released);
}

std::optional<JobEnd> DescribedJob::find_end() const {
    const auto& finished = description_->finished;
    if (!finished) {
        return std::nullopt;
    }
    const job_kinds::Ending& ending = *finished;
    const json::Value& object = object_->value;
    const bool has_succeeded = ending.succeeded.holds(object);
    const bool has_failed = ending.failed.holds(object);
    if (!has_succeeded && !has_failed) {
        return std::nullopt;
    }
    const auto success = first_true_condition(ending.succeeded, object);
    const auto failure = first_true_condition(ending.failed, object);
    const bool is_failure =
        !has_succeeded || (ending.is_first_condition && success && failure && *failure < *success);
    return JobEnd{
        .result = is_failure ? JobEnd::Result::Failed : JobEnd::Result::Succeeded,
        .message = is_failure ? end_message(object, ending.failed, failure, ending.message)
                              : end_message(object, ending.succeeded, success, ending.message),
    };
}

std::vector<api::ReclaimablePod> DescribedJob::reclaimable_pods(const api::Workload&) const {
    const auto described = described_pod_sets();
    std::vector<api::ReclaimablePod> pods;
    if (described) {
        for (const auto& [name, count] :
             find_reclaimable(*description_, *described, object_->value)) {
            pods.push_back({.name = name, .count = count});
        }
    }
    return pods;
}

std::vector<Write> DescribedJob::one_write(const json::Value& changed) const {
    std::vector<Write> writes;
    writes.push_back(job_patch(kind_, metadata(), json::make_merge_patch(object_->value, changed)));
    return writes;
}

Result<std::vector<Write>> DescribedJob::start(const std::vector<PodSetInfo>& injected) const {
    const auto described = described_pod_sets();
    if (!described) {
        return described.error();
    }
    if (injected.size() != described->size()) {
        return make_invalid(fmt::format(
            "invalid podset infos: expecting {} podset, got {}", described->size(), injected.size()
        ));
    }
    json::Value changed = completed();
    if (const auto done = inject(changed, *described, injected); !done) {
        return done.error();
    }
    set_member(changed, description_->suspension.path, description_->suspension.running);
    return one_write(changed);
}

std::vector<api::StringMap> DescribedJob::node_selectors() const {
    std::vector<api::StringMap> selectors;
    const auto present =
        derive() ? Result<std::vector<api::PodSet>>(std::vector<api::PodSet>()) : pod_sets();
    if (present) {
        for (const api::PodSet& pod_set : *present) {
            selectors.push_back(pod_set.template_->spec.node_selector);
        }
    }
    return selectors;
}

Result<void> DescribedJob::inject(
    json::Value& object,
    const std::vector<DescribedPodSet>& pod_sets,
    const std::vector<PodSetInfo>& injected
) const {
    for (std::size_t i = 0; i < injected.size(); ++i) {
        const job_kinds::Location& location = pod_sets[i].pod_template;
        const auto live = read_template(object, location);
        if (!live) {
            return live.error();
        }
        const auto patch = injection_patch(*live, injected[i]);
        if (!patch) {
            return patch.error();
        }
        json::apply_merge_patch(*job_kinds::find(object, location), *patch);
    }
    return {};
}

void DescribedJob::restore(
    json::Value& object, const std::vector<DescribedPodSet>& pod_sets, const api::Workload& workload
) const {
    for (std::size_t i = 0; i < pod_sets.size(); ++i) {
        const job_kinds::Location& location = pod_sets[i].pod_template;
        const auto live = read_template(object, location);  // it may exist only in completed()
        const auto& original = workload.spec.pod_sets[i].template_;
        if (live) {
            json::Value& pod_template = *job_kinds::find(object, location);
            json::apply_merge_patch(pod_template, restoration_patch(*live, *original, {}));
            drop_empty_metadata(pod_template);
        }
    }
}

StopStep DescribedJob::next_stop_step(const api::Workload* workload) const {
    if (is_suspended() || is_final(description_->suspension, object_->value)) {
        return {};
    }
    json::Value changed = object_->value;
    const auto described = described_pod_sets();
    if (workload != nullptr && described && described->size() == workload->spec.pod_sets.size()) {
        restore(changed, *described, *workload);
    }
    suspend(description_->suspension, changed);
    return {.kind = StopStep::Kind::Suspend, .writes = one_write(changed)};
}

}  // namespace sluice::controller
