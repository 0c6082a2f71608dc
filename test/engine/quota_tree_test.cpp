#include "engine/quota/usage_view.hpp"

#include <catch2/catch_test_macros.hpp>

#include <vector>

namespace sluice::engine {
namespace {

constexpr FlavorResourceIndex kCpu{0};

DeclaredQuota quota(std::int64_t nominal) {
    return {
        .flavor_resource = kCpu,
        .nominal = Amount(nominal),
        .borrowing_limit = {},
        .lending_limit = {}
    };
}

Usages cpu(std::int64_t amount) {
    return {{.flavor_resource = kCpu, .amount = Amount(amount)}};
}

/// Two ClusterQueues of 10 in a cohort; `a` lends at most 4.
struct TwoQueues {
    QuotaTree tree;
    NodeIndex a = tree.intern_cluster_queue("a");
    NodeIndex b = tree.intern_cluster_queue("b");

    TwoQueues() {
        auto lending = quota(10);
        lending.lending_limit = Amount(4);
        tree.set_object(a, "c", 1.0, {lending});
        tree.set_object(b, "c", 1.0, {quota(10)});
        tree.set_active(a, true);
        tree.set_active(b, true);
        refresh();
    }
    void refresh() {
        std::vector<NodeIndex> touched;
        tree.refresh(touched);
    }
};

}  // namespace

TEST_CASE(
    "a lending limit hides the rest from the cohort but not from its owner", "[engine][quota]"
) {
    TwoQueues t;
    CHECK(UsageView(t.tree).available(t.b, kCpu) == Amount(14));
    CHECK(UsageView(t.tree).available(t.a, kCpu) == Amount(20));
    t.tree.add_usage(t.b, cpu(13));
    CHECK(UsageView(t.tree).available(t.a, kCpu) == Amount(7));
    CHECK(UsageView(t.tree).potential_available(t.b, kCpu) == Amount(14));
}

TEST_CASE("usage reaches the cohort only beyond what is local", "[engine][quota]") {
    TwoQueues t;
    t.tree.add_usage(t.a, cpu(5));
    const NodeIndex cohort = t.tree.find_cohort("c");
    CHECK(t.tree.cell(cohort, kCpu).usage == Amount(0));
    t.tree.add_usage(t.a, cpu(3));
    CHECK(t.tree.cell(cohort, kCpu).usage == Amount(2));
    t.tree.remove_usage(t.a, cpu(3));
    CHECK(t.tree.cell(cohort, kCpu).usage == Amount(0));
}

TEST_CASE("the end of a trial restores every node, also after saturation", "[engine][quota]") {
    TwoQueues t;
    t.tree.add_usage(t.b, cpu(12));
    UsageView view(t.tree);
    const auto version = view.version();
    {
        const UsageView::Trial trial(view);
        const Usages all = {{.flavor_resource = kCpu, .amount = Amount::unlimited()}};
        view.add({.cluster_queue = t.b, .usages = all});
        view.remove({.cluster_queue = t.b, .usages = cpu(3)});
        CHECK(view.cell(t.b, kCpu).usage.is_unlimited());
        CHECK(view.version() != version);
    }
    CHECK(view.version() == version);
    CHECK(view.cell(t.b, kCpu).usage == Amount(12));
    CHECK(view.cell(t.tree.find_cohort("c"), kCpu).usage == Amount(12));
    CHECK(t.tree.cell(t.b, kCpu).usage == Amount(12));
}

TEST_CASE("a trial that is kept belongs to the one around it", "[engine][quota]") {
    TwoQueues t;
    UsageView view(t.tree);
    {
        const UsageView::Trial outer(view);
        {
            UsageView::Trial inner(view);
            view.add({.cluster_queue = t.a, .usages = cpu(3)});
            inner.keep();
        }
        CHECK(view.cell(t.a, kCpu).usage == Amount(3));
    }
    CHECK(view.cell(t.a, kCpu).usage == Amount(0));
    {
        UsageView::Trial kept(view);
        view.add({.cluster_queue = t.a, .usages = cpu(4)});
        kept.keep();
    }
    CHECK(view.cell(t.a, kCpu).usage == Amount(4));
    const UsageView copy = view;
    view.add({.cluster_queue = t.a, .usages = cpu(1)});
    CHECK(copy.cell(t.a, kCpu).usage == Amount(4));
}

TEST_CASE(
    "a cycle of parents takes its whole tree out and comes back when it is mended",
    "[engine][quota]"
) {
    TwoQueues t;
    t.tree.set_object(t.tree.intern_cohort("c"), "d", 1.0, {});
    t.tree.set_object(t.tree.intern_cohort("d"), "c", 1.0, {});
    t.refresh();
    CHECK(t.tree.node(t.a).in_cycle);
    CHECK(UsageView(t.tree).available(t.b, kCpu) == Amount(10));
    t.tree.remove_object(t.tree.intern_cohort("d"));
    t.refresh();
    CHECK_FALSE(t.tree.node(t.a).in_cycle);
    CHECK(UsageView(t.tree).available(t.b, kCpu) == Amount(14));
}

TEST_CASE(
    "the borrowing level is the height of the lowest subtree that covers the request",
    "[engine][quota]"
) {
    TwoQueues t;
    t.tree.set_object(t.tree.intern_cohort("c"), "root", 1.0, {});
    t.tree.set_object(t.tree.intern_cohort("root"), "", 1.0, {quota(100)});
    t.refresh();
    CHECK(UsageView(t.tree).lowest_fit(t.b, kCpu, Amount(10)).height == 0);
    CHECK(UsageView(t.tree).lowest_fit(t.b, kCpu, Amount(12)).height == 1);
    CHECK(UsageView(t.tree).lowest_fit(t.b, kCpu, Amount(12)).may_reclaim);
    CHECK(UsageView(t.tree).lowest_fit(t.b, kCpu, Amount(50)).height == 2);
    CHECK_FALSE(UsageView(t.tree).lowest_fit(t.b, kCpu, Amount(50)).may_reclaim);
}

TEST_CASE("a new node gets the index of an erased one, and nothing else of it", "[engine][quota]") {
    TwoQueues t;
    t.tree.add_usage(t.a, cpu(12));
    t.tree.set_waiting(t.a, true);
    t.tree.remove_usage(t.a, cpu(12));
    t.tree.remove_object(t.a);
    t.tree.remove_object(t.b);
    const NodeIndex cohort = t.tree.find_cohort("c");
    const std::size_t size = t.tree.size();
    t.tree.erase(t.a);
    t.tree.erase(cohort);
    CHECK_FALSE(t.tree.find_cluster_queue("a").is_valid());
    CHECK_FALSE(t.tree.find_cohort("c").is_valid());

    const NodeIndex made = t.tree.intern_cluster_queue("other");
    CHECK(made == cohort);
    CHECK(t.tree.intern_cohort("a") == t.a);
    CHECK(t.tree.size() == size);
    CHECK(t.tree.waiting_in(t.a).empty());
    CHECK(t.tree.node(t.a).cells.empty());
    t.tree.set_object(made, "a", 1.0, {quota(3)});
    t.tree.set_active(made, true);
    CHECK(t.tree.node(t.a).height == 1);
    CHECK(UsageView(t.tree).available(made, kCpu) == Amount(3));
    CHECK(UsageView(t.tree).cell(t.a, kCpu).subtree == Amount(3));
}

}  // namespace sluice::engine
