#pragma once

#include "engine/types/ids.hpp"

#include <map>
#include <string>
#include <string_view>
#include <vector>

namespace sluice::engine {

/// Gives each distinct name a small index, which stays the name's until it is erased; then another
/// name may get it.
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
        auto made = make_index<IndexType>(names_.size());
        if (erased_.empty()) {
            names_.push_back(nullptr);
        } else {
            made = erased_.back();
            erased_.pop_back();
        }
        names_[made.at()] = &index_.emplace_hint(at, std::string(name), made)->first;
        return made;
    }
    /// Requires: nothing uses the index any more.
    void erase(IndexType index) {
        index_.erase(index_.find(*names_[index.at()]));
        names_[index.at()] = nullptr;
        erased_.push_back(index);
    }
    const std::string& name(IndexType index) const { return *names_[index.at()]; }
    /// One more than the largest index that was ever given.
    std::size_t size() const { return names_.size(); }

  private:
    std::map<std::string, IndexType, std::less<>> index_;
    std::vector<const std::string*> names_;  // map nodes never move
    std::vector<IndexType> erased_;
};

}  // namespace sluice::engine
