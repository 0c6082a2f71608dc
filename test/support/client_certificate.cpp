#include "support/client_certificate.hpp"

#include "base/assert.hpp"
#include "net/transport/tls_context.hpp"

#include <openssl/pem.h>
#include <openssl/x509v3.h>

#include <cstddef>
#include <memory>

namespace sluice::test {
namespace {

using net::BioPointer;
using net::OpenSslDeleter;
using Name = std::unique_ptr<X509_NAME, OpenSslDeleter<X509_NAME_free>>;
using Extension = std::unique_ptr<X509_EXTENSION, OpenSslDeleter<X509_EXTENSION_free>>;

BioPointer open(const std::string& pem) {
    return BioPointer(BIO_new_mem_buf(pem.data(), static_cast<int>(pem.size())));
}

void add_entry(X509_NAME* name, const char* field, const std::string& value) {
    const auto* bytes = reinterpret_cast<const unsigned char*>(value.c_str());
    const int added = X509_NAME_add_entry_by_txt(name, field, MBSTRING_UTF8, bytes, -1, -1, 0);
    SLUICE_ASSERT(added == 1);
}

void set_subject(
    X509* certificate, const std::string& common_name, const std::vector<std::string>& organizations
) {
    const Name name(X509_NAME_new());
    for (const std::string& organization : organizations) {
        add_entry(name.get(), "O", organization);
    }
    add_entry(name.get(), "CN", common_name);
    SLUICE_ASSERT(X509_set_subject_name(certificate, name.get()) == 1);
}

void set_usage(X509* certificate, const char* usage) {
    const int at = X509_get_ext_by_NID(certificate, NID_ext_key_usage, -1);
    SLUICE_ASSERT(at >= 0);
    const Extension old(X509_delete_ext(certificate, at));
    const Extension made(X509V3_EXT_conf_nid(nullptr, nullptr, NID_ext_key_usage, usage));
    SLUICE_ASSERT(made && X509_add_ext(certificate, made.get(), -1) == 1);
}

std::string print(X509* certificate) {
    const BioPointer text(BIO_new(BIO_s_mem()));
    SLUICE_ASSERT(PEM_write_bio_X509(text.get(), certificate) == 1);
    char* data = nullptr;
    const auto size = BIO_get_mem_data(text.get(), &data);
    return {data, static_cast<std::size_t>(size)};
}

}  // namespace

std::string make_client_certificate(
    const net::CertificateAndKey& authority,
    const std::string& common_name,
    const std::vector<std::string>& organizations,
    net::Validity validity
) {
    const auto server = net::make_serving_certificate(authority, {"client"}, validity);
    SLUICE_ASSERT(server.has_value());
    const auto from = open(server->certificate_pem);
    const net::CertificatePointer certificate(
        PEM_read_bio_X509(from.get(), nullptr, nullptr, nullptr)
    );
    const auto key_from = open(authority.private_key_pem);
    const net::KeyPointer key(PEM_read_bio_PrivateKey(key_from.get(), nullptr, nullptr, nullptr));
    SLUICE_ASSERT(certificate && key);
    set_subject(certificate.get(), common_name, organizations);
    set_usage(certificate.get(), "clientAuth");
    SLUICE_ASSERT(X509_sign(certificate.get(), key.get(), EVP_sha256()) > 0);
    return print(certificate.get());
}

}  // namespace sluice::test
