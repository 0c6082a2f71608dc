#include "workload/translation/translator.hpp"

#include "api/meta/micro_time.hpp"
#include "support/objects.hpp"
#include "workload/translation/queueable.hpp"

#include <catch2/catch_test_macros.hpp>
#include <catch2/generators/catch_generators.hpp>
#include <fmt/format.h>

#include <algorithm>
#include <string>
#include <variant>

namespace sluice::workload {
namespace {

using test::object;

api::Workload workload(
    std::string_view name, std::string_view pod = "{}", std::string_view status = "{}"
) {
    return object<api::Workload>(fmt::format(
        "{{metadata: {{name: {}, namespace: ns, creationTimestamp: \"2026-01-01T00:00:00Z\"}}, "
        "spec: {{queueName: "
        "lq, podSets: [{{name: main, count: 3, template: {{spec: {}}}}}]}}, status: {}}}",
        name,
        pod,
        status
    ));
}

const engine::Workload& last(const Translator::Events& events) {
    const auto at = std::ranges::find_if(events.rbegin(), events.rend(), [](const auto& event) {
        return std::holds_alternative<engine::WorkloadChanged>(event);
    });
    REQUIRE(at != events.rend());
    return std::get<engine::WorkloadChanged>(*at).workload;
}

api::ResourceFlavor flavor(std::string_view name, std::string_view spec) {
    return object<api::ResourceFlavor>(
        fmt::format("{{metadata: {{name: {}}}, spec: {}}}", name, spec)
    );
}

std::string order(const Translator& translator, std::string_view status) {
    return api::to_string(translator.queue_order(workload("w", "{}", status)));
}

struct Case {
    std::string promise;
    std::string metadata;
    std::string spec;
    std::string status;
    bool queueable;
};

}  // namespace

TEST_CASE("a workload waits in a queue unless something keeps it", "[workload][translator]") {
    const auto c = GENERATE(
        Case{"new", "", "", "", true},
        Case{
            "refused before",
            "",
            "",
            "{type: QuotaReserved, status: \"False\", reason: WaitingForQuota}",
            true
        },
        Case{"deactivated", "", "active: false", "", false},
        Case{"finished", "", "", "{type: Finished, status: \"True\"}", false},
        Case{"holds quota", "", "", "{type: QuotaReserved, status: \"True\"}", false},
        Case{"on hold", "", "", "{type: QuotaReserved, status: \"False\", reason: OnHold}", false},
        Case{
            "waits for pods", "", "", "{type: WaitingForReplacementPods, status: \"True\"}", false
        },
        Case{
            "gated",
            "annotations: {kueue.x-k8s.io/admission-gated-by: example.com/g}",
            "",
            "",
            false
        },
        Case{"no gate left", "annotations: {kueue.x-k8s.io/admission-gated-by: \"\"}", "", "", true}
    );
    CAPTURE(c.promise);
    Translator translator({});
    const auto made = object<api::Workload>(fmt::format(
        "{{metadata: {{name: w, namespace: ns, {}}}, spec: {{{}}}, status: {{conditions: [{}]}}}}",
        c.metadata,
        c.spec,
        c.status
    ));
    CHECK(last(translator.set(made)).queueable == c.queueable);
}

TEST_CASE(
    "the place in the queue follows creation, but for some evictions", "[workload][translator]"
) {
    const auto evicted = [](std::string_view reason) {
        return fmt::format(
            "{{conditions: [{{type: Evicted, status: \"True\", reason: {}, lastTransitionTime: "
            "\"2026-01-02T00:00:00Z\"}}]}}",
            reason
        );
    };
    const std::string borrowed =
        "{conditions: [{type: Preempted, status: \"True\", reason: InCohortReclaimWhileBorrowing, "
        "lastTransitionTime: "
        "\"2026-01-02T00:00:00Z\"}]}";
    const Translator plain({});
    CHECK(order(plain, "{}") == "2026-01-01T00:00:00Z");
    CHECK(order(plain, evicted("Preempted")) == "2026-01-01T00:00:00Z");
    CHECK(order(plain, evicted("PodsReadyTimeout")) == "2026-01-02T00:00:00Z");
    CHECK(order(plain, evicted("AdmissionCheck")) == "2026-01-02T00:00:00Z");
    CHECK(order(plain, borrowed) == "2026-01-01T00:00:00Z");
    const Translator by_creation({.eviction_orders_queue = false});
    CHECK(order(by_creation, evicted("PodsReadyTimeout")) == "2026-01-01T00:00:00Z");
    CHECK(order(by_creation, evicted("AdmissionCheck")) == "2026-01-02T00:00:00Z");
    TranslationSettings unsorted;
    unsorted.gates.priority_sorting_within_cohort = false;
    CHECK(order(Translator(unsorted), borrowed) == "2026-01-02T00:00:00Z");
    const auto later = Translator(unsorted).queue_order(workload("w", "{}", borrowed));
    CHECK(later.time_since_epoch() % std::chrono::seconds(1) == std::chrono::milliseconds(1));
}

TEST_CASE("a boost counts only with its gate and when it can be read", "[workload][translator]") {
    auto made = workload("w");
    made.spec.priority = 10;
    made.metadata.annotations["kueue.x-k8s.io/priority-boost"] = "-3";
    CHECK(Translator({}).effective_priority(made) == 10);
    TranslationSettings boosted;
    boosted.gates.priority_boost = true;
    CHECK(Translator(boosted).effective_priority(made) == 7);
    made.metadata.annotations["kueue.x-k8s.io/priority-boost"] = "much";
    CHECK(Translator(boosted).effective_priority(made) == 10);
}

TEST_CASE(
    "like workloads share a class, and a change of the shape changes it", "[workload][translator]"
) {
    Translator translator({});
    const auto class_of = [&](const api::Workload& w) {
        return last(translator.set(w)).scheduling_class;
    };
    const auto base =
        class_of(workload("a", "{containers: [{name: c, resources: {requests: {cpu: 1}}}]}"));
    CHECK(base != 0);
    CHECK(
        class_of(workload("b", "{containers: [{name: other, resources: {requests: {cpu: 1000m}}}]}")
        ) == base
    );
    CHECK(
        class_of(workload("c", "{containers: [{name: c, resources: {requests: {cpu: 2}}}]}")) !=
        base
    );
    CHECK(
        class_of(workload(
            "d", "{nodeSelector: {a: b}, containers: [{name: c, resources: {requests: {cpu: 1}}}]}"
        )) != base
    );
    auto reclaimed = workload(
        "e",
        "{containers: [{name: c, resources: {requests: {cpu: 1}}}]}",
        "{reclaimablePods: [{name: main, count: 1}]}"
    );
    CHECK(class_of(reclaimed) != base);
    reclaimed.spec.priority = 5;
    CHECK(class_of(reclaimed) != base);
    TranslationSettings settings;
    settings.gates.scheduling_equivalence_hashing = false;
    CHECK(last(Translator(settings).set(reclaimed)).scheduling_class == 0);
}

TEST_CASE("whatever of the pods upstream hashes sets classes apart", "[workload][translator]") {
    Translator translator({});
    const auto class_of = [&](const char* name, const std::string& spec) {
        return last(translator.set(workload(name, spec))).scheduling_class;
    };
    const std::string container = "containers: [{name: c, resources: {requests: {cpu: 1}}}]";
    const std::string spread =
        ", topologySpreadConstraints: [{maxSkew: 1, topologyKey: z, whenUnsatisfiable: "
        "ScheduleAnyway";
    const std::pair<std::string, std::string> different[] = {
        {"{" + container + "}", "{" + container + ", affinity: {}}"},
        {"{" + container + ", affinity: {}}", "{" + container + ", affinity: {podAffinity: {}}}"},
        {"{" + container + ", affinity: {podAntiAffinity: {a: 1}}}",
         "{" + container + ", affinity: {podAntiAffinity: {a: 2}}}"},
        {"{" + container + spread + "}]}", "{" + container + spread + ", nodeTaintsPolicy: Honor}]}"
        },
        {"{" + container + spread + "}]}",
         "{" + container + spread + ", nodeAffinityPolicy: Ignore}]}"},
        {"{" + container + spread + "}]}", "{" + container + spread + ", matchLabelKeys: [app]}]}"},
        {"{" + container + "}", "{" + container + ", priority: 0}"},
        {"{initContainers: [{name: i, resources: {requests: {cpu: 5}}}], containers: [{name: c, "
         "resources: {requests: {memory: 1Gi}}}]}",
         "{containers: [{name: i, resources: {requests: {cpu: 5}}}, {name: c, resources: "
         "{requests: {memory: 1Gi}}}]}"},
        {"{containers: [{name: c, ports: [{containerPort: 1}]}]}",
         "{containers: [{name: c, ports: [{containerPort: 1, hostIP: 10.0.0.1}]}]}"},
    };
    for (const auto& [a, b] : different) {
        CAPTURE(a, b);
        CHECK(class_of("a", a) != class_of("b", b));
        CHECK(class_of("a", a) == class_of("c", a));
        CHECK(class_of("c", b) == class_of("b", b));
    }
}

TEST_CASE(
    "pod shapes are told once, again when a flavor changes its verdict and when no pod has them; "
    "then their numbers come back",
    "[workload][translator]"
) {
    Translator translator({});
    translator.set(flavor("f", "{nodeLabels: {zone: a}}"));
    const auto first = translator.set(workload("w", "{nodeSelector: {zone: a}}"));
    REQUIRE(first.size() == 2);
    CHECK(std::get<engine::PodShapeChanged>(first[0]).shape.refusals.empty());
    CHECK(translator.set(workload("v", "{nodeSelector: {zone: a}}")).size() == 1);

    const auto changed = translator.set(flavor("f", "{nodeLabels: {zone: b}}"));
    REQUIRE(changed.size() == 2);
    CHECK(std::get<engine::PodShapeChanged>(changed[1]).shape.refusals.at(0).flavor == "f");
    CHECK(translator.set(flavor("f", "{nodeLabels: {zone: b, size: s}}")).size() == 1);
    const auto gone = translator.remove_flavor("f");
    REQUIRE(gone.size() == 2);
    CHECK(std::get<engine::PodShapeChanged>(gone[1]).shape.refusals.empty());

    const auto id = last(first).pod_sets.at(0).shape;
    CHECK(translator.remove_workload("ns", "w").size() == 1);
    CHECK(translator.set(workload("v", "{nodeSelector: {zone: a}}")).size() == 1);
    const auto removed = translator.remove_workload("ns", "v");
    REQUIRE(removed.size() == 2);
    CHECK(std::get<engine::PodShapeDeleted>(removed[1]).id == id);
    CHECK(
        last(translator.set(workload("x", "{nodeSelector: {zone: c}}"))).pod_sets.at(0).shape == id
    );
}

TEST_CASE(
    "a topology that comes, changes or goes is judged anew for pods that ask for one",
    "[workload][translator]"
) {
    using enum engine::ShapeRefusalKind;
    Translator translator({});
    translator.set(flavor("f", "{topologyName: t}"));
    translator.set(workload("plain", "{}"));
    auto asking = workload("w", "{}");
    asking.spec.pod_sets.at(0).topology_request.emplace().required = "rack";
    const auto refusals = [](const Translator::Events& events) {
        REQUIRE(!events.empty());
        const auto changed = std::ranges::find_if(events, [](const engine::Event& event) {
            return std::holds_alternative<engine::PodShapeChanged>(event);
        });
        REQUIRE(changed != events.end());
        const auto& shape = std::get<engine::PodShapeChanged>(*changed).shape;
        REQUIRE(shape.topology);
        CHECK(shape.topology->required == "rack");
        return shape.refusals;
    };
    CHECK(refusals(translator.set(asking)).at(0).kind == MissingTopology);
    const auto topology = [](const char* level) {
        api::Topology made;
        made.metadata.name = "t";
        made.spec.levels.push_back({.node_label = level});
        return made;
    };
    CHECK(refusals(translator.set(topology("rack"))).empty());
    CHECK(translator.set(topology("rack")).size() == 1);  // the flavor, whose levels are as before
    CHECK(refusals(translator.set(topology("zone"))).at(0).kind == MissingTopologyLevel);
    CHECK(refusals(translator.remove_topology("t")).at(0).kind == MissingTopology);
    SECTION("and not at all without the gate") {
        TranslationSettings settings;
        settings.gates.topology_aware_scheduling = false;
        Translator without(settings);
        without.set(flavor("f", "{topologyName: t}"));
        const auto shape = std::get<engine::PodShapeChanged>(without.set(asking)[0]).shape;
        CHECK_FALSE(shape.topology);
        CHECK(shape.refusals.empty());
    }
}

TEST_CASE("the bound of a holder is what is left of its execution time", "[workload][translator]") {
    const auto bound = [](std::string_view admitted, std::string_view limit) {
        const auto status = fmt::format(
            "{{conditions: [{{type: QuotaReserved, status: \"True\"}}, {{type: Admitted, status: "
            "\"{}\", lastTransitionTime: \"2026-01-01T01:00:00Z\"}}], admission: {{clusterQueue: "
            "q}}, "
            "accumulatedPastExecutionTimeSeconds: 600}}",
            admitted
        );
        Translator translator({});
        auto made = workload("w", "{}", status);
        if (!limit.empty()) {
            made.spec.maximum_execution_time_seconds = std::stoi(std::string(limit));
        }
        return last(translator.set(made)).reservation.value().bound;
    };
    REQUIRE(bound("True", "3600"));
    CHECK(api::to_string(*bound("True", "3600")) == "2026-01-01T01:50:00Z");
    CHECK(!bound("False", "3600"));
    CHECK(!bound("True", ""));
}

TEST_CASE("an active reservation becomes usage with its flavors", "[workload][translator]") {
    constexpr std::string_view kStatus =
        "{conditions: [{type: QuotaReserved, status: \"True\", lastTransitionTime: "
        "\"2026-01-01T01:00:00Z\"},"
        " {type: Admitted, status: \"True\"}, {type: Evicted, status: \"True\"}], admission: "
        "{clusterQueue: q,"
        " podSetAssignments: [{name: main, flavors: {cpu: f, gpu: g}, resourceUsage: {cpu: 6, "
        "memory: "
        "1Gi}}]},"
        " reclaimablePods: [{name: main, count: 9}]}";
    Translator translator({});
    auto made = workload("w", "{}", kStatus);
    const auto translated = last(translator.set(made));
    REQUIRE(translated.reservation);
    CHECK(translated.reservation->cluster_queue == "q");
    CHECK(translated.reservation->admitted);
    CHECK(translated.reservation->evicted);
    CHECK(api::to_string(*translated.reservation->reserved_at) == "2026-01-01T01:00:00Z");
    const auto& pod_set = translated.reservation->pod_sets.at(0);
    CHECK(pod_set.count == 3);
    CHECK(
        pod_set.resources ==
        std::vector<engine::AssignedResource>{
            {"cpu", "f", engine::Amount(6000)}, {"gpu", "g", engine::Amount()}
        }
    );
    CHECK(translated.pod_sets.at(0).reclaimable == 3);
    CHECK_FALSE(translated.ended);
    made.spec.active = false;
    CHECK(last(translator.set(made)).ended);
    CHECK(last(translator.set(made)).reservation);
    api::Condition finished;
    finished.type_ = "Finished";
    finished.status = "True";
    made.status.conditions.push_back(finished);
    CHECK(last(translator.set(made)).ended);
    CHECK_FALSE(last(translator.set(made)).reservation);
}

TEST_CASE("what unparks a workload changes its stamp, and nothing else", "[workload][translator]") {
    constexpr std::string_view kPod = "{containers: [{name: c, resources: {requests: {cpu: 3}}}]}";
    const auto limits = [](std::string_view item) {
        return object<api::LimitRange>(fmt::format(
            "{{metadata: {{name: l, namespace: ns}}, spec: {{limits: [{{type: Container, {}}}]}}}}",
            item
        ));
    };
    Translator translator({});
    const auto stamp = [&](const api::Workload& w) {
        return last(translator.set(w)).condition_stamp;
    };
    const auto plain = stamp(workload("w", kPod));
    CHECK(
        stamp(workload("w", kPod, "{conditions: [{type: PodsReady, status: \"True\"}]}")) == plain
    );
    CHECK(stamp(workload("w", kPod, "{conditions: [{type: Evicted, status: \"True\"}]}")) != plain);
    CHECK(stamp(workload("w", kPod, "{reclaimablePods: [{name: main, count: 1}]}")) != plain);
    translator.set(limits("max: {cpu: 2}"));
    CHECK(stamp(workload("w", kPod)) == plain);
    translator.set(limits("default: {cpu: 4}"));
    const auto limited = stamp(workload("w", kPod));
    CHECK(limited != plain);
    translator.set(limits("default: {cpu: 5}"));
    CHECK(stamp(workload("w", kPod)) != limited);
    translator.remove_limit_range("ns", "l");
    CHECK(stamp(workload("w", kPod)) == plain);
    auto boosted = workload("w", kPod);
    boosted.metadata.annotations["kueue.x-k8s.io/priority-boost"] = "5";
    CHECK(stamp(boosted) == plain);
    TranslationSettings settings;
    settings.gates.priority_boost = true;
    CHECK(last(Translator(settings).set(boosted)).condition_stamp != plain);
}

TEST_CASE("a change of a ClusterQueue's spec is told whatever it was", "[workload][translator]") {
    const Translator translator({});
    const auto queue = [&](std::string_view metadata) {
        return translator.cluster_queue(
            object<api::ClusterQueue>(fmt::format("{{metadata: {{name: q, {}}}}}", metadata))
        );
    };
    CHECK(queue("generation: 1") == queue("generation: 1, labels: {a: b}"));
    CHECK_FALSE(queue("generation: 1") == queue("generation: 2"));
}

TEST_CASE("the namespace decides with the queue's selector", "[workload][translator]") {
    Translator translator({});
    translator.set(object<api::Namespace>("metadata: {name: ns, labels: {team: a}}"));
    const auto queue = [](std::string_view spec) {
        return object<api::ClusterQueue>(fmt::format("{{metadata: {{name: q}}, spec: {}}}", spec));
    };
    const auto local =
        object<api::LocalQueue>("{metadata: {name: lq, namespace: ns}, spec: {clusterQueue: q}}");
    const auto verdict = [&](const api::ClusterQueue& q) {
        return translator.local_queue(local, &q).namespace_match;
    };
    using enum engine::NamespaceMatch;
    CHECK(verdict(queue("{namespaceSelector: {}}")) == Matches);
    CHECK(verdict(queue("{}")) == Mismatch);
    CHECK(verdict(queue("{namespaceSelector: {matchLabels: {team: b}}}")) == Mismatch);
    CHECK(
        translator.find_inadmissibility(workload("w"), queue("{}")) ==
        "workload namespace doesn't match ClusterQueue selector"
    );
    translator.remove_namespace("ns");
    CHECK(verdict(queue("{namespaceSelector: {}}")) == NotFound);
    CHECK(
        translator.find_inadmissibility(workload("w"), queue("{}")) ==
        "workload namespace \"ns\" does not exist: Namespace \"ns\" not found"
    );
}

TEST_CASE(
    "pods that claim devices are not admitted without counting them", "[workload][translator]"
) {
    const bool rejects = GENERATE(true, false);
    TranslationSettings settings;
    settings.gates.reject_workloads_with_devices = rejects;
    Translator translator(settings);
    translator.set(object<api::Namespace>("{metadata: {name: ns}}"));
    const auto claims = workload(
        "w",
        "{resourceClaims: [{name: g, resourceClaimTemplateName: gpu}], containers: [{name: c}]}"
    );
    const auto refusal = translator.find_inadmissibility(
        claims, object<api::ClusterQueue>("{metadata: {name: q}, spec: {namespaceSelector: {}}}")
    );
    CHECK(
        refusal.value_or("") ==
        (rejects ? "Workload uses DRA resources, which this version of Sluice does not count" : "")
    );
}

TEST_CASE("LimitRanges and RuntimeClasses count as they are now", "[workload][translator]") {
    Translator translator({});
    const auto shares_template = workload("w", "{runtimeClassName: kata, containers: [{name: c}]}");
    const auto cpu = [&] {
        const auto events = translator.set(shares_template);
        const auto& requests = last(events).pod_sets.at(0).requests;
        return requests.empty() ? std::int64_t{0} : requests.at(0).amount.value();
    };
    CHECK(cpu() == 0);
    translator.set(
        object<api::RuntimeClass>("{metadata: {name: kata}, overhead: {podFixed: {cpu: 250m}}}")
    );
    CHECK(cpu() == 250);
    translator.set(
        object<api::LimitRange>("{metadata: {name: b, namespace: ns}, spec: {limits: [{type: "
                                "Container, defaultRequest: {cpu: 2}}]}}")
    );
    CHECK(cpu() == 2250);
    translator.set(
        object<api::LimitRange>("{metadata: {name: a, namespace: ns}, spec: {limits: [{type: "
                                "Container, defaultRequest: {cpu: 1}}]}}")
    );
    CHECK(cpu() == 1250);
    translator.remove_limit_range("ns", "a");
    CHECK(cpu() == 2250);
    translator.remove_runtime_class("kata");
    CHECK(cpu() == 2000);
}

TEST_CASE(
    "workloads with one template ask for what each namespace makes of it", "[workload][translator]"
) {
    Translator translator({});
    const auto here = workload("w", "{containers: [{name: c, resources: {limits: {memory: 3}}}]}");
    auto there = here;
    there.metadata.namespace_ = "other";
    const auto first_amount = [&](const api::Workload& w) {
        return last(translator.set(w)).pod_sets.at(0).requests.at(0).amount.value();
    };
    CHECK(first_amount(here) == 3);
    translator.set(
        object<api::LimitRange>("{metadata: {name: l, namespace: other}, spec: {limits: [{type: "
                                "Container, max: {memory: 2}, defaultRequest: {cpu: 1}}]}}")
    );
    CHECK(first_amount(there) == 1000);
    CHECK(first_amount(here) == 3);
    CHECK_FALSE(last(translator.set(there)).requests_valid);
    CHECK(last(translator.set(here)).requests_valid);
    CHECK(
        last(translator.set(there)).scheduling_class != last(translator.set(here)).scheduling_class
    );
    auto renamed = here;
    renamed.metadata.name = "v";
    CHECK(
        last(translator.set(renamed)).scheduling_class ==
        last(translator.set(here)).scheduling_class
    );
}

TEST_CASE(
    "status reports the total requests of the pods that still need quota", "[workload][translator]"
) {
    const Translator translator({});
    const auto made = translator.resource_requests(workload(
        "w",
        "{containers: [{name: c, resources: {requests: {cpu: 500m, memory: 1Gi}}}]}",
        "{reclaimablePods: [{name: main, count: 1}]}"
    ));
    REQUIRE(made.size() == 1);
    CHECK(made[0].resources.at("cpu").to_string() == "1");
    CHECK(made[0].resources.at("memory").to_string() == "2Gi");
}

TEST_CASE(
    "closed and unknown gates forbid preemption, failed checks admission", "[workload][translator]"
) {
    Translator translator({});
    auto made = workload("w", "{}", "{admissionChecks: [{name: c, state: Retry}]}");
    made.spec.preemption_gates = {{.name = "g"}};
    CHECK(last(translator.set(made)).preemption_gated);
    CHECK(last(translator.set(made)).checks_failed);
    made.status.preemption_gates = {{.name = "g", .position = "Open", .last_transition_time = {}}};
    made.status.admission_checks[0].state = "Pending";
    CHECK_FALSE(last(translator.set(made)).preemption_gated);
    CHECK_FALSE(last(translator.set(made)).checks_failed);
}

TEST_CASE("an admission gate holds nothing back while its feature gate is off", "[workload]") {
    api::Workload workload;
    workload.metadata.annotations["kueue.x-k8s.io/admission-gated-by"] = "example.com/g";
    TranslationGates gates;
    CHECK(has_admission_gate(workload, gates));
    CHECK(!is_queueable(workload, gates));
    gates.admission_gated_by = false;
    CHECK(!has_admission_gate(workload, gates));
    CHECK(is_queueable(workload, gates));
}

}  // namespace sluice::workload
