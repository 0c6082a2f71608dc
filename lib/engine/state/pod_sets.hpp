// PodSets as the state keeps them: workloads with equal podSets share them.
#pragma once

#include "engine/types/amount.hpp"
#include "engine/types/ids.hpp"

#include <compare>
#include <cstddef>
#include <cstdint>
#include <memory>
#include <optional>
#include <set>
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
            &PodSetRecord::requests
        );
    }
};

/// The podSets of equal workloads, with their number in the pool.
struct SharedPodSets {
    std::vector<PodSetRecord> all;
    std::uint32_t number = 0;
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

    /// Writes only the number; reads the podSets of that number from the archive's pool.
    template <class Archive, class Self>
    static void archive(Archive& archive, Self& self) {
        std::optional<std::uint32_t> number;
        if constexpr (Archive::kReads) {
            archive(number);
            if (number && *number >= archive.pod_sets.size()) {
                archive.fail();
                number.reset();
            }
            self = number ? archive.pod_sets[*number] : PodSets();
        } else {
            if (self.shared_ != nullptr) {
                number = self.shared_->number;
            }
            archive(number);
        }
    }

  private:
    friend class PodSetPool;
    explicit PodSets(std::shared_ptr<const SharedPodSets> shared) : shared_(std::move(shared)) {}

    std::shared_ptr<const SharedPodSets> shared_;
};

/// Keeps equal podSets once in memory, and counts the workloads that have them. Copies of a pool
/// share the podSets, but each copy counts separately.
class PodSetPool {
  public:
    /// Returns the podSets of the pool that equal these, and counts one more use of them.
    PodSets share(std::vector<PodSetRecord> pod_sets);
    /// Counts one use less and makes `pod_sets` empty. Returns the podSets if that was their last
    /// use, else nullptr.
    std::shared_ptr<const SharedPodSets> release(PodSets& pod_sets);
    /// Returns the number of different podSets.
    std::size_t size() const { return all_.size(); }
    /// Calls `visit` once for each of the different podSets.
    template <class Visit>
    void for_each(const Visit& visit) const {
        for (const auto& shared : all_) {
            visit(shared->all);
        }
    }

    /// Lists the members for save() and load(). A reading archive also gets the podSets by number.
    template <class Archive, class Self>
    static void archive(Archive& archive, Self& self) {
        archive(self.uses_, self.free_);
        std::vector<std::pair<std::uint32_t, std::vector<PodSetRecord>>> all;
        if constexpr (Archive::kReads) {
            archive(all);
            archive.pod_sets.resize(self.uses_.size());
            for (auto& [number, pod_sets] : all) {
                if (number >= archive.pod_sets.size()) {
                    archive.fail();
                    break;
                }
                auto made = std::make_shared<const SharedPodSets>(
                    SharedPodSets{.all = std::move(pod_sets), .number = number}
                );
                self.all_.insert(made);
                archive.pod_sets[number] = PodSets(std::move(made));
            }
        } else {
            for (const auto& shared : self.all_) {
                all.emplace_back(shared->number, shared->all);
            }
            archive(all);
        }
    }

  private:
    using Shared = std::shared_ptr<const SharedPodSets>;
    struct ByContent {
        using is_transparent = void;
        bool operator()(const Shared& a, const Shared& b) const { return a->all < b->all; }
        bool operator()(const Shared& a, const std::vector<PodSetRecord>& b) const {
            return a->all < b;
        }
        bool operator()(const std::vector<PodSetRecord>& a, const Shared& b) const {
            return a < b->all;
        }
    };
    std::set<Shared, ByContent> all_;
    std::vector<std::uint32_t> uses_;  // by number
    std::vector<std::uint32_t> free_;  // unused numbers
};

}  // namespace sluice::engine
