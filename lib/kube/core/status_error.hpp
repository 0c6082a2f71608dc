#pragma once

#include "base/error.hpp"

#include <string>
#include <string_view>

namespace sluice::kube {

/// Makes the Error of an answer that is no success. The server's metav1.Status is kept whole in
/// Error::status; its message becomes the detail. `retry_after` is the Retry-After header or "".
/// Works for any body: a proxy's HTML page gives an Error by the HTTP status alone.
Error make_status_error(int http_status, std::string_view body, std::string_view retry_after);

/// The Error of a watch event of type ERROR, whose object is a metav1.Status.
Error make_status_error(std::string_view status_json);

/// Whether the error says that the server turned the request away before acting on it, so that
/// repeating even a write is safe.
bool is_refused_before_processing(const Error& error);
}  // namespace sluice::kube
