#include "controller/commands/dev/kubeconfig_file.hpp"

#include "controller/commands/cluster/api_endpoint.hpp"
#include "controller/commands/cluster/write_all.hpp"
#include "json/reader.hpp"

#include <fmt/format.h>

#include <cerrno>
#include <cstddef>
#include <cstdio>
#include <cstdlib>
#include <cstring>
#include <fcntl.h>
#include <fstream>
#include <iterator>
#include <string>
#include <sys/file.h>
#include <sys/stat.h>
#include <system_error>
#include <unistd.h>
#include <utility>

namespace sluice::commands {

namespace {

Error unwritable(const std::filesystem::path& file, const std::string& why) {
    return make_invalid(fmt::format("{} cannot be written: {}", file.string(), why));
}

Error running(const std::filesystem::path& file) {
    return make_invalid(fmt::format(
        "{} belongs to a running sluice dev; stop it, or choose another file with "
        "--write-kubeconfig",
        file.string()
    ));
}

/// Refuses to replace a file that sluice dev has not written.
Result<void> check_own(const std::filesystem::path& file) {
    std::ifstream in(file);
    const std::string text{std::istreambuf_iterator<char>(in), {}};
    const auto known = json::parse(text);
    if (known && known->string_at("current-context") == ApiEndpoint::kName) {
        return {};
    }
    return make_invalid(fmt::format(
        "{} exists and is not of sluice dev; choose another file with --write-kubeconfig",
        file.string()
    ));
}

/// Removes the kubeconfig of a run that has ended. Holds its lock meanwhile, so that of several
/// processes that start at the same time, none removes the new file of another one.
Result<void> remove_earlier(const std::filesystem::path& file) {
    if (auto own = check_own(file); !own) {
        return own;
    }
    const int opened = ::open(file.c_str(), O_RDONLY | O_CLOEXEC);
    if (opened < 0) {
        return unwritable(file, std::strerror(errno));
    }
    struct stat locked{};
    struct stat there{};
    const bool is_free = ::flock(opened, LOCK_EX | LOCK_NB) == 0 && ::fstat(opened, &locked) == 0 &&
                         ::stat(file.c_str(), &there) == 0 && locked.st_dev == there.st_dev &&
                         locked.st_ino == there.st_ino;
    const bool is_removed = is_free && ::unlink(file.c_str()) == 0;
    const int failure = errno;
    ::close(opened);
    if (!is_free) {
        return running(file);
    }
    return is_removed ? Result<void>() : Result<void>(unwritable(file, std::strerror(failure)));
}

/// Returns 0, or the errno of the failure.
int write_text(const std::filesystem::path& file, std::string_view text) {
    const int opened =
        ::open(file.c_str(), O_WRONLY | O_CREAT | O_TRUNC | O_CLOEXEC, S_IRUSR | S_IWUSR);
    struct stat known{};
    const bool is_written = opened >= 0 && ::fstat(opened, &known) == 0 &&
                            (!S_ISREG(known.st_mode) || ::fchmod(opened, S_IRUSR | S_IWUSR) == 0) &&
                            write_all(opened, text);
    const int failure = errno;
    if (opened >= 0) {
        ::close(opened);
    }
    return is_written ? 0 : failure;
}

/// Opens a file without a name in the folder of `file`: it disappears with the process. Returns -1
/// if the file system does not support this or if the file could not be named later.
int open_nameless(const std::filesystem::path& file) {
    if (::access("/proc/self/fd", X_OK) != 0) {
        return -1;
    }
    const auto folder = file.has_parent_path() ? file.parent_path() : std::filesystem::path(".");
    return ::open(folder.c_str(), O_TMPFILE | O_WRONLY | O_CLOEXEC, S_IRUSR | S_IWUSR);
}

/// Gives the open file its name, unless a file of that name exists. Returns 0 or the errno.
int name_new(int file, const std::filesystem::path& name) {
    const std::string opened = fmt::format("/proc/self/fd/{}", file);
    return ::linkat(AT_FDCWD, opened.c_str(), AT_FDCWD, name.c_str(), AT_SYMLINK_FOLLOW) == 0
               ? 0
               : errno;
}

/// Moves a file, unless the target exists. Returns 0 or the errno.
int move_new(const std::filesystem::path& from, const std::filesystem::path& to) {
    if (::renameat2(AT_FDCWD, from.c_str(), AT_FDCWD, to.c_str(), RENAME_NOREPLACE) == 0) {
        return 0;
    }
    const bool is_unknown = errno == EINVAL || errno == ENOSYS;  // to this file system
    return is_unknown && ::rename(from.c_str(), to.c_str()) == 0 ? 0 : errno;
}

}  // namespace

Result<void> write_private_file(const std::filesystem::path& file, std::string_view text) {
    const int failure = write_text(file, text);
    return failure == 0 ? Result<void>() : Result<void>(unwritable(file, std::strerror(failure)));
}

KubeconfigFile::KubeconfigFile(std::filesystem::path file, std::filesystem::path written, int lock)
    : file_(std::move(file)), written_(std::move(written)), lock_(lock) {}

KubeconfigFile::KubeconfigFile(KubeconfigFile&& other) noexcept
    : file_(std::move(other.file_)),
      written_(std::exchange(other.written_, {})),
      lock_(std::exchange(other.lock_, -1)),
      is_published_(other.is_published_) {}

KubeconfigFile::~KubeconfigFile() {
    if (!written_.empty()) {
        ::unlink(written_.c_str());
    }
    if (lock_ >= 0) {
        ::close(lock_);
    }
}

Result<KubeconfigFile> KubeconfigFile::prepare(const std::string& file, const std::string& text) {
    const std::filesystem::path place(file);
    std::error_code error;
    const auto status = std::filesystem::status(place, error);
    if (std::filesystem::exists(status) && !std::filesystem::is_regular_file(status)) {
        // A pipe or a device is written directly.
        if (const int failure = write_text(place, text); failure != 0) {
            return unwritable(place, std::strerror(failure));
        }
        KubeconfigFile made(place, {}, -1);
        made.is_published_ = true;
        return made;
    }
    if (std::filesystem::is_symlink(place, error) && !std::filesystem::exists(status)) {
        return make_invalid(fmt::format(
            "{} is a symbolic link to a missing file; remove it, or choose another file with "
            "--write-kubeconfig",
            file
        ));
    }
    if (std::filesystem::exists(status)) {
        if (const auto removed = remove_earlier(place); !removed) {
            return removed.error();
        }
    }
    std::string written;
    int opened = open_nameless(place);
    if (opened < 0) {
        // A random name that nobody can predict, so that a planted link is not followed.
        written = file + ".XXXXXX";
        opened = ::mkostemp(written.data(), O_CLOEXEC);
    }
    if (opened < 0) {
        return unwritable(place, std::strerror(errno));
    }
    KubeconfigFile made(place, written, opened);
    if (!write_all(opened, text) || ::flock(opened, LOCK_EX | LOCK_NB) != 0) {
        return unwritable(place, std::strerror(errno));
    }
    return made;
}

Result<void> KubeconfigFile::publish() {
    if (is_published_) {
        return {};
    }
    const int failure = written_.empty() ? name_new(lock_, file_) : move_new(written_, file_);
    if (failure != 0) {
        return failure == EEXIST ? running(file_) : unwritable(file_, std::strerror(failure));
    }
    written_.clear();
    is_published_ = true;
    return {};
}

}  // namespace sluice::commands
