#include "metrics/gauge_group.hpp"

namespace sluice::metrics {

void GaugeGroup::set(Gauge& gauge, Labels labels, double value) {
    const auto [at, is_new] = series_.try_emplace({&gauge, std::move(labels)});
    Reported& reported = at->second;
    reported.report = report_;
    if (is_new || reported.value != value) {
        reported.value = value;
        gauge.set(at->first.second, value);
    }
}

void GaugeGroup::end() {
    std::erase_if(series_, [this](const auto& entry) {
        const bool is_gone = entry.second.report != report_;
        if (is_gone) {
            entry.first.first->erase(entry.first.second);
        }
        return is_gone;
    });
}

void GaugeGroup::clear() {
    begin();
    end();
}

}  // namespace sluice::metrics
