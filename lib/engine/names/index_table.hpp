// A hash table of indices, whose keys stay in the records that the indices are of.
#pragma once

#include "base/assert.hpp"
#include "base/cow.hpp"

#include <cstddef>
#include <cstdint>
#include <cstring>
#include <string_view>
#include <utility>

namespace sluice::engine {

/// Hashes keys. The seed is part of each step, so that users who do not know it cannot choose keys
/// that collide. It changes no result.
class IndexHash {
  public:
    explicit IndexHash(std::uint64_t seed) : seed_(seed), factor_((seed ^ kOdd) | 1U) {}

    std::uint64_t seed() const { return seed_; }
    /// Returns a value that depends on each bit of both: the halves of a product of 128 bits.
    std::uint64_t mix(std::uint64_t hash, std::uint64_t value) const {
        __extension__ using Product = unsigned __int128;
        const Product product = Product{hash ^ value} * factor_;
        return static_cast<std::uint64_t>(product) ^ static_cast<std::uint64_t>(product >> 64U);
    }
    /// Returns a value that depends on each character of the text.
    std::uint64_t of(std::string_view text) const { return add(seed_, text); }
    /// Returns a value that depends on the hash and on each character of the text.
    std::uint64_t add(std::uint64_t hash, std::string_view text) const {
        hash = mix(hash, text.size());
        const char* at = text.data();
        const char* const end = at + text.size();
        for (; end - at > 8; at += 8) {
            hash = mix(hash, read<std::uint64_t>(at)) + seed_;
        }
        // The last bytes, of which some may have been read already.
        if (text.size() >= 8) {
            return mix(hash, read<std::uint64_t>(end - 8));
        }
        if (text.size() >= 4) {
            return mix(hash, read<std::uint32_t>(at) << 32U | read<std::uint32_t>(end - 4));
        }
        std::uint64_t last = 0;
        for (; at != end; ++at) {
            last = last << 8U | read<std::uint8_t>(at);
        }
        return mix(hash, last);
    }

  private:
    static constexpr std::uint64_t kOdd = 0x9e3779b97f4a7c15U;

    template <class Number>
    static std::uint64_t read(const char* text) {
        Number number = 0;
        std::memcpy(&number, text, sizeof(number));
        return number;
    }

    std::uint64_t seed_;
    std::uint64_t factor_;
};

/// Finds an index by the hash of its key. An entry takes a few bytes; the table keeps the memory of
/// its peak. Nothing iterates over the table, so its order does not reach a decision.
template <class IndexType>
class IndexTable {
  public:
    /// Returns the index with the hash that `is_wanted(index)` accepts, else an invalid index.
    template <class IsWanted>
    IndexType find(std::uint64_t hash, const IsWanted& is_wanted) const {
        if (slots_.empty()) {
            return {};
        }
        std::size_t slot = home_of(hash);
        while (slots_[slot].is_valid() && !is_wanted(slots_[slot])) {
            slot = next(slot);
        }
        return slots_[slot];
    }
    /// Adds an index whose key has the hash. `hash_of_key(index)` returns the hash of an index in
    /// the table.
    template <class HashOfKey>
    void insert(std::uint64_t hash, IndexType index, const HashOfKey& hash_of_key) {
        if ((size_ + 1) * 4 > slots_.size() * 3) {
            grow(hash_of_key);
        }
        place(hash, index);
        ++size_;
    }
    /// Removes an index. Requires: it was inserted with the hash.
    template <class HashOfKey>
    void erase(std::uint64_t hash, IndexType index, const HashOfKey& hash_of_key) {
        std::size_t hole = home_of(hash);
        while (slots_[hole] != index) {
            SLUICE_ASSERT(slots_[hole].is_valid());
            hole = next(hole);
        }
        // Entries behind the hole that a search would no longer find move into the hole.
        for (std::size_t at = next(hole); slots_[at].is_valid(); at = next(at)) {
            const std::size_t home = home_of(hash_of_key(slots_[at]));
            if (((at - home) & mask()) >= ((at - hole) & mask())) {
                const IndexType moved = slots_[at];  // write() may free the chunk that it is in
                slots_.write(hole) = moved;
                hole = at;
            }
        }
        slots_.write(hole) = IndexType{};
        --size_;
    }
    std::size_t size() const { return size_; }

    /// Lists the members for save() and load().
    template <class Archive, class Self>
    static void archive(Archive& archive, Self& self) {
        archive(self.slots_, self.size_);
    }

  private:
    static constexpr std::size_t kFirstSlots = 16;

    std::size_t mask() const { return slots_.size() - 1; }
    std::size_t home_of(std::uint64_t hash) const {
        return static_cast<std::size_t>(hash) & mask();
    }
    std::size_t next(std::size_t slot) const { return (slot + 1) & mask(); }
    void place(std::uint64_t hash, IndexType index) {
        std::size_t slot = home_of(hash);
        while (slots_[slot].is_valid()) {
            slot = next(slot);
        }
        slots_.write(slot) = index;
    }
    template <class HashOfKey>
    void grow(const HashOfKey& hash_of_key) {
        const std::size_t slots = slots_.empty() ? kFirstSlots : slots_.size() * 2;
        const auto before = std::exchange(slots_, Slots(slots));
        for (std::size_t at = 0; at < before.size(); ++at) {
            if (before[at].is_valid()) {
                place(hash_of_key(before[at]), before[at]);
            }
        }
    }

    using Slots = CowVector<IndexType, 1024>;
    Slots slots_;  // the size is a power of two; linear probing
    std::size_t size_ = 0;
};

}  // namespace sluice::engine
