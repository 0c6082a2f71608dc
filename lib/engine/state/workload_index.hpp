#pragma once

#include "base/cow.hpp"
#include "engine/state/workload_record.hpp"
#include "engine/types/ids.hpp"

#include <cstddef>
#include <cstdint>
#include <string_view>

namespace sluice::engine {

/// Finds workloads by their key in a few bytes each: a hash table of indices whose keys stay in the
/// records. Never walked, so that its order reaches no decision. The seed keeps users
/// from choosing names that collide; it changes no result.
class WorkloadIndexByKey {
  public:
    explicit WorkloadIndexByKey(std::uint64_t seed) : seed_(seed) {}

    /// The workload of that key, or none.
    WorkloadIndex find(std::string_view key, const WorkloadRecords& records) const;
    /// Requires: the record has its key, and no other has the same.
    void insert(WorkloadIndex workload, const WorkloadRecords& records);
    /// Requires: it was inserted, and its record still has its key.
    void erase(WorkloadIndex workload, const WorkloadRecords& records);

    /// Lists the members for save() and load().
    template <class Archive, class Self>
    static void archive(Archive& archive, Self& self) {
        archive(self.seed_, self.slots_, self.size_);
    }

  private:
    using Slots = CowVector<WorkloadIndex, 1024>;

    std::size_t home_of(std::string_view key) const;
    std::size_t next(std::size_t slot) const { return (slot + 1) & (slots_.size() - 1); }
    void place(WorkloadIndex workload, std::string_view key);
    void grow(const WorkloadRecords& records);

    std::uint64_t seed_;
    Slots slots_;  // a power of two; linear probing
    std::size_t size_ = 0;
};

}  // namespace sluice::engine
