#include "engine/state/workload_index.hpp"

#include "base/assert.hpp"

#include <algorithm>
#include <cstring>
#include <utility>

namespace sluice::engine {
namespace {

constexpr std::size_t kFirstSlots = 16;

std::uint64_t mix(std::uint64_t value) {
    value ^= value >> 32;
    value *= 0xd6e8feb86659fd93U;
    value ^= value >> 32;
    value *= 0xd6e8feb86659fd93U;
    return value ^ (value >> 32);
}

}  // namespace

std::size_t WorkloadIndexByKey::home_of(std::string_view key) const {
    std::uint64_t hash = mix(seed_ ^ key.size());
    while (!key.empty()) {
        std::uint64_t chunk = 0;
        const std::size_t taken = std::min(key.size(), sizeof(chunk));
        std::memcpy(&chunk, key.data(), taken);
        hash = mix(hash ^ chunk) + seed_;
        key.remove_prefix(taken);
    }
    return static_cast<std::size_t>(hash) & (slots_.size() - 1);
}

WorkloadIndex WorkloadIndexByKey::find(std::string_view key, const WorkloadRecords& records) const {
    if (slots_.empty()) {
        return {};
    }
    std::size_t slot = home_of(key);
    while (slots_[slot].is_valid() && records[slots_[slot].at()].key() != key) {
        slot = next(slot);
    }
    return slots_[slot];
}

void WorkloadIndexByKey::place(WorkloadIndex workload, std::string_view key) {
    std::size_t slot = home_of(key);
    while (slots_[slot].is_valid()) {
        slot = next(slot);
    }
    slots_.write(slot) = workload;
}

void WorkloadIndexByKey::insert(WorkloadIndex workload, const WorkloadRecords& records) {
    if ((size_ + 1) * 4 > slots_.size() * 3) {
        grow(records);
    }
    place(workload, records[workload.at()].key());
    ++size_;
}

void WorkloadIndexByKey::grow(const WorkloadRecords& records) {
    const std::size_t slots = slots_.empty() ? kFirstSlots : slots_.size() * 2;
    const auto before = std::exchange(slots_, Slots(slots));
    for (std::size_t at = 0; at < before.size(); ++at) {
        if (before[at].is_valid()) {
            place(before[at], records[before[at].at()].key());
        }
    }
}

void WorkloadIndexByKey::erase(WorkloadIndex workload, const WorkloadRecords& records) {
    std::size_t hole = home_of(records[workload.at()].key());
    while (slots_[hole] != workload) {
        SLUICE_ASSERT(slots_[hole].is_valid());
        hole = next(hole);
    }
    // Entries behind the hole that a search would no longer find move into the hole.
    for (std::size_t at = next(hole); slots_[at].is_valid(); at = next(at)) {
        const std::size_t home = home_of(records[slots_[at].at()].key());
        const std::size_t mask = slots_.size() - 1;
        if (((at - home) & mask) >= ((at - hole) & mask)) {
            const WorkloadIndex moved = slots_[at];  // write() may free the chunk that it is in
            slots_.write(hole) = moved;
            hole = at;
        }
    }
    slots_.write(hole) = WorkloadIndex{};
    --size_;
}

}  // namespace sluice::engine
