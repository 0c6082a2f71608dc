#include "controller/commands/why/explained_workload.hpp"

#include "api/kueue/workload.hpp"
#include "api/meta/codec.hpp"
#include "controller/commands/offline/client_call.hpp"
#include "controller/commands/offline/live_objects.hpp"
#include "controller/commands/offline/offline_cluster.hpp"

#include <fmt/format.h>
#include <fmt/ranges.h>

#include <utility>

namespace sluice::commands {
namespace {

using Workloads = std::vector<const api::Workload*>;

/// Returns the one workload that the question means.
Result<const api::Workload*> find_one(const WhyQuestion& question, const Workloads& workloads) {
    Workloads found = find_referenced(question.reference, workloads);
    if (found.empty()) {
        return Error{
            .code = ErrorCode::NotFound,
            .detail = fmt::format(
                "namespace {} has no workload for {}{}",
                question.ns,
                question.argument,
                suggest_reference(question.reference, workloads)
            ),
            .status = {},
        };
    }
    if (found.size() > 1) {
        std::vector<std::string> names;
        for (const api::Workload* workload : found) {
            names.push_back(
                fmt::format("workload/{} ({})", workload->metadata.name, print_reference(*workload))
            );
        }
        return make_invalid(
            fmt::format("{} may mean any of: {}", question.argument, fmt::join(names, ", "))
        );
    }
    return found.front();
}

/// Asks the controller. Errors: Unavailable if it does not answer such questions.
boost::asio::awaitable<Result<api::Explanation>> ask(
    kube::Client* client, std::string ns, std::string name
) {
    kube::ResourcePath path{
        .group = api::kInsightGroup,
        .version = api::kInsightVersion,
        .plural = "workloads",
        .namespace_ = std::move(ns),
        .name = std::move(name),
        .subresource = "explanation",
    };
    const auto text = co_await client->get(std::move(path));
    if (!text) {
        co_return text.error();
    }
    co_return api::decode<api::Explanation>(*text);
}

/// Lists the Workloads of the namespace and has the one that is meant explained.
boost::asio::awaitable<Result<api::Explanation>> ask_about(
    kube::Client* client, const WhyQuestion* question
) {
    auto listed = co_await read_workloads_of(client, question->ns);
    if (!listed) {
        co_return listed.error();
    }
    Workloads workloads;
    for (const auto& workload : *listed) {
        workloads.push_back(&workload);
    }
    const auto one = find_one(*question, workloads);
    if (!one) {
        co_return one.error();
    }
    auto answer = co_await ask(client, question->ns, (*one)->metadata.name);
    if (!answer && answer.error().code == ErrorCode::NotFound) {
        // The Workload exists: the group does not, or the controller has not seen the Workload.
        Error error = answer.error();
        error.code = ErrorCode::Unavailable;
        co_return error;
    }
    co_return answer;
}

}  // namespace

Result<WhyAnswer> explain_offline(
    ScheduleCluster cluster,
    const WhyQuestion& question,
    const ScheduleConfiguration& configuration,
    Time now
) {
    const OfflineCluster offline(std::move(cluster), configuration, now);
    Workloads workloads;
    for (const auto& workload : offline.world().workloads()) {
        if (workload.metadata.namespace_ == question.ns) {
            workloads.push_back(&workload);
        }
    }
    const auto one = find_one(question, workloads);
    if (!one) {
        return one.error();
    }
    auto explanation = offline.explain(question.ns, (*one)->metadata.name);
    if (!explanation) {
        return make_invalid("the workload is gone");
    }
    return WhyAnswer{.explanation = *std::move(explanation), .remarks = {}, .is_offline = true};
}

Result<WhyAnswer> explain_live(
    const kube::ClientConfig& config,
    const WhyQuestion& question,
    const ScheduleConfiguration& configuration,
    bool offline
) {
    std::vector<std::string> remarks;
    if (!offline) {
        Result<api::Explanation> answer = make_invalid("nothing was asked");
        const auto called = with_client(config, [&](kube::Client* client) {
            return store_result(&answer, ask_about(client, &question));
        });
        if (!called) {
            return called.error();
        }
        if (answer) {
            return WhyAnswer{.explanation = *std::move(answer), .remarks = {}};
        }
        if (answer.error().code == ErrorCode::Forbidden) {
            Error error = answer.error();
            error.detail += "; with --offline, the answer is worked out from what you may list";
            return error;
        }
        if (answer.error().code != ErrorCode::Unavailable) {
            return answer.error();
        }
        remarks.push_back(
            "the controller does not answer, so this is worked out here: " + answer.error().detail
        );
    }
    Result<LiveObjects> objects = make_invalid("nothing was read");
    const auto called = with_client(config, [&](kube::Client* client) {
        return store_result(&objects, read_live_objects(client, LiveKinds::Decisions));
    });
    if (!called || !objects) {
        return called ? objects.error() : called.error();
    }
    auto answer =
        explain_offline(std::move(objects->cluster), question, configuration, SystemClock().now());
    if (answer) {
        remarks.insert(remarks.end(), objects->left_out.begin(), objects->left_out.end());
        answer->remarks = std::move(remarks);
    }
    return answer;
}

}  // namespace sluice::commands
