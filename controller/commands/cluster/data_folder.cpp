#include "controller/commands/cluster/data_folder.hpp"

#include "controller/commands/cluster/write_all.hpp"

#include <fmt/format.h>

#include <array>
#include <cerrno>
#include <cstdio>
#include <cstring>
#include <fcntl.h>
#include <sys/file.h>
#include <sys/stat.h>
#include <system_error>
#include <unistd.h>
#include <utility>

namespace sluice::commands {

namespace {

constexpr const char* kFile = "snapshot.jsonl";
constexpr const char* kTemporary = "snapshot.jsonl.new";
constexpr const char* kLock = "lock";

Error failure(const std::filesystem::path& path, std::string_view what) {
    return make_invalid(
        fmt::format("{} cannot be {}: {}", path.string(), what, std::strerror(errno))
    );
}

/// Makes the name of a new file durable: it is on disk only once its folder is.
Result<void> sync_folder(const std::filesystem::path& folder) {
    const int opened = ::open(folder.c_str(), O_RDONLY | O_DIRECTORY | O_CLOEXEC);
    if (opened < 0) {
        return failure(folder, "opened");
    }
    const bool is_done = ::fsync(opened) == 0;
    const int kept = errno;
    ::close(opened);
    errno = kept;
    return is_done ? Result<void>() : Result<void>(failure(folder, "written"));
}

Result<std::string> read_whole_file(int file, const std::filesystem::path& path) {
    std::string text;
    std::array<char, 65536> piece{};
    for (;;) {
        const auto got = ::read(file, piece.data(), piece.size());
        if (got == 0) {
            return text;
        }
        if (got < 0 && errno != EINTR) {
            return failure(path, "read");
        }
        text.append(piece.data(), got > 0 ? static_cast<std::size_t>(got) : 0);
    }
}

}  // namespace

Result<std::unique_ptr<DataFolder>> DataFolder::open(const std::filesystem::path& folder) {
    std::error_code failed;
    std::filesystem::create_directories(folder, failed);
    if (failed) {
        return make_invalid(
            fmt::format("{} cannot be created: {}", folder.string(), failed.message())
        );
    }
    const auto path = folder / kLock;
    const int lock = ::open(path.c_str(), O_RDWR | O_CREAT | O_CLOEXEC, S_IRUSR | S_IWUSR);
    if (lock < 0) {
        return failure(path, "opened");
    }
    if (::flock(lock, LOCK_EX | LOCK_NB) != 0) {
        const bool is_taken = errno == EWOULDBLOCK;
        Error error =
            is_taken ? make_invalid(fmt::format("{} is in use by another process", folder.string()))
                     : failure(path, "locked");
        ::close(lock);
        return error;
    }
    return std::unique_ptr<DataFolder>(new DataFolder(folder, lock));
}

DataFolder::DataFolder(std::filesystem::path folder, int lock)
    : folder_(std::move(folder)), lock_(lock) {}

DataFolder::~DataFolder() {
    ::close(lock_);
}

Result<std::optional<apiserver::StoreImage>> DataFolder::load() const {
    const auto path = folder_ / kFile;
    const int file = ::open(path.c_str(), O_RDONLY | O_CLOEXEC);
    if (file < 0 && errno == ENOENT) {
        return std::optional<apiserver::StoreImage>();
    }
    if (file < 0) {
        return failure(path, "read");
    }
    const auto text = read_whole_file(file, path);
    ::close(file);
    if (!text) {
        return text.error();
    }
    auto image = apiserver::parse_image(*text);
    if (!image) {
        return with_context(image.error(), path.string());
    }
    return std::optional(std::move(*image));
}

Result<void> DataFolder::save(std::string_view text) const {
    const auto path = folder_ / kTemporary;
    const int file =
        ::open(path.c_str(), O_WRONLY | O_CREAT | O_TRUNC | O_CLOEXEC, S_IRUSR | S_IWUSR);
    if (file < 0) {
        return failure(path, "written");
    }
    const bool is_written = write_all(file, text) && ::fsync(file) == 0;
    Error unwritten = failure(path, "written");
    ::close(file);
    if (!is_written) {
        ::unlink(path.c_str());
        return unwritten;
    }
    if (std::rename(path.c_str(), (folder_ / kFile).c_str()) != 0) {
        return failure(folder_ / kFile, "replaced");
    }
    return sync_folder(folder_);
}

}  // namespace sluice::commands
