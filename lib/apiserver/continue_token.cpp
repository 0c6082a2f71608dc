#include "apiserver/continue_token.hpp"

#include "json/value.hpp"
#include "kube/core/base64.hpp"

#include <algorithm>

namespace sluice::apiserver {
namespace {

using json::Object;
using json::Value;

constexpr std::string_view kVersion = "meta.k8s.io/v1";

Error invalid_token(std::string_view why) {
    return make_invalid("invalid continue token: continue key is not valid: " + std::string(why));
}

}  // namespace

std::string print_token(const ContinueToken& token) {
    Value content{Object{}};
    content.set("v", kVersion);
    content.set("rv", token.is_inconsistent ? -1 : static_cast<std::int64_t>(token.version));
    content.set("start", token.start);
    auto text = kube::encode_base64(json::print(content));
    std::ranges::replace(text, '+', '-');
    std::ranges::replace(text, '/', '_');
    while (text.ends_with('=')) {
        text.pop_back();
    }
    return text;
}

Result<ContinueToken> parse_token(std::string_view text) {
    std::string standard(text);
    std::ranges::replace(standard, '-', '+');
    std::ranges::replace(standard, '_', '/');
    while (standard.size() % 4 != 0) {
        standard += '=';
    }
    const auto decoded = kube::decode_base64(standard);
    if (!decoded) {
        return invalid_token("illegal base64 data");
    }
    const auto content = json::parse(*decoded);
    if (!content) {
        return invalid_token("invalid character looking for beginning of value");
    }
    const Value* version = content->find("rv");
    if (content->string_at("v") != kVersion || version == nullptr || !version->is_int()) {
        return invalid_token("server does not recognize this encoded version \"\"");
    }
    ContinueToken token;
    token.start = content->string_at("start");
    token.is_inconsistent = version->as_int() < 0;
    token.version = token.is_inconsistent ? 0 : static_cast<std::uint64_t>(version->as_int());
    return token;
}

}  // namespace sluice::apiserver
