#include "json/log_format.hpp"

#include "base/printable.hpp"
#include "json/writer.hpp"

#include <string>

namespace sluice::json {
namespace {

std::string format_json_line(std::string_view phrase, std::span<const log::Field> fields) {
    std::string line = R"("msg":)";
    append_quoted(line, printable(phrase));
    for (const log::Field& field : fields) {
        const bool is_taken = field.key == "level" || field.key == "ts" || field.key == "msg";
        line += ',';
        append_quoted(line, printable(field.key) + (is_taken ? "_" : ""));
        line += ':';
        append_quoted(line, printable(field.value));
    }
    return line + '}';
}

}  // namespace

log::Format json_log_format() {
    return {
        .pattern = R"({"level":"%l","ts":"%Y-%m-%dT%H:%M:%S.%e%z",%v)",
        .format_line = &format_json_line,
    };
}

}  // namespace sluice::json
