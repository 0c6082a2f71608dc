#include "apiserver/table.hpp"

#include "api/micro_time.hpp"
#include "apiserver/selectors.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <chrono>
#include <functional>
#include <map>
#include <string>
#include <string_view>
#include <utility>

namespace sluice::apiserver {

namespace {

using Cell = std::function<json::Value(const json::Value& object, Time now)>;

struct Column {
    PrinterColumn column;
    Cell cell;
};

const json::Value* at(const json::Value& object, std::initializer_list<std::string_view> path) {
    return object.find_path(path);
}

std::int64_t count_at(const json::Value& object, std::initializer_list<std::string_view> path) {
    const json::Value* found = at(object, path);
    return found != nullptr && found->is_int() ? found->as_int() : 0;
}

std::string text(const json::Value& object, std::initializer_list<std::string_view> path) {
    const json::Value* found = at(object, path);
    return found != nullptr && found->is_string() ? found->as_string() : std::string();
}

std::string or_none(const std::string& value) {
    return value.empty() ? "<none>" : value;
}

json::Value age_of(const json::Value& object, Time now) {
    const auto time = api::parse_time(text(object, {"metadata", "creationTimestamp"}));
    return time ? json::Value(age(now - *time)) : json::Value("<unknown>");
}

std::size_t size_at(const json::Value& object, std::initializer_list<std::string_view> path) {
    const json::Value* found = at(object, path);
    return found == nullptr     ? 0
           : found->is_object() ? found->as_object().size()
           : found->is_array()  ? found->as_array().size()
                                : 0;
}

std::string pod_status(const json::Value& pod) {
    const json::Value* reason = at(pod, {"status", "reason"});
    std::string status = reason != nullptr && reason->is_string() ? reason->as_string()
                                                                  : text(pod, {"status", "phase"});
    const json::Value* gates = at(pod, {"spec", "schedulingGates"});
    if (status == "Pending" && gates != nullptr && size_at(pod, {"spec", "schedulingGates"}) > 0) {
        status = "SchedulingGated";
    }
    if (status == "Succeeded") {
        status = "Completed";
    } else if (status == "Failed") {
        status = "Error";
    }
    return at(pod, {"metadata", "deletionTimestamp"}) != nullptr ? "Terminating" : status;
}

std::string ready_pods(const json::Value& pod) {
    const json::Value* statuses = at(pod, {"status", "containerStatuses"});
    std::int64_t ready = 0;
    if (statuses != nullptr && statuses->is_array()) {
        ready = std::ranges::count_if(statuses->as_array(), [](const json::Value& status) {
            const json::Value* is_ready = status.find("ready");
            return is_ready != nullptr && *is_ready == json::Value(true);
        });
    }
    return fmt::format("{}/{}", ready, size_at(pod, {"spec", "containers"}));
}

std::string node_status(const json::Value& node) {
    std::string status = "Unknown";
    const json::Value* conditions = at(node, {"status", "conditions"});
    if (conditions != nullptr && conditions->is_array()) {
        for (const json::Value& condition : conditions->as_array()) {
            if (condition.string_at("type") == "Ready") {
                status = condition.string_at("status") == "True" ? "Ready" : "NotReady";
            }
        }
    }
    const json::Value* closed = at(node, {"spec", "unschedulable"});
    return closed != nullptr && *closed == json::Value(true) ? status + ",SchedulingDisabled"
                                                             : status;
}

std::string job_status(const json::Value& job) {
    const json::Value* conditions = at(job, {"status", "conditions"});
    if (conditions != nullptr && conditions->is_array()) {
        for (const std::string_view type :
             {"Complete", "Failed", "Suspended", "FailureTarget", "SuccessCriteriaMet"}) {
            for (const json::Value& condition : conditions->as_array()) {
                if (condition.string_at("type") == type &&
                    condition.string_at("status") == "True") {
                    return std::string(type);
                }
            }
        }
    }
    return at(job, {"metadata", "deletionTimestamp"}) != nullptr ? "Terminating" : "Running";
}

json::Value job_duration(const json::Value& job, Time now) {
    const auto start = api::parse_time(text(job, {"status", "startTime"}));
    if (!start) {
        return "";
    }
    const auto end = api::parse_time(text(job, {"status", "completionTime"}));
    return age((end ? *end : now) - *start);
}

std::string job_completions(const json::Value& job) {
    const json::Value* wanted = at(job, {"spec", "completions"});
    const std::int64_t done = count_at(job, {"status", "succeeded"});
    if (wanted != nullptr && wanted->is_int()) {
        return fmt::format("{}/{}", done, wanted->as_int());
    }
    const std::int64_t parallelism = count_at(job, {"spec", "parallelism"});
    return parallelism > 1 ? fmt::format("{}/1 of {}", done, parallelism)
                           : fmt::format("{}/1", done);
}

std::string joined(
    const json::Value& object, std::initializer_list<std::string_view> list, std::string_view member
) {
    std::string all;
    const json::Value* found = at(object, list);
    if (found != nullptr && found->is_array()) {
        for (const json::Value& each : found->as_array()) {
            all += (all.empty() ? "" : ",") + std::string(each.string_at(member));
        }
    }
    return all;
}

Column make(std::string name, Cell cell, std::int32_t priority = 0) {
    return {
        {.name = std::move(name), .type = "string", .description = {}, .priority = priority},
        std::move(cell)
    };
}

Column age_column() {
    return make("Age", age_of);
}

std::vector<Column> pod_columns() {
    return {
        make("Ready", [](const json::Value& o, Time) { return json::Value(ready_pods(o)); }),
        make("Status", [](const json::Value& o, Time) { return json::Value(pod_status(o)); }),
        make("Restarts", [](const json::Value&, Time) { return json::Value("0"); }),
        age_column(),
        make(
            "IP",
            [](const json::Value& o, Time) {
                return json::Value(or_none(text(o, {"status", "podIP"})));
            },
            1
        ),
        make(
            "Node",
            [](const json::Value& o, Time) {
                return json::Value(or_none(text(o, {"spec", "nodeName"})));
            },
            1
        ),
        make(
            "Nominated Node",
            [](const json::Value& o, Time) {
                return json::Value(or_none(text(o, {"status", "nominatedNodeName"})));
            },
            1
        ),
        make(
            "Readiness Gates", [](const json::Value&, Time) { return json::Value("<none>"); }, 1
        ),
    };
}

std::vector<Column> job_columns() {
    return {
        make("Status", [](const json::Value& o, Time) { return json::Value(job_status(o)); }),
        make(
            "Completions",
            [](const json::Value& o, Time) { return json::Value(job_completions(o)); }
        ),
        make("Duration", job_duration),
        age_column(),
        make(
            "Containers",
            [](const json::Value& o, Time) {
                return json::Value(joined(o, {"spec", "template", "spec", "containers"}, "name"));
            },
            1
        ),
        make(
            "Images",
            [](const json::Value& o, Time) {
                return json::Value(joined(o, {"spec", "template", "spec", "containers"}, "image"));
            },
            1
        ),
    };
}

std::vector<Column> workload_columns(bool is_stateful) {
    std::vector<Column> columns = {
        make(
            "Ready",
            [](const json::Value& o, Time) {
                return json::Value(fmt::format(
                    "{}/{}",
                    count_at(o, {"status", "readyReplicas"}),
                    count_at(o, {"spec", "replicas"})
                ));
            }
        ),
    };
    if (!is_stateful) {
        columns.push_back(make("Up-to-date", [](const json::Value& o, Time) {
            return json::Value(count_at(o, {"status", "updatedReplicas"}));
        }));
        columns.push_back(make("Available", [](const json::Value& o, Time) {
            return json::Value(count_at(o, {"status", "availableReplicas"}));
        }));
    }
    columns.push_back(age_column());
    return columns;
}

std::vector<Column> event_columns() {
    return {
        make(
            "Last Seen",
            [](const json::Value& o, Time now) {
                for (const char* name : {"lastTimestamp", "eventTime", "firstTimestamp"}) {
                    if (const auto time = api::parse_time(o.string_at(name))) {
                        return json::Value(age(now - *time));
                    }
                }
                return json::Value("<unknown>");
            }
        ),
        make("Type", [](const json::Value& o, Time) { return json::Value(o.string_at("type")); }),
        make(
            "Reason", [](const json::Value& o, Time) { return json::Value(o.string_at("reason")); }
        ),
        make(
            "Object",
            [](const json::Value& o, Time) {
                const json::Value* regarding = o.find("involvedObject");
                if (regarding == nullptr) {
                    regarding = o.find("regarding");
                }
                std::string kind(regarding == nullptr ? "" : regarding->string_at("kind"));
                for (char& c : kind) {
                    c = c >= 'A' && c <= 'Z' ? static_cast<char>(c - 'A' + 'a') : c;
                }
                return json::Value(fmt::format(
                    "{}/{}", kind, regarding == nullptr ? "" : regarding->string_at("name")
                ));
            }
        ),
        make(
            "Message",
            [](const json::Value& o, Time) {
                const std::string_view message = o.string_at("message");
                return json::Value(message.empty() ? o.string_at("note") : message);
            }
        ),
    };
}

/// How many members or elements there are at a member.
Cell count_of(std::string_view member) {
    return [member](const json::Value& object, Time) {
        return json::Value(static_cast<std::int64_t>(size_at(object, {member})));
    };
}

Cell text_of(std::string_view member) {
    return
        [member](const json::Value& object, Time) { return json::Value(object.string_at(member)); };
}

std::vector<Column> node_columns() {
    return {
        make("Status", [](const json::Value& o, Time) { return json::Value(node_status(o)); }),
        make("Roles", [](const json::Value&, Time) { return json::Value("<none>"); }),
        age_column(),
        make(
            "Version",
            [](const json::Value& o, Time) {
                return json::Value(text(o, {"status", "nodeInfo", "kubeletVersion"}));
            }
        )
    };
}

std::vector<Column> priority_class_columns() {
    return {
        make(
            "Value",
            [](const json::Value& o, Time) {
                const json::Value* value = o.find("value");
                return value == nullptr ? json::Value(0) : *value;
            }
        ),
        make(
            "Global-Default",
            [](const json::Value& o, Time) {
                const json::Value* value = o.find("globalDefault");
                return json::Value(value != nullptr && *value == json::Value(true));
            }
        ),
        age_column(),
        make("PreemptionPolicy", text_of("preemptionPolicy"))
    };
}

std::vector<Column> builtin_columns(const ResourceType& type) {
    static const std::map<std::string_view, std::vector<Column>> kColumns = {
        {"Pod", pod_columns()},
        {"Job", job_columns()},
        {"Event", event_columns()},
        {"Deployment", workload_columns(false)},
        {"StatefulSet", workload_columns(true)},
        {"Namespace",
         {make(
              "Status",
              [](const json::Value& o, Time) { return json::Value(text(o, {"status", "phase"})); }
          ),
          age_column()}},
        {"Node", node_columns()},
        {"ConfigMap", {make("Data", count_of("data")), age_column()}},
        {"Secret", {make("Type", text_of("type")), make("Data", count_of("data")), age_column()}},
        {"PriorityClass", priority_class_columns()},
        {"CustomResourceDefinition",
         {make(
             "Created At",
             [](const json::Value& o, Time) {
                 return json::Value(text(o, {"metadata", "creationTimestamp"}));
             }
         )}},
        {"Lease",
         {make(
              "Holder",
              [](const json::Value& o, Time) {
                  return json::Value(text(o, {"spec", "holderIdentity"}));
              }
          ),
          age_column()}},
    };
    const auto found = kColumns.find(type.kind);
    return found == kColumns.end() ? std::vector<Column>{age_column()} : found->second;
}

/// A part of JSONPath, as columns of definitions use it: members, indexes, and elements of a list
/// by the text of one of their members.
const json::Value* find_by_path(const json::Value& object, std::string_view path) {
    const json::Value* found = &object;
    while (!path.empty() && found != nullptr) {
        if (path.front() == '.') {
            path.remove_prefix(1);
            const std::size_t end = path.find_first_of(".[");
            std::string name(path.substr(0, end));
            while (name.ends_with('\\') && end != std::string_view::npos) {
                break;
            }
            path.remove_prefix(end == std::string_view::npos ? path.size() : end);
            found = name.empty() ? found : found->find(name);
            continue;
        }
        if (path.front() != '[') {
            return nullptr;
        }
        const std::size_t end = path.find(']');
        if (end == std::string_view::npos) {
            return nullptr;
        }
        std::string_view inside = path.substr(1, end - 1);
        path.remove_prefix(end + 1);
        if (inside.starts_with("?(@.")) {
            // [?(@.type=="Ready")]
            const std::size_t equals = inside.find("==");
            if (equals == std::string_view::npos || !found->is_array()) {
                return nullptr;
            }
            const std::string member(inside.substr(4, equals - 4));
            std::string_view wanted = inside.substr(equals + 2);
            if (wanted.ends_with(')')) {
                wanted.remove_suffix(1);
            }
            if (wanted.size() > 1 && (wanted.front() == '"' || wanted.front() == '\'')) {
                wanted = wanted.substr(1, wanted.size() - 2);
            }
            const auto element =
                std::ranges::find_if(found->as_array(), [&](const json::Value& each) {
                    return each.string_at(member) == wanted;
                });
            found = element == found->as_array().end() ? nullptr : &*element;
        } else if (inside.size() > 1 && (inside.front() == '\'' || inside.front() == '"')) {
            found = found->find(inside.substr(1, inside.size() - 2));
        } else if (found->is_array()) {
            const auto index = json::parse(inside);
            const bool is_there =
                index && index->is_int() && index->as_int() >= 0 &&
                index->as_int() < static_cast<std::int64_t>(found->as_array().size());
            found =
                is_there ? &found->as_array()[static_cast<std::size_t>(index->as_int())] : nullptr;
        } else {
            return nullptr;
        }
    }
    return found;
}

std::vector<Column> columns_of(const ResourceType& type) {
    if (!type.is_custom) {
        return builtin_columns(type);
    }
    std::vector<Column> columns;
    columns.reserve(type.columns.size());
    for (const PrinterColumn& column : type.columns) {
        columns.push_back({column, [column](const json::Value& object, Time now) {
                               const json::Value* found = find_by_path(object, column.json_path);
                               if (found == nullptr || found->is_null()) {
                                   return json::Value();
                               }
                               if (column.type == "date" && found->is_string()) {
                                   const auto time = api::parse_time(found->as_string());
                                   return time ? json::Value(age(now - *time))
                                               : json::Value("<invalid>");
                               }
                               if (column.type == "string" && !found->is_string()) {
                                   return json::Value(json::print(*found));
                               }
                               return *found;
                           }});
    }
    return columns;
}

json::Value definition(const PrinterColumn& column) {
    return json::Object{
        {"name", column.name},
        {"type", column.type},
        {"format", column.format},
        {"description", column.description},
        {"priority", static_cast<std::int64_t>(column.priority)}
    };
}

}  // namespace

std::string age(Duration duration) {
    const std::int64_t total = std::chrono::duration_cast<std::chrono::seconds>(duration).count();
    if (total < -1) {
        return "<invalid>";
    }
    if (total < 0) {
        return "0s";
    }
    if (total < 120) {
        return fmt::format("{}s", total);
    }
    const std::int64_t minutes_total = total / 60;
    if (minutes_total < 10) {
        const std::int64_t left = total % 60;
        return left == 0 ? fmt::format("{}m", minutes_total)
                         : fmt::format("{}m{}s", minutes_total, left);
    }
    if (minutes_total < 180) {
        return fmt::format("{}m", minutes_total);
    }
    const std::int64_t hours_total = total / 3600;
    if (hours_total < 8) {
        const std::int64_t left = minutes_total % 60;
        return left == 0 ? fmt::format("{}h", hours_total)
                         : fmt::format("{}h{}m", hours_total, left);
    }
    if (hours_total < 48) {
        return fmt::format("{}h", hours_total);
    }
    const std::int64_t days_total = hours_total / 24;
    if (days_total < 8) {
        const std::int64_t left = hours_total % 24;
        return left == 0 ? fmt::format("{}d", days_total) : fmt::format("{}d{}h", days_total, left);
    }
    if (days_total < 730) {
        return fmt::format("{}d", days_total);
    }
    const std::int64_t years_total = days_total / 365;
    const std::int64_t left = days_total % 365;
    return years_total < 8 && left != 0 ? fmt::format("{}y{}d", years_total, left)
                                        : fmt::format("{}y", years_total);
}

bool wants_table(const Request& request) {
    return request.accept.find("as=Table") != std::string::npos;
}

json::Value make_table(
    const ResourceType& type,
    const std::vector<json::Value>& objects,
    json::Value list_metadata,
    std::string_view include,
    Time now
) {
    const std::vector<Column> columns = columns_of(type);
    json::Array definitions;
    const bool is_event = type.kind == "Event" && !type.is_custom;
    definitions.push_back(definition(
        {.name = "Name",
         .type = "string",
         .format = "name",
         .description = "Name of the object.",
         .priority = is_event ? 1 : 0}
    ));
    definitions.reserve(columns.size() + 1);
    for (const Column& column : columns) {
        definitions.push_back(definition(column.column));
    }
    json::Array rows;
    for (const json::Value& object : objects) {
        json::Array cells;
        cells.emplace_back(text(object, {"metadata", "name"}));
        for (const Column& column : columns) {
            cells.push_back(column.cell(object, now));
        }
        json::Value row = json::Object{{"cells", std::move(cells)}};
        if (include == "None") {
            row.set("object", nullptr);
        } else if (include == "Object") {
            row.set("object", object);
        } else {
            const json::Value* metadata = object.find("metadata");
            row.set(
                "object",
                json::Object{
                    {"kind", "PartialObjectMetadata"},
                    {"apiVersion", "meta.k8s.io/v1"},
                    {"metadata", metadata == nullptr ? json::Value(json::Object()) : *metadata}
                }
            );
        }
        rows.push_back(std::move(row));
    }
    return json::Object{
        {"kind", "Table"},
        {"apiVersion", "meta.k8s.io/v1"},
        {"metadata", std::move(list_metadata)},
        {"columnDefinitions", std::move(definitions)},
        {"rows", std::move(rows)}
    };
}

}  // namespace sluice::apiserver
