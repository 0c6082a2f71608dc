#include "controller/jobs/admission/job_admission.hpp"

#include "api/kueue/kueue_names.hpp"
#include "controller/jobs/admission/child_room.hpp"
#include "controller/jobs/admission/job_defaults.hpp"
#include "controller/jobs/job/default_queue.hpp"
#include "controller/jobs/job/job_ancestors.hpp"
#include "validation/job_rules.hpp"

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

/// Returns the facts about a job that the rules for all kinds need.
validation::JobFacts facts_of(
    const JobKind& kind, const GenericJob& job, const api::ObjectMeta& metadata
) {
    return {
        .metadata = metadata,
        .group_version_kind =
            fmt::format("{}, Kind={}", kind.kind().api_version(), kind.kind().name()),
        .is_suspended = job.is_suspended(),
        .may_be_prebuilt = kind.admission()->may_be_prebuilt(),
        .may_be_elastic = job.may_have_slices(),
    };
}

Verdict judge_update(
    const AdmissionContext& context,
    const JobKind& kind,
    const api::AdmissionRequest& request,
    const GenericJob& before,
    const GenericJob& after
) {
    const JobAdmission& admission = *kind.admission();
    const api::ObjectMeta metadata = metadata_of(after, request);
    const api::ObjectMeta old_metadata = metadata_of(before, request);
    const validation::JobFacts facts = facts_of(kind, after, metadata);
    const auto queue = find_default_queue(context.stores, metadata.namespace_)
                           ? validation::DefaultQueue::Present
                           : validation::DefaultQueue::Absent;
    FirstRules first = admission.validate_first(after, context);
    api::FieldErrors as_new = std::move(first.errors);
    if (!first.are_all) {
        api::append(as_new, validation::validate(facts, context.gates));
        api::append(as_new, admission.validate_changed(before, after, context.gates));
    }
    api::FieldErrors changes = validation::validate_update(
        facts_of(kind, before, old_metadata), facts, queue, context.gates
    );
    api::FieldErrors errors;
    if (admission.update_rules() == UpdateRules::NewFirst) {
        errors = std::move(as_new);
        api::append(errors, std::move(changes));
    } else {
        errors = std::move(changes);
        if (admission.update_rules() == UpdateRules::ChangesFirst) {
            api::append(errors, std::move(as_new));
        }
    }
    if (!first.are_all) {
        if (std::string sole = admission.find_sole_refusal(after, context.gates); !sole.empty()) {
            return {.refusal = std::move(sole), .changed = {}};
        }
        api::append(errors, admission.validate_update(before, after, context.gates));
    }
    admission.sort(errors);
    return webhook::make_verdict(errors);
}

}  // namespace

Result<Verdict> default_job(
    const AdmissionContext& context, const JobKind& kind, const api::AdmissionRequest& request
) {
    if (request.operation != "CREATE" && request.operation != "UPDATE") {
        return Verdict();
    }
    const JobAdmission& admission = *kind.admission();
    if (auto own = admission.apply_own_defaults(context, request)) {
        return *own;
    }
    auto object = json::parse(request.object.view());
    const auto job = admission.read(request.object.view(), context);
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
        admission.suspend(*object);
    }
    std::vector<std::string> warnings;
    if (*wait == Waits::ForOneAbove && !(*job)->is_suspended()) {
        const GenericJob& child = **job;
        if (auto excess = find_excess(
                context.kinds, context.stores, context.settings, kind.kind(), metadata, child
            )) {
            admission.suspend(*object);
            warnings.push_back(std::move(*excess));
        }
    }
    // Do not gate pods without a Workload: nothing would ungate them.
    const bool has_workload = *wait == Waits::ForItsOwn ||
                              (*wait == Waits::ForOneAbove && admission.is_gated_below_managed());
    if (has_workload && (*job)->may_have_slices() &&
        validation::asks_to_be_elastic(metadata, context.gates)) {
        admission.gate_pods(*object);
    }
    admission.add_defaults(*object, context.gates);
    return Verdict{.refusal = {}, .changed = std::move(*object), .warnings = std::move(warnings)};
}

Result<Verdict> judge_job(
    const AdmissionContext& context, const JobKind& kind, const api::AdmissionRequest& request
) {
    if (request.operation != "CREATE" && request.operation != "UPDATE") {
        return Verdict();
    }
    const JobAdmission& admission = *kind.admission();
    if (auto own = admission.judge_by_own_rules(context, kind, request)) {
        return *own;
    }
    const auto job = admission.read(request.object.view(), context);
    if (!job) {
        return job.error();
    }
    if (request.operation == "CREATE") {
        FirstRules first = admission.validate_first(**job, context);
        if (!first.are_all) {
            const api::ObjectMeta metadata = metadata_of(**job, request);
            api::append(
                first.errors, validation::validate(facts_of(kind, **job, metadata), context.gates)
            );
            if (std::string sole = admission.find_sole_refusal(**job, context.gates);
                !sole.empty()) {
                return Verdict{.refusal = std::move(sole), .changed = {}};
            }
            api::append(first.errors, admission.validate(**job, context.gates));
        }
        admission.sort(first.errors);
        return webhook::make_verdict(first.errors);
    }
    const auto before = admission.read(request.old_object.view(), context);
    if (!before) {
        return with_context(before.error(), "oldObject");
    }
    if (!admission.is_judged_on_update(**before, **job, context)) {
        return Verdict();
    }
    return judge_update(context, kind, request, **before, **job);
}

}  // namespace sluice::controller
