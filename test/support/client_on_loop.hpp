#pragma once

#include "kube/client/client.hpp"
#include "net/loop/event_loop.hpp"
#include "net/loop/on_loop.hpp"

#include <memory>
#include <string>
#include <utility>

namespace sluice::test {

/// A client for another thread: each call is made on the loop that the wrapped client belongs to.
/// It opens no watches, whose streams would be read on the wrong thread. Lifetime: loop and client
/// must outlive it.
class ClientOnLoop final : public kube::Client {
  public:
    ClientOnLoop(net::EventLoop& loop, kube::Client& client) : loop_(loop), client_(client) {}

    kube::Async<std::string> get(kube::ResourcePath path, kube::GetOptions options) override {
        return net::on_loop(&loop_, client_.get(std::move(path), std::move(options)));
    }
    kube::Async<std::string> list(kube::ResourcePath path, kube::ListOptions options) override {
        return net::on_loop(&loop_, client_.list(std::move(path), std::move(options)));
    }
    kube::Async<std::string> create(
        kube::ResourcePath path, std::string body, kube::WriteOptions options
    ) override {
        auto call = client_.create(std::move(path), std::move(body), std::move(options));
        return net::on_loop(&loop_, std::move(call));
    }
    kube::Async<std::string> update(
        kube::ResourcePath path, std::string body, kube::WriteOptions options
    ) override {
        auto call = client_.update(std::move(path), std::move(body), std::move(options));
        return net::on_loop(&loop_, std::move(call));
    }
    kube::Async<std::string> merge_patch(
        kube::ResourcePath path, std::string body, kube::WriteOptions options
    ) override {
        auto call = client_.merge_patch(std::move(path), std::move(body), std::move(options));
        return net::on_loop(&loop_, std::move(call));
    }
    kube::Async<std::string> apply(
        kube::ResourcePath path, std::string body, kube::ApplyOptions options
    ) override {
        auto call = client_.apply(std::move(path), std::move(body), std::move(options));
        return net::on_loop(&loop_, std::move(call));
    }
    kube::Async<std::string> remove(kube::ResourcePath path, kube::DeleteOptions options) override {
        return net::on_loop(&loop_, client_.remove(std::move(path), std::move(options)));
    }
    kube::Async<std::unique_ptr<kube::WatchStream>> watch(
        kube::ResourcePath /*path*/, kube::WatchOptions /*options*/
    ) override {
        co_return make_invalid("no watches from another thread");
    }
    kube::Async<std::string> get_raw(std::string target, kube::GetOptions options) override {
        return net::on_loop(&loop_, client_.get_raw(std::move(target), std::move(options)));
    }

  private:
    net::EventLoop& loop_;
    kube::Client& client_;
};

}  // namespace sluice::test
