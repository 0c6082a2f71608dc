// The names of a workload in one block of memory.
#pragma once

#include <atomic>
#include <cstdint>
#include <string>
#include <string_view>
#include <utility>

namespace sluice::engine {

/// The names of a workload, which never change. Copies share one block of memory: with a million
/// pending workloads, two strings each would take a third of the state. *Thread*: copies may be
/// used by different threads.
class WorkloadIdentity {
  public:
    WorkloadIdentity() = default;
    WorkloadIdentity(std::string_view key, std::string_view uid);
    WorkloadIdentity(const WorkloadIdentity& other) noexcept : block_(other.block_) {
        if (block_ != nullptr) {
            block_->owners.fetch_add(1, std::memory_order_relaxed);
        }
    }
    WorkloadIdentity(WorkloadIdentity&& other) noexcept
        : block_(std::exchange(other.block_, nullptr)) {}
    WorkloadIdentity& operator=(WorkloadIdentity other) noexcept {
        std::swap(block_, other.block_);
        return *this;
    }
    ~WorkloadIdentity();

    /// Returns "namespace/name"; empty without names. *Lifetime*: that of the last copy.
    std::string_view key() const {
        return block_ == nullptr ? std::string_view() : std::string_view(text(), block_->key_size);
    }
    /// Returns metadata.uid; empty without names. *Lifetime*: that of the last copy.
    std::string_view uid() const {
        return block_ == nullptr ? std::string_view()
                                 : std::string_view(text() + block_->key_size, block_->uid_size);
    }

    /// Lists the members for save() and load().
    template <class Archive, class Self>
    static void archive(Archive& archive, Self& self) {
        std::string key(self.key());
        std::string uid(self.uid());
        archive(key, uid);
        if constexpr (Archive::kReads) {
            self = key.empty() && uid.empty() ? WorkloadIdentity() : WorkloadIdentity(key, uid);
        }
    }

  private:
    /// The key and the uid follow it in memory.
    struct Block {
        std::atomic<std::uint32_t> owners;
        std::uint32_t key_size;
        std::uint32_t uid_size;
    };
    const char* text() const { return reinterpret_cast<const char*>(block_ + 1); }

    Block* block_ = nullptr;
};

}  // namespace sluice::engine
