#include "api/meta/codec.hpp"
#include "controller/jobs/batch_job/batch_job.hpp"
#include "controller/jobs/job/semantic_equality.hpp"
#include "controller/jobs/reconciliation/job_reconciler.hpp"
#include "controller/jobs/reconciliation/workload_of_job.hpp"
#include "controller/known_stores.hpp"
#include "controller/reconcilers/cluster_queue.hpp"
#include "controller/reconcilers/cohort.hpp"
#include "controller/reconcilers/resource_flavor.hpp"
#include "controller/reconcilers/workload.hpp"
#include "controller/reconcilers/workload_priority_class.hpp"

#include <catch2/catch_test_macros.hpp>
#include <catch2/generators/catch_generators.hpp>

#include <algorithm>
#include <chrono>
#include <memory>
#include <string>

// One object, one reconcile: what is written for it. The course of things is in job_life_test.cpp.
namespace sluice::controller {
namespace {

constexpr Time kNow = Time(std::chrono::hours(24 * 365 * 50));
const std::shared_ptr<const JobKind> kBatchJob = make_batch_job_kind();

template <class T>
T decode(std::string text) {
    std::ranges::replace(text, '\'', '"');
    auto object = api::decode<T>(text);
    REQUIRE(object);
    return *object;
}

struct Cluster {
    KnownStores stores;
    workload::Translator translator{workload::TranslationSettings{}};
    Settings settings;

    View view() const { return {stores, translator, settings, &stores.registry.job_kinds().all()}; }
    Outcome reconcile_job() const {
        return controller::reconcile_job(
            view(), stores.registry.job_kinds(), *kBatchJob, {"team", "job"}, kNow
        );
    }

    template <class T>
    void add(kube::Store<T>& store, const std::string& text) {
        store.upsert(std::make_shared<const T>(decode<T>(text)));
    }
};

constexpr std::string_view kTemplate = R"('template':{'metadata':{'labels':{'app':'x'}},'spec':{
    'nodeSelector':{'zone':'a'},'containers':[{'name':'c','image':'i',
    'resources':{'requests':{'cpu':'1'}}}]}})";

std::string job_text(std::string_view metadata, std::string_view spec, std::string_view status) {
    return "{'metadata':{'name':'job','namespace':'team','uid':'u','resourceVersion':'7'," +
           std::string(metadata) + "},'spec':{" + std::string(spec) + "," + std::string(kTemplate) +
           "},'status':{" + std::string(status) + "}}";
}

std::string workload_text(std::string_view more_metadata, std::string_view status) {
    return "{'metadata':{'name':'w','namespace':'team','uid':'wu','resourceVersion':'9',"
           "'finalizers':['kueue.x-k8s.io/resource-in-use'],'ownerReferences':[{'apiVersion':"
           "'batch/v1','kind':'Job','name':'job','uid':'u','controller':true}]" +
           std::string(more_metadata) +
           "},'spec':{'queueName':'main','podSets':[{'name':'main','count':2," +
           std::string(kTemplate) + "}]},'status':{" + std::string(status) + "}}";
}

constexpr std::string_view kQueued = "'labels':{'kueue.x-k8s.io/queue-name':'main'}";
constexpr std::string_view kAdmitted = R"('admission':{'clusterQueue':'cq','podSetAssignments':[
    {'name':'main','count':2,'flavors':{'cpu':'spot'},'resourceUsage':{'cpu':'2'}}]},
    'conditions':[{'type':'QuotaReserved','status':'True'},{'type':'Admitted','status':'True'}])";

void add_basics(Cluster& cluster) {
    cluster.add(cluster.stores.of<api::Namespace>(), "{'metadata':{'name':'team'}}");
    cluster.add(
        cluster.stores.of<api::ResourceFlavor>(),
        "{'metadata':{'name':'spot'},'spec':{'nodeLabels':{'tier':'spot'}}}"
    );
}

std::string text_of(const Write& write) {
    return json::print(write.body);
}

bool contains(const std::string& text, std::string_view part) {
    return text.find(part) != std::string::npos;
}

}  // namespace

