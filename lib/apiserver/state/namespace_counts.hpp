// Counts the objects of each namespace.
#pragma once

#include "apiserver/state/store.hpp"

#include <cstddef>
#include <functional>
#include <map>
#include <string>
#include <string_view>

namespace sluice::apiserver {

/// The numbers of objects in each namespace, updated with each change. A namespace that is being
/// deleted is checked after each deletion in it; that check must not scan the remaining objects.
class NamespaceCounts {
  public:
    struct Counts {
        std::map<Collection, std::size_t> objects;
        /// Number of objects by finalizer.
        std::map<std::string, std::size_t, std::less<>> finalizers;

        std::size_t of(const Collection& collection) const;
    };

    /// Updates the counts after a change of the store.
    void follow(const Collection& collection, const LogEntry& entry);
    /// Returns the counts of a namespace; collections and finalizers without objects have no entry.
    const Counts& in(std::string_view ns) const;

  private:
    std::map<std::string, Counts, std::less<>> counts_;
};

}  // namespace sluice::apiserver
