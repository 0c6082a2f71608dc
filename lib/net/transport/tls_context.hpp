// The OpenSSL side of a TLS context, for the sources of net only.
#pragma once

#include "net/transport/tls.hpp"

#include <boost/asio/ssl/context.hpp>
#include <openssl/bio.h>
#include <openssl/evp.h>
#include <openssl/x509.h>

#include <memory>
#include <string>

namespace sluice::net {

/// Only net/*.cpp may access its members.
class TlsContext {
  public:
    explicit TlsContext(boost::asio::ssl::context::method method) : context(method) {}
    boost::asio::ssl::context context;
    std::string server_name;
    bool verify = true;
};

/// Frees an OpenSSL object with its function.
template <auto Free>
struct OpenSslDeleter {
    template <class T>
    void operator()(T* object) const {
        Free(object);
    }
};
using BioPointer = std::unique_ptr<BIO, OpenSslDeleter<BIO_free>>;
using CertificatePointer = std::unique_ptr<X509, OpenSslDeleter<X509_free>>;
using KeyPointer = std::unique_ptr<EVP_PKEY, OpenSslDeleter<EVP_PKEY_free>>;

/// Returns the oldest queued OpenSSL error as text and empties the queue.
std::string take_openssl_error();

}  // namespace sluice::net
