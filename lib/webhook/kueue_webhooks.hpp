#pragma once

#include "config/feature_gates.hpp"
#include "webhook/admission_review.hpp"

#include <functional>
#include <string>
#include <vector>

namespace sluice::webhook {

/// A webhook that judges by the request alone.
struct Webhook {
    std::string path;
    /// Errors: Invalid for an object that cannot be read.
    std::function<Result<Verdict>(const api::AdmissionRequest&)> judge;
};

/// The webhooks of Kueue's own kinds: finalizers and defaults of ClusterQueues, ResourceFlavors and
/// Workloads, and the rules of these and of Cohorts that their CRDs do not hold.
std::vector<Webhook> make_kueue_webhooks(const config::FeatureGates& gates);

}  // namespace sluice::webhook
