// A vector that keeps its first few elements inline, without allocating.
#pragma once

#include <boost/container/small_vector.hpp>

#include <cstddef>

namespace sluice {

/// A vector that keeps up to `N` elements inline and allocates memory only for more. Moving it
/// moves the elements if they are inline.
template <class T, std::size_t N>
using SmallVector = boost::container::small_vector<T, N>;

}  // namespace sluice
