#include "kube/core/kind.hpp"

#include <utility>

namespace sluice::kube {

Kind::Kind() {
    static constexpr api::KindInfo kNone{};
    info_ = &kNone;
}

std::string_view group_of(std::string_view api_version) {
    const auto slash = api_version.find('/');
    return slash == std::string_view::npos ? std::string_view() : api_version.substr(0, slash);
}

std::string to_string(Kind kind) {
    std::string text(kind.resource());
    if (!kind.group().empty()) {
        text += '.';
        text += kind.group();
    }
    return text;
}

std::string to_string(const ObjectKey& key) {
    return key.ns.empty() ? key.name : key.ns + "/" + key.name;
}

ResourcePath path_of(Kind kind, std::string namespace_) {
    return ResourcePath{
        std::string(kind.group()),
        std::string(kind.version()),
        std::string(kind.resource()),
        std::move(namespace_),
        {},
        {}
    };
}

ResourcePath path_of(const ObjectKey& key) {
    ResourcePath path = path_of(key.kind, key.ns);
    path.name = key.name;
    return path;
}

}  // namespace sluice::kube
