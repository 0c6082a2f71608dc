// Assigns IP addresses to pods and nodes.
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

/// Assigns the addresses of one network in order: 65,024 of them. After the last one, it starts
/// with the first free one again.
class AddressPool {
  public:
    /// `network`: the first two numbers of the addresses, such as "10.244".
    explicit AddressPool(std::string network) : network_(std::move(network)) {}

    /// Marks an address as used. Ignores an address of another network.
    void use(std::string_view address);
    /// Makes an address available again.
    void release(std::string_view address);
    /// Returns the next free address. If all addresses are used, returns one that is used already.
    std::string take();

  private:
    std::string print(std::uint32_t number) const;
    std::optional<std::uint32_t> read(std::string_view address) const;

    std::string network_;
    std::uint32_t next_ = 0;
    std::set<std::uint32_t> used_;
};

/// Keeps the address of a pod used while the pod exists. `before`, `after`: the pod before and
/// after a change; either may be nullptr.
void follow_pod(AddressPool& pool, const json::Value* before, const json::Value* after);
/// Marks the addresses of a node as used. They stay used even after the node is deleted.
void follow_node(AddressPool& pool, const json::Value& node);

/// Returns true if the outcome starts a pod that has no address yet.
bool begins_to_run(const json::Value& pod, const Outcome& outcome);
/// Adds the pod's address and its node's address to the write that starts the pod. `node` may be
/// nullptr.
void give_pod_addresses(Outcome& outcome, const std::string& own, const json::Value* node);

}  // namespace sluice::sim
