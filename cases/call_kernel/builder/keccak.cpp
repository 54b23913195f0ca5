#include "cases/call_kernel/builder/keccak.hpp"

#include <cryptopp/keccak.h>

#include <cstring>

namespace zk {

std::uint64_t keccak_id(std::string_view message) {
  CryptoPP::Keccak_256 hash;
  hash.Update(reinterpret_cast<const CryptoPP::byte*>(message.data()), message.size());
  CryptoPP::byte digest[CryptoPP::Keccak_256::DIGESTSIZE];
  hash.Final(digest);
  std::uint64_t id;
  std::memcpy(&id, digest, sizeof id);
  return id;
}

}  // namespace zk
