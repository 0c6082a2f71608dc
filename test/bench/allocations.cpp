#include "bench/allocations.hpp"

#include <cstdlib>
#include <malloc.h>
#include <new>

namespace {
std::uint64_t count = 0;
bool counts_bytes = false;
std::int64_t live = 0;

std::int64_t size_of(void* block) {
    // malloc keeps the size before each block.
    return static_cast<std::int64_t>(malloc_usable_size(block) + sizeof(std::size_t));
}
}  // namespace

void* operator new(std::size_t size) {
    void* block = std::malloc(size);
    if (block == nullptr) {
        throw std::bad_alloc();
    }
    ++count;
    if (counts_bytes) {
        live += size_of(block);
    }
    return block;
}

void operator delete(void* block) noexcept {
    if (block != nullptr) {
        if (counts_bytes) {
            live -= size_of(block);
        }
        std::free(block);
    }
}

void operator delete(void* block, std::size_t) noexcept {
    operator delete(block);
}

namespace sluice::bench {

std::uint64_t allocation_count() {
    return count;
}

std::int64_t live_bytes() {
    counts_bytes = true;
    return live;
}

}  // namespace sluice::bench
