// A server's open connections within their limits; chooses which to close for a new one.
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

/// The state of a server's connection.
enum class ConnectionPhase : std::uint8_t {
    ShakingHands,
    Idle,       ///< between requests
    Reading,    ///< a request is being received
    Answering,  ///< its handler runs, or its response is being sent
};

/// One client of a server.
struct Connection {
    std::unique_ptr<Stream> stream;
    std::string peer;                                   ///< address and port
    std::string address;                                ///< the key of the limit for one peer
    std::string input;                                  ///< read, not yet parsed
    std::shared_ptr<const std::string> certificates{};  ///< the client's, PEM
};

/// A server's open connections, limited in total and for each peer address. At a limit, a
/// connection that waits for its peer is closed for a new one: the longest idle connection of the
/// peer with the most waiting ones, else its oldest unfinished handshake. If no peer has either,
/// the request that has been received for longest is closed, of the peer with the most of them. So
/// a peer that holds very many connections open loses its own, and a new peer gets in. A request
/// that was received whole is never closed for another. Only net/*.cpp use it.
class ConnectionTable {
  public:
    ConnectionTable(std::size_t connections_max, std::size_t connections_per_peer_max)
        : connections_max_(connections_max), connections_per_peer_max_(connections_per_peer_max) {}

    /// Makes room for one more connection of that address, by closing another if necessary. Returns
    /// false if no connection can be closed.
    bool make_room(const std::string& address);
    /// Closes one connection that waits for its peer. Returns false if no connection does.
    bool close_one() { return close_waiting() || close_reading(); }
    /// Adds a connection, in the phase ShakingHands. Lifetime: the connection must live until
    /// remove().
    void add(Connection* connection);
    /// Records that the connection enters a phase.
    void enter(Connection* connection, ConnectionPhase phase);
    /// Removes a connection; does nothing if it was closed to make room.
    void remove(Connection* connection);
    /// Closes all connections that have not begun a request.
    void close_idle();
    void close_all();

    bool is_full() const { return size() >= connections_max_; }
    std::size_t size() const { return places_.size(); }

  private:
    static constexpr std::size_t kPhases = 4;
    struct Peer {
        /// By phase: its connections, the one longest in the phase first.
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
    // Peers that have such connections, with their number, most connections last.
    std::set<std::pair<std::size_t, Peer*>> by_waiting_;
    std::set<std::pair<std::size_t, Peer*>> by_reading_;
    std::uint64_t next_ = 0;
};

}  // namespace sluice::net