TEST_CASE("a job outside the managed namespaces or without a queue is left alone", "[controller]") {
    Cluster cluster;
    add_basics(cluster);
    const bool is_outside = GENERATE(true, false);
    if (is_outside) {
        cluster.settings.managed_jobs_namespaces =
            *api::Selector::make(decode<api::LabelSelector>("{'matchLabels':{'managed':'yes'}}"));
    }
    const std::string_view labels = is_outside ? kQueued : std::string_view("'labels':{}");
    cluster.add(cluster.stores.of<api::Job>(), job_text(labels, "'suspend':true", ""));
    const Outcome outcome = cluster.reconcile_job();
    CHECK(outcome.writes.empty());
}

TEST_CASE("a running job that was not admitted is suspended and waited for", "[controller]") {
    Cluster cluster;
    add_basics(cluster);
    SECTION("first it is suspended, with the mark that a stop has begun") {
        cluster.add(
            cluster.stores.of<api::Job>(), job_text(kQueued, "'suspend':false", "'active':1")
        );
        const Outcome outcome = cluster.reconcile_job();
        REQUIRE(outcome.writes.size() == 1);
        CHECK(contains(text_of(outcome.writes[0]), R"("suspend":true)"));
        CHECK(contains(text_of(outcome.writes[0]), R"("resourceVersion":"7")"));
        CHECK(
            outcome.writes[0].events.at(0).note ==
            "Missing Workload; unable to restore pod templates"
        );
    }
    SECTION("while a pod is active no Workload is made") {
        cluster.add(
            cluster.stores.of<api::Job>(), job_text(kQueued, "'suspend':true", "'active':1")
        );
        CHECK(cluster.reconcile_job().writes.empty());
    }
}

TEST_CASE("a missing priority class is told, and the job is tried again", "[controller]") {
    Cluster cluster;
    add_basics(cluster);
    cluster.add(
        cluster.stores.of<api::Job>(),
        job_text(
            "'labels':{'kueue.x-k8s.io/queue-name':'main','kueue.x-k8s.io/priority-class':'vip'}",
            "'suspend':true",
            ""
        )
    );
    const Outcome outcome = cluster.reconcile_job();
    CHECK(outcome.writes.empty());
    CHECK(outcome.try_later == "WorkloadPriorityClass \"vip\" not found");
    REQUIRE(outcome.events.size() == 1);
    CHECK(outcome.events[0].reason == "WorkloadPriorityClassNotFound");
    CHECK(outcome.events[0].type == EventType::Warning);
}

TEST_CASE("a partially admitted job starts with the pods that were granted", "[controller]") {
    Cluster cluster;
    add_basics(cluster);
    cluster.add(
        cluster.stores.of<api::Job>(),
        job_text(
            std::string(kQueued) + ",'annotations':{'kueue.x-k8s.io/job-min-parallelism':'1'}",
            "'suspend':true,'parallelism':4,'completions':8",
            ""
        )
    );
    std::string text = workload_text("", kAdmitted);
    text.replace(text.find("'count':2,"), 10, "'count':4,'minCount':1,");
    cluster.add(cluster.stores.of<api::Workload>(), text);
    const Outcome outcome = cluster.reconcile_job();
    REQUIRE(outcome.writes.size() == 1);
    const std::string patch = text_of(outcome.writes[0]);
    CHECK(contains(patch, R"("suspend":false)"));
    CHECK(contains(patch, R"("parallelism":2)"));
    CHECK(contains(patch, R"("nodeSelector":{"tier":"spot","zone":"a"})"));
    CHECK_FALSE(contains(patch, "completions"));
}

TEST_CASE("a job that waits for admission checks is told what they say", "[controller]") {
    Cluster cluster;
    add_basics(cluster);
    cluster.add(
        cluster.stores.of<api::Job>(), job_text(kQueued, "'suspend':true,'parallelism':2", "")
    );
    std::string status(kAdmitted);
    const std::string admitted = ",{'type':'Admitted','status':'True'}";
    status.erase(status.find(admitted), admitted.size());
    const bool has_message = GENERATE(true, false);
    const std::string said = has_message ? "'message':'asking'," : "'message':'',";
    status += ",'admissionChecks':[{'name':'a','state':'Pending'," + said +
              "'lastTransitionTime':'2019-01-01T00:00:00Z'},{'name':'b','state':'Ready','message':"
              "'done','lastTransitionTime':'2019-01-01T00:00:00Z'},{'name':'c','state':'Pending'," +
              said + "'lastTransitionTime':'2019-01-01T00:00:00Z'}]";
    cluster.add(cluster.stores.of<api::Workload>(), workload_text("", status));
    const Outcome outcome = cluster.reconcile_job();
    CHECK(outcome.writes.empty());
    REQUIRE(outcome.events.size() == (has_message ? 1 : 0));
    if (has_message) {
        CHECK(outcome.events[0].reason == "UpdatedAdmissionCheck");
        CHECK(outcome.events[0].regarding.kind == "Job");
        CHECK(outcome.events[0].note == "a: asking; c: asking");
        CHECK(outcome.events[0].type == EventType::Normal);
    }
}

