#include "controller/insight/api_answers.hpp"

#include "api/meta/codec.hpp"
#include "base/log.hpp"

#include <algorithm>
#include <utility>

namespace sluice::controller {

net::ServerResponse make_json(std::string body, int status) {
    return {.status = status, .content_type = "application/json", .body = std::move(body)};
}

net::ServerResponse make_status(
    int code, const char* reason, std::string message, std::optional<api::StatusDetails> details
) {
    api::Status status;
    status.status = "Failure";
    status.message = std::move(message);
    status.reason = reason;
    status.details = std::move(details);
    status.code = code;
    return make_json(api::encode(status), code);
}

net::ServerResponse make_busy(const std::string& why) {
    auto busy = make_status(503, "ServiceUnavailable", why);
    busy.headers.push_back({"Retry-After", "1"});
    return busy;
}

net::ServerResponse make_unjudged(const Error& error) {
    log::warning("cannot authorize a visibility request", {{"error", error.detail}});
    return make_status(
        500, "InternalError", "the API server did not say whether the request is allowed"
    );
}

bool may_do_all(const serving::User& user) {
    return std::ranges::find(user.groups, "system:masters") != user.groups.end();
}

}  // namespace sluice::controller
