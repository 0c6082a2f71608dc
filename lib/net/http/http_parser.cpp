#include "net/http/http_parser.hpp"

#include <boost/asio/buffer.hpp>
#include <boost/beast/core/string.hpp>
#include <boost/beast/http/basic_parser.hpp>
#include <boost/beast/http/error.hpp>

#include <algorithm>
#include <limits>
#include <optional>
#include <utility>

namespace sluice::net {
namespace http = boost::beast::http;
using boost::beast::error_code;
using boost::beast::string_view;

namespace {

/// Checks that the length of a message is certain (RFC 9112, 6.1). Returns 0 if it is, else the
/// status of the refusal: 501 for an unknown transfer coding, 400 if "chunked" is not the only
/// coding or the version is before 1.1.
int transfer_fault(const HttpHeaders& headers, int version) {
    std::string codings;
    bool is_given = false;
    for (const HttpHeader& header : headers) {
        if (boost::beast::iequals(header.name, "Transfer-Encoding")) {
            codings += (is_given ? "," : "") + header.value;
            is_given = true;
        }
    }
    if (!is_given) {
        return 0;
    }
    std::size_t chunked = 0;
    bool is_known = true;
    for (std::size_t at = 0; at <= codings.size();) {
        const std::size_t comma = std::min(codings.find(',', at), codings.size());
        std::string_view coding = std::string_view(codings).substr(at, comma - at);
        at = comma + 1;
        coding.remove_prefix(std::min(coding.find_first_not_of(" \t"), coding.size()));
        coding = coding.substr(0, coding.find_last_not_of(" \t") + 1);
        const bool is_chunked = boost::beast::iequals(coding, "chunked");
        chunked += is_chunked ? 1 : 0;
        is_known = is_known && (is_chunked || coding.empty());
    }
    if (!is_known) {
        return 501;
    }
    return chunked == 1 && version >= 11 ? 0 : 400;
}

}  // namespace

/// The parsed parts of a message, and the operations of the Beast parser.
class HttpParser::Impl {
  public:
    Impl() = default;
    Impl(const Impl&) = delete;
    Impl& operator=(const Impl&) = delete;
    virtual ~Impl() = default;
    virtual std::size_t put(std::string_view bytes, error_code& code) = 0;
    virtual void put_end(error_code& code) = 0;
    virtual bool is_header_done() const = 0;
    virtual bool is_done() const = 0;
    virtual bool is_keep_alive() const = 0;
    virtual void skip_body() = 0;
    virtual std::optional<std::uint64_t> content_length() const = 0;

    std::string method;
    std::string target;
    int status = 0;
    std::size_t header_bytes_max = 0;
    HttpHeaders headers;
    BodySink sink;
    HeadCheck head_check;
    std::optional<Error> refusal;  // from the sink or the check
};

template <bool IsRequest>
class HttpParser::BeastParser final : public Impl, private http::basic_parser<IsRequest> {
    using Base = http::basic_parser<IsRequest>;

  public:
    BeastParser(std::size_t header_bytes_max, std::size_t body_bytes_max) {
        constexpr std::size_t kMax = std::numeric_limits<std::uint32_t>::max();
        Base::header_limit(static_cast<std::uint32_t>(std::min(header_bytes_max, kMax)));
        if (body_bytes_max == kUnlimited) {
            Base::body_limit(boost::none);
        } else {
            Base::body_limit(body_bytes_max);
        }
        Base::eager(true);
    }
    std::size_t put(std::string_view bytes, error_code& code) override {
        return Base::put(boost::asio::const_buffer(bytes.data(), bytes.size()), code);
    }
    void put_end(error_code& code) override { Base::put_eof(code); }
    bool is_header_done() const override { return Base::is_header_done(); }
    bool is_done() const override { return Base::is_done(); }
    bool is_keep_alive() const override { return Base::keep_alive(); }
    void skip_body() override { Base::skip(true); }
    std::optional<std::uint64_t> content_length() const override {
        if (Base::chunked()) {
            return std::nullopt;
        }
        return Base::content_length().value_or(0);
    }

