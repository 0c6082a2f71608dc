#include "controller/mini_cluster.hpp"
#include "controller/queued_jobs.hpp"
#include "controller/training_kind.hpp"

#include <catch2/catch_test_macros.hpp>

#include <string>

// Jobs of a kind that Sluice learns of at run time, and their children.
namespace sluice::controller {
namespace {

ObjectKey training_key(std::string_view name) {
    return {training_names()->kind(), "team", std::string(name)};
}

std::string training(const std::string& name, const std::string& spec = "'suspend':true") {
    return "{'apiVersion':'example.com/v1','kind':'Training','metadata':{'name':'" + name +
           "','namespace':'team','labels':{'kueue.x-k8s.io/queue-name':'main'}},'spec':{" + spec +
           R"(,'replicas':2,'template':{'metadata':{'labels':{'app':'x'}},
           'spec':{'containers':[{'name':'c','image':'i',
               'resources':{'requests':{'cpu':'1'}}}]}}}})";
}

void add_trainings(MiniCluster& cluster) {
    cluster.add_kind(training_kind());
    make_queues(cluster);
}

bool is_suspended(const MiniCluster& cluster, const ObjectKey& key) {
    return cluster.at(key, {"spec", "suspend"}) == "true";
}

}  // namespace

TEST_CASE(
    "a job of a kind known only at run time is queued, started and finished", "[controller]"
) {
    MiniCluster cluster;
    add_trainings(cluster);
    const ObjectKey key = training_key("resnet");
    cluster.put(training("resnet"));
    cluster.settle();
    const ObjectKey workload = workload_key(cluster, "resnet");
    CHECK(workload.name.starts_with("training-resnet-"));
    CHECK(cluster.condition("team", workload.name, "Admitted") == "True/Admitted");
    CHECK_FALSE(is_suspended(cluster, key));
    CHECK(cluster.at(key, {"spec", "template", "spec", "nodeSelector", "tier"}) == "spot");
    CHECK(
        cluster.at(key, {"spec", "template", "metadata", "labels", "kueue.x-k8s.io/podset"}) ==
        "trainers"
    );
    SECTION("its quota counts") {
        cluster.put(training("second"));
        cluster.settle();
        cluster.put(training("third"));
        cluster.settle();
        CHECK_FALSE(is_suspended(cluster, training_key("second")));
        CHECK(is_suspended(cluster, training_key("third")));
        SECTION("and is free for others when it ends") {
            cluster.merge(key, "{'status':{'phase':'Succeeded'}}");
            cluster.settle();
            CHECK(cluster.condition("team", workload.name, "Finished") == "True/Succeeded");
            CHECK_FALSE(is_suspended(cluster, training_key("third")));
        }
    }
    SECTION("evicted, it is suspended with its template as it was, and gives its quota back") {
        cluster.merge(key, "{'status':{'active':2}}");
        cluster.merge(workload, "{'spec':{'active':false}}");
        cluster.settle();
        CHECK(is_suspended(cluster, key));
        CHECK(cluster.at(key, {"spec", "template", "spec", "nodeSelector", "tier"}).empty());
        CHECK(cluster.at(key, {"spec", "template", "metadata", "labels", "app"}) == "x");
        CHECK(cluster.condition("team", workload.name, "QuotaReserved").starts_with("True"));
        cluster.merge(key, "{'status':{'active':0}}");
        cluster.settle();
        CHECK(cluster.condition("team", workload.name, "QuotaReserved").starts_with("False"));
    }
    SECTION("deleted, its Workload is finished and let go") {
        cluster.remove(key);
        cluster.settle();
        CHECK(cluster.condition("team", workload.name, "Finished") == "True/OwnerNotFound");
        CHECK(cluster.at(workload, {"metadata", "finalizers"}).empty());
    }
}

TEST_CASE("a kind of the same name in another group is another kind", "[controller]") {
    MiniCluster cluster;
    add_trainings(cluster);
    cluster.put(
        "{'apiVersion':'kueue.x-k8s.io/v1beta2','kind':'Workload','metadata':{'name':'foreign',"
        "'namespace':'team','ownerReferences':[{'apiVersion':'other.example/v1','kind':'Training',"
        "'name':'resnet','uid':'u','controller':true}]},'spec':{'queueName':'main','podSets':[]}}"
    );
    cluster.put(training("resnet"));
    cluster.settle();
    CHECK(cluster.condition("team", "foreign", "Finished").empty());
    CHECK_FALSE(is_suspended(cluster, training_key("resnet")));
}

TEST_CASE("a child of a managed job gets no Workload and runs with its parent", "[controller]") {
    MiniCluster cluster;
    add_trainings(cluster);
    cluster.put(training("parent"));
    const auto put_child = [&cluster](const std::string& uid) {
        std::string child = job("child", 1);
        const std::string owner =
            "'namespace':'team','ownerReferences':[{'apiVersion':'example.com/v1',"
            "'kind':'Training','name':'parent','uid':'" +
            uid + "','controller':true}],";
        child.replace(child.find("'namespace':'team',"), 19, owner);
        child.replace(child.find("'suspend':true"), 14, "'suspend':false");
        cluster.put(child);
    };
    SECTION("while the parent is not admitted the child is suspended") {
        cluster.merge({kind_of<api::ClusterQueue>(), "", "cq"}, "{'spec':{'stopPolicy':'Hold'}}");
        cluster.settle();
        put_child(cluster.at(training_key("parent"), {"metadata", "uid"}));
        cluster.settle();
        CHECK(is_suspended(cluster, job_key("child")));
        CHECK(cluster.workload_of("team", "child").empty());
    }
    SECTION("while the parent is admitted it is left alone") {
        cluster.settle();
        put_child(cluster.at(training_key("parent"), {"metadata", "uid"}));
        cluster.settle();
        CHECK_FALSE(is_suspended(cluster, job_key("child")));
        CHECK(cluster.workload_of("team", "child").empty());
    }
    SECTION("a parent that was replaced by another of its name is no parent") {
        put_child("of-the-one-before");
        cluster.settle();
        CHECK_FALSE(cluster.workload_of("team", "child").empty());
    }
}

TEST_CASE("a Workload whose owner's kind is unknown is let go when it is deleted", "[controller]") {
    MiniCluster cluster;
    make_queues(cluster);
    const ObjectKey key{kind_of<api::Workload>(), "team", "foreign"};
    cluster.put(
        R"({'apiVersion':'kueue.x-k8s.io/v1beta2','kind':'Workload','metadata':{'name':'foreign',
        'namespace':'team','finalizers':['kueue.x-k8s.io/resource-in-use'],'ownerReferences':[
            {'apiVersion':'other.example/v1','kind':'Thing','name':'t','uid':'u',
             'controller':true}]},
        'spec':{'queueName':'main','podSets':[{'name':'main','count':1,'template':{'spec':{
            'containers':[{'name':'c','image':'i','resources':{'requests':{'cpu':'4'}}}]}}}]}})"
    );
    cluster.settle();
    CHECK(cluster.condition("team", "foreign", "QuotaReserved").starts_with("True"));
    CHECK(cluster.condition("team", "foreign", "Finished").empty());
    cluster.remove(key);
    cluster.settle();
    CHECK(cluster.find(key) == nullptr);
    cluster.put(job("next", 4));
    cluster.settle();
    CHECK_FALSE(is_suspended(cluster, job_key("next")));
}

}  // namespace sluice::controller
