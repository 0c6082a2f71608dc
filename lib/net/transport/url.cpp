#include "net/transport/url.hpp"

#include <boost/url/encoding_opts.hpp>
#include <boost/url/parse.hpp>
#include <boost/url/pct_string_view.hpp>
#include <boost/url/scheme.hpp>

namespace sluice::net {

namespace urls = boost::urls;

Result<ServerUrl> parse_server_url(std::string_view text) {
    const auto url = urls::parse_uri(text);
    if (!url) {
        return make_invalid("not a URL");
    }
    if (url->scheme_id() != urls::scheme::https && url->scheme_id() != urls::scheme::http) {
        return make_invalid("neither an http nor an https URL");
    }
    const bool is_https = url->scheme_id() == urls::scheme::https;
    if (url->has_userinfo() || url->has_query() || url->has_fragment()) {
        return make_invalid("a URL with more than host, port and path");
    }
    if (url->encoded_host_address().empty() || (url->has_port() && url->port_number() == 0)) {
        return make_invalid("a URL without a host or with an invalid port");
    }
    return ServerUrl{
        .is_https = is_https,
        .host = std::string(url->encoded_host_address()),
        .port = url->has_port() ? url->port_number() : urls::default_port(url->scheme_id()),
        .path = std::string(url->encoded_path()),
    };
}

std::string percent_decode(std::string_view text, PlusSign plus) {
    const auto encoded = urls::make_pct_string_view(text);
    if (!encoded) {
        return std::string(text);
    }
    urls::encoding_opts options;
    options.space_as_plus = plus == PlusSign::Space;
    return encoded->decode(options);
}

std::vector<std::string> split_path(std::string_view path) {
    std::vector<std::string> parts;
    while (!path.empty()) {
        const auto slash = path.find('/');
        parts.push_back(percent_decode(path.substr(0, slash)));
        path = slash == std::string_view::npos ? std::string_view() : path.substr(slash + 1);
    }
    return parts;
}

}  // namespace sluice::net
