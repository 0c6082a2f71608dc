#include "job_kinds/builtin.hpp"

#include "base/assert.hpp"
#include "yaml/parse.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <map>
#include <string>
#include <utility>

namespace sluice::job_kinds {

namespace {

using config::Problems;

/// A file of a kind, with the keys that descriptions of users do not have.
struct BuiltinDocument {
    Description description;
    std::string path;        ///< for problems
    json::Value gate;        ///< null if the file has none
    json::Value simulation;  ///< null if the file has none
};

json::Value take_member(json::Value& document, std::string_view name) {
    json::Value* found = document.find(name);
    json::Value taken = found == nullptr ? json::Value() : std::move(*found);
    document.erase(name);
    return taken;
}

BuiltinDocument read_builtin_document(const BuiltinFile& file, Problems& problems) {
    BuiltinDocument made{
        .description = {}, .path = std::string(file.name), .gate = {}, .simulation = {}
    };
    auto document = yaml::parse_document(file.text);
    if (!document) {
        problems.add(file.name, document.error().detail);
        return made;
    }
    made.gate = take_member(*document, "featureGate");
    made.simulation = take_member(*document, "simulation");
    // test/lint/job_kinds.py reads it.
    document->erase("chart");
    made.description = read_description(*document, file.name, problems);
    return made;
}

std::optional<config::Feature> read_gate(const BuiltinDocument& document, Problems& problems) {
    if (document.gate.is_null()) {
        return std::nullopt;
    }
    const auto gate =
        document.gate.is_string() ? config::find_feature(document.gate.as_string()) : std::nullopt;
    if (!gate) {
        problems.add(document.path + ".featureGate", "must be the name of a feature gate");
    }
    return gate;
}

/// Returns the simulation of a document. Members that it lacks are those of the kind that its
/// member `like` names.
json::Value with_inherited_members(
    const BuiltinDocument& document,
    const std::map<std::string, json::Value>& simulations,
    Problems& problems
) {
    if (document.simulation.find("like") == nullptr) {
        return document.simulation;
    }
    const auto other = simulations.find(std::string(document.simulation.string_at("like")));
    if (other == simulations.end() || other->second.find("like") != nullptr) {
        problems.add(
            document.path + ".simulation.like",
            "must be a framework whose simulation is written out"
        );
        return {};
    }
    json::Value made = other->second;
    for (const auto& [name, value] : document.simulation.as_object()) {
        if (name != "like") {
            made.set(name, value);
        }
    }
    return made;
}

std::vector<BuiltinKind> read_shipped_kinds() {
    Problems problems;
    auto all = read_builtin_kinds(builtin_files(), problems);
    SLUICE_ASSERT(problems.empty());
    return all;
}

}  // namespace

std::vector<BuiltinKind> read_builtin_kinds(
    std::span<const BuiltinFile> files, Problems& problems
) {
    std::vector<BuiltinDocument> documents;
    std::map<std::string, json::Value> simulations;
    for (const BuiltinFile& file : files) {
        documents.push_back(read_builtin_document(file, problems));
        const BuiltinDocument& document = documents.back();
        if (document.simulation.is_object()) {
            simulations.emplace(document.description.framework, document.simulation);
        }
    }
    std::vector<BuiltinKind> all;
    for (BuiltinDocument& document : documents) {
        BuiltinKind kind{
            .description = {}, .gate = read_gate(document, problems), .simulation = {}
        };
        if (!document.simulation.is_null()) {
            kind.simulation = read_simulation(
                with_inherited_members(document, simulations, problems),
                document.path + ".simulation",
                problems
            );
        }
        kind.description = std::move(document.description);
        if (kind.simulation &&
            kind.simulation->end.has_value() != kind.description.finished.has_value()) {
            problems.add(
                document.path + ".simulation.end",
                "is needed if, and only if, the kind has `finished`"
            );
        }
        all.push_back(std::move(kind));
    }
    std::ranges::sort(all, {}, [](const BuiltinKind& each) -> const std::string& {
        return each.description.framework;
    });
    return all;
}

const std::vector<BuiltinKind>& builtin_kinds() {
    static const std::vector<BuiltinKind> kAll = read_shipped_kinds();
    return kAll;
}

const Description* find_builtin(std::string_view framework) {
    for (const BuiltinKind& kind : builtin_kinds()) {
        if (kind.description.framework == framework) {
            return &kind.description;
        }
    }
    return nullptr;
}

}  // namespace sluice::job_kinds
