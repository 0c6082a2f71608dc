#include "base/prng.hpp"
#include "engine/quota/usage_view.hpp"

#include <catch2/catch_test_macros.hpp>

#include <algorithm>
#include <array>
#include <cstdint>
#include <map>
#include <optional>
#include <string>
#include <utility>
#include <vector>

namespace sluice::engine {
namespace {

constexpr std::uint32_t kResources = 3;
constexpr int kQueues = 6;
constexpr int kCohorts = 5;

struct Statement {
    std::string parent;
    double weight = 1.0;
    std::vector<DeclaredQuota> quotas;
};

/// What was said of each node last, from which a tree can be made at once.
struct Statements {
    std::map<std::string, std::optional<Statement>> cohorts;
    std::map<std::string, std::optional<Statement>> queues;
    std::map<std::string, bool> active;
    std::map<std::string, Usages> usage;
};

void refresh(QuotaTree& tree) {
    std::vector<NodeIndex> touched;
    tree.refresh(touched);
}

QuotaTree make_tree(const Statements& said) {
    QuotaTree tree;
    for (const auto& [name, statement] : said.cohorts) {
        const auto index = tree.intern_cohort(name);
        if (statement) {
            tree.set_object(index, statement->parent, statement->weight, statement->quotas);
        }
    }
    for (const auto& [name, statement] : said.queues) {
        const auto index = tree.intern_cluster_queue(name);
        if (statement) {
            tree.set_object(index, statement->parent, statement->weight, statement->quotas);
        }
        tree.set_active(index, said.active.at(name));
        tree.reset_usage(index, said.usage.at(name));
    }
    refresh(tree);
    return tree;
}

using Numbers = std::array<std::int64_t, 8>;

/// Everything that can be asked of a node, in names.
struct Picture {
    std::string root;
    std::vector<std::string> children;
    std::int32_t height = 0;
    std::int32_t depth = 0;
    bool in_cycle = false;
    std::vector<Numbers> cells;
    std::vector<std::vector<std::string>> above_quota;  // of roots, by resource
    friend bool operator==(const Picture&, const Picture&) = default;
};

Picture picture_of(const QuotaTree& tree, NodeIndex index) {
    const auto& node = tree.node(index);
    Picture made{
        .root = tree.node(node.root).name,
        .children = {},
        .height = node.height,
        .depth = node.depth,
        .in_cycle = node.in_cycle,
        .cells = {},
        .above_quota = {},
    };
    for (const auto child : node.children) {
        made.children.push_back(tree.node(child).name);
    }
    for (std::uint32_t i = 0; i < kResources; ++i) {
        const FlavorResourceIndex resource{i};
        const QuotaCell cell = tree.cell(index, resource);
        made.cells.push_back({
            cell.nominal.value(),
            cell.borrowing_limit.value_or(Amount(-1)).value(),
            cell.lending_limit.value_or(Amount(-1)).value(),
            cell.subtree.value(),
            cell.usage.value(),
            cell.declarations,
            UsageView(tree).available(index, resource).value(),
            UsageView(tree).potential_available(index, resource).value(),
        });
        if (node.root == index) {
            auto& names = made.above_quota.emplace_back();
            for (const auto queue : UsageView(tree).above_quota(index, {resource})) {
                names.push_back(tree.node(queue).name);
            }
            std::sort(names.begin(), names.end());
        }
    }
    return made;
}

class RandomChanges {
  public:
    explicit RandomChanges(std::uint32_t seed) : random_(seed) {
        for (int i = 0; i < kCohorts; ++i) {
            said_.cohorts[cohort_name(i)];
            tree_.intern_cohort(cohort_name(i));
        }
        for (int i = 0; i < kQueues; ++i) {
            const auto name = "q" + std::to_string(i);
            said_.queues[name];
            said_.active[name] = false;
            said_.usage[name];
            tree_.intern_cluster_queue(name);
        }
    }

    /// A few changes, after which the tree is brought up to date.
    void change() {
        for (int i = below(4); i >= 0; --i) {
            change_one();
        }
        refresh(tree_);
    }
    void change_one() {
        switch (below(6)) {
            case 0:
                change_cohort();
                break;
            case 1:
            case 2:
                change_queue();
                break;
            case 3:
                change_activity();
                break;
            default:
                change_usage();
        }
    }

    void check() const {
        const QuotaTree expected = make_tree(said_);
        for (const auto& [name, statement] : said_.cohorts) {
            CAPTURE(name);
            CHECK(
                picture_of(tree_, tree_.find_cohort(name)) ==
                picture_of(expected, expected.find_cohort(name))
            );
        }
        for (const auto& [name, statement] : said_.queues) {
            CAPTURE(name);
            CHECK(
                picture_of(tree_, tree_.find_cluster_queue(name)) ==
                picture_of(expected, expected.find_cluster_queue(name))
            );
        }
    }

  private:
    static std::string cohort_name(int number) { return "c" + std::to_string(number); }
    int below(int end) { return static_cast<int>(random_.below(static_cast<std::uint64_t>(end))); }

