#include "whole_system/faults.hpp"

#include "kube/core/status_error.hpp"
#include "support/failure_status.hpp"

#include <chrono>
#include <string>

namespace sluice::whole_system {

namespace {

using apiserver::InProcessClient;

/// Of 100 requests, and of 1000 lines of watches.
constexpr unsigned kBadRequests = 6;
constexpr std::uint64_t kBadLines = 20;

Error refusal(int status, const char* reason) {
    return kube::make_status_error(status, test::print_status(status, reason, "a fault"), "");
}

}  // namespace

Duration Faults::some_delay() {
    return std::chrono::milliseconds(prng_.between(1, 3000));
}

Error Faults::some_refusal(bool is_list) {
    switch (prng_.below(is_list ? 5 : 4)) {
        case 0:
            return refusal(429, "TooManyRequests");
        case 1:
            return refusal(500, "InternalError");
        case 2:
            return refusal(503, "ServiceUnavailable");
        case 3:
            return is_list ? refusal(504, "Timeout") : refusal(409, "Conflict");
        default:
            return refusal(410, "Expired");
    }
}

std::optional<InProcessClient::Fault> Faults::of_request(const kube::Request& request) {
    if (now_() < down_until_) {
        return InProcessClient::Fault{
            .error = Error{ErrorCode::Unavailable, "the server is down", {}},
            .delay = std::chrono::milliseconds(1)
        };
    }
    if (!is_stormy_ || !prng_.chance(kBadRequests)) {
        return InProcessClient::Fault{.delay = std::chrono::microseconds(prng_.between(500, 3000))};
    }
    ++count_;
    const Error lost{ErrorCode::Timeout, "the answer is lost", {}};
    switch (prng_.below(4)) {
        case 0:
            return InProcessClient::Fault{.delay = some_delay()};
        case 1:
            return InProcessClient::Fault{.error = lost, .delay = some_delay()};
        case 2:
            return InProcessClient::Fault{
                .error = lost, .is_after_effect = true, .delay = some_delay()
            };
        default:
            return InProcessClient::Fault{
                .error = some_refusal(request.is_read && request.method == "GET"),
                .delay = std::chrono::milliseconds(1)
            };
    }
}

std::optional<InProcessClient::LineFault> Faults::of_line() {
    if (!is_stormy_ || prng_.below(1000) >= kBadLines) {
        return std::nullopt;
    }
    ++count_;
    switch (prng_.below(3)) {
        case 0:
            return InProcessClient::LineFault{.breaks = true};
        case 1:
            return InProcessClient::LineFault{.repeats = true};
        default:
            return InProcessClient::LineFault{.delay = some_delay()};
    }
}

}  // namespace sluice::whole_system
