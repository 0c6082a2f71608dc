#pragma once

#include "apiserver/server_client.hpp"
#include "apiserver/state/webhook_call.hpp"
#include "json/value.hpp"

#include <functional>
#include <string>
#include <string_view>
#include <vector>

namespace sluice::test {

inline constexpr std::string_view kMerge = "application/merge-patch+json";
inline const std::string kOld = "/apis/example.com/v1/namespaces/default/gadgets";
inline const std::string kNew = "/apis/example.com/v2/namespaces/default/gadgets";

/// The definition of Gadgets.
extern const std::string_view kGadgetDefinition;

/// A server with the kind Gadget, which a webhook converts. It is stored in v1, where it has a size
/// that v2 calls width.
struct Gadgets : ServerClient {
    Gadgets();
    json::Value stored(const std::string& name) const;

    std::vector<apiserver::WebhookCall> calls;
    std::function<void(json::Value&)> spoil;  ///< what is done to the answers
};

/// The first object that a webhook has converted.
json::Value& first_object(json::Value& response);

}  // namespace sluice::test
