#pragma once

#include "net/stream.hpp"

#include <cstddef>
#include <cstdint>
#include <map>
#include <memory>
#include <string>
#include <unordered_map>
#include <utility>

namespace sluice::net {

// What bounds a server as a whole. Only net/*.cpp use it.

/// The bytes that all connections together may hold.
class Budget {
  public:
    explicit Budget(std::size_t bytes_max) : free_(bytes_max) {}
    /// Whether so many were free and are taken now.
    bool take(std::size_t bytes) {
        if (bytes > free_) {
            return false;
        }
        free_ -= bytes;
        return true;
    }
    void give_back(std::size_t bytes) { free_ += bytes; }

  private:
    std::size_t free_;
};

/// What one request holds of the budget, given back at its end.
class Share {
  public:
    explicit Share(Budget& budget) : budget_(budget) {}
    Share(const Share&) = delete;
    Share& operator=(const Share&) = delete;
    ~Share() { give_back(); }
    bool take(std::size_t bytes) {
        const bool taken = budget_.take(bytes);
        bytes_ += taken ? bytes : 0;
        return taken;
    }
    void give_back() { budget_.give_back(std::exchange(bytes_, 0)); }

  private:
    Budget& budget_;
    std::size_t bytes_ = 0;
};

/// One client.
struct Connection {
    std::unique_ptr<Stream> stream;
    std::string peer;
    std::string input;     ///< read, not yet parsed
    bool is_busy = false;  ///< from a request's first byte to the last of its answer
};

/// The connections that wait for a request, those that wait the longest first.
class IdleConnections {
  public:
    void add(Connection* connection) {
        places_[connection] = next_;
        by_age_[next_++] = connection;
    }
    void remove(Connection* connection) {
        const auto found = places_.find(connection);
        if (found != places_.end()) {
            by_age_.erase(found->second);
            places_.erase(found);
        }
    }
    /// Closes the oldest; whether there was one.
    bool close_oldest() {
        if (by_age_.empty()) {
            return false;
        }
        auto* oldest = by_age_.begin()->second;
        remove(oldest);
        oldest->stream->close();
        return true;
    }

  private:
    std::map<std::uint64_t, Connection*> by_age_;
    std::unordered_map<Connection*, std::uint64_t> places_;
    std::uint64_t next_ = 0;
};

}  // namespace sluice::net
