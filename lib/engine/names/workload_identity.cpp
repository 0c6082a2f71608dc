#include "engine/names/workload_identity.hpp"

#include <algorithm>
#include <new>

namespace sluice::engine {

WorkloadIdentity::WorkloadIdentity(std::string_view key, std::string_view uid)
    : block_(new(::operator new(sizeof(Block) + key.size() + uid.size())) Block{
          .owners = 1,
          .key_size = static_cast<std::uint32_t>(key.size()),
          .uid_size = static_cast<std::uint32_t>(uid.size()),
      }) {
    char* const text = reinterpret_cast<char*>(block_ + 1);
    std::ranges::copy(key, text);
    std::ranges::copy(uid, text + key.size());
}

WorkloadIdentity::~WorkloadIdentity() {
    if (block_ != nullptr && block_->owners.fetch_sub(1, std::memory_order_acq_rel) == 1) {
        block_->~Block();
        ::operator delete(block_);
    }
}

}  // namespace sluice::engine
