#include "workload/pods/requests.hpp"

#include "support/objects.hpp"

#include <catch2/catch_test_macros.hpp>
#include <catch2/generators/catch_generators.hpp>
#include <fmt/format.h>

#include <string>

namespace sluice::workload {
namespace {

using test::object;

std::string text(const api::ResourceList& list) {
    std::string out;
    for (const auto& [resource, quantity] : list) {
        out += fmt::format("{}{}={}", out.empty() ? "" : " ", resource, quantity.to_string());
    }
    return out;
}

PodResources pod(std::string_view yaml, const LimitRangeSummary& limits = {}) {
    return make_pod_resources(object<api::PodSpec>(yaml), nullptr, limits);
}

LimitRangeSummary summary(std::initializer_list<std::string_view> ranges) {
    LimitRangeSummary made;
    for (const auto range : ranges) {
        made.add(object<api::LimitRange>(range));
    }
    return made;
}

struct Case {
    std::string_view promise;
    std::string_view pod;
    std::string_view requests;
};

}  // namespace

TEST_CASE("a pod requests what Kubernetes' scheduler would count", "[workload][requests]") {
    const auto c = GENERATE(
        Case{
            "containers add up",
            "containers: [{name: a, resources: {requests: {cpu: 1, memory: 1Gi}}},"
            " {name: b, resources: {requests: {cpu: 500m}}}]",
            "cpu=1500m memory=1Gi"
        },
        Case{
            "the largest init container counts where it is more",
            "initContainers: [{name: i, resources: {requests: {cpu: 3, memory: 1Mi}}},"
            " {name: j, resources: {requests: {cpu: 2}}}]\n"
            "containers: [{name: a, resources: {requests: {cpu: 1, memory: 1Gi}}}]",
            "cpu=3 memory=1Gi"
        },
        Case{
            "a sidecar runs beside the containers and the later init containers",
            "initContainers: [{name: i, resources: {requests: {cpu: 1}}},"
            " {name: s, restartPolicy: Always, resources: {requests: {cpu: 2}}},"
            " {name: j, resources: {requests: {cpu: 4}}}]\n"
            "containers: [{name: a, resources: {requests: {cpu: 1}}}]",
            "cpu=6"
        },
        Case{
            "sidecars add up with the containers",
            "initContainers: [{name: s, restartPolicy: Always, resources: {requests: {cpu: 2}}},"
            " {name: t, restartPolicy: Always, resources: {requests: {cpu: 3}}}]\n"
            "containers: [{name: a, resources: {requests: {cpu: 1}}}]",
            "cpu=6"
        },
        Case{
            "overhead comes on top",
            "overhead: {cpu: 250m}\ncontainers: [{name: a, resources: {requests: {cpu: 1}}}]",
            "cpu=1250m"
        },
        Case{
            "pod-level requests override cpu, memory and huge pages alone",
            "resources: {requests: {cpu: 4, hugepages-2Mi: 4Mi, nvidia.com/gpu: 9}}\n"
            "overhead: {cpu: 1}\n"
            "containers: [{name: a, resources: {requests: {cpu: 1, nvidia.com/gpu: 1}}}]",
            "cpu=5 hugepages-2Mi=4Mi nvidia.com/gpu=1"
        },
        Case{
            "a limit without request is a request",
            "containers: [{name: a, resources: {limits: {cpu: 2, nvidia.com/gpu: 1},"
            " requests: {cpu: 1}}}]",
            "cpu=1 nvidia.com/gpu=1"
        },
        Case{"no requests are no resources", "containers: [{name: a}]", ""}
    );
    CAPTURE(c.promise);
    CHECK(text(pod_requests(pod(c.pod))) == c.requests);
}

TEST_CASE(
    "the overhead of the RuntimeClass counts when the pod names none", "[workload][requests]"
) {
    const api::ResourceList overhead{{"cpu", api::Quantity(1)}};
    const auto with = [&](std::string_view yaml) {
        return text(pod_requests(make_pod_resources(object<api::PodSpec>(yaml), &overhead, {})));
    };
    CHECK(with("containers: [{name: a, resources: {requests: {cpu: 1}}}]") == "cpu=2");
    CHECK(with("{overhead: {cpu: 3}, containers: [{name: a}]}") == "cpu=3");
}

TEST_CASE("limits are requests before a LimitRange fills in what is left", "[workload][requests]") {
    const auto limits =
        summary({"spec: {limits: [{type: Container, defaultRequest: {cpu: 2, memory: 1Gi}}]}"});
    const auto c = GENERATE(
        Case{
            "limits above the default",
            "containers: [{name: a, resources: {limits: {cpu: 3}}}]",
            "cpu=3 memory=1Gi"
        },
        Case{
            "limits below the default",
            "containers: [{name: a, resources: {limits: {cpu: 500m, memory: 1Mi}}}]",
            "cpu=500m memory=1Mi"
        },
        Case{
            "init containers",
            "initContainers: [{name: i, resources: {limits: {cpu: 5}}}]\n"
            "containers: [{name: a}]",
            "cpu=5 memory=1Gi"
        },
        Case{
            "sidecars",
            "initContainers: [{name: i, restartPolicy: Always, resources: {limits: {cpu: 5}}}]\n"
            "containers: [{name: a}]",
            "cpu=7 memory=2Gi"
        },
        Case{
            "a written request stays",
            "containers: [{name: a, resources: {limits: {cpu: 3}, requests: {cpu: 1}}}]",
            "cpu=1 memory=1Gi"
        }
    );
    CAPTURE(c.promise);
    CHECK(text(pod_requests(pod(c.pod, limits))) == c.requests);
    CHECK(find_invalid_requests({pod(c.pod, limits)}, limits) == std::nullopt);
}

TEST_CASE("pod-level requests are filled in as the API server does", "[workload][requests]") {
    const auto c = GENERATE(
        Case{
            "from what the containers ask for",
            "resources: {limits: {cpu: 3}}\n"
            "containers: [{name: a, resources: {requests: {cpu: 500m}}}]",
            "cpu=500m"
        },
        Case{
            "from the limits of the containers",
            "resources: {limits: {cpu: 3}}\n"
            "containers: [{name: a, resources: {limits: {cpu: 250m}}}, {name: b}]",
            "cpu=250m"
        },
        Case{
            "from an init container",
            "resources: {limits: {cpu: 3}}\n"
            "initContainers: [{name: i, resources: {limits: {cpu: 2}}}]\n"
            "containers: [{name: a, resources: {requests: {cpu: 500m}}}]",
            "cpu=2"
        },
        Case{
            "from the pod's limits, if no container asks for any",
            "{resources: {limits: {cpu: 3, memory: 1Gi}}, containers: [{name: a, resources: "
            "{requests: {memory: 1Mi}}}]}",
            "cpu=3 memory=1Mi"
        },
        Case{
            "huge pages from the containers' limits",
            "resources: {limits: {cpu: 1}}\n"
            "containers: [{name: a, resources: {limits: {hugepages-2Mi: 4Mi}}}]",
            "cpu=1 hugepages-2Mi=4Mi"
        },
        Case{
            "a written pod-level request stays",
            "{resources: {limits: {cpu: 3}, requests: {cpu: 2}}, containers: [{name: a, "
            "resources: {requests: {cpu: 500m}}}]}",
            "cpu=2"
        }
    );
    CAPTURE(c.promise);
    CHECK(text(pod_requests(pod(c.pod))) == c.requests);
}

TEST_CASE(
    "pod-level requests come from the containers before a LimitRange speaks", "[workload][requests]"
) {
    const auto limits =
        summary({"spec: {limits: [{type: Container, defaultRequest: {cpu: 1}, default: {cpu: 4}}]}"}
        );
    const auto level = [&](std::string_view cpu) {
        return pod(
            fmt::format("{{resources: {{limits: {{cpu: {}}}}}, containers: [{{name: a}}]}}", cpu),
            limits
        );
    };
    CHECK(text(pod_requests(level("3"))) == "cpu=3");
    CHECK(find_invalid_requests({level("3")}, limits) == std::nullopt);
    // The API server refuses such a pod: its container gets more than the pod has.
    CHECK(
        find_invalid_requests({level("500m")}, limits) ==
        "resources validation failed: spec.podSets[0].template.spec.resources: Invalid value: "
        "[\"cpu\"]: requests must not be below those of its containers"
    );
}

TEST_CASE("no pod runs that counts for less than its containers ask for", "[workload][requests]") {
    const auto small =
        pod("{resources: {requests: {cpu: 1m}}, containers: [{name: a, resources: {requests: {cpu: "
            "60}}}]}");
    CHECK(
        find_invalid_requests({small}, {}) ==
        "resources validation failed: spec.podSets[0].template.spec.resources: Invalid value: "
        "[\"cpu\"]: requests must not be below those of its containers"
    );
    const auto c = GENERATE(
        Case{
            "an overhead below zero",
            "{overhead: {cpu: '-60'}, containers: [{name: a, resources: {requests: {cpu: 60}}}]}",
            "cpu=60"
        },
        Case{
            "a container below zero",
            "containers: [{name: a, resources: {requests: {cpu: 60}}}, {name: b, resources: "
            "{requests: {cpu: '-59'}}}]",
            "cpu=60"
        },
        Case{
            "a sidecar below zero",
            "initContainers: [{name: s, restartPolicy: Always, resources: {limits: {cpu: '-9'}}}]\n"
            "containers: [{name: a, resources: {requests: {cpu: 3}}}]",
            "cpu=3"
        }
    );
    CAPTURE(c.promise);
    CHECK(text(pod_requests(pod(c.pod))) == c.requests);
    const api::ResourceList below{{"cpu", api::Quantity(-60)}};
    const auto yaml = "containers: [{name: a, resources: {requests: {cpu: 3}}}]";
    CHECK(
        text(pod_requests(make_pod_resources(object<api::PodSpec>(yaml), &below, {}))) == "cpu=3"
    );
}

TEST_CASE("LimitRanges fill in defaults, existing values win", "[workload][requests]") {
    const auto limits = summary(
        {"spec: {limits: [{type: Container, default: {cpu: 2, memory: 1Gi}, defaultRequest: {cpu: "
         "1}}]}",
         "spec: {limits: [{type: Container, default: {cpu: 9}, defaultRequest: {cpu: 9}},"
         " {type: Pod, default: {cpu: 8}}]}"}
    );
    CHECK(text(pod_requests(pod("containers: [{name: a}]", limits))) == "cpu=1 memory=1Gi");
    const auto given = "containers: [{name: a, resources: {requests: {memory: 1Mi}}}]";
    CHECK(text(pod_requests(pod(given, limits))) == "cpu=1 memory=1Mi");
    const auto pod_level = "{resources: {requests: {memory: 1Mi}}, containers: [{name: a}]}";
    CHECK(text(pod_requests(pod(pod_level, limits))) == "cpu=8 memory=1Mi");
}

TEST_CASE("transformations turn resources into others", "[workload][requests]") {
    const auto list = [](std::string_view yaml) { return object<api::ResourceList>(yaml); };
    using enum TransformationStrategy;
    TranslationSettings settings;
    SECTION("an excluded prefix is gone") {
        settings.exclude_resource_prefixes = {"example.com/"};
        CHECK(text(transformed(list("{cpu: 1, example.com/x: 3}"), settings)) == "cpu=1");
    }
    SECTION("an excluded multiplier is read and not charged") {
        settings.exclude_resource_prefixes = {"example.com/gpus"};
        settings.transformations["example.com/mem"] = {
            .strategy = Replace, .multiply_by = "example.com/gpus", .outputs = list("{total: 1}")
        };
        const auto requests = list("{cpu: 1, example.com/gpus: 4, example.com/mem: 1024}");
        CHECK(text(transformed(requests, settings)) == "cpu=1 total=4096");
        settings.transformations["example.com/mem"].strategy = Retain;
        CHECK(text(transformed(requests, settings)) == "cpu=1 example.com/mem=1024 total=4096");
    }
    SECTION("an excluded input is transformed and not charged") {
        settings.exclude_resource_prefixes = {"example.com/"};
        settings.transformations["example.com/mem"] = {
            .strategy = Retain, .multiply_by = "example.com/gpus", .outputs = list("{total: 1}")
        };
        const auto requests = list("{example.com/gpus: 4, example.com/mem: 2, example.com/x: 1}");
        CHECK(text(transformed(requests, settings)) == "total=8");
        settings.transformations["example.com/mem"].strategy = Replace;
        CHECK(text(transformed(requests, settings)) == "total=8");
    }
    SECTION("an output may have an excluded prefix") {
        settings.exclude_resource_prefixes = {"example.com/"};
        settings.transformations["cpu"] = {
            .strategy = Replace, .multiply_by = "", .outputs = list("{example.com/x: 2}")
        };
        CHECK(text(transformed(list("{cpu: 2, example.com/x: 9}"), settings)) == "example.com/x=4");
    }
    SECTION("a multiplier that is transformed itself is read as it was asked for") {
        settings.transformations["gpus"] = {
            .strategy = Replace, .multiply_by = "", .outputs = list("{credits: 1}")
        };
        settings.transformations["mem"] = {
            .strategy = Replace, .multiply_by = "gpus", .outputs = list("{total: 1}")
        };
        CHECK(text(transformed(list("{gpus: 4, mem: 3}"), settings)) == "credits=4 total=12");
    }
    SECTION("Retain keeps the input, Replace drops it") {
        settings.transformations["cpu"] = {
            .strategy = Retain, .multiply_by = "", .outputs = list("{credits: 2}")
        };
        CHECK(text(transformed(list("{cpu: 3}"), settings)) == "cpu=3 credits=6");
        settings.transformations["cpu"].strategy = Replace;
        CHECK(text(transformed(list("{cpu: 3}"), settings)) == "credits=6");
    }
    SECTION("multiplyBy scales the outputs and not the retained input") {
        settings.transformations["gpu"] = {
            .strategy = Retain, .multiply_by = "memory", .outputs = list("{credits: 2}")
        };
        CHECK(
            text(transformed(list("{gpu: 3, memory: 5}"), settings)) == "credits=30 gpu=3 memory=5"
        );
        CHECK(text(transformed(list("{gpu: 3}"), settings)) == "credits=6 gpu=3");
    }
    SECTION("outputs are not transformed again, and those of several inputs add up") {
        settings.transformations["a"] = {
            .strategy = Replace, .multiply_by = "", .outputs = list("{b: 1, c: 1}")
        };
        settings.transformations["b"] = {
            .strategy = Replace, .multiply_by = "", .outputs = list("{c: 10}")
        };
        CHECK(text(transformed(list("{a: 1, b: 2}"), settings)) == "b=1 c=21");
    }
    SECTION("what is generated cannot reduce what was asked for") {
        settings.transformations["a"] = {
            .strategy = Replace, .multiply_by = "", .outputs = list("{cpu: \"-2\"}")
        };
        CHECK(text(transformed(list("{a: 5, cpu: 3}"), settings)) == "cpu=3");
    }
    SECTION("fractions are exact") {
        settings.transformations["cpu"] = {
            .strategy = Replace, .multiply_by = "", .outputs = list("{c: 100m}")
        };
        CHECK(text(transformed(list("{cpu: 1500m}"), settings)) == "c=150m");
        settings.transformations["gpu"] = {
            .strategy = Replace, .multiply_by = "cpu", .outputs = list("{x: 2G}")
        };
        settings.transformations.erase("cpu");
        CHECK(
            text(transformed(list("{cpu: 1500m, gpu: 333333333n}"), settings)) ==
            "cpu=1500m x=999999999"
        );
        CHECK(text(transformed(list("{cpu: 1n, gpu: 1n}"), settings)) == "cpu=1n x=2n");
        settings.transformations["gpu"].outputs = list("{x: 8E}");
        CHECK(
            text(transformed(list("{cpu: 8E, gpu: 8E}"), settings)) ==
            "cpu=8E x=9223372036854775807"
        );
    }
}

TEST_CASE("negative requests count as none", "[workload][requests]") {
    const auto requests = to_engine_requests(object<api::ResourceList>("{cpu: \"-1\", memory: 5}"));
    REQUIRE(requests.size() == 2);
    CHECK(requests[0].amount == engine::Amount(0));
    CHECK(requests[1].amount == engine::Amount(5));
}

TEST_CASE("requests above limits are refused with every place", "[workload][requests]") {
    const auto good =
        pod("containers: [{name: a, resources: {requests: {cpu: 1}, limits: {cpu: 1}}}]");
    const auto bad =
        pod("initContainers: [{name: i, resources: {requests: {cpu: 2, memory: 2}, limits: {cpu: "
            "1, memory: 1}}}]\n"
            "containers: [{name: a, resources: {requests: {cpu: 2}, limits: {cpu: 1}}}]");
    CHECK(find_invalid_requests({good}, {}) == std::nullopt);
    CHECK(
        find_invalid_requests({good, bad}, {}) ==
        "resources validation failed: [spec.podSets[1].template.spec.initContainers[0]: Invalid "
        "value: "
        "[\"cpu\",\"memory\"]: requests must not exceed its limits, "
        "spec.podSets[1].template.spec.containers[0]: "
        "Invalid value: [\"cpu\"]: requests must not exceed its limits]"
    );
}

TEST_CASE("requests outside the LimitRanges are refused", "[workload][requests]") {
    const auto limits = summary(
        {"spec: {limits: [{type: Container, max: {cpu: 4}, min: {cpu: 100m}}]}",
         "spec: {limits: [{type: Container, max: {cpu: 2}, min: {cpu: 200m}}, {type: Pod, max: "
         "{cpu: 3}}]}"}
    );
    const auto asking = [&](std::string_view cpu) {
        const auto yaml = fmt::format(
            "containers: [{{name: a, resources: {{requests: {{cpu: {0}}}}}}}, {{name: b, "
            "resources: {{requests: "
            "{{cpu: {0}}}}}}}]",
            cpu
        );
        return find_invalid_requests({pod(yaml)}, limits);
    };
    CHECK(asking("1") == std::nullopt);
    CHECK(
        asking("2") ==
        "resources didn't satisfy LimitRange constraints: spec.podSets[0].template.spec: Invalid "
        "value: [\"cpu\"]: "
        "requests must not be above the limitRange max"
    );
    CHECK(
        asking("100m")->find(
            "containers[0]: Invalid value: [\"cpu\"]: requests must not be below the limitRange min"
        ) != std::string::npos
    );
    CHECK(
        asking("3")->find(
            "containers[1]: Invalid value: [\"cpu\"]: requests must not be above the limitRange max"
        ) != std::string::npos
    );
}

}  // namespace sluice::workload
