#include "controller/process/writes/api_writer.hpp"

#include "base/log.hpp"
#include "controller/process/writes/decision_log.hpp"
#include "controller/process/writes/landed_write.hpp"
#include "json/value.hpp"
#include "kube/core/raw_json.hpp"
#include "kube/core/status_error.hpp"
#include "kube/runtime/backoff.hpp"
#include "net/loop/event_loop.hpp"

#include <algorithm>
#include <chrono>
#include <cmath>
#include <utility>

namespace sluice::controller {

namespace {

/// The pace is a moving average over about this many rows; a single slow row counts at most
/// kRowTimeMax.
constexpr int kPaceRows = 16;
constexpr Duration kRowTimeMax = std::chrono::milliseconds(500);
/// While no row is in progress, the pace is halved in this time: an old slow row says little about
/// the present.
constexpr Duration kPaceHalfLife = std::chrono::seconds(5);
constexpr std::string_view kNothingLeft = "{}";
constexpr int kQuestionsMax = 16;
constexpr int kAttempts = 4;
/// After this many attempts, the object of a write that must be certain is read: fewer if the
/// server answers, more if it does not, because an attempt may still be on its way.
constexpr int kAttemptsAnswered = 5;
constexpr int kAttemptsUnanswered = 10;

/// Returns true if the error may be caused by an earlier attempt of the same write that succeeded.
bool may_be_own_echo(const Error& error) {
    return error.code == ErrorCode::Conflict || error.code == ErrorCode::AlreadyExists;
}

bool is_time_to_look(const Error& error, int attempts) {
    // A write that timed out in the server or in etcd may still take effect.
    const bool is_answered = error.code != ErrorCode::Timeout &&
                             (!error.status.empty() || error.code == ErrorCode::Internal ||
                              error.code == ErrorCode::TooManyRequests);
    return attempts >= (is_answered ? kAttemptsAnswered : kAttemptsUnanswered);
}

std::string_view string_at(
    const json::Value& object, std::initializer_list<std::string_view> path
) {
    const json::Value* found = object.find_path(path);
    return found != nullptr && found->is_string() ? found->as_string() : std::string_view();
}

}  // namespace

void ApiWriter::submit(std::vector<Write> row, Attempts attempts, Done done) {
    for (const Write& write : row) {
        echoes_.begin(write.object);
    }
    begin_row();
    parts_.tasks.spawn(perform_row(std::move(row), attempts, std::move(done)), "write");
}

std::optional<Instant> ApiWriter::ask_for_late() {
    while (questions_ < kQuestionsMax) {
        auto question = echoes_.take_overdue();
        if (!question) {
            return echoes_.next_overdue();
        }
        ++questions_;
        parts_.tasks.spawn(ask(std::move(*question)), "ask");
    }
    return std::nullopt;
}

boost::asio::awaitable<void> ApiWriter::ask(AwaitedEchoes::Question question) {
    kube::ResourcePath path = kube::path_of(question.object);
    kube::GetOptions options;
    const auto answer = co_await parts_.client.get(std::move(path), std::move(options));
    --questions_;
    if (answer) {
        log::warning("watch event is late", {{"object", to_string(question.object)}});
        echoes_.confirm(
            question,
            AwaitedEchoes::Answer{
                .uid = kube::find_string(*answer, {"metadata", "uid"}),
                .version =
                    version_number(kube::find_string(*answer, {"metadata", "resourceVersion"})),
                .is_ending = !kube::find_string(*answer, {"metadata", "deletionTimestamp"}).empty(),
            }
        );
    } else if (answer.error().code == ErrorCode::NotFound) {
        echoes_.gone(question);
    } else if (answer.error().code != ErrorCode::Canceled) {
        log::warning(
            "cannot read an object whose watch event is late",
            {{"object", to_string(question.object)}, {"error", answer.error().detail}}
        );
    }
    parts_.on_ended(question.object, true);
}

boost::asio::awaitable<void> ApiWriter::perform_row(
    std::vector<Write> row, Attempts attempts, Done done
) {
    const Instant begin = parts_.clock.instant();
    Result<void> outcome;
    for (const Write& write : row) {
        const auto answer = co_await perform(write, attempts);
        if (!answer) {
            outcome = answer.error();
            break;
        }
        accepted(write, *answer);
    }
    end_row();
    const Duration took = std::min(parts_.clock.instant() - begin, kRowTimeMax);
    pace_ += (took - pace_) / kPaceRows;
    for (const Write& write : row) {
        echoes_.end(write.object);
    }
    const bool is_accepted = outcome.has_value();
    done(outcome);
    for (const Write& write : row) {
        parts_.on_ended(write.object, is_accepted);
    }
}

void ApiWriter::begin_row() {
    if (rows_ == 0) {
        pace_ = pace();
    }
    ++rows_;
}

void ApiWriter::end_row() {
    --rows_;
    idle_since_ = parts_.clock.instant();
}

Duration ApiWriter::pace() const {
    if (rows_ > 0) {
        return pace_;
    }
    using Seconds = std::chrono::duration<double>;
    const Seconds idle = parts_.clock.instant() - idle_since_;
    return std::chrono::duration_cast<Duration>(pace_ * std::exp2(-(idle / kPaceHalfLife)));
}

kube::Async<std::string> ApiWriter::perform(Write write, Attempts attempts) {
    const Time first_attempt = parts_.clock.now();
    bool is_in_doubt = false;
    for (int attempt = 0;; ++attempt) {
        const auto answer = co_await call(write);
        if (answer) {
            co_return *answer;
        }
        const Error error = answer.error();
        const bool is_refused = !is_retryable(error.code);
        const bool is_last = attempts == Attempts::AFew && attempt + 1 >= kAttempts;
        is_in_doubt = is_in_doubt || (!is_refused && !kube::is_refused_before_processing(error));
        if (error.code == ErrorCode::Canceled || error.code == ErrorCode::NotLeader) {
            co_return error;
        }
        // After an attempt in doubt, a refusal of its repetition says nothing about the first
        // attempt.
        const bool must_know = attempts == Attempts::UntilCertain;
        const bool is_to_look = is_refused  ? must_know || may_be_own_echo(error)
                                : must_know ? is_time_to_look(error, attempt + 1)
                                            : is_last;
        bool is_unknown = false;
        if (is_in_doubt && is_to_look) {
            Doubt doubt{write, first_attempt, attempts, error};
            const auto found = co_await find_out(std::move(doubt));
            if (found) {
                co_return *found;
            }
            is_unknown = must_know;
        }
        if ((is_refused && !is_unknown) || is_last) {
            co_return error;
        }
        log::debug(
            "retrying a write", {{"object", to_string(write.object)}, {"error", error.detail}}
        );
        const auto waited = co_await pause(attempt, error.retry_after_seconds);
        if (!waited) {
            co_return Error{ErrorCode::Canceled, "canceled", {}};
        }
    }
}

boost::asio::awaitable<bool> ApiWriter::pause(int attempt, int at_least_seconds) {
    const Duration delay = std::max<Duration>(
        kube::backoff_delay(parts_.backoff, attempt, prng_), std::chrono::seconds(at_least_seconds)
    );
    end_row();
    const bool waited = co_await net::pause_for(delay);
    begin_row();
    co_return waited;
}

boost::asio::awaitable<std::optional<Result<std::string>>> ApiWriter::find_out(Doubt doubt) {
    using Outcome = std::optional<Result<std::string>>;
    const Write& write = doubt.write;
    kube::ResourcePath path = kube::path_of(write.object);
    kube::GetOptions options;
    const auto answer = co_await parts_.client.get(std::move(path), std::move(options));
    if (!answer) {
        const bool is_gone = answer.error().code == ErrorCode::NotFound;
        if (is_gone && write.verb == Verb::Delete) {
            co_return Outcome(Result<std::string>(std::string(kNothingLeft)));
        }
        co_return is_gone ? Outcome(Result<std::string>(answer.error())) : Outcome();
    }
    const auto object = json::parse(*answer);
    if (!object) {
        co_return Outcome();
    }
    const std::string_view uid = string_at(write.body, {"metadata", "uid"});
    if (!uid.empty() && uid != string_at(*object, {"metadata", "uid"})) {
        co_return Outcome(Result<std::string>(Error{ErrorCode::NotFound, "was replaced", {}}));
    }
    const bool is_done =
        has_landed(write, *object, doubt.first_attempt) ||
        (doubt.attempts == Attempts::UntilCertain && shows_decision(write, *object));
    co_return Outcome(is_done ? Result<std::string>(*answer) : Result<std::string>(doubt.error));
}

kube::Async<std::string> ApiWriter::call(Write write) {
    kube::ResourcePath path = kube::path_of(write.object);
    std::string body = json::print(write.body);
    switch (write.verb) {
        case Verb::Create: {
            path.name.clear();
            kube::WriteOptions options{.before_send = parts_.before_send};
            auto answer =
                co_await parts_.client.create(std::move(path), std::move(body), std::move(options));
            co_return answer;
        }
        case Verb::MergePatchStatus:
            path.subresource = "status";
            [[fallthrough]];
        case Verb::MergePatch: {
            kube::WriteOptions options{.before_send = parts_.before_send};
            auto answer = co_await parts_.client.merge_patch(
                std::move(path), std::move(body), std::move(options)
            );
            co_return answer;
        }
        case Verb::ApplyStatus: {
            path.subresource = "status";
            kube::ApplyOptions options;
            options.field_manager = write.field_manager;
            options.before_send = parts_.before_send;
            auto answer =
                co_await parts_.client.apply(std::move(path), std::move(body), std::move(options));
            co_return answer;
        }
        case Verb::Delete: {
            kube::DeleteOptions options;
            options.uid = write.uid;
            options.propagation = kube::Propagation::Background;
            options.before_send = parts_.before_send;
            auto answer = co_await parts_.client.remove(std::move(path), std::move(options));
            if (!answer && answer.error().code == ErrorCode::NotFound) {
                co_return std::string(kNothingLeft);  // already deleted, as wanted
            }
            co_return answer;
        }
    }
    co_return make_invalid("unknown verb");
}

void ApiWriter::accepted(const Write& write, const std::string& answer) {
    AwaitedEchoes::Written written{
        .uid = kube::find_string(answer, {"metadata", "uid"}),
        .version = version_number(kube::find_string(answer, {"metadata", "resourceVersion"})),
        // A write that removed the last finalizer of a deleted object deletes it: no watch event
        // will show the written version.
        .is_end = !kube::find_string(answer, {"metadata", "deletionTimestamp"}).empty() &&
                  kube::find_raw(answer, {"metadata", "finalizers"}).empty(),
    };
    if (write.verb == Verb::Delete) {
        written = {.uid = write.uid, .version = 0, .is_end = true};
    }
    echoes_.expect(write.object, std::move(written));
    for (const LogLine& line : decision_lines(write)) {
        log::write(log::Level::Info, line.phrase, line.fields);
    }
    for (const EventNote& note : write.events) {
        parts_.on_event(note);
    }
    for (const Observation& observation : write.observations) {
        parts_.on_observation(observation);
    }
}

}  // namespace sluice::controller
