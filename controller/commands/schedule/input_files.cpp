#include "controller/commands/schedule/input_files.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <array>
#include <cerrno>
#include <cstddef>
#include <cstdint>
#include <cstdio>
#include <filesystem>
#include <memory>
#include <string_view>
#include <system_error>
#include <utility>

namespace sluice::commands {
namespace {

Error unreadable(const std::string& name, const std::error_code& why) {
    return Error{
        ErrorCode::Invalid, fmt::format("{}: cannot be read: {}", name, why.message()), {}
    };
}

constexpr std::size_t kPiece = std::size_t{1} << 20U;

/// Reads to the end. `expected` is the probable size in bytes.
Result<std::string> read_all(
    std::FILE* stream, const std::string& name, std::uintmax_t expected = 0
) {
    // Reserves space, so that a large text is not moved as it grows.
    constexpr std::uintmax_t kExpectedMost = std::uintmax_t{256} << 20U;
    std::string text;
    text.reserve(static_cast<std::size_t>(std::min(expected, kExpectedMost)) + kPiece);
    while (true) {
        const std::size_t before = text.size();
        text.resize(before + kPiece);
        const std::size_t got = std::fread(text.data() + before, 1, kPiece, stream);
        text.resize(before + got);
        if (got < kPiece) {
            break;
        }
    }
    if (std::ferror(stream) != 0) {
        return unreadable(name, std::error_code(errno, std::generic_category()));
    }
    return text;
}

bool holds_objects(const std::filesystem::directory_entry& entry) {
    constexpr std::array<std::string_view, 3> kEndings{".yaml", ".yml", ".json"};
    return entry.is_regular_file() &&
           std::ranges::find(kEndings, entry.path().extension().string()) != kEndings.end();
}

Result<std::vector<std::string>> files_in(const std::string& folder) {
    std::error_code error;
    std::vector<std::string> names;
    for (std::filesystem::directory_iterator at(folder, error), end; !error && at != end;
         at.increment(error)) {
        if (holds_objects(*at)) {
            names.push_back(at->path().string());
        }
    }
    if (error) {
        return unreadable(folder, error);
    }
    if (names.empty()) {
        return make_invalid(folder + ": no file in this folder ends in .yaml, .yml or .json");
    }
    std::ranges::sort(names);
    return names;
}

}  // namespace

Result<std::string> read_file(const std::string& name) {
    if (name == "-") {
        return read_all(stdin, "stdin");
    }
    const std::unique_ptr<std::FILE, int (*)(std::FILE*)> file(
        std::fopen(name.c_str(), "rb"), &std::fclose
    );
    if (file == nullptr) {
        return unreadable(name, std::error_code(errno, std::generic_category()));
    }
    std::error_code unknown;
    const auto size = std::filesystem::file_size(name, unknown);
    return read_all(file.get(), name, unknown ? 0 : size);
}

Result<std::vector<InputFile>> read_input_files(const std::vector<std::string>& names) {
    std::vector<InputFile> files;
    for (const auto& name : names) {
        std::error_code unknown;
        auto of_name = std::filesystem::is_directory(name, unknown)
                           ? files_in(name)
                           : Result<std::vector<std::string>>(std::vector{name});
        if (!of_name) {
            return of_name.error();
        }
        for (const auto& file : *of_name) {
            auto text = read_file(file);
            if (!text) {
                return text.error();
            }
            files.push_back({.name = file == "-" ? "stdin" : file, .text = std::move(*text)});
        }
    }
    return files;
}

}  // namespace sluice::commands
