#include "workload/pods/limit_range.hpp"

namespace sluice::workload {
namespace {

void keep_lowest(api::ResourceList& kept, const api::ResourceList& added) {
    for (const auto& [resource, quantity] : added) {
        const auto [at, is_new] = kept.emplace(resource, quantity);
        if (!is_new && quantity < at->second) {
            at->second = quantity;
        }
    }
}

void keep_highest(api::ResourceList& kept, const api::ResourceList& added) {
    for (const auto& [resource, quantity] : added) {
        const auto [at, is_new] = kept.emplace(resource, quantity);
        if (!is_new && at->second < quantity) {
            at->second = quantity;
        }
    }
}

}  // namespace

void LimitRangeSummary::add(const api::LimitRange& range) {
    for (const auto& limit : range.spec.limits) {
        Item& item = items_[limit.type_];
        keep_lowest(item.max, limit.max);
        keep_highest(item.min, limit.min);
        item.default_limits.insert(limit.default_.begin(), limit.default_.end());
        item.default_requests.insert(limit.default_request.begin(), limit.default_request.end());
    }
}

const LimitRangeSummary::Item* LimitRangeSummary::find(std::string_view type) const {
    const auto at = items_.find(type);
    return at == items_.end() ? nullptr : &at->second;
}

}  // namespace sluice::workload
