#include "api/kueue/resource_flavor.hpp"

#include "api/kueue/kueue_names.hpp"

namespace sluice::api {

const TypeInfo& ResourceFlavorSpec::type() {
    static const TypeInfo kInfo{
        .fields =
            {
                field<&ResourceFlavorSpec::node_labels>(
                    "nodeLabels",
                    "..8 atomic",
                    "=",
                    "Labels of the nodes of this flavor; admitted pods get them as node selector."
                ),
                field<&ResourceFlavorSpec::node_taints>(
                    "nodeTaints",
                    "..8 atomic C35",
                    "=",
                    "Taints of these nodes; only workloads that tolerate them get this flavor."
                ),
                field<&ResourceFlavorSpec::tolerations>(
                    "tolerations",
                    "..8 atomic C6-C10",
                    "=",
                    "Tolerations that admitted pods get in addition."
                ),
                field<&ResourceFlavorSpec::topology_name>(
                    "topologyName", "..253 SUB", "=", "Topology of these nodes; once set it stays."
                ),
            },
    };
    return kInfo;
}

const TypeInfo& ResourceFlavor::type() {
    static const TypeInfo kInfo{
        .fields =
            {
                field<&ResourceFlavor::metadata>("metadata", "", "=", ""),
                field<&ResourceFlavor::spec>("spec", "C33 C34", "=", "Nodes of this flavor."),
            },
        .kind = kKind,
        .api_version = kKueueApiVersion,
    };
    return kInfo;
}

}  // namespace sluice::api
