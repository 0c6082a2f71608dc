// Parses the paths of requests to insight.sluice.dev.
#pragma once

#include "base/error.hpp"

#include <cstddef>
#include <cstdint>
#include <optional>
#include <string>
#include <string_view>

namespace sluice::controller {

/// The answers that the API gives.
enum class InsightAnswer : std::uint8_t {
    None,          ///< the path of the group or of a version
    Explanation,   ///< of one Workload
    Explanations,  ///< of the Workloads of a namespace, or of all
    WhatIf,        ///< outcome of changes, in a namespace or in the cluster
};

/// A request path below /apis/insight.sluice.dev.
struct InsightPath {
    bool has_version = false;  ///< false: the path of the group itself
    InsightAnswer answer = InsightAnswer::None;
    std::string ns;    ///< of the Workload or Workloads; empty for all
    std::string name;  ///< of the Workload
};

/// The part of a list that a request asks for.
struct InsightPage {
    std::size_t limit = 0;
    std::string after;  ///< "namespace/name" of the last Workload before it; empty for the first
};

/// Parses a path without its query. Returns nullopt if the API has no such path.
std::optional<InsightPath> parse_insight_path(std::string_view path);

/// Parses the query parameters `limit` and `continue` ("" if not given): at most 500 items, 200 if
/// the limit is missing or 0. Errors: Invalid.
Result<InsightPage> parse_insight_page(const std::string& limit, const std::string& from);

}  // namespace sluice::controller
