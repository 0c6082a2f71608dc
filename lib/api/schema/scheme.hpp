// The kinds that Sluice knows: their names in the API and their C++ types.
#pragma once

#include "api/meta/type_info.hpp"

#include <span>
#include <string>
#include <string_view>

namespace sluice::api {

/// The names of a kind in the API, and the C++ type that it is decoded into.
struct KindInfo {
    std::string_view group;
    std::string_view version;
    std::string_view kind;
    std::string_view plural;
    bool is_namespaced = false;
    TypeRef type = nullptr;
};

/// Returns the description of a kind that is a struct of Sluice.
template <class T>
constexpr KindInfo kind_of() {
    return {T::kGroup, T::kVersion, T::kKind, T::kPlural, T::kNamespaced, &T::type};
}

/// Returns "group/version", or only the version for the core group.
std::string api_version(const KindInfo& kind);

/// Returns every kind that Sluice has a type for.
std::span<const KindInfo> all_kinds();

/// Returns the kinds of kueue.x-k8s.io, which have a CRD.
std::span<const KindInfo> kueue_kinds();

}  // namespace sluice::api
