// The group of the kinds that Sluice computes on demand.
#pragma once

namespace sluice::api {

inline constexpr char kInsightGroup[] = "insight.sluice.dev";
inline constexpr char kInsightVersion[] = "v1alpha1";
inline constexpr char kInsightApiVersion[] = "insight.sluice.dev/v1alpha1";

}  // namespace sluice::api
