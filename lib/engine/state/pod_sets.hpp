#pragma once

#include "engine/types/amount.hpp"
#include "engine/types/ids.hpp"

#include <compare>
#include <cstddef>
#include <cstdint>
#include <memory>
#include <set>
#include <string>
#include <vector>

namespace sluice::engine {

/// A request by one pod, in the order in which flavors are searched for (FNV-1a of the
/// name).
struct Request {
    ResourceIndex resource;
    Amount amount;
    friend auto operator<=>(const Request&, const Request&) = default;
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
};

/// The podSets of a workload, shared by all workloads with equal ones: those of a cluster are few
/// in kind and many in number. Read like a vector.
class PodSets {
  public:
    PodSets() = default;

    std::size_t size() const { return all_ == nullptr ? 0 : all_->size(); }
    const PodSetRecord& operator[](std::size_t position) const { return (*all_)[position]; }
    const PodSetRecord* begin() const { return all_ == nullptr ? nullptr : all_->data(); }
    const PodSetRecord* end() const { return begin() + size(); }
    /// Equal ones of one pool are the same.
    friend bool operator==(const PodSets&, const PodSets&) = default;

  private:
    friend class PodSetPool;
    explicit PodSets(std::shared_ptr<const std::vector<PodSetRecord>> all) : all_(std::move(all)) {}

    std::shared_ptr<const std::vector<PodSetRecord>> all_;
};

/// Gives equal podSets one place in memory.
class PodSetPool {
  public:
    PodSets share(std::vector<PodSetRecord> pod_sets);
    /// Forgets the podSets if nothing else has them, and returns them then; otherwise nullptr.
    /// Leaves `pod_sets` empty.
    std::shared_ptr<const std::vector<PodSetRecord>> release(PodSets& pod_sets);
    /// How many different ones there are.
    std::size_t size() const { return all_.size(); }

  private:
    using Shared = std::shared_ptr<const std::vector<PodSetRecord>>;
    struct ByContent {
        using is_transparent = void;
        bool operator()(const Shared& a, const Shared& b) const { return *a < *b; }
        bool operator()(const Shared& a, const std::vector<PodSetRecord>& b) const {
            return *a < b;
        }
        bool operator()(const std::vector<PodSetRecord>& a, const Shared& b) const {
            return a < *b;
        }
    };
    friend class NamesAudit;  // of the tests
    std::set<Shared, ByContent> all_;
};

}  // namespace sluice::engine
