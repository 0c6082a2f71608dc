#include "config/feature_gates.hpp"
#include "validation/cluster_queue_rules.hpp"
#include "validation/quota_rules.hpp"
#include "validation/resource_flavor_rules.hpp"
#include "workload/translation/quotas.hpp"

#include <utility>

namespace sluice::workload {
namespace {

std::optional<api::FieldError> first_of(api::FieldErrors errors) {
    return errors.empty() ? std::nullopt : std::optional(std::move(errors.front()));
}

}  // namespace

std::optional<api::FieldError> find_quota_problem(const api::ClusterQueue& queue) {
    return first_of(validation::validate_quotas(queue));
}

std::optional<api::FieldError> find_quota_problem(const api::Cohort& cohort) {
    return first_of(validation::validate_quotas(cohort));
}

std::optional<api::FieldError> find_problem(const api::ClusterQueue& queue) {
    return first_of(validation::validate(queue, config::FeatureGates()));
}

std::optional<api::FieldError> find_problem(const api::Cohort& cohort) {
    return first_of(validation::validate(cohort));
}

std::optional<api::FieldError> find_problem(const api::ResourceFlavor& flavor) {
    return first_of(validation::validate(flavor));
}

}  // namespace sluice::workload
