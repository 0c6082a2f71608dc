#include "cel/evaluation/cost_rules.hpp"

#include "cel/values/operations.hpp"

#include <algorithm>
#include <cmath>

namespace sluice::cel {
namespace {

std::uint64_t scaled(std::uint64_t size, double factor) {
    return static_cast<std::uint64_t>(std::ceil(static_cast<double>(size) * factor));
}

std::uint64_t traversal(const Value& value) {
    if (value.is<Text>()) {
        return static_cast<std::uint64_t>(
            static_cast<double>(value.text().size()) * kCostPerCharacter
        );
    }
    if (const List* list = value.list()) {
        std::uint64_t cost = 0;
        for (std::size_t i = 0; i < list->size(); ++i) {
            cost += traversal(list->at(i));
        }
        return cost;
    }
    if (const Map* map = value.map()) {
        std::uint64_t cost = 0;
        for (const Value& key : map->keys()) {
            const auto found = map->find(key);
            cost += traversal(key) + (found ? traversal(*found) : 0);
        }
        return cost;
    }
    return 1;
}

bool needs_certainty(CostRule rule) {
    return rule == CostRule::StandardScan || rule == CostRule::StandardRegex ||
           rule == CostRule::StandardShorter || rule == CostRule::Concatenation ||
           rule == CostRule::Items || rule == CostRule::Contains;
}

std::uint64_t product(std::uint64_t a, std::uint64_t b) {
    std::uint64_t result = 0;
    return __builtin_mul_overflow(a, b, &result) ? UINT64_MAX : result;
}

}  // namespace

std::uint64_t call_cost(
    CostRule rule, bool is_certain, std::span<const Value> arguments, const Value& result
) {
    if (needs_certainty(rule) && !is_certain) {
        return 1;
    }
    const auto size = [&](std::size_t index) {
        return index < arguments.size() ? cost_size(arguments[index]) : 1;
    };
    switch (rule) {
        case CostRule::Unit:
            return 1;
        case CostRule::Scan:
        case CostRule::StandardScan:
            return scaled(size(0), kCostPerCharacter);
        case CostRule::ScanTwice:
            return scaled(size(0), 2 * kCostPerCharacter);
        case CostRule::ResultTwice:
            return scaled(cost_size(result), 2 * kCostPerCharacter);
        case CostRule::Regex:
        case CostRule::StandardRegex:
            return product(
                scaled(size(0) + 1, kCostPerCharacter), scaled(size(1), kCostPerPatternCharacter)
            );
        case CostRule::Contains:
            return product(scaled(size(0), kCostPerCharacter), scaled(size(1), kCostPerCharacter));
        case CostRule::Shorter:
        case CostRule::StandardShorter:
            return scaled(std::min(size(0), size(1)), kCostPerCharacter);
        case CostRule::Concatenation:
            return scaled(size(0) + size(1), kCostPerCharacter);
        case CostRule::Items:
            return size(1);
        case CostRule::Traversal:
            return traversal(arguments[0]);
        case CostRule::ResultItems:
            return cost_size(result) + kListCost;
        case CostRule::Product:
            return product(size(0), size(1)) + 1;
        case CostRule::Square:
            return product(size(0), size(0)) + kListCost;
    }
    return 1;
}

}  // namespace sluice::cel
