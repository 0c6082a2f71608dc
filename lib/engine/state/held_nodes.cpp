#include "engine/state/held_nodes.hpp"

#include <algorithm>
#include <map>
#include <string_view>
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

}  // namespace

std::int64_t HeldNodes::without_room() const {
    return std::max<std::int64_t>(0, count - sum_of(running) - sum_of(expected));
}

void HeldNodes::set_count(std::int64_t pods) {
    count = pods;
    trim();
}

void HeldNodes::set_running(std::vector<DomainPods> hosts) {
    if (!expected.empty()) {
        std::map<std::string_view, std::int32_t> more;
        for (const DomainPods& pods : hosts) {
            more[pods.id] += pods.count;
        }
        for (const DomainPods& pods : running) {
            more[pods.id] -= pods.count;
        }
        for (DomainPods& room : expected) {
            const auto at = more.find(room.id);
            room.count -= std::clamp(at == more.end() ? 0 : at->second, 0, room.count);
        }
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
