// The bytes that a server may hold, and the share of each request. Only net/*.cpp use it.
#pragma once

#include <cstddef>
#include <utility>

namespace sluice::net {

/// The bytes that all connections together may hold.
class Budget {
  public:
    explicit Budget(std::size_t bytes_max) : free_(bytes_max) {}
    /// Takes the bytes and returns true, if that many are free.
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

/// The bytes of the budget that one request holds. Its destructor gives them back.
class Share {
  public:
    explicit Share(Budget& budget) : budget_(budget) {}
    Share(const Share&) = delete;
    Share& operator=(const Share&) = delete;
    ~Share() { give_back(); }
    /// Takes bytes of the budget. Returns false if that many are not free.
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

}  // namespace sluice::net