TEST_CASE("an injection that contradicts the template ends the workload", "[controller]") {
    Cluster cluster;
    add_basics(cluster);
    cluster.add(
        cluster.stores.of<api::ResourceFlavor>(),
        "{'metadata':{'name':'spot'},'spec':{'nodeLabels':{'zone':'b'}}}"
    );
    cluster.add(
        cluster.stores.of<api::Job>(), job_text(kQueued, "'suspend':true,'parallelism':2", "")
    );
    cluster.add(cluster.stores.of<api::Workload>(), workload_text("", kAdmitted));
    const Outcome outcome = cluster.reconcile_job();
    REQUIRE(outcome.writes.size() == 1);
    const std::string patch = text_of(outcome.writes[0]);
    CHECK(contains(patch, R"("reason":"FailedToStart")"));
    CHECK(contains(patch, "conflict for nodeSelector: conflict for key=zone, value1=a, value2=b"));
}

TEST_CASE("a missing flavor delays the start and ends nothing", "[controller]") {
    Cluster cluster;
    cluster.add(cluster.stores.of<api::Namespace>(), "{'metadata':{'name':'team'}}");
    cluster.add(
        cluster.stores.of<api::Job>(), job_text(kQueued, "'suspend':true,'parallelism':2", "")
    );
    cluster.add(cluster.stores.of<api::Workload>(), workload_text("", kAdmitted));
    const Outcome outcome = cluster.reconcile_job();
    CHECK(outcome.writes.empty());
    CHECK(outcome.try_later == "ResourceFlavor \"spot\" not found");
}

TEST_CASE("a suspended job that changed has its waiting workload changed", "[controller]") {
    Cluster cluster;
    add_basics(cluster);
    cluster.add(
        cluster.stores.of<api::Job>(), job_text(kQueued, "'suspend':true,'parallelism':5", "")
    );
    SECTION("in place while it holds nothing") {
        cluster.add(cluster.stores.of<api::Workload>(), workload_text("", ""));
        const Outcome outcome = cluster.reconcile_job();
        REQUIRE(outcome.writes.size() == 1);
        CHECK(outcome.writes[0].verb == Verb::MergePatch);
        CHECK(contains(text_of(outcome.writes[0]), R"("count":5)"));
    }
    SECTION("by a new one when it holds quota") {
        cluster.add(cluster.stores.of<api::Workload>(), workload_text("", kAdmitted));
        const Outcome outcome = cluster.reconcile_job();
        REQUIRE(outcome.writes.size() == 2);
        CHECK(contains(text_of(outcome.writes[0]), R"("finalizers":null)"));
        CHECK(outcome.writes[1].verb == Verb::Delete);
        CHECK(outcome.writes[1].uid == "wu");
    }
}

TEST_CASE("pods that ended early give their quota back", "[controller]") {
    Cluster cluster;
    add_basics(cluster);
    std::string running = job_text(
        kQueued, "'suspend':false,'parallelism':2,'completions':5", "'active':1,'succeeded':4"
    );
    const std::string_view zone = "'zone':'a'";
    running.insert(running.find(zone), "'tier':'spot',");
    cluster.add(cluster.stores.of<api::Job>(), running);
    cluster.add(cluster.stores.of<api::Workload>(), workload_text("", kAdmitted));
    const Outcome outcome = cluster.reconcile_job();
    REQUIRE(outcome.writes.size() == 1);
    CHECK(outcome.writes[0].field_manager == "kueue-reclaimable-pods");
    CHECK(contains(text_of(outcome.writes[0]), R"("reclaimablePods":[{"name":"main","count":1}])"));
}

