#include "net/transport/tls_stream.hpp"

#include "base/assert.hpp"
#include "net/loop/event_loop.hpp"

#include <boost/asio/buffer.hpp>
#include <boost/asio/error.hpp>
#include <boost/asio/ip/address.hpp>
#include <openssl/bio.h>
#include <openssl/err.h>
#include <openssl/pem.h>
#include <openssl/ssl.h>
#include <openssl/x509v3.h>

#include <utility>

namespace sluice::net {
namespace asio = boost::asio;
namespace {

using BioMethod = std::unique_ptr<BIO_METHOD, decltype(&BIO_meth_free)>;

TcpSocket& socket_of(BIO* bio) {
    return *static_cast<TcpSocket*>(BIO_get_data(bio));
}

bool must_wait(const boost::system::error_code& code) {
    return code == asio::error::would_block || code == asio::error::try_again;
}

int read_from_socket(BIO* bio, char* buffer, int size) {
    BIO_clear_retry_flags(bio);
    boost::system::error_code code;
    const auto target = asio::buffer(buffer, static_cast<std::size_t>(size));
    const auto bytes = socket_of(bio).socket().read_some(target, code);
    if (!code) {
        return static_cast<int>(bytes);
    }
    if (must_wait(code)) {
        BIO_set_retry_read(bio);
    }
    return code == asio::error::eof ? 0 : -1;
}

int write_to_socket(BIO* bio, const char* bytes, int size) {
    BIO_clear_retry_flags(bio);
    boost::system::error_code code;
    const auto source = asio::buffer(bytes, static_cast<std::size_t>(size));
    const auto written = socket_of(bio).socket().write_some(source, code);
    if (!code) {
        return static_cast<int>(written);
    }
    if (must_wait(code)) {
        BIO_set_retry_write(bio);
    }
    return -1;
}

long control_socket(BIO*, int command, long, void*) {
    return command == BIO_CTRL_FLUSH ? 1 : 0;
}

BioMethod make_bio_method() {
    BioMethod method(
        BIO_meth_new(BIO_get_new_index() | BIO_TYPE_SOURCE_SINK, "socket"), &BIO_meth_free
    );
    SLUICE_ASSERT(method != nullptr);
    BIO_meth_set_read(method.get(), read_from_socket);
    BIO_meth_set_write(method.get(), write_to_socket);
    BIO_meth_set_ctrl(method.get(), control_socket);
    return method;
}

/// Unlike OpenSSL's own socket BIO, this one does not raise SIGPIPE.
BIO* make_bio(TcpSocket& socket) {
    static const BioMethod method = make_bio_method();
    BIO* bio = BIO_new(method.get());
    SLUICE_ASSERT(bio != nullptr);
    BIO_set_data(bio, &socket);
    BIO_set_init(bio, 1);
    return bio;
}

}  // namespace

TlsStream::TlsStream(asio::ip::tcp::socket socket, std::shared_ptr<TlsContext> tls)
    : tls_(std::move(tls)),
      tcp_(std::move(socket)),
      ssl_(SSL_new(tls_->context.native_handle()), &SSL_free) {
    SLUICE_ASSERT(ssl_ != nullptr);
    SSL_set_mode(
        ssl_.get(),
        SSL_MODE_ENABLE_PARTIAL_WRITE | SSL_MODE_ACCEPT_MOVING_WRITE_BUFFER |
            SSL_MODE_RELEASE_BUFFERS
    );
    BIO* bio = make_bio(tcp_);
    SSL_set_bio(ssl_.get(), bio, bio);
}

int TlsStream::call_openssl(Call call, Bytes bytes, std::size_t* moved) {
    switch (call) {
        case Call::ShakeHands:
            return SSL_do_handshake(ssl_.get());
        case Call::Read:
            return SSL_read_ex(ssl_.get(), bytes.target, bytes.size, moved);
        case Call::Write:
            return SSL_write_ex(ssl_.get(), bytes.source, bytes.size, moved);
        case Call::Shutdown: {
            // The first call sends close_notify, the second one waits for the peer's.
            const int said = SSL_shutdown(ssl_.get());
            return said == 0 ? SSL_shutdown(ssl_.get()) : said;
        }
    }
    return -1;
}

asio::awaitable<Result<std::size_t>> TlsStream::perform(Call call, Bytes bytes) {
    const auto cancelled = co_await is_cancelled();
    if (cancelled) {
        co_return Error{ErrorCode::Canceled, "canceled", {}};
    }
    for (;;) {
        std::size_t moved = 0;
        ERR_clear_error();
        const int result = call_openssl(call, bytes, &moved);
        if (result > 0) {
            if (call == Call::Read) {
                // Session tickets leave a client with a write buffer that it does not need.
                SSL_free_buffers(ssl_.get());
            }
            const auto turned = co_await tcp_.take_turns(moved);
            if (!turned) {
                co_return turned.error();
            }
            co_return moved;
        }
        const int reason = SSL_get_error(ssl_.get(), result);
        if (reason == SSL_ERROR_ZERO_RETURN) {
            co_return std::size_t{0};
        }
        if (reason != SSL_ERROR_WANT_READ && reason != SSL_ERROR_WANT_WRITE) {
            is_broken_ = true;
            co_return take_error();
        }
        const auto until =
            reason == SSL_ERROR_WANT_READ ? TcpSocket::Until::Readable : TcpSocket::Until::Writable;
        const auto waited = co_await tcp_.wait(until);
        if (!waited) {
            co_return waited.error();
        }
    }
}

Error TlsStream::take_error() {
    if (ERR_peek_error() != 0) {
        return Error{ErrorCode::Unavailable, take_openssl_error(), {}};
    }
    // A TLS peer that closes the connection without close_notify may be an attacker that truncates
    // a message, so that is an error, not an end.
    return Error{ErrorCode::Unavailable, "the other side broke off the connection", {}};
}

asio::awaitable<Result<void>> TlsStream::wait_readable() {
    if (SSL_has_pending(ssl_.get()) == 1) {
        co_return Result<void>();
    }
    const auto waited = co_await tcp_.wait(TcpSocket::Until::Readable);
    co_return waited;
}

asio::awaitable<Result<std::size_t>> TlsStream::read_some(char* buffer, std::size_t size) {
    return perform(Call::Read, Bytes{.target = buffer, .size = size});
}

asio::awaitable<Result<void>> TlsStream::write(std::string_view bytes) {
    while (!bytes.empty()) {
        const Bytes rest{.source = bytes.data(), .size = bytes.size()};
        const auto written = co_await perform(Call::Write, rest);
        if (!written) {
            co_return written.error();
        }
        if (*written == 0) {
            co_return Error{ErrorCode::Unavailable, "the other side closed the connection", {}};
        }
        bytes.remove_prefix(*written);
    }
    co_return Result<void>();
}

asio::awaitable<void> TlsStream::shutdown() {
    if (!is_broken_) {
        const Bytes none;
        co_await perform(Call::Shutdown, none);
    }
    close();
}

std::shared_ptr<const std::string> TlsStream::peer_certificates() const {
    const std::unique_ptr<X509, decltype(&X509_free)> leaf(
        SSL_get1_peer_certificate(ssl_.get()), &X509_free
    );
    const std::unique_ptr<BIO, decltype(&BIO_free)> text(BIO_new(BIO_s_mem()), &BIO_free);
    if (!leaf || !text || PEM_write_bio_X509(text.get(), leaf.get()) != 1) {
        return nullptr;
    }
    // OpenSSL's chain includes the peer's own certificate on a client, but not on a server.
    const STACK_OF(X509)* const chain = SSL_get_peer_cert_chain(ssl_.get());
    for (int at = SSL_is_server(ssl_.get()) == 1 ? 0 : 1; at < sk_X509_num(chain); ++at) {
        if (PEM_write_bio_X509(text.get(), sk_X509_value(chain, at)) != 1) {
            return nullptr;
        }
    }
    char* data = nullptr;
    const auto size = BIO_get_mem_data(text.get(), &data);
    return std::make_shared<const std::string>(data, static_cast<std::size_t>(size));
}

bool TlsStream::is_reusable() {
    return !is_broken_ && SSL_has_pending(ssl_.get()) == 0 && tcp_.is_silent();
}

bool TlsStream::expect_host(const std::string& host) {
    boost::system::error_code not_an_address;
    asio::ip::make_address(host, not_an_address);
    if (!not_an_address) {
        return X509_VERIFY_PARAM_set1_ip_asc(SSL_get0_param(ssl_.get()), host.c_str()) == 1;
    }
    SSL_set_hostflags(ssl_.get(), X509_CHECK_FLAG_NO_PARTIAL_WILDCARDS);
    // SSL_set_tlsext_host_name is a macro with an old-style cast; this is its expansion.
    std::string name = host;
    return SSL_ctrl(
               ssl_.get(), SSL_CTRL_SET_TLSEXT_HOSTNAME, TLSEXT_NAMETYPE_host_name, name.data()
           ) == 1 &&
           SSL_set1_host(ssl_.get(), host.c_str()) == 1;
}

asio::awaitable<Result<void>> TlsStream::shake_hands(Side side) {
    if (side == Side::Client) {
        SSL_set_connect_state(ssl_.get());
    } else {
        SSL_set_accept_state(ssl_.get());
    }
    const Bytes none;
    const auto done = co_await perform(Call::ShakeHands, none);
    if (done) {
        co_return Result<void>();
    }
    auto error = done.error();
    const auto verified = SSL_get_verify_result(ssl_.get());
    if (verified != X509_V_OK) {
        error.detail = std::string("TLS: certificate not accepted: ") +
                       X509_verify_cert_error_string(verified);
    } else if (error.code == ErrorCode::Unavailable) {
        error.detail = "TLS handshake: " + error.detail;
    }
    co_return error;
}

}  // namespace sluice::net
