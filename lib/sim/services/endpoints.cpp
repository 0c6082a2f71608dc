#include "sim/services/endpoints.hpp"

#include "sim/fields.hpp"
#include "sim/owned.hpp"
#include "sim/pod_life.hpp"
#include "sim/selection.hpp"

#include <algorithm>
#include <map>
#include <string>
#include <utility>

namespace sluice::sim {

namespace {

using json::Array;
using json::Object;
using json::Value;

constexpr std::size_t kSliceMax = 100;
constexpr std::string_view kServiceName = "kubernetes.io/service-name";
constexpr std::string_view kSliceController = "endpointslice.kubernetes.io/managed-by";

/// One place where a service is served.
struct Endpoint {
    std::string address;
    std::string hostname;
    std::string node;
    Value target;  ///< the pod; null: there is none
    bool is_ready = false;
    bool is_ending = false;
    bool is_published = false;  ///< whether those that are not ready count as ready
};

/// Endpoints that are reached through the same ports, by these.
struct Group {
    Array ports;
    std::vector<Endpoint> endpoints;
};
using Groups = std::map<std::string, Group>;

Value target_of(const Value& pod) {
    return Object{
        {"kind", "Pod"},
        {"namespace", text_at(pod, {"metadata", "namespace"})},
        {"name", name_of(pod)},
        {"uid", text_at(pod, {"metadata", "uid"})}
    };
}

/// The number of a port of the pod: named ones are told by its containers; 0: there is none.
std::int64_t resolve_port(const Value& pod, const Value& port) {
    const Value* target = port.find("targetPort");
    if (target == nullptr || target->is_int()) {
        return target == nullptr ? find_int(port, {"port"}).value_or(0) : target->as_int();
    }
    for (const char* list : {"containers", "initContainers"}) {
        for (const Value& container : list_at(pod, {"spec", list})) {
            for (const Value& each : list_at(container, {"ports"})) {
                const auto protocol = each.string_at("protocol");
                if (each.string_at("name") == target->as_string() &&
                    (protocol.empty() ? "TCP" : protocol) == port.string_at("protocol")) {
                    return find_int(each, {"containerPort"}).value_or(0);
                }
            }
        }
    }
    return 0;
}

Array ports_of(const Value& service, const Value& pod) {
    Array ports;
    for (const Value& port : list_at(service, {"spec", "ports"})) {
        if (const auto number = resolve_port(pod, port); number != 0) {
            ports.push_back(Object{
                {"name", port.string_at("name")},
                {"port", number},
                {"protocol", port.string_at("protocol")}
            });
        }
    }
    return ports;
}

Groups find_endpoints(const Value& service, const Turn& turn) {
    Groups groups;
    const Value* selector = service.find_path({"spec", "selector"});
    const bool is_published = is_true_at(service, {"spec", "publishNotReadyAddresses"});
    for (const apiserver::Snapshot& pod : turn.list({"", "pods"})) {
        const std::string address(text_at(*pod, {"status", "podIP"}));
        if (address.empty() || has_ended(*pod) || !has_labels(*pod, selector)) {
            continue;
        }
        Array ports = ports_of(service, *pod);
        if (ports.empty() && !list_at(service, {"spec", "ports"}).empty()) {
            continue;
        }
        Group& group = groups[json::print(Value(ports))];
        group.ports = std::move(ports);
        group.endpoints.push_back(
            {.address = address,
             .hostname = std::string(text_at(*pod, {"spec", "hostname"})),
             .node = std::string(text_at(*pod, {"spec", "nodeName"})),
             .target = target_of(*pod),
             .is_ready = is_ready_pod(*pod),
             .is_ending = is_deleted(*pod),
             .is_published = is_published}
        );
    }
    return groups;
}

/// A port without a name has none in Endpoints.
Array unnamed(Array ports) {
    for (Value& port : ports) {
        if (port.string_at("name").empty()) {
            port.erase("name");
        }
    }
    return ports;
}

Array make_subsets(const Groups& groups) {
    Array subsets;
    for (const auto& [key, group] : groups) {
        Array ready;
        Array others;
        for (const Endpoint& each : group.endpoints) {
            if (each.is_ending && !each.is_published) {
                continue;
            }
            Value address = Object{{"ip", each.address}};
            if (!each.hostname.empty()) {
                address.set("hostname", each.hostname);
            }
            if (!each.node.empty()) {
                address.set("nodeName", each.node);
            }
            address.set("targetRef", each.target);
            (each.is_ready || each.is_published ? ready : others).push_back(std::move(address));
        }
        if (ready.empty() && others.empty()) {
            continue;
        }
        Value subset = Object{};
        if (!ready.empty()) {
            subset.set("addresses", std::move(ready));
        }
        if (!others.empty()) {
            subset.set("notReadyAddresses", std::move(others));
        }
        if (!group.ports.empty()) {
            subset.set("ports", unnamed(group.ports));
        }
        subsets.push_back(std::move(subset));
    }
    return subsets;
}

Value own_labels(const Value& object) {
    const Value* labels = object.find_path({"metadata", "labels"});
    return labels == nullptr ? Value(Object{}) : *labels;
}

void write_endpoints(const Turn& turn, const Groups& groups, Outcome& outcome) {
    const Value& service = turn.object;
    Value labels = own_labels(service);
    labels.set(kEndpointsController, "endpoint-controller");
    if (text_at(service, {"spec", "clusterIP"}) == "None") {
        labels.set("service.kubernetes.io/headless", "");
    }
    const Array subsets = make_subsets(groups);
    const Value known = turn.find("v1", "Endpoints", name_of(service));
    if (known.is_null()) {
        outcome.writes.push_back(
            {.verb = Write::Verb::Create,
             .body =
                 Object{
                     {"apiVersion", "v1"},
                     {"kind", "Endpoints"},
                     {"metadata", Object{{"name", name_of(service)}, {"labels", labels}}},
                     {"subsets", subsets}
                 },
             .kind = "Endpoints"}
        );
    } else if (list_at(known, {"subsets"}) != subsets || own_labels(known) != labels) {
        outcome.writes.push_back(
            {.verb = Write::Verb::Patch,
             .name = std::string(name_of(service)),
             .body = Object{{"metadata", Object{{"labels", labels}}}, {"subsets", subsets}},
             .kind = "Endpoints"}
        );
    }
}

Array make_slice_endpoints(const std::vector<Endpoint>& endpoints) {
    Array made;
    for (const Endpoint& each : endpoints) {
        Value endpoint = Object{
            {"addresses", Array{each.address}},
            {"conditions",
             Object{
                 {"ready", each.is_published || (each.is_ready && !each.is_ending)},
                 {"serving", each.is_ready},
                 {"terminating", each.is_ending}
             }}
        };
        if (!each.hostname.empty()) {
            endpoint.set("hostname", each.hostname);
        }
        if (!each.target.is_null()) {
            endpoint.set("targetRef", each.target);
        }
        if (!each.node.empty()) {
            endpoint.set("nodeName", each.node);
        }
        made.push_back(std::move(endpoint));
    }
    return made;
}

/// Content of one slice.
struct Slice {
    Array ports;
    Array endpoints;
};

std::vector<Slice> make_slices(const Groups& groups) {
    std::vector<Slice> slices;
    for (const auto& [key, group] : groups) {
        const Array all = make_slice_endpoints(group.endpoints);
        for (std::size_t i = 0; i < all.size(); i += kSliceMax) {
            const auto begin = all.begin() + static_cast<std::ptrdiff_t>(i);
            const auto count = std::min(kSliceMax, all.size() - i);
            slices.push_back({group.ports, Array(begin, begin + static_cast<std::ptrdiff_t>(count))}
            );
        }
    }
    return slices;
}

/// Brings the slices that the object owns to that content.
void write_slices(
    const Turn& turn, const std::vector<Slice>& slices, const Value& labels, Outcome& outcome
) {
    constexpr std::string_view kVersion = "discovery.k8s.io/v1";
    const auto owned = turn.owned_of("EndpointSlice");
    for (std::size_t i = 0; i < slices.size(); ++i) {
        const Value content =
            Object{{"endpoints", slices[i].endpoints}, {"ports", slices[i].ports}};
        Write write{.api_version = std::string(kVersion), .kind = "EndpointSlice"};
        if (i >= owned.size()) {
            write.body = content;
            write.body.set("apiVersion", kVersion);
            write.body.set("kind", "EndpointSlice");
            write.body.set("addressType", "IPv4");
            write.body.set(
                "metadata",
                Object{
                    {"generateName", std::string(name_of(turn.object)) + "-"},
                    {"labels", labels},
                    {"ownerReferences", owner_references(turn.object)}
                }
            );
            outcome.writes.push_back(std::move(write));
        } else if (list_at(*owned[i], {"endpoints"}) != slices[i].endpoints ||
                   list_at(*owned[i], {"ports"}) != slices[i].ports ||
                   own_labels(*owned[i]) != labels) {
            write.verb = Write::Verb::Patch;
            write.name = name_of(*owned[i]);
            write.body = content;
            write.body.set("metadata", Object{{"labels", labels}});
            outcome.writes.push_back(std::move(write));
        }
    }
    for (std::size_t i = slices.size(); i < owned.size(); ++i) {
        outcome.writes.push_back(
            {.verb = Write::Verb::Delete,
             .name = std::string(name_of(*owned[i])),
             .api_version = std::string(kVersion),
             .kind = "EndpointSlice"}
        );
    }
}

Value slice_labels(const Value& object, std::string_view service, std::string_view controller) {
    Value labels = own_labels(object);
    labels.set(kServiceName, service);
    labels.set(kSliceController, controller);
    return labels;
}

}  // namespace

Outcome reconcile_service(const Turn& turn) {
    Outcome outcome;
    const Value& service = turn.object;
    const Value* selector = service.find_path({"spec", "selector"});
    const bool selects =
        selector != nullptr && selector->is_object() && !selector->as_object().empty();
    if (is_deleted(service) || !selects || text_at(service, {"spec", "type"}) == "ExternalName") {
        return outcome;
    }
    const Groups groups = find_endpoints(service, turn);
    write_endpoints(turn, groups, outcome);
    std::vector<Slice> slices = make_slices(groups);
    if (slices.empty()) {
        slices.push_back({});  // that nothing is there is told, too
    }
    Value labels = slice_labels(service, name_of(service), "endpointslice-controller.k8s.io");
    if (text_at(service, {"spec", "clusterIP"}) == "None") {
        labels.set("service.kubernetes.io/headless", "");
    }
    write_slices(turn, slices, labels, outcome);
    return outcome;
}

Outcome mirror_endpoints(const Turn& turn) {
    Outcome outcome;
    const Value& endpoints = turn.object;
    const Value service = turn.find("v1", "Service", name_of(endpoints));
    const Value* selector = service.is_null() ? nullptr : service.find_path({"spec", "selector"});
    const bool selects =
        selector != nullptr && selector->is_object() && !selector->as_object().empty();
    const Value labels = own_labels(endpoints);
    if (is_deleted(endpoints) || service.is_null() || selects ||
        labels.find(kEndpointsController) != nullptr ||
        labels.string_at("endpointslice.kubernetes.io/skip-mirror") == "true") {
        return outcome;
    }
    Groups groups;
    for (const Value& subset : list_at(endpoints, {"subsets"})) {
        Array ports;
        for (Value port : list_at(subset, {"ports"})) {
            if (port.find("name") == nullptr) {
                port.set("name", "");
            }
            ports.push_back(std::move(port));
        }
        Group& group = groups[json::print(Value(ports))];
        group.ports = std::move(ports);
        for (const char* list : {"addresses", "notReadyAddresses"}) {
            for (const Value& address : list_at(subset, {list})) {
                const Value* target = address.find("targetRef");
                group.endpoints.push_back(
                    {.address = std::string(address.string_at("ip")),
                     .hostname = std::string(address.string_at("hostname")),
                     .node = std::string(address.string_at("nodeName")),
                     .target = target == nullptr ? Value() : *target,
                     .is_ready = std::string_view(list) == "addresses"}
                );
            }
        }
    }
    write_slices(
        turn,
        make_slices(groups),
        slice_labels(endpoints, name_of(endpoints), "endpointslicemirroring-controller.k8s.io"),
        outcome
    );
    return outcome;
}

}  // namespace sluice::sim
