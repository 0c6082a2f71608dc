#include "job_kinds/readers.hpp"

#include <fmt/format.h>

#include <string>
#include <utility>

namespace sluice::job_kinds {

namespace {

using config::Problems;
using config::StrictReader;

/// Compiles one path or a list of paths.
std::vector<Path> compile_all(
    const json::Value& value, const std::string& where, Problems& problems
) {
    std::vector<Path> paths;
    if (!value.is_array()) {
        paths.push_back(compile_path(value, where, problems));
        return paths;
    }
    for (std::size_t i = 0; i < value.as_array().size(); ++i) {
        paths.push_back(compile_path(value.as_array()[i], item_path(where, i), problems));
    }
    return paths;
}

Predicate compile_predicate(const json::Value& value, const std::string& where, Problems& problems);

std::vector<Predicate> compile_parts(
    const json::Value& value, const std::string& where, Problems& problems
) {
    std::vector<Predicate> parts;
    if (!value.is_array() || value.as_array().empty()) {
        problems.add(where, "must be a list of what is to be looked at");
        return parts;
    }
    for (std::size_t i = 0; i < value.as_array().size(); ++i) {
        parts.push_back(compile_predicate(value.as_array()[i], item_path(where, i), problems));
    }
    return parts;
}

void read_comparison(StrictReader& reader, Predicate& into, const std::string& where) {
    using Comparison = Predicate::Comparison;
    int found = 0;
    for (const auto& [name, comparison] :
         {std::pair("equals", Comparison::Equals),
          std::pair("atLeast", Comparison::AtLeast),
          std::pair("above", Comparison::Above)}) {
        const json::Value* other = reader.take(name);
        if (other == nullptr) {
            continue;
        }
        ++found;
        into.comparison = comparison;
        if (other->is_int()) {
            into.other = other->as_int();
        } else {
            into.other_paths = compile_all(*other, reader.path_of(name), reader.problems());
        }
    }
    if (found != 1) {
        reader.problems().add(where, "needs one of equals, atLeast, above");
    }
}

/// Reads the parts of a predicate. Returns true if the description has any of them.
bool read_question(StrictReader& reader, Predicate& into, const std::string& where) {
    using Kind = Predicate::Kind;
    Problems& problems = reader.problems();
    if (const auto path = read_path(reader, "path")) {
        into.kind = Kind::Value;
        into.paths = {*path};
        into.values = read_values(reader, "in");
    } else if (reader.read("condition", into.condition)) {
        into.kind = Kind::Condition;
        reader.read("status", into.status);
    } else if (const json::Value* added = reader.take("sum")) {
        into.kind = Kind::Sum;
        into.paths = compile_all(*added, reader.path_of("sum"), problems);
        read_comparison(reader, into, where);
    } else if (const auto counted = read_path(reader, "count")) {
        into.kind = Kind::Count;
        into.paths = {*counted};
        into.values = read_values(reader, "in");
        read_comparison(reader, into, where);
    } else if (const json::Value* all = reader.take("all")) {
        into.kind = Kind::All;
        into.parts = compile_parts(*all, reader.path_of("all"), problems);
    } else if (const json::Value* not_this = reader.take("not")) {
        into.kind = Kind::Not;
        into.parts = {compile_predicate(*not_this, reader.path_of("not"), problems)};
    } else {
        return false;
    }
    return true;
}

/// Compiles a predicate. A list holds if one of its entries holds.
Predicate compile_predicate(
    const json::Value& value, const std::string& where, Problems& problems
) {
    Predicate predicate;
    if (value.is_array()) {
        predicate.kind = Predicate::Kind::Any;
        predicate.parts = compile_parts(value, where, problems);
        return predicate;
    }
    StrictReader reader(value, where, problems);
    if (!read_question(reader, predicate, where) && value.is_object()) {
        problems.add(where, "needs one of path, condition, sum, count, all, not");
    }
    reader.read("message", predicate.message);
    return predicate;
}

}  // namespace

std::string item_path(std::string_view path, std::size_t index) {
    return fmt::format("{}[{}]", path, index);
}

Path compile_path(const json::Value& text, const std::string& where, Problems& problems) {
    if (!text.is_string()) {
        problems.add(where, "must be a path, such as spec.suspend");
        return {};
    }
    auto path = Path::compile(text.as_string());
    if (!path) {
        problems.add(where, path.error().detail);
        return {};
    }
    return std::move(*path);
}

std::optional<Path> read_path(StrictReader& reader, std::string_view name) {
    const json::Value* text = reader.take(name);
    if (text == nullptr) {
        return std::nullopt;
    }
    return compile_path(*text, reader.path_of(name), reader.problems());
}

Path read_single(StrictReader& reader, std::string_view name) {
    const auto path = read_path(reader, name);
    if (!path) {
        reader.problems().add(reader.path_of(name), "is required");
        return {};
    }
    if (!path->is_single()) {
        reader.problems().add(
            reader.path_of(name),
            fmt::format("\"{}\" may lead to several values; one is needed", path->text())
        );
    }
    return *path;
}

std::vector<Path> read_paths(StrictReader& reader, std::string_view name) {
    const json::Value* value = reader.take(name);
    return value == nullptr ? std::vector<Path>()
                            : compile_all(*value, reader.path_of(name), reader.problems());
}

std::vector<json::Value> read_values(StrictReader& reader, std::string_view name) {
    const json::Value* values = reader.take(name);
    if (values == nullptr) {
        return {};
    }
    if (!values->is_array() || values->as_array().empty()) {
        reader.problems().add(reader.path_of(name), "must be a list of values");
        return {};
    }
    return values->as_array();
}

std::optional<Predicate> read_predicate(StrictReader& reader, std::string_view name) {
    const json::Value* value = reader.take(name);
    if (value == nullptr) {
        return std::nullopt;
    }
    return compile_predicate(*value, reader.path_of(name), reader.problems());
}

Predicate require_predicate(StrictReader& reader, std::string_view name, std::string_view why) {
    auto predicate = read_predicate(reader, name);
    if (!predicate) {
        reader.problems().add(reader.path_of(name), why);
        return {};
    }
    return std::move(*predicate);
}

}  // namespace sluice::job_kinds
