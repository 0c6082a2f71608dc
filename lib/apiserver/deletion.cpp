#include "apiserver/deletion.hpp"

#include "api/micro_time.hpp"
#include "apiserver/body.hpp"
#include "apiserver/custom_types.hpp"
#include "apiserver/failures.hpp"
#include "apiserver/namespace_content.hpp"
#include "apiserver/selectors.hpp"
#include "apiserver/watch.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <chrono>
#include <optional>
#include <string>
#include <string_view>
#include <utility>
#include <vector>

namespace sluice::apiserver {

namespace {

constexpr std::string_view kForeground = "foregroundDeletion";
const Collection namespaces{"", "namespaces"};
const Collection definitions{"apiextensions.k8s.io", "customresourcedefinitions"};

/// metav1.DeleteOptions.
struct Options {
    std::string propagation;
    std::optional<std::int64_t> grace;
    std::string uid;
    std::string version;
    bool is_dry_run = false;
};

Result<Options> read_options(const Request& request) {
    Options options;
    options.propagation = request.parameter("propagationPolicy");
    options.is_dry_run = request.is_dry_run();
    const std::string_view grace = request.parameter("gracePeriodSeconds");
    if (!grace.empty()) {
        const auto number = json::parse(grace);
        if (!number || !number->is_int()) {
            return bad_request("gracePeriodSeconds must be a number");
        }
        options.grace = number->as_int();
    }
    if (request.body.empty()) {
        return options;
    }
    const auto read = read_body(request, "DeleteOptions");
    if (!read) {
        return read.error();
    }
    const json::Value* body = &read->object;
    if (const std::string_view text = body->string_at("propagationPolicy"); !text.empty()) {
        options.propagation = text;
    }
    if (const json::Value* number = body->find("gracePeriodSeconds");
        number != nullptr && number->is_int()) {
        options.grace = number->as_int();
    }
    if (const json::Value* orphan = body->find("orphanDependents");
        orphan != nullptr && orphan->is_bool() && options.propagation.empty()) {
        options.propagation = orphan->as_bool() ? "Orphan" : "Background";
    }
    if (const json::Value* wanted = body->find("preconditions")) {
        options.uid = wanted->string_at("uid");
        options.version = wanted->string_at("resourceVersion");
    }
    if (const json::Value* dry = body->find("dryRun"); dry != nullptr && dry->is_array()) {
        options.is_dry_run = options.is_dry_run || !dry->as_array().empty();
    }
    return options;
}

bool has_finalizers(const json::Value& object) {
    const json::Value* list = object.find_path({"metadata", "finalizers"});
    return list != nullptr && list->is_array() && !list->as_array().empty();
}

bool has_finalizer(const json::Value& object, std::string_view finalizer) {
    const json::Value* list = object.find_path({"metadata", "finalizers"});
    return list != nullptr && list->is_array() &&
           std::ranges::find(list->as_array(), json::Value(finalizer)) != list->as_array().end();
}

void add_finalizer(json::Value& object, std::string_view finalizer) {
    json::Value& metadata = *object.find("metadata");
    json::Value* list = metadata.find("finalizers");
    if (list == nullptr || !list->is_array()) {
        list = &metadata.set("finalizers", json::Array());
    }
    if (!has_finalizer(object, finalizer)) {
        list->as_array().emplace_back(finalizer);
    }
}

void drop_finalizer(json::Value& object, std::string_view finalizer) {
    json::Value& metadata = *object.find("metadata");
    json::Value* list = metadata.find("finalizers");
    if (list != nullptr && list->is_array()) {
        std::erase(list->as_array(), json::Value(finalizer));
        if (list->as_array().empty()) {
            metadata.erase("finalizers");
        }
    }
}

bool is_being_deleted(const json::Value& object) {
    return object.find_path({"metadata", "deletionTimestamp"}) != nullptr;
}

bool has_ended(const json::Value& pod) {
    const json::Value* phase = pod.find_path({"status", "phase"});
    return phase != nullptr &&
           (*phase == json::Value("Succeeded") || *phase == json::Value("Failed"));
}

/// Seconds that a pod has to end; 0: it goes at once.
std::int64_t grace_of(
    const json::Value& object,
    const Collection& collection,
    const std::optional<std::int64_t>& asked
) {
    if (!collection.group.empty() || collection.plural != "pods") {
        return 0;
    }
    const json::Value* node = object.find_path({"spec", "nodeName"});
    if (node == nullptr || node->as_string().empty() || has_ended(object)) {
        return 0;
    }
    const json::Value* own = object.find_path({"spec", "terminationGracePeriodSeconds"});
    return asked.value_or(own != nullptr && own->is_int() ? own->as_int() : 30);
}

void mark_deleted(json::Value& object, std::int64_t grace, Time now) {
    json::Value& metadata = *object.find("metadata");
    if (metadata.find("deletionTimestamp") == nullptr) {
        if (json::Value* generation = metadata.find("generation")) {
            *generation = generation->as_int() + 1;
        }
    }
    metadata.set("deletionTimestamp", api::to_string(now + std::chrono::seconds(grace)));
    metadata.set("deletionGracePeriodSeconds", grace);
}

void collect_dependents(State& state, const std::string& uid, Time now);
void settle_foreground(
    State& state, const Collection& collection, const ObjectName& name, Time now
);

/// It is gone: so are those that it owned.
void remove(State& state, const Collection& collection, const ObjectName& name, Time now) {
    const Snapshot last = state.store.find(collection, name);
    if (!last) {
        return;
    }
    const std::string uid(last->find("metadata")->string_at("uid"));
    std::vector<std::string> owners;
    if (const json::Value* list = last->find_path({"metadata", "ownerReferences"});
        list != nullptr && list->is_array()) {
        for (const json::Value& owner : list->as_array()) {
            owners.emplace_back(owner.string_at("uid"));
        }
    }
    state.store.remove(collection, name);
    if (collection == definitions) {
        follow_definition(state, *last, true);
    }
    collect_dependents(state, uid, now);
    for (const std::string& owner : owners) {
        if (const State::Key* found = state.find_by_uid(owner)) {
            const auto [each, key] = *found;
            settle_foreground(state, each, key, now);
        }
    }
    if (!name.ns.empty()) {
        const Snapshot ns = state.store.find(namespaces, {"", name.ns});
        if (ns && is_being_deleted(*ns)) {
            settle_foreground(state, namespaces, {"", name.ns}, now);
        }
    }
}

void begin_deletion(
    State& state,
    const Collection& collection,
    const ObjectName& name,
    const Options& options,
    Time now
);

/// What a namespace or a definition has in it goes before it does.
bool has_contents(State& state, const Collection& collection, const json::Value& object, Time now) {
    std::vector<State::Key> contents;
    if (collection == namespaces) {
        const std::string name(object.find("metadata")->string_at("name"));
        for (const Collection& each : state.store.collections()) {
            for (const auto& [key, inside] : state.store.objects(each)) {
                if (key.ns == name) {
                    contents.emplace_back(each, key);
                }
            }
        }
    } else if (collection == definitions) {
        const auto types = types_of_definition(object);
        if (!types.empty()) {
            const Collection each{types.front().group, types.front().plural};
            for (const auto& [key, inside] : state.store.objects(each)) {
                contents.emplace_back(each, key);
            }
        }
    }
    for (const auto& [each, key] : contents) {
        begin_deletion(
            state,
            each,
            key,
            {.propagation = "Background", .grace = 0, .uid = {}, .version = {}},
            now
        );
    }
    return std::ranges::any_of(contents, [&state](const State::Key& content) {
        return state.store.find(content.first, content.second) != nullptr;
    });
}

bool is_container(const Collection& collection) {
    return collection == namespaces || collection == definitions;
}

void collect_dependents(State& state, const std::string& uid, Time now) {
    const std::set<State::Key> dependents = state.dependents(uid);
    for (const auto& [collection, name] : dependents) {
        const Snapshot dependent = state.store.find(collection, name);
        if (!dependent) {
            continue;
        }
        json::Array left;
        for (const json::Value& owner :
             dependent->find_path({"metadata", "ownerReferences"})->as_array()) {
            if (owner.string_at("uid") != uid) {
                left.push_back(owner);
            }
        }
        if (left.empty()) {
            delete_in_background(state, collection, name, now);
        } else {
            json::Value changed = *dependent;
            changed.find("metadata")->set("ownerReferences", std::move(left));
            state.store.put(collection, name, std::move(changed));
        }
    }
}

/// Goes on with an object that waits for its dependents, or for what it contains.
void settle_foreground(
    State& state, const Collection& collection, const ObjectName& name, Time now
) {
    const Snapshot object = state.store.find(collection, name);
    if (!object || !is_being_deleted(*object)) {
        return;
    }
    if (is_container(collection)) {
        if (!has_contents(state, collection, *object, now) && !has_finalizers(*object)) {
            remove(state, collection, name, now);
        }
        return;
    }
    if (!has_finalizer(*object, kForeground)) {
        return;
    }
    const std::string uid(object->find("metadata")->string_at("uid"));
    const std::set<State::Key> dependents = state.dependents(uid);
    bool must_wait = false;
    for (const auto& [each, key] : dependents) {
        const Snapshot dependent = state.store.find(each, key);
        if (!dependent) {
            continue;
        }
        for (const json::Value& owner :
             dependent->find_path({"metadata", "ownerReferences"})->as_array()) {
            const json::Value* blocks = owner.find("blockOwnerDeletion");
            must_wait = must_wait || (owner.string_at("uid") == uid && blocks != nullptr &&
                                      *blocks == json::Value(true));
        }
        if (!is_being_deleted(*dependent)) {
            begin_deletion(
                state,
                each,
                key,
                {.propagation = "Foreground", .grace = {}, .uid = {}, .version = {}},
                now
            );
        }
    }
    if (!must_wait || state.dependents(uid).empty()) {
        const Snapshot latest = state.store.find(collection, name);
        if (!latest) {
            return;
        }
        json::Value changed = *latest;
        drop_finalizer(changed, kForeground);
        const bool is_free = !has_finalizers(changed);
        state.store.put(collection, name, std::move(changed));
        if (is_free) {
            remove(state, collection, name, now);
        }
    }
}

void orphan_dependents(State& state, const std::string& uid) {
    const std::set<State::Key> dependents = state.dependents(uid);
    for (const auto& [collection, name] : dependents) {
        json::Value changed = *state.store.find(collection, name);
        json::Value& metadata = *changed.find("metadata");
        json::Array& owners = metadata.find("ownerReferences")->as_array();
        std::erase_if(owners, [&uid](const json::Value& owner) {
            return owner.string_at("uid") == uid;
        });
        if (owners.empty()) {
            metadata.erase("ownerReferences");
        }
        state.store.put(collection, name, std::move(changed));
    }
}

void begin_deletion(
    State& state,
    const Collection& collection,
    const ObjectName& name,
    const Options& options,
    Time now
) {
    const Snapshot object = state.store.find(collection, name);
    if (!object) {
        return;
    }
    const std::string uid(object->find("metadata")->string_at("uid"));
    json::Value changed = *object;
    if (options.propagation == "Orphan") {
        orphan_dependents(state, uid);
    }
    const bool is_foreground =
        options.propagation == "Foreground" && !state.dependents(uid).empty();
    if (is_foreground) {
        add_finalizer(changed, kForeground);
    }
    const std::int64_t grace = grace_of(changed, collection, options.grace);
    if (!has_finalizers(changed) && grace == 0 && !is_container(collection)) {
        remove(state, collection, name, now);
        return;
    }
    if (!is_being_deleted(changed) ||
        (grace == 0 && !is_container(collection) &&
         changed.find_path({"metadata", "deletionGracePeriodSeconds"})->as_int() > 0)) {
        mark_deleted(changed, grace, now);
        if (collection == namespaces) {
            changed.find("status")->set("phase", "Terminating");
        }
        state.store.put(collection, name, std::move(changed));
    }
    if (is_foreground || is_container(collection)) {
        settle_foreground(state, collection, name, now);
    }
}

Response delete_one(
    State& state, const Options& options, const Route& route, const ObjectName& name, Time now
) {
    const Collection collection = State::collection_of(*route.type);
    const Snapshot before = state.store.find(collection, name);
    if (!before) {
        return make_response(not_found(*route.type, name.name));
    }
    const json::Value& metadata = *before->find("metadata");
    if (!options.uid.empty() && options.uid != metadata.string_at("uid")) {
        return make_response(conflict(
            *route.type,
            name.name,
            fmt::format(
                "the UID in the precondition ({}) does not match the UID in record ({}). "
                "The object might have been deleted and then recreated",
                options.uid,
                metadata.string_at("uid")
            )
        ));
    }
    if (!options.version.empty() && options.version != metadata.string_at("resourceVersion")) {
        return make_response(conflict(
            *route.type,
            name.name,
            fmt::format(
                "the ResourceVersion in the precondition ({}) does not match the "
                "ResourceVersion in record ({}). The object might have been modified",
                options.version,
                metadata.string_at("resourceVersion")
            )
        ));
    }
    const std::string uid(metadata.string_at("uid"));
    if (!options.is_dry_run) {
        begin_deletion(state, collection, name, options, now);
    }
    const Snapshot after = state.store.find(collection, name);
    if (after && !options.is_dry_run) {
        return make_response(State::to_version(*after, *route.type));
    }
    json::Value details = json::Object{{"name", name.name}};
    if (!route.type->group.empty()) {
        details.set("group", route.type->group);
    }
    details.set("kind", route.type->plural);
    details.set("uid", uid);
    return make_response(make_success(std::move(details)));
}

}  // namespace

void delete_in_background(
    State& state, const Collection& collection, const ObjectName& name, Time now
) {
    begin_deletion(
        state,
        collection,
        name,
        {.propagation = "Background", .grace = {}, .uid = {}, .version = {}},
        now
    );
}

void after_write(State& state, const ResourceType& type, const ObjectName& name, Time now) {
    const Collection collection = State::collection_of(type);
    const Snapshot object = state.store.find(collection, name);
    if (!object) {
        return;
    }
    if (collection == definitions && !is_being_deleted(*object)) {
        follow_definition(state, *object, false);
    }
    if (collection == namespaces && !is_being_deleted(*object)) {
        furnish_namespace(state, name.name, now);
    }
    if (!is_being_deleted(*object)) {
        return;
    }
    const json::Value* grace = object->find_path({"metadata", "deletionGracePeriodSeconds"});
    const bool waits =
        grace != nullptr && grace->is_int() && grace->as_int() > 0 && !has_ended(*object);
    if (is_container(collection)) {
        settle_foreground(state, collection, name, now);
    } else if (!has_finalizers(*object) && !waits) {
        remove(state, collection, name, now);
    }
}

Response delete_objects(State& state, const Request& request, const Route& route, Time now) {
    const auto options = read_options(request);
    if (!options) {
        return make_response(options.error());
    }
    const std::string& policy = options->propagation;
    if (!policy.empty() && policy != "Orphan" && policy != "Background" && policy != "Foreground") {
        return make_response(bad_request(fmt::format("invalid propagation policy: {}", policy)));
    }
    if (!route.name.empty()) {
        return delete_one(
            state,
            *options,
            route,
            {route.type->is_namespaced ? route.ns : std::string(), route.name},
            now
        );
    }
    const auto labels = LabelQuery::parse(request.parameter("labelSelector"));
    auto known = selectable_fields(route.type->group, route.type->plural);
    const auto fields = FieldQuery::parse(request.parameter("fieldSelector"), known);
    if (!labels || !fields) {
        return make_response(bad_request(labels ? fields.error().detail : labels.error().detail));
    }
    const ObjectFilter filter{
        .type = route.type, .ns = route.ns, .labels = *labels, .fields = *fields
    };
    const Collection collection = State::collection_of(*route.type);
    json::Array items;
    for (const auto& [name, object] : Store::Objects(state.store.objects(collection))) {
        if (filter.matches(name, *object)) {
            items.push_back(State::to_version(*object, *route.type));
            if (!options->is_dry_run) {
                begin_deletion(state, collection, name, *options, now);
            }
        }
    }
    return make_response(json::Object{
        {"kind", route.type->list_kind()},
        {"apiVersion", route.type->api_version()},
        {"metadata", json::Object{{"resourceVersion", std::to_string(state.store.version())}}},
        {"items", std::move(items)}
    });
}

}  // namespace sluice::apiserver
