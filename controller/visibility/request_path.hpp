#pragma once

#include "base/error.hpp"
#include "workload/status/pending_order.hpp"

#include <cstdint>
#include <optional>
#include <string>
#include <string_view>

namespace sluice::controller {

enum class QueueKind : std::uint8_t { ClusterQueue, LocalQueue };

/// A request below /apis/visibility.kueue.x-k8s.io, as Kubernetes' REST paths are made.
struct VisibilityPath {
    std::string version;             ///< "": of the group itself
    std::optional<QueueKind> queue;  ///< whose pending workloads; none: of the version itself
    std::string ns;                  ///< of a LocalQueue
    std::string name;
};

/// Reads a path without its query. None: the API has nothing there.
std::optional<VisibilityPath> parse_visibility_path(std::string_view path);

/// Reads query parameters `offset` and `limit` ("": not given). Without a limit, or with 0, it is
/// 1,000; 100,000 are the most. What is negative counts as none. Errors: Invalid for no integer.
Result<workload::PendingPage> parse_page(const std::string& offset, const std::string& limit);

}  // namespace sluice::controller
