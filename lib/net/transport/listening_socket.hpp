#pragma once

#include "base/error.hpp"

#include <cstdint>
#include <memory>
#include <string>

namespace sluice::net {

/// A TCP socket that listens before there is a server: its port is known, and nobody else gets it
/// meanwhile. Clients that connect wait for the server. Thread: any, one at a time.
class ListeningSocket {
  public:
    /// Listens on a free port of an IPv4 address. Errors: Invalid for what is none; Unavailable.
    static Result<std::unique_ptr<ListeningSocket>> open(const std::string& address);
    ~ListeningSocket();
    ListeningSocket(const ListeningSocket&) = delete;
    ListeningSocket& operator=(const ListeningSocket&) = delete;

    std::uint16_t port() const { return port_; }
    /// Hands out the descriptor, which is the caller's from now on; -1 from the second time on.
    int release();

  private:
    ListeningSocket(int socket, std::uint16_t port) : socket_(socket), port_(port) {}

    int socket_;
    std::uint16_t port_;
};

}  // namespace sluice::net
