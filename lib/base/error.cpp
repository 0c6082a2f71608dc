#include "base/error.hpp"

#include "base/assert.hpp"

#include <cstdio>
#include <cstdlib>
#include <utility>

namespace sluice {

bool is_retryable(ErrorCode code) {
    switch (code) {
        case ErrorCode::TooManyRequests:
        case ErrorCode::Timeout:
        case ErrorCode::Unavailable:
        case ErrorCode::Internal:
            return true;
        case ErrorCode::Invalid:
        case ErrorCode::NotFound:
        case ErrorCode::AlreadyExists:
        case ErrorCode::Conflict:
        case ErrorCode::Gone:
        case ErrorCode::Forbidden:
        case ErrorCode::Unauthorized:
        case ErrorCode::Canceled:
        case ErrorCode::NotLeader:
            return false;
    }
    return false;
}

void throw_exception_from_error(const Error& error, const boost::source_location& where) {
    std::fprintf(
        stderr,
        "%s:%u: value of a failed result taken: %s\n",
        where.file_name(),
        static_cast<unsigned>(where.line()),
        error.detail.c_str()
    );
    std::abort();
}

Error make_invalid(std::string detail) {
    return Error{.code = ErrorCode::Invalid, .detail = std::move(detail), .status = {}};
}

Error with_context(Error error, std::string_view prefix) {
    error.detail = std::string(prefix) + ": " + error.detail;
    return error;
}

}  // namespace sluice
