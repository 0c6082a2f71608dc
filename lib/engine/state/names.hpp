// Small indices for names.
#pragma once

#include "engine/types/ids.hpp"

#include <map>
#include <memory>
#include <optional>
#include <string>
#include <string_view>
#include <utility>
#include <vector>

namespace sluice::engine {

/// Gives each distinct name a small index. The name keeps its index until it is erased; afterwards
/// another name may get the index.
template <class IndexType>
class Names {
  public:
    /// Returns the index of the name; an invalid index if the name is unknown.
    IndexType find(std::string_view name) const {
        const auto at = index_.find(name);
        return at == index_.end() ? IndexType{} : at->second;
    }
    /// Returns the index of the name; a new name gets one.
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
        names_[made.at()] = std::make_shared<const std::string>(name);
        index_.emplace_hint(at, *names_[made.at()], made);
        return made;
    }
    /// Erases a name. Requires: nothing uses the index anymore.
    void erase(IndexType index) {
        index_.erase(*names_[index.at()]);
        names_[index.at()] = nullptr;
        erased_.push_back(index);
    }
    const std::string& name(IndexType index) const { return *names_[index.at()]; }
    /// Returns one more than the largest index that was ever in use.
    std::size_t size() const { return names_.size(); }

    /// Lists the members for save() and load().
    template <class Archive, class Self>
    static void archive(Archive& archive, Self& self) {
        std::vector<std::optional<std::string>> names;
        if constexpr (Archive::kReads) {
            archive(names, self.erased_);
            self = Names(names, std::move(self.erased_));
        } else {
            for (const auto& name : self.names_) {
                names.push_back(name == nullptr ? std::nullopt : std::optional(*name));
            }
            archive(names, self.erased_);
        }
    }

    Names() = default;

  private:
    Names(const std::vector<std::optional<std::string>>& names, std::vector<IndexType> erased)
        : erased_(std::move(erased)) {
        for (const auto& name : names) {
            if (!name) {
                names_.push_back(nullptr);
                continue;
            }
            names_.push_back(std::make_shared<const std::string>(*name));
            index_.emplace(*names_.back(), make_index<IndexType>(names_.size() - 1));
        }
    }

    std::map<std::string_view, IndexType> index_;            // its keys point into names_
    std::vector<std::shared_ptr<const std::string>> names_;  // copies share them
    std::vector<IndexType> erased_;
};

}  // namespace sluice::engine