TEST_CASE("equal templates are equal however they are written", "[controller]") {
    const auto same = [](std::string a, std::string b) {
        std::ranges::replace(a, '\'', '"');
        std::ranges::replace(b, '\'', '"');
        const auto left = json::parse(a);
        const auto right = json::parse(b);
        return is_semantically_equal(&*left, &*right);
    };
    CHECK(same("{'env':[],'name':'c'}", "{'name':'c'}"));
    CHECK(same("{'name':'c','x':null}", "{'name':'c','y':{}}"));
    CHECK(same("{'requests':{'cpu':'1000m'}}", "{'requests':{'cpu':1}}"));
    CHECK_FALSE(same("{'requests':{'cpu':'1000m'}}", "{'requests':{'cpu':2}}"));
    CHECK_FALSE(same("{'image':'1000m'}", "{'image':'1'}"));
    CHECK_FALSE(same("{'args':['a','b']}", "{'args':['b','a']}"));
}

TEST_CASE("a class's value reaches all workloads that name it", "[controller]") {
    Cluster cluster;
    cluster.add(
        cluster.stores.of<api::WorkloadPriorityClass>(), "{'metadata':{'name':'vip'},'value':7}"
    );
    const std::string ref =
        "'priorityClassRef':{'group':'kueue.x-k8s.io','kind':'WorkloadPriorityClass','name':'vip'}";
    for (const std::string name : {"a", "b"}) {
        cluster.add(
            cluster.stores.of<api::Workload>(),
            "{'metadata':{'name':'" + name + "','namespace':'team'},'spec':{" + ref +
                ",'priority':" + (name == "a" ? "7" : "3") + "}}"
        );
    }
    const Outcome outcome = reconcile_workload_priority_class(cluster.stores, "vip");
    REQUIRE(outcome.writes.size() == 1);
    CHECK(outcome.writes[0].object.name == "b");
    CHECK(contains(text_of(outcome.writes[0]), R"("priority":7)"));
}

TEST_CASE("what is in use keeps its finalizer while it is being deleted", "[controller]") {
    Cluster cluster;
    const std::string flavor =
        "{'metadata':{'name':'spot','resourceVersion':'3','finalizers':["
        "'kueue.x-k8s.io/resource-in-use'],'deletionTimestamp':"
        "'2026-01-01T00:00:00Z'}}";
    cluster.add(cluster.stores.of<api::ResourceFlavor>(), flavor);
    CHECK(reconcile_resource_flavor(cluster.stores, "spot").writes.size() == 1);
    cluster.add(
        cluster.stores.of<api::ClusterQueue>(),
        "{'metadata':{'name':'cq'},'spec':{'resourceGroups':[{'coveredResources':['cpu'],'flavors':"
        "[{'name':'spot','resources':[{'name':'cpu','nominalQuota':'1'}]}]}]}}"
    );
    CHECK(reconcile_resource_flavor(cluster.stores, "spot").writes.empty());
}

TEST_CASE("a queue that only a webhook would refuse is inactive and says why", "[controller]") {
    Cluster cluster;
    add_basics(cluster);
    cluster.add(
        cluster.stores.of<api::ClusterQueue>(),
        "{'metadata':{'name':'cq','resourceVersion':'1','finalizers':["
        "'kueue.x-k8s.io/resource-in-use']},'spec':{'resourceGroups':[{'coveredResources':['cpu'],"
        "'flavors':[{'name':'spot','resources':[{'name':'cpu','nominalQuota':'-1'}]}]}]}}"
    );
    const Outcome outcome = reconcile_cluster_queue(cluster.view(), "cq", {}, kNow);
    REQUIRE(outcome.writes.size() == 1);
    const std::string patch = text_of(outcome.writes[0]);
    CHECK(contains(patch, R"("status":"False")"));
    CHECK(contains(patch, "nominalQuota"));
}

