#pragma once

#include <cstdint>
#include <string_view>

namespace zk {

/// The first 8 bytes, little-endian, of Keccak-256 (the original padding, as Ethereum uses it).
[[nodiscard]] std::uint64_t keccak_id(std::string_view message);

}  // namespace zk
