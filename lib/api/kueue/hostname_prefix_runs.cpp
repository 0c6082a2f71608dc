#include "api/kueue/hostname_prefix_runs.hpp"

#include <algorithm>
#include <cstddef>
#include <string_view>
#include <unordered_map>

namespace sluice::api {
namespace {

using Runs = std::vector<std::span<const AssignedDomain>>;

/// Returns the prefixes of the name that end after a dash, the shortest first.
std::vector<std::string_view> dashed_prefixes(std::string_view name) {
    std::vector<std::string_view> found;
    for (std::size_t end = 1; end < name.size(); ++end) {
        if (name[end - 1] == '-') {
            found.push_back(name.substr(0, end));
        }
    }
    return found;
}

/// The prefixes of each name that a run may go by.
class PrefixIndex {
  public:
    PrefixIndex(std::span<const AssignedDomain> domains, std::size_t level) {
        for (const AssignedDomain& domain : domains) {
            prefixes_.push_back(dashed_prefixes(domain.values[level]));
            depth_ = std::max(depth_, prefixes_.back().size());
            for (const std::string_view prefix : prefixes_.back()) {
                ++uses_[prefix];
            }
        }
    }

    /// The largest number of prefixes that a name has.
    std::size_t depth() const { return depth_; }

    /// Returns the longest of the name's first `depth` prefixes that another name has, too; empty
    /// if no other name has any of them.
    std::string_view shared_prefix(std::size_t domain, std::size_t depth) const {
        const auto& all = prefixes_[domain];
        for (auto i = std::min(depth, all.size()); i > 0; --i) {
            if (uses_.at(all[i - 1]) > 1) {
                return all[i - 1];
            }
        }
        return {};
    }

  private:
    std::vector<std::vector<std::string_view>> prefixes_;
    std::unordered_map<std::string_view, std::size_t> uses_;
    std::size_t depth_ = 0;
};

void append_chunks(std::span<const AssignedDomain> run, Runs& runs) {
    while (!run.empty()) {
        const auto chunk = run.first(std::min(run.size(), kDomainsPerSliceMax));
        runs.push_back(chunk);
        run = run.subspan(chunk.size());
    }
}

Runs split_at_depth(
    std::span<const AssignedDomain> domains, const PrefixIndex& index, std::size_t depth
) {
    Runs runs;
    std::size_t begin = 0;
    std::string_view prefix;
    for (std::size_t i = 0; i < domains.size(); ++i) {
        const std::string_view next = index.shared_prefix(i, depth);
        if (i > begin && next != prefix) {
            append_chunks(domains.subspan(begin, i - begin), runs);
            begin = i;
        }
        prefix = next;
    }
    append_chunks(domains.subspan(begin), runs);
    return runs;
}

}  // namespace

Runs split_by_size(std::span<const AssignedDomain> domains) {
    Runs runs;
    append_chunks(domains, runs);
    return runs;
}

Runs split_by_hostname_prefix(std::span<const AssignedDomain> domains, std::size_t level) {
    const PrefixIndex index(domains, level);
    for (auto depth = index.depth(); depth > 0; --depth) {
        Runs runs = split_at_depth(domains, index, depth);
        if (runs.size() <= kSlicesMax) {
            return runs;
        }
    }
    return split_by_size(domains);
}

}  // namespace sluice::api
