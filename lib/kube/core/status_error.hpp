// Turns failure responses of the API server into errors.
#pragma once

#include "base/error.hpp"

#include <string>
#include <string_view>

namespace sluice::kube {

/// Makes an Error from a failure response. Error::status is the server's whole metav1.Status, and
/// the detail is its message. `retry_after` is the Retry-After header, or "". Accepts any body: for
/// a proxy's HTML page, the Error depends only on the HTTP status.
Error make_status_error(int http_status, std::string_view body, std::string_view retry_after);

/// Makes an Error from a watch event of type ERROR, whose object is a metav1.Status.
Error make_status_error(std::string_view status_json);

/// Returns true if the server refused the request before acting on it, so that even a write can be
/// repeated safely.
bool is_refused_before_processing(const Error& error);
}  // namespace sluice::kube
