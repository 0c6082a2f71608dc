#include "engine/state/held_nodes.hpp"

#include <algorithm>
#include <utility>

namespace sluice::engine {
namespace {

std::int64_t sum_of(const std::vector<DomainPods>& hosts) {
    std::int64_t sum = 0;
    for (const DomainPods& pods : hosts) {
        sum += pods.count;
    }
    return sum;
}

std::int32_t count_on(const std::vector<DomainPods>& hosts, const std::string& id) {
    const auto at = std::ranges::find(hosts, id, &DomainPods::id);
    return at == hosts.end() ? 0 : at->count;
}

}  // namespace

std::int64_t HeldNodes::without_room() const {
    return std::max<std::int64_t>(0, count - sum_of(running) - sum_of(expected));
}

void HeldNodes::set_count(std::int64_t pods) {
    count = pods;
    trim();
}

void HeldNodes::set_running(std::vector<DomainPods> hosts) {
    for (DomainPods& room : expected) {
        const std::int32_t more = count_on(hosts, room.id) - count_on(running, room.id);
        room.count -= std::clamp(more, 0, room.count);
    }
    running = std::move(hosts);
    trim();
}

void HeldNodes::expect(const DomainPods& pods) {
    const auto at = std::ranges::find(expected, pods.id, &DomainPods::id);
    if (at == expected.end()) {
        expected.push_back(pods);
    } else {
        at->count += pods.count;
    }
}

void HeldNodes::trim() {
    std::int64_t excess = sum_of(running) + sum_of(expected) - count;
    for (auto at = expected.rbegin(); at != expected.rend() && excess > 0; ++at) {
        const auto given_back =
            static_cast<std::int32_t>(std::min<std::int64_t>(excess, at->count));
        at->count -= given_back;
        excess -= given_back;
    }
    std::erase_if(expected, [](const DomainPods& pods) { return pods.count <= 0; });
}

}  // namespace sluice::engine
