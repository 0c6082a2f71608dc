#include "apiserver/subresources/token_requests.hpp"

#include "api/meta/micro_time.hpp"
#include "apiserver/access/account_token.hpp"
#include "apiserver/objects/values.hpp"
#include "apiserver/operations/conformed_object.hpp"
#include "apiserver/state/deletion_mark.hpp"
#include "apiserver/types/body.hpp"
#include "apiserver/types/failures.hpp"
#include "base/sha256.hpp"

#include <fmt/format.h>
#include <fmt/ranges.h>

#include <algorithm>
#include <array>
#include <chrono>
#include <cstdint>
#include <iterator>
#include <optional>
#include <utility>

namespace sluice::apiserver {

namespace {

using json::Value;

constexpr std::int64_t kSecondsDefault = 3600;
constexpr std::int64_t kSecondsMin = 600;
constexpr std::int64_t kSecondsMax = std::int64_t{1} << 32;
constexpr std::string_view kExtra = "authentication.kubernetes.io/";
const Collection account_collection{"", "serviceaccounts"};

/// The kinds that a token can be bound to, and their resources.
struct BoundKind {
    std::string_view kind;
    std::string_view plural;
    bool is_namespaced = true;
};
constexpr std::array<BoundKind, 3> kBoundKinds{
    {{.kind = "Pod", .plural = "pods"},
     {.kind = "Secret", .plural = "secrets"},
     {.kind = "Node", .plural = "nodes", .is_namespaced = false}}
};

Snapshot find_bound(
    const State& state, const BoundKind& kind, std::string_view ns, std::string_view name
) {
    return state.store.find(
        {"", std::string(kind.plural)},
        {kind.is_namespaced ? std::string(ns) : std::string(), std::string(name)}
    );
}

/// Returns the key that signs tokens. It is derived from the administrator's token, so it is as
/// secret as that one.
std::string signing_key(const State& state) {
    return hmac_sha256(state.administrator_token, "tokens of service accounts");
}

ResourceType token_request_type(const Route& route) {
    ResourceType type = *route.type;
    type.group = "authentication.k8s.io";
    type.version = "v1";
    type.kind = "TokenRequest";
    return type;
}

class TokenRequestAnswer {
  public:
    TokenRequestAnswer(State& state, const Request& request, const Route& route, Time now)
        : state_(state),
          request_(request),
          route_(route),
          now_(now),
          type_(token_request_type(route)) {}

    Result<Response> run() {
        const Snapshot account = state_.store.find(account_collection, {route_.ns, route_.name});
        if (!account) {
            return not_found(*route_.type, route_.name);
        }
        auto body = read_body_of(request_, type_);
        if (!body) {
            return body.error();
        }
        object_ = std::move(body->object);
        auto warnings = conform(
            type_,
            object_,
            {.validation = to_field_validation(request_.parameter("fieldValidation")),
             .duplicates = std::move(body->duplicates)}
        );
        if (!warnings) {
            return warnings.error();
        }
        if (auto fault = check_names()) {
            return *fault;
        }
        token_.ns = route_.ns;
        token_.account = route_.name;
        token_.uid = text_at(*account, {"metadata", "uid"});
        if (auto fault = read_spec()) {
            return *fault;
        }
        if (auto fault = bind()) {
            return *fault;
        }
        Response response = make_response(answer(), 201);
        response.warnings = std::move(*warnings);
        return response;
    }

  private:
    std::optional<Error> check_names() const {
        const std::string_view ns = text_at(object_, {"metadata", "namespace"});
        if (!ns.empty() && ns != route_.ns) {
            return bad_request(
                "the namespace of the provided object does not match the namespace sent on the "
                "request"
            );
        }
        const std::string_view name = text_at(object_, {"metadata", "name"});
        if (!name.empty() && name != route_.name) {
            return invalid(
                type_,
                route_.name,
                {api::FieldError::invalid(
                    "metadata.name", name, "must match the service account name if specified"
                )}
            );
        }
        return std::nullopt;
    }

    std::optional<Error> read_spec() {
        Value& spec = object_at(object_, "spec");
        token_.audiences = texts_of(spec.find("audiences"));
        if (token_.audiences.empty()) {
            token_.audiences = {std::string(kTokenIssuer)};
        }
        seconds_ = int_at(spec, "expirationSeconds", kSecondsDefault);
        std::string_view fault;
        if (seconds_ < kSecondsMin) {
            fault = "may not specify a duration less than 10 minutes";
        } else if (seconds_ > kSecondsMax) {
            fault = "may not specify a duration larger than 2^32 seconds";
        }
        if (!fault.empty()) {
            return invalid(
                type_, "", {api::FieldError::invalid("spec.expirationSeconds", seconds_, fault)}
            );
        }
        token_.issued = std::chrono::floor<std::chrono::seconds>(now_);
        token_.expires = token_.issued + std::chrono::seconds(seconds_);
        token_.id = state_.new_uid();
        return std::nullopt;
    }

