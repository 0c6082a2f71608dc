#include "job_kinds/schema.hpp"

#include <algorithm>
#include <string_view>

namespace sluice::job_kinds {

namespace {

constexpr std::string_view kOpen = "x-kubernetes-preserve-unknown-fields";

/// The schema one step below another schema. `is_open`: the schema allows any value there.
struct Below {
    const json::Value* schema = nullptr;
    bool is_open = false;
};

bool is_true(const json::Value* value) {
    return value != nullptr && *value == json::Value(true);
}

/// Returns true if the schema does not describe its content, or refers to another schema.
bool is_open(const json::Value& schema) {
    constexpr std::string_view kInside[] = {"type", "properties", "items", "additionalProperties"};
    return is_true(schema.find(kOpen)) || !schema.is_object() ||
           std::ranges::none_of(kInside, [&schema](std::string_view name) {
               return schema.find(name) != nullptr;
           });
}

Below follow_step(const json::Value& schema, const Step& step) {
    if (is_open(schema)) {
        return {.is_open = true};
    }
    const bool is_member = step.kind == Step::Kind::Member || step.kind == Step::Kind::Key;
    if (is_member) {
        const json::Value* properties = schema.find("properties");
        if (const json::Value* found =
                properties == nullptr ? nullptr : properties->find(step.name)) {
            return {.schema = found};
        }
    } else if (const json::Value* items = schema.find("items")) {
        return {.schema = items};
    }
    const json::Value* others = schema.find("additionalProperties");
    if (is_true(others)) {
        return {.is_open = true};
    }
    return {.schema = others != nullptr && others->is_object() ? others : nullptr};
}

bool leads_somewhere(const json::Value& schema, const std::vector<Step>& steps) {
    const json::Value* at = &schema;
    for (const Step& step : steps) {
        const Below below = follow_step(*at, step);
        if (below.is_open) {
            return true;
        }
        if (below.schema == nullptr) {
            return false;
        }
        at = below.schema;
    }
    return true;
}

/// Collects all paths of a description that lead into the object, as steps from its root.
class Paths {
  public:
    void add(const Path& path, const std::vector<Step>& base = {}) {
        std::vector<Step> steps = base;
        steps.insert(steps.end(), path.steps().begin(), path.steps().end());
        all.push_back(std::move(steps));
    }
    void add(const Number& number, const std::vector<Step>& base) {
        if (number.path) {
            add(*number.path, base);
        }
        for (const Number& one : number.least_of) {
            add(one, base);
        }
    }
    void add(const Predicate& predicate) {
        for (const Path& path : predicate.paths) {
            add(path);
        }
        for (const Path& path : predicate.other_paths) {
            add(path);
        }
        for (const Predicate& part : predicate.parts) {
            add(part);
        }
    }
    template <class T>
    void add(const std::optional<T>& one) {
        if (one) {
            add(*one);
        }
    }

    std::vector<std::vector<Step>> all;
};

void add_pod_sets(Paths& into, const Description& description) {
    for (const PodSetRule& rule : description.pod_sets) {
        const std::vector<Step>& at = rule.at.steps();
        into.add(rule.at);
        into.add(rule.when);
        if (rule.name_from) {
            into.add(*rule.name_from, at);
        }
        into.add(rule.replicas, at);
        into.add(rule.pods_per_replica, at);
        into.add(rule.pod_template, at);
    }
}

Paths paths_of(const Description& description, PodSetSource pod_sets) {
    Paths paths;
    paths.add(description.suspension.path);
    if (pod_sets == PodSetSource::Object) {
        add_pod_sets(paths, description);
        paths.add(description.ready);
    }
    for (const Path& path : description.priority_class) {
        paths.add(path);
    }
    paths.add(description.active);
    if (description.finished) {
        paths.add(description.finished->succeeded);
        paths.add(description.finished->failed);
        paths.add(description.finished->message);
    }
    if (description.reclaimable) {
        const std::vector<Step>& at = description.reclaimable->at.steps();
        paths.add(description.reclaimable->name, at);
        paths.add(description.reclaimable->succeeded, at);
    }
    paths.add(description.left_alone);
    paths.add(description.on_hold);
    for (const Path& path : description.immutable_while_running) {
        paths.add(path);
    }
    return paths;
}

std::string text_of(const std::vector<Step>& steps) {
    std::string text;
    for (const Step& step : steps) {
        if (step.kind == Step::Kind::Each || step.kind == Step::Kind::Where) {
            text += "[*]";
        } else {
            text += text.empty() || step.kind != Step::Kind::Member ? "" : ".";
            text += to_string(Location{step});
        }
    }
    return text;
}

}  // namespace

const json::Value* find_schema(const json::Value& open_api, const Description& description) {
    const json::Value* schemas = open_api.find_path({"components", "schemas"});
    if (schemas == nullptr || !schemas->is_object()) {
        return nullptr;
    }
    for (const auto& [name, schema] : schemas->as_object()) {
        const json::Value* kinds = schema.find("x-kubernetes-group-version-kind");
        if (kinds == nullptr || !kinds->is_array()) {
            continue;
        }
        for (const json::Value& one : kinds->as_array()) {
            if (one.string_at("group") == description.group &&
                one.string_at("version") == description.version &&
                one.string_at("kind") == description.kind) {
                return &schema;
            }
        }
    }
    return nullptr;
}

std::vector<std::string> find_unknown_paths(
    const Description& description, PodSetSource pod_sets, const json::Value& schema
) {
    std::vector<std::string> unknown;
    for (const std::vector<Step>& steps : paths_of(description, pod_sets).all) {
        std::string text = text_of(steps);
        if (!leads_somewhere(schema, steps) && std::ranges::find(unknown, text) == unknown.end()) {
            unknown.push_back(std::move(text));
        }
    }
    return unknown;
}

}  // namespace sluice::job_kinds
