#include "fuzz/fuzz_target.hpp"

#include <fmt/core.h>

#include <algorithm>
#include <cstdio>
#include <filesystem>
#include <fstream>
#include <iterator>
#include <string>
#include <vector>

/// Runs a fuzz target over every file of the folders named: the corpora without libFuzzer, so that
/// every build can replay them. A broken promise aborts after the file's name was printed.
int main(int argc, char** argv) {
    std::vector<std::filesystem::path> files;
    for (int i = 1; i < argc; ++i) {
        for (const auto& entry : std::filesystem::directory_iterator(argv[i])) {
            files.push_back(entry.path());
        }
    }
    std::sort(files.begin(), files.end());
    for (const auto& path : files) {
        fmt::print("{}\n", path.filename().string());
        std::fflush(stdout);
        std::ifstream file(path, std::ios::binary);
        const std::string text{std::istreambuf_iterator<char>(file), {}};
        LLVMFuzzerTestOneInput(reinterpret_cast<const std::uint8_t*>(text.data()), text.size());
    }
    fmt::print("{} passed, 0 failed\n", files.size());
    return files.empty() ? 1 : 0;
}
