#include "metrics/custom_labels.hpp"

#include "api/kueue/kueue_names.hpp"

#include <algorithm>

namespace sluice::metrics {
namespace {

std::string text_at(const CustomLabels::Texts& texts, const std::string& key) {
    const auto found = texts.find(key);
    return found == texts.end() ? std::string() : found->second;
}

}  // namespace

CustomLabels::CustomLabels(std::vector<CustomLabel> labels) {
    for (CustomLabel& label : labels) {
        sources_[static_cast<std::size_t>(label.source)].labels.push_back(std::move(label));
    }
}

std::vector<std::string> CustomLabels::names(LabelSource source) const {
    std::vector<std::string> names;
    for (const CustomLabel& label : of(source).labels) {
        names.push_back("custom_" + label.name);
    }
    return names;
}

std::vector<std::string> CustomLabels::values(
    LabelSource source, const Texts& labels, const Texts& annotations
) const {
    std::vector<std::string> values;
    for (const CustomLabel& label : of(source).labels) {
        std::string value;
        if (!label.annotation_key.empty()) {
            value = text_at(annotations, label.annotation_key);
        } else {
            value = text_at(labels, label.label_key.empty() ? label.name : label.label_key);
        }
        const bool is_tracked =
            label.tracked_values.empty() ||
            std::ranges::find(label.tracked_values, value) != label.tracked_values.end();
        values.push_back(is_tracked ? std::move(value) : std::string(api::kUntrackedLabelValue));
    }
    return values;
}

bool CustomLabels::store(
    LabelSource source, const std::string& key, const Texts& labels, const Texts& annotations
) {
    OfSource& of_source = sources_[static_cast<std::size_t>(source)];
    if (of_source.labels.empty()) {
        return false;
    }
    std::vector<std::string> now = values(source, labels, annotations);
    const bool is_changed = now != kept(source, key);
    of_source.kept[key] = std::move(now);
    return is_changed;
}

void CustomLabels::forget(LabelSource source, const std::string& key) {
    sources_[static_cast<std::size_t>(source)].kept.erase(key);
}

std::vector<std::string> CustomLabels::kept(LabelSource source, const std::string& key) const {
    const OfSource& of_source = of(source);
    const auto found = of_source.kept.find(key);
    return found == of_source.kept.end() ? std::vector<std::string>(of_source.labels.size())
                                         : found->second;
}

}  // namespace sluice::metrics
