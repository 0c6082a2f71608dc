#include "job_kinds/builtin.hpp"

#include "base/assert.hpp"
#include "job_kinds/builtin_files.hpp"
#include "yaml/parse.hpp"

#include <algorithm>

namespace sluice::job_kinds {

namespace {

std::vector<Description> read_all() {
    std::vector<Description> all;
    for (const BuiltinFile& file : builtin_files()) {
        const auto document = yaml::parse_document(file.text);
        SLUICE_ASSERT(document.has_value());
        config::Problems problems;
        all.push_back(read_description(*document, file.name, problems));
        SLUICE_ASSERT(problems.empty());
    }
    std::ranges::sort(all, {}, &Description::framework);
    return all;
}

}  // namespace

const std::vector<Description>& builtin_descriptions() {
    static const std::vector<Description> kAll = read_all();
    return kAll;
}

const Description* find_builtin(std::string_view framework) {
    const auto& all = builtin_descriptions();
    const auto found = std::ranges::find(all, framework, &Description::framework);
    return found == all.end() ? nullptr : &*found;
}

}  // namespace sluice::job_kinds
