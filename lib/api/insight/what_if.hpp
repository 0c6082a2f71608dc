// WhatIf of insight.sluice.dev: what changes of a cluster would start and evict at once.
#pragma once

#include "api/insight/insight_names.hpp"
#include "api/meta/meta.hpp"

#include <cstdint>
#include <optional>
#include <string>
#include <string_view>
#include <vector>

namespace sluice::api {

/// Values of WhatIfEdit::kind.
namespace what_if {
inline constexpr char kSubmit[] = "Submit";      ///< the job `object` is created, `count` times
inline constexpr char kQuota[] = "Quota";        ///< a nominalQuota changes by or to `amount`
inline constexpr char kCancel[] = "Cancel";      ///< the Workload is deleted
inline constexpr char kPriority[] = "Priority";  ///< the Workload gets `priorityClass`
inline constexpr char kApply[] = "Apply";        ///< `object` of kueue.x-k8s.io is applied
}  // namespace what_if

/// One change. Fields that its kind does not use are empty.
struct WhatIfEdit {
    std::string kind;
    RawJson object;
    std::int32_t count = 1;
    std::string node;  ///< "clusterqueue/<name>" or "cohort/<name>"
    std::string flavor;
    std::string resource;
    std::string amount;  ///< "+16", "-16" or "=16"
    std::string namespace_;
    std::string workload;
    std::string priority_class;

    static const TypeInfo& type();
    friend bool operator==(const WhatIfEdit&, const WhatIfEdit&) = default;
};

struct WhatIfSpec {
    std::vector<WhatIfEdit> edits;

    static const TypeInfo& type();
    friend bool operator==(const WhatIfSpec&, const WhatIfSpec&) = default;
};

/// A workload that the change starts, or that it keeps from starting.
struct WhatIfStart {
    std::string workload;  ///< "namespace/name", or "another namespace"
    std::string cluster_queue;
    std::vector<std::string> flavors;
    bool borrows = false;

    static const TypeInfo& type();
    friend bool operator==(const WhatIfStart&, const WhatIfStart&) = default;
};

/// A workload that the change evicts.
struct WhatIfEviction {
    std::string workload;
    std::string preemptor;  ///< that it is evicted for
    std::string amount;     ///< the quota that it gives back, such as "8 nvidia.com/gpu"

    static const TypeInfo& type();
    friend bool operator==(const WhatIfEviction&, const WhatIfEviction&) = default;
};

/// A workload of the change that does not start at once.
struct WhatIfWait {
    std::string workload;
    std::string why;

    static const TypeInfo& type();
    friend bool operator==(const WhatIfWait&, const WhatIfWait&) = default;
};

struct WhatIfStatus {
    std::optional<Time> as_of;
    std::vector<WhatIfStart> starts;            ///< only with the change
    std::vector<WhatIfStart> no_longer_starts;  ///< only without it
    std::vector<WhatIfEviction> evicts;         ///< only with the change
    std::vector<WhatIfWait> waits;              ///< workloads that the change names
    bool truncated = false;                     ///< it took too long: more may follow
    std::vector<std::string> notes;

    static const TypeInfo& type();
    friend bool operator==(const WhatIfStatus&, const WhatIfStatus&) = default;
};

/// A question about changes, and its answer. It is posted like a review and never stored: cycles
/// run on a copy of the cluster with and without the changes, until nothing more happens.
struct WhatIf {
    static constexpr std::string_view kGroup = kInsightGroup;
    static constexpr std::string_view kVersion = kInsightVersion;
    static constexpr std::string_view kKind = "WhatIf";
    static constexpr std::string_view kPlural = "whatifs";

    ObjectMeta metadata;
    WhatIfSpec spec;
    WhatIfStatus status;

    static const TypeInfo& type();
    friend bool operator==(const WhatIf&, const WhatIf&) = default;
};

}  // namespace sluice::api
