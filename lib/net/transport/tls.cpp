#include "net/transport/tls.hpp"

#include "base/log.hpp"
#include "net/transport/tls_context.hpp"

#include <openssl/bio.h>
#include <openssl/err.h>
#include <openssl/pem.h>
#include <openssl/ssl.h>
#include <openssl/x509.h>

#include <algorithm>
#include <climits>
#include <iterator>
#include <memory>
#include <set>
#include <string>
#include <string_view>
#include <utility>

namespace sluice::net {
namespace {

BioPointer open_bio(const std::string& pem) {
    const int size = pem.size() < INT_MAX ? static_cast<int>(pem.size()) : 0;
    return BioPointer(BIO_new_mem_buf(pem.data(), size));
}

/// A key with a pass phrase must fail instead of asking on the terminal.
int give_no_pass_phrase(char*, int, int, void*) {
    return -1;
}

Error openssl_invalid(std::string_view what) {
    return make_invalid(std::string(what) + ": " + take_openssl_error());
}

Result<void> trust(SSL_CTX* context, const std::string& ca_pem) {
    const auto bio = open_bio(ca_pem);
    auto* store = SSL_CTX_get_cert_store(context);
    int count = 0;
    for (;;) {
        const CertificatePointer certificate(
            PEM_read_bio_X509(bio.get(), nullptr, give_no_pass_phrase, nullptr)
        );
        if (!certificate) {
            break;
        }
        if (X509_STORE_add_cert(store, certificate.get()) != 1) {
            return openssl_invalid("certificate authority");
        }
        ++count;
    }
    const auto reason = ERR_peek_last_error();
    if (count == 0 || ERR_GET_REASON(reason) != PEM_R_NO_START_LINE) {
        return openssl_invalid("certificate authority is not PEM");
    }
    ERR_clear_error();
    return {};
}

/// Sets chain and key, which must match.
Result<void> present(
    SSL_CTX* context, const std::string& certificate_pem, const std::string& key_pem
) {
    const auto bio = open_bio(certificate_pem);
    const CertificatePointer leaf(
        PEM_read_bio_X509(bio.get(), nullptr, give_no_pass_phrase, nullptr)
    );
    if (!leaf || SSL_CTX_use_certificate(context, leaf.get()) != 1) {
        return openssl_invalid("certificate cannot be read");
    }
    for (;;) {
        CertificatePointer next(PEM_read_bio_X509(bio.get(), nullptr, give_no_pass_phrase, nullptr)
        );
        if (!next) {
            break;
        }
        if (SSL_CTX_add1_chain_cert(context, next.get()) != 1) {
            return openssl_invalid("certificate chain");
        }
    }
    ERR_clear_error();
    const auto key_bio = open_bio(key_pem);
    const KeyPointer key(
        PEM_read_bio_PrivateKey(key_bio.get(), nullptr, give_no_pass_phrase, nullptr)
    );
    if (!key) {
        return openssl_invalid("private key cannot be read");
    }
    if (SSL_CTX_use_PrivateKey(context, key.get()) != 1 ||
        SSL_CTX_check_private_key(context) != 1) {
        return openssl_invalid("private key does not fit the certificate");
    }
    return {};
}

}  // namespace

std::string take_openssl_error() {
    const auto code = ERR_peek_error();
    ERR_clear_error();
    const char* text = code == 0 ? nullptr : ERR_reason_error_string(code);
    return text == nullptr ? "unknown reason" : text;
}

Result<std::shared_ptr<TlsContext>> make_client_tls(const TlsClientOptions& options) {
    ERR_clear_error();
    auto tls = std::make_shared<TlsContext>(boost::asio::ssl::context::tls_client);
    auto* context = tls->context.native_handle();
    SSL_CTX_set_min_proto_version(context, TLS1_2_VERSION);
    SSL_CTX_set_mode(context, SSL_MODE_RELEASE_BUFFERS);
    tls->server_name = options.server_name;
    tls->verify = options.verify;
    SSL_CTX_set_verify(context, options.verify ? SSL_VERIFY_PEER : SSL_VERIFY_NONE, nullptr);
    if (!options.ca_pem.empty()) {
        const auto trusted = trust(context, options.ca_pem);
        if (!trusted) {
            return trusted.error();
        }
    } else if (options.verify && SSL_CTX_set_default_verify_paths(context) != 1) {
        return openssl_invalid("certificate authorities of the system");
    }
    if (!options.certificate_pem.empty()) {
        const auto presented = present(context, options.certificate_pem, options.private_key_pem);
        if (!presented) {
            return with_context(presented.error(), "client");
        }
    }
    return tls;
}

namespace {

int take_any_certificate(int, X509_STORE_CTX*) {
    return 1;
}

/// Go's older names of two suites.
std::string standard_name(const std::string& suite) {
    return suite.ends_with("_CHACHA20_POLY1305") ? suite + "_SHA256" : suite;
}

/// Suites that Go supports but considers insecure. OpenSSL may be built without them.
bool is_outdated(std::string_view suite) {
    return suite.find("_RC4_") != std::string_view::npos ||
           suite.find("_3DES_") != std::string_view::npos;
}

/// Sets the cipher suites of TLS 1.2. As in Go, TLS 1.2 is disabled if the list names none of its
/// suites, and the suites of TLS 1.3 cannot be chosen. Errors: Invalid naming the suite.
Result<void> choose_cipher_suites(SSL_CTX* context, const std::vector<std::string>& suites) {
    std::string chosen;
    for (const std::string& suite : suites) {
        const char* found = OPENSSL_cipher_name(standard_name(suite).c_str());
        const std::string_view name = found == nullptr ? "(NONE)" : found;
        if (name == "(NONE)" && !is_outdated(suite)) {
            return make_invalid("TLS cipher suite \"" + suite + "\" is not supported");
        }
        if (name == "(NONE)") {
            log::warning("this build has no such TLS cipher suite", {{"suite", suite}});
        } else if (!name.starts_with("TLS_")) {  // a suite of TLS 1.3
            chosen += chosen.empty() ? "" : ":";
            chosen += name;
        }
    }
    if (!suites.empty() && chosen.empty()) {
        SSL_CTX_set_min_proto_version(context, TLS1_3_VERSION);
    } else if (!chosen.empty() && SSL_CTX_set_cipher_list(context, chosen.c_str()) != 1) {
        return make_invalid("TLS cipher suites " + chosen + ": " + take_openssl_error());
    }
    return {};
}

/// Sets the curves. Skips curves that Go supports but this build of OpenSSL does not. Errors:
/// Invalid naming the curve; also if none is left.
Result<void> choose_curves(SSL_CTX* context, const std::vector<int>& curves) {
    constexpr std::pair<int, const char*> kNames[] = {
        {23, "P-256"},
        {24, "P-384"},
        {25, "P-521"},
        {29, "X25519"},
        {4587, "SecP256r1MLKEM768"},
        {4588, "X25519MLKEM768"},
        {4589, "SecP384r1MLKEM1024"},
    };
    std::string chosen;
    std::set<int> seen;
    for (const int curve : curves) {
        const auto known = std::ranges::find(kNames, curve, &std::pair<int, const char*>::first);
        if (known == std::end(kNames)) {
            return make_invalid("TLS curve " + std::to_string(curve) + " is not supported");
        }
        if (!seen.insert(curve).second) {
            return make_invalid("TLS curve " + std::to_string(curve) + " is there twice");
        }
        if (SSL_CTX_set1_groups_list(context, known->second) != 1) {
            log::warning("this build has no such TLS curve", {{"curve", known->second}});
            continue;
        }
        chosen += chosen.empty() ? "" : ":";
        chosen += known->second;
    }
    ERR_clear_error();
    if (!curves.empty() && chosen.empty()) {
        return make_invalid("none of the TLS curves is supported by this build");
    }
    if (!chosen.empty()) {
        SSL_CTX_set1_groups_list(context, chosen.c_str());
    }
    return {};
}

}  // namespace

Result<std::shared_ptr<TlsContext>> make_server_tls(const TlsServerOptions& options) {
    ERR_clear_error();
    auto tls = std::make_shared<TlsContext>(boost::asio::ssl::context::tls_server);
    auto* context = tls->context.native_handle();
    if (options.minimum_version != "VersionTLS12" && options.minimum_version != "VersionTLS13") {
        return make_invalid("minimum TLS version " + options.minimum_version + " is not supported");
    }
    SSL_CTX_set_min_proto_version(
        context, options.minimum_version == "VersionTLS13" ? TLS1_3_VERSION : TLS1_2_VERSION
    );
    if (const auto chosen = choose_cipher_suites(context, options.cipher_suites); !chosen) {
        return chosen.error();
    }
    if (const auto chosen = choose_curves(context, options.curves); !chosen) {
        return chosen.error();
    }
    SSL_CTX_set_mode(context, SSL_MODE_RELEASE_BUFFERS);
    SSL_CTX_set_options(context, SSL_OP_NO_RENEGOTIATION | SSL_OP_NO_COMPRESSION);
    // Sessions are resumed by tickets, which the client stores.
    SSL_CTX_set_session_cache_mode(context, SSL_SESS_CACHE_OFF);
    if (options.ask_client_certificate) {
        SSL_CTX_set_verify(context, SSL_VERIFY_PEER, take_any_certificate);
        // A resumed session no longer has the intermediate certificates.
        SSL_CTX_set_options(context, SSL_OP_NO_TICKET);
        SSL_CTX_set_num_tickets(context, 0);
    }
    const auto presented = present(context, options.certificate_pem, options.private_key_pem);
    if (!presented) {
        return with_context(presented.error(), "server");
    }
    return tls;
}

Result<void> check_cipher_suites(const std::vector<std::string>& suites) {
    ERR_clear_error();
    boost::asio::ssl::context context(boost::asio::ssl::context::tls_server);
    return choose_cipher_suites(context.native_handle(), suites);
}

Result<void> check_curves(const std::vector<int>& curves) {
    ERR_clear_error();
    boost::asio::ssl::context context(boost::asio::ssl::context::tls_server);
    return choose_curves(context.native_handle(), curves);
}

}  // namespace sluice::net