    std::optional<Error> bind() {
        const Value* reference = object_.find_path({"spec", "boundObjectRef"});
        if (reference == nullptr || !reference->is_object()) {
            return std::nullopt;
        }
        const std::string_view kind = reference->string_at("kind");
        const std::string_view version = reference->string_at("apiVersion");
        const auto* const bound_kind =
            std::ranges::find(kBoundKinds, kind, [](const BoundKind& each) { return each.kind; });
        if (bound_kind == kBoundKinds.end() || version != "v1") {
            return bad_request(fmt::format(
                "cannot bind token to object of type {}{}, Kind={}",
                version.find('/') == std::string_view::npos ? "/" : "",
                version,
                kind
            ));
        }
        const std::string_view name = reference->string_at("name");
        const Snapshot object = find_bound(state_, *bound_kind, route_.ns, name);
        if (!object) {
            ResourceType type;
            type.kind = kind;
            type.plural = bound_kind->plural;
            return not_found(type, name);
        }
        const std::string_view uid = reference->string_at("uid");
        const std::string_view own = text_at(*object, {"metadata", "uid"});
        if (!uid.empty() && uid != own) {
            ResourceType type;
            type.plural = kind;
            return conflict(
                type,
                name,
                fmt::format(
                    "the UID in the bound object reference ({}) does not match the UID in record. "
                    "The object might have been deleted and then recreated",
                    uid
                )
            );
        }
        token_.bound.push_back({std::string(kind), std::string(name), std::string(own)});
        return kind == "Pod" ? bind_to_node(*object) : std::nullopt;
    }

    /// Binds the token of a pod to the pod's node, too.
    std::optional<Error> bind_to_node(const Value& pod) {
        if (text_at(pod, {"spec", "serviceAccountName"}) != route_.name) {
            return bad_request(fmt::format(
                "cannot bind token for serviceaccount \"{}\" to pod running with different "
                "serviceaccount name.",
                route_.name
            ));
        }
        const std::string_view node = text_at(pod, {"spec", "nodeName"});
        const Snapshot object =
            node.empty() ? nullptr : state_.store.find({"", "nodes"}, {"", std::string(node)});
        if (object) {
            token_.bound.push_back(
                {"Node", std::string(node), std::string(text_at(*object, {"metadata", "uid"}))}
            );
        }
        return std::nullopt;
    }

    Value answer() {
        Value metadata = object_at(object_, "metadata");
        metadata.set("name", route_.name);
        metadata.set("namespace", route_.ns);
        metadata.set("uid", token_.uid);
        metadata.set("creationTimestamp", api::to_string(now_));
        const Value* bound = object_.find_path({"spec", "boundObjectRef"});
        json::Array audiences(token_.audiences.begin(), token_.audiences.end());
        Value spec = json::Object{
            {"audiences", std::move(audiences)},
            {"expirationSeconds", seconds_},
            {"boundObjectRef", bound == nullptr ? Value() : *bound}
        };
        return json::Object{
            {"kind", type_.kind},
            {"apiVersion", type_.api_version()},
            {"metadata", std::move(metadata)},
            {"spec", std::move(spec)},
            {"status",
             json::Object{
                 {"token", sign_account_token(token_, signing_key(state_))},
                 {"expirationTimestamp", api::to_string(token_.expires)}
             }}
        };
    }

