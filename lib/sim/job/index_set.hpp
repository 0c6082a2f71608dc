// Sets of completion indexes, stored as intervals.
#pragma once

#include <cstdint>
#include <string>
#include <string_view>
#include <utility>
#include <vector>

namespace sluice::sim {

/// A set of completion indexes of an Indexed Job, stored as intervals: it may contain many indexes,
/// while its text in the status is short.
class IndexSet {
  public:
    /// Parses a text such as "0,3-5" of `status.completedIndexes` or `failedIndexes`. Ignores
    /// malformed parts and indexes that are not below `completions`.
    static IndexSet parse(std::string_view text, std::int64_t completions);

    void insert(std::int64_t index);
    void insert_all(const IndexSet& other);
    bool contains(std::int64_t index) const;
    std::int64_t size() const;
    bool empty() const { return intervals_.empty(); }
    /// Returns the number of indexes that are in both sets.
    std::int64_t count_common(const IndexSet& other) const;
    /// Returns the first indexes that are not in the set, in order: at most `count`, all below
    /// `completions`.
    std::vector<std::int64_t> first_missing(std::int64_t count, std::int64_t completions) const;
    /// Returns the text as the API has it: two neighbors are "4,5", more are "4-6".
    std::string to_string() const;

    friend bool operator==(const IndexSet&, const IndexSet&) = default;

  private:
    using Interval = std::pair<std::int64_t, std::int64_t>;  ///< first and last
    void insert_interval(Interval added);

    std::vector<Interval> intervals_;  ///< in order, neither overlapping nor touching
};

}  // namespace sluice::sim
