#include "net/http/incoming_request.hpp"

#include "net/transport/url.hpp"

#include <fmt/core.h>

#include <algorithm>
#include <utility>

namespace sluice::net {
namespace {

std::string_view path_of(std::string_view target) {
    return target.substr(0, target.find('?'));
}

}  // namespace

std::string_view ServerRequest::path() const {
    return path_of(target);
}

std::string ServerRequest::query(std::string_view name) const {
    const auto mark = target.find('?');
    auto rest =
        mark == std::string::npos ? std::string_view() : std::string_view(target).substr(mark + 1);
    while (!rest.empty()) {
        const auto pair = rest.substr(0, rest.find('&'));
        rest.remove_prefix(std::min(pair.size() + 1, rest.size()));
        const auto equal = pair.find('=');
        if (percent_decode(pair.substr(0, equal), PlusSign::Space) == name) {
            return equal == std::string_view::npos
                       ? std::string()
                       : percent_decode(pair.substr(equal + 1), PlusSign::Space);
        }
    }
    return {};
}

ServerResponse make_plain_response(int status) {
    return ServerResponse{
        status, "text/plain; charset=utf-8", std::string(reason_phrase(status)) + "\n", {}
    };
}

ServerResponse make_too_large_response(std::size_t bytes_max) {
    auto response = make_plain_response(413);
    response.body =
        bytes_max == 0
            ? "Content Too Large: a request for this may have no body\n"
            : fmt::format(
                  "Content Too Large: the body of a request may have at most {} bytes\n", bytes_max
              );
    return response;
}

IncomingRequest::IncomingRequest(
    const HttpHandler& handler, const ServerOptions& options, Budget& budget
)
    : handler_(handler),
      options_(options),
      share_(budget),
      body_(options.body_bytes_in_memory),
      parser_(
          HttpParser::Kind::Request,
          options.header_bytes_max,
          options.body_bytes_max,
          [this](std::string_view bytes) { return append(bytes); }
      ) {
    parser_.set_head_check([this] { return judge(); });
}

Result<void> IncomingRequest::judge() {
    auto verdict = handler_.judge_head(parser_.method(), path_of(parser_.target()));
    body_bytes_max_ = std::min(verdict.body_bytes_max, options_.body_bytes_max);
    refusal_ = std::move(verdict.refusal);
    too_large_ = std::move(verdict.too_large);
    const auto length = parser_.content_length();
    if (!refusal_ && length && *length > body_bytes_max_) {
        return refuse_too_large();
    }
    if (refusal_ && length != 0) {
        return make_invalid("the request is refused before its body is read");
    }
    return {};
}

Result<void> IncomingRequest::append(std::string_view bytes) {
    if (bytes.size() > body_bytes_max_ - std::min(body_bytes_max_, body_.size())) {
        return refuse_too_large();
    }
    if (!share_.take(bytes.size())) {
        return Error{ErrorCode::TooManyRequests, "too many bytes in flight", {}};
    }
    return body_.append(bytes);
}

Error IncomingRequest::refuse_too_large() {
    refusal_ = too_large_ ? std::exchange(too_large_, std::nullopt)
                          : make_too_large_response(body_bytes_max_);
    return make_invalid("HTTP body is larger than allowed");
}

ServerRequest IncomingRequest::take(std::string peer) {
    ServerRequest request;
    request.method = parser_.method();
    request.target = parser_.target();
    request.headers = std::move(parser_.headers());
    request.body = std::move(body_);
    request.peer = std::move(peer);
    return request;
}

void IncomingRequest::drop_body() {
    body_ = SpooledBody();
    share_.give_back();
}

}  // namespace sluice::net
