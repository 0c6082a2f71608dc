// Parameters of lists, watches and deletions of collections.
#pragma once

#include "apiserver/operations/watch.hpp"
#include "apiserver/types/request.hpp"
#include "base/error.hpp"

#include <cstdint>
#include <optional>
#include <string>

namespace sluice::apiserver {

/// metav1.ListOptions of a list, a watch or the deletion of a collection.
struct ListOptions {
    ObjectFilter filter;
    std::optional<std::int64_t> version{};  ///< resourceVersion
    std::string version_match{};
    std::int64_t limit = 0;  ///< maximum number of objects in a page; 0 for all
    std::string token{};     ///< continue
    std::int64_t timeout_seconds = 0;
    bool sends_initial_events = false;
    bool allows_bookmarks = false;
};

/// Reads the parameters of a request. Errors: BadRequest and Invalid, in the words of the API
/// server, for invalid values and combinations.
Result<ListOptions> read_list_options(const Request& request, const Route& route, bool is_watch);

/// Reads the parameter resourceVersion; nullopt if it is not set. Errors: a Status without a
/// reason, as the API server returns it for single objects and watches.
Result<std::optional<std::int64_t>> read_version(const Request& request);

}  // namespace sluice::apiserver
