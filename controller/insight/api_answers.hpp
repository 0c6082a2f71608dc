// Answers of an aggregated API server, in the words of Kubernetes' own servers.
#pragma once

#include "api/meta/status.hpp"
#include "base/error.hpp"
#include "net/http/http_server.hpp"
#include "serving/access_reviews.hpp"

#include <optional>
#include <string>

namespace sluice::controller {

net::ServerResponse make_json(std::string body, int status = 200);

/// Makes a failure as a metav1.Status.
net::ServerResponse make_status(
    int code,
    const char* reason,
    std::string message,
    std::optional<api::StatusDetails> details = {}
);

/// Asks the client to come again in a second (503).
net::ServerResponse make_busy(const std::string& why);

/// Says that the API server did not say whether the user may do this (500), and logs the error.
net::ServerResponse make_unjudged(const Error& error);

/// Returns true for members of system:masters, who may do everything without a review.
bool may_do_all(const serving::User& user);

}  // namespace sluice::controller
