#include "controller/reconcilers/cohort.hpp"

#include "api/codec.hpp"
#include "controller/reconcilers/finalizer.hpp"

namespace sluice::controller {

Outcome reconcile_cohort(
    const Stores& stores, std::string_view name, std::optional<std::int64_t> weighted_share
) {
    Outcome outcome;
    const auto cohort = stores.cohorts.find(name);
    if (!cohort) {
        return outcome;
    }
    api::Cohort wanted = *cohort;
    wanted.status.fair_sharing.reset();
    if (weighted_share) {
        wanted.status.fair_sharing = api::FairSharingStatus{.weighted_share = *weighted_share};
    }
    if (auto write = patch_status(
            {Kind::Cohort, "", std::string(name)},
            cohort->metadata,
            api::to_value(*cohort),
            api::to_value(wanted)
        )) {
        outcome.writes.push_back(std::move(*write));
    }
    return outcome;
}

}  // namespace sluice::controller
