#include "apiserver/table.hpp"

#include "api/micro_time.hpp"
#include "apiserver/builtin_cells.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <chrono>
#include <string>
#include <string_view>
#include <utility>

namespace sluice::apiserver {

namespace {

/// A part of JSONPath, as columns of definitions use it: members, indexes, and elements of a list
/// by the text of one of their members.
const json::Value* find_by_path(const json::Value& object, std::string_view path) {
    const json::Value* found = &object;
    while (!path.empty() && found != nullptr) {
        if (path.front() == '.') {
            path.remove_prefix(1);
            const std::size_t end = path.find_first_of(".[");
            std::string name(path.substr(0, end));
            while (name.ends_with('\\') && end != std::string_view::npos) {
                break;
            }
            path.remove_prefix(end == std::string_view::npos ? path.size() : end);
            found = name.empty() ? found : found->find(name);
            continue;
        }
        if (path.front() != '[') {
            return nullptr;
        }
        const std::size_t end = path.find(']');
        if (end == std::string_view::npos) {
            return nullptr;
        }
        std::string_view inside = path.substr(1, end - 1);
        path.remove_prefix(end + 1);
        if (inside.starts_with("?(@.")) {
            // [?(@.type=="Ready")]
            const std::size_t equals = inside.find("==");
            if (equals == std::string_view::npos || !found->is_array()) {
                return nullptr;
            }
            const std::string member(inside.substr(4, equals - 4));
            std::string_view wanted = inside.substr(equals + 2);
            if (wanted.ends_with(')')) {
                wanted.remove_suffix(1);
            }
            if (wanted.size() > 1 && (wanted.front() == '"' || wanted.front() == '\'')) {
                wanted = wanted.substr(1, wanted.size() - 2);
            }
            const auto element =
                std::ranges::find_if(found->as_array(), [&](const json::Value& each) {
                    return each.string_at(member) == wanted;
                });
            found = element == found->as_array().end() ? nullptr : &*element;
        } else if (inside.size() > 1 && (inside.front() == '\'' || inside.front() == '"')) {
            found = found->find(inside.substr(1, inside.size() - 2));
        } else if (found->is_array()) {
            const auto index = json::parse(inside);
            const bool is_there =
                index && index->is_int() && index->as_int() >= 0 &&
                index->as_int() < static_cast<std::int64_t>(found->as_array().size());
            found =
                is_there ? &found->as_array()[static_cast<std::size_t>(index->as_int())] : nullptr;
        } else {
            return nullptr;
        }
    }
    return found;
}

json::Value custom_cell(const PrinterColumn& column, const json::Value& object, Time now) {
    const json::Value* found = find_by_path(object, column.json_path);
    if (found == nullptr || found->is_null()) {
        return {};
    }
    if (column.type == "date" && found->is_string()) {
        const auto time = api::parse_time(found->as_string());
        return time ? json::Value(age(now - *time)) : json::Value("<invalid>");
    }
    if (column.type == "string" && !found->is_string()) {
        return json::print(*found);
    }
    return *found;
}

json::Array custom_cells(const ResourceType& type, const json::Value& object, Time now) {
    json::Array cells{object.find("metadata")->string_at("name")};
    for (const PrinterColumn& column : type.columns) {
        cells.push_back(custom_cell(column, object, now));
    }
    return cells;
}

std::vector<PrinterColumn> columns_of(const ResourceType& type) {
    std::vector<PrinterColumn> columns;
    if (type.is_custom) {
        columns.push_back({.name = "Name", .format = "name", .description = "Name of the object."});
    }
    columns.insert(columns.end(), type.columns.begin(), type.columns.end());
    return columns;
}

json::Value definition(const PrinterColumn& column) {
    return json::Object{
        {"name", column.name},
        {"type", column.type},
        {"format", column.format},
        {"description", column.description},
        {"priority", static_cast<std::int64_t>(column.priority)}
    };
}

}  // namespace

std::string age(Duration duration) {
    const std::int64_t total = std::chrono::duration_cast<std::chrono::seconds>(duration).count();
    if (total < -1) {
        return "<invalid>";
    }
    if (total < 0) {
        return "0s";
    }
    if (total < 120) {
        return fmt::format("{}s", total);
    }
    const std::int64_t minutes_total = total / 60;
    if (minutes_total < 10) {
        const std::int64_t left = total % 60;
        return left == 0 ? fmt::format("{}m", minutes_total)
                         : fmt::format("{}m{}s", minutes_total, left);
    }
    if (minutes_total < 180) {
        return fmt::format("{}m", minutes_total);
    }
    const std::int64_t hours_total = total / 3600;
    if (hours_total < 8) {
        const std::int64_t left = minutes_total % 60;
        return left == 0 ? fmt::format("{}h", hours_total)
                         : fmt::format("{}h{}m", hours_total, left);
    }
    if (hours_total < 48) {
        return fmt::format("{}h", hours_total);
    }
    const std::int64_t days_total = hours_total / 24;
    if (days_total < 8) {
        const std::int64_t left = hours_total % 24;
        return left == 0 ? fmt::format("{}d", days_total) : fmt::format("{}d{}h", days_total, left);
    }
    if (days_total < 730) {
        return fmt::format("{}d", days_total);
    }
    const std::int64_t years_total = days_total / 365;
    const std::int64_t left = days_total % 365;
    return years_total < 8 && left != 0 ? fmt::format("{}y{}d", years_total, left)
                                        : fmt::format("{}y", years_total);
}

bool wants_table(const Request& request) {
    return request.accept.find("as=Table") != std::string::npos;
}

json::Value make_table(
    const ResourceType& type,
    const std::vector<json::Value>& objects,
    json::Value list_metadata,
    std::string_view include,
    Time now
) {
    json::Array definitions;
    for (const PrinterColumn& column : columns_of(type)) {
        definitions.push_back(definition(column));
    }
    json::Array rows;
    for (const json::Value& object : objects) {
        json::Array cells =
            type.is_custom ? custom_cells(type, object, now) : builtin_cells(type, object, now);
        json::Value row = json::Object{{"cells", std::move(cells)}};
        if (include == "None") {
            row.set("object", nullptr);
        } else if (include == "Object") {
            row.set("object", object);
        } else {
            const json::Value* metadata = object.find("metadata");
            row.set(
                "object",
                json::Object{
                    {"kind", "PartialObjectMetadata"},
                    {"apiVersion", "meta.k8s.io/v1"},
                    {"metadata", metadata == nullptr ? json::Value(json::Object()) : *metadata}
                }
            );
        }
        rows.push_back(std::move(row));
    }
    return json::Object{
        {"kind", "Table"},
        {"apiVersion", "meta.k8s.io/v1"},
        {"metadata", std::move(list_metadata)},
        {"columnDefinitions", std::move(definitions)},
        {"rows", std::move(rows)}
    };
}

}  // namespace sluice::apiserver
