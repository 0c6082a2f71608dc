#include "apiserver/table/builtin_cells.hpp"

#include "api/meta/micro_time.hpp"
#include "apiserver/objects/values.hpp"
#include "apiserver/table/cell_row.hpp"
#include "apiserver/table/column_path.hpp"
#include "apiserver/table/table.hpp"

#include <fmt/format.h>
#include <fmt/ranges.h>

#include <algorithm>
#include <map>
#include <utility>

namespace sluice::apiserver {
namespace {

using json::Array;
using json::Value;

std::string containers(const Row& row, std::string_view name) {
    return join(each(row.at({"spec", "template", "spec", "containers"}), name));
}

std::string node_status(const Row& row) {
    std::string status = "Unknown";
    for (const auto& condition : items_of(&row.at({"status", "conditions"}))) {
        if (condition.string_at("type") == "Ready") {
            status = condition.string_at("status") == "True" ? "Ready" : "NotReady";
        }
    }
    const Value& cordoned = row.at({"spec", "unschedulable"});
    return cordoned.is_bool() && cordoned.as_bool() ? status + ",SchedulingDisabled" : status;
}

std::string node_roles(const Row& row) {
    static constexpr std::string_view kPrefix = "node-role.kubernetes.io/";
    std::vector<std::string> roles;
    for (const auto& [name, value] : members_of(&row.at({"metadata", "labels"}))) {
        if (name.starts_with(kPrefix) && name.size() > kPrefix.size()) {
            roles.push_back(name.substr(kPrefix.size()));
        } else if (name == "kubernetes.io/role" && value.is_string() &&
                   !value.as_string().empty()) {
            roles.push_back(value.as_string());
        }
    }
    std::ranges::sort(roles);
    return roles.empty() ? "<none>" : join(roles);
}

std::string node_address(const Row& row, std::string_view type) {
    for (const auto& address : items_of(&row.at({"status", "addresses"}))) {
        if (address.string_at("type") == type) {
            return std::string(address.string_at("address"));
        }
    }
    return "<none>";
}

Array node_cells(const Row& row) {
    return {
        row.name(),
        node_status(row),
        node_roles(row),
        row.age(),
        row.text({"status", "nodeInfo", "kubeletVersion"}, ""),
        node_address(row, "InternalIP"),
        node_address(row, "ExternalIP"),
        row.text({"status", "nodeInfo", "osImage"}, "<unknown>"),
        row.text({"status", "nodeInfo", "kernelVersion"}, "<unknown>"),
        row.text({"status", "nodeInfo", "containerRuntimeVersion"}, "<unknown>"),
    };
}

bool has_condition(const Row& row, std::string_view type) {
    const auto& conditions = items_of(&row.at({"status", "conditions"}));
    return std::ranges::any_of(conditions, [&](const Value& condition) {
        return condition.string_at("type") == type && condition.string_at("status") == "True";
    });
}

std::string job_status(const Row& row) {
    static constexpr std::pair<std::string_view, std::string_view> kStates[] = {
        {"Complete", "Complete"},
        {"Failed", "Failed"},
        {"Suspended", "Suspended"},
        {"FailureTarget", "FailureTarget"},
        {"SuccessCriteriaMet", "SuccessCriteriaMet"},
    };
    if (has_condition(row, "Complete")) {
        return "Complete";
    }
    if (has_condition(row, "Failed")) {
        return "Failed";
    }
    if (!row.text({"metadata", "deletionTimestamp"}, "").empty()) {
        return "Terminating";
    }
    for (const auto& [type, shown] : kStates) {
        if (has_condition(row, type)) {
            return std::string(shown);
        }
    }
    return "Running";
}

Array job_cells(const Row& row) {
    const auto succeeded = row.number({"status", "succeeded"});
    const auto parallelism = row.number({"spec", "parallelism"});
    std::string completions;
    if (!row.at({"spec", "completions"}).is_null()) {
        completions = fmt::format("{}/{}", succeeded, row.number({"spec", "completions"}));
    } else if (parallelism > 1) {
        completions = fmt::format("{}/1 of {}", succeeded, parallelism);
    } else {
        completions = fmt::format("{}/1", succeeded);
    }
    std::string duration;
    const auto start = api::parse_time(row.text({"status", "startTime"}, ""));
    if (start) {
        const auto end = api::parse_time(row.text({"status", "completionTime"}, ""));
        duration = age((end ? *end : row.now()) - *start);
    }
    return {
        row.name(),
        job_status(row),
        completions,
        duration,
        row.age(),
        containers(row, "name"),
        containers(row, "image"),
        selector_text(row.at({"spec", "selector"})),
    };
}

Array event_cells(const Row& row) {
    const bool is_new = row.at({"involvedObject"}).is_null();
    auto last = row.text({is_new ? "deprecatedLastTimestamp" : "lastTimestamp"}, "");
    auto first = row.text({is_new ? "deprecatedFirstTimestamp" : "firstTimestamp"}, "");
    const auto event_time = row.text({"eventTime"}, "");
    const auto series_time = row.text({"series", "lastObservedTime"}, "");
    const auto series = row.number({"series", "count"});
    last = !series_time.empty() ? series_time : last.empty() ? event_time : last;
    first = first.empty() ? event_time : first;
    const bool is_core = !is_new;
    const std::string_view about = is_core ? "involvedObject" : "regarding";
    auto kind = row.text({about, "kind"}, "");
    std::ranges::transform(kind, kind.begin(), [](char c) {
        return c >= 'A' && c <= 'Z' ? static_cast<char>(c - 'A' + 'a') : c;
    });
    const auto name = row.text({about, "name"}, "");
    auto source = row.text({is_new ? "deprecatedSource" : "source", "component"}, "");
    if (source.empty()) {
        source = row.text({"reportingComponent"}, "");
    }
    if (const auto host = row.text({"source", "host"}, ""); !host.empty()) {
        source += ", " + host;
    }
    const auto count = row.number({is_core ? "count" : "deprecatedCount"}, 1);
    return {
        age_since(last, row.now()),
        row.text({"type"}, ""),
        row.text({"reason"}, ""),
        name.empty() ? kind : kind + "/" + name,
        row.text({about, "fieldPath"}, ""),
        source,
        row.text({is_core ? "message" : "note"}, ""),
        age_since(first, row.now()),
        series > 0 ? series : count,
        row.name(),
    };
}

std::string service_ports(const Row& row) {
    std::vector<std::string> ports;
    for (const auto& port : items_of(&row.at({"spec", "ports"}))) {
        const auto node = int_at(port, "nodePort", 0);
        const auto number = int_at(port, "port", 0);
        const auto protocol = port.string_at("protocol");
        ports.push_back(
            node == 0 ? fmt::format("{}/{}", number, protocol)
                      : fmt::format("{}:{}/{}", number, node, protocol)
        );
    }
    return ports.empty() ? "<none>" : join(ports);
}

Array workload_cells(std::string_view kind, const Row& row) {
    const auto replicas = row.number({"spec", "replicas"});
    const auto ready = row.number({"status", "readyReplicas"});
    const auto names = containers(row, "name");
    const auto images = containers(row, "image");
    if (kind == "Deployment") {
        return {
            row.name(),
            fmt::format("{}/{}", ready, replicas),
            std::to_string(row.number({"status", "updatedReplicas"})),
            std::to_string(row.number({"status", "availableReplicas"})),
            row.age(),
            names,
            images,
            selector_text(row.at({"spec", "selector"})),
        };
    }
    if (kind == "StatefulSet") {
        return {row.name(), fmt::format("{}/{}", ready, replicas), row.age(), names, images};
    }
    const Value& selector = row.at({"spec", "selector"});
    return {
        row.name(),
        replicas,
        row.number({"status", "replicas"}),
        ready,
        row.age(),
        names,
        images,
        kind == "ReplicaSet" ? selector_text(selector) : map_text(selector),
    };
}

Array cron_job_cells(const Row& row) {
    const Value& suspended = row.at({"spec", "suspend"});
    const Value& pod = row.at({"spec", "jobTemplate", "spec", "template", "spec", "containers"});
    const auto last = row.text({"status", "lastScheduleTime"}, "");
    return {
        row.name(),
        row.text({"spec", "schedule"}, ""),
        row.text({"spec", "timeZone"}),
        suspended == Value(true) ? "True" : "False",
        row.count({"status", "active"}),
        last.empty() ? "<none>" : age_since(last, row.now()),
        row.age(),
        join(each(pod, "name")),
        join(each(pod, "image")),
        selector_text(row.at({"spec", "jobTemplate", "spec", "selector"})),
    };
}

std::string subjects(const Row& row, std::string_view kind) {
    std::vector<std::string> names;
    for (const auto& subject : items_of(&row.at({"subjects"}))) {
        if (subject.string_at("kind") != kind) {
            continue;
        }
        const auto name = subject.string_at("name");
        names.push_back(
            kind == "ServiceAccount" ? fmt::format("{}/{}", subject.string_at("namespace"), name)
                                     : std::string(name)
        );
    }
    return fmt::format("{}", fmt::join(names, ", "));
}

Array binding_cells(const Row& row) {
    return {
        row.name(),
        fmt::format("{}/{}", row.text({"roleRef", "kind"}, ""), row.text({"roleRef", "name"}, "")),
        row.age(),
        subjects(row, "User"),
        subjects(row, "Group"),
        subjects(row, "ServiceAccount"),
    };
}

/// Returns the addresses at which a Service is reachable from outside the cluster.
std::string external_addresses(const Row& row) {
    if (row.text({"spec", "type"}, "") == "ExternalName") {
        return row.text({"spec", "externalName"});
    }
    std::vector<std::string> addresses;
    for (const Value& ingress : items_of(&row.at({"status", "loadBalancer", "ingress"}))) {
        const auto ip = ingress.string_at("ip");
        addresses.emplace_back(ip.empty() ? ingress.string_at("hostname") : ip);
    }
    const bool is_balancer = row.text({"spec", "type"}, "") == "LoadBalancer";
    if (!is_balancer) {
        addresses.clear();
    }
    for (const Value& address : items_of(&row.at({"spec", "externalIPs"}))) {
        addresses.push_back(address.is_string() ? address.as_string() : "");
    }
    return !addresses.empty() ? join(addresses) : is_balancer ? "<pending>" : "<none>";
}

Array service_cells(const Row& row) {
    return {
        row.name(),
        row.text({"spec", "type"}, ""),
        row.text({"spec", "clusterIP"}),
        external_addresses(row),
        service_ports(row),
        row.age(),
        map_text(row.at({"spec", "selector"})),
    };
}

/// Returns the cells of a kind whose columns are all JSONPaths.
Array path_cells(const ResourceType& type, const Value& object, const Row& row) {
    Array cells;
    for (const PrinterColumn& column : type.columns) {
        const auto path = ColumnPath::parse(column.json_path);
        const Value* found = path && !column.json_path.empty() ? path->find_first(object) : nullptr;
        cells.push_back(
            column.name == "Name"         ? Value(row.name())
            : column.name == "Created At" ? Value(row.created())
            : column.name == "Age"        ? Value(row.age())
            : found == nullptr            ? Value("<none>")
                                          : column_cell(column.type, found, row.now())
        );
    }
    return cells;
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

using Cells = Array (*)(const Row&);

const std::map<std::string_view, Cells>& cell_functions() {
    static const std::map<std::string_view, Cells> kFunctions{
        {"ClusterRoleBinding", binding_cells},
        {"ConfigMap",
         [](const Row& row) {
             return Array{row.name(), row.count({"data"}) + row.count({"binaryData"}), row.age()};
         }},
        {"CronJob", cron_job_cells},
        {"Event", event_cells},
        {"Job", job_cells},
        {"MutatingWebhookConfiguration",
         [](const Row& row) { return Array{row.name(), row.count({"webhooks"}), row.age()}; }},
        {"Node", node_cells},
        {"ResourceQuota", quota_cells},
        {"RoleBinding", binding_cells},
        {"Secret",
         [](const Row& row) {
             return Array{row.name(), row.text({"type"}, ""), row.count({"data"}), row.age()};
         }},
        {"Service", service_cells},
        {"ValidatingWebhookConfiguration",
         [](const Row& row) { return Array{row.name(), row.count({"webhooks"}), row.age()}; }},
    };
    return kFunctions;
}

}  // namespace

Array builtin_cells(const ResourceType& type, const Value& object, Time now) {
    const std::string& kind = type.kind;
    if (kind == "Pod") {
        return pod_cells(object, now);
    }
    const Row row(object, now);
    if (kind == "Deployment" || kind == "StatefulSet" || kind == "ReplicaSet" ||
        kind == "ReplicationController") {
        return workload_cells(kind, row);
    }
    if (const auto found = cell_functions().find(kind); found != cell_functions().end()) {
        return found->second(row);
    }
    return path_cells(type, object, row);
}

}  // namespace sluice::apiserver