TEST_CASE("a flavor that became invalid delays the start and ends nothing", "[controller]") {
    Cluster cluster;
    add_basics(cluster);
    cluster.add(
        cluster.stores.of<api::ResourceFlavor>(),
        "{'metadata':{'name':'spot'},'spec':{'nodeLabels':{'tier':'a b'}}}"
    );
    cluster.add(
        cluster.stores.of<api::Job>(), job_text(kQueued, "'suspend':true,'parallelism':2", "")
    );
    cluster.add(cluster.stores.of<api::Workload>(), workload_text("", kAdmitted));
    const Outcome outcome = cluster.reconcile_job();
    CHECK(outcome.writes.empty());
    REQUIRE(outcome.try_later);
    CHECK(outcome.try_later->starts_with("ResourceFlavor \"spot\": spec.nodeLabels: "));
}

TEST_CASE("a cohort that only a webhook would refuse says why in an event", "[controller]") {
    Cluster cluster;
    const std::string quota =
        "'spec':{'resourceGroups':[{'coveredResources':['cpu'],'flavors':[{'name':'spot',"
        "'resources':[{'name':'cpu','nominalQuota':'";
    cluster.add(
        cluster.stores.of<api::Cohort>(),
        "{'metadata':{'name':'bad','uid':'u'}," + quota + "-1'}]}]}]}}"
    );
    cluster.add(
        cluster.stores.of<api::Cohort>(), "{'metadata':{'name':'good'}," + quota + "1'}]}]}]}}"
    );
    CHECK(reconcile_cohort(cluster.view(), "good", std::nullopt).events.empty());
    const Outcome outcome = reconcile_cohort(cluster.view(), "bad", std::nullopt);
    REQUIRE(outcome.events.size() == 1);
    const EventNote& event = outcome.events.front();
    CHECK(event.type == EventType::Warning);
    CHECK(event.reason == "InvalidSpec");
    CHECK(event.regarding.kind == "Cohort");
    CHECK(event.regarding.name == "bad");
    CHECK(
        event.note ==
        "The cohort counts without quota: spec.resourceGroups[0].flavors[0]."
        "resources[0].nominalQuota: Invalid value: \"-1\": must be greater than "
        "or equal to 0"
    );
}

TEST_CASE("a workload made by hand is queued and left alone", "[controller]") {
    Cluster cluster;
    add_basics(cluster);
    cluster.add(
        cluster.stores.of<api::Workload>(),
        "{'metadata':{'name':'w','namespace':'team'},'spec':{'queueName':'none'}}"
    );
    const Outcome outcome = reconcile_workload(cluster.view(), "team", "w", kNow);
    REQUIRE(outcome.writes.size() == 1);
    CHECK(contains(text_of(outcome.writes[0]), "LocalQueue none doesn't exist"));
    CHECK(contains(text_of(outcome.writes[0]), R"("reason":"Misconfigured")"));
}

TEST_CASE("a new workload is told that it waits only if the gate asks for it", "[controller]") {
    Cluster cluster;
    add_basics(cluster);
    cluster.add(
        cluster.stores.of<api::LocalQueue>(),
        "{'metadata':{'name':'main','namespace':'team'},'spec':{'clusterQueue':'cq'},"
        "'status':{'conditions':[{'type':'Active','status':'True'}]}}"
    );
    cluster.add(
        cluster.stores.of<api::ClusterQueue>(),
        "{'metadata':{'name':'cq'},'spec':{'namespaceSelector':{}},"
        "'status':{'conditions':[{'type':'Active','status':'True'}]}}"
    );
    cluster.add(
        cluster.stores.of<api::Workload>(),
        "{'metadata':{'name':'w','namespace':'team'},'spec':{'queueName':'main','podSets':["
        "{'name':'main','count':1," +
            std::string(kTemplate) + "}]}}"
    );
    cluster.translator.set(decode<api::Namespace>("{'metadata':{'name':'team'}}"));
    CHECK(reconcile_workload(cluster.view(), "team", "w", kNow).writes.empty());

    cluster.settings.gates.unadmitted_workloads_explicit_status = true;
    const Outcome outcome = reconcile_workload(cluster.view(), "team", "w", kNow);
    REQUIRE(outcome.writes.size() == 1);
    const std::string patch = text_of(outcome.writes[0]);
    CHECK(contains(patch, R"("reason":"PendingEvaluation")"));
    CHECK(contains(patch, "Workload is pending evaluation in the scheduling queue"));
    CHECK(contains(patch, R"("reason":"NoReservation")"));
    CHECK(contains(patch, "The workload has no reservation"));
}

