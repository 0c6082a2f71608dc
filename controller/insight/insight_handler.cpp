#include "controller/insight/insight_handler.hpp"

#include "api/insight/explanation.hpp"
#include "api/kueue/kueue_names.hpp"
#include "api/kueue/workload.hpp"
#include "api/meta/codec.hpp"
#include "controller/insight/api_answers.hpp"
#include "insight/explain.hpp"

#include <fmt/core.h>

#include <string_view>

namespace sluice::controller {

namespace {

/// Bounds the time of a what-if: about two seconds.
constexpr engine::TrialLimits kTrialLimits{.root = {}, .cycles = 10'000, .turns = 200'000};

/// Counts a question while it is answered.
class Counted {
  public:
    explicit Counted(std::size_t* questions) : questions_(questions) { ++*questions_; }
    ~Counted() { --*questions_; }
    Counted(const Counted&) = delete;
    Counted& operator=(const Counted&) = delete;

  private:
    std::size_t* questions_;
};

}  // namespace

serving::Access insight_access(const InsightPath& path) {
    serving::Access access;
    access.group = api::kInsightGroup;
    access.version = api::kInsightVersion;
    access.ns = path.ns;
    access.name = path.name;
    switch (path.answer) {
        case InsightAnswer::None:
            break;
        case InsightAnswer::Explanation:
            access.verb = "get";
            access.resource = api::Workload::kPlural;
            access.subresource = "explanation";
            break;
        case InsightAnswer::Explanations:
            access.verb = "list";
            access.resource = "explanations";
            break;
        case InsightAnswer::WhatIf:
            access.verb = "create";
            access.resource = api::WhatIf::kPlural;
            break;
    }
    return access;
}

boost::asio::awaitable<net::ServerResponse> InsightHandler::answer(
    net::ServerRequest* request, const InsightPath* path, const serving::User* user
) {
    if (questions_ == kQuestionsMax) {
        co_return make_busy("too many questions are being answered");
    }
    const Counted counted(&questions_);
    if (path->answer == InsightAnswer::WhatIf) {
        auto change = co_await try_change(request, path, user);
        co_return change;
    }
    if (path->answer == InsightAnswer::Explanations) {
        auto list = co_await explain_page(request, path, user);
        co_return list;
    }
    auto one = co_await explain(path, user);
    co_return one;
}

boost::asio::awaitable<net::ServerResponse> InsightHandler::try_change(
    net::ServerRequest* request, const InsightPath* path, const serving::User* user
) {
    const auto body = request->body.view();
    if (!body) {
        co_return make_status(500, "InternalError", body.error().detail);
    }
    auto asked = api::decode<api::WhatIf>(*body);
    if (!asked) {
        co_return make_status(400, "BadRequest", asked.error().detail);
    }
    const WhatIfLimits::Turn turn(limits_, user->name);
    if (const auto& refusal = turn.refusal()) {
        auto busy = make_status(429, "TooManyRequests", *refusal);
        busy.headers.push_back({"Retry-After", "5"});
        co_return busy;
    }
    auto plan = co_await calls_.plan_change(*path, asked->spec.edits);
    if (!plan) {
        const Error& error = plan.error();
        if (error.code == ErrorCode::Invalid) {
            co_return make_status(422, "Invalid", error.detail);
        }
        co_return error.code == ErrorCode::NotFound ? make_status(404, "NotFound", error.detail)
                                                    : make_busy(error.detail);
    }
    const insight::ChangeDraft draft(*std::move(plan), kTrialLimits);
    const auto readable = co_await readable_of(draft.namespaces(), user);
    if (!readable) {
        co_return make_unjudged(readable.error());
    }
    asked->status =
        draft.finish([&readable](std::string_view ns) { return readable->contains(ns); });
    co_return make_json(api::encode(*asked), 201);
}

boost::asio::awaitable<Result<std::set<std::string, std::less<>>>> InsightHandler::readable_of(
    std::set<std::string> namespaces, const serving::User* user
) {
    std::set<std::string, std::less<>> readable;
    for (const std::string& ns : namespaces) {
        if (may_do_all(*user)) {
            readable.insert(ns);
            continue;
        }
        serving::Access access;
        access.verb = "get";
        access.group = api::kKueueGroup;
        access.version = api::Workload::kVersion;
        access.resource = api::Workload::kPlural;
        access.ns = ns;
        const auto verdict = co_await reviews_.judge(*user, access);
        if (!verdict) {
            co_return verdict.error();
        }
        if (verdict->allowed) {
            readable.insert(ns);
        }
    }
    co_return readable;
}

boost::asio::awaitable<net::ServerResponse> InsightHandler::explain(
    const InsightPath* path, const serving::User* user
) {
    auto situation = co_await calls_.find_situation(*path);
    if (!situation) {
        co_return make_busy(situation.error().detail);
    }
    auto& found = *situation;
    if (!found) {
        co_return make_status(
            404,
            "NotFound",
            fmt::format("workloads.{} \"{}\" not found", api::kKueueGroup, path->name)
        );
    }
    const insight::Draft draft(*std::move(found));
    const auto readable = co_await readable_of(draft.namespaces(), user);
    if (!readable) {
        co_return make_unjudged(readable.error());
    }
    const auto explanation =
        draft.finish([&readable](std::string_view ns) { return readable->contains(ns); });
    co_return make_json(api::encode(explanation));
}

boost::asio::awaitable<net::ServerResponse> InsightHandler::explain_page(
    const net::ServerRequest* request, const InsightPath* path, const serving::User* user
) {
    const auto page = parse_insight_page(request->query("limit"), request->query("continue"));
    if (!page) {
        co_return make_status(400, "BadRequest", page.error().detail);
    }
    auto situations = co_await calls_.find_situations(*path, *page);
    if (!situations) {
        co_return make_busy(situations.error().detail);
    }
    std::vector<insight::Draft> drafts;
    std::set<std::string> namespaces;
    for (auto& situation : *situations) {
        drafts.emplace_back(std::move(situation));
        namespaces.merge(drafts.back().namespaces());
    }
    const auto readable = co_await readable_of(std::move(namespaces), user);
    if (!readable) {
        co_return make_unjudged(readable.error());
    }
    api::ExplanationList list;
    for (const insight::Draft& draft : drafts) {
        list.items.push_back(draft.finish([&readable](std::string_view ns) {
            return readable->contains(ns);
        }));
    }
    if (list.items.size() == page->limit) {
        const api::ObjectMeta& last = list.items.back().metadata;
        list.metadata.continue_ = last.namespace_ + "/" + last.name;
    }
    co_return make_json(api::encode(list));
}

}  // namespace sluice::controller
