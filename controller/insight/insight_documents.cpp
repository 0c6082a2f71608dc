#include "controller/insight/insight_documents.hpp"

#include "api/insight/explanation.hpp"
#include "api/insight/what_if.hpp"
#include "api/schema/schema.hpp"
#include "base/version.hpp"

#include <fmt/core.h>

#include <utility>

namespace sluice::controller {

namespace {

using json::Array;
using json::Object;
using json::Value;

constexpr const char* kModel = "dev.sluice.insight.v1alpha1.Explanation";
constexpr const char* kExplanation = "explanation";

Value version_entry() {
    return Object{{"groupVersion", api::kInsightApiVersion}, {"version", api::kInsightVersion}};
}

Value explanation_kind() {
    return Object{
        {"group", api::kInsightGroup},
        {"version", api::kInsightVersion},
        {"kind", api::Explanation::kKind},
    };
}

Value path_parameter(const char* name, const char* description) {
    return Object{
        {"name", name},
        {"in", "path"},
        {"description", description},
        {"required", true},
        {"schema", Object{{"type", "string"}, {"uniqueItems", true}}},
    };
}

Value query_parameter(const char* name, const char* type, const char* description) {
    return Object{
        {"name", name},
        {"in", "query"},
        {"description", description},
        {"schema", Object{{"type", type}, {"uniqueItems", true}}},
    };
}

Value explanations_path(bool is_namespaced) {
    Value items = Object{{"$ref", fmt::format("#/components/schemas/{}", kModel)}};
    Value list = Object{
        {"type", "object"},
        {"required", Array{"items"}},
        {"properties",
         Object{
             {"metadata", Object{{"type", "object"}}},
             {"items", Object{{"type", "array"}, {"items", std::move(items)}}},
         }},
    };
    Value ok = Object{
        {"description", "OK"},
        {"content", Object{{"application/json", Object{{"schema", std::move(list)}}}}},
    };
    Value get = Object{
        {"description", "List why workloads wait or run, without what would admit them."},
        {"operationId",
         is_namespaced ? "listInsightSluiceDev_v1alpha1NamespacedExplanation"
                       : "listInsightSluiceDev_v1alpha1ExplanationForAllNamespaces"},
        {"tags", Array{"insightSluiceDev_v1alpha1"}},
        {"responses",
         Object{{"200", std::move(ok)}, {"401", Object{{"description", "Unauthorized"}}}}},
        {"x-kubernetes-action", "list"},
        {"x-kubernetes-group-version-kind", explanation_kind()},
    };
    Array parameters{
        query_parameter("limit", "integer", "How many at most; 200 if not given, 500 at most."),
        query_parameter("continue", "string", "The token of the list before."),
    };
    if (is_namespaced) {
        parameters.push_back(path_parameter("namespace", "Namespace of the Workloads."));
    }
    return Object{{"get", std::move(get)}, {"parameters", std::move(parameters)}};
}

Value explanation_path() {
    Value schema = Object{{"$ref", fmt::format("#/components/schemas/{}", kModel)}};
    Value ok = Object{
        {"description", "OK"},
        {"content", Object{{"application/json", Object{{"schema", std::move(schema)}}}}},
    };
    Value get = Object{
        {"description", "Explain why the workload waits or runs, and what would admit it."},
        {"operationId", "readInsightSluiceDev_v1alpha1NamespacedWorkloadExplanation"},
        {"tags", Array{"insightSluiceDev_v1alpha1"}},
        {"responses",
         Object{{"200", std::move(ok)}, {"401", Object{{"description", "Unauthorized"}}}}},
        {"x-kubernetes-action", "get"},
        {"x-kubernetes-group-version-kind", explanation_kind()},
    };
    return Object{
        {"get", std::move(get)},
        {"parameters",
         Array{
             path_parameter("name", "Name of the Workload."),
             path_parameter("namespace", "Namespace of the Workload."),
         }},
    };
}

std::string make_openapi() {
    Value schema = api::make_schema(
        {.kind = std::string(api::Explanation::kKind), .type = &api::Explanation::type},
        "v1beta2",
        true
    );
    schema.set("x-kubernetes-group-version-kind", Array{explanation_kind()});
    const std::string path = fmt::format(
        "/apis/{}/namespaces/{{namespace}}/workloads/{{name}}/{}",
        api::kInsightApiVersion,
        kExplanation
    );
    Value models = Object{};
    models.set(kModel, std::move(schema));
    Value paths = Object{};
    paths.set(path, explanation_path());
    const std::string root = fmt::format("/apis/{}/", api::kInsightApiVersion);
    paths.set(root + "namespaces/{namespace}/explanations", explanations_path(true));
    paths.set(root + "explanations", explanations_path(false));
    return json::print(Object{
        {"openapi", "3.0.0"},
        {"info", Object{{"title", "Sluice insight"}, {"version", sluice::version()}}},
        {"paths", std::move(paths)},
        {"components", Object{{"schemas", std::move(models)}}},
    });
}

}  // namespace

Value make_insight_group_body() {
    return Object{
        {"name", api::kInsightGroup},
        {"versions", Array{version_entry()}},
        {"preferredVersion", version_entry()},
    };
}

Value make_insight_group() {
    Value group = Object{{"kind", "APIGroup"}, {"apiVersion", "v1"}};
    Value body = make_insight_group_body();
    for (auto& [name, value] : body.as_object()) {
        group.set(name, std::move(value));
    }
    return group;
}

Value make_insight_resources() {
    return Object{
        {"kind", "APIResourceList"},
        {"apiVersion", "v1"},
        {"groupVersion", api::kInsightApiVersion},
        {"resources",
         Array{
             Object{
                 {"name", "workloads"},
                 {"singularName", "workload"},
                 {"namespaced", true},
                 {"kind", api::Explanation::kKind},
                 {"verbs", Array{}},
             },
             Object{
                 {"name", "workloads/explanation"},
                 {"singularName", ""},
                 {"namespaced", true},
                 {"kind", api::Explanation::kKind},
                 {"verbs", Array{"get"}},
             },
             Object{
                 {"name", "explanations"},
                 {"singularName", "explanation"},
                 {"namespaced", true},
                 {"kind", api::Explanation::kKind},
                 {"verbs", Array{"list"}},
             },
             Object{
                 {"name", api::WhatIf::kPlural},
                 {"singularName", "whatif"},
                 {"namespaced", true},
                 {"kind", api::WhatIf::kKind},
                 {"verbs", Array{"create"}},
             },
         }},
    };
}

Value make_insight_discovery() {
    Value subresource = Object{
        {"subresource", kExplanation},
        {"responseKind", explanation_kind()},
        {"verbs", Array{"get"}},
    };
    Value resource = Object{
        {"resource", "workloads"},
        {"responseKind", explanation_kind()},
        {"scope", "Namespaced"},
        {"singularResource", "workload"},
        {"verbs", Array{}},
        {"subresources", Array{std::move(subresource)}},
    };
    Value list = Object{
        {"resource", "explanations"},
        {"responseKind", explanation_kind()},
        {"scope", "Namespaced"},
        {"singularResource", "explanation"},
        {"verbs", Array{"list"}},
    };
    Value what_if = Object{
        {"resource", api::WhatIf::kPlural},
        {"responseKind",
         Object{
             {"group", api::kInsightGroup},
             {"version", api::kInsightVersion},
             {"kind", api::WhatIf::kKind},
         }},
        {"scope", "Namespaced"},
        {"singularResource", "whatif"},
        {"verbs", Array{"create"}},
    };
    Value version = Object{
        {"version", api::kInsightVersion},
        {"resources", Array{std::move(resource), std::move(list), std::move(what_if)}},
        {"freshness", "Current"},
    };
    return Object{
        {"metadata", Object{{"name", api::kInsightGroup}}},
        {"versions", Array{std::move(version)}},
    };
}

const std::string& insight_openapi() {
    static const std::string kDocument = make_openapi();
    return kDocument;
}

}  // namespace sluice::controller
