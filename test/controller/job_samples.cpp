#include "controller/job_samples.hpp"

#include "base/assert.hpp"
#include "job_kinds/builtin.hpp"
#include "yaml/parse.hpp"

#include <algorithm>
#include <filesystem>
#include <fstream>
#include <iterator>
#include <utility>

namespace sluice::controller {

namespace {

json::Value read_document(const std::filesystem::path& file) {
    std::ifstream in(file);
    const std::string text{std::istreambuf_iterator<char>(in), {}};
    auto document = yaml::parse_document(text);
    SLUICE_ASSERT(document.has_value());
    return std::move(*document);
}

job_kinds::Path path(const json::Value& text) {
    auto compiled = job_kinds::Path::compile(text.as_string());
    SLUICE_ASSERT(compiled.has_value());
    return std::move(*compiled);
}

json::Value member(const json::Value& document, std::string_view name) {
    const json::Value* found = document.find(name);
    return found == nullptr ? json::Value() : *found;
}

std::optional<SampleEnd> end(const json::Value* document) {
    return document == nullptr ? std::nullopt
                               : std::optional(SampleEnd{
                                     .status = *document->find("status"),
                                     .message = std::string(document->string_at("message"))
                                 });
}

job_kinds::ConfiguredKind kind_of_sample(const json::Value& document) {
    if (const json::Value* described = document.find("description")) {
        config::Integrations integrations;
        integrations.job_kinds = {*described};
        config::Problems problems;
        auto kinds = job_kinds::configured_kinds(integrations, problems);
        SLUICE_ASSERT(problems.empty() && kinds.size() == 1);
        return kinds.front();
    }
    const json::Value& object = *document.find("object");
    const auto& builtins = job_kinds::builtin_descriptions();
    const auto found = std::ranges::find_if(builtins, [&object](const auto& description) {
        return description.kind == object.string_at("kind") &&
               description.api_version() == object.string_at("apiVersion");
    });
    SLUICE_ASSERT(found != builtins.end());
    return {.description = std::make_shared<const job_kinds::Description>(*found)};
}

JobSample read_sample(const std::filesystem::path& file) {
    const json::Value document = read_document(file);
    JobSample sample;
    sample.file = file.stem().string();
    sample.kind = kind_of_sample(document);
    sample.object = *document.find("object");
    sample.suspend = path(*document.find("suspend"));
    if (document.find("suspended") != nullptr) {
        sample.suspended = member(document, "suspended");
        sample.running = member(document, "running");
    }
    for (const json::Value& one : document.find("podSets")->as_array()) {
        sample.pod_sets.push_back(
            {.name = std::string(one.string_at("name")),
             .count = one.find("count")->as_int(),
             .cpu = std::string(one.string_at("cpu")),
             .pod_template = path(*one.find("template")),
             .injected = one.find("injected") == nullptr
                             ? std::nullopt
                             : std::optional(path(*one.find("injected")))}
        );
    }
    if (const json::Value* others = document.find("others")) {
        sample.others = others->as_array();
    }
    if (const json::Value* made = document.find("madeAtStart")) {
        for (const json::Value& one : made->as_array()) {
            sample.made_at_start.push_back(path(one));
        }
    }
    sample.active = member(document, "active");
    sample.ready = member(document, "ready");
    sample.stopped = member(document, "stopped");
    sample.is_restored_late = member(document, "restoredLate") == json::Value(true);
    sample.succeeded = end(document.find("succeeded"));
    sample.failed = end(document.find("failed"));
    if (const json::Value* partly = document.find("partly")) {
        sample.partly = *partly->find("status");
        for (const auto& [name, count] : partly->find("reclaimable")->as_object()) {
            sample.reclaimable[name] = count.as_int();
        }
    }
    if (const json::Value* larger = document.find("larger")) {
        sample.larger = *larger->find("patch");
        sample.larger_pod_set = static_cast<std::size_t>(larger->find("podSet")->as_int());
    }
    if (const json::Value* contradiction = document.find("contradiction")) {
        sample.contradiction = *contradiction;
    }
    sample.immutable = std::string(document.string_at("immutable"));
    return sample;
}

}  // namespace

const std::vector<JobSample>& job_samples() {
    static const std::vector<JobSample> samples = [] {
        std::vector<std::filesystem::path> files;
        for (const auto& entry : std::filesystem::directory_iterator(SLUICE_JOB_SAMPLES)) {
            files.push_back(entry.path());
        }
        std::ranges::sort(files);
        std::vector<JobSample> made;
        std::ranges::transform(files, std::back_inserter(made), read_sample);
        return made;
    }();
    return samples;
}

}  // namespace sluice::controller
