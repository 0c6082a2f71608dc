#include "controller/commands/whatif/asked_change.hpp"

#include "api/kueue/kueue_names.hpp"
#include "api/meta/codec.hpp"
#include "base/clock.hpp"
#include "controller/commands/offline/client_call.hpp"
#include "controller/commands/offline/live_objects.hpp"
#include "controller/commands/offline/offline_cluster.hpp"
#include "controller/commands/whatif/offline_jobs.hpp"
#include "controller/commands/why/workload_reference.hpp"
#include "insight/what_if.hpp"
#include "kube/core/kind.hpp"

#include <boost/asio/awaitable.hpp>
#include <fmt/format.h>

#include <algorithm>
#include <optional>
#include <set>
#include <string_view>

namespace sluice::commands {
namespace {

using Edits = std::vector<api::WhatIfEdit>;
using Workloads = std::vector<const api::Workload*>;

json::Value with_namespace(json::Value object, const std::string& ns) {
    json::Value* metadata = object.find("metadata");
    if (metadata != nullptr && metadata->is_object() && metadata->string_at("namespace").empty()) {
        metadata->set("namespace", ns);
    }
    return object;
}

api::WhatIfEdit make_edit(const char* kind, std::string object) {
    api::WhatIfEdit edit;
    edit.kind = kind;
    edit.object = api::RawJson(std::move(object));
    return edit;
}

/// Returns the Workloads that the name means.
Result<Workloads> workloads_named(const NamedWorkload& named, const Workloads& all) {
    Workloads found = find_referenced({.kind = named.kind, .name = named.name}, all);
    std::erase_if(found, [&](const api::Workload* workload) {
        return workload->metadata.namespace_ != named.ns;
    });
    if (found.empty()) {
        return Error{
            .code = ErrorCode::NotFound,
            .detail = fmt::format(
                "namespace {} has no workload for {}/{}", named.ns, named.kind, named.name
            ),
            .status = {},
        };
    }
    return found;
}

/// Adds the edits of cancelled workloads and of priorities.
Result<void> add_named(const AskedChange& change, const Workloads& all, Edits& edits) {
    const auto add = [&](const NamedWorkload& named, const char* kind, const std::string& priority
                     ) {
        const auto found = workloads_named(named, all);
        for (const api::Workload* workload : found ? *found : Workloads()) {
            api::WhatIfEdit edit;
            edit.kind = kind;
            edit.namespace_ = workload->metadata.namespace_;
            edit.workload = workload->metadata.name;
            edit.priority_class = priority;
            edits.push_back(std::move(edit));
        }
        return found ? Result<void>() : Result<void>(found.error());
    };
    for (const auto& named : change.cancelled) {
        if (const auto done = add(named, api::what_if::kCancel, ""); !done) {
            return done;
        }
    }
    for (const auto& [named, priority] : change.priorities) {
        if (const auto done = add(named, api::what_if::kPriority, priority); !done) {
            return done;
        }
    }
    return {};
}

/// The collection of the objects of a kind, and whether they have namespaces.
struct Collection {
    kube::ResourcePath path;
    bool is_namespaced = true;
};

/// Finds the collection of an object's kind by the discovery of the API server.
boost::asio::awaitable<Result<Collection>> find_collection(
    kube::Client* client, const json::Value* object
) {
    const std::string version(object->string_at("apiVersion"));
    const std::string kind(object->string_at("kind"));
    const std::string root =
        version.find('/') == std::string::npos ? "/api/" + version : "/apis/" + version;
    const auto text = co_await client->get_raw(root);
    const auto listed = text ? json::parse(*text) : Result<json::Value>(text.error());
    if (!listed) {
        co_return with_context(listed.error(), fmt::format("cannot find kind {}", kind));
    }
    const json::Value* resources = listed->find("resources");
    if (resources != nullptr && resources->is_array()) {
        for (const json::Value& resource : resources->as_array()) {
            const std::string_view name = resource.string_at("name");
            if (resource.string_at("kind") == kind && name.find('/') == std::string_view::npos) {
                const json::Value* namespaced = resource.find("namespaced");
                co_return Collection{
                    .path =
                        {.group = std::string(kube::group_of(version)),
                         .version = version.substr(version.find('/') + 1),
                         .plural = std::string(name),
                         .namespace_ = {},
                         .name = {},
                         .subresource = {}},
                    .is_namespaced = namespaced == nullptr || *namespaced == json::Value(true),
                };
            }
        }
    }
    co_return make_invalid(fmt::format("the cluster has no kind {} of {}", kind, version));
}

/// Has the API server create the job as the user, without storing it. Returns it as it would be.
boost::asio::awaitable<Result<std::string>> dry_run_create(
    kube::Client* client, const json::Value* object
) {
    auto found = co_await find_collection(client, object);
    if (!found) {
        co_return found.error();
    }
    const json::Value* metadata = object->find("metadata");
    if (found->is_namespaced && metadata != nullptr) {
        found->path.namespace_ = metadata->string_at("namespace");
    }
    kube::WriteOptions options;
    options.dry_run = true;
    auto made = co_await client->create(found->path, json::print(*object), options);
    co_return made;
}

/// Has the API server apply the object as the user, without storing it.
boost::asio::awaitable<Result<std::string>> dry_run_apply(
    kube::Client* client, const json::Value* object
) {
    auto found = co_await find_collection(client, object);
    if (!found) {
        co_return found.error();
    }
    if (const json::Value* metadata = object->find("metadata")) {
        found->path.name = metadata->string_at("name");
        if (found->is_namespaced) {
            found->path.namespace_ = metadata->string_at("namespace");
        }
    }
    kube::ApplyOptions options;
    options.field_manager = "sluice-whatif";
    options.dry_run = true;
    auto made = co_await client->apply(found->path, json::print(*object), options);
    co_return made;
}

/// Returns the edits, with the objects as the API server would store them.
boost::asio::awaitable<Result<Edits>> check_edits(
    kube::Client* client, const AskedChange* change, std::string ns
) {
    Edits edits = change->edits;
    for (const json::Value& given : change->jobs) {
        const json::Value job = with_namespace(given, ns);
        auto checked = co_await dry_run_create(client, &job);
        if (!checked) {
            co_return checked.error();
        }
        edits.push_back(make_edit(api::what_if::kSubmit, *std::move(checked)));
        edits.back().count = change->copies;
    }
    for (const json::Value& object : change->objects) {
        auto checked = co_await dry_run_apply(client, &object);
        if (!checked) {
            co_return checked.error();
        }
        edits.push_back(make_edit(api::what_if::kApply, *std::move(checked)));
    }
    std::set<std::string> namespaces;
    for (const auto& named : change->cancelled) {
        namespaces.insert(named.ns);
    }
    for (const auto& [named, priority] : change->priorities) {
        namespaces.insert(named.ns);
    }
    Objects<api::Workload> workloads;
    for (const std::string& of : namespaces) {
        auto listed = co_await read_workloads_of(client, of);
        if (!listed) {
            co_return listed.error();
        }
        for (auto& workload : *listed) {
            workloads.push_back(std::move(workload));
        }
    }
    Workloads all;
    for (const auto& workload : workloads) {
        all.push_back(&workload);
    }
    const auto done = add_named(*change, all, edits);
    if (!done) {
        co_return done.error();
    }
    co_return edits;
}

/// Returns the namespace to which all edits are bound; empty if they change more.
std::string scope_of(const Edits& edits) {
    std::set<std::string> namespaces;
    for (const api::WhatIfEdit& edit : edits) {
        if (edit.kind == api::what_if::kQuota || edit.kind == api::what_if::kApply) {
            return "";
        }
        if (!edit.namespace_.empty()) {
            namespaces.insert(edit.namespace_);
            continue;
        }
        const auto object = json::parse(edit.object.view());
        const json::Value* metadata = object ? object->find("metadata") : nullptr;
        namespaces.emplace(metadata == nullptr ? "" : metadata->string_at("namespace"));
    }
    return namespaces.size() == 1 ? *namespaces.begin() : "";
}

boost::asio::awaitable<Result<api::WhatIfStatus>> ask_controller(
    kube::Client* client, const Edits* edits
) {
    api::WhatIf asked;
    asked.spec.edits = *edits;
    kube::ResourcePath path{
        .group = api::kInsightGroup,
        .version = api::kInsightVersion,
        .plural = std::string(api::WhatIf::kPlural),
        .namespace_ = scope_of(*edits),
        .name = {},
        .subresource = {},
    };
    const auto text = co_await client->create(std::move(path), api::encode(asked));
    if (!text) {
        co_return text.error();
    }
    auto answer = api::decode<api::WhatIf>(*text);
    if (!answer) {
        co_return answer.error();
    }
    co_return std::move(answer->status);
}

Result<TriedChange> try_on(
    ScheduleCluster cluster, const SourceOptions& source, const Edits& edits, Time now
) {
    const auto configuration = load_schedule_configuration(source.config);
    if (!configuration) {
        return configuration.error();
    }
    const auto jobs = OfflineJobs::make(source.config, cluster);
    if (!jobs) {
        return jobs.error();
    }
    const OfflineCluster offline(std::move(cluster), *configuration, now);
    auto plan = insight::plan_change(offline.surroundings(), edits, "", [&](std::string_view job) {
        return (*jobs)->workload_of(job);
    });
    if (!plan) {
        return plan.error();
    }
    return TriedChange{
        .status =
            insight::ChangeDraft(*std::move(plan)).finish([](std::string_view) { return true; }),
        .remarks = {},
    };
}

Result<TriedChange> try_on_files(
    const SourceOptions& source, const std::string& ns, const AskedChange& change
) {
    const auto now = find_now(source);
    if (!now) {
        return now.error();
    }
    auto cluster = read_files(source);
    if (!cluster) {
        return cluster.error();
    }
    Edits edits = change.edits;
    for (const json::Value& job : change.jobs) {
        edits.push_back(make_edit(api::what_if::kSubmit, json::print(with_namespace(job, ns))));
        edits.back().count = change.copies;
    }
    for (const json::Value& object : change.objects) {
        edits.push_back(make_edit(api::what_if::kApply, json::print(object)));
    }
    Workloads all;
    for (const auto& workload : cluster->workloads) {
        all.push_back(&workload);
    }
    if (const auto done = add_named(change, all, edits); !done) {
        return done.error();
    }
    return try_on(*std::move(cluster), source, edits, *now);
}

}  // namespace

Result<TriedChange> try_change(
    const SourceOptions& source, const std::string& ns, const AskedChange& change
) {
    if (!source.files.empty()) {
        return try_on_files(source, ns, change);
    }
    const auto server = find_server(source);
    if (!server) {
        return server.error();
    }
    Result<Edits> edits = make_invalid("nothing was asked");
    const auto checked = with_client(*server, [&](kube::Client* client) {
        return store_result(&edits, check_edits(client, &change, ns));
    });
    if (!checked || !edits) {
        return checked ? edits.error() : checked.error();
    }
    std::string remark;
    if (!source.offline) {
        Result<api::WhatIfStatus> status = make_invalid("nothing was asked");
        const auto called = with_client(*server, [&](kube::Client* client) {
            return store_result(&status, ask_controller(client, &*edits));
        });
        if (!called || status) {
            return called ? Result<TriedChange>(TriedChange{*std::move(status), {}})
                          : Result<TriedChange>(called.error());
        }
        const bool is_absent = status.error().code == ErrorCode::Unavailable ||
                               (status.error().code == ErrorCode::NotFound &&
                                status.error().detail.find("workload") == std::string::npos);
        if (!is_absent) {
            return status.error();
        }
        remark =
            "the controller does not answer, so this is worked out here: " + status.error().detail;
    }
    Result<LiveObjects> objects = make_invalid("nothing was read");
    const auto called = with_client(*server, [&](kube::Client* client) {
        return store_result(&objects, read_live_objects(client, LiveKinds::Decisions));
    });
    if (!called || !objects) {
        return called ? objects.error() : called.error();
    }
    auto tried = try_on(std::move(objects->cluster), source, *edits, SystemClock().now());
    if (tried) {
        tried->remarks = std::move(objects->left_out);
        if (!remark.empty()) {
            tried->remarks.insert(tried->remarks.begin(), remark);
        }
    }
    return tried;
}

}  // namespace sluice::commands
