#include "controller/insight/insight_source.hpp"

#include "controller/insight/stored_objects.hpp"
#include "controller/insight/submitted_job.hpp"

#include <string_view>

namespace sluice::controller {

/// Calls `ask` with the state and the objects.
template <class Ask>
auto InsightSource::with_surroundings(const Ask& ask) const {
    const StoredObjects objects(parts_.stores);
    return ask(insight::Surroundings{
        .state = parts_.state,
        .translator = parts_.translator,
        .objects = objects,
        .find_place = parts_.find_place,
        .now = parts_.clock.now(),
    });
}

std::optional<insight::Situation> InsightSource::take_situation(const InsightPath& path) const {
    return with_surroundings([&](const insight::Surroundings& from) {
        return insight::take_situation(from, path.ns, path.name);
    });
}

std::vector<insight::Situation> InsightSource::take_situations(
    const InsightPath& path, const InsightPage& page
) const {
    return with_surroundings([&](const insight::Surroundings& from) {
        return insight::take_situations(from, path.ns, page.after, page.limit);
    });
}

Result<insight::PlannedChange> InsightSource::plan_change(
    const InsightPath& path, const std::vector<api::WhatIfEdit>& edits
) const {
    return with_surroundings([&](const insight::Surroundings& from) {
        return insight::plan_change(from, edits, path.ns, [this](std::string_view job) {
            return workload_of_submitted(parts_.job_kinds, parts_.stores, parts_.settings, job);
        });
    });
}

}  // namespace sluice::controller
