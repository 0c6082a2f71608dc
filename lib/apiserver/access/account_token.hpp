// Tokens of service accounts: their claims, signed and verified.
#pragma once

#include "base/clock.hpp"
#include "base/error.hpp"

#include <string>
#include <string_view>
#include <vector>

namespace sluice::apiserver {

/// The issuer of the tokens of service accounts, and their audience unless a request names another.
inline constexpr std::string_view kTokenIssuer = "https://kubernetes.default.svc";

/// An object that the token is bound to: the token is invalid after the object's deletion.
struct BoundObject {
    std::string kind;  ///< Pod, Secret or Node
    std::string name;
    std::string uid;
};

/// The claims of a service account's token, which is a JSON Web Token (RFC 7519) with Kubernetes'
/// claims.
struct AccountToken {
    std::string ns;
    std::string account;
    std::string uid;  ///< uid of the service account
    std::vector<std::string> audiences{};
    std::string id;  ///< jti
    Time issued{};
    Time expires{};
    std::vector<BoundObject> bound{};
};

/// Returns the token, signed with HMAC-SHA256 (HS256).
std::string sign_account_token(const AccountToken& token, std::string_view key);

/// Verifies and decodes a token. Errors: Invalid with the fault of the signature or of the claims,
/// or with "" if the text is not a token of this issuer.
Result<AccountToken> read_account_token(std::string_view text, std::string_view key);

}  // namespace sluice::apiserver
