#pragma once

#include <cstdint>
#include <string>
#include <string_view>
#include <utility>
#include <vector>

namespace sluice::sim {

/// Completion indexes of an Indexed Job, kept as intervals: their number may be large, their status
/// is a short text.
class IndexSet {
  public:
    /// Reads `status.completedIndexes` and its like, such as "0,3-5"; what cannot be read is passed
    /// over, and so is what is not below `completions`.
    static IndexSet parse(std::string_view text, std::int64_t completions);

    void insert(std::int64_t index);
    void insert_all(const IndexSet& other);
    bool contains(std::int64_t index) const;
    std::int64_t size() const;
    bool empty() const { return intervals_.empty(); }
    /// How many indexes are in both.
    std::int64_t count_common(const IndexSet& other) const;
    /// The first indexes that are not in it, in order: at most `count`, all below `completions`.
    std::vector<std::int64_t> first_missing(std::int64_t count, std::int64_t completions) const;
    /// As the API has it: two neighbours are "4,5", more "4-6".
    std::string to_string() const;

    friend bool operator==(const IndexSet&, const IndexSet&) = default;

  private:
    using Interval = std::pair<std::int64_t, std::int64_t>;  ///< first and last
    void insert_interval(Interval added);

    std::vector<Interval> intervals_;  ///< in order, neither overlapping nor touching
};

}  // namespace sluice::sim
