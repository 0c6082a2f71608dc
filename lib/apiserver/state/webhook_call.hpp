#pragma once

#include "apiserver/state/store.hpp"
#include "json/value.hpp"

#include <cstdint>
#include <string>

namespace sluice::apiserver {

/// Where a webhook is, by its clientConfig.
struct WebhookTarget {
    std::string url;          ///< as it is called and as errors name it
    std::string server;       ///< "host:port" that is dialled; "": that of the url
    std::string server_name;  ///< of the certificate; "": the host of the url
    std::string ca_bundle;    ///< in base64
    std::string fault;        ///< why nobody can be dialled; "": somebody can
};

/// A call of a webhook that an operation waits for.
struct WebhookCall {
    WebhookTarget target;
    json::Value review;  ///< AdmissionReview or ConversionReview, the request in it
    std::int64_t timeout_seconds = 10;
};

/// Finds where the clientConfig of a webhook leads. A Service leads to its externalName, or to the
/// first address of its EndpointSlices or Endpoints: a server without a network of pods knows no
/// way to its cluster address.
WebhookTarget find_webhook(const Store& store, const json::Value& client_config);

}  // namespace sluice::apiserver
