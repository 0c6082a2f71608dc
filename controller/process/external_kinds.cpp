#include "controller/process/external_kinds.hpp"

#include "base/log.hpp"
#include "config/kind_argument.hpp"
#include "controller/kinds/builtin_kinds.hpp"
#include "job_kinds/text.hpp"
#include "json/value.hpp"
#include "net/loop/event_loop.hpp"

#include <algorithm>
#include <utility>

namespace sluice::controller {

namespace {

constexpr Duration kDelayMax = std::chrono::seconds(30);

/// Returns the resource of a kind in the response of discovery; empty if it has none. Names of
/// subresources contain a slash.
std::string find_resource(const json::Value& answer, std::string_view kind) {
    const json::Value* resources = answer.find("resources");
    if (resources == nullptr || !resources->is_array()) {
        return {};
    }
    for (const json::Value& resource : resources->as_array()) {
        const std::string_view name = resource.string_at("name");
        if (resource.string_at("kind") == kind && name.find('/') == std::string_view::npos) {
            return std::string(name);
        }
    }
    return {};
}

}  // namespace

ExternalKinds::ExternalKinds(Parts parts) : parts_(std::move(parts)) {
    for (const std::string& name : parts_.names) {
        const config::KindArgument kind = config::split_kind_argument(name);
        guessed_.push_back(std::make_shared<const kube::RunTimeKind>(kube::RunTimeKind::Names{
            .group = std::string(kind.group),
            .version = std::string(kind.version),
            .kind = std::string(kind.kind),
            .resource = job_kinds::lower_case(kind.kind) + "s",
        }));
    }
}

std::vector<Kind> ExternalKinds::expected() const {
    std::vector<Kind> kinds;
    kinds.reserve(guessed_.size());
    for (const Names& names : guessed_) {
        kinds.push_back(names->kind());
    }
    return kinds;
}

boost::asio::awaitable<ExternalKinds::Names> ExternalKinds::find(Names guessed) {
    const Kind kind = guessed->kind();
    const std::string target = (kind.group().empty() ? "/api/" : "/apis/") + kind.api_version();
    const kube::GetOptions options;
    const auto text = co_await parts_.client.get_raw(target, options);
    const auto answer = text ? json::parse(*text) : Result<json::Value>(text.error());
    if (!answer) {
        if (answer.error().code != ErrorCode::NotFound &&
            answer.error().code != ErrorCode::Canceled) {
            log::warning(
                "external kind is not found yet",
                {{"target", target}, {"error", answer.error().detail}}
            );
        }
        co_return nullptr;
    }
    std::string resource = find_resource(*answer, kind.name());
    if (resource.empty()) {
        co_return nullptr;
    }
    co_return std::make_shared<const kube::RunTimeKind>(kube::RunTimeKind::Names{
        .group = std::string(kind.group()),
        .version = std::string(kind.version()),
        .kind = std::string(kind.name()),
        .resource = std::move(resource),
    });
}

boost::asio::awaitable<void> ExternalKinds::run() {
    std::vector<Names> missing = guessed_;
    for (Duration delay = parts_.delay; !missing.empty(); delay = std::min(2 * delay, kDelayMax)) {
        std::vector<Names> still_missing;
        for (const Names& guessed : missing) {
            const Names found = co_await find(guessed);
            if (found) {
                parts_.on_found(external_job_kind(found));
            } else {
                still_missing.push_back(guessed);
            }
        }
        missing = std::move(still_missing);
        if (missing.empty()) {
            co_return;
        }
        const bool waited = co_await net::pause_for(delay);
        if (!waited) {
            co_return;
        }
    }
}

}  // namespace sluice::controller
