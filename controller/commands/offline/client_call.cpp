#include "controller/commands/offline/client_call.hpp"

#include "kube/client/http_client.hpp"
#include "net/loop/event_loop.hpp"

#include <boost/asio/co_spawn.hpp>
#include <boost/asio/detached.hpp>

namespace sluice::commands {
namespace {

boost::asio::awaitable<void> run_and_stop(
    boost::asio::awaitable<void> calls, net::EventLoop* loop
) {
    co_await std::move(calls);
    loop->stop();
}

boost::asio::awaitable<void> pause_and_stop(Duration time, net::EventLoop* loop) {
    co_await net::pause_for(time);
    loop->stop();
}

}  // namespace

void wait_for(Duration time) {
    net::EventLoop loop;
    boost::asio::co_spawn(loop.executor(), pause_and_stop(time, &loop), boost::asio::detached);
    loop.run();
}

Result<void> with_client(
    const kube::ClientConfig& config,
    const std::function<boost::asio::awaitable<void>(kube::Client*)>& calls
) {
    const SystemClock clock;
    net::EventLoop loop;  // the client's connections belong to it
    auto client = kube::HttpClient::make(config, clock, 1);
    if (!client) {
        return client.error();
    }
    boost::asio::co_spawn(
        loop.executor(), run_and_stop(calls(client->get()), &loop), boost::asio::detached
    );
    loop.run();
    return {};
}

}  // namespace sluice::commands