  private:
    void on_request_impl(http::verb, string_view verb, string_view path, int version, error_code&)
        override {
        version_ = version;
        method = std::string(verb);
        target = std::string(path);
    }
    void on_response_impl(int code, string_view, int version, error_code&) override {
        version_ = version;
        status = code;
    }
    void on_field_impl(http::field, string_view name, string_view value, error_code&) override {
        headers.push_back(HttpHeader{std::string(name), std::string(value)});
    }
    void on_header_impl(error_code& code) override {
        if (const int fault = transfer_fault(headers, version_)) {
            status = fault;
            refusal = make_invalid("HTTP message: Transfer-Encoding is not \"chunked\"");
            code = http::error::bad_transfer_encoding;
            return;
        }
        const auto checked = head_check ? head_check() : Result<void>();
        if (!checked) {
            refusal = checked.error();
            code = http::error::unexpected_body;
        }
    }
    void on_body_init_impl(const boost::optional<std::uint64_t>&, error_code&) override {}
    std::size_t on_body_impl(string_view body, error_code& code) override {
        return take(body, code);
    }
    void on_chunk_header_impl(std::uint64_t, string_view, error_code&) override {}
    std::size_t on_chunk_body_impl(std::uint64_t, string_view body, error_code& code) override {
        return take(body, code);
    }
    void on_finish_impl(error_code&) override {}

    std::size_t take(string_view body, error_code& code) {
        const auto taken = sink(std::string_view(body.data(), body.size()));
        if (!taken) {
            refusal = taken.error();
            code = http::error::unexpected_body;
            return 0;
        }
        return body.size();
    }

    int version_ = 11;
};

HttpParser::HttpParser(
    Kind kind, std::size_t header_bytes_max, std::size_t body_bytes_max, BodySink sink
) {
    if (kind == Kind::Request) {
        impl_ = std::make_unique<BeastParser<true>>(header_bytes_max, body_bytes_max);
    } else {
        impl_ = std::make_unique<BeastParser<false>>(header_bytes_max, body_bytes_max);
    }
    impl_->sink = std::move(sink);
    impl_->header_bytes_max = header_bytes_max;
}

HttpParser::~HttpParser() = default;

Result<std::size_t> HttpParser::feed(std::string_view bytes) {
    error_code code;
    std::size_t used = 0;
    while (used < bytes.size() && !impl_->is_done()) {
        const auto taken = impl_->put(bytes.substr(used), code);
        used += taken;
        if (code == http::error::need_more || (!code && taken == 0)) {
            // Without this limit, the parser would wait without end for text between and after
            // chunks.
            if (bytes.size() - used > impl_->header_bytes_max) {
                impl_->status = impl_->is_header_done() ? 400 : 431;
                return make_invalid("HTTP message: a line is longer than allowed");
            }
            return used;
        }
        if (!code) {
            continue;
        }
        if (const auto& error = impl_->refusal) {
            return *error;
        }
        impl_->status = code == http::error::body_limit     ? 413
                        : code == http::error::header_limit ? 431
                                                            : 400;
        if (code == http::error::body_limit) {
            return make_invalid("HTTP body is larger than allowed");
        }
        return make_invalid("HTTP message: " + code.message());
    }
    return used;
}

Result<void> HttpParser::finish() {
    error_code code;
    impl_->put_end(code);
    if (code || !impl_->is_done()) {
        return Error{ErrorCode::Unavailable, "connection ended in the middle of a message", {}};
    }
    return {};
}

void HttpParser::set_head_check(HeadCheck check) {
    impl_->head_check = std::move(check);
}
bool HttpParser::is_header_done() const {
    return impl_->is_header_done();
}
bool HttpParser::is_done() const {
    return impl_->is_done();
}
bool HttpParser::is_keep_alive() const {
    return impl_->is_keep_alive();
}
void HttpParser::expect_no_body() {
    impl_->skip_body();
}
const std::string& HttpParser::method() const {
    return impl_->method;
}
const std::string& HttpParser::target() const {
    return impl_->target;
}
int HttpParser::http_status() const {
    return impl_->status;
}
HttpHeaders& HttpParser::headers() {
    return impl_->headers;
}
std::optional<std::uint64_t> HttpParser::content_length() const {
    return impl_->content_length();
}

}  // namespace sluice::net
