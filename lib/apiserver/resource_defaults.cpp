#include "apiserver/resource_defaults.hpp"

#include "apiserver/values.hpp"

#include <map>
#include <string>
#include <utility>

namespace sluice::apiserver {

namespace {

using json::Array;
using json::Object;
using json::Value;

/// The items of a list that may be changed; none where there is no list.
template <class F>
void for_each_item(Value& object, std::string_view list, F change) {
    if (Value* items = object.find(list); items != nullptr && items->is_array()) {
        for (Value& item : items->as_array()) {
            change(item);
        }
    }
}

void default_protocols(Value& object) {
    for_each_item(object, "ports", [](Value& port) { set_default(port, "protocol", "TCP"); });
}

void default_endpoints(Value& endpoints) {
    for_each_item(endpoints, "subsets", default_protocols);
}

void default_endpoint_slice(Value& slice) {
    for_each_item(slice, "ports", [](Value& port) {
        set_default(port, "name", "");
        set_default(port, "protocol", "TCP");
    });
}

void default_network_policy(Value& policy) {
    Value& spec = object_at(policy, "spec");
    for_each_item(spec, "ingress", default_protocols);
    for_each_item(spec, "egress", default_protocols);
    Array types{"Ingress"};
    if (!items_of(spec.find("egress")).empty()) {
        types.emplace_back("Egress");
    }
    set_default(spec, "policyTypes", std::move(types));
}

void default_ingress_class(Value& ingress_class) {
    Value* parameters = object_at(ingress_class, "spec").find("parameters");
    if (parameters != nullptr && parameters->is_object()) {
        set_default(*parameters, "scope", "Cluster");
    }
}

void default_volume(Value& volume) {
    Value& spec = object_at(volume, "spec");
    set_default(spec, "persistentVolumeReclaimPolicy", "Retain");
    set_default(spec, "volumeMode", "Filesystem");
    if (Value* path = spec.find("hostPath"); path != nullptr && path->is_object()) {
        set_default(*path, "type", "");
    }
    if (object_at(volume, "status").string_at("phase").empty()) {
        object_at(volume, "status").set("phase", "Pending");
    }
}

void default_storage_class(Value& storage_class) {
    set_default(storage_class, "reclaimPolicy", "Delete");
    set_default(storage_class, "volumeBindingMode", "Immediate");
}

void default_driver(Value& driver) {
    Value& spec = object_at(driver, "spec");
    set_default(spec, "attachRequired", true);
    set_default(spec, "fsGroupPolicy", "ReadWriteOnceWithFSType");
    for (const char* name :
         {"podInfoOnMount", "requiresRepublish", "seLinuxMount", "storageCapacity"}) {
        set_default(spec, name, false);
    }
    if (items_of(spec.find("volumeLifecycleModes")).empty()) {
        spec.set("volumeLifecycleModes", Array{"Persistent"});
    }
}

void default_flow_schema(Value& schema) {
    Value& spec = object_at(schema, "spec");
    if (int_at(spec, "matchingPrecedence", 0) == 0) {
        spec.set("matchingPrecedence", 1000);
    }
}

void default_priority_level(Value& level) {
    Value& spec = object_at(level, "spec");
    if (Value* exempt = spec.find("exempt"); exempt != nullptr && exempt->is_object()) {
        set_default(*exempt, "nominalConcurrencyShares", 0);
        set_default(*exempt, "lendablePercent", 0);
    }
    if (Value* limited = spec.find("limited"); limited != nullptr && limited->is_object()) {
        set_default(*limited, "nominalConcurrencyShares", 30);
        set_default(*limited, "lendablePercent", 0);
        Value* answer = limited->find("limitResponse");
        Value* queuing = answer == nullptr ? nullptr : answer->find("queuing");
        if (queuing != nullptr && queuing->is_object()) {
            for (const auto& [name, amount] :
                 {std::pair{"queues", 64}, {"handSize", 8}, {"queueLengthLimit", 50}}) {
                if (int_at(*queuing, name, 0) == 0) {
                    queuing->set(name, amount);
                }
            }
        }
    }
}

void default_device_request(Value& request) {
    if (request.string_at("allocationMode").empty()) {
        request.set("allocationMode", "ExactCount");
    }
    if (request.string_at("allocationMode") == "ExactCount" && int_at(request, "count", 0) == 0) {
        request.set("count", 1);
    }
}

void default_claim_spec(Value& spec) {
    for_each_item(object_at(spec, "devices"), "requests", [](Value& request) {
        if (Value* exactly = request.find("exactly"); exactly != nullptr && exactly->is_object()) {
            default_device_request(*exactly);
        }
        for_each_item(request, "firstAvailable", default_device_request);
    });
}

/// What a scaler's behavior leaves out is as without one.
void default_behavior(Value& behavior) {
    const auto policy = [](std::string_view type, int value) {
        return Value(Object{{"type", type}, {"value", value}, {"periodSeconds", 15}});
    };
    Value& up = object_at(behavior, "scaleUp");
    set_default(up, "stabilizationWindowSeconds", 0);
    set_default(up, "selectPolicy", "Max");
    set_default(up, "policies", Array{policy("Pods", 4), policy("Percent", 100)});
    Value& down = object_at(behavior, "scaleDown");
    set_default(down, "selectPolicy", "Max");
    set_default(down, "policies", Array{policy("Percent", 100)});
}

void default_scaler(Value& scaler) {
    Value& spec = object_at(scaler, "spec");
    if (Value* behavior = spec.find("behavior"); behavior != nullptr && behavior->is_object()) {
        default_behavior(*behavior);
    }
    set_default(spec, "minReplicas", 1);
    if (scaler.string_at("apiVersion") == "autoscaling/v1") {
        if (scaler.find_path({"metadata", "annotations", "autoscaling.alpha.kubernetes.io/metrics"}
            ) == nullptr) {
            set_default(spec, "targetCPUUtilizationPercentage", 80);
        }
    } else if (items_of(spec.find("metrics")).empty()) {
        const Value target = Object{{"type", "Utilization"}, {"averageUtilization", 80}};
        spec.set(
            "metrics",
            Array{Object{
                {"type", "Resource"}, {"resource", Object{{"name", "cpu"}, {"target", target}}}
            }}
        );
    }
}

void default_match(Value& match) {
    set_default(match, "matchPolicy", "Equivalent");
    set_default(match, "namespaceSelector", Object{});
    set_default(match, "objectSelector", Object{});
    for (const char* list : {"resourceRules", "excludeResourceRules"}) {
        for_each_item(match, list, [](Value& rule) { set_default(rule, "scope", "*"); });
    }
}

void default_mutating_policy(Value& policy) {
    Value& spec = object_at(policy, "spec");
    set_default(spec, "failurePolicy", "Fail");
    if (Value* match = spec.find("matchConstraints"); match != nullptr && match->is_object()) {
        default_match(*match);
    }
}

void default_policy_binding(Value& binding) {
    Value* match = object_at(binding, "spec").find("matchResources");
    if (match != nullptr && match->is_object()) {
        default_match(*match);
    }
}

using Apply = void (*)(Value& object);

const std::map<std::pair<std::string_view, std::string_view>, Apply>& kind_rows() {
    static const std::map<std::pair<std::string_view, std::string_view>, Apply> kRows{
        {{"", "Endpoints"}, default_endpoints},
        {{"", "PersistentVolume"}, default_volume},
        {{"admissionregistration.k8s.io", "MutatingAdmissionPolicy"}, default_mutating_policy},
        {{"admissionregistration.k8s.io", "MutatingAdmissionPolicyBinding"}, default_policy_binding
        },
        {{"admissionregistration.k8s.io", "ValidatingAdmissionPolicyBinding"},
         default_policy_binding},
        {{"autoscaling", "HorizontalPodAutoscaler"}, default_scaler},
        {{"discovery.k8s.io", "EndpointSlice"}, default_endpoint_slice},
        {{"flowcontrol.apiserver.k8s.io", "FlowSchema"}, default_flow_schema},
        {{"flowcontrol.apiserver.k8s.io", "PriorityLevelConfiguration"}, default_priority_level},
        {{"networking.k8s.io", "IngressClass"}, default_ingress_class},
        {{"networking.k8s.io", "NetworkPolicy"}, default_network_policy},
        {{"resource.k8s.io", "ResourceClaim"},
         [](Value& claim) { default_claim_spec(object_at(claim, "spec")); }},
        {{"resource.k8s.io", "ResourceClaimTemplate"},
         [](Value& claim) { default_claim_spec(object_at(object_at(claim, "spec"), "spec")); }},
        {{"storage.k8s.io", "CSIDriver"}, default_driver},
        {{"storage.k8s.io", "StorageClass"}, default_storage_class},
    };
    return kRows;
}

}  // namespace

bool apply_resource_defaults(std::string_view group, std::string_view kind, Value& object) {
    const auto found = kind_rows().find({group, kind});
    if (found == kind_rows().end()) {
        return false;
    }
    found->second(object);
    return true;
}

}  // namespace sluice::apiserver
