// A socket that listens before its server is started.
#pragma once

#include "base/error.hpp"

#include <cstdint>
#include <memory>
#include <string>

namespace sluice::net {

/// A TCP socket that listens before its server is started, so that the port is known and reserved.
/// Clients that connect wait for the server. Thread: any, one at a time.
class ListeningSocket {
  public:
    /// Listens on a free port of an IPv4 address. Errors: Invalid if the text is not an IPv4
    /// address; Unavailable.
    static Result<std::unique_ptr<ListeningSocket>> open(const std::string& address);
    ~ListeningSocket();
    ListeningSocket(const ListeningSocket&) = delete;
    ListeningSocket& operator=(const ListeningSocket&) = delete;

    std::uint16_t port() const { return port_; }
    /// Returns the descriptor, which the caller then owns; -1 from the second call on.
    int release();

  private:
    ListeningSocket(int socket, std::uint16_t port) : socket_(socket), port_(port) {}

    int socket_;
    std::uint16_t port_;
};

}  // namespace sluice::net
