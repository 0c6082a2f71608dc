// The usage that the entries of a cycle see: the present usage, without the victims of earlier
// entries, and with what earlier entries took.
#include "engine/cycle/cycle.hpp"

namespace sluice::engine {

UsageView& Cycle::after_evictions() {
    is_order_relevant_ =
        is_order_relevant_ || after_.is_order_relevant() || as_is().is_order_relevant();
    if (is_order_relevant_ && as_is_) {
        after_ = *as_is_;
        for (const auto victim : victims_in_order_) {
            after_.remove(held_by(state_, victim));
        }
        search_.usage_changed();
    }
    return after_;
}

void Cycle::evict(WorkloadIndex victim) {
    if (!as_is_) {
        as_is_ = after_;
    }
    const Demand held = held_by(state_, victim);
    after_.remove(held);
    search_.usage_changed(held.cluster_queue);
}

void Cycle::assume(const Demand& demand) {
    after_.add(demand);
    if (as_is_) {
        as_is_->add(demand);
    }
    search_.usage_changed(demand.cluster_queue);
}

void Cycle::clear_for(const CycleEntry& entry, UsageView& view) const {
    for (const auto& target : entry.targets) {
        // A replaced slice is the first target, and can be among the victims too.
        const bool is_repeated =
            &target != &entry.targets.front() && target.workload == entry.targets.front().workload;
        if (!is_repeated && !victims_.contains(target.workload)) {
            view.remove(held_by(state_, target.workload));
        }
    }
}

bool Cycle::fits(const CycleEntry& entry) {
    UsageView& view = after_evictions();
    const UsageView::Trial trial(view);
    clear_for(entry, view);
    return view.fits(entry.demand());
}

void Cycle::note_shortages(CycleEntry& entry, const UsageView& view) const {
    if (!explains_) {
        return;
    }
    for (const auto& [pair, amount] : entry.demand().usages) {
        const auto room = view.room(entry.cluster_queue, pair);
        const Amount free = max(Amount(), room.available);
        if (amount <= free) {
            continue;
        }
        FlavorRefusal& shortage = entry.refusal.shortages.emplace_back();
        shortage.at_borrowing_limit = room.bottleneck.is_borrowing_limit;
        shortage.is_choice = true;
        shortage.flavor = state_.flavor_of(pair);
        shortage.resource = state_.resource_of(pair);
        shortage.node = room.bottleneck.node;
        shortage.needed = amount - free;
        shortage.requested = amount;
        shortage.free = free;
        shortage.capacity = view.potential_available(entry.cluster_queue, pair);
    }
}

void Cycle::note_reserved(CycleEntry& entry, const Usages& reserved) const {
    if (explains_) {
        entry.refusal.reserved = reserved;
    }
}

bool Cycle::lacks_places_alone(const CycleEntry& entry) {
    UsageView& view = after_evictions();
    const UsageView::Trial trial(view);
    clear_for(entry, view);
    return view.fits_quota(entry.demand()) && !view.leaves().fits(entry.assignment.leaves());
}

}  // namespace sluice::engine
