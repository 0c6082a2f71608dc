#include "controller/visibility/visibility_handler.hpp"

#include "controller/visibility/openapi.hpp"
#include "json/value.hpp"
#include "net/transport/certificate.hpp"
#include "support/manual_clock.hpp"
#include "support/review_client.hpp"
#include "support/run_async.hpp"

#include <catch2/catch_test_macros.hpp>
#include <catch2/generators/catch_generators.hpp>

#include <memory>
#include <optional>
#include <regex>
#include <set>
#include <string>
#include <utility>
#include <vector>

namespace sluice::controller {
namespace {

const std::string kApi = "/apis/visibility.kueue.x-k8s.io";
const std::string kQueue = kApi + "/v1beta2/clusterqueues/cq/pendingworkloads";

std::shared_ptr<const api::Workload> make_workload(const std::string& name) {
    api::Workload made;
    made.metadata.name = name;
    made.metadata.namespace_ = "ns";
    made.metadata.labels = {{"secret", "label"}};
    made.metadata.owner_references = {
        {.api_version = "batch/v1",
         .kind = "Job",
         .name = "job",
         .uid = "u",
         .controller = true,
         .block_owner_deletion = true}
    };
    made.spec.queue_name = "lq";
    made.spec.priority = 7;
    return std::make_shared<const api::Workload>(std::move(made));
}

/// The API server lets user `viewer` see ClusterQueue `cq`, `reader` all paths that are no
/// resources.
json::Value answer_review(const kube::ResourcePath& path, const json::Value& spec) {
    if (path.plural == "tokenreviews") {
        const std::string token(spec.string_at("token"));
        return json::Object{
            {"authenticated", token != "wrong"}, {"user", json::Object{{"username", token}}}
        };
    }
    const auto* asked = spec.find("resourceAttributes");
    const std::string_view user = spec.string_at("user");
    if (asked == nullptr) {
        return json::Object{{"allowed", user == "viewer" || user == "reader"}};
    }
    return json::Object{
        {"allowed",
         user == "viewer" && asked->string_at("verb") == "get" &&
             asked->string_at("group") == "visibility.kueue.x-k8s.io" &&
             asked->string_at("resource") == "clusterqueues" &&
             asked->string_at("subresource") == "pendingworkloads" &&
             (asked->string_at("name") == "cq" || asked->string_at("name") == "none")},
        {"reason", "because"},
    };
}

struct Served {
    net::EventLoop loop;
    test::ManualClock clock;
    test::ReviewClient reviews{answer_review};
    serving::AccessReviews access{reviews, clock};
    serving::DelegatedAuthentication authentication{reviews, access, clock};
    std::vector<workload::PendingPage> pages;
    bool is_busy = false;
    VisibilityHandler handler{
        {.authentication = authentication,
         .reviews = access,
         .find_pending = [this](
                             VisibilityPath path, workload::PendingPage page
                         ) { return find(std::move(path), page); },
         .insight = {},
         .clock = clock}
    };

