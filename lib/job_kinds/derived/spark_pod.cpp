#include "job_kinds/derived/spark_pod.hpp"

#include "api/meta/quantity.hpp"
#include "job_kinds/text.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <array>
#include <string>
#include <utility>

namespace sluice::job_kinds {

namespace {

/// Name prefix of volumes that are Spark's own scratch space.
constexpr std::string_view kScratchVolume = "spark-local-dir-";

const json::Array& items_at(const json::Value& value, std::string_view name) {
    static const json::Array kNone;
    const json::Value* found = value.find(name);
    return found != nullptr && found->is_array() ? found->as_array() : kNone;
}

const json::Value* find_object(const json::Value& value, std::string_view name) {
    const json::Value* found = value.find(name);
    return found != nullptr && found->is_object() ? found : nullptr;
}

/// Returns a size in the spelling of Java's options as a quantity. In Java's spelling `g` and `gb`
/// are binary.
std::string quantity_of_java_size(std::string_view size) {
    constexpr std::array<std::string_view, 5> kUnits{"k", "m", "g", "t", "p"};
    const std::string lower = lower_case(size);
    for (const std::string_view unit : kUnits) {
        for (const std::string_view more : {"", "b"}) {
            const std::string suffix = fmt::format("{}{}", unit, more);
            if (lower.ends_with(suffix)) {
                const char letter =
                    unit.front() == 'k' ? 'K' : static_cast<char>(unit.front() - 32);
                return fmt::format("{}{}i", size.substr(0, size.size() - suffix.size()), letter);
            }
        }
    }
    return std::string(size);
}

/// Copies an amount of the role to a list of the container's resources.
struct Amount {
    std::string_view member;    ///< member of the role
    std::string_view resource;  ///< cpu or memory
    std::string_view list;      ///< requests or limits
    std::string_view called;    ///< name in messages
};

constexpr std::array<Amount, 4> kAmounts{{
    {.member = "coreRequest", .resource = "cpu", .list = "requests", .called = "CPU requests"},
    {.member = "coreLimit", .resource = "cpu", .list = "limits", .called = "CPU limit"},
    {.member = "memory", .resource = "memory", .list = "requests", .called = "memory requests"},
    {.member = "memoryLimit", .resource = "memory", .list = "limits", .called = "memory limit"},
}};

void add_resource(
    json::Value& resources, std::string_view list, std::string_view resource, json::Value amount
) {
    json::Value* amounts = resources.find(list);
    if (amounts == nullptr) {
        amounts = &resources.set(list, json::Object{});
    }
    amounts->set(resource, std::move(amount));
}

Result<json::Value> resources_of(const json::Value& role) {
    json::Value resources = json::Object{};
    for (const Amount& amount : kAmounts) {
        const json::Value* said = role.find(amount.member);
        if (said == nullptr || said->is_null()) {
            continue;
        }
        const std::string text = said->is_string() ? said->as_string() : json::print(*said);
        const std::string quantity =
            amount.resource == "memory" ? quantity_of_java_size(text) : text;
        if (const auto read = api::Quantity::parse(quantity); !read) {
            return make_invalid(
                fmt::format("failed to parse {} {}: {}", amount.called, text, read.error().detail)
            );
        }
        add_resource(resources, amount.list, amount.resource, quantity);
    }
    if (const json::Value* gpu = find_object(role, "gpu")) {
        const json::Value* quantity = gpu->find("quantity");
        if (!gpu->string_at("name").empty() && quantity != nullptr && quantity->is_int() &&
            quantity->as_int() > 0) {
            add_resource(
                resources, "limits", gpu->string_at("name"), std::to_string(quantity->as_int())
            );
        }
    }
    return resources;
}

bool has_container(const json::Array& containers, const json::Value& wanted) {
    return std::ranges::any_of(containers, [&wanted](const json::Value& one) {
        return one.string_at("name") == wanted.string_at("name") &&
               one.string_at("image") == wanted.string_at("image");
    });
}

void add_containers(json::Array& into, const json::Array& more) {
    for (const json::Value& one : more) {
        if (!has_container(into, one)) {
            into.push_back(one);
        }
    }
}

/// Adds the role's mounts whose volumes the application has, and these volumes.
void add_volumes(
    const json::Value& spec, const json::Value& role, json::Value& container, json::Value& pod_spec
) {
    json::Array mounts;
    json::Array volumes;
    const auto is_named = [](std::string_view name) {
        return [name](const json::Value& volume) { return volume.string_at("name") == name; };
    };
    for (const json::Value& mount : items_at(role, "volumeMounts")) {
        const std::string_view name = mount.string_at("name");
        const json::Array& known = items_at(spec, "volumes");
        const auto volume = std::ranges::find_if(known, is_named(name));
        if (name.starts_with(kScratchVolume) || volume == known.end()) {
            continue;
        }
        if (std::ranges::none_of(volumes, is_named(name))) {
            volumes.push_back(*volume);
        }
        mounts.push_back(mount);
    }
    if (!mounts.empty()) {
        container.set("volumeMounts", std::move(mounts));
        pod_spec.set("volumes", std::move(volumes));
    }
}

/// Returns the labels and annotations of the role's template, overridden by those of the role.
json::Value role_metadata(const json::Value& role) {
    json::Value metadata = json::Object{};
    const json::Value* base = role.find_path({"template", "metadata"});
    for (const std::string_view member : {"labels", "annotations"}) {
        json::Value merged = json::Object{};
        for (const json::Value* from : {base, &role}) {
            const json::Value* map = from == nullptr ? nullptr : find_object(*from, member);
            if (map != nullptr) {
                for (const auto& [key, value] : map->as_object()) {
                    merged.set(key, value);
                }
            }
        }
        if (!merged.as_object().empty()) {
            metadata.set(member, std::move(merged));
        }
    }
    return metadata;
}

}  // namespace

std::string_view to_string(SparkRole role) {
    return role == SparkRole::Driver ? "driver" : "executor";
}

const json::Value* spark_node_selector(const json::Value& application, SparkRole role) {
    const json::Value* of_all = application.find_path({"spec", "nodeSelector"});
    return of_all != nullptr && of_all->is_object()
               ? of_all
               : application.find_path({"spec", to_string(role), "nodeSelector"});
}

Result<json::Value> make_spark_pod(const json::Value& application, SparkRole role) {
    const json::Value& spec = *application.find("spec");
    const json::Value& said = *spec.find(to_string(role));
    auto resources = resources_of(said);
    if (!resources) {
        return resources.error();
    }
    json::Value container =
        json::Object{{"name", fmt::format("spark-kubernetes-{}", to_string(role))}};
    if (!resources->as_object().empty()) {
        container.set("resources", std::move(*resources));
    }
    json::Value pod_spec = json::Object{};
    add_volumes(spec, said, container, pod_spec);
    json::Array containers{std::move(container)};
    add_containers(containers, items_at(said, "sidecars"));
    pod_spec.set("containers", std::move(containers));
    json::Array init_containers;
    add_containers(init_containers, items_at(said, "initContainers"));
    if (!init_containers.empty()) {
        pod_spec.set("initContainers", std::move(init_containers));
    }
    for (const std::string_view member : {"priorityClassName", "affinity", "tolerations"}) {
        const json::Value* value = said.find(member);
        if (value != nullptr && !value->is_null()) {
            pod_spec.set(member, *value);
        }
    }
    const json::Value* selector = spark_node_selector(application, role);
    if (selector != nullptr && selector->is_object()) {
        pod_spec.set("nodeSelector", *selector);
    }
    json::Value made = json::Object{};
    if (json::Value metadata = role_metadata(said); !metadata.as_object().empty()) {
        made.set("metadata", std::move(metadata));
    }
    made.set("spec", std::move(pod_spec));
    return made;
}

}  // namespace sluice::job_kinds
