// Finds workloads by namespace and name.
#pragma once

#include "engine/names/index_table.hpp"
#include "engine/state/workload_record.hpp"
#include "engine/types/ids.hpp"

#include <cstdint>
#include <string_view>

namespace sluice::engine {

/// Finds workloads by their keys, which stay in the records.
class WorkloadIndexByKey {
  public:
    /// The seed keeps users from choosing names that collide.
    explicit WorkloadIndexByKey(std::uint64_t seed) : hash_(seed) {}

    /// Returns the workload of that key; an invalid index if the key is unknown.
    WorkloadIndex find(std::string_view key, const WorkloadRecords& records) const {
        return table_.find(hash_.of(key), [&](WorkloadIndex workload) {
            return records[workload.at()].key() == key;
        });
    }
    /// Adds a workload. Requires: the workload's record has its key, and no other workload has the
    /// same key.
    void insert(WorkloadIndex workload, const WorkloadRecords& records) {
        const HashOfKey hash{records, hash_};
        table_.insert(hash(workload), workload, hash);
    }
    /// Removes a workload. Requires: the workload was inserted, and its record still has its key.
    void erase(WorkloadIndex workload, const WorkloadRecords& records) {
        const HashOfKey hash{records, hash_};
        table_.erase(hash(workload), workload, hash);
    }

    /// Lists the members for save() and load().
    template <class Archive, class Self>
    static void archive(Archive& archive, Self& self) {
        std::uint64_t seed = self.hash_.seed();
        archive(seed, self.table_);
        if constexpr (Archive::kReads) {
            self.hash_ = IndexHash(seed);
        }
    }

  private:
    struct HashOfKey {
        const WorkloadRecords& records;
        const IndexHash& hash;
        std::uint64_t operator()(WorkloadIndex workload) const {
            return hash.of(records[workload.at()].key());
        }
    };

    IndexHash hash_;
    IndexTable<WorkloadIndex> table_;
};

}  // namespace sluice::engine
