#include "kube/core/base64.hpp"
#include "kube/core/list_page.hpp"
#include "kube/core/raw_json.hpp"
#include "kube/core/request.hpp"
#include "kube/core/status_error.hpp"
#include "kube/core/watch_line.hpp"

#include <catch2/catch_test_macros.hpp>
#include <catch2/generators/catch_generators.hpp>

#include <string>

namespace sluice::kube {

TEST_CASE("a path becomes the target that the API server expects", "[kube][core]") {
    CHECK(
        to_target(
            {.group = {},
             .version = "v1",
             .plural = "nodes",
             .namespace_ = {},
             .name = "n1",
             .subresource = {}}
        ) == "/api/v1/nodes/n1"
    );
    CHECK(
        to_target({"batch", "v1", "jobs", "team-a", "train", "status"}) ==
        "/apis/batch/v1/namespaces/team-a/jobs/train/status"
    );
    CHECK(
        to_target({"batch", "v1", "jobs", "a/b", "../x", ""}) ==
        "/apis/batch/v1/namespaces/a%2Fb/jobs/..%2Fx"
    );
}

TEST_CASE("options go into the query, escaped, and empty ones stay out", "[kube][core]") {
    const ResourcePath jobs{"batch", "v1", "jobs", "", "", ""};
    CHECK(make_list(jobs, {}).target == "/apis/batch/v1/jobs");
    const auto list = make_list(
        jobs,
        {.label_selector = "a in (b,c)",
         .field_selector = {},
         .limit = 500,
         .continue_token = "x+y",
         .resource_version = {},
         .resource_version_match = {}}
    );
    CHECK(
        list.target ==
        "/apis/batch/v1/jobs?labelSelector=a%20in%20%28b%2Cc%29&limit=500&continue=x%2By"
    );
    const auto watch = make_watch(
        jobs,
        {.label_selector = {},
         .field_selector = {},
         .resource_version = "7",
         .server_timeout = std::chrono::minutes(5)}
    );
    CHECK(
        watch.target ==
        "/apis/batch/v1/"
        "jobs?watch=true&resourceVersion=7&allowWatchBookmarks=true&timeoutSeconds=300"
    );
    CHECK(watch.is_read);
}

TEST_CASE("apply names its manager and forces; delete carries its preconditions", "[kube][core]") {
    const ResourcePath job{"batch", "v1", "jobs", "a", "j", ""};
    const auto apply = make_apply(job, "{}", {.field_manager = "kueue-admission", .force = true});
    CHECK(apply.method == "PATCH");
    CHECK(apply.content_type == "application/apply-patch+yaml");
    CHECK(
        apply.target == "/apis/batch/v1/namespaces/a/jobs/j?fieldManager=kueue-admission&force=true"
    );
    const auto removal = make_delete(
        job, {.uid = "u1", .resource_version = "9", .propagation = Propagation::Background}
    );
    CHECK(removal.method == "DELETE");
    CHECK(
        removal.body ==
        R"({"kind":"DeleteOptions","apiVersion":"v1","propagationPolicy":"Background",)"
        R"("preconditions":{"uid":"u1","resourceVersion":"9"}})"
    );
}

TEST_CASE("a server's Status is kept whole and its reason is the code", "[kube][core]") {
    const std::string body =
        R"({"kind":"Status","message":"jobs \"x\" not found","reason":"NotFound","code":404})";
    const auto error = make_status_error(404, body, "");
    CHECK(error.code == ErrorCode::NotFound);
    CHECK(error.detail == "jobs \"x\" not found");
    CHECK(error.status == body);
    CHECK(
        make_status_error(
            504,
            R"({"kind":"Status","reason":"ServerTimeout","details":{"retryAfterSeconds":2}})",
            ""
        )
            .retry_after_seconds == 2
    );
}

TEST_CASE("an answer that is no Status is an error by its HTTP status", "[kube][core]") {
    const auto error = make_status_error(502, "<html>\nbad gateway", "");
    CHECK(error.code == ErrorCode::Unavailable);
    CHECK(error.detail == "the server answered HTTP 502: <html> bad gateway");
    CHECK(make_status_error(429, "", "17").retry_after_seconds == 17);
    CHECK(make_status_error(429, "", "soon").retry_after_seconds == 0);
    CHECK(make_status_error(403, "", "").code == ErrorCode::Forbidden);
    CHECK(make_status_error(418, "", "").code == ErrorCode::Invalid);
}

TEST_CASE("what timed out in etcd is a timeout, what a webhook broke is not", "[kube]") {
    const auto code = [](std::string_view members) {
        const std::string body = R"({"kind":"Status","code":500,)" + std::string(members) + "}";
        return make_status_error(500, body, "").code;
    };
    CHECK(code(R"("message":"etcdserver: request timed out")") == ErrorCode::Timeout);
    CHECK(
        code(R"("message":"etcdserver: request timed out, possibly due to connection lost")") ==
        ErrorCode::Timeout
    );
    CHECK(code(R"("message":"context deadline exceeded")") == ErrorCode::Timeout);
    CHECK(code(R"("message":"etcdserver: no space")") == ErrorCode::Internal);
    CHECK(
        code(R"("reason":"InternalError","message":"failed calling webhook: request timed out")") ==
        ErrorCode::Internal
    );
}

