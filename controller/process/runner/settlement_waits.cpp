#include "controller/process/runner/settlement_waits.hpp"

#include <utility>

namespace sluice::controller {

void SettlementWaits::set(const ObjectKey& key, const std::vector<ObjectKey>& objects) {
    clear(key);
    for (const ObjectKey& object : objects) {
        objects_by_key_[key].insert(object);
        keys_by_object_[object].insert(key);
    }
}

void SettlementWaits::clear(const ObjectKey& key) {
    const auto node = objects_by_key_.extract(key);
    if (node.empty()) {
        return;
    }
    for (const ObjectKey& object : node.mapped()) {
        const auto keys = keys_by_object_.find(object);
        keys->second.erase(key);
        if (keys->second.empty()) {
            keys_by_object_.erase(keys);
        }
    }
}

std::vector<ObjectKey> SettlementWaits::take_released(const ObjectKey& object) {
    std::vector<ObjectKey> released;
    const auto node = keys_by_object_.extract(object);
    if (node.empty()) {
        return released;
    }
    for (const ObjectKey& key : node.mapped()) {
        const auto objects = objects_by_key_.find(key);
        objects->second.erase(object);
        if (objects->second.empty()) {
            objects_by_key_.erase(objects);
            released.push_back(key);
        }
    }
    return released;
}

}  // namespace sluice::controller
