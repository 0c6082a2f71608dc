#include "kube/client/connection_source.hpp"

#include "support/temporary_folder.hpp"

#include <catch2/catch_test_macros.hpp>
#include <fmt/format.h>

#include <filesystem>
#include <string>

namespace sluice::kube {
namespace {

/// A kubeconfig with one cluster, user and context of that name.
std::string kubeconfig(std::string_view name, std::string_view user = "") {
    return fmt::format(
        "current-context: {0}\n"
        "clusters:\n- name: {0}\n  cluster: {{server: 'https://{0}'}}\n"
        "users:\n- name: {0}\n  user: {{{1}}}\n"
        "contexts:\n- name: {0}\n  context: {{cluster: {0}, user: {0}}}\n",
        name,
        user
    );
}

struct Machine {
    test::TemporaryFolder folder;
    ConnectionSource source;

    Machine() { source.process.environment["HOME"] = folder.path() + "/home"; }
    std::string file(const std::string& name, const std::string& text) const {
        std::filesystem::create_directories(
            std::filesystem::path(folder.path() + "/" + name).parent_path()
        );
        folder.write(name, text);
        return folder.path() + "/" + name;
    }
    void make_pod() {
        source.process.environment["KUBERNETES_SERVICE_HOST"] = "10.0.0.1";
        source.process.environment["KUBERNETES_SERVICE_PORT"] = "443";
        source.process.folder = folder.path() + "/account";
        file("account/ca.crt", "CA");
        file("account/token", "TOKEN");
        file("account/namespace", "queueing");
    }
    std::string host() const {
        const auto found = find_connection(source);
        return found ? found->config.host : "error: " + found.error().detail;
    }
};

}  // namespace

TEST_CASE(
    "the API server is looked for in the order of every Kubernetes client", "[kube][config]"
) {
    Machine machine;
    CHECK(machine.host().starts_with("error: no API server found: not in a pod"));
    machine.file("home/.kube/config", kubeconfig("home"));
    CHECK(machine.host() == "home");
    machine.source.process.environment["KUBECONFIG"] = machine.file("listed", kubeconfig("listed"));
    CHECK(machine.host() == "listed");
    machine.make_pod();
    CHECK(machine.host() == "10.0.0.1");
    CHECK(find_connection(machine.source)->in_cluster);
    CHECK(find_connection(machine.source)->pod_namespace == "queueing");
    SECTION("a context is of a kubeconfig, also in a pod") {
        machine.source.context = "listed";
        CHECK(machine.host() == "listed");
    }
    machine.source.kubeconfig_file = machine.file("given", kubeconfig("given"));
    machine.source.context = "";
    CHECK(machine.host() == "given");
    CHECK_FALSE(find_connection(machine.source)->in_cluster);
    CHECK(find_connection(machine.source)->pod_namespace == "queueing");
}

TEST_CASE("several kubeconfigs are merged as kubectl does", "[kube][config]") {
    Machine machine;
    const auto first = machine.file("a/one", kubeconfig("one", "tokenFile: token"));
    const auto second = machine.file(
        "b/two",
        kubeconfig("two", "tokenFile: token") +
            "- name: one\n  context: {cluster: two, user: two}\n"
    );
    machine.source.process.environment["KUBECONFIG"] =
        first + "::" + machine.folder.path() + "/absent:" + second;
    SECTION("the first current-context and the first of each name count") {
        CHECK(machine.host() == "one");
    }
    SECTION("--context chooses among all of them") {
        machine.source.context = "two";
        CHECK(machine.host() == "two");
        const auto found = find_connection(machine.source);
        REQUIRE(found);
        CHECK(found->config.token_file == machine.folder.path() + "/b/token");
    }
    SECTION("one that is unknown is told") {
        machine.source.context = "three";
        CHECK(machine.host() == "error: KUBECONFIG: kubeconfig: contexts has no entry \"three\"");
    }
    SECTION("a broken file is named") {
        machine.file("b/two", "clusters: [");
        CHECK(machine.host().find("b/two") != std::string::npos);
    }
}

TEST_CASE("a kubeconfig that is given must exist", "[kube][config]") {
    Machine machine;
    machine.file("home/.kube/config", kubeconfig("home"));
    machine.source.kubeconfig_file = "/nowhere/config";
    CHECK(machine.host() == "error: --kubeconfig: file not found: /nowhere/config");
}

}  // namespace sluice::kube
