#include "apiserver/resource.hpp"

#include "apiserver/builtin_schemas.hpp"
#include "apiserver/values.hpp"
#include "base/assert.hpp"

#include <charconv>
#include <set>
#include <tuple>
#include <utility>

namespace sluice::apiserver {

std::string_view builtin_resources();

namespace {

using json::Value;

std::vector<std::string> strings_at(const Value& value, std::string_view name) {
    std::vector<std::string> out;
    for (const auto& item : items_of(value.find(name))) {
        out.push_back(item.as_string());
    }
    return out;
}

Subresource read_subresource(const Value& entry) {
    Subresource out;
    out.name = entry.string_at("subresource");
    out.verbs = strings_at(entry, "verbs");
    if (const Value* kind = entry.find("responseKind"); kind != nullptr) {
        out.group = kind->string_at("group");
        out.version = kind->string_at("version");
        out.kind = kind->string_at("kind");
    }
    return out;
}

Column read_column(const Value& entry) {
    const auto& parts = entry.as_array();
    Column column;
    column.name = parts.at(0).as_string();
    column.type = parts.at(1).as_string();
    column.format = parts.at(2).as_string();
    column.priority = static_cast<int>(parts.at(3).as_int());
    return column;
}

ResourcePtr read_resource(const Value& entry) {
    auto resource = std::make_shared<Resource>();
    const Value& discovery = *entry.find("discovery");
    resource->group = entry.string_at("group");
    resource->plural = discovery.string_at("resource");
    resource->singular = discovery.string_at("singularResource");
    resource->kind = discovery.find("responseKind")->string_at("kind");
    resource->list_kind = resource->kind + "List";
    resource->short_names = strings_at(discovery, "shortNames");
    resource->categories = strings_at(discovery, "categories");
    resource->verbs = strings_at(discovery, "verbs");
    resource->namespaced = discovery.string_at("scope") == "Namespaced";
    resource->storage_version = entry.string_at("version");
    ResourceVersion version;
    version.name = resource->storage_version;
    for (const auto& item : items_of(discovery.find("subresources"))) {
        version.subresources.push_back(read_subresource(item));
    }
    for (const auto& item : items_of(entry.find("columns"))) {
        version.columns.push_back(read_column(item));
    }
    resource->versions.push_back(std::move(version));
    return resource;
}

/// What a version's name says: whether it is one, of which stage, and its numbers.
struct VersionRank {
    int stage = 0;  ///< 3: stable, 2: beta, 1: alpha, 0: no version of Kubernetes
    long major = 0;
    long minor = 0;
};

bool take_number(std::string_view& text, long& number) {
    const auto [end, fault] = std::from_chars(text.data(), text.data() + text.size(), number);
    if (fault != std::errc{} || number < 0) {
        return false;
    }
    text.remove_prefix(static_cast<std::size_t>(end - text.data()));
    return true;
}

VersionRank rank_of(std::string_view name) {
    VersionRank rank;
    if (!name.starts_with('v')) {
        return {};
    }
    name.remove_prefix(1);
    if (!take_number(name, rank.major)) {
        return {};
    }
    if (name.empty()) {
        rank.stage = 3;
        return rank;
    }
    for (const auto& [word, stage] : {std::pair{"beta", 2}, std::pair{"alpha", 1}}) {
        if (name.starts_with(word)) {
            name.remove_prefix(std::string_view(word).size());
            rank.stage = stage;
            return take_number(name, rank.minor) && name.empty() ? rank : VersionRank{};
        }
    }
    return {};
}

/// Groups in the order in which the API server lists its own; others follow by name.
int group_order(std::string_view group) {
    static constexpr std::string_view kOrder[] = {
        "",
        "apiregistration.k8s.io",
        "apps",
        "events.k8s.io",
        "authentication.k8s.io",
        "authorization.k8s.io",
        "autoscaling",
        "batch",
        "certificates.k8s.io",
        "networking.k8s.io",
        "policy",
        "rbac.authorization.k8s.io",
        "storage.k8s.io",
        "admissionregistration.k8s.io",
        "apiextensions.k8s.io",
        "scheduling.k8s.io",
        "coordination.k8s.io",
        "node.k8s.io",
        "discovery.k8s.io",
    };
    const auto* at = std::ranges::find(kOrder, group);
    return static_cast<int>(at - std::begin(kOrder));
}

}  // namespace

const Subresource* ResourceVersion::subresource(std::string_view subresource_name) const {
    const auto at = std::ranges::find(subresources, subresource_name, &Subresource::name);
    return at == subresources.end() ? nullptr : &*at;
}

const ResourceVersion* Resource::version(std::string_view name) const {
    const auto at = std::ranges::find(versions, name, &ResourceVersion::name);
    return at == versions.end() ? nullptr : &*at;
}

bool version_precedes(std::string_view a, std::string_view b) {
    const auto left = rank_of(a);
    const auto right = rank_of(b);
    if (left.stage == 0 && right.stage == 0) {
        return a < b;
    }
    return std::tie(left.stage, left.major, left.minor)
           > std::tie(right.stage, right.major, right.minor);
}

Registry Registry::with_builtins() {
    auto entries = json::parse(builtin_resources());
    SLUICE_ASSERT(entries.has_value());
    Registry registry;
    for (const auto& entry : entries->as_array()) {
        registry.add(read_resource(entry));
    }
    return registry;
}

void Registry::add(ResourcePtr resource) {
    ++revision_;
    by_store_name_.insert_or_assign(resource->store_name(), resource);
    resources_.insert_or_assign({resource->group, resource->plural}, std::move(resource));
}

void Registry::remove(std::string_view group, std::string_view plural) {
    ++revision_;
    by_store_name_.erase(to_string(GroupName{group, plural}));
    resources_.erase({std::string(group), std::string(plural)});
}

ResourcePtr Registry::find(
    std::string_view group, std::string_view version, std::string_view plural
) const {
    auto resource = find(group, plural);
    if (resource == nullptr) {
        return nullptr;
    }
    const auto* found = resource->version(version);
    return found != nullptr && found->served ? resource : nullptr;
}

ResourcePtr Registry::find(std::string_view group, std::string_view plural) const {
    const auto found = resources_.find({std::string(group), std::string(plural)});
    return found == resources_.end() ? nullptr : found->second;
}

ResourcePtr Registry::find_by_store_name(std::string_view name) const {
    const auto found = by_store_name_.find(name);
    return found == by_store_name_.end() ? nullptr : found->second;
}

ResourcePtr Registry::find_kind(std::string_view group, std::string_view kind) const {
    for (auto at = resources_.lower_bound({std::string(group), ""});
         at != resources_.end() && at->first.first == group;
         ++at) {
        if (at->second->kind == kind) {
            return at->second;
        }
    }
    return nullptr;
}

std::vector<std::string> Registry::versions_of(std::string_view group) const {
    std::set<std::string> names;
    for (auto at = resources_.lower_bound({std::string(group), ""});
         at != resources_.end() && at->first.first == group;
         ++at) {
        for (const auto& version : at->second->versions) {
            if (version.served) {
                names.insert(version.name);
            }
        }
    }
    std::vector<std::string> sorted(names.begin(), names.end());
    std::ranges::stable_sort(sorted, version_precedes);
    return sorted;
}

std::vector<std::string> Registry::groups() const {
    std::set<std::string> names;
    for (const auto& [key, resource] : resources_) {
        names.insert(key.first);
    }
    std::vector<std::string> sorted(names.begin(), names.end());
    std::ranges::stable_sort(sorted, {}, group_order);
    return sorted;
}

std::shared_ptr<const Schema> schema_of(const Resource& resource, const ResourceVersion& version) {
    return resource.is_custom ? version.schema
                              : builtin_schema(resource.group, version.name, resource.kind);
}

}  // namespace sluice::apiserver