    State& state_;
    const Request& request_;
    const Route& route_;
    Time now_;
    ResourceType type_;
    Value object_;
    AccountToken token_;
    std::int64_t seconds_ = 0;
};

std::string print_audiences(const std::vector<std::string>& audiences) {
    std::vector<std::string> quoted;
    quoted.reserve(audiences.size());
    for (const std::string& each : audiences) {
        quoted.push_back(fmt::format("\"{}\"", each));
    }
    return fmt::format("[{}]", fmt::join(quoted, " "));
}

std::vector<std::string> common_audiences(
    const std::vector<std::string>& wanted, const std::vector<std::string>& has
) {
    std::vector<std::string> common;
    std::ranges::copy_if(wanted, std::back_inserter(common), [&has](const std::string& each) {
        return std::ranges::find(has, each) != has.end();
    });
    return common;
}

/// Returns why the token is not valid any more; "" if it is valid.
std::string find_token_fault(const State& state, const AccountToken& token, Time now) {
    if (now < token.issued) {
        return "service account token is not valid yet";
    }
    if (now >= token.expires) {
        return "service account token has expired";
    }
    const Snapshot account = state.store.find(account_collection, {token.ns, token.account});
    if (!account) {
        return fmt::format("serviceaccounts \"{}\" not found", token.account);
    }
    if (const auto uid = text_at(*account, {"metadata", "uid"}); uid != token.uid) {
        return fmt::format("service account UID ({}) does not match claim ({})", uid, token.uid);
    }
    // The token of a pod stays valid after the node of the pod is deleted.
    const bool has_pod = std::ranges::any_of(token.bound, [](const BoundObject& bound) {
        return bound.kind == "Pod";
    });
    for (const BoundObject& bound : token.bound) {
        const auto* const kind = std::ranges::find(
            kBoundKinds, bound.kind, [](const BoundKind& each) { return each.kind; }
        );
        if (kind == kBoundKinds.end() || (has_pod && bound.kind == "Node")) {
            continue;
        }
        const Snapshot object = find_bound(state, *kind, token.ns, bound.name);
        if (!object || text_at(*object, {"metadata", "uid"}) != bound.uid) {
            return "service account token has been invalidated";
        }
    }
    return "";
}

Subject holder_of(const AccountToken& token) {
    Subject subject{
        .user = fmt::format("system:serviceaccount:{}:{}", token.ns, token.account),
        .groups =
            {"system:serviceaccounts",
             fmt::format("system:serviceaccounts:{}", token.ns),
             "system:authenticated"},
        .uid = token.uid,
        .extra = {{fmt::format("{}credential-id", kExtra), {fmt::format("JTI={}", token.id)}}},
    };
    for (const BoundObject& bound : token.bound) {
        if (bound.kind == "Pod" || bound.kind == "Node") {
            const std::string_view what = bound.kind == "Pod" ? "pod" : "node";
            subject.extra[fmt::format("{}{}-name", kExtra, what)] = {bound.name};
            subject.extra[fmt::format("{}{}-uid", kExtra, what)] = {bound.uid};
        }
    }
    return subject;
}

Value authenticated(const Subject& holder, const std::vector<std::string>& audiences) {
    json::Array shown(audiences.begin(), audiences.end());
    return json::Object{
        {"authenticated", true}, {"user", user_info(holder)}, {"audiences", std::move(shown)}
    };
}

}  // namespace

Response answer_token_request(State& state, const Request& request, const Route& route, Time now) {
    auto answer = TokenRequestAnswer(state, request, route, now).run();
    return answer ? std::move(*answer) : make_response(answer.error());
}

Result<Value> judge_token_review(const State& state, const Value& review, Time now) {
    const std::string_view token = text_at(review, {"spec", "token"});
    if (token.empty()) {
        return bad_request("token is required for TokenReview in authentication");
    }
    std::vector<std::string> audiences = texts_of(review.find_path({"spec", "audiences"}));
    if (audiences.empty()) {
        audiences = {std::string(kTokenIssuer)};
    }
    if (!state.administrator_token.empty() && is_equal_secret(token, state.administrator_token)) {
        const auto common = common_audiences(audiences, {std::string(kTokenIssuer)});
        return common.empty() ? Value(json::Object{{"user", json::Object()}})
                              : authenticated(subject_of(Request()), common);
    }
    const auto holder = identify_account(state, token, audiences, now);
    if (!holder) {
        const std::string why = holder.error().detail;
        return Value(json::Object{
            {"user", json::Object()},
            {"error",
             why.empty() ? "invalid bearer token" : fmt::format("[invalid bearer token, {}]", why)}
        });
    }
    const auto read = read_account_token(token, signing_key(state));
    return authenticated(
        *holder, common_audiences(audiences, read ? read->audiences : std::vector<std::string>())
    );
}

Result<Subject> identify_account(
    const State& state, std::string_view token, const std::vector<std::string>& audiences, Time now
) {
    if (state.administrator_token.empty()) {
        return make_invalid("");  // with an empty key anybody could sign tokens
    }
    const auto read = read_account_token(token, signing_key(state));
    if (!read) {
        return read.error();
    }
    if (common_audiences(audiences, read->audiences).empty()) {
        return make_invalid(fmt::format(
            "token audiences {} is invalid for the target audiences {}",
            print_audiences(read->audiences),
            print_audiences(audiences)
        ));
    }
    if (std::string fault = find_token_fault(state, *read, now); !fault.empty()) {
        return make_invalid(std::move(fault));
    }
    return holder_of(*read);
}

}  // namespace sluice::apiserver
