#pragma once

#include "apiserver/api_server.hpp"

#include <memory>
#include <string_view>

namespace sluice::test {

/// A server of its own with a ConfigMap `base`, a Job `job`, a Pod `pod` and a Widget `widget` in
/// the namespace `default`.
std::unique_ptr<apiserver::ApiServer> make_filled_server();

/// What it answers. Aborts where the answer is none that a server may give.
apiserver::Response send(
    apiserver::ApiServer& server,
    std::string_view method,
    std::string_view target,
    std::string_view media_type,
    std::string_view body
);

/// Aborts if an object that is stored cannot be read, or not be written back as it is.
void check_stored(apiserver::ApiServer& server);

}  // namespace sluice::test
