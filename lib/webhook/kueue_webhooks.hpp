// The admission webhooks of Kueue's own kinds.
#pragma once

#include "config/feature_gates.hpp"
#include "webhook/admission_review.hpp"

#include <functional>
#include <string>
#include <vector>

namespace sluice::webhook {

/// A webhook whose decision depends only on the request.
struct Webhook {
    /// The path of its URL.
    std::string path;
    /// Decides about a request. Errors: Invalid for an object that cannot be decoded.
    std::function<Result<Verdict>(const api::AdmissionRequest&)> judge;
};

/// Returns the webhooks of Kueue's own kinds. They set finalizers and defaults of ClusterQueues,
/// ResourceFlavors and Workloads, and check the rules of these kinds and of Cohorts that the CRDs
/// do not have.
std::vector<Webhook> make_kueue_webhooks(const config::FeatureGates& gates);

}  // namespace sluice::webhook
