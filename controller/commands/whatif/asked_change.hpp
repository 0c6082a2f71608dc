// Has a change tried: by the controller, or on the objects of a cluster.
#pragma once

#include "api/insight/what_if.hpp"
#include "base/error.hpp"
#include "controller/commands/offline/connection_options.hpp"
#include "controller/commands/whatif/edits.hpp"
#include "json/value.hpp"

#include <string>
#include <utility>
#include <vector>

namespace sluice::commands {

/// A change as the user named it. Objects are still to be checked by the API server.
struct AskedChange {
    std::vector<api::WhatIfEdit> edits;
    std::vector<json::Value> jobs;  ///< to submit, each `copies` times
    std::int32_t copies = 1;
    std::vector<json::Value> objects;  ///< to apply, in kueue.x-k8s.io/v1beta2
    std::vector<NamedWorkload> cancelled;
    std::vector<std::pair<NamedWorkload, std::string>> priorities;  ///< with the class
};

struct TriedChange {
    api::WhatIfStatus status;
    std::vector<std::string> remarks;  ///< on how it was tried
};

/// Tries the change. The API server first makes a dry run of jobs and objects as the user, so that
/// webhooks, quotas and rights apply. `ns`: namespace of jobs that name none. Errors: those of the
/// API server and of insight::plan_change().
Result<TriedChange> try_change(
    const SourceOptions& source, const std::string& ns, const AskedChange& change
);

}  // namespace sluice::commands
