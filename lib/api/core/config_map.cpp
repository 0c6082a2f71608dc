#include "api/core/config_map.hpp"

namespace sluice::api {

const TypeInfo& ConfigMap::type() {
    static const TypeInfo kInfo{
        .fields =
            {
                field<&ConfigMap::metadata>("metadata"),
                field<&ConfigMap::data>("data"),
            },
        .kind = kKind,
        .api_version = "v1",
    };
    return kInfo;
}

}  // namespace sluice::api
