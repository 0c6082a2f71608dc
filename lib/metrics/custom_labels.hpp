#pragma once

#include <array>
#include <cstddef>
#include <cstdint>
#include <map>
#include <span>
#include <string>
#include <string_view>
#include <utility>
#include <vector>

namespace sluice::metrics {

/// Of which objects labels of metrics are made (metrics.customLabels[].sourceKind).
enum class LabelSource : std::uint8_t { ClusterQueue, Cohort, LocalQueue, Workload };

/// A label or annotation of objects that becomes the label `custom_<name>` of their metrics.
struct CustomLabel {
    std::string name;
    LabelSource source = LabelSource::ClusterQueue;
    std::string label_key;
    std::string annotation_key;               ///< "": the label is read
    std::vector<std::string> tracked_values;  ///< empty: all
};

/// The labels that metrics have beside their own, with the values of each queue and cohort. An
/// object that lacks one has "" there, and a value that is not tracked is replaced by one that says
/// so. Thread: one, that of all who change metrics that have such labels.
class CustomLabels {
  public:
    using Texts = std::map<std::string, std::string>;

    CustomLabels() = default;
    explicit CustomLabels(std::vector<CustomLabel> labels);

    /// The names of the labels made of such objects, with their prefix, in the order of the file.
    std::vector<std::string> names(LabelSource source) const;
    bool has(LabelSource source) const { return !of(source).labels.empty(); }
    /// What such an object has; one value a name.
    std::vector<std::string> values(
        LabelSource source, const Texts& labels, const Texts& annotations
    ) const;

    /// Keeps what an object has, under the key that its metrics name it by: its name, for a
    /// LocalQueue `namespace/name`. Whether it had something else before.
    bool store(
        LabelSource source, const std::string& key, const Texts& labels, const Texts& annotations
    );
    void forget(LabelSource source, const std::string& key);
    /// What was kept; empty texts where nothing was.
    std::vector<std::string> kept(LabelSource source, const std::string& key) const;

  private:
    struct OfSource {
        std::vector<CustomLabel> labels;
        std::map<std::string, std::vector<std::string>> kept;  ///< by key
    };
    const OfSource& of(LabelSource source) const {
        return sources_[static_cast<std::size_t>(source)];
    }

    std::array<OfSource, 4> sources_;
};

}  // namespace sluice::metrics
