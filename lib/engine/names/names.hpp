// Small indices for names.
#pragma once

#include "base/cow.hpp"
#include "engine/names/index_table.hpp"
#include "engine/types/ids.hpp"

#include <cstddef>
#include <cstdint>
#include <memory>
#include <optional>
#include <string>
#include <string_view>
#include <vector>

namespace sluice::engine {

/// Gives each distinct name a small index. The name keeps its index until it is erased; afterwards
/// another name may get the index.
template <class IndexType>
class Names {
  public:
    /// The seed keeps users from choosing names whose hashes collide.
    explicit Names(std::uint64_t seed) : hash_(seed) {}

    /// Returns the index of the name; an invalid index if the name is unknown.
    IndexType find(std::string_view name) const { return find(name, hash_.of(name)); }
    /// Returns the index of the name; a new name gets one.
    IndexType intern(std::string_view name) {
        const std::uint64_t hash = hash_.of(name);
        if (const auto known = find(name, hash); known.is_valid()) {
            return known;
        }
        auto made = make_index<IndexType>(names_.size());
        if (erased_.empty()) {
            names_.push_back(nullptr);
        } else {
            made = erased_.back();
            erased_.pop_back();
        }
        names_.write(made.at()) = std::make_shared<const std::string>(name);
        index_.insert(hash, made, hash_of_name());
        return made;
    }
    /// Erases a name. Requires: nothing uses the index anymore.
    void erase(IndexType index) {
        index_.erase(hash_.of(name(index)), index, hash_of_name());
        names_.write(index.at()) = nullptr;
        erased_.push_back(index);
    }
    /// Requires: the index has a name. *Lifetime*: until the name is erased.
    const std::string& name(IndexType index) const { return *names_[index.at()]; }
    /// Returns one more than the largest index that was ever in use.
    std::size_t size() const { return names_.size(); }

    /// Lists the members for save() and load().
    template <class Archive, class Self>
    static void archive(Archive& archive, Self& self) {
        std::uint64_t seed = self.hash_.seed();
        archive(seed, self.erased_);
        std::vector<std::optional<std::string>> names;
        if constexpr (Archive::kReads) {
            archive(names);
            self.hash_ = IndexHash(seed);
            self.names_.resize(0);
            self.index_ = {};
            for (const auto& name : names) {
                const auto index = make_index<IndexType>(self.names_.size());
                self.names_.push_back(name ? std::make_shared<const std::string>(*name) : nullptr);
                if (name) {
                    self.index_.insert(self.hash_.of(*name), index, self.hash_of_name());
                }
            }
        } else {
            for (std::size_t at = 0; at < self.names_.size(); ++at) {
                const auto& name = self.names_[at];
                names.push_back(name == nullptr ? std::nullopt : std::optional(*name));
            }
            archive(names);
        }
    }

  private:
    IndexType find(std::string_view name, std::uint64_t hash) const {
        return index_.find(hash, [&](IndexType index) { return *names_[index.at()] == name; });
    }
    auto hash_of_name() const {
        return [this](IndexType index) { return hash_.of(name(index)); };
    }

    IndexHash hash_;
    CowVector<std::shared_ptr<const std::string>, 64> names_;  // by index; erased names are null
    CowVector<IndexType, 64> erased_;
    IndexTable<IndexType> index_;
};

}  // namespace sluice::engine