TEST_CASE(
    "a deactivated workload queues again when activated, whatever deactivated it", "[controller]"
) {
    using Row = std::pair<std::string, std::string>;
    const auto row = GENERATE(
        Row{"Deactivated", "Reactivated"},
        Row{"DeactivatedDueToAdmissionCheck", "Reactivated"},
        Row{"DeactivatedDueToRequeuingLimitExceeded", "Reactivated"},
        Row{"PodsReadyTimeout", "BackoffFinished"},
        Row{"Preempted", ""}
    );
    CAPTURE(row.first);
    const std::string conditions =
        "'conditions':[{'type':'Evicted','status':'True','reason':'Deactivated'},"
        "{'type':'Requeued','status':'False','reason':'" +
        row.first + "'}]";
    for (const bool is_active : {false, true}) {
        Cluster cluster;
        add_basics(cluster);
        cluster.add(
            cluster.stores.of<api::Workload>(),
            "{'metadata':{'name':'w','namespace':'team'},'spec':{'queueName':'main','active':" +
                std::string(is_active ? "true" : "false") +
                ",'podSets':[{'name':'main','count':1," + std::string(kTemplate) +
                "}]},'status':{" + conditions + "}}"
        );
        const Outcome outcome = reconcile_workload(cluster.view(), "team", "w", kNow);
        const bool is_requeued = std::ranges::any_of(outcome.writes, [&](const Write& write) {
            return !row.second.empty() &&
                   contains(text_of(write), R"("reason":")" + row.second + "\"");
        });
        CHECK(is_requeued == (is_active && !row.second.empty()));
    }
}

TEST_CASE("a backoff that is over leaves no requeueAt, though quota is held", "[controller]") {
    Cluster cluster;
    add_basics(cluster);
    cluster.add(
        cluster.stores.of<api::Workload>(),
        "{'metadata':{'name':'w','namespace':'team'},'spec':{'queueName':'main','podSets':["
        "{'name':'main','count':1," +
            std::string(kTemplate) +
            "}]},'status':{'admission':{'clusterQueue':'cq','podSetAssignments':[]},"
            "'requeueState':{'count':2,'requeueAt':'1970-01-01T00:00:01Z'},'conditions':["
            "{'type':'QuotaReserved','status':'True','reason':'QuotaReserved'},"
            "{'type':'Evicted','status':'True','reason':'PodsReadyTimeout'},"
            "{'type':'Requeued','status':'False','reason':'PodsReadyTimeout'}]}}"
    );
    const Outcome outcome = reconcile_workload(cluster.view(), "team", "w", kNow);
    REQUIRE(outcome.writes.size() == 1);
    const std::string patch = text_of(outcome.writes[0]);
    CHECK(contains(patch, R"("reason":"BackoffFinished")"));
    CHECK(contains(patch, R"("requeueState":{"count":2})"));
}

TEST_CASE("a workload whose job is long gone is finished", "[controller]") {
    Cluster cluster;
    add_basics(cluster);
    cluster.add(
        cluster.stores.of<api::Workload>(),
        "{'metadata':{'name':'w','namespace':'team','labels':{'kueue.x-k8s.io/job-uid':'u'}}}"
    );
    const Outcome outcome = reconcile_workload(cluster.view(), "team", "w", kNow);
    REQUIRE(outcome.writes.size() == 1);
    CHECK(contains(text_of(outcome.writes[0]), R"("reason":"OwnerNotFound")"));
}

TEST_CASE("without its gate a workload whose job is long gone is left alone", "[controller]") {
    Cluster cluster;
    cluster.settings.finish_orphaned_workloads = false;
    cluster.add(
        cluster.stores.of<api::Workload>(),
        "{'metadata':{'name':'w','namespace':'team','labels':{'kueue.x-k8s.io/job-uid':'u'}}}"
    );
    for (const Write& write : reconcile_workload(cluster.view(), "team", "w", kNow).writes) {
        CHECK_FALSE(contains(text_of(write), "OwnerNotFound"));
    }
}