TEST_CASE("a write is repeated only when the server says that it did nothing", "[kube][core]") {
    CHECK(is_refused_before_processing(make_status_error(429, "", "")));
    CHECK(is_refused_before_processing(make_status_error(503, "", "1")));
    CHECK_FALSE(is_refused_before_processing(make_status_error(503, "", "")));
    CHECK_FALSE(is_refused_before_processing(make_status_error(504, "", "")));
}

TEST_CASE(
    "a watch line gives its object untouched, where to resume and whose it is", "[kube][core]"
) {
    const auto event = decode_watch_line(
        R"({"type":"MODIFIED","object":{"kind":"Job","metadata":{"name":"j","namespace":"a",)"
        R"("resourceVersion":"12"},"spec":{"x":"}\""}}})"
    );
    REQUIRE(event);
    CHECK(event->type == WatchEventType::Modified);
    CHECK(event->resource_version == "12");
    CHECK(event->key == NamespacedName{"a", "j"});
    CHECK(event->object.starts_with(R"({"kind":"Job")"));
    CHECK(event->object.ends_with(R"("x":"}\""}})"));
    const auto bookmark =
        decode_watch_line(R"({"type":"BOOKMARK","object":{"metadata":{"resourceVersion":"99"}}})");
    REQUIRE(bookmark);
    CHECK(bookmark->type == WatchEventType::Bookmark);
    CHECK(bookmark->resource_version == "99");
    const auto gone = decode_watch_line(
        R"({"type":"ERROR","object":{"kind":"Status","reason":"Expired","code":410}})"
    );
    REQUIRE(gone);
    CHECK(make_status_error(gone->object).code == ErrorCode::Gone);
}

TEST_CASE("a malformed watch line is one clear error", "[kube][core]") {
    const std::string line = GENERATE(
        "",
        "{",
        "[]",
        "null",
        R"({"type":"ADDED"})",
        R"({"type":"NEW","object":{}})",
        R"({"type":"ADDED","object":[]})",
        R"({"type":"ADDED","object":{"metadata":{"name":"x"}}})",
        R"({"type":"ADDED","object":{"metadata":{"resourceVersion":"1"}}})",
        R"({"type":"ADDED","object":{)",
        R"({"type":"ADDED","object":{}} x)",
        R"({"type)",
        R"({"type":"ADDED","object":{"a":"\)"
    );
    CAPTURE(line);
    const auto event = decode_watch_line(line);
    REQUIRE_FALSE(event);
    CHECK(event.error().code == ErrorCode::Invalid);
    CHECK(event.error().detail.starts_with("watch line"));
}

TEST_CASE("brackets nested without end are refused", "[kube][core]") {
    CHECK_FALSE(split_array("[" + std::string(100'000, '[')));
    CHECK_FALSE(split_array(std::string(200, '[') + std::string(200, ']')));
}

TEST_CASE("a list page is split into its items", "[kube][core]") {
    const auto page =
        decode_list_page(R"({"kind":"JobList","metadata":{"resourceVersion":"5","continue":"abc"},)"
                         R"("items":[{"a":1}, {"b":[2,{"c":3}]}]})");
    REQUIRE(page);
    CHECK(page->resource_version == "5");
    CHECK(page->continue_token == "abc");
    REQUIRE(page->items.size() == 2);
    CHECK(page->items[1] == R"({"b":[2,{"c":3}]})");
    CHECK(decode_list_page(R"({"metadata":{"resourceVersion":"5"},"items":null})")->items.empty());
    CHECK_FALSE(decode_list_page(R"({"metadata":{},"items":[]})"));
    CHECK_FALSE(decode_list_page(R"({"metadata":{"resourceVersion":"5"},"items":[{]})"));
}

TEST_CASE("base64 is read and written with padding and refused when broken", "[kube][core]") {
    for (const std::string text : {"", "f", "fo", "foo", "foob", "fooba", "foobar"}) {
        const auto back = decode_base64(encode_base64(text));
        REQUIRE(back);
        CHECK(*back == text);
    }
    CHECK(encode_base64("fooba") == "Zm9vYmE=");
    CHECK(encode_base64(std::string("\xff\0\xfe", 3)) == "/wD+");
    const std::string large((std::size_t{3} << 20U) + 1, 'x');
    CHECK(*decode_base64(encode_base64(large)) == large);
    CHECK(*decode_base64("Zm9v\nYmFy\n") == "foobar");
    for (const auto* bad :
         {"Zg",
          "Zg=",
          "Z===",
          "Zm9v!",
          "Zg==Zg",
          "Z=g=",
          "====",
          "Zm9v----",
          "----",
          "=AAA",
          "Zg==Zm9v",
          "Zm9\x80"}) {
        CAPTURE(bad);
        CHECK_FALSE(decode_base64(bad));
    }
}

}  // namespace sluice::kube
