#include "api/core/core.hpp"

namespace sluice::api {

const TypeInfo& Namespace::type() {
    static const TypeInfo kInfo{
        .fields =
            {
                field<&Namespace::metadata>("metadata"),
            },
        .kind = kKind,
        .api_version = "v1",
    };
    return kInfo;
}

const TypeInfo& LimitRangeItem::type() {
    static const TypeInfo kInfo{
        .fields =
            {
                field<&LimitRangeItem::type_>("type", "R"),
                field<&LimitRangeItem::max>("max"),
                field<&LimitRangeItem::min>("min"),
                field<&LimitRangeItem::default_>("default"),
                field<&LimitRangeItem::default_request>("defaultRequest"),
                field<&LimitRangeItem::max_limit_request_ratio>("maxLimitRequestRatio"),
            },
    };
    return kInfo;
}

const TypeInfo& LimitRangeSpec::type() {
    static const TypeInfo kInfo{
        .fields =
            {
                field<&LimitRangeSpec::limits>("limits", "R"),
            },
    };
    return kInfo;
}

const TypeInfo& LimitRange::type() {
    static const TypeInfo kInfo{
        .fields =
            {
                field<&LimitRange::metadata>("metadata"),
                field<&LimitRange::spec>("spec"),
            },
        .kind = kKind,
        .api_version = "v1",
    };
    return kInfo;
}

const TypeInfo& NodeSpec::type() {
    static const TypeInfo kInfo{
        .fields =
            {
                field<&NodeSpec::taints>("taints"),
                field<&NodeSpec::unschedulable>("unschedulable"),
            },
    };
    return kInfo;
}

const TypeInfo& NodeStatus::type() {
    static const TypeInfo kInfo{
        .fields =
            {
                field<&NodeStatus::capacity>("capacity"),
                field<&NodeStatus::allocatable>("allocatable"),
                field<&NodeStatus::conditions>("conditions"),
            },
    };
    return kInfo;
}

const TypeInfo& Node::type() {
    static const TypeInfo kInfo{
        .fields =
            {
                field<&Node::metadata>("metadata"),
                field<&Node::spec>("spec"),
                field<&Node::status>("status"),
            },
        .kind = kKind,
        .api_version = "v1",
    };
    return kInfo;
}

const TypeInfo& Secret::type() {
    static const TypeInfo kInfo{
        .fields =
            {
                field<&Secret::metadata>("metadata"),
                field<&Secret::type_>("type"),
                field<&Secret::data>("data"),
                field<&Secret::string_data>("stringData"),
            },
        .kind = kKind,
        .api_version = "v1",
    };
    return kInfo;
}

const TypeInfo& Overhead::type() {
    static const TypeInfo kInfo{
        .fields =
            {
                field<&Overhead::pod_fixed>("podFixed"),
            },
    };
    return kInfo;
}

const TypeInfo& RuntimeClass::type() {
    static const TypeInfo kInfo{
        .fields =
            {
                field<&RuntimeClass::metadata>("metadata"),
                field<&RuntimeClass::handler>("handler", "R"),
                field<&RuntimeClass::overhead>("overhead"),
            },
        .kind = kKind,
        .api_version = "node.k8s.io/v1",
    };
    return kInfo;
}

}  // namespace sluice::api
