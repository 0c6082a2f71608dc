#include "net/http/connection_table.hpp"

#include "base/assert.hpp"

#include <vector>

namespace sluice::net {

bool ConnectionTable::make_room(const std::string& address) {
    const auto found = peers_.find(address);
    if (found != peers_.end() && found->second.size() >= connections_per_peer_max_) {
        auto* one = longest_waiting(found->second);
        one = one == nullptr ? longest_reading(found->second) : one;
        if (one == nullptr) {
            return false;
        }
        close(one);
    }
    return !is_full() || close_one();
}

void ConnectionTable::add(Connection* connection) {
    auto& peer = peers_[connection->address];
    auto& place = places_[connection];
    place.peer = &peer;
    unrank(&peer);
    put(connection, place, ConnectionPhase::ShakingHands);
    rank(&peer);
}

void ConnectionTable::enter(Connection* connection, ConnectionPhase phase) {
    const auto found = places_.find(connection);
    if (found == places_.end()) {
        return;  // closed to make room
    }
    auto& place = found->second;
    unrank(place.peer);
    take(place);
    put(connection, place, phase);
    rank(place.peer);
}

void ConnectionTable::remove(Connection* connection) {
    const auto found = places_.find(connection);
    if (found == places_.end()) {
        return;
    }
    auto* peer = found->second.peer;
    unrank(peer);
    take(found->second);
    rank(peer);
    places_.erase(found);
    if (peer->size() == 0) {
        peers_.erase(connection->address);
    }
}

void ConnectionTable::close_idle() {
    std::vector<Connection*> idle;
    for (const auto& [connection, place] : places_) {
        if (place.phase == ConnectionPhase::Idle || place.phase == ConnectionPhase::ShakingHands) {
            idle.push_back(connection);
        }
    }
    for (auto* connection : idle) {
        close(connection);
    }
}

void ConnectionTable::close_all() {
    while (!places_.empty()) {
        close(places_.begin()->first);
    }
}

void ConnectionTable::put(Connection* connection, Place& place, ConnectionPhase phase) {
    place.phase = phase;
    place.since = next_++;
    place.peer->in(phase).emplace(place.since, connection);
}

void ConnectionTable::take(const Place& place) {
    place.peer->in(place.phase).erase(place.since);
}

void ConnectionTable::rank(Peer* peer) {
    if (const auto count = peer->waiting(); count > 0) {
        by_waiting_.emplace(count, peer);
    }
    if (const auto count = peer->reading(); count > 0) {
        by_reading_.emplace(count, peer);
    }
}

void ConnectionTable::unrank(Peer* peer) {
    by_waiting_.erase({peer->waiting(), peer});
    by_reading_.erase({peer->reading(), peer});
}

bool ConnectionTable::close_waiting() {
    if (by_waiting_.empty()) {
        return false;
    }
    close(longest_waiting(*by_waiting_.rbegin()->second));
    return true;
}

bool ConnectionTable::close_reading() {
    if (by_reading_.empty()) {
        return false;
    }
    close(longest_reading(*by_reading_.rbegin()->second));
    return true;
}

Connection* ConnectionTable::longest_waiting(Peer& peer) {
    for (const auto phase : {ConnectionPhase::Idle, ConnectionPhase::ShakingHands}) {
        if (!peer.in(phase).empty()) {
            return peer.in(phase).begin()->second;
        }
    }
    return nullptr;
}

Connection* ConnectionTable::longest_reading(Peer& peer) {
    const auto& reading = peer.in(ConnectionPhase::Reading);
    return reading.empty() ? nullptr : reading.begin()->second;
}

/// The connection's coroutine waits for its peer, and ends when the stream is closed.
void ConnectionTable::close(Connection* connection) {
    SLUICE_ASSERT(connection != nullptr);
    remove(connection);
    connection->stream->close();
}

}  // namespace sluice::net
