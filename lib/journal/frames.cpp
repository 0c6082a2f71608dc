#include "journal/frames.hpp"

#include <boost/crc.hpp>
#include <fmt/format.h>

#include <array>
#include <cerrno>
#include <cstring>
#include <limits>
#include <zstd.h>

namespace sluice::journal {
namespace {

constexpr int kLevel = 3;
/// Bounds the memory that a damaged frame can ask for; frames are far smaller, but for those of
/// whole states.
constexpr std::size_t kTextMax = std::size_t{4} * 1024 * 1024 * 1024;

struct FreeCompressor {
    void operator()(ZSTD_CCtx* context) const { ZSTD_freeCCtx(context); }
};
struct FreeDecompressor {
    void operator()(ZSTD_DCtx* context) const { ZSTD_freeDCtx(context); }
};

/// The frame before each frame: a skippable one with the length of the next, its checksum, and a
/// checksum of both. A zstd frame's own checksum does not cover its header.
constexpr std::uint32_t kSkippable = 0x184D2A50U;
constexpr std::uint32_t kHeadContent = 12;
constexpr std::size_t kHeadBytes = 8 + kHeadContent;

std::uint32_t checksum_of(std::string_view bytes) {
    boost::crc_32_type checksum;
    checksum.process_bytes(bytes.data(), bytes.size());
    return checksum.checksum();
}

void append_number(std::string& out, std::uint32_t number) {
    for (int shift = 0; shift < 32; shift += 8) {
        out += static_cast<char>((number >> shift) & 0xFFU);
    }
}

std::uint32_t number_at(std::string_view bytes, std::size_t at) {
    std::uint32_t number = 0;
    for (std::size_t i = 0; i < 4; ++i) {
        number |= std::uint32_t{static_cast<unsigned char>(bytes[at + i])} << (8 * i);
    }
    return number;
}

std::string head_of(std::uint32_t length, std::uint32_t checksum) {
    std::string head;
    append_number(head, kSkippable);
    append_number(head, kHeadContent);
    append_number(head, length);
    append_number(head, checksum);
    append_number(head, checksum_of(head));
    return head;
}

/// Decompresses one whole frame.
Result<std::string> decompress(std::string_view frame) {
    const std::unique_ptr<ZSTD_DCtx, FreeDecompressor> context(ZSTD_createDCtx());
    std::string text;
    std::array<char, std::size_t{64} * 1024> buffer;
    ZSTD_inBuffer in{frame.data(), frame.size(), 0};
    for (;;) {
        ZSTD_outBuffer out{buffer.data(), buffer.size(), 0};
        const std::size_t left = ZSTD_decompressStream(context.get(), &out, &in);
        if (ZSTD_isError(left) != 0) {
            return make_invalid(fmt::format("damaged: {}", ZSTD_getErrorName(left)));
        }
        text.append(buffer.data(), out.pos);
        if (left == 0) {
            return text;
        }
        if (text.size() > kTextMax || (in.pos == in.size && out.pos < out.size)) {
            return make_invalid("damaged: a frame does not end");
        }
    }
}

}  // namespace

std::string compress_frame(std::string_view text) {
    const std::unique_ptr<ZSTD_CCtx, FreeCompressor> context(ZSTD_createCCtx());
    ZSTD_CCtx_setParameter(context.get(), ZSTD_c_compressionLevel, kLevel);
    ZSTD_CCtx_setParameter(context.get(), ZSTD_c_checksumFlag, 1);
    std::string frame(ZSTD_compressBound(text.size()), '\0');
    const std::size_t size =
        ZSTD_compress2(context.get(), frame.data(), frame.size(), text.data(), text.size());
    if (ZSTD_isError(size) != 0 || size > std::numeric_limits<std::uint32_t>::max()) {
        return "";
    }
    frame.resize(size);
    return head_of(static_cast<std::uint32_t>(size), checksum_of(frame)) + frame;
}

void FrameReader::Close::operator()(std::FILE* file) const {
    std::fclose(file);
}

Result<FrameReader> FrameReader::open(const std::string& file) {
    std::FILE* opened = std::fopen(file.c_str(), "rb");
    if (opened == nullptr) {
        return make_invalid(fmt::format("cannot open {}: {}", file, std::strerror(errno)));
    }
    return FrameReader(opened);
}

bool FrameReader::read_more() {
    std::array<char, std::size_t{256} * 1024> buffer;
    const std::size_t count = std::fread(buffer.data(), 1, buffer.size(), file_.get());
    bytes_.append(buffer.data(), count);
    return count > 0;
}

Result<std::optional<std::string>> FrameReader::next() {
    while (bytes_.size() < kHeadBytes && read_more()) {
    }
    if (bytes_.size() < kHeadBytes) {
        is_torn_ = !bytes_.empty();
        return std::optional<std::string>();
    }
    const std::uint32_t length = number_at(bytes_, 8);
    const std::uint32_t checksum = number_at(bytes_, 12);
    if (bytes_.compare(0, kHeadBytes, head_of(length, checksum)) != 0) {
        return make_invalid("damaged: the length of a frame");
    }
    while (bytes_.size() < kHeadBytes + length && read_more()) {
    }
    if (bytes_.size() < kHeadBytes + length) {
        is_torn_ = true;
        return std::optional<std::string>();
    }
    const std::string_view frame = std::string_view(bytes_).substr(kHeadBytes, length);
    if (checksum_of(frame) != checksum) {
        return make_invalid("damaged: the checksum of a frame differs");
    }
    auto text = decompress(frame);
    if (!text) {
        return text.error();
    }
    bytes_.erase(0, kHeadBytes + length);
    return std::optional(*std::move(text));
}

}  // namespace sluice::journal
