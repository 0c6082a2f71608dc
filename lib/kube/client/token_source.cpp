#include "kube/client/token_source.hpp"

#include "base/log.hpp"

#include <sys/stat.h>
#include <utility>

namespace sluice::kube {

const std::string& TokenSource::token() {
    struct stat about{};
    if (!file_.empty() && ::stat(file_.c_str(), &about) == 0) {
        const Stamp stamp{about.st_ino, about.st_size, about.st_mtim.tv_sec, about.st_mtim.tv_nsec};
        if (stamp != stamp_ && read()) {
            stamp_ = stamp;
        }
    }
    return token_;
}

bool TokenSource::reload() {
    const auto before = token_;
    return !file_.empty() && read() && token_ != before;
}

bool TokenSource::read() {
    auto text = read_small_file(file_);
    if (!text) {
        log::warning("token file not read", {{"error", text.error().detail}});
        return false;
    }
    const auto end = text->find_last_not_of(" \t\r\n");
    text->resize(end == std::string::npos ? 0 : end + 1);
    // Blanks or line ends within the token would forge header lines.
    if (text->empty() || text->find_first_of("\r\n \t") != std::string::npos) {
        log::warning("token file holds no token", {{"file", file_}});
        return false;
    }
    token_ = std::move(*text);
    return true;
}

}  // namespace sluice::kube
