#pragma once

#include "api/meta/type_info.hpp"

#include <span>
#include <string>
#include <string_view>

namespace sluice::api {

/// What the API server calls a kind, and the type it is decoded into.
struct KindInfo {
    std::string_view group;
    std::string_view version;
    std::string_view kind;
    std::string_view plural;
    bool is_namespaced = false;
    TypeRef type = nullptr;
};

/// The description of one kind of ours.
template <class T>
constexpr KindInfo kind_of() {
    return {T::kGroup, T::kVersion, T::kKind, T::kPlural, T::kNamespaced, &T::type};
}

/// "group/version", or the version alone in the core group.
std::string api_version(const KindInfo& kind);

/// Every kind that Sluice has a type for.
std::span<const KindInfo> all_kinds();

/// The kinds of kueue.x-k8s.io, which have a CRD.
std::span<const KindInfo> kueue_kinds();

}  // namespace sluice::api
