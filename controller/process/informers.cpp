#include "controller/process/informers.hpp"

#include "base/log.hpp"
#include "json/value.hpp"

#include <algorithm>
#include <chrono>

namespace sluice::controller {

namespace {

constexpr Duration kDiscoveryRetry = std::chrono::seconds(2);
constexpr Duration kBeginAnewEvery = std::chrono::minutes(1);

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
        tasks->spawn(follow(entry.get()), entry->path.plural);
    }
    synced_.notify();
}

boost::asio::awaitable<void> Informers::follow(EntryBase* entry) {
    for (;;) {
        net::TaskGroup run(parts_.executor, entry->path.plural);
        run.spawn(entry->run());
        co_await entry->begin_anew.wait();
        co_await run.stop(Duration::zero());
        const auto cancelled = co_await net::is_cancelled();
        if (cancelled) {
            co_return;
        }
    }
}

void Informers::begin_anew(const kube::ResourcePath& resource) {
    const auto found = std::ranges::find_if(entries_, [&resource](const auto& entry) {
        return entry->path.group == resource.group && entry->path.plural == resource.plural;
    });
    const Time now = parts_.clock.now();
    if (found == entries_.end() || now < (*found)->begun_anew_at + kBeginAnewEvery) {
        return;
    }
    log::warning("watch is late and begins anew", {{"resource", resource.plural}});
    (*found)->begun_anew_at = now;
    (*found)->begin_anew.notify();
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
