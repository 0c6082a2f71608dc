// Binary heaps whose items know their positions.
#pragma once

#include <cstddef>

/// A `Heap` is a view of the storage with these functions: `size()`; `at(position)` returns an
/// item; `place(position, item)` stores the item and its position; `is_before(a, b)`
/// returns true if item a is served before item b.
namespace sluice::engine {

/// Moves the item up to its place. Requires: only this item may be out of order.
template <class Heap>
void heap_up(Heap&& heap, std::size_t at) {
    const auto moving = heap.at(at);
    while (at > 0) {
        const std::size_t parent = (at - 1) / 2;
        if (!heap.is_before(moving, heap.at(parent))) {
            break;
        }
        heap.place(at, heap.at(parent));
        at = parent;
    }
    heap.place(at, moving);
}

/// Moves the item down to its place. Requires: only this item may be out of order.
template <class Heap>
void heap_down(Heap&& heap, std::size_t at) {
    const auto moving = heap.at(at);
    while (true) {
        std::size_t child = 2 * at + 1;
        if (child >= heap.size()) {
            break;
        }
        if (child + 1 < heap.size() && heap.is_before(heap.at(child + 1), heap.at(child))) {
            ++child;
        }
        if (!heap.is_before(heap.at(child), moving)) {
            break;
        }
        heap.place(at, heap.at(child));
        at = child;
    }
    heap.place(at, moving);
}

/// Moves the item to its place, up or down.
template <class Heap>
void heap_move(Heap&& heap, std::size_t at) {
    const auto moving = heap.at(at);
    heap_up(heap, at);
    if (heap.at(at) == moving) {
        heap_down(heap, at);
    }
}

/// Restores the order of all items.
template <class Heap>
void heap_make(Heap&& heap) {
    for (std::size_t at = heap.size() / 2; at-- > 0;) {
        heap_down(heap, at);
    }
}

}  // namespace sluice::engine
