#include "net/http/spooled_body.hpp"

#include "base/assert.hpp"

#include <algorithm>
#include <cerrno>
#include <cstdlib>
#include <fcntl.h>
#include <sys/mman.h>
#include <system_error>
#include <unistd.h>
#include <utility>

namespace sluice::net {
namespace {

Error file_error(std::string_view what) {
    return Error{
        ErrorCode::Internal, std::string(what) + ": " + std::generic_category().message(errno), {}
    };
}

/// Creates a file that disappears when its descriptor is closed.
Result<int> open_nameless_file() {
    const char* folder = std::getenv("TMPDIR");
    std::string path =
        std::string(folder != nullptr && *folder != '\0' ? folder : "/tmp") + "/sluice-XXXXXX";
    const int file = ::mkostemp(path.data(), O_CLOEXEC);
    if (file < 0) {
        return file_error("temporary file for a large body " + path);
    }
    ::unlink(path.c_str());
    return file;
}

Result<void> write_all(int file, std::string_view bytes) {
    while (!bytes.empty()) {
        const auto written = ::write(file, bytes.data(), bytes.size());
        if (written < 0 && errno == EINTR) {
            continue;
        }
        if (written <= 0) {
            return file_error("writing a large body to a temporary file");
        }
        bytes.remove_prefix(static_cast<std::size_t>(written));
    }
    return {};
}

}  // namespace

SpooledBody::SpooledBody(SpooledBody&& other) noexcept {
    *this = std::move(other);
}

SpooledBody& SpooledBody::operator=(SpooledBody&& other) noexcept {
    if (this != &other) {
        reset();
        memory_ = std::move(other.memory_);
        memory_max_ = other.memory_max_;
        file_ = std::exchange(other.file_, -1);
        file_bytes_ = std::exchange(other.file_bytes_, 0);
        mapping_ = std::exchange(other.mapping_, nullptr);
    }
    return *this;
}

SpooledBody::~SpooledBody() {
    reset();
}

void SpooledBody::reset() noexcept {
    if (mapping_ != nullptr) {
        ::munmap(mapping_, file_bytes_);
        mapping_ = nullptr;
    }
    if (file_ >= 0) {
        ::close(file_);
        file_ = -1;
    }
}

Result<void> SpooledBody::append(std::string_view bytes) {
    SLUICE_ASSERT(mapping_ == nullptr);
    if (file_ < 0 && memory_.size() + bytes.size() <= memory_max_) {
        memory_ += bytes;
        return {};
    }
    if (file_ < 0) {
        const auto file = open_nameless_file();
        if (!file) {
            return file.error();
        }
        file_ = *file;
        const auto moved = write_all(file_, memory_);
        if (!moved) {
            return moved.error();
        }
        file_bytes_ = memory_.size();
        memory_ = std::string();
    }
    const auto written = write_all(file_, bytes);
    if (!written) {
        return written.error();
    }
    file_bytes_ += bytes.size();
    return {};
}

Result<std::string_view> SpooledBody::view() {
    if (file_ < 0) {
        return std::string_view(memory_);
    }
    if (mapping_ == nullptr) {
        void* mapping = ::mmap(nullptr, file_bytes_, PROT_READ, MAP_PRIVATE, file_, 0);
        if (mapping == MAP_FAILED) {
            return file_error("mapping a large body");
        }
        // The file is read once from beginning to end, so the kernel may drop the pages behind.
        ::madvise(mapping, file_bytes_, MADV_SEQUENTIAL);
        mapping_ = mapping;
    }
    return std::string_view(static_cast<const char*>(mapping_), file_bytes_);
}

Result<std::size_t> SpooledBody::copy(std::size_t offset, char* buffer, std::size_t size) const {
    if (file_ < 0) {
        return memory_.copy(buffer, size, std::min(offset, memory_.size()));
    }
    for (;;) {
        const auto read = ::pread(file_, buffer, size, static_cast<off_t>(offset));
        if (read >= 0) {
            return static_cast<std::size_t>(read);
        }
        if (errno != EINTR) {
            return file_error("reading a large body from its temporary file");
        }
    }
}

}  // namespace sluice::net
