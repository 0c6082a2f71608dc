#include "api/insight/explanation.hpp"

namespace sluice::api {

const TypeInfo& ExplainedJob::type() {
    static const TypeInfo kInfo{
        .fields =
            {
                field<&ExplainedJob::api_version>("apiVersion"),
                field<&ExplainedJob::kind>("kind", "R"),
                field<&ExplainedJob::name>("name", "R"),
            },
    };
    return kInfo;
}

const TypeInfo& QueuePosition::type() {
    static const TypeInfo kInfo{
        .fields =
            {
                field<&QueuePosition::in_cluster_queue>("inClusterQueue", "R"),
                field<&QueuePosition::of_cluster_queue>("ofClusterQueue", "R"),
                field<&QueuePosition::in_local_queue>("inLocalQueue", "R"),
                field<&QueuePosition::of_local_queue>("ofLocalQueue", "R"),
                field<&QueuePosition::preemptor>("preemptor"),
                field<&QueuePosition::fair_usage>("fairUsage"),
                field<&QueuePosition::boost>("boost"),
                field<&QueuePosition::ordered>("ordered"),
            },
    };
    return kInfo;
}

const TypeInfo& ExplainedPodSet::type() {
    static const TypeInfo kInfo{
        .fields =
            {
                field<&ExplainedPodSet::name>("name", "R"),
                field<&ExplainedPodSet::count>("count", "R"),
                field<&ExplainedPodSet::requests>("requests"),
                field<&ExplainedPodSet::total>("total"),
            },
    };
    return kInfo;
}

const TypeInfo& ExplainedLevel::type() {
    static const TypeInfo kInfo{
        .fields =
            {
                field<&ExplainedLevel::node>("node", "R"),
                field<&ExplainedLevel::nominal>("nominal", "R"),
                field<&ExplainedLevel::used>("used", "R"),
                field<&ExplainedLevel::borrowed>("borrowed"),
                field<&ExplainedLevel::may_take>("mayTake", "R"),
                field<&ExplainedLevel::own>("own"),
                field<&ExplainedLevel::borrowing_limit>("borrowingLimit"),
                field<&ExplainedLevel::lending_limit>("lendingLimit"),
                field<&ExplainedLevel::binding>("binding"),
            },
    };
    return kInfo;
}

const TypeInfo& ExplainedHolder::type() {
    static const TypeInfo kInfo{
        .fields =
            {
                field<&ExplainedHolder::workload>("workload", "R"),
                field<&ExplainedHolder::amount>("amount"),
                field<&ExplainedHolder::priority>("priority"),
                field<&ExplainedHolder::since>("since"),
                field<&ExplainedHolder::bound>("bound"),
                field<&ExplainedHolder::evicted>("evicted"),
                field<&ExplainedHolder::reserved>("reserved"),
            },
    };
    return kInfo;
}

const TypeInfo& ExplainedConstraint::type() {
    static const TypeInfo kInfo{
        .fields =
            {
                field<&ExplainedConstraint::kind>("kind", "R"),
                field<&ExplainedConstraint::pod_set>("podSet"),
                field<&ExplainedConstraint::resource>("resource"),
                field<&ExplainedConstraint::flavor>("flavor"),
                field<&ExplainedConstraint::node>("node"),
                field<&ExplainedConstraint::needed>("needed"),
                field<&ExplainedConstraint::free>("free"),
                field<&ExplainedConstraint::limit>("limit"),
                field<&ExplainedConstraint::nominal>("nominal"),
                field<&ExplainedConstraint::borrowed>("borrowed"),
                field<&ExplainedConstraint::message>("message"),
                field<&ExplainedConstraint::holders>("holders"),
                field<&ExplainedConstraint::remedies>("remedies", "R"),
                field<&ExplainedConstraint::reclaim_within_cohort>("reclaimWithinCohort"),
            },
    };
    return kInfo;
}

const TypeInfo& ExplainedRemedy::type() {
    static const TypeInfo kInfo{
        .fields =
            {
                field<&ExplainedRemedy::kind>("kind", "R"),
                field<&ExplainedRemedy::change>("change", "R"),
                field<&ExplainedRemedy::object>("object"),
                field<&ExplainedRemedy::value>("value"),
                field<&ExplainedRemedy::flavor>("flavor"),
                field<&ExplainedRemedy::flavors>("flavors"),
                field<&ExplainedRemedy::free>("free"),
                field<&ExplainedRemedy::evicts>("evicts"),
                field<&ExplainedRemedy::when>("when"),
                field<&ExplainedRemedy::needs>("needs"),
                field<&ExplainedRemedy::verified>("verified", "R"),
            },
    };
    return kInfo;
}

const TypeInfo& Explanation::type() {
    static const TypeInfo kInfo{
        .fields =
            {
                field<&Explanation::metadata>("metadata"),
                field<&Explanation::as_of>("asOf", "R"),
                field<&Explanation::state>("state", "R"),
                field<&Explanation::prospect>("prospect", "R"),
                field<&Explanation::summary>("summary", "R"),
                field<&Explanation::job>("job"),
                field<&Explanation::local_queue>("localQueue"),
                field<&Explanation::cluster_queue>("clusterQueue"),
                field<&Explanation::since>("since"),
                field<&Explanation::priority>("priority", "R"),
                field<&Explanation::position>("position"),
                field<&Explanation::pod_sets>("podSets"),
                field<&Explanation::reason>("reason"),
                field<&Explanation::message>("message"),
                field<&Explanation::flavors>("flavors"),
                field<&Explanation::bound>("bound"),
                field<&Explanation::levels>("levels"),
                field<&Explanation::level_flavor>("levelFlavor"),
                field<&Explanation::level_resource>("levelResource"),
                field<&Explanation::shortage>("shortage"),
                field<&Explanation::constraints>("constraints"),
                field<&Explanation::remedies>("remedies", "R"),
                field<&Explanation::notes>("notes"),
            },
        .kind = kKind,
        .api_version = kInsightApiVersion,
    };
    return kInfo;
}

const TypeInfo& ExplanationList::type() {
    static const TypeInfo kInfo{
        .fields =
            {
                field<&ExplanationList::metadata>("metadata"),
                field<&ExplanationList::items>("items", "R"),
            },
        .kind = kKind,
        .api_version = kInsightApiVersion,
    };
    return kInfo;
}

}  // namespace sluice::api