TEST_CASE("pods get the names of their queues unless the gate is off", "[controller]") {
    Cluster cluster;
    add_basics(cluster);
    cluster.settings.assign_queue_labels_for_pods = GENERATE(true, false);
    cluster.add(
        cluster.stores.of<api::Job>(), job_text(kQueued, "'suspend':true,'parallelism':2", "")
    );
    cluster.add(cluster.stores.of<api::Workload>(), workload_text("", kAdmitted));
    const Outcome outcome = cluster.reconcile_job();
    REQUIRE(outcome.writes.size() == 1);
    const std::string patch = text_of(outcome.writes[0]);
    for (const auto* label :
         {R"("kueue.x-k8s.io/local-queue-name":"main")",
          R"("kueue.x-k8s.io/cluster-queue-name":"cq")"}) {
        CHECK(contains(patch, label) == cluster.settings.assign_queue_labels_for_pods);
    }
    CHECK(contains(patch, R"("kueue.x-k8s.io/podset":"main")"));
}

TEST_CASE("the workload of a job is made as the gates say", "[controller]") {
    Cluster cluster;
    const bool is_on = GENERATE(true, false);
    cluster.settings.gates.admission_gated_by = is_on;
    cluster.settings.workload_priority_class_defaulting = is_on;
    cluster.settings.short_workload_names = is_on;
    cluster.add(
        cluster.stores.of<api::WorkloadPriorityClass>(), "{'metadata':{'name':'default'},'value':7}"
    );
    auto job = decode<api::Job>(job_text(
        std::string(kQueued) +
            ",'annotations':{'kueue.x-k8s.io/admission-gated-by':'example.com/gate'}",
        "'suspend':true,'parallelism':2",
        ""
    ));
    job.metadata.name = std::string(100, 'j');
    cluster.stores.of<api::Job>().upsert(std::make_shared<const api::Job>(job));
    const auto found =
        kBatchJob->find(cluster.stores, cluster.settings, {"team", job.metadata.name});
    const auto workload = make_workload(cluster.stores, *kBatchJob, *found, cluster.settings);
    REQUIRE(workload.has_value());
    CHECK(workload->metadata.name.size() == (is_on ? 63 : 110));
    CHECK(workload->metadata.annotations.contains("kueue.x-k8s.io/admission-gated-by") == is_on);
    CHECK(workload->spec.priority == (is_on ? 7 : 0));
}

TEST_CASE("without its gate an admission gate that comes late is not copied", "[controller]") {
    Cluster cluster;
    add_basics(cluster);
    cluster.settings.gates.admission_gated_by = GENERATE(true, false);
    cluster.add(
        cluster.stores.of<api::Job>(),
        job_text(
            std::string(kQueued) +
                ",'annotations':{'kueue.x-k8s.io/admission-gated-by':'example.com/gate'}",
            "'suspend':true,'parallelism':2",
            ""
        )
    );
    cluster.add(cluster.stores.of<api::Workload>(), workload_text("", ""));
    const Outcome outcome = cluster.reconcile_job();
    const bool is_copied = std::ranges::any_of(outcome.writes, [](const Write& write) {
        return contains(text_of(write), "admission-gated-by");
    });
    CHECK(is_copied == cluster.settings.gates.admission_gated_by);
}

TEST_CASE("a rejected check deactivates, a retry evicts", "[controller]") {
    Cluster cluster;
    add_basics(cluster);
    const bool is_rejected = GENERATE(true, false);
    const std::string state = is_rejected ? "Rejected" : "Retry";
    std::string status(kAdmitted);
    status += ",'admissionChecks':[{'name':'budget','state':'" + state +
              "','message':'no money','lastTransitionTime':'2019-01-01T00:00:00Z'}]";
    cluster.add(cluster.stores.of<api::Workload>(), workload_text("", status));
    const Outcome outcome = reconcile_workload(cluster.view(), "team", "w", kNow);
    REQUIRE(outcome.writes.size() == 1);
    const std::string patch = text_of(outcome.writes[0]);
    if (is_rejected) {
        CHECK(contains(patch, R"("type":"DeactivationTarget")"));
        CHECK(outcome.writes[0].events.at(0).reason == "AdmissionCheckRejected");
    } else {
        CHECK(contains(
            patch, R"(Evicted due to AdmissionCheck in Retry state: \"budget\" (no money))"
        ));
        CHECK(outcome.writes[0].events.at(0).reason == "EvictedDueToAdmissionCheck");
    }
}

}  // namespace sluice::controller
