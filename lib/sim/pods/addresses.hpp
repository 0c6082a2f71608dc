#pragma once

#include "json/value.hpp"
#include "sim/objects/write.hpp"

#include <cstdint>
#include <optional>
#include <set>
#include <string>
#include <string_view>
#include <utility>

namespace sluice::sim {

/// Addresses of one network, one after the other: 65,024, and after the last one the first ones
/// again that are free.
class AddressPool {
  public:
    /// The first two numbers of its addresses, such as "10.244".
    explicit AddressPool(std::string network) : network_(std::move(network)) {}

    /// Sets an address aside. One of another network is passed over.
    void use(std::string_view address);
    /// It may be given again.
    void release(std::string_view address);
    /// The next one that is free. Where none is, one is given twice.
    std::string take();

  private:
    std::string print(std::uint32_t number) const;
    std::optional<std::uint32_t> read(std::string_view address) const;

    std::string network_;
    std::uint32_t next_ = 0;
    std::set<std::uint32_t> used_;
};

/// As long as a pod is there, no other one gets its address. `before` and `after` a change; either
/// may be nullptr.
void follow_pod(AddressPool& pool, const json::Value* before, const json::Value* after);
/// No other node gets the addresses of this one, not even once it is gone.
void follow_node(AddressPool& pool, const json::Value& node);

/// Whether the outcome starts a pod that has no address yet.
bool begins_to_run(const json::Value& pod, const Outcome& outcome);
/// A pod that begins to run has this address of its own and its node's. `node` may be nullptr.
void give_pod_addresses(Outcome& outcome, const std::string& own, const json::Value* node);

}  // namespace sluice::sim
