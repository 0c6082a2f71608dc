#pragma once

#include "base/clock.hpp"
#include "base/error.hpp"

#include <string>
#include <string_view>
#include <vector>

namespace sluice::apiserver {

/// Who issues the tokens of service accounts, and whom they are for unless a request says
/// otherwise.
inline constexpr std::string_view kTokenIssuer = "https://kubernetes.default.svc";

/// An object that a token ends with.
struct BoundObject {
    std::string kind;  ///< Pod, Secret or Node
    std::string name;
    std::string uid;
};

/// What the token of a service account says: a JSON Web Token (RFC 7519) with the claims that
/// Kubernetes gives it.
struct AccountToken {
    std::string ns;
    std::string account;
    std::string uid;  ///< of the account
    std::vector<std::string> audiences{};
    std::string id;  ///< jti
    Time issued{};
    Time expires{};
    std::vector<BoundObject> bound{};
};

/// The token, signed with HMAC-SHA256 (HS256).
std::string sign_account_token(const AccountToken& token, std::string_view key);

/// Reads a token of that issuer. Errors: Invalid with why its signature or its claims are none, or
/// with "" when it is no token of the issuer's at all.
Result<AccountToken> read_account_token(std::string_view text, std::string_view key);

}  // namespace sluice::apiserver
