#pragma once

#include "apiserver/state/store.hpp"

#include <cstddef>
#include <functional>
#include <map>
#include <string>
#include <string_view>

namespace sluice::apiserver {

/// How many objects each namespace has in it, kept up with every change: a namespace that ends is
/// asked after each object that goes, and must not look through all that are left.
class NamespaceCounts {
  public:
    struct Counts {
        std::map<Collection, std::size_t> objects;
        std::map<std::string, std::size_t, std::less<>> finalizers;  ///< objects that have it

        std::size_t of(const Collection& collection) const;
    };

    /// Takes a change of the store into account.
    void follow(const Collection& collection, const LogEntry& entry);
    /// What the namespace has; what is not there has no entry.
    const Counts& in(std::string_view ns) const;

  private:
    std::map<std::string, Counts, std::less<>> counts_;
};

}  // namespace sluice::apiserver
