#include "apiserver/access/account_token.hpp"

#include "apiserver/objects/values.hpp"
#include "base/sha256.hpp"
#include "json/reader.hpp"
#include "json/value.hpp"
#include "kube/core/base64.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <array>
#include <chrono>
#include <cstddef>
#include <optional>
#include <utility>

namespace sluice::apiserver {

namespace {

using json::Value;

constexpr std::string_view kHeader = R"({"alg":"HS256"})";
constexpr std::string_view kClaims = "kubernetes.io";
constexpr std::string_view kAccountClaim = "serviceaccount";

/// The kinds that a token can be bound to, by the names of their claims.
constexpr std::array<std::pair<std::string_view, std::string_view>, 3> kBoundClaims{
    {{"pod", "Pod"}, {"secret", "Secret"}, {"node", "Node"}}
};

/// Encodes in base64url without padding (RFC 4648, section 5).
std::string encode_part(std::string_view bytes) {
    std::string text = kube::encode_base64(bytes);
    text.erase(std::min(text.find('='), text.size()));
    std::ranges::replace(text, '+', '-');
    std::ranges::replace(text, '/', '_');
    return text;
}

std::optional<std::string> decode_part(std::string_view part) {
    std::string text(part);
    if (text.find_first_of("+/=") != std::string::npos) {
        return std::nullopt;
    }
    std::ranges::replace(text, '-', '+');
    std::ranges::replace(text, '_', '/');
    text.append((4 - text.size() % 4) % 4, '=');
    auto bytes = kube::decode_base64(text);
    return bytes ? std::optional(std::move(*bytes)) : std::nullopt;
}

std::int64_t seconds_of(Time time) {
    return std::chrono::floor<std::chrono::seconds>(time.time_since_epoch()).count();
}

Time time_of(std::int64_t seconds) {
    return Time() + std::chrono::seconds(seconds);
}

Value reference(std::string_view name, std::string_view uid) {
    return json::Object{{"name", name}, {"uid", uid}};
}

Error foreign() {
    return make_invalid("");
}

AccountToken read_claims(const Value& claims) {
    AccountToken token{
        .ns = std::string(text_at(claims, {kClaims, "namespace"})),
        .account = std::string(text_at(claims, {kClaims, kAccountClaim, "name"})),
        .uid = std::string(text_at(claims, {kClaims, kAccountClaim, "uid"})),
        .audiences = texts_of(claims.find("aud")),
        .id = std::string(claims.string_at("jti")),
        .issued = time_of(int_at(claims, "iat", 0)),
        .expires = time_of(int_at(claims, "exp", 0)),
        .bound = {},
    };
    for (const auto& [claim, kind] : kBoundClaims) {
        if (claims.find_path({kClaims, claim}) != nullptr) {
            token.bound.push_back(
                {.kind = std::string(kind),
                 .name = std::string(text_at(claims, {kClaims, claim, "name"})),
                 .uid = std::string(text_at(claims, {kClaims, claim, "uid"}))}
            );
        }
    }
    return token;
}

}  // namespace

std::string sign_account_token(const AccountToken& token, std::string_view key) {
    json::Array audiences(token.audiences.begin(), token.audiences.end());
    Value own = json::Object{{"namespace", token.ns}};
    for (const BoundObject& bound : token.bound) {
        for (const auto& [claim, kind] : kBoundClaims) {
            if (kind == bound.kind) {
                own.set(claim, reference(bound.name, bound.uid));
            }
        }
    }
    own.set(kAccountClaim, reference(token.account, token.uid));
    const Value claims = json::Object{
        {"aud", std::move(audiences)},
        {"exp", seconds_of(token.expires)},
        {"iat", seconds_of(token.issued)},
        {"iss", kTokenIssuer},
        {"jti", token.id},
        {std::string(kClaims), std::move(own)},
        {"nbf", seconds_of(token.issued)},
        {"sub", fmt::format("system:serviceaccount:{}:{}", token.ns, token.account)},
    };
    const std::string said =
        fmt::format("{}.{}", encode_part(kHeader), encode_part(json::print(claims)));
    return fmt::format("{}.{}", said, encode_part(hmac_sha256(key, said)));
}

Result<AccountToken> read_account_token(std::string_view text, std::string_view key) {
    const std::size_t first = text.find('.');
    const std::size_t last = text.rfind('.');
    if (first == std::string_view::npos || first == last) {
        return foreign();
    }
    const auto claims_text = decode_part(text.substr(first + 1, last - first - 1));
    const auto claims = claims_text ? json::parse(*claims_text) : Result<Value>(foreign());
    if (!claims || claims->string_at("iss") != kTokenIssuer) {
        return foreign();
    }
    const auto code = decode_part(text.substr(last + 1));
    if (text.substr(0, first) != encode_part(kHeader) || !code ||
        !is_equal_secret(*code, hmac_sha256(key, text.substr(0, last)))) {
        return make_invalid("the signature is not that of this server");
    }
    return read_claims(*claims);
}

}  // namespace sluice::apiserver
