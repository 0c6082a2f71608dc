#include "net/transport/certificate.hpp"

#include "base/assert.hpp"
#include "net/transport/tls_context.hpp"

#include <boost/asio/ip/address.hpp>
#include <boost/uuid/random_generator.hpp>
#include <boost/uuid/uuid_io.hpp>
#include <fmt/core.h>
#include <openssl/asn1.h>
#include <openssl/bio.h>
#include <openssl/err.h>
#include <openssl/evp.h>
#include <openssl/pem.h>
#include <openssl/rand.h>
#include <openssl/x509.h>
#include <openssl/x509v3.h>

#include <array>
#include <climits>
#include <ctime>
#include <memory>
#include <utility>

namespace sluice::net {
namespace {

using Extension = std::unique_ptr<X509_EXTENSION, OpenSslDeleter<X509_EXTENSION_free>>;
using StoreContext = std::unique_ptr<X509_STORE_CTX, OpenSslDeleter<X509_STORE_CTX_free>>;
struct FreeStack {
    void operator()(STACK_OF(X509) * stack) const { sk_X509_pop_free(stack, X509_free); }
};
using Stack = std::unique_ptr<STACK_OF(X509), FreeStack>;
using Names = std::unique_ptr<GENERAL_NAMES, OpenSslDeleter<GENERAL_NAMES_free>>;

/// Certificates are valid from this long before they are made.
constexpr Duration kBackdated = std::chrono::hours(1);

struct Request {
    std::string common_name;
    std::vector<std::string> names;  // empty for an authority
    Validity validity;
};

Error openssl_failed(std::string_view what) {
    return Error{ErrorCode::Internal, fmt::format("{}: {}", what, take_openssl_error()), {}};
}

int refuse_pass_phrase(char*, int, int, void*) {
    return -1;
}

BioPointer open_pem(const std::string& pem) {
    return BioPointer(
        BIO_new_mem_buf(pem.data(), pem.size() < INT_MAX ? static_cast<int>(pem.size()) : 0)
    );
}

Result<CertificatePointer> read_certificate(const std::string& pem) {
    const auto bio = open_pem(pem);
    CertificatePointer certificate(
        PEM_read_bio_X509(bio.get(), nullptr, refuse_pass_phrase, nullptr)
    );
    if (!certificate) {
        return make_invalid("certificate cannot be read: " + take_openssl_error());
    }
    return certificate;
}

/// Returns all certificates of a PEM text, up to the first that cannot be read.
Stack read_chain(const std::string& pem) {
    const auto bio = open_pem(pem);
    Stack chain(sk_X509_new_null());
    for (;;) {
        CertificatePointer next(PEM_read_bio_X509(bio.get(), nullptr, refuse_pass_phrase, nullptr));
        if (!next || sk_X509_push(chain.get(), next.get()) <= 0) {
            break;
        }
        // The stack owns it now.
        [[maybe_unused]] const X509* const owned = next.release();
    }
    ERR_clear_error();
    return chain;
}

/// Returns the values of a subject's entries of one type, as UTF-8.
std::vector<std::string> read_entries(const X509_NAME* name, int type) {
    std::vector<std::string> values;
    for (int at = X509_NAME_get_index_by_NID(name, type, -1); at >= 0;
         at = X509_NAME_get_index_by_NID(name, type, at)) {
        unsigned char* text = nullptr;
        const int size =
            ASN1_STRING_to_UTF8(&text, X509_NAME_ENTRY_get_data(X509_NAME_get_entry(name, at)));
        if (size >= 0) {
            values.emplace_back(
                reinterpret_cast<const char*>(text), static_cast<std::size_t>(size)
            );
            OPENSSL_free(text);
        }
    }
    return values;
}

Result<KeyPointer> read_key(const std::string& pem) {
    const auto bio = open_pem(pem);
    KeyPointer key(PEM_read_bio_PrivateKey(bio.get(), nullptr, refuse_pass_phrase, nullptr));
    if (!key) {
        return make_invalid("private key cannot be read: " + take_openssl_error());
    }
    return key;
}

std::string text_of(BIO* bio) {
    char* data = nullptr;
    const auto size = BIO_get_mem_data(bio, &data);
    return size > 0 ? std::string(data, static_cast<std::size_t>(size)) : std::string();
}

Result<CertificateAndKey> print(X509* certificate, EVP_PKEY* key) {
    const BioPointer certificate_text(BIO_new(BIO_s_mem()));
    const BioPointer key_text(BIO_new(BIO_s_mem()));
    if (PEM_write_bio_X509(certificate_text.get(), certificate) != 1 ||
        PEM_write_bio_PrivateKey(key_text.get(), key, nullptr, nullptr, 0, nullptr, nullptr) != 1) {
        return openssl_failed("printing a certificate");
    }
    return CertificateAndKey{text_of(certificate_text.get()), text_of(key_text.get())};
}

bool add_extension(X509* certificate, X509* issuer, int nid, const char* value) {
    X509V3_CTX context;
    X509V3_set_ctx_nodb(&context);
    X509V3_set_ctx(&context, issuer, certificate, nullptr, nullptr, 0);
    const Extension extension(X509V3_EXT_conf_nid(nullptr, &context, nid, value));
    return extension && X509_add_ext(certificate, extension.get(), -1) == 1;
}

bool add_common_name(X509_NAME* name, const std::string& value) {
    const auto* bytes = reinterpret_cast<const unsigned char*>(value.c_str());
    return X509_NAME_add_entry_by_txt(
               name, "CN", MBSTRING_UTF8, bytes, static_cast<int>(value.size()), -1, 0
           ) == 1;
}

/// Adds one alternative name. Builds it directly, because OpenSSL's text form would interpret
/// commas in a name.
bool add_alternative_name(GENERAL_NAMES* names, const std::string& text) {
    std::unique_ptr<GENERAL_NAME, OpenSslDeleter<GENERAL_NAME_free>> name(GENERAL_NAME_new());
    boost::system::error_code not_an_address;
    boost::asio::ip::make_address(text, not_an_address);
    if (!not_an_address) {
        auto* bytes = a2i_IPADDRESS(text.c_str());
        if (bytes == nullptr) {
            return false;
        }
        GENERAL_NAME_set0_value(name.get(), GEN_IPADD, bytes);
    } else {
        auto* bytes = ASN1_IA5STRING_new();
        if (ASN1_STRING_set(bytes, text.data(), static_cast<int>(text.size())) != 1) {
            ASN1_IA5STRING_free(bytes);
            return false;
        }
        GENERAL_NAME_set0_value(name.get(), GEN_DNS, bytes);
    }
    if (sk_GENERAL_NAME_push(names, name.get()) <= 0) {
        return false;
    }
    // The list owns it now.
    [[maybe_unused]] const GENERAL_NAME* const owned = name.release();
    return true;
}

bool is_possible_name(const std::string& text) {
    boost::system::error_code not_an_address;
    boost::asio::ip::make_address(text, not_an_address);
    if (!not_an_address) {
        return true;
    }
    return !text.empty() && text.size() <= 253 &&
           text.find_first_not_of(
               "abcdefghijklmnopqrstuvwxyzABCDEFGHIJKLMNOPQRSTUVWXYZ0123456789-.*_"
           ) == std::string::npos;
}

bool add_alternative_names(X509* certificate, const std::vector<std::string>& texts) {
    const Names names(sk_GENERAL_NAME_new_null());
    for (const auto& text : texts) {
        if (!add_alternative_name(names.get(), text)) {
            return false;
        }
    }
    return X509_add1_ext_i2d(
               certificate, NID_subject_alt_name, names.get(), 0, X509V3_ADD_DEFAULT
           ) == 1;
}

bool set_serial_number(X509* certificate) {
    std::array<unsigned char, 16> bytes{};
    if (RAND_bytes(bytes.data(), bytes.size()) != 1) {
        return false;
    }
    bytes[0] &= 0x7fU;  // positive
    const std::unique_ptr<BIGNUM, OpenSslDeleter<BN_free>> number(
        BN_bin2bn(bytes.data(), bytes.size(), nullptr)
    );
    return number &&
           BN_to_ASN1_INTEGER(number.get(), X509_get_serialNumber(certificate)) != nullptr;
}

std::time_t to_seconds(Time time) {
    return static_cast<std::time_t>(
        std::chrono::duration_cast<std::chrono::seconds>(time.time_since_epoch()).count()
    );
}

bool set_validity(X509* certificate, Validity validity) {
    return ASN1_TIME_set(X509_getm_notBefore(certificate), to_seconds(validity.now - kBackdated)) !=
               nullptr &&
           ASN1_TIME_set(
               X509_getm_notAfter(certificate), to_seconds(validity.now + validity.length)
           ) != nullptr;
}

bool add_usage(X509* certificate, X509* issuer, const Request& request) {
    if (request.names.empty()) {
        return add_extension(
                   certificate, issuer, NID_basic_constraints, "critical,CA:TRUE,pathlen:0"
               ) &&
               add_extension(certificate, issuer, NID_key_usage, "critical,keyCertSign,cRLSign");
    }
    return add_extension(certificate, issuer, NID_basic_constraints, "critical,CA:FALSE") &&
           add_extension(certificate, issuer, NID_key_usage, "critical,digitalSignature") &&
           add_extension(certificate, issuer, NID_ext_key_usage, "serverAuth") &&
           add_extension(certificate, issuer, NID_authority_key_identifier, "keyid");
}

/// Makes and signs a certificate; without an issuer it is self-signed.
Result<CertificateAndKey> make_certificate(
    const Request& request, X509* issuer, EVP_PKEY* issuer_key
) {
    const KeyPointer key(EVP_EC_gen("P-256"));
    const CertificatePointer certificate(X509_new());
    if (!key || !certificate) {
        return openssl_failed("making a key");
    }
    auto* made = certificate.get();
    auto* signer = issuer == nullptr ? made : issuer;
    bool good = X509_set_version(made, X509_VERSION_3) == 1 && set_serial_number(made) &&
                set_validity(made, request.validity) && X509_set_pubkey(made, key.get()) == 1;
    auto* subject = X509_get_subject_name(made);
    good = good && add_common_name(subject, request.common_name) &&
           X509_set_issuer_name(made, X509_get_subject_name(signer)) == 1 &&
           add_extension(made, signer, NID_subject_key_identifier, "hash") &&
           add_usage(made, signer, request);
    if (good && !request.names.empty()) {
        good = add_alternative_names(made, request.names);
    }
    if (!good ||
        X509_sign(made, issuer_key == nullptr ? key.get() : issuer_key, EVP_sha256()) == 0) {
        return openssl_failed("making the certificate of " + request.common_name);
    }
    return print(made, key.get());
}

Result<CertificateAndKey> make_signed(const CertificateAndKey& authority, const Request& request) {
    ERR_clear_error();
    const auto issuer = read_certificate(authority.certificate_pem);
    if (!issuer) {
        return with_context(issuer.error(), "authority");
    }
    const auto issuer_key = read_key(authority.private_key_pem);
    if (!issuer_key) {
        return with_context(issuer_key.error(), "authority");
    }
    return make_certificate(request, issuer->get(), issuer_key->get());
}

Time to_time(const ASN1_TIME* text) {
    std::tm parts{};
    if (ASN1_TIME_to_tm(text, &parts) != 1) {
        return Time();
    }
    return Time(std::chrono::seconds(timegm(&parts)));
}

std::vector<std::string> read_names(X509* certificate) {
    std::vector<std::string> out;
    const Names names(static_cast<GENERAL_NAMES*>(
        X509_get_ext_d2i(certificate, NID_subject_alt_name, nullptr, nullptr)
    ));
    for (int i = 0; names && i < sk_GENERAL_NAME_num(names.get()); ++i) {
        int type = 0;
        const auto* value = static_cast<const ASN1_STRING*>(
            GENERAL_NAME_get0_value(sk_GENERAL_NAME_value(names.get(), i), &type)
        );
        if (type != GEN_DNS && type != GEN_IPADD) {
            continue;
        }
        const auto* bytes = ASN1_STRING_get0_data(value);
        const auto size = static_cast<std::size_t>(ASN1_STRING_length(value));
        if (type == GEN_DNS) {
            out.emplace_back(bytes, bytes + size);
        } else if (size == 4) {
            boost::asio::ip::address_v4::bytes_type address{};
            std::copy_n(bytes, size, address.begin());
            out.push_back(boost::asio::ip::address_v4(address).to_string());
        } else if (size == 16) {
            boost::asio::ip::address_v6::bytes_type address{};
            std::copy_n(bytes, size, address.begin());
            out.push_back(boost::asio::ip::address_v6(address).to_string());
        }
    }
    return out;
}

}  // namespace

Result<CertificateAndKey> make_authority(const std::string& common_name, Validity validity) {
    ERR_clear_error();
    return make_certificate(Request{common_name, {}, validity}, nullptr, nullptr);
}

Result<CertificateAndKey> make_serving_certificate(
    const CertificateAndKey& authority, const std::vector<std::string>& names, Validity validity
) {
    if (names.empty()) {
        return make_invalid("a serving certificate needs a name");
    }
    for (const auto& name : names) {
        if (!is_possible_name(name)) {
            return make_invalid("\"" + name + "\" is neither a host name nor an IP address");
        }
    }
    // A common name is at most 64 bytes long; clients check only the alternative names.
    return make_signed(authority, Request{names.front().substr(0, 64), names, validity});
}

Result<CertificateInfo> parse_certificate(const std::string& pem) {
    ERR_clear_error();
    const auto read = read_certificate(pem);
    if (!read) {
        return read.error();
    }
    auto* certificate = read->get();
    CertificateInfo info;
    info.not_before = to_time(X509_get0_notBefore(certificate));
    info.not_after = to_time(X509_get0_notAfter(certificate));
    std::array<char, 256> common_name{};
    X509_NAME_get_text_by_NID(
        X509_get_subject_name(certificate), NID_commonName, common_name.data(), common_name.size()
    );
    info.common_name = common_name.data();
    info.names = read_names(certificate);
    info.is_authority = X509_check_ca(certificate) == 1;
    return info;
}

Result<bool> is_signed_by(const std::string& certificate_pem, const std::string& authority_pem) {
    ERR_clear_error();
    const auto certificate = read_certificate(certificate_pem);
    if (!certificate) {
        return certificate.error();
    }
    const auto authority = read_certificate(authority_pem);
    if (!authority) {
        return with_context(authority.error(), "authority");
    }
    const bool is_good = X509_check_issued(authority->get(), certificate->get()) == X509_V_OK &&
                         X509_verify(certificate->get(), X509_get0_pubkey(authority->get())) == 1;
    ERR_clear_error();
    return is_good;
}

Result<ClientIdentity> verify_client_certificate(
    const std::string& chain_pem, const std::string& authorities_pem, Time now
) {
    ERR_clear_error();
    const Stack chain = read_chain(chain_pem);
    const Stack authorities = read_chain(authorities_pem);
    if (sk_X509_num(chain.get()) < 1) {
        return make_invalid("client certificate cannot be read");
    }
    X509* const leaf = sk_X509_value(chain.get(), 0);
    const StoreContext context(X509_STORE_CTX_new());
    if (!context || X509_STORE_CTX_init(context.get(), nullptr, leaf, chain.get()) != 1) {
        return openssl_failed("checking a client certificate");
    }
    X509_STORE_CTX_set0_trusted_stack(context.get(), authorities.get());
    X509_STORE_CTX_set_default(context.get(), "ssl_client");
    X509_STORE_CTX_set_time(context.get(), 0, to_seconds(now));
    // An intermediate authority may be the trusted one.
    X509_STORE_CTX_set_flags(context.get(), X509_V_FLAG_PARTIAL_CHAIN);
    if (X509_verify_cert(context.get()) != 1) {
        const int why = X509_STORE_CTX_get_error(context.get());
        ERR_clear_error();
        return make_invalid(
            std::string("client certificate: ") + X509_verify_cert_error_string(why)
        );
    }
    const X509_NAME* const subject = X509_get_subject_name(leaf);
    ClientIdentity identity;
    for (const auto& name : read_entries(subject, NID_commonName)) {
        identity.common_name = name;
    }
    identity.organizations = read_entries(subject, NID_organizationName);
    return identity;
}

std::string make_uuid() noexcept {
    return boost::uuids::to_string(boost::uuids::random_generator()());
}

}  // namespace sluice::net
