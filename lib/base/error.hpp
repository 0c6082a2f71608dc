#pragma once

#include <boost/system/result.hpp>

#include <cstdint>
#include <string>
#include <string_view>

namespace sluice {

/// Why an operation failed; the codes follow the reasons of the Kubernetes API
/// (metav1.StatusReason).
enum class ErrorCode : std::uint8_t {
    Invalid,  ///< the input is malformed or breaks a rule; sending it again cannot help
    NotFound,
    AlreadyExists,
    Conflict,  ///< the object changed since it was read (resourceVersion)
    Gone,      ///< the resourceVersion is too old to watch from (410)
    Forbidden,
    Unauthorized,
    TooManyRequests,
    Timeout,
    Canceled,
    Unavailable,  ///< connection refused, reset, 5xx
    Internal,
    NotLeader,  ///< nothing was sent: the leader's lease of this process has run out
};

/// The name of the code as the API spells the reason, for logs and events.
std::string_view to_string(ErrorCode code);

/// Whether the same request may succeed when it is repeated unchanged after a while.
bool is_retryable(ErrorCode code);

/// An expected failure. `detail` is one sentence for the reader of an event or of stderr: it names
/// the object and field where there is one. `status` is the server's metav1.Status as JSON, else
/// empty.
struct Error {
    ErrorCode code = ErrorCode::Internal;
    std::string detail;
    std::string status;
    int retry_after_seconds = 0;  ///< what the server asked for (Retry-After); 0: nothing
};

/// Called by boost::system::result when a missing value is taken: always a bug, so it aborts.
[[noreturn]] void throw_exception_from_error(
    const Error& error, const boost::source_location& where
);

/// A value or the reason why there is none. Check it and return early: `if (!r) return r.error();`
template <class T>
using Result = boost::system::result<T, Error>;

/// Makes an Error of code Invalid, the common case when reading input.
Error make_invalid(std::string detail);

/// The same error with `prefix` and ": " before its detail; used to add the object or field to a
/// message.
Error with_context(Error error, std::string_view prefix);

}  // namespace sluice
