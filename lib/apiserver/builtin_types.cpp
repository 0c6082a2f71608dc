#include "apiserver/builtin_types.hpp"

#include <algorithm>
#include <cstdint>
#include <string>
#include <string_view>
#include <utility>

namespace sluice::apiserver {

namespace {

enum class Scope : std::uint8_t { Namespaced, Cluster };

struct Row {
    std::string_view group;
    std::string_view version;
    std::string_view kind;
    std::string_view plural;
    Scope scope;
    bool has_status = false;
    std::string_view short_names = {};  ///< with blanks between them
    bool is_in_all = false;             ///< of the category `all`
    bool generates = false;
    bool is_scaled = false;
    bool is_review = false;
};

constexpr auto kInNamespace = Scope::Namespaced;
constexpr auto kInCluster = Scope::Cluster;

constexpr Row kRows[] = {
    {"", "v1", "ConfigMap", "configmaps", kInNamespace, false, "cm"},
    {"", "v1", "Event", "events", kInNamespace, false, "ev"},
    {"", "v1", "LimitRange", "limitranges", kInNamespace, false, "limits"},
    {"", "v1", "Namespace", "namespaces", kInCluster, true, "ns"},
    {"", "v1", "Node", "nodes", kInCluster, true, "no"},
    {"", "v1", "PersistentVolumeClaim", "persistentvolumeclaims", kInNamespace, true, "pvc"},
    {"", "v1", "Pod", "pods", kInNamespace, true, "po", true, true},
    {"", "v1", "PodTemplate", "podtemplates", kInNamespace, false, "", false, true},
    {"", "v1", "ResourceQuota", "resourcequotas", kInNamespace, true, "quota"},
    {"", "v1", "Secret", "secrets", kInNamespace},
    {"", "v1", "Service", "services", kInNamespace, true, "svc", true},
    {"", "v1", "ServiceAccount", "serviceaccounts", kInNamespace, false, "sa"},
    {"admissionregistration.k8s.io",
     "v1",
     "MutatingWebhookConfiguration",
     "mutatingwebhookconfigurations",
     kInCluster,
     false,
     "",
     false,
     true},
    {"admissionregistration.k8s.io",
     "v1",
     "ValidatingAdmissionPolicy",
     "validatingadmissionpolicies",
     kInCluster,
     true,
     "",
     false,
     true},
    {"admissionregistration.k8s.io",
     "v1",
     "ValidatingAdmissionPolicyBinding",
     "validatingadmissionpolicybindings",
     kInCluster,
     false,
     "",
     false,
     true},
    {"admissionregistration.k8s.io",
     "v1",
     "ValidatingWebhookConfiguration",
     "validatingwebhookconfigurations",
     kInCluster,
     false,
     "",
     false,
     true},
    {"apiextensions.k8s.io",
     "v1",
     "CustomResourceDefinition",
     "customresourcedefinitions",
     kInCluster,
     true,
     "crd crds",
     false,
     true},
    {"apiregistration.k8s.io", "v1", "APIService", "apiservices", kInCluster, true},
    {"apps", "v1", "DaemonSet", "daemonsets", kInNamespace, true, "ds", true, true},
    {"apps", "v1", "Deployment", "deployments", kInNamespace, true, "deploy", true, true, true},
    {"apps", "v1", "ReplicaSet", "replicasets", kInNamespace, true, "rs", true, true, true},
    {"apps", "v1", "StatefulSet", "statefulsets", kInNamespace, true, "sts", true, true, true},
    {"authentication.k8s.io",
     "v1",
     "SelfSubjectReview",
     "selfsubjectreviews",
     kInCluster,
     false,
     "",
     false,
     false,
     false,
     true},
    {"authentication.k8s.io",
     "v1",
     "TokenReview",
     "tokenreviews",
     kInCluster,
     false,
     "",
     false,
     false,
     false,
     true},
    {"authorization.k8s.io",
     "v1",
     "LocalSubjectAccessReview",
     "localsubjectaccessreviews",
     kInNamespace,
     false,
     "",
     false,
     false,
     false,
     true},
    {"authorization.k8s.io",
     "v1",
     "SelfSubjectAccessReview",
     "selfsubjectaccessreviews",
     kInCluster,
     false,
     "",
     false,
     false,
     false,
     true},
    {"authorization.k8s.io",
     "v1",
     "SelfSubjectRulesReview",
     "selfsubjectrulesreviews",
     kInCluster,
     false,
     "",
     false,
     false,
     false,
     true},
    {"authorization.k8s.io",
     "v1",
     "SubjectAccessReview",
     "subjectaccessreviews",
     kInCluster,
     false,
     "",
     false,
     false,
     false,
     true},
    {"batch", "v1", "CronJob", "cronjobs", kInNamespace, true, "cj", true, true},
    {"batch", "v1", "Job", "jobs", kInNamespace, true, "", true, true},
    {"coordination.k8s.io", "v1", "Lease", "leases", kInNamespace},
    {"events.k8s.io", "v1", "Event", "events", kInNamespace, false, "ev"},
    {"node.k8s.io", "v1", "RuntimeClass", "runtimeclasses", kInCluster},
    {"policy",
     "v1",
     "PodDisruptionBudget",
     "poddisruptionbudgets",
     kInNamespace,
     true,
     "pdb",
     false,
     true},
    {"rbac.authorization.k8s.io", "v1", "ClusterRole", "clusterroles", kInCluster},
    {"rbac.authorization.k8s.io", "v1", "ClusterRoleBinding", "clusterrolebindings", kInCluster},
    {"rbac.authorization.k8s.io", "v1", "Role", "roles", kInNamespace},
    {"rbac.authorization.k8s.io", "v1", "RoleBinding", "rolebindings", kInNamespace},
    {"scheduling.k8s.io",
     "v1",
     "PriorityClass",
     "priorityclasses",
     kInCluster,
     false,
     "pc",
     false,
     true},
};

std::string lower(std::string_view text) {
    std::string made(text);
    for (char& c : made) {
        c = c >= 'A' && c <= 'Z' ? static_cast<char>(c - 'A' + 'a') : c;
    }
    return made;
}

}  // namespace

std::vector<ResourceType> builtin_types() {
    std::vector<ResourceType> types;
    for (const Row& row : kRows) {
        ResourceType type{
            .group = std::string(row.group),
            .version = std::string(row.version),
            .kind = std::string(row.kind),
            .plural = std::string(row.plural),
            .singular = lower(row.kind),
        };
        for (std::string_view left = row.short_names; !left.empty();) {
            const std::string_view name = left.substr(0, left.find(' '));
            type.short_names.emplace_back(name);
            left.remove_prefix(std::min(left.size(), name.size() + 1));
        }
        if (row.is_in_all) {
            type.categories.emplace_back("all");
        }
        type.is_namespaced = row.scope == Scope::Namespaced;
        type.has_status = row.has_status;
        type.generates = row.generates;
        type.is_review = row.is_review;
        if (row.is_scaled) {
            type.scale = ScalePaths{".spec.replicas", ".status.replicas", ""};
        }
        types.push_back(std::move(type));
    }
    return types;
}

}  // namespace sluice::apiserver
