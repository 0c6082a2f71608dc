#include "controller/kinds/builtin_kinds.hpp"
#include "controller/queued_jobs.hpp"
#include "controller/queued_pods.hpp"

#include <catch2/catch_test_macros.hpp>
#include <catch2/generators/catch_generators.hpp>

#include <algorithm>
#include <string>
#include <string_view>

// Jobs in namespaces that managedJobsNamespaceSelector does not match.
namespace sluice::controller {
namespace {

/// Only namespaces with the label `managed` are managed; `team` has none.
Settings with_selector() {
    Settings settings;
    api::LabelSelector selector;
    selector.match_labels = {{"managed", "yes"}};
    settings.managed_jobs_namespaces = *api::Selector::make(selector);
    return settings;
}

std::ptrdiff_t warnings(const MiniCluster& cluster) {
    return std::ranges::count_if(cluster.events, [](const EventNote& event) {
        return event.reason == "NamespaceNotManaged" && event.type == EventType::Warning &&
               event.note.find("LocalQueue \"main\"") != std::string::npos;
    });
}

}  // namespace

TEST_CASE("a suspended job where jobs are not managed is warned of", "[controller]") {
    MiniCluster cluster(1, {}, with_selector());
    make_queues(cluster);
    std::string text = job("a", 1);
    const std::string state = GENERATE("suspended", "running", "without queue", "complete");
    CAPTURE(state);
    if (state == "running") {
        text.replace(text.find("'suspend':true"), 14, "'suspend':false");
    } else if (state == "without queue") {
        const std::string label = "'kueue.x-k8s.io/queue-name':'main'";
        text.erase(text.find(label), label.size());
    }
    if (state == "complete") {
        text.replace(
            text.rfind('}'), 1, ",'status':{'conditions':[{'type':'Complete','status':'True'}]}}"
        );
    }
    cluster.put(text);
    cluster.settle();
    CHECK(warnings(cluster) == (state == "suspended" ? 1 : 0));
    CHECK(cluster.workload_of("team", "a").empty());
}

TEST_CASE("a gated pod where pods are not managed is warned of", "[controller]") {
    MiniCluster cluster(1, {}, with_selector());
    cluster.add_kind(pod_kind(true));
    make_queues(cluster);
    put_pod(cluster, {.name = "a"});
    cluster.settle();
    CHECK(is_pod_gated(cluster, "a"));
    CHECK(warnings(cluster) == 1);
}

TEST_CASE("a deleted pod is released where pods are not managed", "[controller]") {
    const bool has_run = GENERATE(false, true);
    CAPTURE(has_run);
    MiniCluster cluster(1, {}, with_selector());
    cluster.add_kind(pod_kind(true));
    make_queues(cluster);
    put_pod(cluster, {.name = "a"});
    cluster.settle();
    if (has_run) {
        cluster.merge(pod_key("a"), "{'spec':{'schedulingGates':null}}");
        run_pod(cluster, "a");
        cluster.settle();
    }
    REQUIRE(holds_pod(cluster, "a"));
    cluster.remove(pod_key("a"));
    cluster.settle();
    CHECK_FALSE(is_there(cluster, pod_key("a")));
}

}  // namespace sluice::controller
