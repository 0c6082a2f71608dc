#include "apiserver/state/quota_usage.hpp"

#include "apiserver/objects/values.hpp"
#include "apiserver/rules/pod_resources.hpp"
#include "apiserver/state/deletion_mark.hpp"

#include <algorithm>
#include <map>
#include <set>
#include <string_view>
#include <utility>

namespace sluice::apiserver {

const Collection quotas_collection{"", "resourcequotas"};

bool is_pod(const Collection& collection) {
    return collection.group.empty() && collection.plural == "pods";
}

namespace {

using api::Quantity;
using api::ResourceList;
using json::Value;

constexpr std::string_view kStorageClass = ".storageclass.storage.k8s.io/";
constexpr std::string_view kDeviceClass = ".deviceclass.resource.k8s.io/devices";

const Collection resource_claims{"resource.k8s.io", "resourceclaims"};

/// Returns true if requests of the resource are also counted under its plain name.
bool has_plain_name(std::string_view resource) {
    return resource == "cpu" || resource == "memory" || resource == "ephemeral-storage" ||
           resource.starts_with("hugepages-");
}

void count_pod(const Value& pod, ResourceList& used) {
    if (has_ended(pod)) {
        return;  // it counts only as an object (count/pods)
    }
    used["pods"] = Quantity(1);
    for (const auto& [name, amount] : pod_amounts(pod, "requests")) {
        used["requests." + name] = amount;
        if (has_plain_name(name)) {
            used[name] = amount;
        }
    }
    for (const auto& [name, amount] : pod_amounts(pod, "limits")) {
        used["limits." + name] = amount;
    }
}

void count_service(const Value& service, ResourceList& used) {
    const auto type = text_at(service, {"spec", "type"});
    const auto ports =
        static_cast<std::int64_t>(items_of(service.find_path({"spec", "ports"})).size());
    used["services"] = Quantity(1);
    const Value* allocates = service.find_path({"spec", "allocateLoadBalancerNodePorts"});
    const bool is_declined = allocates != nullptr && *allocates == Value(false);
    if (type == "LoadBalancer") {
        used["services.loadbalancers"] = Quantity(1);
    }
    if (type == "NodePort" || (type == "LoadBalancer" && !is_declined)) {
        used["services.nodeports"] = Quantity(ports);
    }
}

void count_claim(const Value& claim, ResourceList& used) {
    const auto storage = read_amounts(claim.find_path({"spec", "resources", "requests"}));
    const std::string of_class =
        std::string(text_at(claim, {"spec", "storageClassName"})) + std::string(kStorageClass);
    used["persistentvolumeclaims"] = Quantity(1);
    used[of_class + "persistentvolumeclaims"] = Quantity(1);
    if (const auto found = storage.find("storage"); found != storage.end()) {
        used["requests.storage"] = found->second;
        used[of_class + "requests.storage"] = found->second;
    }
}

/// Returns the maximum number of devices that a request for devices of one class may get.
std::int64_t devices_of(const Value& request) {
    constexpr std::int64_t kMost = 32;  // the limit of one claim
    const auto mode = request.string_at("allocationMode");
    return mode == "All" ? kMost : mode == "ExactCount" ? int_at(request, "count", 0) : 0;
}

/// Counts the devices of a claim by their class. For alternatives, each class counts with the
/// maximum of its alternatives.
void count_devices(const Value& claim, ResourceList& used) {
    for (const Value& request : items_of(claim.find_path({"spec", "devices", "requests"}))) {
        std::map<std::string, std::int64_t> most;
        const auto consider = [&most](const Value& one) {
            auto& known = most[std::string(one.string_at("deviceClassName"))];
            known = std::max(known, devices_of(one));
        };
        const auto& alternatives = items_of(request.find("firstAvailable"));
        if (const Value* exactly = request.find("exactly");
            exactly != nullptr && alternatives.empty()) {
            consider(*exactly);
        }
        for (const Value& one : alternatives) {
            consider(one);
        }
        for (const auto& [name, count] : most) {
            used[name + std::string(kDeviceClass)] += Quantity(count);
        }
    }
}

bool fits_priority(const Value& pod, const Value& requirement) {
    const auto name = text_at(pod, {"spec", "priorityClassName"});
    const auto how = requirement.string_at("operator");
    const auto& values = items_of(requirement.find("values"));
    const bool is_listed = std::ranges::find(values, Value(name)) != values.end();
    return how == "In"       ? is_listed
           : how == "NotIn"  ? !is_listed
           : how == "Exists" ? !name.empty()
                             : name.empty();
}

bool has_foreign_affinity(const Value& pod) {
    for (const char* kind : {"podAffinity", "podAntiAffinity"}) {
        const Value* affinity = pod.find_path({"spec", "affinity", kind});
        if (affinity == nullptr) {
            continue;
        }
        const std::string text = json::print(*affinity);
        if (text.find("\"namespaces\"") != std::string::npos ||
            text.find("\"namespaceSelector\"") != std::string::npos) {
            return true;
        }
    }
    return false;
}

/// Returns the VolumeAttributesClasses of a claim: the current one, the desired one, and the one
/// that the volume is being changed to.
std::set<std::string_view> attributes_classes_of(const Value& claim) {
    std::set<std::string_view> names{
        text_at(claim, {"spec", "volumeAttributesClassName"}),
        text_at(claim, {"status", "currentVolumeAttributesClassName"}),
        text_at(claim, {"status", "modifyVolumeStatus", "targetVolumeAttributesClassName"})
    };
    names.erase("");
    return names;
}

bool fits_claim_scope(const Value& claim, std::string_view scope, const Value& requirement) {
    const auto names = attributes_classes_of(claim);
    if (scope != "VolumeAttributesClass") {
        return false;  // the scope applies to pods only
    }
    const auto how = requirement.string_at("operator");
    const auto& values = items_of(requirement.find("values"));
    const auto is_listed = [&values](std::string_view name) {
        return std::ranges::find(values, Value(name)) != values.end();
    };
    return how == "Exists"         ? !names.empty()
           : how == "DoesNotExist" ? names.empty()
           : how == "In"           ? std::ranges::any_of(names, is_listed)
                                   : names.empty() || !std::ranges::all_of(names, is_listed);
}

bool fits_scope(const Value& pod, std::string_view scope, const Value& requirement) {
    const Value* deadline = pod.find_path({"spec", "activeDeadlineSeconds"});
    const bool is_terminating =
        deadline != nullptr && deadline->is_int() && deadline->as_int() >= 0;
    const bool is_best_effort = text_at(pod, {"status", "qosClass"}) == "BestEffort";
    if (scope == "Terminating" || scope == "NotTerminating") {
        return is_terminating == (scope == "Terminating");
    }
    if (scope == "BestEffort" || scope == "NotBestEffort") {
        return is_best_effort == (scope == "BestEffort");
    }
    if (scope == "PriorityClass") {
        return fits_priority(pod, requirement);
    }
    return scope == "CrossNamespacePodAffinity" && has_foreign_affinity(pod);
}

/// Returns the collection whose objects a resource name of a quota counts; `pods` by default.
Collection counted_by(const std::string& resource) {
    if (resource.starts_with("count/")) {
        const std::string rest = resource.substr(6);
        const std::size_t dot = rest.find('.');
        return {dot == std::string::npos ? "" : rest.substr(dot + 1), rest.substr(0, dot)};
    }
    if (resource.starts_with("services")) {
        return {"", "services"};
    }
    if (resource == "persistentvolumeclaims" || resource == "requests.storage" ||
        resource.find(kStorageClass) != std::string::npos) {
        return {"", "persistentvolumeclaims"};
    }
    if (resource.ends_with(kDeviceClass)) {
        return resource_claims;
    }
    static const std::set<std::string_view> kOwn{
        "configmaps", "replicationcontrollers", "resourcequotas", "secrets"
    };
    return {"", kOwn.contains(resource) ? resource : "pods"};
}

/// Returns true if both quotas have the same limits and scopes, so that they count the same.
bool counts_alike(const Value& a, const Value& b) {
    const auto same = [&](std::initializer_list<std::string_view> path) {
        const Value* one = a.find_path(path);
        const Value* other = b.find_path(path);
        return one == nullptr ? other == nullptr : other != nullptr && *one == *other;
    };
    return same({"spec", "hard"}) && same({"spec", "scopes"}) && same({"spec", "scopeSelector"});
}

}  // namespace

ResourceList usage_of(const Collection& collection, const Value& object) {
    ResourceList used;
    const std::string suffix = collection.group.empty() ? "" : "." + collection.group;
    used["count/" + collection.plural + suffix] = Quantity(1);
    if (collection == resource_claims) {
        count_devices(object, used);
    }
    if (!collection.group.empty()) {
        return used;
    }
    if (collection.plural == "pods") {
        count_pod(object, used);
    } else if (collection.plural == "services") {
        count_service(object, used);
    } else if (collection.plural == "persistentvolumeclaims") {
        count_claim(object, used);
    } else {
        static const std::set<std::string_view> kCounted{
            "configmaps", "replicationcontrollers", "resourcequotas", "secrets"
        };
        if (kCounted.contains(collection.plural)) {
            used[collection.plural] = Quantity(1);
        }
    }
    return used;
}

bool covers(const Value& quota, const Collection& collection, const Value& object) {
    const auto& scopes = items_of(quota.find_path({"spec", "scopes"}));
    const auto& requirements =
        items_of(quota.find_path({"spec", "scopeSelector", "matchExpressions"}));
    if (scopes.empty() && requirements.empty()) {
        return true;
    }
    const bool is_claim = collection.group.empty() && collection.plural == "persistentvolumeclaims";
    if (!is_pod(collection) && !is_claim) {
        return false;
    }
    const auto fits = is_claim ? fits_claim_scope : fits_scope;
    static const Value kExists = json::Object{{"operator", "Exists"}};
    return std::ranges::all_of(
               scopes, [&](const Value& scope) { return fits(object, scope.as_string(), kExists); }
           ) &&
           std::ranges::all_of(requirements, [&](const Value& requirement) {
               return fits(object, requirement.string_at("scopeName"), requirement);
           });
}

void QuotaUsage::follow(const Store& store, const Collection& collection, const LogEntry& entry) {
    const std::string& ns = entry.name.ns;
    if (ns.empty()) {
        return;
    }
    if (collection == quotas_collection) {
        // The quota itself is also an object; count() adds it to the quotas that are known at that
        // point.
        if (!entry.after) {
            used_.erase(entry.name);
        } else if (!entry.before || !counts_alike(*entry.before, *entry.after)) {
            used_.insert_or_assign(entry.name, recount(store, ns, entry.after));
            count(collection, entry, &entry.name);
            return;
        } else if (const auto known = used_.find(entry.name); known != used_.end()) {
            known->second.quota = entry.after;
        }
    }
    count(collection, entry, nullptr);
}

void QuotaUsage::count(
    const Collection& collection, const LogEntry& entry, const ObjectName* counted
) {
    const std::string& ns = entry.name.ns;
    auto at = used_.lower_bound({ns, ""});
    if (at == used_.end() || at->first.ns != ns) {
        return;  // the namespace has no quotas
    }
    const ResourceList before = entry.before ? usage_of(collection, *entry.before) : ResourceList();
    const ResourceList after = entry.after ? usage_of(collection, *entry.after) : ResourceList();
    for (; at != used_.end() && at->first.ns == ns; ++at) {
        if (counted != nullptr && at->first == *counted) {
            continue;
        }
        Counted& of = at->second;
        if (entry.before && covers(*of.quota, collection, *entry.before)) {
            for (const auto& [name, amount] : before) {
                of.add(name, -amount);
            }
        }
        if (entry.after && covers(*of.quota, collection, *entry.after)) {
            for (const auto& [name, amount] : after) {
                of.add(name, amount);
            }
        }
    }
}

void QuotaUsage::Counted::add(const std::string& name, const Quantity& amount) {
    if (const auto found = used.find(name); found != used.end()) {
        found->second += amount;
        if (found->second.is_zero()) {
            found->second = Quantity(0, zeros.at(name).format());
        }
    }
}

QuotaUsage::Counted QuotaUsage::recount(
    const Store& store, const std::string& ns, const Snapshot& quota
) {
    Counted counted{.quota = quota, .used = {}, .zeros = {}};
    std::set<Collection> collections;
    for (const auto& [name, hard] : read_amounts(quota->find_path({"spec", "hard"}))) {
        counted.zeros.emplace(name, Quantity(0, hard.format()));
        collections.insert(counted_by(name));
    }
    counted.used = counted.zeros;
    for (const Collection& collection : collections) {
        const auto& objects = store.objects(collection);
        for (auto at = objects.lower_bound({ns, ""}); at != objects.end() && at->first.ns == ns;
             ++at) {
            if (!covers(*quota, collection, *at->second)) {
                continue;
            }
            for (const auto& [name, amount] : usage_of(collection, *at->second)) {
                counted.add(name, amount);
            }
        }
    }
    return counted;
}

const ResourceList& QuotaUsage::of(const ObjectName& quota) const {
    static const ResourceList kNothing;
    const auto found = used_.find(quota);
    return found == used_.end() ? kNothing : found->second.used;
}

}  // namespace sluice::apiserver
