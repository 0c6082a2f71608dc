#include "api/schema/crd.hpp"

#include "api/schema/schema.hpp"
#include "base/assert.hpp"

#include <algorithm>
#include <array>
#include <string>
#include <utility>
#include <vector>

namespace sluice::api {
namespace {

struct Column {
    std::string_view name;
    std::string_view path;
    std::string_view type = "string";
    int priority = 0;
};

/// The parts of a CRD other than its schema.
struct Surface {
    std::string_view kind;
    std::string_view doc;
    std::vector<std::string_view> short_names;
    bool has_status = false;
    bool is_converted = false;  ///< the versions have different fields, so a webhook converts them
    std::vector<Column> columns;
};

// NOLINTNEXTLINE(readability-function-size): a table
const std::vector<Surface>& surfaces() {
    static const std::vector<Surface> kSurfaces{
        {"ClusterQueue",
         "A queue that owns quota; workloads reach it through LocalQueues.",
         {"cq"},
         true,
         true,
         {{"Cohort", ".spec.cohortName"},
          {"Strategy", ".spec.queueingStrategy", "string", 1},
          {"Pending Workloads", ".status.pendingWorkloads", "integer"},
          {"Admitted Workloads", ".status.admittedWorkloads", "integer", 1}}},
        {"Cohort",
         "A node of the tree in which ClusterQueues share unused quota.",
         {"co"},
         true,
         true,
         {}},
        {"LocalQueue",
         "Gives the workloads of a namespace access to a ClusterQueue.",
         {"queue", "queues", "lq"},
         true,
         true,
         {{"ClusterQueue", ".spec.clusterQueue"},
          {"Pending Workloads", ".status.pendingWorkloads", "integer"},
          {"Admitted Workloads", ".status.admittedWorkloads", "integer"}}},
        {"Workload",
         "The resources that a job requests and is assigned. The unit of queueing and admission.",
         {"kwl", "kueueworkload", "kueueworkloads"},
         true,
         true,
         {{"Queue", ".spec.queueName"},
          {"Reserved in", ".status.admission.clusterQueue"},
          {"Admitted", ".status.conditions[?(@.type=='Admitted')].status"},
          {"Finished", ".status.conditions[?(@.type=='Finished')].status"},
          {"Age", ".metadata.creationTimestamp", "date"}}},
        {"ResourceFlavor",
         "A kind of node that quota is defined for.",
         {"flavor", "flavors", "rf"},
         false,
         false,
         {}},
        {"Topology",
         "Node labels that describe how close nodes are to each other.",
         {"topo"},
         false,
         false,
         {}},
        {"AdmissionCheck",
         "A condition that another controller grants before admission.",
         {"ac"},
         true,
         false,
         {}},
        {"WorkloadPriorityClass",
         "A named priority for queueing; pods keep theirs.",
         {"wpc"},
         false,
         false,
         {{"Value", ".value", "integer"}}},
        {"MultiKueueConfig",
         "Worker clusters that workloads may be sent to.",
         {"mkconf"},
         false,
         false,
         {}},
        {"MultiKueueCluster",
         "How to reach a worker cluster.",
         {"mkc"},
         true,
         true,
         {{"Connected", ".status.conditions[?(@.type=='Active')].status"},
          {"Age", ".metadata.creationTimestamp", "date"}}},
        {"ProvisioningRequestConfig",
         "How nodes are requested from the cluster autoscaler.",
         {"prc"},
         false,
         false,
         {}},
    };
    return kSurfaces;
}

json::Value make_names(const KindInfo& kind, const Surface& surface) {
    std::string singular(kind.kind);
    std::transform(singular.begin(), singular.end(), singular.begin(), [](char c) {
        return c >= 'A' && c <= 'Z' ? static_cast<char>(c - 'A' + 'a') : c;
    });
    return json::Object{
        {"kind", kind.kind},
        {"listKind", std::string(kind.kind) + "List"},
        {"plural", kind.plural},
        {"shortNames", json::Array(surface.short_names.begin(), surface.short_names.end())},
        {"singular", std::move(singular)},
    };
}

json::Value make_columns(const Surface& surface, std::string_view version) {
    json::Array columns;
    for (const Column& column : surface.columns) {
        const bool is_old_cohort = version == "v1beta1" && column.path == ".spec.cohortName";
        json::Value made(json::Object{
            {"jsonPath", is_old_cohort ? ".spec.cohort" : column.path},
            {"name", column.name},
            {"type", column.type},
        });
        if (column.priority != 0) {
            made.set("priority", column.priority);
        }
        columns.push_back(std::move(made));
    }
    return columns;
}

json::Value make_version(const KindInfo& kind, const Surface& surface, std::string_view version) {
    const bool is_old = version == "v1beta1";
    json::Value made(json::Object{{"name", version}, {"served", true}, {"storage", !is_old}});
    // MultiKueueConfig has equal fields in both versions, so the old version gives no warning.
    if (is_old && kind.kind != "MultiKueueConfig") {
        made.set("deprecated", true);
        made.set("deprecationWarning", "This version is deprecated. Use v1beta2 instead.");
    }
    if (!surface.columns.empty()) {
        made.set("additionalPrinterColumns", make_columns(surface, version));
    }
    if (kind.kind == "Workload" && !is_old) {
        made.set(
            "selectableFields",
            json::Array{json::Object{{"jsonPath", ".status.admission.clusterQueue"}}}
        );
    }
    if (surface.has_status) {
        made.set("subresources", json::Object{{"status", json::Object{}}});
    }
    auto schema = make_schema(kind, version, true);
    schema.set("description", surface.doc);
    made.set("schema", json::Object{{"openAPIV3Schema", std::move(schema)}});
    return made;
}

json::Value make_conversion() {
    const json::Value service(json::Object{
        {"name", "kueue-webhook-service"}, {"namespace", "kueue-system"}, {"path", "/convert"}
    });
    return json::Object{
        {"strategy", "Webhook"},
        {"webhook",
         json::Object{
             {"clientConfig", json::Object{{"service", service}}},
             {"conversionReviewVersions", json::Array{"v1"}},
         }},
    };
}

}  // namespace

json::Value make_crd(const KindInfo& kind) {
    const auto& all = surfaces();
    const auto surface = std::find_if(all.begin(), all.end(), [&](const Surface& candidate) {
        return candidate.kind == kind.kind;
    });
    SLUICE_ASSERT(surface != all.end());
    json::Value spec(json::Object{
        {"group", kind.group},
        {"names", make_names(kind, *surface)},
        {"scope", kind.is_namespaced ? "Namespaced" : "Cluster"},
    });
    if (surface->is_converted) {
        spec.set("conversion", make_conversion());
    }
    spec.set(
        "versions",
        json::Array{
            make_version(kind, *surface, "v1beta1"),
            make_version(kind, *surface, "v1beta2"),
        }
    );
    const std::string name = std::string(kind.plural) + "." + std::string(kind.group);
    return json::Object{
        {"apiVersion", "apiextensions.k8s.io/v1"},
        {"kind", "CustomResourceDefinition"},
        {"metadata", json::Object{{"name", name}}},
        {"spec", std::move(spec)},
    };
}

}  // namespace sluice::api
