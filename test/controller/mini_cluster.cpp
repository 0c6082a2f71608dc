#include "controller/mini_cluster.hpp"

#include "api/kueue/kueue_names.hpp"
#include "api/meta/codec.hpp"
#include "apiserver/fields/managed_fields.hpp"
#include "base/assert.hpp"
#include "controller/kinds/builtin_kinds.hpp"
#include "controller/known_stores.hpp"
#include "controller/owned_fields.hpp"
#include "controller/reconcile/workload_status.hpp"
#include "controller/scheduler/consumed_resources.hpp"
#include "json/patch.hpp"

#include <algorithm>
#include <charconv>
#include <chrono>
#include <set>
#include <utility>

namespace sluice::controller {

namespace {

constexpr std::string_view kUser = "kubectl";
constexpr std::string_view kControllerManager = "sluice";

std::set<Kind> all_kinds(const Registry& registry) {
    std::set<Kind> kinds;
    for (const KindEntry& entry : registry.all()) {
        kinds.insert(entry.kind);
    }
    return kinds;
}

std::string string_at(const json::Value& object, std::initializer_list<std::string_view> path) {
    const json::Value* found = object.find_path(path);
    return found != nullptr && found->is_string() ? found->as_string() : std::string();
}

std::uint64_t version_of(const json::Value& object) {
    const std::string text = string_at(object, {"metadata", "resourceVersion"});
    std::uint64_t number = 0;
    std::from_chars(text.data(), text.data() + text.size(), number);
    return number;
}

const Error kConflict{ErrorCode::Conflict, "the object has been modified", {}};
const Error kNotFound{ErrorCode::NotFound, "not found", {}};

json::Value& member(json::Value& object, std::string_view key) {
    if (object.find(key) == nullptr) {
        object.set(key, json::Object{});
    }
    return *object.find(key);
}

bool has_finalizers(const json::Value& object) {
    const json::Value* list = object.find_path({"metadata", "finalizers"});
    return list != nullptr && list->is_array() && !list->as_array().empty();
}

/// Refuses a patch that names another version or uid than the object's.
std::optional<Error> check_preconditions(const json::Value& object, const json::Value& body) {
    for (const std::string_view field : {"resourceVersion", "uid"}) {
        const std::string wanted = string_at(body, {"metadata", field});
        if (!wanted.empty() && wanted != string_at(object, {"metadata", field})) {
            return kConflict;
        }
    }
    return std::nullopt;
}

}  // namespace

MiniCluster::Controller::Controller(MiniCluster& cluster, std::uint64_t seed)
    : registry(cluster.make_registry()),
      echoes(stores, cluster.clock),
      settings(cluster.settings_),
      translator(workload::TranslationSettings{}),
      state(cluster.options_),
      driver(state),
      feeder(registry, stores, translator, driver, cluster.clock),
      applier(
          {stores,
           settings,
           translator,
           state,
           feeder,
           cluster,
           cluster.clock,
           [&cluster](const EventNote& note) { cluster.events.push_back(note); }}
      ),
      scheduling(
          {driver,
           feeder,
           applier,
           cluster,
           cluster.clock,
           [&cluster](const engine::CycleResult& result, Duration took) {
               if (cluster.metrics != nullptr) {
                   cluster.metrics->observe_cycle(result, took);
               }
           },
           [&cluster](const std::vector<engine::AuditFinding>& found) { cluster.findings = found; },
           [this](const std::string& cluster_queue) {
               runner.enqueue({kind_of<api::ClusterQueue>(), "", cluster_queue}, Urgency::AtOnce);
           }}
      ),
      runner(
          {
              .registry = registry,
              .view = {stores, translator, settings, &registry.job_kinds().all()},
              .sink = cluster,
              .clock = cluster.clock,
              .enabled = all_kinds(registry),
              .on_event = [&cluster](const EventNote& event) { cluster.events.push_back(event); },
              .weighted_share = [](const ObjectKey&) { return std::optional<std::int64_t>(); },
              .has_holders = [this](const std::string& name) { return applier.has_holders(name); },
              .consumed = [this](const ObjectKey& key) { return consumed_by(state, key); },
              .drift = [](const ObjectKey&) { return QuotaDrift(); },
              .wake = [] {},
          },
          seed
      ) {
    add_synced_stores(registry, stores);
}

MiniCluster::MiniCluster(std::uint64_t seed, engine::Options options, Settings settings)
    : seed_(seed), options_(std::move(options)), settings_(std::move(settings)), prng_(seed) {
    controller_ = std::make_unique<Controller>(*this, seed);
    controller_->feeder.feed_all(clock.now());
}

void MiniCluster::put(std::string_view json) {
    std::string text(json);
    std::ranges::replace(text, '\'', '"');
    auto parsed = json::parse(text);
    SLUICE_ASSERT(parsed.has_value());
    json::Value object = std::move(*parsed);
    const ObjectKey key{
        kind_named(string_at(object, {"kind"})),
        string_at(object, {"metadata", "namespace"}),
        string_at(object, {"metadata", "name"})
    };
    json::Value& metadata = member(object, "metadata");
    const json::Value* old = find(key);
    if (old != nullptr) {
        for (const std::string_view field :
             {"uid", "creationTimestamp", "finalizers", "deletionTimestamp", "managedFields"}) {
            if (const json::Value* value = old->find_path({"metadata", field})) {
                metadata.set(field, *value);
            }
        }
    } else {
        metadata.set("uid", "uid-" + std::to_string(++uid_));
        metadata.set("creationTimestamp", api::to_value(clock.now()));
    }
    own_new_fields(key, old, object);
    stored(key, std::move(object));
}

/// What a test says of a Workload's status is as the controller has written it before.
void MiniCluster::own_new_fields(
    const ObjectKey& key, const json::Value* old, json::Value& object
) {
    const json::Value* status = object.find("status");
    if (key.kind != kind_of<api::Workload>() || status == nullptr) {
        note_update(key.kind, old, object, kUser, "", clock.now());
        return;
    }
    const json::Value config = json::Object{
        {"apiVersion", api::kKueueApiVersion},
        {"kind", "Workload"},
        {"metadata", json::Object{{"name", key.name}, {"namespace", key.ns}}},
        {"status", *status}
    };
    object.erase("status");
    note_update(key.kind, old, object, kUser, "", clock.now());
    auto applied = apply_to_status(key.kind, object, config, kAdmissionManager, clock.now());
    SLUICE_ASSERT(applied.has_value());
    object = std::move(*applied);
}

Registry MiniCluster::make_registry() const {
    Registry registry = controller::make_registry({}, true);
    for (const KindEntry& entry : added_) {
        registry.add(entry);
    }
    return registry;
}

void MiniCluster::add_kind(KindEntry entry) {
    added_.push_back(entry);
    const KindEntry& added = controller_->registry.add(std::move(entry));
    controller_->stores.add(added.make_store()).replace({}, {});
    controller_->runner.enable(added.kind);
}

Kind MiniCluster::kind_named(const std::string& name) const {
    for (const KindEntry& entry : controller_->registry.all()) {
        if (entry.kind.name() == name) {
            return entry.kind;
        }
    }
    SLUICE_ASSERT(false && "the kind is not followed");
    return {};
}

void MiniCluster::merge(const ObjectKey& key, std::string_view patch) {
    std::string text(patch);
    std::ranges::replace(text, '\'', '"');
    const auto parsed = json::parse(text);
    SLUICE_ASSERT(parsed.has_value() && find(key) != nullptr);
    json::Value object = *find(key);
    json::apply_merge_patch(object, *parsed);
    note_update(key.kind, find(key), object, kUser, "", clock.now());
    stored(key, std::move(object));
}

void MiniCluster::remove(const ObjectKey& key) {
    const json::Value* object = find(key);
    SLUICE_ASSERT(object != nullptr);
    if (!has_finalizers(*object)) {
        drop(key);
        return;
    }
    json::Value deleting = *object;
    member(deleting, "metadata").set("deletionTimestamp", api::to_value(clock.now()));
    stored(key, std::move(deleting));
}

std::string MiniCluster::at(const ObjectKey& key, std::initializer_list<std::string_view> path)
    const {
    const json::Value* object = find(key);
    const json::Value* value = object == nullptr ? nullptr : object->find_path(path);
    if (value == nullptr) {
        return "";
    }
    return value->is_string() ? value->as_string() : json::print(*value);
}

std::string MiniCluster::condition(
    std::string_view ns, std::string_view workload, std::string_view type
) const {
    const json::Value* object =
        find({kind_of<api::Workload>(), std::string(ns), std::string(workload)});
    const json::Value* list =
        object == nullptr ? nullptr : object->find_path({"status", "conditions"});
    if (list == nullptr) {
        return "";
    }
    for (const json::Value& entry : list->as_array()) {
        if (entry.string_at("type") == type) {
            return std::string(entry.string_at("status")) + "/" +
                   std::string(entry.string_at("reason"));
        }
    }
    return "";
}

std::vector<ObjectKey> MiniCluster::keys_of(Kind kind) const {
    std::vector<ObjectKey> keys;
    for (const auto& [key, object] : objects_) {
        if (key.kind == kind) {
            keys.push_back(key);
        }
    }
    return keys;
}

std::vector<ObjectKey> MiniCluster::workloads_of(std::string_view ns, std::string_view job) const {
    auto keys = keys_of(kind_of<api::Workload>());
    std::erase_if(keys, [&](const ObjectKey& key) {
        const json::Value* owners = find(key)->find_path({"metadata", "ownerReferences"});
        return key.ns != ns || owners == nullptr ||
               owners->as_array().front().string_at("name") != job;
    });
    return keys;
}

std::string MiniCluster::workload_of(std::string_view ns, std::string_view job) const {
    const std::vector<ObjectKey> keys = workloads_of(ns, job);
    return keys.size() == 1 ? keys.front().name : std::string();
}

void MiniCluster::stored(const ObjectKey& key, json::Value object) {
    const json::Value* old = find(key);
    const json::Value* old_generation =
        old == nullptr ? nullptr : old->find_path({"metadata", "generation"});
    std::int64_t generation = old_generation == nullptr ? 0 : old_generation->as_int();
    const json::Value* old_spec = old == nullptr ? nullptr : old->find("spec");
    const json::Value* spec = object.find("spec");
    if (old == nullptr || json::print_sorted(old_spec == nullptr ? json::Value() : *old_spec) !=
                              json::print_sorted(spec == nullptr ? json::Value() : *spec)) {
        ++generation;
    }
    json::Value& metadata = member(object, "metadata");
    metadata.set("generation", generation);
    if (old != nullptr) {
        metadata.set("resourceVersion", string_at(*old, {"metadata", "resourceVersion"}));
        if (apiserver::keep_times(*old, object) || *old == object) {
            return;  // nothing changed: no new version, no event
        }
    }
    metadata.set("resourceVersion", std::to_string(++version_));
    if (!string_at(object, {"metadata", "deletionTimestamp"}).empty() && !has_finalizers(object)) {
        drop(key);
        return;
    }
    objects_[key] = object;
    echoes_.push_back({key, std::move(object)});
}

void MiniCluster::drop(const ObjectKey& key) {
    objects_.erase(key);
    echoes_.push_back({key, {}});
}

void MiniCluster::submit(std::vector<Write> row, Attempts attempts, Done done) {
    for (const Write& write : row) {
        controller_->echoes.begin(write.object);
    }
    rows_.push_back({std::move(row), attempts, std::move(done)});
}

Result<void> MiniCluster::take(const Write& write) {
    switch (write.verb) {
        case Verb::Create:
            return create(write);
        case Verb::MergePatch:
        case Verb::MergePatchStatus:
            return patch(write);
        case Verb::ApplyStatus:
            return apply_status(write);
        case Verb::Delete:
            if (const json::Value* object = find(write.object)) {
                if (string_at(*object, {"metadata", "uid"}) != write.uid) {
                    return kConflict;
                }
                remove(write.object);
            }
            return {};
    }
    return {};
}

Result<void> MiniCluster::create(const Write& write) {
    if (find(write.object) != nullptr) {
        return Error{ErrorCode::AlreadyExists, "already exists", {}};
    }
    put(json::print(write.body));
    return {};
}

Result<void> MiniCluster::patch(const Write& write) {
    const json::Value* object = find(write.object);
    if (object == nullptr) {
        return kNotFound;
    }
    if (const auto refused = check_preconditions(*object, write.body)) {
        return *refused;
    }
    json::Value changed = *object;
    json::Value body = write.body;
    if (write.verb == Verb::MergePatchStatus) {
        body.erase("spec");
        body.erase("metadata");
    } else {
        body.erase("status");
    }
    json::apply_merge_patch(changed, body);
    note_update(
        write.object.kind,
        object,
        changed,
        kControllerManager,
        write.verb == Verb::MergePatchStatus ? "status" : "",
        clock.now()
    );
    stored(write.object, std::move(changed));
    return {};
}

Result<void> MiniCluster::apply_status(const Write& write) {
    const json::Value* object = find(write.object);
    if (object == nullptr) {
        return kNotFound;
    }
    if (const auto refused = check_preconditions(*object, write.body)) {
        return *refused;
    }
    auto changed =
        apply_to_status(write.object.kind, *object, write.body, write.field_manager, clock.now());
    if (!changed) {
        return changed.error();
    }
    stored(write.object, std::move(*changed));
    return {};
}

Result<void> MiniCluster::perform(const Write& write) {
    const std::string uid_before = at(write.object, {"metadata", "uid"});
    if (auto taken = take(write); !taken) {
        return taken;
    }
    const json::Value* object = find(write.object);
    const bool is_end = object == nullptr || write.verb == Verb::Delete;
    controller_->echoes.expect(
        write.object,
        {.uid = is_end ? uid_before : at(write.object, {"metadata", "uid"}),
         .version = object == nullptr ? 0 : version_of(*object),
         .is_end = is_end}
    );
    return {};
}

bool MiniCluster::ask_for_late() {
    AwaitedEchoes& echoes = controller_->echoes;
    const auto question = echoes.take_overdue();
    if (question) {
        const json::Value* object = find(question->object);
        if (object == nullptr) {
            echoes.gone(*question);
        } else {
            echoes.confirm(
                *question,
                {.uid = at(question->object, {"metadata", "uid"}),
                 .version = version_of(*object),
                 .is_ending = !at(question->object, {"metadata", "deletionTimestamp"}).empty()}
            );
        }
        ended(question->object, true);
    }
    late_due_ = echoes.next_overdue();
    return question.has_value();
}

void MiniCluster::ended(const ObjectKey& key, bool is_accepted) {
    if (key.kind == kind_of<api::Workload>()) {
        controller_->applier.workload_changed(key.ns, key.name);
    }
    controller_->runner.enqueue_after_write(key, is_accepted);
}

void MiniCluster::act_before_answer() {
    while (deliver_next()) {
    }
    for (auto due = controller_->runner.step(); due && *due <= clock.instant();) {
        due = controller_->runner.step();
    }
}

void MiniCluster::perform_row() {
    Row row = std::move(rows_.front());
    rows_.pop_front();
    Result<void> outcome;
    for (const Write& write : row.writes) {
        if (fault) {
            if (const auto refused = fault(write)) {
                outcome = *refused;
                break;
            }
        }
        outcome = perform(write);
        if (!outcome) {
            break;
        }
        writes.push_back(write);
        events.insert(events.end(), write.events.begin(), write.events.end());
        observations.insert(
            observations.end(), write.observations.begin(), write.observations.end()
        );
        if (lost_answer && row.attempts == Attempts::AFew) {
            if (const auto lost = lost_answer(write)) {
                outcome = *lost;
                break;
            }
        }
    }
    if (answers_come_last) {
        act_before_answer();
    }
    for (const Write& write : row.writes) {
        controller_->echoes.end(write.object);
    }
    row.done(outcome);
    for (const Write& write : row.writes) {
        ended(write.object, outcome.has_value());
    }
}

void MiniCluster::deliver(const Echo& echo) {
    Controller& c = *controller_;
    kube::AnyStore& store = *c.stores.find(echo.key.kind);
    kube::AnyChange change;
    if (echo.object.is_null()) {
        change = store.remove({echo.key.ns, echo.key.name});
    } else {
        const std::string text = json::print(echo.object);
        const auto object = store.decode(text, {});
        change = object ? store.upsert(*object)
                        : store.set_unreadable(
                              {echo.key.ns, echo.key.name},
                              {.metadata = kube::read_identity(text),
                               .text = text,
                               .error = object.error().detail}
                          );
    }
    c.feeder.changed(change, clock.now());
    if (echo.key.kind == kind_of<api::Workload>()) {
        c.applier.workload_changed(echo.key.ns, echo.key.name);
    }
    if (metrics != nullptr) {
        metrics->changed(change);
    }
    enqueue_affected({c.registry, c.stores}, change, [&c](const ObjectKey& key, Urgency urgency) {
        c.runner.enqueue(key, urgency);
    });
    c.runner.enqueue_waiting(echo.key);
}

std::deque<MiniCluster::Echo>::iterator MiniCluster::find_next_echo() {
    return std::ranges::find_if(echoes_, [this](const Echo& echo) {
        return !late.contains(echo.key.kind);
    });
}

bool MiniCluster::deliver_next() {
    const auto next = find_next_echo();
    if (next == echoes_.end()) {
        return false;
    }
    const Echo echo = std::move(*next);
    echoes_.erase(next);
    deliver(echo);
    return true;
}

bool MiniCluster::tick() {
    const bool can_perform = !rows_.empty();
    const bool can_deliver = find_next_echo() != echoes_.end();
    if (can_deliver && (!can_perform || prng_.chance(50))) {
        return deliver_next();
    }
    if (can_perform) {
        perform_row();
        return true;
    }
    if (ask_for_late()) {
        return true;
    }
    scheduling_due_ = controller_->scheduling.step();
    runner_due_ = controller_->runner.step();
    return !rows_.empty() || (runner_due_ && *runner_due_ <= clock.instant()) ||
           (scheduling_due_ && *scheduling_due_ <= clock.instant());
}

std::optional<Instant> MiniCluster::next_due() const {
    std::optional<Instant> next;
    for (const auto& due : {scheduling_due_, runner_due_, late_due_}) {
        if (due && (!next || *due < *next)) {
            next = due;
        }
    }
    return next;
}

void MiniCluster::settle(Duration patience) {
    const Instant until = clock.instant() + patience;
    for (int i = 0; i < 200'000; ++i) {
        if (tick()) {
            continue;
        }
        const auto due = next_due();
        if (!due || *due > until) {
            return;
        }
        clock.advance(std::max<Duration>(*due - clock.instant(), std::chrono::microseconds(1)));
    }
    SLUICE_ASSERT(false && "it never settles");
}

void MiniCluster::restart() {
    rows_.clear();
    echoes_.clear();
    controller_ = std::make_unique<Controller>(*this, ++seed_);
    std::vector<std::pair<ObjectKey, json::Value>> all(objects_.begin(), objects_.end());
    for (const auto& [key, object] : all) {
        deliver({key, object});
    }
    Controller& c = *controller_;
    c.feeder.feed_all(clock.now());
    enqueue_all({c.registry, c.stores}, [&c](const ObjectKey& key, Urgency urgency) {
        c.runner.enqueue(key, urgency);
    });
}

}  // namespace sluice::controller
