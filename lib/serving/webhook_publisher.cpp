#include "serving/webhook_publisher.hpp"

#include "base/log.hpp"
#include "net/http/http_client.hpp"
#include "net/transport/tls.hpp"

#include <chrono>
#include <utility>

namespace sluice::serving {

namespace {

/// Shorter than the API server's own limit of up to 30 seconds.
constexpr Duration kAnswerLimit = std::chrono::seconds(5);

}  // namespace

boost::asio::awaitable<bool> WebhookPublisher::answers(PublishedWebhook webhook) {
    if (const auto known = answering_.find(webhook); known != answering_.end()) {
        co_return known->second;
    }
    const auto url = parse_https_url(webhook.url);
    net::TlsClientOptions trust;
    trust.ca_pem = webhook.authority_pem;
    auto tls = net::make_client_tls(trust);
    bool is_answering = url && tls;
    if (is_answering) {
        net::HttpClientOptions options;
        options.host = url->host;
        options.port = url->port;
        options.tls = std::move(*tls);
        net::HttpClient client(options);
        net::ClientRequest request;
        request.target = url->path;
        const auto outcome = co_await client.send(std::move(request), kAnswerLimit);
        is_answering = outcome.response.has_value();
    }
    answering_.emplace(std::move(webhook), is_answering);
    co_return is_answering;
}

Result<void> WebhookPublisher::judge_error(const PublicationTarget& target, const Error& error) {
    const std::string name = target.kind + " " + target.path.name;
    if (!target.may_be_forbidden || error.code != ErrorCode::Forbidden) {
        return with_context(error, name);
    }
    if (forbidden_.insert(name).second) {
        log::info(
            "authority is not published: the account has no right to the object",
            {{"kind", target.kind}, {"name", target.path.name}, {"error", error.detail}}
        );
    }
    return {};
}

kube::Async<void> WebhookPublisher::publish_to(
    const PublicationTarget* target, WebhookAddress own
) {
    const kube::GetOptions get_options;
    const auto text = co_await client_.get(target->path, get_options);
    if (!text) {
        if (text.error().code == ErrorCode::NotFound) {
            co_return Result<void>();  // not installed, so nobody can request it
        }
        co_return judge_error(*target, text.error());
    }
    const auto object = json::parse(*text);
    if (!object) {
        co_return judge_error(*target, object.error());
    }
    if (auto other = target->find_other(*object, own)) {
        const bool is_answering = co_await answers(std::move(*other));
        if (is_answering) {
            co_return Result<void>();
        }
    }
    const auto patch = target->make_patch(*object, own);
    if (!patch) {
        co_return Result<void>();
    }
    const kube::WriteOptions write_options;
    std::string body = json::print(*patch);
    const auto written = co_await client_.merge_patch(target->path, std::move(body), write_options);
    if (!written) {
        co_return judge_error(*target, written.error());
    }
    log::info("webhook was published", {{"kind", target->kind}, {"name", target->path.name}});
    co_return Result<void>();
}

kube::Async<void> WebhookPublisher::publish(WebhookAddress own) {
    if (own.authority_pem.empty() && !own.is_by_url()) {
        co_return Result<void>();  // the administrator fills in the authority
    }
    answering_.clear();
    for (const PublicationTarget& target : targets_) {
        const auto published = co_await publish_to(&target, own);
        if (!published) {
            co_return published.error();
        }
    }
    co_return Result<void>();
}

}  // namespace sluice::serving
