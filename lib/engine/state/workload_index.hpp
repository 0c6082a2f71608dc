// Finds workloads by namespace and name.
#pragma once

#include "base/cow.hpp"
#include "engine/state/workload_record.hpp"
#include "engine/types/ids.hpp"

#include <cstddef>
#include <cstdint>
#include <string_view>

namespace sluice::engine {

/// A hash table from keys to indices of workloads. An entry takes a few bytes, because the keys
/// stay in the records. Nothing iterates over the table, so its order does not reach a decision.
/// The seed keeps users from choosing names that collide; it changes no result.
class WorkloadIndexByKey {
  public:
    explicit WorkloadIndexByKey(std::uint64_t seed) : seed_(seed) {}

    /// Returns the workload of that key; an invalid index if the key is unknown.
    WorkloadIndex find(std::string_view key, const WorkloadRecords& records) const;
    /// Adds a workload. Requires: the workload's record has its key, and no other workload has the
    /// same key.
    void insert(WorkloadIndex workload, const WorkloadRecords& records);
    /// Removes a workload. Requires: the workload was inserted, and its record still has its key.
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
    Slots slots_;  // the size is a power of two; linear probing
    std::size_t size_ = 0;
};

}  // namespace sluice::engine
