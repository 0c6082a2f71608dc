#include "apiserver/table/table.hpp"

#include "api/meta/micro_time.hpp"
#include "apiserver/objects/go_text.hpp"
#include "apiserver/table/builtin_cells.hpp"
#include "apiserver/table/column_path.hpp"
#include "base/assert.hpp"
#include "json/writer.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <chrono>
#include <cmath>
#include <cstdint>
#include <optional>
#include <string>
#include <string_view>
#include <utility>

namespace sluice::apiserver {

namespace {

/// Prints the value as Go does; a list or object as JSON.
std::string column_text(const json::Value& value) {
    if (value.is_null()) {
        return "<no value>";
    }
    return value.is_array() || value.is_object() ? json::escape_as_go(json::print_sorted(value))
                                                 : go_text(value);
}

/// Rounds towards zero; returns null if the number is too large for an integer.
json::Value to_integer(double number) {
    constexpr double kMax = 9.2e18;
    return std::abs(number) < kMax ? json::Value(static_cast<std::int64_t>(number)) : json::Value();
}

}  // namespace

json::Value column_cell(const std::string& type, const json::Value* value, Time now) {
    if (value == nullptr) {
        return {};
    }
    if (type == "string") {
        return column_text(*value);
    }
    if (type == "date" && value->is_string()) {
        const auto time = api::parse_time(value->as_string());
        return time ? age(now - *time) : "<invalid>";
    }
    if (type == "integer" && value->is_double()) {
        return to_integer(value->as_double());
    }
    const bool has_type = (type == "integer" && value->is_int()) ||
                          (type == "number" && value->is_number()) ||
                          (type == "boolean" && value->is_bool());
    return has_type ? *value : json::Value();
}

namespace {

/// The columns of a custom kind, with their paths parsed.
class CustomColumns {
  public:
    explicit CustomColumns(const ResourceType& type) {
        for (const PrinterColumn& column : type.columns) {
            auto path = ColumnPath::parse(column.json_path);
            // read_columns() drops columns with malformed paths.
            SLUICE_ASSERT(path.has_value());
            columns_.emplace_back(column.type, std::move(*path));
        }
    }

    json::Array cells(const json::Value& object, Time now) const {
        json::Array cells{object.find("metadata")->string_at("name")};
        for (const auto& [type, path] : columns_) {
            cells.push_back(column_cell(type, path.find_first(object), now));
        }
        return cells;
    }

  private:
    std::vector<std::pair<std::string, ColumnPath>> columns_;
};

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
    std::optional<CustomColumns> custom;
    if (type.is_custom) {
        custom.emplace(type);
    }
    json::Array rows;
    for (const json::Value& object : objects) {
        json::Array cells = custom ? custom->cells(object, now) : builtin_cells(type, object, now);
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
