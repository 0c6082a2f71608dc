// Writes the address and authority of our webhooks into the objects that configure them.
#pragma once

#include "json/value.hpp"
#include "kube/client/client.hpp"
#include "kube/core/resource_path.hpp"
#include "serving/webhook_address.hpp"

#include <boost/asio/awaitable.hpp>

#include <functional>
#include <map>
#include <optional>
#include <set>
#include <string>
#include <vector>

namespace sluice::serving {

/// An object that gives the API server the address of a webhook and the authority to trust
/// (`caBundle`): a CustomResourceDefinition or a webhook configuration. Includes the functions that
/// read and patch it.
struct PublicationTarget {
    kube::ResourcePath path;
    std::string kind;  ///< for messages
    /// Returns the merge patch that writes this address into the object; nullopt if it already has
    /// it.
    std::function<std::optional<json::Value>(const json::Value&, const WebhookAddress&)> make_patch;
    /// Returns another replica's webhook that the object names; it stays there while it answers.
    std::function<std::optional<PublishedWebhook>(const json::Value&, const WebhookAddress&)>
        find_other;
    /// Skip the object if the account has no permission to read or write it.
    bool may_be_forbidden = false;
};

/// Writes the address and authority of this replica's webhooks into objects of the API server.
class WebhookPublisher {
  public:
    /// Lifetime: the client must outlive this object.
    WebhookPublisher(kube::Client& client, std::vector<PublicationTarget> targets)
        : client_(client), targets_(std::move(targets)) {}

    /// Updates all targets, and stops at the first error. Skips a target that does not exist, that
    /// names another replica that answers, or that may be forbidden and is. Does nothing if neither
    /// a URL nor an authority is known. Errors: those of the calls, naming the object.
    kube::Async<void> publish(WebhookAddress own);

  private:
    kube::Async<void> publish_to(const PublicationTarget* target, WebhookAddress own);
    /// Returns the error of a call about a target, unless it may be ignored.
    Result<void> judge_error(const PublicationTarget& target, const Error& error);
    /// Returns true if a webhook answers with a certificate of the authority that is published with
    /// it.
    boost::asio::awaitable<bool> answers(PublishedWebhook webhook);

    kube::Client& client_;
    std::vector<PublicationTarget> targets_;
    std::set<std::string> forbidden_;             ///< targets whose refusal was logged
    std::map<PublishedWebhook, bool> answering_;  ///< other replicas asked in this round
};

}  // namespace sluice::serving
