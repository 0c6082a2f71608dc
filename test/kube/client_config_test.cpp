#include "kube/client/client_config.hpp"

#include "kube/client/token_source.hpp"
#include "kube/core/base64.hpp"
#include "support/temporary_folder.hpp"
#include "yaml/parse.hpp"

#include <catch2/catch_test_macros.hpp>
#include <catch2/generators/catch_generators.hpp>

#include <string>

namespace sluice::kube {
namespace {

/// A kubeconfig with the given content of its cluster and user, in YAML flow style.
std::string kubeconfig(const std::string& cluster, const std::string& user) {
    return "apiVersion: v1\nkind: Config\ncurrent-context: main\n"
           "contexts:\n- name: main\n  context: {cluster: c, user: u, namespace: team-a}\n"
           "- {name: lost, context: {cluster: nowhere, user: u}}\n- {name: empty}\n"
           "clusters:\n- name: c\n  cluster: {" +
           cluster + "}\nusers:\n- name: u\n  user: {" + user + "}\n";
}

Result<ClientConfig> load(
    const std::string& text, const std::string& context = {}, const std::string& folder = "/nowhere"
) {
    const auto value = yaml::parse_document(text);
    REQUIRE(value);
    return load_kubeconfig(*value, context, folder);
}

std::string error_of(const std::string& text, const std::string& context = {}) {
    const auto config = load(text, context);
    return config ? "no error" : config.error().detail;
}

}  // namespace

TEST_CASE("a server's URL gives host, port, path and TLS", "[kube][config]") {
    struct Row {
        const char* server;
        const char* host;
        int port;
        const char* path;
        bool tls;
    };
    const auto row = GENERATE(
        Row{"https://10.0.0.1:6443", "10.0.0.1", 6443, "", true},
        Row{"https://api.example.com", "api.example.com", 443, "", true},
        Row{"https://api.example.com/", "api.example.com", 443, "", true},
        Row{"https://[fd00::1]:6443/k8s/clusters/c-1/", "fd00::1", 6443, "/k8s/clusters/c-1", true},
        Row{"https://[::1]", "::1", 443, "", true},
        Row{"http://localhost:8080", "localhost", 8080, "", false}
    );
    CAPTURE(row.server);
    const auto config = load(kubeconfig("server: '" + std::string(row.server) + "'", ""));
    REQUIRE(config);
    CHECK(config->host == row.host);
    CHECK(config->port == row.port);
    CHECK(config->base_path == row.path);
    CHECK(config->use_tls == row.tls);
    CHECK(config->namespace_ == "team-a");
    CHECK(config->tls.verify);
}

TEST_CASE("a server that is no URL is refused", "[kube][config]") {
    const std::string server = GENERATE(
        "",
        "10.0.0.1:6443",
        "ftp://x",
        "https://",
        "https://x:0",
        "https://x:70000",
        "https://x:6443x",
        "https://[::1",
        "https://x?a",
        "https://[::1]6443"
    );
    CAPTURE(server);
    CHECK(
        error_of(kubeconfig("server: '" + server + "'", "")) ==
        "kubeconfig: cluster \"c\": server: \"" + server + "\" is not a URL"
    );
}

TEST_CASE("user information in a server's URL is refused and not repeated", "[kube][config]") {
    const std::string server = GENERATE(
        "https://admin:pw@host",
        "https://pw@host:6443",
        "https://admin:p/w@host",
        "https://admin:p#w@host",
        "admin:pw@host",
        "ftp://admin:pw@host"
    );
    CAPTURE(server);
    CHECK(
        error_of(kubeconfig("server: '" + server + "'", "")) ==
        "kubeconfig: cluster \"c\": server: user information is not supported"
    );
}

TEST_CASE(
    "what is inline stands above what a file holds; files count from the kubeconfig",
    "[kube][config]"
) {
    const test::TemporaryFolder folder;
    folder.write("ca.pem", "CA FILE");
    folder.write("c.pem", "CERT FILE");
    folder.write("k.pem", "KEY FILE");
    const auto files = load(
        kubeconfig(
            "server: 'https://x', certificate-authority: ca.pem, tls-server-name: api.internal",
            "client-certificate: c.pem, client-key: " + folder.path() + "/k.pem, tokenFile: token"
        ),
        {},
        folder.path()
    );
    REQUIRE(files);
    CHECK(files->tls.ca_pem == "CA FILE");
    CHECK(files->tls.certificate_pem == "CERT FILE");
    CHECK(files->tls.private_key_pem == "KEY FILE");
    CHECK(files->tls.server_name == "api.internal");
    CHECK(files->token_file == folder.path() + "/token");
    const auto both = load(
        kubeconfig(
            "server: 'https://x', certificate-authority: ca.pem, certificate-authority-data: " +
                encode_base64("CA DATA"),
            "client-certificate-data: " + encode_base64("CERT DATA") +
                ", client-key-data: " + encode_base64("KEY DATA") + ", token: secret"
        ),
        {},
        folder.path()
    );
    REQUIRE(both);
    CHECK(both->tls.ca_pem == "CA DATA");
    CHECK(both->tls.certificate_pem == "CERT DATA");
    CHECK(both->bearer_token == "secret");
}

TEST_CASE("what is not supported is refused by its name, not overlooked", "[kube][config]") {
    const std::string field = GENERATE("auth-provider: {name: gcp}", "username: u", "password: p");
    CAPTURE(field);
    const auto name = field.substr(0, field.find(':'));
    CHECK(
        error_of(kubeconfig("server: 'https://x'", field)) ==
        "kubeconfig: user \"u\": " + name + ": is not supported"
    );
    CHECK(
        error_of(kubeconfig("server: 'https://x', proxy-url: 'socks5://p'", "")) ==
        "kubeconfig: cluster \"c\": proxy-url: not an http URL; other kinds of proxies are not "
        "supported"
    );
    CHECK(
        error_of(kubeconfig("server: 'https://x', proxy-url: ''", "as-groups: []")) == "no error"
    );
}

TEST_CASE("another identity is taken from the user", "[kube][config]") {
    const auto config = load(kubeconfig(
        "server: 'https://x'",
        "as: jane, as-uid: '7', as-groups: [a, b], as-user-extra: {scopes: [view, edit]}"
    ));
    REQUIRE(config);
    CHECK(config->impersonate.user == "jane");
    CHECK(config->impersonate.uid == "7");
    CHECK(config->impersonate.groups == std::vector<std::string>{"a", "b"});
    CHECK(config->impersonate.extra.at("scopes") == std::vector<std::string>{"view", "edit"});
    const std::string user = "kubeconfig: user \"u\": ";
    CHECK(
        error_of(kubeconfig("server: 'https://x'", "as-groups: [g]")) ==
        user + "as: is required with as-uid, as-groups and as-user-extra"
    );
    CHECK(
        error_of(kubeconfig("server: 'https://x'", "as: x, as-groups: g")) ==
        user + "as-groups: must be a list of strings"
    );
    CHECK(
        error_of(kubeconfig("server: 'https://x'", "as: \"x\\ny\"")) ==
        user + "as: must be one line"
    );
}

TEST_CASE("a plugin gets the certificates of the cluster from their file", "[kube][config]") {
    const test::TemporaryFolder folder;
    folder.write("ca.pem", "CA FILE");
    const auto config = load(
        kubeconfig(
            "server: 'https://x', certificate-authority: ca.pem",
            "exec: {apiVersion: client.authentication.k8s.io/v1, command: p, interactiveMode: "
            "Never, provideClusterInfo: true}"
        ),
        {},
        folder.path()
    );
    REQUIRE(config);
    REQUIRE(config->exec);
    CHECK(
        config->exec->cluster.string_at("certificate-authority-data") == encode_base64("CA FILE")
    );
}

TEST_CASE("a user without credentials is one", "[kube][config]") {
    std::string text = kubeconfig("server: 'https://x'", "");
    const std::string_view user = "user: {}";
    const std::size_t at = text.rfind(user);
    REQUIRE(at != std::string::npos);
    text.replace(at, user.size(), "user: null");
    const auto config = load(text);
    REQUIRE(config);
    CHECK(config->bearer_token.empty());
}

TEST_CASE("each mistake is one error that names the place", "[kube][config]") {
    struct Row {
        const char* cluster;
        const char* user;
        const char* error;
    };
    const auto row = GENERATE(
        Row{"server: 5", "", "kubeconfig: cluster \"c\": server: must be a string"},
        Row{"server: 'https://x', certificate-authority: missing.pem",
            "",
            "kubeconfig: cluster \"c\": certificate-authority: file /nowhere/missing.pem: No such "
            "file or directory"},
        Row{"server: 'https://x', certificate-authority-data: '!!'",
            "",
            "kubeconfig: cluster \"c\": certificate-authority-data: not base64"},
        Row{"server: 'https://x', insecure-skip-tls-verify: 'yes'",
            "",
            "kubeconfig: cluster \"c\": insecure-skip-tls-verify: must be true or false"},
        Row{"server: 'https://x', insecure-skip-tls-verify: true, certificate-authority-data: QQ==",
            "",
            "kubeconfig: cluster \"c\": insecure-skip-tls-verify: cannot be combined with a "
            "certificate-authority"},
        Row{"server: 'https://x'",
            "client-certificate-data: QQ==",
            "kubeconfig: user \"u\": client-certificate: needs a client-key"},
        Row{"server: 'https://x'",
            "client-key-data: QQ==",
            "kubeconfig: user \"u\": client-key: needs a client-certificate"},
        Row{"server: 'https://x'", "token: [1]", "kubeconfig: user \"u\": token: must be a string"}
    );
    CHECK(error_of(kubeconfig(row.cluster, row.user)) == row.error);
}

TEST_CASE("a token is exposed where the connection is not encrypted", "[kube][config]") {
    const auto exposes = [](const std::string& server, const std::string& user) {
        const auto config = load(kubeconfig("server: '" + server + "'", user));
        REQUIRE(config);
        return exposes_token(*config);
    };
    CHECK(exposes("http://example.com", "token: t"));
    CHECK(exposes("http://example.com", "tokenFile: /t"));
    CHECK_FALSE(exposes("http://example.com", ""));
    CHECK_FALSE(exposes("https://example.com", "token: t"));
}

TEST_CASE("a context that leads nowhere is one error", "[kube][config]") {
    const auto text = kubeconfig("server: 'https://x'", "");
    CHECK(error_of(text, "other") == "kubeconfig: contexts has no entry \"other\"");
    CHECK(
        error_of(text, "lost") == "context \"lost\": kubeconfig: clusters has no entry \"nowhere\""
    );
    CHECK(error_of(text, "empty") == "kubeconfig: contexts \"empty\" has no context");
    CHECK(error_of("{}") == "kubeconfig: current-context is not set");
    CHECK(error_of("[1]") == "kubeconfig: is not a map of fields");
    CHECK(error_of("current-context: a\ncontexts: 5") == "kubeconfig: contexts has no entry \"a\"");
}

TEST_CASE("a pod finds its service account", "[kube][config]") {
    const test::TemporaryFolder folder;
    InClusterSource source{
        {{"KUBERNETES_SERVICE_HOST", "fd00::1"}, {"KUBERNETES_SERVICE_PORT", "443"}}, folder.path()
    };
    CHECK(load_in_cluster(source).error().detail.starts_with("service account: file"));
    folder.write("ca.crt", "CA");
    folder.write("token", "t1\n");
    folder.write("namespace", "kueue-system");
    const auto config = load_in_cluster(source);
    REQUIRE(config);
    CHECK(config->host == "fd00::1");
    CHECK(config->namespace_ == "kueue-system");
    CHECK(config->token_file == folder.path() + "/token");
    source.environment["KUBERNETES_SERVICE_PORT"] = "tcp";
    CHECK(load_in_cluster(source).error().code == ErrorCode::Invalid);
    CHECK(load_in_cluster({}).error().code == ErrorCode::NotFound);
}

TEST_CASE(
    "a token is read again when its file changes and kept when it vanishes", "[kube][config]"
) {
    const test::TemporaryFolder folder;
    ClientConfig config;
    config.bearer_token = "fixed";
    config.token_file = folder.path() + "/token";
    TokenSource tokens(config);
    CHECK(tokens.token() == "fixed");
    folder.write("token", "one\n");
    CHECK(tokens.token() == "one");
    folder.write("token", "another");
    CHECK(tokens.token() == "another");
    CHECK_FALSE(tokens.reload());
    folder.write("token", "two lines\r\nX-Evil: 1");
    CHECK(tokens.token() == "another");
    folder.remove("token");
    CHECK(tokens.token() == "another");
    folder.write("token", "three");
    CHECK(tokens.reload());
    CHECK(tokens.token() == "three");
}

}  // namespace sluice::kube
