#include "cel/syntax/overload.hpp"

#include "base/assert.hpp"

#include <functional>
#include <map>
#include <string>

namespace sluice::cel {
namespace {

using Table = std::map<std::string_view, std::vector<Overload>, std::less<>>;

Overload read_row(const FunctionRow& row) {
    Overload overload;
    overload.function = row.function;
    overload.id = row.id;
    overload.implementation = row.implementation;
    overload.cost = row.cost;
    overload.guard = row.guard;
    // The parameters end at the last closing parenthesis before the result.
    const std::string_view text = row.signature;
    const auto member = text.find(".(");
    overload.is_member = member != std::string_view::npos;
    const auto open = overload.is_member ? member + 1 : 0;
    if (overload.is_member) {
        overload.parameters.push_back(parse_type(text.substr(0, member)));
    }
    std::size_t depth = 0;
    std::size_t start = open + 1;
    std::size_t at = open;
    for (; at < text.size(); ++at) {
        const char c = text[at];
        depth += c == '(' ? 1 : 0;
        const bool ends = (c == ',' && depth == 1) || (c == ')' && depth == 1);
        if (ends && at > start) {
            overload.parameters.push_back(parse_type(text.substr(start, at - start)));
        }
        start = ends ? at + 2 : start;
        depth -= c == ')' ? 1 : 0;
        if (depth == 0) {
            break;
        }
    }
    SLUICE_ASSERT(at + 2 < text.size());
    overload.result = parse_type(text.substr(at + 2));
    return overload;
}

Table make_table() {
    Table table;
    for (const auto rows :
         {operator_rows(),
          comparison_rows(),
          conversion_rows(),
          string_rows(),
          list_rows(),
          time_rows(),
          optional_rows()}) {
        for (const FunctionRow& row : rows) {
            table[row.function].push_back(read_row(row));
        }
    }
    return table;
}

}  // namespace

std::span<const Overload> find_overloads(std::string_view function) {
    static const Table kTable = make_table();
    const auto found = kTable.find(function);
    return found != kTable.end() ? std::span<const Overload>(found->second)
                                 : std::span<const Overload>();
}

}  // namespace sluice::cel
