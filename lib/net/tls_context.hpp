#pragma once

#include "net/tls.hpp"

#include <boost/asio/ssl/context.hpp>

#include <string>

namespace sluice::net {

/// Only net/*.cpp may see inside.
class TlsContext {
  public:
    explicit TlsContext(boost::asio::ssl::context::method method) : context(method) {}
    boost::asio::ssl::context context;
    std::string server_name;
    bool verify = true;
};

/// The oldest queued OpenSSL error as text; empties the queue.
std::string take_openssl_error();

}  // namespace sluice::net
