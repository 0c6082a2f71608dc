#include "serving/server_thread.hpp"

#include <charconv>
#include <system_error>
#include <utility>

namespace sluice::serving {

ServerThread::ServerThread(const std::string& name) : thread_(name) {}

ServerThread::~ServerThread() {
    join();
}

Result<net::HttpServer*> ServerThread::listen(
    std::shared_ptr<net::HttpHandler> handler, net::ServerOptions options
) {
    auto server = net::HttpServer::start(thread_.loop(), *handler, std::move(options));
    if (!server) {
        return server.error();
    }
    served_.push_back({std::move(handler), std::move(*server)});
    return served_.back().server.get();
}

void ServerThread::stop(Duration grace) {
    for (const Served& served : served_) {
        net::run_on(thread_.loop(), served.server->stop(grace));
    }
}

void ServerThread::join() {
    thread_.join();
    served_.clear();
}

Result<BindAddress> parse_bind_address(const std::string& text) {
    const std::size_t colon = text.rfind(':');
    if (colon == std::string::npos) {
        return make_invalid("\"" + text + "\" is not an address with a port");
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

}  // namespace sluice::serving
