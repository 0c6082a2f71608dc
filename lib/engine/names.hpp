#pragma once

#include "engine/ids.hpp"

#include <map>
#include <string>
#include <string_view>
#include <vector>

namespace sluice::engine {

/// Gives each distinct name a small index, for ever. Ordered, so that walking it by name is
/// deterministic.
template <class IndexType>
class Names {
  public:
    /// The index of the name, or none.
    IndexType find(std::string_view name) const {
        const auto at = index_.find(name);
        return at == index_.end() ? IndexType{} : at->second;
    }
    /// The index of the name, made if it is new.
    IndexType intern(std::string_view name) {
        const auto at = index_.lower_bound(name);
        if (at != index_.end() && at->first == name) {
            return at->second;
        }
        const auto made = make_index<IndexType>(names_.size());
        const auto entry = index_.emplace_hint(at, std::string(name), made);
        names_.push_back(&entry->first);
        return made;
    }
    const std::string& name(IndexType index) const { return *names_[index.at()]; }
    std::size_t size() const { return names_.size(); }
    const std::map<std::string, IndexType, std::less<>>& by_name() const { return index_; }

  private:
    std::map<std::string, IndexType, std::less<>> index_;
    std::vector<const std::string*> names_;  // map nodes never move
};

}  // namespace sluice::engine
