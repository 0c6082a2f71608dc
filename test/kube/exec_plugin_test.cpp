#include "kube/client/exec_plugin.hpp"

#include "kube/client/client_config.hpp"
#include "yaml/parse.hpp"

#include <catch2/catch_test_macros.hpp>
#include <catch2/generators/catch_generators.hpp>

#include <string>

namespace sluice::kube {
namespace {

json::Value parse(const std::string& yaml) {
    auto value = yaml::parse_document(yaml);
    REQUIRE(value);
    return std::move(*value);
}

Result<ExecPlugin> read(const std::string& exec, const std::string& cluster = "{}") {
    return read_exec_plugin(parse(exec), parse(cluster), "/folder");
}

std::string error_of(const std::string& exec) {
    const auto plugin = read(exec);
    return plugin ? "no error" : plugin.error().detail;
}

ExecPlugin plugin() {
    return {.api_version = "client.authentication.k8s.io/v1", .command = "get-token"};
}

std::string answer(const std::string& status) {
    return R"({"kind":"ExecCredential","apiVersion":"client.authentication.k8s.io/v1","status":)" +
           status + "}";
}

/// A kubeconfig as the tool of a cloud provider writes it, with its user.
std::string provider(const std::string& user) {
    return "apiVersion: v1\nkind: Config\ncurrent-context: main\n"
           "clusters:\n- name: c\n  cluster: {server: 'https://x.example.com'}\n"
           "contexts:\n- name: main\n  context: {cluster: c, user: u}\n"
           "users:\n- name: u\n  user:\n    exec:\n" +
           user;
}

}  // namespace

TEST_CASE("the kubeconfigs of managed clusters are read", "[kube][exec]") {
    struct Row {
        const char* user;
        const char* command;
        std::vector<std::string> arguments;
        std::vector<std::string> environment;
    };
    const auto row = GENERATE(
        Row{"      apiVersion: client.authentication.k8s.io/v1beta1\n"
            "      command: aws\n"
            "      args: [--region, eu-west-1, eks, get-token, --cluster-name, prod, --output, "
            "json]\n"
            "      env:\n      - {name: AWS_PROFILE, value: ops}\n",
            "aws",
            {"--region",
             "eu-west-1",
             "eks",
             "get-token",
             "--cluster-name",
             "prod",
             "--output",
             "json"},
            {"AWS_PROFILE=ops"}},
        Row{"      apiVersion: client.authentication.k8s.io/v1beta1\n"
            "      command: gke-gcloud-auth-plugin\n"
            "      installHint: Install gke-gcloud-auth-plugin for use with kubectl\n"
            "      provideClusterInfo: true\n",
            "gke-gcloud-auth-plugin",
            {},
            {}},
        Row{"      apiVersion: client.authentication.k8s.io/v1beta1\n"
            "      command: kubelogin\n"
            "      args: [get-token, --login, azurecli, --server-id, 6dae42f8]\n"
            "      env: null\n"
            "      provideClusterInfo: false\n",
            "kubelogin",
            {"get-token", "--login", "azurecli", "--server-id", "6dae42f8"},
            {}}
    );
    CAPTURE(row.command);
    const auto config = load_kubeconfig(parse(provider(row.user)), "", "/folder");
    REQUIRE(config);
    REQUIRE(config->exec);
    CHECK(config->exec->command == row.command);
    CHECK(config->exec->arguments == row.arguments);
    CHECK(config->exec->environment == row.environment);
}

TEST_CASE("a relative command counts from the folder of its kubeconfig", "[kube][exec]") {
    const std::string fields = "apiVersion: client.authentication.k8s.io/v1beta1\ncommand: ";
    CHECK(read(fields + "bin/token")->command == "/folder/bin/token");
    CHECK(read(fields + "token")->command == "token");
    CHECK(read(fields + "/bin/token")->command == "/bin/token");
}

TEST_CASE("a plugin that cannot be run is refused by its field", "[kube][exec]") {
    const std::string v1 = "apiVersion: client.authentication.k8s.io/v1\n";
    CHECK(error_of("command: x").starts_with("apiVersion: \"\" is neither"));
    CHECK(error_of("apiVersion: client.authentication.k8s.io/v1alpha1\ncommand: x")
              .starts_with("apiVersion: "));
    CHECK(error_of(v1 + "interactiveMode: Never") == "command: is not set");
    CHECK(error_of(v1 + "command: x") == "interactiveMode: is not set");
    CHECK(error_of(v1 + "command: x\ninteractiveMode: Always").starts_with("interactiveMode: "));
    CHECK(error_of(v1 + "command: x\ninteractiveMode: Now").starts_with("interactiveMode: \"Now\"")
    );
    const std::string good = v1 + "command: x\ninteractiveMode: IfAvailable\n";
    CHECK(error_of(good) == "no error");
    CHECK(error_of(good + "args: 5") == "args: must be a list of strings");
    CHECK(error_of(good + "args: [5]") == "args: must be a list of strings");
    CHECK(error_of(good + "env: [{value: x}]") == "env: each entry needs a name");
}

TEST_CASE("a plugin is told of the cluster if it asks for that", "[kube][exec]") {
    const std::string fields = "apiVersion: client.authentication.k8s.io/v1beta1\ncommand: x\n";
    const std::string cluster =
        "server: 'https://x'\ncertificate-authority: ca.pem\nextensions:\n"
        "- name: client.authentication.k8s.io/exec\n  extension: {audience: a}\n";
    CHECK(
        make_exec_info(*read(fields, cluster)) ==
        R"({"kind":"ExecCredential","apiVersion":"client.authentication.k8s.io/v1beta1",)"
        R"("spec":{"interactive":false}})"
    );
    CHECK(
        make_exec_info(*read(fields + "provideClusterInfo: true", cluster)) ==
        R"({"kind":"ExecCredential","apiVersion":"client.authentication.k8s.io/v1beta1",)"
        R"("spec":{"interactive":false,"cluster":{"server":"https://x","config":{"audience":"a"}}}})"
    );
}

TEST_CASE("a plugin's credentials are read", "[kube][exec]") {
    const auto token = parse_exec_credential(
        answer(R"({"token":"t","expirationTimestamp":"2026-01-02T03:04:05Z"})"), plugin()
    );
    REQUIRE(token);
    CHECK(token->token == "t");
    CHECK(token->expires_at.has_value());
    const auto certificate = parse_exec_credential(
        answer(R"({"clientCertificateData":"C","clientKeyData":"K"})"), plugin()
    );
    REQUIRE(certificate);
    CHECK(certificate->certificate_pem == "C");
    CHECK(certificate->private_key_pem == "K");
    CHECK_FALSE(certificate->expires_at);
}

TEST_CASE("an answer that is no credential is refused without showing it", "[kube][exec]") {
    const std::string text = GENERATE(
        std::string("secret"),
        std::string("{}"),
        std::string(
            R"({"kind":"ExecCredential","apiVersion":"other/v1","status":{"token":"secret"}})"
        ),
        answer("null"),
        answer("{}"),
        answer(R"({"clientCertificateData":"secret"})"),
        answer(R"({"token":"secret\r\nX-Forged: 1"})"),
        answer(R"({"token":"secret","expirationTimestamp":"tomorrow"})")
    );
    CAPTURE(text);
    const auto credential = parse_exec_credential(text, plugin());
    REQUIRE_FALSE(credential);
    CHECK(credential.error().detail.find("secret") == std::string::npos);
}

}  // namespace sluice::kube
