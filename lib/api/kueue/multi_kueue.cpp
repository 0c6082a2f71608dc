#include "api/kueue/multi_kueue.hpp"

#include "api/kueue/kueue_names.hpp"

namespace sluice::api {

const TypeInfo& MultiKueueConfigSpec::type() {
    static const TypeInfo kInfo{
        .fields =
            {
                field<&MultiKueueConfigSpec::clusters>(
                    "clusters",
                    "[..256] 1..20 atomic R C37",
                    "1..20 set R",
                    "Names of MultiKueueClusters, in order of preference."
                ),
                field<&MultiKueueConfigSpec::quota_management>(
                    "quotaManagement",
                    "E(Manual, Automated)",
                    "-",
                    "Automated derives the manager's quota from the workers' quota."
                ),
            },
    };
    return kInfo;
}

const TypeInfo& MultiKueueConfig::type() {
    static const TypeInfo kInfo{
        .fields =
            {
                field<&MultiKueueConfig::metadata>("metadata", "", "=", ""),
                field<&MultiKueueConfig::spec>("spec", "", "=", "Clusters to send workloads to."),
            },
        .kind = kKind,
        .api_version = kKueueApiVersion,
    };
    return kInfo;
}

const TypeInfo& KubeConfigReference::type() {
    static const TypeInfo kInfo{
        .fields =
            {
                field<&KubeConfigReference::location>(
                    "location", "1..256 R", "R", "Name of the Secret, or path of the file."
                ),
                field<&KubeConfigReference::location_type>(
                    "locationType",
                    "E(Secret, Path) D(\"Secret\")",
                    "E(Secret, Path) D(\"Secret\") R",
                    "Where the kubeconfig is."
                ),
            },
    };
    return kInfo;
}

const TypeInfo& ClusterProfileReference::type() {
    static const TypeInfo kInfo{
        .fields =
            {
                field<&ClusterProfileReference::name>(
                    "name", "1..256 R", "=", "Name of a ClusterProfile."
                ),
            },
    };
    return kInfo;
}

const TypeInfo& ClusterSource::type() {
    static const TypeInfo kInfo{
        .fields =
            {
                field<&ClusterSource::kube_config>(
                    "kubeConfig", "", "=", "Kubeconfig of the cluster."
                ),
                field<&ClusterSource::cluster_profile_ref>(
                    "clusterProfileRef", "", "=", "ClusterProfile of the cluster."
                ),
            },
    };
    return kInfo;
}

const TypeInfo& MultiKueueClusterSpec::type() {
    static const TypeInfo kInfo{
        .fields =
            {
                field<&MultiKueueClusterSpec::cluster_source>(
                    "clusterSource",
                    "R C39",
                    "-",
                    "How to reach the cluster. Exactly one of the fields must be set."
                ),
                v1beta1_field(
                    "kubeConfig",
                    "obj R",
                    "Kubeconfig of the cluster.",
                    {
                        v1beta1_field(
                            "location", "str R", "Name of the Secret, or path of the file."
                        ),
                        v1beta1_field(
                            "locationType",
                            "str E(Secret, Path) D(\"Secret\") R",
                            "Where the kubeconfig is."
                        ),
                    }
                ),
                v1beta1_field(
                    "clusterProfileRef",
                    "obj",
                    "ClusterProfile of the cluster.",
                    {
                        v1beta1_field("name", "str 1..256 R", "Name of a ClusterProfile."),
                    }
                ),
            },
    };
    return kInfo;
}

const TypeInfo& MultiKueueClusterStatus::type() {
    static const TypeInfo kInfo{
        .fields =
            {
                field<&MultiKueueClusterStatus::conditions>(
                    "conditions",
                    "..16 map(type)",
                    "map(type)",
                    "Current state. Active is True if the cluster is connected."
                ),
            },
    };
    return kInfo;
}

const TypeInfo& MultiKueueCluster::type() {
    static const TypeInfo kInfo{
        .fields =
            {
                field<&MultiKueueCluster::metadata>("metadata", "", "=", ""),
                field<&MultiKueueCluster::spec>("spec", "", "=", "How the cluster is reached."),
                field<&MultiKueueCluster::status>(
                    "status", "", "=", "Current state of the connection."
                ),
            },
        .kind = kKind,
        .api_version = kKueueApiVersion,
    };
    return kInfo;
}

}  // namespace sluice::api
