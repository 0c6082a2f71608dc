// Parses the changes that a user names on the command line.
#pragma once

#include "api/insight/what_if.hpp"
#include "base/error.hpp"

#include <string>
#include <string_view>
#include <vector>

namespace sluice::commands {

/// A workload by its kind, namespace and name, such as job/nlp/train or workload/nlp/job-train.
struct NamedWorkload {
    std::string kind;  ///< in lower case
    std::string ns;
    std::string name;
};

/// Parses "job/nlp/train" or, with a default namespace, "job/train". Errors: Invalid.
Result<NamedWorkload> parse_named_workload(std::string_view text, std::string_view default_ns);

/// Parses changes of quotas: a queue, then its quotas, then maybe another queue and so on:
/// {"clusterqueue/nlp", "a100:nvidia.com/gpu=+16", "cohort/org", "a100:cpu=8"}. Errors: Invalid,
/// with the argument.
Result<std::vector<api::WhatIfEdit>> parse_quota_edits(const std::vector<std::string>& arguments);

}  // namespace sluice::commands
