#include "cel/evaluation/effort.hpp"

#include "cel/evaluation/cost_estimate.hpp"
#include "cel/values/operations.hpp"

#include <algorithm>

namespace sluice::cel {
namespace {

constexpr std::size_t kBytesPerPart = 64;
/// The memory of one list item counts as much as reading this many parts.
constexpr std::uint64_t kPartsPerItem = 4;

std::uint64_t count_parts(const json::Value& data) {
    std::uint64_t count = 1;
    if (data.is_string()) {
        count += data.as_string().size() / kBytesPerPart;
    } else if (data.is_array()) {
        for (const json::Value& each : data.as_array()) {
            count += count_parts(each);
        }
    } else if (data.is_object()) {
        for (const auto& [name, each] : data.as_object()) {
            count += count_parts(each);
        }
    }
    return count;
}

std::uint64_t count_parts(const Value& value) {
    if (value.is<Text>()) {
        return 1 + value.text().size() / kBytesPerPart;
    }
    if (value.is<Bytes>()) {
        return 1 + value.get<Bytes>().text.view().size() / kBytesPerPart;
    }
    if (value.is<Unknown>()) {
        return count_parts(*value.get<Unknown>().data);
    }
    if (const auto* optional = value.get_if<Optional>()) {
        return optional->value != nullptr ? 1 + count_parts(*optional->value) : 1;
    }
    std::uint64_t count = 1;
    if (const List* list = value.list()) {
        if (list->raw() != nullptr) {
            for (const json::Value& each : *list->raw()) {
                count += count_parts(each);
            }
            return count;
        }
        for (std::size_t i = 0; i < list->size(); ++i) {
            count += count_parts(list->at(i));
        }
    } else if (const Map* map = value.map()) {
        if (map->raw() != nullptr) {
            for (const auto& [name, each] : *map->raw()) {
                count += count_parts(each);
            }
            return count;
        }
        for (const auto& [key, each] : map->entries()) {
            count += count_parts(key) + count_parts(each);
        }
    }
    return count;
}

}  // namespace

std::uint64_t reading_effort(CostRule rule, std::span<const Value> arguments) {
    const auto size = [&](std::size_t index) { return cost_size(arguments[index]); };
    switch (rule) {
        case CostRule::Shorter:
            return std::min(count_parts(arguments[0]), count_parts(arguments[1]));
        case CostRule::Items:
            return count_parts(arguments[1]);
        case CostRule::Traversal:
            return count_parts(arguments[0]);
        case CostRule::Product:
            return add_costs(
                multiply_costs(count_parts(arguments[0]), size(1)),
                multiply_costs(count_parts(arguments[1]), size(0))
            );
        case CostRule::Square:
            return multiply_costs(count_parts(arguments[0]), size(0));
        case CostRule::Unit:
            // Counting or searching a text costs one unit, but reads all of it.
            return !arguments.empty() && arguments[0].is<Text>() ? count_parts(arguments[0]) : 0;
        case CostRule::Scan:
        case CostRule::StandardScan:
        case CostRule::ScanTwice:
        case CostRule::ResultTwice:
        case CostRule::Regex:
        case CostRule::StandardRegex:
        case CostRule::Contains:
        case CostRule::StandardShorter:
        case CostRule::Concatenation:
        case CostRule::ResultItems:
            break;
    }
    return 0;
}

std::uint64_t making_effort(const Value& result, bool is_copy) {
    if (result.is<Text>()) {
        return result.text().size() / kBytesPerPart * kPartsPerItem;
    }
    const bool is_made = result.list() != nullptr || is_copy;
    return is_made ? multiply_costs(cost_size(result), kPartsPerItem) : 0;
}

}  // namespace sluice::cel
