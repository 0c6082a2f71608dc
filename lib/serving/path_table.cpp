#include "serving/path_table.hpp"

#include "base/assert.hpp"

#include <fmt/format.h>
#include <fmt/ranges.h>

#include <algorithm>
#include <optional>
#include <utility>

namespace sluice::serving {

namespace {

class Page final : public net::HttpHandler {
  public:
    explicit Page(PathTable::MakePage make) : make_(std::move(make)) {}
    boost::asio::awaitable<net::ServerResponse> handle(net::ServerRequest) override {
        co_return make_();
    }

  private:
    PathTable::MakePage make_;
};

net::ServerResponse not_found() {
    net::ServerResponse response;
    response.status = 404;
    response.body = "not found\n";
    return response;
}

net::ServerResponse not_allowed(const std::vector<std::string>& methods) {
    net::ServerResponse response;
    response.status = 405;
    response.body = "method not allowed\n";
    response.headers.push_back({"Allow", fmt::format("{}", fmt::join(methods, ", "))});
    return response;
}

}  // namespace

void PathTable::add(std::string path, Entry entry) {
    const bool is_new = entries_.emplace(std::move(path), std::move(entry)).second;
    SLUICE_ASSERT(is_new);
}

void PathTable::add_page(std::string path, MakePage make) {
    add(std::move(path),
        {.methods = {"GET", "HEAD"}, .handler = std::make_shared<Page>(std::move(make))});
}

void PathTable::add_review(
    std::string path, std::shared_ptr<net::HttpHandler> handler, std::size_t body_bytes_max
) {
    add(std::move(path),
        {.methods = {"POST"}, .body_bytes_max = body_bytes_max, .handler = std::move(handler)});
}

boost::asio::awaitable<net::ServerResponse> PathTable::handle(net::ServerRequest request) {
    const auto found = entries_.find(request.path());
    if (found == entries_.end()) {
        co_return not_found();
    }
    const auto handler = found->second.handler;
    auto response = co_await handler->handle(std::move(request));
    co_return response;
}

net::HeadVerdict PathTable::judge_head(std::string_view method, std::string_view path) const {
    net::HeadVerdict verdict;
    const auto found = entries_.find(path);
    if (found == entries_.end()) {
        verdict.refusal = not_found();
        return verdict;
    }
    const Entry& entry = found->second;
    verdict.body_bytes_max = entry.body_bytes_max;
    if (std::ranges::find(entry.methods, method) == entry.methods.end()) {
        verdict.refusal = not_allowed(entry.methods);
    }
    return verdict;
}

}  // namespace sluice::serving
