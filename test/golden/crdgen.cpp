#include "api/schema/crd.hpp"
#include "api/schema/schema.hpp"
#include "yaml/print.hpp"

#include <fmt/format.h>

#include <cstdio>
#include <filesystem>
#include <fstream>
#include <iterator>
#include <string>

// Writes crds/*.yaml from the tables of fields, or with --check says which of the files differ.
int main(int argc, char** argv) {
    using namespace sluice;
    const bool check = argc > 2 && std::string_view(argv[2]) == "--check";
    if (argc < 2) {
        fmt::print(stderr, "usage: sluice_crdgen FOLDER [--check]\n");
        return 2;
    }
    int differing = 0;
    for (const auto& kind : api::kueue_kinds()) {
        const auto name = fmt::format("{}_{}.yaml", kind.group, kind.plural);
        const auto path = std::filesystem::path(argv[1]) / name;
        const auto text = "---\n" + yaml::print(api::make_crd(kind));
        if (!check) {
            std::ofstream out(path, std::ios::binary);
            out << text;
            if (!out.flush()) {
                fmt::print(stderr, "{}: cannot be written\n", path.string());
                return 1;
            }
            continue;
        }
        std::ifstream in(path, std::ios::binary);
        const std::string found{std::istreambuf_iterator<char>(in), {}};
        if (found != text) {
            fmt::print(stderr, "{}: not what the tables say; run sluice_crdgen\n", path.string());
            ++differing;
        }
    }
    return differing == 0 ? 0 : 1;
}
