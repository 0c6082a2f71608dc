// A call of a webhook, and the address that its clientConfig names.
#pragma once

#include "apiserver/state/store.hpp"
#include "json/value.hpp"

#include <cstdint>
#include <string>

namespace sluice::apiserver {

/// The address of a webhook, from its clientConfig.
struct WebhookTarget {
    std::string url;          ///< the URL to call, as errors name it
    std::string server;       ///< "host:port" to connect to; "" for that of the URL
    std::string server_name;  ///< name in the server's certificate; "" for the host of the URL
    std::string ca_bundle;    ///< CA certificates in PEM, in base64
    std::string fault;        ///< why the webhook cannot be called; "" if it can
};

/// A call of a webhook that an operation waits for.
struct WebhookCall {
    WebhookTarget target;
    json::Value review;  ///< AdmissionReview or ConversionReview with its request
    std::int64_t timeout_seconds = 10;
};

/// Finds the address of a webhook from its clientConfig. A Service leads to its externalName, or to
/// the first address of its EndpointSlices or Endpoints: without a pod network, a cluster IP is not
/// reachable.
WebhookTarget find_webhook(const Store& store, const json::Value& client_config);

}  // namespace sluice::apiserver
