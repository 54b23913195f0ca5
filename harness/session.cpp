#include "harness/session.hpp"

#include <fmt/format.h>

#include "harness/folder.hpp"
#include "harness/text.hpp"

namespace cliffbench {
namespace {

using Json = nlohmann::json;

Json machine_json(const Machine& machine) {
  return {{"id", machine_id(machine)},
          {"cpu", machine.cpu},
          {"arch", machine.arch},
          {"cores", machine.cores},
          {"caches", machine.caches},
          {"memory_bytes", machine.memory_bytes},
          {"os", machine.os},
          {"kernel", machine.kernel},
          {"virtualised", machine.virtualised}};
}

}  // namespace

std::string machine_id(const Machine& machine) {
  const std::string text = machine.cpu + machine.arch + std::to_string(machine.cores) +
                           std::to_string(machine.memory_bytes >> 30) + machine.os + machine.kernel;
  std::uint32_t hash = 2166136261u;  // FNV-1a: an identifier for people, no proof
  for (const char c : text) hash = (hash ^ static_cast<unsigned char>(c)) * 16777619u;
  return fmt::format("{:08x}", hash);
}

Session::Session(const std::filesystem::path& folder, const Plan& plan,
                 const std::string& command) {
  make_folder(folder / "sessions");
  number_ = plan.shard.index - plan.shard.count;
  do {
    number_ += plan.shard.count;
    path_ = folder / "sessions" / fmt::format("{}.{}.json", plan.run, number_);
  } while (std::filesystem::exists(path_));
  json_ = {{"schema", kSchema},
           {"run", plan.run},
           {"session", number_},
           {"command", command},
           {"profile", plan.profile},
           {"seed", plan.seed},
           {"shard", {plan.shard.index, plan.shard.count}},
           {"started", utc_now("%Y-%m-%dT%H:%M:%SZ")},
           {"machine", machine_json(describe_machine())},
           {"load_before", load_averages()}};
  write_file(path_, json_.dump(1) + "\n");
}

void Session::end() {
  json_["ended"] = utc_now("%Y-%m-%dT%H:%M:%SZ");
  json_["load_after"] = load_averages();
  write_file(path_, json_.dump(1) + "\n");
}

}  // namespace cliffbench
