#include "controller/jobs/described/described_kind.hpp"
#include "controller/kinds/builtin_kinds.hpp"
#include "job_kinds/schema.hpp"
#include "job_kinds/text.hpp"

namespace sluice::controller {

KindEntry described_job_kind(const job_kinds::ConfiguredKind& configured) {
    const job_kinds::Description& description = *configured.description;
    const auto names = names_of(description);
    KindEntry entry = make_dynamic_entry(names);
    entry.metric_name = job_kinds::lower_case(description.kind);
    entry.controller = configured.is_builtin ? entry.metric_name : kJobKindsController;
    entry.find_unknown_fields = [described = configured.description](const json::Value& open_api) {
        const json::Value* schema = job_kinds::find_schema(open_api, *described);
        return schema == nullptr
                   ? std::vector<std::string>()
                   : job_kinds::find_unknown_paths(*described, pod_set_source(*described), *schema);
    };
    index_references(entry, description);
    make_jobs(entry, make_described_kind(configured.description, names));
    return entry;
}

}  // namespace sluice::controller