    Amount amount() { return below(40) == 0 ? Amount::unlimited() : Amount(below(20)); }
    std::optional<Amount> limit() { return below(3) == 0 ? std::optional(amount()) : std::nullopt; }
    Statement statement() {
        Statement made;
        made.parent = below(3) == 0 ? "" : cohort_name(below(kCohorts));
        made.weight = 1.0 + below(2);
        for (std::uint32_t i = 0; i < kResources; ++i) {
            if (below(3) != 0) {
                made.quotas.push_back(DeclaredQuota{
                    .flavor_resource = FlavorResourceIndex{i},
                    .nominal = amount(),
                    .borrowing_limit = limit(),
                    .lending_limit = limit(),
                });
            }
        }
        return made;
    }
    void change_cohort() {
        const auto name = cohort_name(below(kCohorts));
        const auto index = tree_.find_cohort(name);
        if (below(4) == 0) {
            said_.cohorts[name].reset();
            tree_.remove_object(index);
        } else {
            said_.cohorts[name] = statement();
            const Statement& s = *said_.cohorts[name];
            tree_.set_object(index, s.parent, s.weight, s.quotas);
        }
    }
    std::string any_queue() { return "q" + std::to_string(below(kQueues)); }
    void change_queue() {
        const auto name = any_queue();
        const auto index = tree_.find_cluster_queue(name);
        if (below(4) == 0) {
            said_.queues[name].reset();
            said_.active[name] = false;
            tree_.remove_object(index);
        } else {
            said_.queues[name] = statement();
            const Statement& s = *said_.queues[name];
            tree_.set_object(index, s.parent, s.weight, s.quotas);
        }
    }
    void change_activity() {
        const auto name = any_queue();
        said_.active[name] = !said_.active[name];
        tree_.set_active(tree_.find_cluster_queue(name), said_.active[name]);
    }
    Usages any_usage() {
        const FlavorResourceIndex resource{static_cast<std::uint32_t>(below(kResources))};
        const Amount amount = below(30) == 0 ? Amount::unlimited() : Amount(1 + below(8));
        return {{.flavor_resource = resource, .amount = amount}};
    }
    /// As HoldersEditor begins and ends holders: what saturated is summed up anew.
    void change_usage() {
        const auto name = any_queue();
        const auto index = tree_.find_cluster_queue(name);
        auto& held = held_[name];
        if (held.empty() || below(5) < 3) {
            held.push_back(any_usage());
            tree_.add_usage(index, held.back());
        } else {
            const Usages released = held.back();
            held.pop_back();
            if (tree_.has_saturated(index)) {
                tree_.reset_usage(index, sum_of(held));
            } else {
                tree_.remove_usage(index, released);
            }
        }
        said_.usage[name] = sum_of(held);
    }
    static Usages sum_of(const std::vector<Usages>& held) {
        Usages sum;
        for (const auto& usages : held) {
            for (const auto& usage : usages) {
                add_to(sum, usage.flavor_resource, usage.amount);
            }
        }
        return sum;
    }

    Prng random_;
    Statements said_;
    std::map<std::string, std::vector<Usages>> held_;
    QuotaTree tree_;
};

}  // namespace

TEST_CASE("a tree that was changed step by step is the one made at once", "[engine][quota]") {
    for (std::uint32_t seed = 1; seed <= 150; ++seed) {
        CAPTURE(seed);
        RandomChanges changes(seed);
        for (int step = 0; step < 60; ++step) {
            CAPTURE(step);
            changes.change();
            changes.check();
        }
    }
}

TEST_CASE("a waiting queue is found in whatever tree it has moved to", "[engine][quota]") {
    QuotaTree tree;
    const auto queue = tree.intern_cluster_queue("q");
    tree.set_object(queue, "inner", 1.0, {});
    tree.set_waiting(queue, true);
    const auto inner = tree.find_cohort("inner");
    CHECK(tree.waiting_in(inner).contains(queue));
    tree.set_object(inner, "outer", 1.0, {});
    const auto outer = tree.find_cohort("outer");
    CHECK(tree.waiting_in(inner).empty());
    CHECK(tree.waiting_in(outer).contains(queue));
    tree.set_object(outer, "inner", 1.0, {});  // a cycle: each is a tree of its own
    refresh(tree);
    CHECK(tree.waiting_in(outer).empty());
    CHECK(tree.waiting_in(queue).contains(queue));
    tree.set_waiting(queue, false);
    CHECK(tree.waiting_in(queue).empty());
}

TEST_CASE("the generation grows for a tree's own changes and no other's", "[engine][quota]") {
    QuotaTree tree;
    const auto a = tree.intern_cluster_queue("a");
    const auto b = tree.intern_cluster_queue("b");
    const auto other = tree.intern_cluster_queue("other");
    tree.set_object(a, "c", 1.0, {});
    tree.set_object(b, "c", 1.0, {});
    const auto a_before = tree.generation(a);
    const auto other_before = tree.generation(other);
    tree.set_object(b, "c", 2.0, {});
    CHECK(tree.generation(a) == a_before);
    tree.set_object(
        b, "c", 2.0, {{.flavor_resource = FlavorResourceIndex{0}, .nominal = Amount(1)}}
    );
    CHECK(tree.generation(a) > a_before);
    CHECK(tree.generation(other) == other_before);
    const auto a_between = tree.generation(a);
    tree.touch(b);
    CHECK(tree.generation(a) == a_between);
    tree.set_object(b, "elsewhere", 2.0, {});
    CHECK(tree.generation(a) > a_between);
}

}  // namespace sluice::engine
