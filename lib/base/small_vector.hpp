#pragma once

#include <boost/container/small_vector.hpp>

#include <cstddef>

namespace sluice {

/// A vector that keeps up to `N` elements in itself and takes memory only for more. Moving it moves
/// the elements.
template <class T, std::size_t N>
using SmallVector = boost::container::small_vector<T, N>;

}  // namespace sluice
