#include "controller/visibility/openapi.hpp"

#include "api/insight/insight_names.hpp"
#include "api/kueue/kueue_names.hpp"
#include "base/sha1.hpp"
#include "base/version.hpp"
#include "controller/insight/insight_documents.hpp"
#include "controller/visibility/discovery.hpp"
#include "json/value.hpp"

#include <fmt/core.h>

#include <map>
#include <utility>

namespace sluice::controller {

namespace {

using json::Array;
using json::Object;
using json::Value;

enum class Format : std::uint8_t { V2, V3 };

std::string model(std::string_view version, std::string_view kind) {
    return fmt::format("io.x-k8s.kueue.visibility.{}.{}", version, kind);
}

Value refer(Format format, std::string_view version, std::string_view kind) {
    const char* const where = format == Format::V2 ? "#/definitions/" : "#/components/schemas/";
    return Object{{"$ref", where + model(version, kind)}};
}

Value text(std::string_view description) {
    return Object{{"description", description}, {"type", "string"}};
}

Value integer(std::string_view description, const char* format) {
    return Object{{"description", description}, {"type", "integer"}, {"format", format}};
}

Value list_of(Value items) {
    return Object{{"type", "array"}, {"items", std::move(items)}};
}

Value make_group_version_kind(std::string_view version) {
    return Object{
        {"group", api::kVisibilityGroup},
        {"kind", "PendingWorkloadsSummary"},
        {"version", version},
    };
}

Value make_owner_reference() {
    return Object{
        {"description", "An object that the workload belongs to."},
        {"type", "object"},
        {"required", Array{"apiVersion", "kind", "name", "uid"}},
        {"properties",
         Object{
             {"apiVersion", text("API version of the owner.")},
             {"kind", text("Kind of the owner.")},
             {"name", text("Name of the owner.")},
             {"uid", text("UID of the owner.")},
         }},
    };
}

Value make_metadata() {
    return Object{
        {"description", "Names, owners and age of the workload."},
        {"type", "object"},
        {"properties",
         Object{
             {"name", text("Name of the workload.")},
             {"namespace", text("Namespace of the workload.")},
             {"creationTimestamp",
              Object{
                  {"description", "When the workload was created."},
                  {"type", "string"},
                  {"format", "date-time"},
              }},
             {"ownerReferences", list_of(make_owner_reference())},
         }},
    };
}

Value make_pending_workload() {
    return Object{
        {"description", "A workload that waits for quota, and its positions in the queues."},
        {"type", "object"},
        {"required",
         Array{"priority", "localQueueName", "positionInClusterQueue", "positionInLocalQueue"}},
        {"properties",
         Object{
             {"metadata", make_metadata()},
             {"priority", integer("Priority of the workload.", "int32")},
             {"localQueueName", text("LocalQueue that the workload names.")},
             {"positionInClusterQueue",
              integer("Position in the ClusterQueue, counted from 0.", "int32")},
             {"positionInLocalQueue",
              integer("Position in the LocalQueue, counted from 0.", "int32")},
         }},
    };
}

Value make_summary(Format format, std::string_view version) {
    return Object{
        {"description", "Pending workloads of a ClusterQueue or LocalQueue, in queue order."},
        {"type", "object"},
        {"required", Array{"items"}},
        {"properties",
         Object{
             {"apiVersion", text("API version of this object.")},
             {"kind", text("Kind of this object.")},
             {"metadata", Object{{"type", "object"}}},
             {"items", list_of(refer(format, version, "PendingWorkload"))},
         }},
        {"x-kubernetes-group-version-kind", Array{make_group_version_kind(version)}},
    };
}

void add_models(Format format, std::string_view version, Value& into) {
    into.set(model(version, "PendingWorkload"), make_pending_workload());
    into.set(model(version, "PendingWorkloadsSummary"), make_summary(format, version));
}

Value make_parameter(
    Format format, const char* in, const char* name, const char* type, const char* description
) {
    Value made = Object{{"name", name}, {"in", in}, {"description", description}};
    if (std::string_view(in) == "path") {
        made.set("required", true);
    }
    if (format == Format::V2) {
        made.set("type", type);
        made.set("uniqueItems", true);
    } else {
        made.set("schema", Object{{"type", type}, {"uniqueItems", true}});
    }
    return made;
}

Value make_responses(Format format, Value schema) {
    Value ok = Object{{"description", "OK"}};
    if (format == Format::V2) {
        ok.set("schema", std::move(schema));
    } else {
        ok.set("content", Object{{"application/json", Object{{"schema", std::move(schema)}}}});
    }
    return Object{{"200", std::move(ok)}, {"401", Object{{"description", "Unauthorized"}}}};
}

std::string tag_of(std::string_view version) {
    return fmt::format("visibilityKueueXK8sIo_{}", version);
}

struct Path {
    const char* path;
    const char* operation;
    const char* queue;
    bool is_namespaced;
};
constexpr Path kPaths[] = {
    {"clusterqueues/{name}/pendingworkloads", "ClusterQueuePendingworkloads", "ClusterQueue", false
    },
    {"namespaces/{namespace}/localqueues/{name}/pendingworkloads",
     "NamespacedLocalQueuePendingworkloads",
     "LocalQueue",
     true},
};

Value make_path(Format format, std::string_view version, const Path& path) {
    Array parameters;
    parameters.push_back(make_parameter(
        format,
        "path",
        "name",
        "string",
        path.is_namespaced ? "Name of the LocalQueue." : "Name of the ClusterQueue."
    ));
    if (path.is_namespaced) {
        parameters.push_back(
            make_parameter(format, "path", "namespace", "string", "Namespace of the LocalQueue.")
        );
    }
    parameters.push_back(make_parameter(
        format, "query", "limit", "integer", "How many workloads at most; 1000 if not given."
    ));
    parameters.push_back(make_parameter(
        format, "query", "offset", "integer", "Position of the first workload, counted from 0."
    ));
    Value get = Object{
        {"description", fmt::format("Read what waits in the {}.", path.queue)},
        {"operationId", fmt::format("read{}{}", tag_of(version), path.operation)},
        {"tags", Array{tag_of(version)}},
        {"responses", make_responses(format, refer(format, version, "PendingWorkloadsSummary"))},
        {"x-kubernetes-action", "get"},
        {"x-kubernetes-group-version-kind", make_group_version_kind(version)},
    };
    if (format == Format::V2) {
        get.set("consumes", Array{"*/*"});
        get.set("produces", Array{"application/json"});
        get.set("schemes", Array{"https"});
    }
    return Object{{"get", std::move(get)}, {"parameters", std::move(parameters)}};
}

void add_paths(Format format, std::string_view version, Value& into) {
    for (const Path& path : kPaths) {
        into.set(
            fmt::format("/apis/{}/{}/{}", api::kVisibilityGroup, version, path.path),
            make_path(format, version, path)
        );
    }
}

Value make_info() {
    return Object{{"title", "Kueue visibility-server"}, {"version", sluice::version()}};
}

std::string make_v3(std::string_view version) {
    Value models = Object{};
    Value paths = Object{};
    add_models(Format::V3, version, models);
    add_paths(Format::V3, version, paths);
    return json::print(Object{
        {"openapi", "3.0.0"},
        {"info", make_info()},
        {"paths", std::move(paths)},
        {"components", Object{{"schemas", std::move(models)}}},
    });
}

std::string make_v2() {
    Value models = Object{};
    Value paths = Object{};
    for (const std::string_view version : kVisibilityVersions) {
        add_models(Format::V2, version, models);
        add_paths(Format::V2, version, paths);
    }
    return json::print(Object{
        {"swagger", "2.0"},
        {"info", make_info()},
        {"paths", std::move(paths)},
        {"definitions", std::move(models)},
    });
}

std::string path_v3(std::string_view version) {
    return fmt::format("apis/{}/{}", api::kVisibilityGroup, version);
}

std::string make_v3_index() {
    Value paths = Object{};
    // Clients cache a document under its URL forever, so the URL contains a hash of the content.
    const auto add = [&paths](const std::string& path, const std::string& document) {
        const std::string url = fmt::format("/openapi/v3/{}?hash={}", path, sha1_hex(document));
        paths.set(path, Object{{"serverRelativeURL", url}});
    };
    for (const std::string_view version : kVisibilityVersions) {
        add(path_v3(version), openapi_v3(version));
    }
    add(std::string("apis/") + api::kInsightApiVersion, insight_openapi());
    return json::print(Object{{"paths", std::move(paths)}});
}

}  // namespace

const std::string& openapi_v2() {
    static const std::string kDocument = make_v2();
    return kDocument;
}

const std::string& openapi_v3_index() {
    static const std::string kDocument = make_v3_index();
    return kDocument;
}

const std::string& openapi_v3(std::string_view version) {
    static const std::map<std::string_view, std::string> kDocuments = [] {
        std::map<std::string_view, std::string> made;
        for (const std::string_view known : kVisibilityVersions) {
            made.emplace(known, make_v3(known));
        }
        return made;
    }();
    return kDocuments.at(version);
}

}  // namespace sluice::controller
