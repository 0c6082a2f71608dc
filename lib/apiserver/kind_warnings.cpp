#include "apiserver/kind_warnings.hpp"

#include "apiserver/values.hpp"

namespace sluice::apiserver {

void add_kind_warnings(
    std::string_view kind, const json::Value& object, std::vector<std::string>& warnings
) {
    if (kind == "Ingress" && object.find_path({"spec", "ingressClassName"}) == nullptr &&
        object.find_path({"metadata", "annotations", "kubernetes.io/ingress.class"}) != nullptr) {
        warnings.emplace_back(
            "annotation \"kubernetes.io/ingress.class\" is deprecated, please use "
            "'spec.ingressClassName' instead"
        );
    }
    const json::Value* spec = object.find("spec");
    if (kind == "StatefulSet" && spec != nullptr && int_at(*spec, "revisionHistoryLimit", 0) < 0) {
        warnings.emplace_back(
            "spec.revisionHistoryLimit: a negative value retains all historical revisions; a value "
            ">= 0 is recommended"
        );
    }
}

}  // namespace sluice::apiserver
