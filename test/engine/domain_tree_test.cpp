#include "engine/topology/domain_tree.hpp"

#include <catch2/catch_test_macros.hpp>

#include <vector>

namespace sluice::engine {
namespace {

DomainTree make_tree() {
    return DomainTree(
        3,
        {{"b2", "r1", "x1"},
         {"b1", "r2", "x4"},
         {"b1", "r1", "x3"},
         {"b1", "r1", "x2"},
         {"b1", "r1", "x3"}}
    );
}

}  // namespace

TEST_CASE("domains are numbered by level, then by path", "[engine][topology]") {
    const DomainTree tree = make_tree();
    CHECK(tree.levels() == 3);
    CHECK(tree.at_level(0).size() == 2);
    CHECK(tree.at_level(1).size() == 3);
    CHECK(tree.leaves().size() == 4);
    CHECK(tree.path(DomainIndex{tree.leaves().first}) == DomainPath{"b1", "r1", "x2"});
    CHECK(tree.path(DomainIndex{tree.leaves().last - 1}) == DomainPath{"b2", "r1", "x1"});
    CHECK(tree.size() == 9);
}

TEST_CASE("racks of the same name in two blocks are two domains", "[engine][topology]") {
    const DomainTree tree = make_tree();
    const DomainIndex in_b1 = tree.find({"b1", "r1"});
    const DomainIndex in_b2 = tree.find({"b2", "r1"});
    CHECK(in_b1 != in_b2);
    CHECK(tree.children(in_b1).size() == 2);
    CHECK(tree.children(in_b2).size() == 1);
    CHECK(tree.parent(in_b2) == tree.find({"b2"}));
}

TEST_CASE("a path that no node has is not found", "[engine][topology]") {
    const DomainTree tree = make_tree();
    CHECK_FALSE(tree.find({"b3"}).is_valid());
    CHECK_FALSE(tree.find({"b1", "r1", "x4"}).is_valid());
    CHECK_FALSE(tree.find({"b1", "r1", "x2", "more"}).is_valid());
}

TEST_CASE("a domain is within itself and its ancestors alone", "[engine][topology]") {
    const DomainTree tree = make_tree();
    const DomainIndex leaf = tree.find({"b1", "r1", "x3"});
    CHECK(tree.is_within(leaf, leaf));
    CHECK(tree.is_within(leaf, tree.find({"b1", "r1"})));
    CHECK(tree.is_within(leaf, tree.find({"b1"})));
    CHECK_FALSE(tree.is_within(leaf, tree.find({"b2"})));
    CHECK_FALSE(tree.is_within(leaf, tree.find({"b1", "r2"})));
    CHECK_FALSE(tree.is_within(tree.find({"b1"}), leaf));
}

TEST_CASE("a topology without nodes has levels without domains", "[engine][topology]") {
    const DomainTree tree(2, {});
    CHECK(tree.at_level(0).size() == 0);
    CHECK(tree.leaves().size() == 0);
    CHECK_FALSE(tree.find({"b1"}).is_valid());
}

}  // namespace sluice::engine
