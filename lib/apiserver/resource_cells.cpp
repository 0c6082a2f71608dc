#include "apiserver/resource_cells.hpp"

#include "apiserver/values.hpp"

#include <fmt/format.h>
#include <fmt/ranges.h>

#include <algorithm>
#include <array>
#include <initializer_list>
#include <map>
#include <set>
#include <utility>

namespace sluice::apiserver {

namespace {

using json::Array;
using json::Value;

constexpr std::size_t kEndpointsShown = 3;
constexpr std::string_view kUnset = "<unset>";

/// Endpoints beyond the first three are counted only.
std::string shorten(const std::vector<std::string>& texts) {
    if (texts.empty()) {
        return "<none>";
    }
    if (texts.size() <= kEndpointsShown) {
        return join(texts);
    }
    const std::vector<std::string> first(texts.begin(), texts.begin() + kEndpointsShown);
    return fmt::format("{} + {} more...", join(first), texts.size() - kEndpointsShown);
}

std::string all_texts(const Value& list, std::string_view otherwise) {
    std::vector<std::string> texts;
    for (const Value& item : items_of(&list)) {
        texts.push_back(item.is_string() ? item.as_string() : json::print(item));
    }
    return texts.empty() ? std::string(otherwise) : join(texts);
}

Array endpoints_cells(const Row& row) {
    std::vector<std::string> texts;
    for (const Value& subset : items_of(&row.at({"subsets"}))) {
        const auto& ports = items_of(subset.find("ports"));
        for (const Value& address : items_of(subset.find("addresses"))) {
            const auto ip = address.string_at("ip");
            for (const Value& port : ports) {
                texts.push_back(fmt::format("{}:{}", ip, int_at(port, "port", 0)));
            }
            if (ports.empty()) {
                texts.emplace_back(ip);
            }
        }
    }
    return {row.name(), shorten(texts), row.age()};
}

Array endpoint_slice_cells(const Row& row) {
    std::vector<std::string> ports;
    for (const Value& port : items_of(&row.at({"ports"}))) {
        const Value* number = port.find("port");
        ports.push_back(number == nullptr || number->is_null() ? "*" : json::print(*number));
    }
    std::vector<std::string> addresses;
    for (const Value& endpoint : items_of(&row.at({"endpoints"}))) {
        for (const Value& address : items_of(endpoint.find("addresses"))) {
            addresses.push_back(address.as_string());
        }
    }
    return {
        row.name(),
        row.text({"addressType"}, ""),
        ports.empty() ? std::string(kUnset) : shorten(ports),
        addresses.empty() ? std::string(kUnset) : shorten(addresses),
        row.age()
    };
}

std::string access_modes(const Value& list) {
    static const std::map<std::string_view, std::string_view> kShort{
        {"ReadWriteOnce", "RWO"},
        {"ReadOnlyMany", "ROX"},
        {"ReadWriteMany", "RWX"},
        {"ReadWriteOncePod", "RWOP"}
    };
    std::vector<std::string> modes;
    for (const auto& [name, short_name] : kShort) {
        if (std::ranges::find(items_of(&list), Value(name)) != items_of(&list).end()) {
            modes.emplace_back(short_name);
        }
    }
    return join(modes);
}

Array volume_cells(const Row& row) {
    const Value& claim = row.at({"spec", "claimRef"});
    const bool is_ending = !row.at({"metadata", "deletionTimestamp"}).is_null();
    return {
        row.name(),
        row.text({"spec", "capacity", "storage"}, ""),
        access_modes(row.at({"spec", "accessModes"})),
        row.text({"spec", "persistentVolumeReclaimPolicy"}, ""),
        is_ending ? std::string("Terminating") : row.text({"status", "phase"}, ""),
        claim.is_null()
            ? std::string()
            : fmt::format("{}/{}", claim.string_at("namespace"), claim.string_at("name")),
        row.text({"spec", "storageClassName"}, ""),
        row.text({"spec", "volumeAttributesClassName"}, kUnset),
        row.text({"status", "reason"}, ""),
        row.age(),
        row.text({"spec", "volumeMode"}, kUnset)
    };
}

Array claim_cells(const Row& row) {
    const bool is_bound = !row.text({"spec", "volumeName"}, "").empty();
    const bool is_ending = !row.at({"metadata", "deletionTimestamp"}).is_null();
    return {
        row.name(),
        is_ending ? std::string("Terminating") : row.text({"status", "phase"}, ""),
        row.text({"spec", "volumeName"}, ""),
        is_bound ? row.text({"status", "capacity", "storage"}, "0") : std::string(),
        is_bound ? access_modes(row.at({"status", "accessModes"})) : std::string(),
        row.text({"spec", "storageClassName"}, ""),
        row.text({"spec", "volumeAttributesClassName"}, kUnset),
        row.age(),
        row.text({"spec", "volumeMode"}, kUnset)
    };
}

Array pod_template_cells(const Row& row) {
    const Value& list = row.at({"template", "spec", "containers"});
    return {
        row.name(),
        join(each(list, "name")),
        join(each(list, "image")),
        map_text(row.at({"template", "metadata", "labels"}))
    };
}

Array quota_cells(const Row& row) {
    std::vector<std::string> requests;
    std::vector<std::string> limits;
    const Value& used = row.at({"status", "used"});
    for (const json::Member* entry : sorted_members(&row.at({"status", "hard"}))) {
        const auto& [name, hard] = *entry;
        (name.starts_with("limits.") ? limits : requests)
            .push_back(fmt::format(
                "{}: {}/{}", name, used.is_object() ? used.string_at(name) : "", hard.as_string()
            ));
    }
    return {
        row.name(),
        fmt::format("{}", fmt::join(requests, ", ")),
        fmt::format("{}", fmt::join(limits, ", ")),
        row.age()
    };
}

Array revision_cells(const Row& row) {
    std::string controller = "<none>";
    for (const Value& owner : items_of(&row.at({"metadata", "ownerReferences"}))) {
        if (is_true(owner, "controller")) {
            const std::string version(owner.string_at("apiVersion"));
            const std::size_t slash = version.find('/');
            std::string kind(owner.string_at("kind"));
            std::ranges::transform(kind, kind.begin(), [](char c) {
                return c >= 'A' && c <= 'Z' ? static_cast<char>(c - 'A' + 'a') : c;
            });
            controller = fmt::format(
                "{}{}/{}",
                kind,
                slash == std::string::npos ? "" : "." + version.substr(0, slash),
                owner.string_at("name")
            );
        }
    }
    return {row.name(), controller, row.number({"revision"}), row.age()};
}

/// The value at the path as a text; "" where there is none.
std::string text_of(const Value* object, std::initializer_list<std::string_view> path) {
    const Value* found = object == nullptr ? nullptr : object->find_path(path);
    return found == nullptr || found->is_null() ? ""
           : found->is_string()                 ? found->as_string()
                                                : json::print(*found);
}

/// Where a metric stands, and where it is to be: `cpu: 20%/50%`.
std::string metric_text(const Value& metric, const Value* status) {
    constexpr std::array<std::pair<std::string_view, std::string_view>, 5> kSources{{
        {"Resource", "resource"},
        {"ContainerResource", "containerResource"},
        {"Pods", "pods"},
        {"Object", "object"},
        {"External", "external"},
    }};
    const std::string_view type = metric.string_at("type");
    const auto* source =
        std::ranges::find(kSources, type, &std::pair<std::string_view, std::string_view>::first);
    if (source == kSources.end()) {
        return "<unknown type>";
    }
    const std::string member(source->second);
    const bool is_resource = type == "Resource" || type == "ContainerResource";
    const std::string average = text_of(&metric, {member, "target", "averageValue"});
    const auto current = [&](std::string_view what, std::string_view unit) {
        const std::string text = text_of(status, {member, "current", what});
        return text.empty() ? "<unknown>" : text + std::string(unit);
    };
    const std::string before =
        is_resource ? text_of(&metric, {member, "name"}) + ": " : std::string();
    if (!average.empty()) {
        const bool is_marked = type == "Object" || type == "External";
        return fmt::format(
            "{}{}/{}{}", before, current("averageValue", ""), average, is_marked ? " (avg)" : ""
        );
    }
    if (is_resource) {
        const std::string target = text_of(&metric, {member, "target", "averageUtilization"});
        return fmt::format(
            "{}{}/{}",
            before,
            current("averageUtilization", "%"),
            target.empty() ? "<auto>" : target + "%"
        );
    }
    return fmt::format(
        "{}/{}", current("value", ""), text_of(&metric, {member, "target", "value"})
    );
}

/// The first two metrics, and how many more there are.
std::string metrics_text(const Row& row) {
    constexpr std::size_t kShown = 2;
    const Array& metrics = items_of(&row.at({"spec", "metrics"}));
    const Array& statuses = items_of(&row.at({"status", "currentMetrics"}));
    std::vector<std::string> texts;
    for (std::size_t i = 0; i < metrics.size() && i < kShown; ++i) {
        texts.push_back(metric_text(metrics[i], i < statuses.size() ? &statuses[i] : nullptr));
    }
    std::string shown = fmt::format("{}", fmt::join(texts, ", "));
    if (metrics.size() > kShown) {
        shown += fmt::format(" + {} more...", metrics.size() - kShown);
    }
    return shown.empty() ? "<none>" : shown;
}

Array scaler_cells(const Row& row) {
    const Value& percentage = row.at({"spec", "targetCPUUtilizationPercentage"});
    std::string targets = metrics_text(row);
    if (percentage.is_int()) {
        const Value& now = row.at({"status", "currentCPUUtilizationPercentage"});
        targets = fmt::format(
            "cpu: {}/{}%",
            now.is_int() ? std::to_string(now.as_int()) + "%" : "<unknown>",
            percentage.as_int()
        );
    }
    return {
        row.name(),
        fmt::format(
            "{}/{}",
            row.text({"spec", "scaleTargetRef", "kind"}, ""),
            row.text({"spec", "scaleTargetRef", "name"}, "")
        ),
        targets,
        row.text({"spec", "minReplicas"}, kUnset),
        row.number({"spec", "maxReplicas"}),
        row.number({"status", "currentReplicas"}),
        row.age()
    };
}

Array budget_cells(const Row& row) {
    return {
        row.name(),
        row.text({"spec", "minAvailable"}, "N/A"),
        row.text({"spec", "maxUnavailable"}, "N/A"),
        row.number({"status", "disruptionsAllowed"}),
        row.age()
    };
}

std::string balancer_text(const Row& row) {
    std::vector<std::string> texts;
    for (const Value& ingress : items_of(&row.at({"status", "loadBalancer", "ingress"}))) {
        const auto ip = ingress.string_at("ip");
        texts.emplace_back(ip.empty() ? ingress.string_at("hostname") : ip);
    }
    return join(texts);
}

Array ingress_cells(const Row& row) {
    std::vector<std::string> hosts;
    for (const std::string& host : each(row.at({"spec", "rules"}), "host")) {
        if (!host.empty()) {
            hosts.push_back(host);
        }
    }
    const bool is_encrypted = row.count({"spec", "tls"}) > 0;
    return {
        row.name(),
        row.text({"spec", "ingressClassName"}),
        hosts.empty() ? std::string("*") : shorten(hosts),
        balancer_text(row),
        is_encrypted ? "80, 443" : "80",
        row.age()
    };
}

Array ingress_class_cells(const Row& row) {
    const Value& parameters = row.at({"spec", "parameters"});
    std::string text = "<none>";
    if (!parameters.is_null()) {
        text = parameters.string_at("kind");
        if (const auto group = parameters.string_at("apiGroup"); !group.empty()) {
            text += fmt::format(".{}", group);
        }
        text += fmt::format("/{}", parameters.string_at("name"));
    }
    return {row.name(), row.text({"spec", "controller"}, ""), text, row.age()};
}

Array address_cells(const Row& row) {
    std::vector<std::string> parts;
    for (const char* name : {"group", "resource", "namespace", "name"}) {
        if (const auto part = row.text({"spec", "parentRef", name}, ""); !part.empty()) {
            parts.push_back(part);
        }
    }
    // The real table has one cell more than columns.
    return {row.name(), fmt::format("{}", fmt::join(parts, "/")), row.age()};
}

Array signing_request_cells(const Row& row) {
    std::set<std::string> types;
    for (const std::string& type : each(row.at({"status", "conditions"}), "type")) {
        types.insert(type);
    }
    std::string condition = types.contains("Denied")     ? "Denied"
                            : types.contains("Approved") ? "Approved"
                                                         : "Pending";
    if (types.contains("Failed")) {
        condition += ",Failed";
    }
    if (!row.text({"status", "certificate"}, "").empty()) {
        condition += ",Issued";
    }
    const Value& duration = row.at({"spec", "expirationSeconds"});
    return {
        row.name(),
        row.age(),
        row.text({"spec", "signerName"}),
        row.text({"spec", "username"}, ""),
        duration.is_int() ? fmt::format("{}s", duration.as_int()) : std::string("<none>"),
        condition
    };
}

Array driver_cells(const Row& row) {
    const auto flag = [&row](std::string_view name) {
        const Value& value = row.at({"spec", name});
        return value.is_bool() && value.as_bool();
    };
    std::vector<std::string> tokens = each(row.at({"spec", "tokenRequests"}), "audience");
    return {
        row.name(),
        flag("attachRequired"),
        flag("podInfoOnMount"),
        flag("storageCapacity"),
        tokens.empty() ? std::string(kUnset) : join(tokens),
        flag("requiresRepublish"),
        all_texts(row.at({"spec", "volumeLifecycleModes"}), kUnset),
        row.age()
    };
}

Array storage_class_cells(const Row& row) {
    const Value& is_default =
        row.at({"metadata", "annotations", "storageclass.kubernetes.io/is-default-class"});
    const Value& expands = row.at({"allowVolumeExpansion"});
    return {
        row.name() + (is_default == Value("true") ? " (default)" : ""),
        row.text({"provisioner"}, ""),
        row.text({"reclaimPolicy"}, "Delete"),
        row.text({"volumeBindingMode"}, "Immediate"),
        expands.is_bool() && expands.as_bool(),
        row.age()
    };
}

Array attachment_cells(const Row& row) {
    const Value& attached = row.at({"status", "attached"});
    return {
        row.name(),
        row.text({"spec", "attacher"}, ""),
        row.text({"spec", "source", "persistentVolumeName"}, ""),
        row.text({"spec", "nodeName"}, ""),
        attached.is_bool() && attached.as_bool(),
        row.age()
    };
}

/// `count`: the list that is counted.
Array policy_cells(const Row& row, std::string_view list) {
    const Value& params = row.at({"spec", "paramKind"});
    return {
        row.name(),
        row.count({"spec", list}),
        params.is_null()
            ? std::string(kUnset)
            : fmt::format("{}/{}", params.string_at("apiVersion"), params.string_at("kind")),
        row.age()
    };
}

Array policy_binding_cells(const Row& row) {
    const Value& params = row.at({"spec", "paramRef"});
    std::string text(kUnset);
    if (!params.is_null()) {
        const auto ns = params.string_at("namespace");
        const auto name = params.string_at("name");
        const std::string shown = name.empty() ? "<selector>" : std::string(name);
        text = ns.empty() ? shown : fmt::format("{}/{}", ns, shown);
    }
    return {row.name(), row.text({"spec", "policyName"}, ""), text, row.age()};
}

Array flow_schema_cells(const Row& row) {
    std::string dangling = "?";
    for (const Value& condition : items_of(&row.at({"status", "conditions"}))) {
        if (condition.string_at("type") == "Dangling") {
            dangling = condition.string_at("status");
        }
    }
    return {
        row.name(),
        row.text({"spec", "priorityLevelConfiguration", "name"}),
        row.number({"spec", "matchingPrecedence"}),
        row.text({"spec", "distinguisherMethod", "type"}),
        row.age(),
        dangling
    };
}

Array priority_level_cells(const Row& row) {
    const auto cell = [&row](std::initializer_list<std::string_view> path) {
        const Value& value = row.at(path);
        return value.is_int() ? value : Value("<none>");
    };
    return {
        row.name(),
        row.text({"spec", "type"}),
        cell({"spec", "limited", "nominalConcurrencyShares"}),
        cell({"spec", "limited", "limitResponse", "queuing", "queues"}),
        cell({"spec", "limited", "limitResponse", "queuing", "handSize"}),
        cell({"spec", "limited", "limitResponse", "queuing", "queueLengthLimit"}),
        row.age()
    };
}

Array device_claim_cells(const Row& row) {
    std::vector<std::string> states;
    if (!row.at({"metadata", "deletionTimestamp"}).is_null()) {
        states.emplace_back("deleted");
    }
    if (row.at({"status", "allocation"}).is_null()) {
        states.emplace_back("pending");
    } else {
        states.emplace_back("allocated");
        if (row.count({"status", "reservedFor"}) > 0) {
            states.emplace_back("reserved");
        }
    }
    return {row.name(), join(states), row.age()};
}

Array api_service_cells(const Row& row) {
    const Value& service = row.at({"spec", "service"});
    std::string available = "Unknown";
    for (const Value& condition : items_of(&row.at({"status", "conditions"}))) {
        if (condition.string_at("type") == "Available") {
            available = condition.string_at("status");
        }
    }
    return {
        row.name(),
        service.is_null()
            ? std::string("Local")
            : fmt::format("{}/{}", service.string_at("namespace"), service.string_at("name")),
        available,
        row.age()
    };
}

using Cells = Array (*)(const Row&);

const std::map<std::string_view, Cells>& resource_cell_functions() {
    static const std::map<std::string_view, Cells> kFunctions{
        {"APIService", api_service_cells},
        {"CSIDriver", driver_cells},
        {"CSINode",
         [](const Row& row) { return Array{row.name(), row.count({"spec", "drivers"}), row.age()}; }
        },
        {"CertificateSigningRequest", signing_request_cells},
        {"ControllerRevision", revision_cells},
        {"EndpointSlice", endpoint_slice_cells},
        {"Endpoints", endpoints_cells},
        {"FlowSchema", flow_schema_cells},
        {"HorizontalPodAutoscaler", scaler_cells},
        {"IPAddress", address_cells},
        {"Ingress", ingress_cells},
        {"IngressClass", ingress_class_cells},
        {"MutatingAdmissionPolicy", [](const Row& row) { return policy_cells(row, "mutations"); }},
        {"MutatingAdmissionPolicyBinding", policy_binding_cells},
        {"NetworkPolicy",
         [](const Row& row) {
             return Array{row.name(), selector_text(row.at({"spec", "podSelector"})), row.age()};
         }},
        {"PersistentVolume", volume_cells},
        {"PersistentVolumeClaim", claim_cells},
        {"PodDisruptionBudget", budget_cells},
        {"PodTemplate", pod_template_cells},
        {"PriorityLevelConfiguration", priority_level_cells},
        {"ResourceClaim", device_claim_cells},
        {"ResourceQuota", quota_cells},
        {"ResourceSlice",
         [](const Row& row) {
             return Array{
                 row.name(),
                 row.text({"spec", "nodeName"}, kUnset),
                 row.text({"spec", "driver"}, ""),
                 row.text({"spec", "pool", "name"}, ""),
                 row.age()
             };
         }},
        {"ServiceCIDR",
         [](const Row& row) {
             return Array{row.name(), all_texts(row.at({"spec", "cidrs"}), ""), row.age()};
         }},
        {"StorageClass", storage_class_cells},
        {"ValidatingAdmissionPolicy",
         [](const Row& row) { return policy_cells(row, "validations"); }},
        {"ValidatingAdmissionPolicyBinding", policy_binding_cells},
        {"VolumeAttachment", attachment_cells},
        {"VolumeAttributesClass",
         [](const Row& row) { return Array{row.name(), row.text({"driverName"}, ""), row.age()}; }},
    };
    return kFunctions;
}

}  // namespace

Array resource_cells(std::string_view kind, const Row& row) {
    const auto found = resource_cell_functions().find(kind);
    return found == resource_cell_functions().end() ? Array{} : found->second(row);
}

}  // namespace sluice::apiserver
