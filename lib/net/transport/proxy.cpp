#include "net/transport/proxy.hpp"

#include <boost/url/parse.hpp>
#include <boost/url/scheme.hpp>
#include <openssl/evp.h>

namespace sluice::net {

namespace {

namespace urls = boost::urls;

std::string encode_base64(const std::string& text) {
    std::string encoded(4 * ((text.size() + 2) / 3) + 1, '\0');
    const int length = EVP_EncodeBlock(
        reinterpret_cast<unsigned char*>(encoded.data()),
        reinterpret_cast<const unsigned char*>(text.data()),
        static_cast<int>(text.size())
    );
    encoded.resize(static_cast<std::size_t>(length));
    return encoded;
}

}  // namespace

Result<Proxy> parse_proxy_url(std::string_view text) {
    constexpr std::size_t kLengthMax = 4096;
    std::string whole(text);
    if (text.find("://") == std::string_view::npos) {
        whole = "http://" + whole;
    }
    const auto url = urls::parse_uri(whole);
    if (!url || whole.size() > kLengthMax) {
        return make_invalid("not a URL");
    }
    if (url->scheme_id() != urls::scheme::http) {
        return make_invalid("not an http URL; other kinds of proxies are not supported");
    }
    if (url->encoded_host_address().empty() || (url->has_port() && url->port_number() == 0)) {
        return make_invalid("a URL without a host or with an invalid port");
    }
    Proxy proxy;
    proxy.host = std::string(url->encoded_host_address());
    proxy.port = url->has_port() ? url->port_number() : urls::default_port(url->scheme_id());
    if (url->has_userinfo()) {
        const std::string login = std::string(url->user()) + ":" + std::string(url->password());
        proxy.authorization = "Basic " + encode_base64(login);
    }
    return proxy;
}

}  // namespace sluice::net