    boost::asio::awaitable<Result<std::optional<PendingRows>>> find(
        VisibilityPath path, workload::PendingPage page
    ) {
        pages.push_back(page);
        if (is_busy) {
            co_return Error{ErrorCode::Unavailable, "not yet", {}};
        }
        if (path.name != "cq") {
            co_return std::optional<PendingRows>();
        }
        co_return std::optional(PendingRows{{make_workload("a"), 3, 1}});
    }
    net::ServerResponse ask(const std::string& target, const std::string& token = "viewer") {
        net::ServerRequest request;
        request.method = "GET";
        request.target = target;
        if (!token.empty()) {
            request.headers.push_back({"Authorization", "Bearer " + token});
        }
        return test::run_async(loop, handler.handle(std::move(request)));
    }
    json::Value read(const std::string& target, const std::string& token = "viewer") {
        return *json::parse(ask(target, token).body);
    }
};

}  // namespace

TEST_CASE("the rows of a queue are shown as Kueue shows them", "[controller][visibility]") {
    Served served;
    const auto answer = served.ask(kQueue);
    CHECK(answer.status == 200);
    CHECK(answer.content_type == "application/json");
    CHECK(
        answer.body ==
        R"({"apiVersion":"visibility.kueue.x-k8s.io/v1beta2","kind":"PendingWorkloadsSummary",)"
        R"("items":[{"metadata":{"name":"a","namespace":"ns","ownerReferences":)"
        R"([{"apiVersion":"batch/v1","kind":"Job","name":"job","uid":"u"}]},"priority":7,)"
        R"("localQueueName":"lq","positionInClusterQueue":3,"positionInLocalQueue":1}]})"
    );
    const auto older = served.read(kApi + "/v1beta1/clusterqueues/cq/pendingworkloads");
    CHECK(older.string_at("apiVersion") == "visibility.kueue.x-k8s.io/v1beta1");
}

TEST_CASE("offset and limit have defaults and bounds", "[controller][visibility]") {
    struct Row {
        const char* query;
        std::size_t offset;
        std::size_t limit;
    };
    const auto row = GENERATE(
        Row{"", 0, 1'000},
        Row{"?limit=0&offset=0", 0, 1'000},
        Row{"?limit=5&offset=7", 7, 5},
        Row{"?limit=-1", 0, 0},
        Row{"?offset=-3", 0, 1'000},
        Row{"?limit=1000000", 0, 100'000},
        Row{"?limit=9223372036854775807&offset=9223372036854775807", 9223372036854775807, 100'000}
    );
    CAPTURE(row.query);
    Served served;
    CHECK(served.ask(kQueue + row.query).status == 200);
    REQUIRE(served.pages.size() == 1);
    CHECK(served.pages[0].offset == row.offset);
    CHECK(served.pages[0].limit == row.limit);
}

TEST_CASE("what is no number is a bad request", "[controller][visibility]") {
    Served served;
    const auto query = GENERATE("?limit=x", "?offset=1.5", "?limit=9223372036854775808");
    CAPTURE(query);
    CHECK(served.read(kQueue + query).string_at("reason") == "BadRequest");
    CHECK(served.pages.empty());
}

TEST_CASE("who may not see a queue gets to know no more than that", "[controller][visibility]") {
    Served served;
    CHECK(served.ask(kQueue, "wrong").status == 401);
    CHECK(served.ask(kQueue, "").status == 403);
    CHECK(served.ask(kApi + "/v1beta2/clusterqueues/other/pendingworkloads").status == 403);
    CHECK(
        served.ask(kApi + "/v1beta2/namespaces/ns/localqueues/cq/pendingworkloads").status == 403
    );
    const auto refusal = served.read(kQueue, "stranger");
    CHECK(refusal.string_at("reason") == "Forbidden");
    CHECK(
        refusal.string_at("message") ==
        "clusterqueues.visibility.kueue.x-k8s.io \"cq\" is forbidden: User \"stranger\" cannot get "
        "resource \"clusterqueues/pendingworkloads\" in API group \"visibility.kueue.x-k8s.io\" at "
        "the cluster scope: because"
    );
    CHECK(served.pages.empty());
    served.reviews.is_down = true;
    served.clock.advance(std::chrono::minutes(2));
    CHECK(served.ask(kQueue).status == 500);
}

TEST_CASE("headers name no user for those who are not the API server", "[controller][visibility]") {
    Served served;
    net::ServerRequest request;
    request.method = "GET";
    request.target = kQueue;
    request.headers = {{"X-Remote-User", "viewer"}, {"X-Remote-Group", "system:masters"}};
    served.reviews.got = R"({"data": {"requestheader-username-headers": "[\"X-Remote-User\"]",
        "requestheader-group-headers": "[\"X-Remote-Group\"]"}})";
    request.client_certificates = std::make_shared<const std::string>(
        net::make_authority("me", {served.clock.now()})->certificate_pem
    );
    CHECK(test::run_async(served.loop, served.handler.handle(std::move(request))).status == 401);
}

TEST_CASE("what is not there is not found", "[controller][visibility]") {
    Served served;
    const auto missing = served.read(kApi + "/v1beta2/clusterqueues/none/pendingworkloads");
    CHECK(
        missing.string_at("message") == "clusterqueue.visibility.kueue.x-k8s.io \"none\" not found"
    );
    CHECK(missing.find_path({"details", "kind"})->as_string() == "clusterqueue");
    const auto path = GENERATE(
        "",
        "/v1",
        "/v1beta2/clusterqueues",
        "/v1beta2/clusterqueues/cq",
        "/v1beta2/clusterqueues/cq/status",
        "/v1beta2/clusterqueues/cq/pendingworkloads/more",
        "/v1beta2/clusterqueues//pendingworkloads",
        "/v1beta2/localqueues/lq/pendingworkloads",
        "/v1beta2/namespaces/ns/clusterqueues/cq/pendingworkloads",
        "x/v1beta2"
    );
    CAPTURE(path);
    CHECK(served.ask(kApi + path).status == (std::string_view(path).empty() ? 200 : 404));
}

TEST_CASE("a controller that is not ready asks for patience", "[controller][visibility]") {
    Served served;
    served.is_busy = true;
    const auto answer = served.ask(kQueue);
    CHECK(answer.status == 503);
    CHECK(net::find_header(answer.headers, "Retry-After") == "1");
}

TEST_CASE("the API describes itself", "[controller][visibility]") {
    Served served;
    CHECK(served.ask("/healthz", "").status == 200);
    CHECK(served.ask("/apis", "stranger").status == 403);
    CHECK(served.read("/apis").string_at("kind") == "APIGroupList");
    const auto group = served.read(kApi, "reader");
    CHECK(group.find_path({"preferredVersion", "version"})->as_string() == "v1beta2");
    std::set<std::string> names;
    const auto list = served.read(kApi + "/v1beta1");
    for (const json::Value& resource : list.find("resources")->as_array()) {
        names.emplace(resource.string_at("name"));
    }
    CHECK(
        names ==
        std::set<std::string>{
            "clusterqueues",
            "clusterqueues/pendingworkloads",
            "localqueues",
            "localqueues/pendingworkloads",
        }
    );
    CHECK(served.handler.judge_head("POST", kQueue).refusal->status == 405);
    CHECK_FALSE(served.handler.judge_head("GET", kQueue).refusal.has_value());
}

TEST_CASE("each reference of the OpenAPI documents leads somewhere", "[controller][visibility]") {
    struct Row {
        const std::string& text;
        std::vector<std::string_view> models;
        std::string prefix;
    };
    const auto row = GENERATE(
        Row{openapi_v2(), {"definitions"}, "#/definitions/"},
        Row{openapi_v3("v1beta1"), {"components", "schemas"}, "#/components/schemas/"},
        Row{openapi_v3("v1beta2"), {"components", "schemas"}, "#/components/schemas/"}
    );
    const auto document = json::parse(row.text);
    REQUIRE(document);
    const json::Value* models = document->find(row.models[0]);
    models = row.models.size() > 1 ? models->find(row.models[1]) : models;
    const std::regex reference("\"\\$ref\":\"([^\"]+)\"");
    std::size_t found = 0;
    for (std::sregex_iterator at(row.text.begin(), row.text.end(), reference), end; at != end;
         ++at) {
        const std::string target = (*at)[1];
        REQUIRE(target.starts_with(row.prefix));
        CHECK(models->find(target.substr(row.prefix.size())) != nullptr);
        ++found;
    }
    CHECK(found >= 3);
}

}  // namespace sluice::controller
