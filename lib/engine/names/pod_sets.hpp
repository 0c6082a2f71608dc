// PodSets as the state keeps them: workloads with equal podSets share them.
#pragma once

#include "base/cow.hpp"
#include "engine/names/index_table.hpp"
#include "engine/types/amount.hpp"
#include "engine/types/ids.hpp"

#include <compare>
#include <cstddef>
#include <cstdint>
#include <memory>
#include <optional>
#include <string>
#include <tuple>
#include <utility>
#include <vector>

namespace sluice::engine {

/// A request of one pod. Requests are sorted in the order in which flavors are searched for, by the
/// FNV-1a hash of the resource's name.
struct Request {
    ResourceIndex resource;
    Amount amount;
    friend auto operator<=>(const Request&, const Request&) = default;

    /// All members, for save() and load().
    static constexpr auto members() { return std::tuple(&Request::resource, &Request::amount); }
};

struct PodSetRecord {
    std::string name;
    std::int32_t count = 1;
    std::int32_t min_count = -1;  ///< -1: not set
    std::int32_t reclaimable = 0;
    std::uint32_t shape = 0;
    std::string group;
    std::vector<Request> requests;
    /// The requests of one pod to its node; nullopt if they are `requests`.
    std::optional<std::vector<Request>> node_requests;

    std::int32_t count_after_reclaim() const { return count - reclaimable; }
    friend auto operator<=>(const PodSetRecord&, const PodSetRecord&) = default;

    /// All members, for save() and load().
    static constexpr auto members() {
        return std::tuple(
            &PodSetRecord::name,
            &PodSetRecord::count,
            &PodSetRecord::min_count,
            &PodSetRecord::reclaimable,
            &PodSetRecord::shape,
            &PodSetRecord::group,
            &PodSetRecord::requests,
            &PodSetRecord::node_requests
        );
    }
};

/// The podSets of equal workloads, with their place in the pool.
struct SharedPodSets {
    std::vector<PodSetRecord> all;
    PodSetsIndex index;
    std::uint64_t hash = 0;
};

/// The podSets of a workload, shared by all workloads with equal podSets: a cluster has many
/// workloads, but few different podSets. Can be read like a vector.
class PodSets {
  public:
    PodSets() = default;

    std::size_t size() const { return shared_ == nullptr ? 0 : shared_->all.size(); }
    const PodSetRecord& operator[](std::size_t position) const { return shared_->all[position]; }
    const PodSetRecord* begin() const { return shared_ == nullptr ? nullptr : shared_->all.data(); }
    const PodSetRecord* end() const { return begin() + size(); }
    /// Compares by identity: a pool keeps equal podSets only once.
    friend bool operator==(const PodSets&, const PodSets&) = default;

    /// Writes only the index; reads the podSets of that index from the archive's pool.
    template <class Archive, class Self>
    static void archive(Archive& archive, Self& self) {
        PodSetsIndex index;
        if constexpr (Archive::kReads) {
            archive(index);
            if (index.is_valid() && index.at() >= archive.pod_sets.size()) {
                archive.fail();
                index = {};
            }
            self = index.is_valid() ? archive.pod_sets[index.at()] : PodSets();
        } else {
            if (self.shared_ != nullptr) {
                index = self.shared_->index;
            }
            archive(index);
        }
    }

  private:
    friend class PodSetPool;
    explicit PodSets(std::shared_ptr<const SharedPodSets> shared) : shared_(std::move(shared)) {}

    std::shared_ptr<const SharedPodSets> shared_;
};

/// Keeps equal podSets once in memory, and counts the workloads that have them. Copies of a pool
/// share the podSets, but each copy counts separately. *Cost* of a copy: O(podSets / chunk).
class PodSetPool {
  public:
    /// The seed keeps users from choosing podSets whose hashes collide.
    explicit PodSetPool(std::uint64_t seed) : hash_(seed) {}

    /// Returns the podSets of the pool that equal these, and counts one more use of them.
    PodSets share(std::vector<PodSetRecord> pod_sets);
    /// Counts one use less and makes `pod_sets` empty. Returns the podSets if that was their last
    /// use, else nullptr.
    std::shared_ptr<const SharedPodSets> release(PodSets& pod_sets);
    /// Returns the number of different podSets.
    std::size_t size() const { return table_.size(); }
    /// Calls `visit` once for each of the different podSets.
    template <class Visit>
    void for_each(const Visit& visit) const {
        for (std::size_t at = 0; at < entries_.size(); ++at) {
            if (entries_[at].shared != nullptr) {
                visit(entries_[at].shared->all);
            }
        }
    }

    /// Lists the members for save() and load(). A reading archive also gets the podSets by index.
    template <class Archive, class Self>
    static void archive(Archive& archive, Self& self) {
        std::uint64_t seed = self.hash_.seed();
        archive(seed, self.free_);
        std::vector<std::pair<std::uint32_t, std::vector<PodSetRecord>>> all;
        if constexpr (Archive::kReads) {
            archive(all);
            archive.pod_sets.clear();
            self.hash_ = IndexHash(seed);
            self.entries_.resize(0);
            self.table_ = {};
            for (auto& [uses, pod_sets] : all) {
                const auto index = make_index<PodSetsIndex>(self.entries_.size());
                Entry& made = self.entries_.emplace_back();
                made.uses = uses;
                if (uses > 0) {
                    made.shared = self.make_shared(std::move(pod_sets), index);
                    self.table_.insert(made.shared->hash, index, self.hash_of_entry());
                }
                archive.pod_sets.push_back(PodSets(made.shared));
            }
        } else {
            for (std::size_t at = 0; at < self.entries_.size(); ++at) {
                const Entry& entry = self.entries_[at];
                all.emplace_back(
                    entry.uses, entry.uses > 0 ? entry.shared->all : std::vector<PodSetRecord>()
                );
            }
            archive(all);
        }
    }

  private:
    using Shared = std::shared_ptr<const SharedPodSets>;
    struct Entry {
        Shared shared;  // null if the index is unused
        std::uint32_t uses = 0;
    };

    auto hash_of_entry() const {
        return [this](PodSetsIndex index) { return entries_[index.at()].shared->hash; };
    }
    std::uint64_t hash_of_all(const std::vector<PodSetRecord>& pod_sets) const;
    Shared make_shared(std::vector<PodSetRecord> pod_sets, PodSetsIndex index) const;

    IndexHash hash_;
    CowVector<Entry, 64> entries_;  // by index
    CowVector<PodSetsIndex, 256> free_;
    IndexTable<PodSetsIndex> table_;
};

}  // namespace sluice::engine
