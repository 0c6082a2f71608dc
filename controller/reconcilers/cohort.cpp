#include "controller/reconcilers/cohort.hpp"

#include "api/kueue/kueue_names.hpp"
#include "api/meta/codec.hpp"
#include "controller/reconcile/finalizer.hpp"
#include "workload/pods/text.hpp"
#include "workload/translation/quotas.hpp"

namespace sluice::controller {

namespace {

/// Returns a warning event. A Cohort has no condition that could report the problem.
EventNote cohort_warning(
    const api::Cohort& cohort, std::string_view reason, const std::string& note
) {
    return {
        .regarding =
            {.api_version = api::kKueueApiVersion,
             .kind = "Cohort",
             .namespace_ = "",
             .name = cohort.metadata.name,
             .uid = cohort.metadata.uid,
             .resource_version = cohort.metadata.resource_version},
        .type = EventType::Warning,
        .reason = std::string(reason),
        .note = workload::truncated_event_note(note),
        .reporting_controller = "kueue-cohort-controller",
    };
}

}  // namespace

Outcome reconcile_cohort(
    const View& view, std::string_view name, std::optional<std::int64_t> weighted_share
) {
    Outcome outcome;
    const auto cohort = view.stores.of<api::Cohort>().find(name);
    if (!cohort) {
        return outcome;
    }
    if (const auto problem = workload::find_problem(*cohort)) {
        outcome.events.push_back(cohort_warning(
            *cohort,
            api::reason::kInvalidSpec,
            "The cohort counts without quota: " + problem->text()
        ));
    }
    const auto cycle = workload::find_cohort_cycle(view.translator.references(), name);
    if (!cycle.empty()) {
        outcome.events.push_back(cohort_warning(
            *cohort,
            api::reason::kHasCycle,
            "Nothing is admitted in this cohort: its parents form the cycle " + cycle
        ));
    }
    api::Cohort wanted = *cohort;
    wanted.status.fair_sharing.reset();
    if (weighted_share) {
        wanted.status.fair_sharing = api::FairSharingStatus{.weighted_share = *weighted_share};
    }
    if (auto write = patch_status(
            {kind_of<api::Cohort>(), "", std::string(name)},
            cohort->metadata,
            api::to_value(*cohort),
            api::to_value(wanted)
        )) {
        outcome.writes.push_back(std::move(*write));
    }
    return outcome;
}

}  // namespace sluice::controller
