#pragma once

#include "net/transport/stream.hpp"

#include <array>
#include <cstddef>
#include <cstdint>
#include <map>
#include <memory>
#include <set>
#include <string>
#include <utility>

namespace sluice::net {

/// What a server's connection is doing.
enum class ConnectionPhase : std::uint8_t {
    ShakingHands,
    Idle,       ///< between requests
    Reading,    ///< a request has begun to come
    Answering,  ///< its handler works, or its answer is being sent
};

/// One client of a server.
struct Connection {
    std::unique_ptr<Stream> stream;
    std::string peer;                                   ///< address and port
    std::string address;                                ///< what the limit of a peer counts by
    std::string input;                                  ///< read, not yet parsed
    std::shared_ptr<const std::string> certificates{};  ///< the client's
};

/// A server's open connections, which it bounds: in number, and in number a peer address. One too
/// many closes another that waits for its peer. That is, of the peer with the most of them, the
/// longest idle connection, else the oldest half-made handshake; where no peer has either, the
/// request that has been coming the longest. So a peer that holds very many connections open loses
/// its own, and a new one gets in. A request that was read whole is never given up for another.
/// Only net/*.cpp use it.
class ConnectionTable {
  public:
    ConnectionTable(std::size_t connections_max, std::size_t connections_per_peer_max)
        : connections_max_(connections_max), connections_per_peer_max_(connections_per_peer_max) {}

    /// Makes room for one more of that address, if need be by closing another; false: there is
    /// none to be had.
    bool make_room(const std::string& address);
    /// Closes one connection that waits for its peer; false: there is none.
    bool close_one() { return close_waiting() || close_reading(); }
    /// Lifetime: until remove().
    void add(Connection* connection);
    void enter(Connection* connection, ConnectionPhase phase);
    void remove(Connection* connection);
    /// Closes all connections but those whose request was begun.
    void close_idle();
    void close_all();

    bool is_full() const { return size() >= connections_max_; }
    std::size_t size() const { return places_.size(); }

  private:
    static constexpr std::size_t kPhases = 4;
    struct Peer {
        /// By phase: the connections that are in it, the longest first.
        std::array<std::map<std::uint64_t, Connection*>, kPhases> by_phase;

        std::map<std::uint64_t, Connection*>& in(ConnectionPhase phase) {
            return by_phase[static_cast<std::size_t>(phase)];
        }
        std::size_t waiting() { return in(ConnectionPhase::Idle).size() + shaking_hands(); }
        std::size_t reading() { return in(ConnectionPhase::Reading).size(); }
        std::size_t size() { return waiting() + reading() + in(ConnectionPhase::Answering).size(); }
        std::size_t shaking_hands() { return in(ConnectionPhase::ShakingHands).size(); }
    };
    struct Place {
        Peer* peer = nullptr;
        ConnectionPhase phase = ConnectionPhase::ShakingHands;
        std::uint64_t since = 0;
    };

    void put(Connection* connection, Place& place, ConnectionPhase phase);
    void take(const Place& place);
    void rank(Peer* peer);
    void unrank(Peer* peer);
    bool close_waiting();
    bool close_reading();
    static Connection* longest_waiting(Peer& peer);
    static Connection* longest_reading(Peer& peer);
    void close(Connection* connection);

    std::size_t connections_max_;
    std::size_t connections_per_peer_max_;
    std::map<std::string, Peer> peers_;
    std::map<Connection*, Place> places_;
    // Peers that have such connections, with how many, the most last.
    std::set<std::pair<std::size_t, Peer*>> by_waiting_;
    std::set<std::pair<std::size_t, Peer*>> by_reading_;
    std::uint64_t next_ = 0;
};

}  // namespace sluice::net
