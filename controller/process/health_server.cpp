#include "controller/process/health_server.hpp"

#include <charconv>
#include <chrono>
#include <utility>

namespace sluice::controller {

class TextServer::Handler final : public net::HttpHandler {
  public:
    explicit Handler(std::map<std::string, Answer> answers) : answers_(std::move(answers)) {}

    boost::asio::awaitable<net::ServerResponse> handle(net::ServerRequest request) override {
        const auto found = answers_.find(std::string(request.path()));
        if (found == answers_.end()) {
            net::ServerResponse response;
            response.status = 404;
            response.body = "not found\n";
            co_return response;
        }
        co_return found->second();
    }

  private:
    std::map<std::string, Answer> answers_;
};

TextServer::TextServer(net::EventLoop& loop, std::map<std::string, Answer> answers)
    : loop_(loop), handler_(std::make_unique<Handler>(std::move(answers))) {}

TextServer::~TextServer() = default;

Result<void> TextServer::start(const std::string& bind_address, const net::ServerOptions& options) {
    const auto address = parse_bind_address(bind_address);
    if (!address) {
        return address.error();
    }
    net::ServerOptions all = options;
    all.address = address->address;
    all.port = address->port;
    auto server = net::HttpServer::start(loop_, *handler_, all);
    if (!server) {
        return server.error();
    }
    server_ = std::move(*server);
    return {};
}

boost::asio::awaitable<void> TextServer::stop() {
    if (server_) {
        co_await server_->stop(std::chrono::seconds(1));
    }
}

Result<BindAddress> parse_bind_address(const std::string& text) {
    const std::size_t colon = text.rfind(':');
    if (colon == std::string::npos) {
        return make_invalid("\"" + text + "\" is no address with a port");
    }
    BindAddress result;
    const char* end = text.data() + text.size();
    const auto [at, error] = std::from_chars(text.data() + colon + 1, end, result.port);
    if (error != std::errc() || at != end) {
        return make_invalid("\"" + text + "\" has no port between 0 and 65535");
    }
    result.address = text.substr(0, colon);
    if (result.address.starts_with('[') && result.address.ends_with(']')) {
        result.address = result.address.substr(1, result.address.size() - 2);
    }
    return result;
}

}  // namespace sluice::controller
