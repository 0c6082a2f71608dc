#include "controller/scheduler/state_feeder.hpp"

#include <utility>

namespace sluice::controller {

void StateFeeder::follow_clock() {
    // Read both clocks here: a `now` that was read earlier would look like a clock set back.
    const Time now = clock_.now();
    const Duration step = clock_steps_.observe(now, clock_.instant());
    if (step != Duration::zero()) {
        driver_.step_clock(step, now);
    }
}

void StateFeeder::apply(const engine::Event& event, Time now) {
    follow_clock();
    driver_.deliver(event, now);
}

void StateFeeder::translate(const ObjectKey& key, Time now) {
    const KindEntry* entry = context_.registry.find(key.kind);
    if (entry == nullptr || !entry->translate) {
        return;
    }
    const EngineInput input{
        .stores = context_.stores,
        .translator = translator_,
        .state = driver_.state(),
        .job_kinds = context_.registry.job_kinds(),
        .apply = [this, now](const engine::Event& event) { apply(event, now); },
    };
    entry->translate(input, {key.ns, key.name});
}

void StateFeeder::feed_all(Time now) {
    for (const KindEntry& entry : context_.registry.all()) {
        const kube::AnyStore* store = context_.stores.find(entry.kind);
        if (!entry.translate || store == nullptr) {
            continue;
        }
        for (const kube::NamespacedName& name : store->names()) {
            translate({entry.kind, name.namespace_, name.name}, now);
        }
    }
    is_fed_ = true;
}

void StateFeeder::changed(const kube::AnyChange& change, Time now) {
    if (!is_fed_) {
        return;
    }
    translate(change.key, now);
    translate_after(context_, change, [this, now](const ObjectKey& key) { translate(key, now); });
}

void StateFeeder::workload_changed(const std::string& ns, const std::string& name, Time now) {
    if (is_fed_) {
        translate({kind_of<api::Workload>(), ns, name}, now);
    }
}

void StateFeeder::refresh(const ObjectKey& key, Time now) {
    const kube::AnyStore* store = context_.stores.find(key.kind);
    const auto object = store == nullptr ? nullptr : store->find_object({key.ns, key.name});
    changed({key, object, object}, now);
}

std::vector<UnaccountedQuota> StateFeeder::unaccounted() const {
    return find_unaccounted_quota(context_.stores, driver_.state());
}

std::vector<std::string> StateFeeder::hold_back(workload::Translator::HeldBack messages, Time now) {
    const workload::Translator::HeldBack before = translator_.held_back();
    std::vector<std::string> changed;
    for (const auto& [name, message] : messages) {
        const auto old = before.find(name);
        if (old == before.end() || old->second != message) {
            changed.push_back(name);
        }
    }
    for (const auto& [name, message] : before) {
        if (!messages.contains(name)) {
            changed.push_back(name);
        }
    }
    translator_.set_held_back(std::move(messages));
    for (const std::string& name : changed) {
        refresh({kind_of<api::ClusterQueue>(), "", name}, now);
    }
    return changed;
}

}  // namespace sluice::controller
