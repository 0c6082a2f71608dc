#include "api/insight/what_if.hpp"

namespace sluice::api {

const TypeInfo& WhatIfEdit::type() {
    static const TypeInfo kInfo{
        .fields =
            {
                field<&WhatIfEdit::kind>("kind", "R"),
                field<&WhatIfEdit::object>("object"),
                field<&WhatIfEdit::count>("count"),
                field<&WhatIfEdit::node>("node"),
                field<&WhatIfEdit::flavor>("flavor"),
                field<&WhatIfEdit::resource>("resource"),
                field<&WhatIfEdit::amount>("amount"),
                field<&WhatIfEdit::namespace_>("namespace"),
                field<&WhatIfEdit::workload>("workload"),
                field<&WhatIfEdit::priority_class>("priorityClass"),
            },
    };
    return kInfo;
}

const TypeInfo& WhatIfSpec::type() {
    static const TypeInfo kInfo{
        .fields =
            {
                field<&WhatIfSpec::edits>("edits", "R"),
            },
    };
    return kInfo;
}

const TypeInfo& WhatIfStart::type() {
    static const TypeInfo kInfo{
        .fields =
            {
                field<&WhatIfStart::workload>("workload", "R"),
                field<&WhatIfStart::cluster_queue>("clusterQueue"),
                field<&WhatIfStart::flavors>("flavors"),
                field<&WhatIfStart::borrows>("borrows"),
            },
    };
    return kInfo;
}

const TypeInfo& WhatIfEviction::type() {
    static const TypeInfo kInfo{
        .fields =
            {
                field<&WhatIfEviction::workload>("workload", "R"),
                field<&WhatIfEviction::preemptor>("preemptor"),
                field<&WhatIfEviction::amount>("amount"),
            },
    };
    return kInfo;
}

const TypeInfo& WhatIfWait::type() {
    static const TypeInfo kInfo{
        .fields =
            {
                field<&WhatIfWait::workload>("workload", "R"),
                field<&WhatIfWait::why>("why", "R"),
            },
    };
    return kInfo;
}

const TypeInfo& WhatIfStatus::type() {
    static const TypeInfo kInfo{
        .fields =
            {
                field<&WhatIfStatus::as_of>("asOf"),
                field<&WhatIfStatus::starts>("starts", "R"),
                field<&WhatIfStatus::no_longer_starts>("noLongerStarts"),
                field<&WhatIfStatus::evicts>("evicts", "R"),
                field<&WhatIfStatus::waits>("waits"),
                field<&WhatIfStatus::truncated>("truncated"),
                field<&WhatIfStatus::notes>("notes"),
            },
    };
    return kInfo;
}

const TypeInfo& WhatIf::type() {
    static const TypeInfo kInfo{
        .fields =
            {
                field<&WhatIf::metadata>("metadata"),
                field<&WhatIf::spec>("spec", "R"),
                field<&WhatIf::status>("status"),
            },
        .kind = kKind,
        .api_version = kInsightApiVersion,
    };
    return kInfo;
}

}  // namespace sluice::api
