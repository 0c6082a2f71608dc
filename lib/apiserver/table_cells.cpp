#include "apiserver/table_cells.hpp"

#include "apiserver/builtin_cells.hpp"
#include "apiserver/json_path.hpp"
#include "apiserver/objects.hpp"

#include <fmt/format.h>
#include <fmt/ranges.h>

#include <charconv>
#include <utility>

namespace sluice::apiserver {
namespace {

using json::Array;
using json::Value;

std::string shown(const Value& value) {
    return value.is_string() ? value.as_string() : json::print(value);
}

Value custom_cell(const Column& column, const Value& object, Time now) {
    const auto found = find_json_path(object, column.json_path);
    if (found.empty() || found.front()->is_null()) {
        return nullptr;
    }
    const Value& value = *found.front();
    if (column.type == "date") {
        return value.is_string() ? Value(age_since(value.as_string(), now)) : Value("<invalid>");
    }
    if (column.type == "integer" || column.type == "number") {
        if (value.is_double() && column.type == "integer") {
            return Value(static_cast<std::int64_t>(value.as_double()));
        }
        return value.is_number() ? value : Value(nullptr);
    }
    if (column.type == "boolean") {
        return value.is_bool() ? value : Value(nullptr);
    }
    if (found.size() == 1) {
        return shown(value);
    }
    std::vector<std::string> texts;
    for (const Value* one : found) {
        texts.push_back(shown(*one));
    }
    return fmt::format("{}", fmt::join(texts, ","));
}

}  // namespace

Array table_cells(
    const Resource& resource, const ResourceVersion& version, const Value& object, Time now
) {
    if (resource.is_custom) {
        Array cells;
        for (const auto& column : version.columns) {
            cells.push_back(custom_cell(column, object, now));
        }
        return cells;
    }
    if (auto cells = builtin_cells(resource.kind, object, now)) {
        // What a kind's cells lack is unknown rather than missing.
        while (cells->size() < version.columns.size()) {
            cells->emplace_back("<none>");
        }
        return std::move(*cells);
    }
    Array cells{Value(meta_string(object, "name"))};
    const auto created = meta_string(object, "creationTimestamp");
    for (std::size_t i = 1; i < version.columns.size(); ++i) {
        const auto& name = version.columns[i].name;
        const bool is_time = name == "Age" || name == "Created At";
        cells.emplace_back(
            name == "Created At" ? std::string(created)
            : is_time            ? age_since(created, now)
                                 : std::string("<none>")
        );
    }
    return cells;
}

}  // namespace sluice::apiserver
