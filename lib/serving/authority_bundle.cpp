#include "serving/authority_bundle.hpp"

#include "net/transport/certificate.hpp"

#include <algorithm>
#include <cstddef>
#include <set>
#include <string_view>
#include <utility>

namespace sluice::serving {

namespace {

constexpr std::string_view kBegin = "-----BEGIN CERTIFICATE-----";
constexpr std::string_view kEnd = "-----END CERTIFICATE-----";
constexpr std::size_t kOthersMax = 4;

std::set<std::string> certificates_of(const std::string& pem) {
    auto all = split_certificates(pem);
    return {std::make_move_iterator(all.begin()), std::make_move_iterator(all.end())};
}

}  // namespace

std::vector<std::string> split_certificates(const std::string& pem) {
    std::vector<std::string> certificates;
    for (std::size_t begin = pem.find(kBegin); begin != std::string::npos;
         begin = pem.find(kBegin, begin + kBegin.size())) {
        const std::size_t end = pem.find(kEnd, begin);
        if (end == std::string::npos) {
            break;
        }
        std::string one = pem.substr(begin, end + kEnd.size() - begin);
        // Programs write different line ends.
        std::erase(one, '\r');
        certificates.push_back(std::move(one) + "\n");
    }
    return certificates;
}

bool has_same_certificates(const std::string& a, const std::string& b) {
    const auto certificates = certificates_of(a);
    return !certificates.empty() && certificates == certificates_of(b);
}

std::string unite_authorities(
    const std::string& own_pem, const std::string& published_pem, Time now
) {
    struct Authority {
        Time not_before;
        std::string pem;
    };
    std::vector<Authority> others;
    auto known = certificates_of(own_pem);
    for (auto& pem : split_certificates(published_pem)) {
        const auto info = net::parse_certificate(pem);
        if (info && info->not_after > now && known.insert(pem).second) {
            others.push_back({info->not_before, std::move(pem)});
        }
    }
    std::ranges::stable_sort(others, std::ranges::greater(), &Authority::not_before);
    others.resize(std::min(others.size(), kOthersMax));
    std::string united = own_pem;
    for (const Authority& other : others) {
        if (!united.ends_with('\n')) {
            united += '\n';
        }
        united += other.pem;
    }
    return united;
}

}  // namespace sluice::serving
