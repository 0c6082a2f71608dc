#include "apiserver/cluster_content.hpp"

#include "apiserver/access/default_roles.hpp"
#include "base/assert.hpp"
#include "json/value.hpp"

#include <fmt/format.h>

#include <string>
#include <string_view>
#include <utility>

namespace sluice::apiserver {

namespace {

using json::Array;
using json::Object;
using json::Value;

constexpr std::string_view kOwnAddress = "10.96.0.1";

void create(ApiServer& server, std::string_view path, const Value& object, Time now) {
    Request request = make_request("POST", std::string(path));
    request.content_type = "application/json";
    request.user_agent = "kube-apiserver";
    request.body = json::print(object);
    server.handle(std::move(request), now);
}

void add_priority_class(ApiServer& server, std::string_view name, std::int64_t value, Time now) {
    constexpr std::string_view kAdvice =
        "Used for system critical pods that must run in the cluster, but can be moved to another "
        "node if necessary.";
    constexpr std::string_view kNodeAdvice =
        "Used for system critical pods that must not be moved from their current node.";
    create(
        server,
        "/apis/scheduling.k8s.io/v1/priorityclasses",
        Object{
            {"metadata", Object{{"name", name}}},
            {"value", value},
            {"description", name == "system-node-critical" ? kNodeAdvice : kAdvice}
        },
        now
    );
}

void add_roles(ApiServer& server, Time now) {
    const auto roles = json::parse(default_roles());
    SLUICE_ASSERT(roles.has_value());
    for (const Value& object : roles->as_array()) {
        const bool is_role = object.string_at("kind") == "ClusterRole";
        const auto* plural = is_role ? "clusterroles" : "clusterrolebindings";
        create(server, fmt::format("/apis/rbac.authorization.k8s.io/v1/{}", plural), object, now);
    }
}

}  // namespace

void add_cluster_content(ApiServer& server, Time now) {
    for (const char* name : {"default", "kube-system", "kube-public", "kube-node-lease"}) {
        create(server, "/api/v1/namespaces", Object{{"metadata", Object{{"name", name}}}}, now);
    }
    add_priority_class(server, "system-cluster-critical", 2'000'000'000, now);
    add_priority_class(server, "system-node-critical", 2'000'001'000, now);
    add_roles(server, now);
}

void add_own_service(ApiServer& server, std::uint16_t port, Time now) {
    const Value labels = Object{{"component", "apiserver"}, {"provider", "kubernetes"}};
    create(
        server,
        "/api/v1/namespaces/default/services",
        Object{
            {"metadata", Object{{"name", "kubernetes"}, {"labels", labels}}},
            {"spec",
             Object{
                 {"clusterIP", kOwnAddress},
                 {"ports",
                  Array{Object{
                      {"name", "https"}, {"port", 443}, {"protocol", "TCP"}, {"targetPort", port}
                  }}}
             }}
        },
        now
    );
    const Value own_port = Object{{"name", "https"}, {"port", port}, {"protocol", "TCP"}};
    const Value skips = Object{{"endpointslice.kubernetes.io/skip-mirror", "true"}};
    create(
        server,
        "/api/v1/namespaces/default/endpoints",
        Object{
            {"metadata", Object{{"name", "kubernetes"}, {"labels", skips}}},
            {"subsets",
             Array{Object{
                 {"addresses", Array{Object{{"ip", "127.0.0.1"}}}}, {"ports", Array{own_port}}
             }}}
        },
        now
    );
    create(
        server,
        "/apis/discovery.k8s.io/v1/namespaces/default/endpointslices",
        Object{
            {"metadata",
             Object{
                 {"name", "kubernetes"},
                 {"labels", Object{{"kubernetes.io/service-name", "kubernetes"}}}
             }},
            {"addressType", "IPv4"},
            {"endpoints",
             Array{
                 Object{{"addresses", Array{"127.0.0.1"}}, {"conditions", Object{{"ready", true}}}}
             }},
            {"ports", Array{own_port}}
        },
        now
    );
}

}  // namespace sluice::apiserver
