#include "controller/jobs/job/stored_template.hpp"

#include "api/meta/codec.hpp"
#include "api/schema/schema.hpp"
#include "json/value.hpp"

#include <catch2/catch_test_macros.hpp>

#include <cstddef>
#include <string>
#include <utility>
#include <vector>

namespace sluice::controller {

namespace {

/// A list in the schema of a pod template: the names of the members that lead to it, and the fields
/// that tell its items apart (none: the items themselves do).
struct KeyedPath {
    std::vector<std::string> members;
    std::vector<std::string> keys;
};

void collect(
    const json::Value& schema, std::vector<std::string>& members, std::vector<KeyedPath>& found
) {
    const auto type = schema.string_at("x-kubernetes-list-type");
    if (type == "map" || type == "set") {
        KeyedPath path{.members = members, .keys = {}};
        if (const json::Value* keys = schema.find("x-kubernetes-list-map-keys")) {
            for (const json::Value& key : keys->as_array()) {
                path.keys.push_back(key.as_string());
            }
        }
        found.push_back(std::move(path));
    }
    if (const json::Value* items = schema.find("items"); items != nullptr && items->is_object()) {
        collect(*items, members, found);
    }
    if (const json::Value* properties = schema.find("properties")) {
        for (const auto& [name, property] : properties->as_object()) {
            members.push_back(name);
            collect(property, members, found);
            members.pop_back();
        }
    }
}

/// Returns a template with that list, which has one item three times.
json::Value repeat(const KeyedPath& path, const json::Value& schema) {
    json::Value item = 1;
    if (!path.keys.empty()) {
        item = json::Object{};
        for (const std::string& key : path.keys) {
            item.set(key, key == "containerPort" ? json::Value(1) : json::Value("k"));
        }
    }
    const auto wrap = [&](auto&& self, const json::Value& at, std::size_t step) -> json::Value {
        const bool is_list = at.string_at("type") == "array";
        if (step == path.members.size()) {
            return json::Array{item, item, item};
        }
        const json::Value& inner = is_list ? *at.find("items") : at;
        const std::string& name = path.members[step];
        json::Value holder = json::Object{};
        holder.set(name, self(self, *inner.find("properties")->find(name), step + 1));
        return is_list ? json::Value(json::Array{std::move(holder)}) : holder;
    };
    return wrap(wrap, schema, 0);
}

std::size_t count_last(const json::Value& value, const KeyedPath& path) {
    const json::Value* at = &value;
    for (const std::string& name : path.members) {
        at = at->is_array() ? &at->as_array()[0] : at;
        at = at->find(name);
    }
    return at->as_array().size();
}

}  // namespace

TEST_CASE("a template repeats no item that the Workload's schema tells apart", "[controller]") {
    const json::Value& schema = *api::find_schema("Workload", "v1beta2")
                                     ->find_path({"properties", "spec", "properties", "podSets"})
                                     ->find_path({"items", "properties", "template"});
    std::vector<KeyedPath> paths;
    std::vector<std::string> members;
    collect(schema, members, paths);
    REQUIRE(paths.size() > 20);
    for (const KeyedPath& path : paths) {
        CAPTURE(path.members);
        const std::string& last = path.members.back();
        if (path.members.size() == 2 && last.ends_with("ontainers")) {
            continue;  // the API server refuses pods with two containers of a name
        }
        const auto live = api::decode<api::PodTemplateSpec>(json::print(repeat(path, schema)));
        REQUIRE(live);
        const auto stored = stored_template(*live, {});
        REQUIRE(stored);
        CHECK(count_last(*json::parse(stored->raw.view()), path) == 1);
    }
}

TEST_CASE("a repeated item stays in its first place, as it was first", "[controller]") {
    const auto live = api::decode<api::PodTemplateSpec>(
        R"({"spec":{"hostAliases":[{"ip":"1.1.1.1","hostnames":["a"]},{"ip":"1.1.1.2"},)"
        R"({"ip":"1.1.1.1","hostnames":["b"]}],"imagePullSecrets":[{"name":"r"},{},{"name":""}],)"
        R"("containers":[{"name":"c","ports":[{"containerPort":80},{"containerPort":80,)"
        R"("protocol":"UDP"},{"containerPort":80,"protocol":"TCP","name":"x"}]}]}})"
    );
    REQUIRE(live);
    const auto stored = stored_template(*live, {});
    REQUIRE(stored);
    CHECK(
        stored->raw.view() ==
        R"({"spec":{"hostAliases":[{"ip":"1.1.1.1","hostnames":["a"]},{"ip":"1.1.1.2"}],)"
        R"("imagePullSecrets":[{"name":"r"},{}],"containers":[{"name":"c","ports":)"
        R"([{"containerPort":80,"protocol":"TCP"},{"containerPort":80,"protocol":"UDP"}]}]}})"
    );
}

TEST_CASE(
    "of a variable that is there twice the last value counts, in the first place", "[controller]"
) {
    const auto live = api::decode<api::PodTemplateSpec>(R"({"spec":{"containers":[{"name":"c",
        "env":[{"name":"A","value":"1"},{"name":"B","value":"2"},{"name":"A","value":"3"}]}],
        "initContainers":[{"name":"i","env":[{"name":"A","value":"1"},{"name":"A"}]}]}})");
    REQUIRE(live);
    const auto stored = stored_template(*live, {});
    REQUIRE(stored);
    const std::string text(stored->raw.view());
    CHECK(
        text.find(R"("env":[{"name":"A","value":"3"},{"name":"B","value":"2"}])") !=
        std::string::npos
    );
    CHECK(text.find(R"("env":[{"name":"A"}])") != std::string::npos);
}

TEST_CASE("a template has what the API server adds to that of a Workload", "[controller]") {
    const auto live = api::decode<api::PodTemplateSpec>(
        R"({"spec":{"containers":[{"name":"c","ports":[{"containerPort":80},)"
        R"({"containerPort":53,"protocol":"UDP"}],"livenessProbe":{"grpc":{"port":1}},)"
        R"("startupProbe":{"grpc":{"port":1,"service":"s"}}}]}})"
    );
    REQUIRE(live);
    const auto stored = stored_template(*live, {});
    REQUIRE(stored);
    CHECK(
        stored->raw.view() ==
        R"({"spec":{"containers":[{"name":"c","ports":[{"containerPort":80,"protocol":"TCP"},)"
        R"({"containerPort":53,"protocol":"UDP"}],"livenessProbe":{"grpc":{"port":1,"service":""}},)"
        R"("startupProbe":{"grpc":{"port":1,"service":"s"}}}]}})"
    );
}

}  // namespace sluice::controller
