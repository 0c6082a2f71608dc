#include "controller/jobs/admission/job_admission.hpp"

#include "controller/jobs/admission/child_room.hpp"
#include "controller/jobs/admission/job_defaults.hpp"
#include "controller/jobs/job/default_queue.hpp"
#include "controller/jobs/job/job_ancestors.hpp"

#include <fmt/format.h>

#include <string>
#include <utility>
#include <vector>

namespace sluice::controller {

namespace {

using webhook::Verdict;

/// Returns the object's metadata as the API server will store it.
api::ObjectMeta metadata_of(const GenericJob& job, const api::AdmissionRequest& request) {
    api::ObjectMeta metadata = job.metadata();
    if (metadata.namespace_.empty()) {
        metadata.namespace_ = request.namespace_;
    }
    return metadata;
}

bool is_write(const api::AdmissionRequest& request) {
    return request.operation == "CREATE" || request.operation == "UPDATE";
}

}  // namespace

Result<std::unique_ptr<GenericJob>> JobAdmission::read(
    const AdmissionContext& context, const api::RawJson& json
) const {
    return kind_.read(context.stores, context.settings, json.view());
}

/// Returns the facts about a job that the rules for all kinds need.
validation::JobFacts JobAdmission::facts_of(const GenericJob& job, const api::ObjectMeta& metadata)
    const {
    return {
        .metadata = metadata,
        .group_version_kind =
            fmt::format("{}, Kind={}", kind_.kind().api_version(), kind_.kind().name()),
        .is_suspended = job.is_suspended(),
        .may_be_prebuilt = may_be_prebuilt(),
        .may_be_elastic = job.may_have_slices(),
    };
}

Verdict JobAdmission::judge_new(
    const AdmissionContext& context, const api::AdmissionRequest& request, const GenericJob& job
) const {
    FirstRules first = validate_first(job, context);
    if (!first.are_all) {
        const api::ObjectMeta metadata = metadata_of(job, request);
        api::append(first.errors, validation::validate(facts_of(job, metadata), context.gates));
        if (std::string sole = find_sole_refusal(job, context.gates); !sole.empty()) {
            return {.refusal = std::move(sole), .changed = {}};
        }
        api::append(first.errors, validate(job, context.gates));
    }
    sort(first.errors);
    return webhook::make_verdict(first.errors);
}

Verdict JobAdmission::judge_update(
    const AdmissionContext& context,
    const api::AdmissionRequest& request,
    const GenericJob& before,
    const GenericJob& after
) const {
    const api::ObjectMeta metadata = metadata_of(after, request);
    const api::ObjectMeta old_metadata = metadata_of(before, request);
    const validation::JobFacts facts = facts_of(after, metadata);
    const auto queue = find_default_queue(context.stores, metadata.namespace_)
                           ? validation::DefaultQueue::Present
                           : validation::DefaultQueue::Absent;
    FirstRules first = validate_first(after, context);
    api::FieldErrors as_new = std::move(first.errors);
    if (!first.are_all) {
        api::append(as_new, validation::validate(facts, context.gates));
        api::append(as_new, validate_changed(before, after, context.gates));
    }
    api::FieldErrors changes =
        validation::validate_update(facts_of(before, old_metadata), facts, queue, context.gates);
    api::FieldErrors errors;
    if (update_rules() == UpdateRules::NewFirst) {
        errors = std::move(as_new);
        api::append(errors, std::move(changes));
    } else {
        errors = std::move(changes);
        if (update_rules() == UpdateRules::ChangesFirst) {
            api::append(errors, std::move(as_new));
        }
    }
    if (!first.are_all) {
        if (std::string sole = find_sole_refusal(after, context.gates); !sole.empty()) {
            return {.refusal = std::move(sole), .changed = {}};
        }
        api::append(errors, validate_update(before, after, context.gates));
    }
    sort(errors);
    return webhook::make_verdict(errors);
}

Result<Verdict> JobAdmission::apply_defaults(
    const AdmissionContext& context, const api::AdmissionRequest& request
) const {
    if (!is_write(request)) {
        return Verdict();
    }
    auto object = json::parse(request.object.view());
    const auto job = read(context, request.object);
    if (!object || !job) {
        return object ? job.error() : object.error();
    }
    api::ObjectMeta metadata = metadata_of(**job, request);
    if (const auto done = default_queue(context, *object, metadata); !done) {
        return done.error();
    }
    default_priority_class(context, *object, metadata);
    const auto wait = find_wait(context, metadata);
    if (!wait) {
        return wait.error();
    }
    if (*wait == Waits::ForItsOwn && !(*job)->is_suspended()) {
        suspend(*object);
    }
    std::vector<std::string> warnings;
    if (*wait == Waits::ForOneAbove && !(*job)->is_suspended()) {
        const GenericJob& child = **job;
        if (auto excess = find_excess(
                context.kinds, context.stores, context.settings, kind_.kind(), metadata, child
            )) {
            suspend(*object);
            warnings.push_back(std::move(*excess));
        }
    }
    // Do not gate pods without a Workload: nothing would ungate them.
    const bool has_workload = *wait == Waits::ForItsOwn ||
                              (*wait == Waits::ForOneAbove && kind_.is_gated_below_managed());
    if (has_workload && (*job)->may_have_slices() &&
        validation::asks_to_be_elastic(metadata, context.gates)) {
        gate_pods(*object);
    }
    add_defaults(*object, context.gates);
    return Verdict{.refusal = {}, .changed = std::move(*object), .warnings = std::move(warnings)};
}

Result<Verdict> JobAdmission::judge(
    const AdmissionContext& context, const api::AdmissionRequest& request
) const {
    if (!is_write(request)) {
        return Verdict();
    }
    const auto job = read(context, request.object);
    if (!job) {
        return job.error();
    }
    if (request.operation == "CREATE") {
        return judge_new(context, request, **job);
    }
    const auto before = read(context, request.old_object);
    if (!before) {
        return with_context(before.error(), "oldObject");
    }
    if (!is_judged_on_update(**before, **job, context)) {
        return Verdict();
    }
    return judge_update(context, request, **before, **job);
}

}  // namespace sluice::controller
