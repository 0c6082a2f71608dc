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

void PathTable::add_prefix(std::string prefix, Entry entry) {
    const bool is_new = prefixes_.emplace(std::move(prefix), std::move(entry)).second;
    SLUICE_ASSERT(is_new);
}

const PathTable::Entry* PathTable::find(std::string_view path) const {
    if (const auto found = entries_.find(path); found != entries_.end()) {
        return &found->second;
    }
    const auto prefix = std::ranges::find_if(prefixes_, [path](const auto& entry) {
        return path.starts_with(entry.first);
    });
    return prefix == prefixes_.end() ? nullptr : &prefix->second;
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

void PathTable::add_reviews(
    std::string prefix, std::shared_ptr<net::HttpHandler> handler, std::size_t body_bytes_max
) {
    add_prefix(
        std::move(prefix),
        {.methods = {"POST"}, .body_bytes_max = body_bytes_max, .handler = std::move(handler)}
    );
}

boost::asio::awaitable<net::ServerResponse> PathTable::handle(net::ServerRequest request) {
    const Entry* found = find(request.path());
    if (found == nullptr) {
        co_return not_found();
    }
    const auto handler = found->handler;
    auto response = co_await handler->handle(std::move(request));
    co_return response;
}

net::HeadVerdict PathTable::judge_head(std::string_view method, std::string_view path) const {
    net::HeadVerdict verdict;
    const Entry* found = find(path);
    if (found == nullptr) {
        verdict.refusal = not_found();
        return verdict;
    }
    const Entry& entry = *found;
    verdict.body_bytes_max = entry.body_bytes_max;
    if (std::ranges::find(entry.methods, method) == entry.methods.end()) {
        verdict.refusal = not_allowed(entry.methods);
    }
    return verdict;
}

}  // namespace sluice::serving
