#include "harness/core/program/identity.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <iterator>
#include <memory>

#include "harness/core/host/file.hpp"

#define XXH_INLINE_ALL
#include <xxhash.h>

namespace cliffbench {

namespace fs = std::filesystem;

std::string file_identity(const fs::path& path) {
  const std::unique_ptr<XXH3_state_t, decltype(&XXH3_freeState)> state(XXH3_createState(),
                                                                       XXH3_freeState);
  XXH3_128bits_reset(state.get());
  for_each_block(path, Links::followed, [&](std::string_view block) {
    XXH3_128bits_update(state.get(), block.data(), block.size());
  });
  const XXH128_hash_t hash = XXH3_128bits_digest(state.get());
  return fmt::format("{:016x}{:016x}", hash.high64, hash.low64);
}

const std::string& FileIdentities::of(const fs::path& path) {
  const auto known = known_.find(path);
  return known != known_.end() ? known->second : known_[path] = file_identity(path);
}

Identity identity_of(const fs::path& program, const std::vector<std::string>& libraries) {
  Identity identity{{"", file_identity(program)}};
  for (const std::string& library : libraries) {
    identity[fs::path(library).filename()] = file_identity(library);
  }
  return identity;
}

std::string difference(const std::string& program, const Identity& was, const Identity& is) {
  Identity changed;
  std::set_symmetric_difference(was.begin(), was.end(), is.begin(), is.end(),
                                std::inserter(changed, changed.end()));
  if (changed.empty()) return "";
  const std::string& file = changed.begin()->first;
  if (file.empty()) return program + " was rebuilt";
  return fmt::format("{} under {} has changed, so the measured subject is another one", file,
                     program);
}

}  // namespace cliffbench
