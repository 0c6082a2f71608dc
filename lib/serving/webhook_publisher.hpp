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

/// An object that tells the API server where a webhook is and which authority to trust
/// (`caBundle`), and how to read and change it: a CustomResourceDefinition, a webhook
/// configuration.
struct PublicationTarget {
    kube::ResourcePath path;
    std::string kind;  ///< for messages
    /// The merge patch that makes the object say this address; nothing when it does already.
    std::function<std::optional<json::Value>(const json::Value&, const WebhookAddress&)> make_patch;
    /// The webhook of another replica that it names; it is left there while it answers.
    std::function<std::optional<PublishedWebhook>(const json::Value&, const WebhookAddress&)>
        find_other;
    /// Passed over if the account has no right to read or write it.
    bool may_be_forbidden = false;
};

/// Writes the address and authority of the own webhooks into objects of the API server.
class WebhookPublisher {
  public:
    /// Lifetime: the client must outlive it.
    WebhookPublisher(kube::Client& client, std::vector<PublicationTarget> targets)
        : client_(client), targets_(std::move(targets)) {}

    /// Brings all targets up to date, up to the first that cannot be. A target that does not exist
    /// is passed over, and so is one that names another replica which answers, and one that may be
    /// forbidden and is. Where neither a URL
    /// nor an authority is known, nothing is to be told.
    /// Errors: those of the calls, naming the object.
    kube::Async<void> publish(WebhookAddress own);

  private:
    kube::Async<void> publish_to(const PublicationTarget* target, WebhookAddress own);
    /// Returns the answer to a call about a target, without an error that may be passed over.
    Result<void> judge_error(const PublicationTarget& target, const Error& error);
    /// Whether a webhook answers with a certificate of the authority that is published with it.
    boost::asio::awaitable<bool> answers(PublishedWebhook webhook);

    kube::Client& client_;
    std::vector<PublicationTarget> targets_;
    std::set<std::string> forbidden_;             ///< targets whose refusal was logged
    std::map<PublishedWebhook, bool> answering_;  ///< others that were asked in this round
};

}  // namespace sluice::serving
