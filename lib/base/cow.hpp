// Values that copies share until one of the copies is changed.
#pragma once

#include <boost/container/static_vector.hpp>

#include <algorithm>
#include <atomic>
#include <cstddef>
#include <cstdint>
#include <memory>
#include <utility>
#include <vector>

namespace sluice {

/// An optional value whose copies share it. write() first gives this owner a value of its own if
/// another owner has it too. *Thread*: owners of one value may be used by different threads, each
/// owner by one thread at a time.
template <class T>
class CowPtr {
  public:
    CowPtr() = default;
    /// Makes a value: T() or one from the arguments.
    template <class... Arguments>
    static CowPtr make(Arguments&&... arguments) {
        CowPtr made;
        made.block_ = new Block(std::forward<Arguments>(arguments)...);
        return made;
    }
    CowPtr(const CowPtr& other) noexcept : block_(other.block_) {
        if (block_ != nullptr) {
            block_->owners.fetch_add(1, std::memory_order_relaxed);
        }
    }
    CowPtr(CowPtr&& other) noexcept : block_(std::exchange(other.block_, nullptr)) {}
    CowPtr& operator=(CowPtr other) noexcept {
        std::swap(block_, other.block_);
        return *this;
    }
    ~CowPtr() { reset(); }

    void reset() {
        Block* const block = std::exchange(block_, nullptr);
        if (block != nullptr && block->owners.fetch_sub(1, std::memory_order_acq_rel) == 1) {
            delete block;
        }
    }

    friend bool operator==(const CowPtr& ptr, std::nullptr_t) { return ptr.block_ == nullptr; }
    /// Returns true if both have one value in common, which neither has changed.
    bool shares_with(const CowPtr& other) const { return block_ == other.block_; }
    /// Requires: it has a value. *Lifetime*: until the owner is changed or written to.
    const T& operator*() const { return block_->value; }
    const T* operator->() const { return &block_->value; }
    /// Returns the value for changes. Requires: it has a value. *Cost*: a copy of the value if it
    /// is shared.
    T& write() {
        if (block_->owners.load(std::memory_order_acquire) != 1) [[unlikely]] {
            stop_sharing();
        }
        return block_->value;
    }

  private:
    struct Block {
        Block() : value{} {}
        template <class First, class... Others>
        explicit Block(First&& first, Others&&... others)
            : value(std::forward<First>(first), std::forward<Others>(others)...) {}
        std::atomic<std::uint32_t> owners = 1;
        T value;
    };

    [[gnu::noinline]] void stop_sharing() { *this = make(std::as_const(block_->value)); }

    Block* block_ = nullptr;
};

/// A value whose copies share it: a CowPtr that always has a value, at first T().
template <class T>
class Cow {
  public:
    const T& operator*() const { return value_ == nullptr ? empty() : *value_; }
    const T* operator->() const { return &**this; }
    /// Returns the value for changes.
    T& write() {
        if (value_ == nullptr) {
            value_ = CowPtr<T>::make();
        }
        return value_.write();
    }

  private:
    static const T& empty() {
        static const T kEmpty;
        return kEmpty;
    }
    CowPtr<T> value_;
};

/// A vector whose copies share chunks of `ChunkSize` elements: a copy costs O(size / ChunkSize),
/// and the first change of an element after it a copy of its chunk.
template <class T, std::size_t ChunkSize>
class CowVector {
  public:
    CowVector() = default;
    explicit CowVector(std::size_t size) { resize(size); }

    std::size_t size() const { return size_; }
    bool empty() const { return size_ == 0; }
    /// *Lifetime*: until an element of its chunk is changed.
    const T& operator[](std::size_t at) const { return (*chunks_[at / ChunkSize])[at % ChunkSize]; }
    /// Returns the element for changes. *Lifetime*: as long as the vector is not copied.
    T& write(std::size_t at) { return chunks_[at / ChunkSize].write()[at % ChunkSize]; }
    const T& back() const { return (*this)[size_ - 1]; }
    /// Returns true if the chunk of that element is common to both, so that its elements are equal.
    /// Requires: both have the element.
    bool shares_with(const CowVector& other, std::size_t at) const {
        return chunks_[at / ChunkSize].shares_with(other.chunks_[at / ChunkSize]);
    }
    T& emplace_back() {
        if (size_ % ChunkSize == 0) {
            chunks_.push_back(CowPtr<Chunk>::make());
        }
        return chunks_[size_++ / ChunkSize].write().emplace_back();
    }
    void push_back(T value) { emplace_back() = std::move(value); }
    void pop_back() {
        --size_;
        if (size_ % ChunkSize == 0) {
            chunks_.pop_back();
        } else {
            chunks_.back().write().pop_back();
        }
    }
    /// New elements are T().
    void resize(std::size_t size) {
        while (size_ > size) {
            pop_back();
        }
        while (size_ < size) {
            if (size_ % ChunkSize == 0) {
                chunks_.push_back(CowPtr<Chunk>::make());
            }
            Chunk& last = chunks_.back().write();
            const std::size_t grown = std::min(ChunkSize, last.size() + (size - size_));
            size_ += grown - last.size();
            last.resize(grown);
        }
    }

  private:
    using Chunk = boost::container::static_vector<T, ChunkSize>;

    std::vector<CowPtr<Chunk>> chunks_;
    std::size_t size_ = 0;
};

}  // namespace sluice
