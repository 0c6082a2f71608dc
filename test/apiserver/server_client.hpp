#pragma once

#include "apiserver/api_server.hpp"
#include "apiserver/operations/watch.hpp"
#include "apiserver/state/webhook_call.hpp"
#include "base/clock.hpp"
#include "base/error.hpp"
#include "json/value.hpp"

#include <functional>
#include <memory>
#include <string>
#include <string_view>
#include <vector>

namespace sluice::test {

/// A server of its own, and requests to it as texts: bodies are YAML, and may leave out kind,
/// apiVersion and the name that the path has.
class ServerClient {
  public:
    explicit ServerClient(apiserver::ApiServer::Options options = {});

    apiserver::Response send(
        std::string_view method,
        std::string_view target,
        std::string_view body = {},
        std::string_view type = "application/json"
    );
    /// The same with the answer's body read; null where it is no JSON.
    json::Value ask(
        std::string_view method,
        std::string_view target,
        std::string_view body = {},
        std::string_view type = "application/json"
    );
    /// "CODE reason: message" of a refusal, "CODE" of a success.
    std::string outcome(
        std::string_view method,
        std::string_view target,
        std::string_view body = {},
        std::string_view type = "application/json"
    );
    std::string apply(
        std::string_view target,
        std::string_view manager,
        std::string_view body,
        bool is_forced = false
    );
    /// The value at a path of the object, printed; "" where there is none.
    std::string at(std::string_view target, std::initializer_list<std::string_view> path);
    /// What a new watch has to tell at once: "ADDED a".
    std::vector<std::string> events(apiserver::Watch& watch);
    std::shared_ptr<apiserver::Watch> watch(std::string_view target);

    apiserver::ApiServer server;
    Time now;
    /// Answers the calls of webhooks. None: those of admission allow all, and those of conversions
    /// fail.
    std::function<Result<json::Value>(const apiserver::WebhookCall&)> webhook;
};

/// What a webhook of admission answers to the call: the response, with the uid that it was asked
/// by.
json::Value admission_answer(const apiserver::WebhookCall& call, json::Value response);

inline constexpr std::string_view kConfigMaps = "/api/v1/namespaces/default/configmaps";
inline constexpr std::string_view kPods = "/api/v1/namespaces/default/pods";
inline constexpr std::string_view kJobs = "/apis/batch/v1/namespaces/default/jobs";
inline constexpr std::string_view kDefinitions =
    "/apis/apiextensions.k8s.io/v1/customresourcedefinitions";
inline constexpr std::string_view kWidgets = "/apis/example.com/v1/namespaces/default/widgets";

/// A definition of the kind Widget.
extern const std::string_view kWidgetDefinition;

}  // namespace sluice::test
