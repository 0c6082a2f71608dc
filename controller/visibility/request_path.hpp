// Parses the paths and query parameters of visibility requests.
#pragma once

#include "base/error.hpp"
#include "workload/status/pending_order.hpp"

#include <cstdint>
#include <optional>
#include <string>
#include <string_view>

namespace sluice::controller {

enum class QueueKind : std::uint8_t { ClusterQueue, LocalQueue };

/// A request path below /apis/visibility.kueue.x-k8s.io.
struct VisibilityPath {
    std::string version;             ///< "" for the path of the group itself
    std::optional<QueueKind> queue;  ///< kind of the queue; nullopt for the path of a version
    std::string ns;                  ///< namespace of a LocalQueue
    std::string name;
};

/// Parses a path without its query. Returns nullopt if the API has no such path.
std::optional<VisibilityPath> parse_visibility_path(std::string_view path);

/// Parses the query parameters `offset` and `limit` ("" if not given). The limit is 1,000 if it is
/// missing or 0, and 100,000 at most. A negative offset counts as 0; a negative limit selects no
/// rows. Errors: Invalid if a parameter is not an integer.
Result<workload::PendingPage> parse_page(const std::string& offset, const std::string& limit);

}  // namespace sluice::controller
