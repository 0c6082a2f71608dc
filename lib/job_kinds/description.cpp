#include "job_kinds/description.hpp"

#include "api/meta/names.hpp"
#include "config/strict_reader.hpp"
#include "job_kinds/readers.hpp"
#include "job_kinds/text.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <cstdint>
#include <limits>
#include <set>
#include <string>
#include <utility>

namespace sluice::job_kinds {

namespace {

using config::Problems;
using config::StrictReader;

Number compile_number(const json::Value& value, const std::string& where, Problems& problems) {
    Number number;
    if (value.is_string()) {
        number.path = compile_path(value, where, problems);
    } else if (value.is_int()) {
        if (value.as_int() > std::numeric_limits<std::int32_t>::max()) {
            problems.add(where, fmt::format("{} pods are too many", value.as_int()));
        }
        number.otherwise = static_cast<std::int32_t>(
            std::clamp<std::int64_t>(value.as_int(), -1, std::numeric_limits<std::int32_t>::max())
        );
    } else {
        StrictReader reader(value, where, problems);
        number.path = read_path(reader, "path");
        reader.read("default", number.otherwise);
        reader.read("atLeast", number.at_least);
        if (const json::Value* least = reader.take("min")) {
            const std::string path = reader.path_of("min");
            if (!least->is_array() || least->as_array().empty() || number.path) {
                problems.add(path, "must be a list of numbers, in place of path");
            } else {
                for (std::size_t i = 0; i < least->as_array().size(); ++i) {
                    number.least_of.push_back(
                        compile_number(least->as_array()[i], item_path(path, i), problems)
                    );
                }
            }
        } else if (value.is_object() && !number.path) {
            problems.add(where, "needs path or min");
        }
    }
    if (number.path && !number.path->is_single()) {
        problems.add(where, fmt::format("\"{}\" may lead to several numbers", number.path->text()));
    }
    if (number.otherwise.value_or(0) < 0 || number.at_least < 0) {
        problems.add(where, "may not be negative");
    }
    return number;
}

/// Reads a number that is one if the description or the object does not set it.
Number read_number(StrictReader& reader, std::string_view name) {
    Number number;
    if (const json::Value* value = reader.take(name)) {
        number = compile_number(*value, reader.path_of(name), reader.problems());
    }
    number.otherwise = number.otherwise.value_or(1);
    return number;
}

void read_kind(StrictReader& reader, Description& into) {
    Problems& problems = reader.problems();
    std::string api_version;
    reader.read("apiVersion", api_version);
    const std::size_t slash = api_version.find('/');
    into.version = slash == std::string::npos ? api_version : api_version.substr(slash + 1);
    into.group = slash == std::string::npos ? std::string() : api_version.substr(0, slash);
    if (into.version.empty() || api::check_dns1123_label(into.version) ||
        (slash != std::string::npos && api::check_dns1123_subdomain(into.group))) {
        problems.add(
            reader.path_of("apiVersion"),
            fmt::format("\"{}\" is not of the form group/version", api_version)
        );
    }
    reader.read("kind", into.kind);
    if (api::check_dns1123_label(lower_case(into.kind))) {
        problems.add(reader.path_of("kind"), fmt::format("\"{}\" is not a valid kind", into.kind));
    }
    into.resource = lower_case(into.kind) + "s";
    reader.read("resource", into.resource);
    if (api::check_dns1123_label(into.resource)) {
        problems.add(
            reader.path_of("resource"), fmt::format("\"{}\" is not a valid resource", into.resource)
        );
    }
    into.framework = (into.group.empty() ? "" : into.group + "/") + lower_case(into.kind);
    reader.read("framework", into.framework);
}

void read_suspension(StrictReader& reader, Suspension& into) {
    const bool is_there = reader.object("suspend", [&into](StrictReader& r) {
        into.path = read_single(r, "path");
        if (!into.path.is_settable() && !into.path.text().empty()) {
            r.problems().add(r.path_of("path"), "must be a row of member names");
        }
        const json::Value* suspended = r.take("suspended");
        const json::Value* running = r.take("running");
        if (suspended != nullptr) {
            into.suspended = *suspended;
        } else {
            into.running = json::Value(false);
        }
        if (running != nullptr) {
            into.running = *running;
        }
        into.final_values = read_values(r, "final");
        for (const json::Value& value : into.final_values) {
            if (value == into.suspended || value == into.running) {
                r.problems().add(
                    r.path_of("final"), "has the value of an object that is suspended or runs"
                );
            }
        }
        if (into.running == into.suspended) {
            r.problems().add(r.path_of("running"), "is the value of a suspended object");
        }
    });
    if (!is_there) {
        reader.problems().add(
            reader.path_of("suspend"), "is required: without it no object can be held"
        );
    }
}

void read_pod_set(StrictReader& reader, PodSetRule& into) {
    Problems& problems = reader.problems();
    into.at = read_path(reader, "at").value_or(Path());
    into.when = read_predicate(reader, "when");
    reader.read("name", into.name);
    into.name_from = read_path(reader, "nameFrom");
    if (into.name.empty() == !into.name_from) {
        problems.add(reader.path_of("name"), "needs either name or nameFrom");
    } else if (!into.name.empty() && api::check_dns1123_label(into.name)) {
        problems.add(
            reader.path_of("name"), fmt::format("\"{}\" is not a valid pod set name", into.name)
        );
    } else if (!into.name.empty() && !into.at.is_single()) {
        problems.add(reader.path_of("name"), "would be the name of several pod sets; use nameFrom");
    }
    into.replicas = read_number(reader, "replicas");
    into.pods_per_replica = read_number(reader, "podsPerReplica");
    into.pod_template = read_single(reader, "template");
    reader.object("topology", [&into](StrictReader& r) {
        r.read("podIndexLabel", into.pod_index_label);
        r.read("subGroupIndexLabel", into.sub_group_index_label);
        r.read("annotations", into.has_topology_annotations);
    });
}

void check_names(const std::vector<PodSetRule>& pod_sets, const std::string& path, Problems& out) {
    std::set<std::string_view> names;
    for (std::size_t i = 0; i < pod_sets.size(); ++i) {
        const std::string& name = pod_sets[i].name;
        if (!name.empty() && !names.insert(name).second) {
            out.add(item_path(path, i) + ".name", fmt::format("\"{}\" is there twice", name));
        }
    }
}

std::optional<Ending> read_ending(StrictReader& reader) {
    Ending ending;
    const bool is_there = reader.object("finished", [&ending](StrictReader& r) {
        ending.succeeded = require_predicate(r, "succeeded", "is required");
        ending.failed = require_predicate(r, "failed", "is required");
        ending.message = read_path(r, "message");
        r.read("firstCondition", ending.is_first_condition);
    });
    return is_there ? std::optional(std::move(ending)) : std::nullopt;
}

std::optional<ReclaimableRule> read_reclaimable(StrictReader& reader) {
    ReclaimableRule rule;
    const bool is_there = reader.object("reclaimable", [&rule](StrictReader& r) {
        rule.at = read_path(r, "at").value_or(Path());
        rule.name = read_single(r, "name");
        const auto replicas = read_path(r, "succeededReplicas");
        const auto pods = read_path(r, "succeededPods");
        if (replicas.has_value() == pods.has_value()) {
            r.problems().add(
                r.path_of("succeededReplicas"), "needs either succeededReplicas or succeededPods"
            );
        }
        rule.counts_replicas = replicas.has_value();
        rule.succeeded = replicas ? *replicas : pods.value_or(Path());
    });
    return is_there ? std::optional(std::move(rule)) : std::nullopt;
}

}  // namespace

Description read_description(
    const json::Value& document, std::string_view path, Problems& problems
) {
    Description made;
    StrictReader reader(document, std::string(path), problems);
    if (!document.is_object()) {
        return made;
    }
    read_kind(reader, made);
    read_suspension(reader, made.suspension);
    reader.objects("podSets", made.pod_sets, read_pod_set);
    if (made.pod_sets.empty()) {
        problems.add(reader.path_of("podSets"), "is required: without it no quota can be counted");
    }
    check_names(made.pod_sets, reader.path_of("podSets"), problems);
    made.priority_class = read_paths(reader, "priorityClass");
    made.active = require_predicate(
        reader, "active", "is required: quota is given back when the object is not active any more"
    );
    made.ready = read_predicate(reader, "ready");
    made.finished = read_ending(reader);
    made.reclaimable = read_reclaimable(reader);
    made.left_alone = read_predicate(reader, "leftAlone");
    made.on_hold = read_predicate(reader, "onHold");
    made.immutable_while_running = read_paths(reader, "immutableWhileRunning");
    reader.read("prebuiltWorkloads", made.may_be_prebuilt);
    reader.read("countsPodsOfPods", made.counts_pods_of_pods);
    reader.read("workloadSlices", made.may_have_slices);
    reader.read("podSetGroups", made.may_have_pod_set_groups);
    return made;
}

}  // namespace sluice::job_kinds
