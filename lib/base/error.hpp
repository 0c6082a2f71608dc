// `Error`, `ErrorCode` and `Result<T>`: expected failures as values.
#pragma once

#include <boost/system/result.hpp>

#include <cstdint>
#include <string>
#include <string_view>

namespace sluice {

/// The reason why an operation failed. The codes follow the reasons of the Kubernetes API
/// (metav1.StatusReason).
enum class ErrorCode : std::uint8_t {
    Invalid,  ///< the input is malformed or breaks a rule; a retry cannot succeed
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
    NotLeader,  ///< no request was sent: this process no longer holds the leader's lease
};

/// Returns true if the same request may succeed when it is repeated unchanged after a while.
bool is_retryable(ErrorCode code);

/// An expected failure. `detail` is one sentence for the reader of an event or of stderr; it names
/// the object and the field if there is one. `status` is the server's metav1.Status as JSON; empty
/// if the server sent none.
struct Error {
    ErrorCode code = ErrorCode::Internal;
    std::string detail;
    std::string status;
    int retry_after_seconds = 0;  ///< delay that the server asked for (Retry-After); 0 if none
};

/// Aborts. boost::system::result calls it when code takes the value of a failed result, which is a
/// bug.
[[noreturn]] void throw_exception_from_error(
    const Error& error, const boost::source_location& where
);

/// A value, or the error that explains why it is missing. Check it and return early:
/// `if (!r) return r.error();`
template <class T>
using Result = boost::system::result<T, Error>;

/// Makes an Error of code Invalid, the common case when reading input.
Error make_invalid(std::string detail);

/// Returns the error with `prefix` and ": " before its detail, to add the object or field to the
/// message.
Error with_context(Error error, std::string_view prefix);

}  // namespace sluice
