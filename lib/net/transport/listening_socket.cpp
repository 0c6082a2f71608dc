#include "net/transport/listening_socket.hpp"

#include <arpa/inet.h>
#include <cerrno>
#include <cstring>
#include <netinet/in.h>
#include <sys/socket.h>
#include <unistd.h>
#include <utility>

namespace sluice::net {

Result<std::unique_ptr<ListeningSocket>> ListeningSocket::open(const std::string& address) {
    sockaddr_in wanted{};
    wanted.sin_family = AF_INET;
    if (::inet_pton(AF_INET, address.c_str(), &wanted.sin_addr) != 1) {
        return make_invalid("listen address " + address + " is not an IPv4 address");
    }
    const int made = ::socket(AF_INET, SOCK_STREAM | SOCK_CLOEXEC, 0);
    std::unique_ptr<ListeningSocket> socket(new ListeningSocket(made, 0));
    socklen_t size = sizeof(wanted);
    auto* const name = reinterpret_cast<sockaddr*>(&wanted);
    const bool is_listening = made >= 0 && ::bind(made, name, size) == 0 &&
                              ::listen(made, SOMAXCONN) == 0 &&
                              ::getsockname(made, name, &size) == 0;
    if (!is_listening) {
        return Error{
            ErrorCode::Unavailable, "cannot listen on " + address + ": " + std::strerror(errno), {}
        };
    }
    socket->port_ = ntohs(wanted.sin_port);
    return socket;
}

ListeningSocket::~ListeningSocket() {
    if (socket_ >= 0) {
        ::close(socket_);
    }
}

int ListeningSocket::release() {
    return std::exchange(socket_, -1);
}

}  // namespace sluice::net
