#include "controller/process/informers.hpp"

#include "base/log.hpp"
#include "json/value.hpp"

#include <algorithm>
#include <chrono>

namespace sluice::controller {

namespace {

constexpr Duration kDiscoveryRetry = std::chrono::seconds(2);

bool lists_resource(const json::Value& list, const std::string& plural) {
    const json::Value* resources = list.find("resources");
    if (resources == nullptr || !resources->is_array()) {
        return false;
    }
    return std::ranges::any_of(resources->as_array(), [&plural](const json::Value& resource) {
        return resource.string_at("name") == plural;
    });
}

}  // namespace

Informers::Informers(Parts parts) : parts_(std::move(parts)), synced_(parts_.executor) {}

kube::ReflectorOptions Informers::reflector_options() {
    kube::ReflectorOptions options;
    options.seed = parts_.seed + entries_.size();
    options.interner = &interner_;
    return options;
}

boost::asio::awaitable<bool> Informers::is_served(kube::ResourcePath path) {
    const std::string target =
        path.group.empty() ? "/api/" + path.version : "/apis/" + path.group + "/" + path.version;
    for (;;) {
        const kube::GetOptions options;
        const auto text = co_await parts_.client.get_raw(target, options);
        if (text) {
            const auto list = json::parse(*text);
            co_return !list || lists_resource(*list, path.plural);
        }
        if (text.error().code == ErrorCode::NotFound) {
            co_return false;
        }
        if (!is_retryable(text.error().code)) {
            co_return true;
        }
        log::warning(
            "API server does not answer", {{"target", target}, {"error", text.error().detail}}
        );
        const bool waited = co_await net::pause_for(kDiscoveryRetry);
        if (!waited) {
            co_return true;
        }
    }
}

boost::asio::awaitable<void> Informers::start(net::TaskGroup* tasks) {
    for (const auto& entry : entries_) {
        if (!entry->is_needed) {
            const bool served = co_await is_served(entry->path);
            if (!served) {
                log::info(
                    "kind is not served and is left out",
                    {{"resource", kube::describe(entry->path)}}
                );
                entry->is_missing = true;
                continue;
            }
        }
        tasks->spawn(entry->run(), entry->path.plural);
    }
    synced_.notify();
}

bool Informers::has_synced() const {
    return std::ranges::all_of(entries_, [](const auto& entry) {
        return entry->is_missing || entry->is_synced;
    });
}

boost::asio::awaitable<bool> Informers::wait_synced() {
    while (!has_synced()) {
        const bool notified = co_await synced_.wait(std::chrono::seconds(1));
        if (!notified) {
            const bool cancelled = co_await net::is_cancelled();
            if (cancelled) {
                co_return false;
            }
        }
    }
    co_return true;
}

}  // namespace sluice::controller
