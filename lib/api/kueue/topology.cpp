#include "api/kueue/topology.hpp"

#include "api/kueue/kueue_names.hpp"

namespace sluice::api {

const TypeInfo& TopologyLevel::type() {
    static const TypeInfo kInfo{
        .fields =
            {
                field<&TopologyLevel::node_label>(
                    "nodeLabel",
                    "1..316 KEY R",
                    "=",
                    "Node label whose values are the domains of this level."
                ),
            },
    };
    return kInfo;
}

const TypeInfo& TopologySpec::type() {
    static const TypeInfo kInfo{
        .fields =
            {
                field<&TopologySpec::levels>(
                    "levels",
                    "1..16 atomic R C36-C38",
                    "1..16 atomic R C16 C37 C38",
                    "Levels from the widest to the narrowest."
                ),
            },
    };
    return kInfo;
}

const TypeInfo& Topology::type() {
    static const TypeInfo kInfo{
        .fields =
            {
                field<&Topology::metadata>("metadata", "", "=", ""),
                field<&Topology::spec>("spec", "P", "=", "Levels of the topology."),
            },
        .kind = kKind,
        .api_version = kKueueApiVersion,
    };
    return kInfo;
}

}  // namespace sluice::api
