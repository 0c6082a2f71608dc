#include "bench/allocations.hpp"

#include <cstdlib>
#include <malloc.h>
#include <new>

namespace {
sluice::bench::Allocations counted;

// What malloc keeps before each block.
constexpr std::size_t kHeader = sizeof(std::size_t);
}  // namespace

void* operator new(std::size_t size) {
    void* block = std::malloc(size);
    if (block == nullptr) {
        throw std::bad_alloc();
    }
    ++counted.count;
    counted.live += malloc_usable_size(block) + kHeader;
    return block;
}

void operator delete(void* block) noexcept {
    if (block != nullptr) {
        counted.live -= malloc_usable_size(block) + kHeader;
        std::free(block);
    }
}

void operator delete(void* block, std::size_t) noexcept {
    operator delete(block);
}

namespace sluice::bench {

Allocations allocations() {
    return counted;
}

}  // namespace sluice::bench
