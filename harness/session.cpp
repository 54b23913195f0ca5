#include "harness/session.hpp"

#include <fmt/format.h>
#include <unistd.h>

#include <array>

#include "harness/folder.hpp"
#include "harness/text.hpp"

namespace cliffbench {
namespace {

using Json = nlohmann::json;

/// Of imported rows: nothing is known but the name.
Json foreign_machine(const std::string& host) {
  Machine machine;
  machine.cpu = "imported from " + host;
  machine.arch = machine.os = machine.kernel = "unknown";
  return machine_json(machine);
}

/// FNV-1a: an identifier for people, no proof.
std::string short_hash(const std::string& text) {
  std::uint32_t hash = 2166136261u;
  for (const char c : text) hash = (hash ^ static_cast<unsigned char>(c)) * 16777619u;
  return fmt::format("{:08x}", hash);
}

}  // namespace

std::string machine_id(const Machine& machine) {
  return short_hash(machine.cpu + machine.arch + std::to_string(machine.cores) +
                    std::to_string(machine.memory_bytes >> 30) + machine.os + machine.kernel);
}

std::string host_id(const std::string& run) {
  std::array<char, 256> name{};
  if (gethostname(name.data(), name.size() - 1) != 0) return "";
  return short_hash(run + name.data());
}

Json machine_json(const Machine& machine) {
  return {{"id", machine_id(machine)},
          {"cpu", machine.cpu},
          {"arch", machine.arch},
          {"cores", machine.cores},
          {"core_kinds", machine.core_kinds},
          {"caches", machine.caches},
          {"memory_bytes", machine.memory_bytes},
          {"os", machine.os},
          {"kernel", machine.kernel},
          {"virtualised", machine.virtualised},
          {"emulated", machine.emulated}};
}

Session::Session(const std::filesystem::path& folder, const Plan& plan,
                 const SessionOrigin& origin) {
  make_folder(folder / "sessions");
  number_ = plan.shard.index - plan.shard.count;
  do {
    number_ += plan.shard.count;
    path_ = folder / "sessions" / fmt::format("{}.{}.json", plan.run, number_);
  } while (std::filesystem::exists(path_));
  json_ = {{"schema", kSchema},
           {"run", plan.run},
           {"session", number_},
           {"command", origin.command},
           {"profile", plan.profile},
           {"seed", plan.seed},
           {"shard", {plan.shard.index, plan.shard.count}},
           {"started", utc_now("%Y-%m-%dT%H:%M:%SZ")},
           {"machine", machine_json(describe_machine())},
           {"host", host_id(plan.run)},
           {"load_before", load_averages()}};
  if (!origin.imported_from.empty()) {
    json_["imported_from"] = origin.imported_from;
    json_.erase("host");  // that machine is unknown
  }
  if (!origin.imported_host.empty()) json_["machine"] = foreign_machine(origin.imported_host);
  write_file(path_, json_.dump(1) + "\n");
}

void Session::end() {
  json_["ended"] = utc_now("%Y-%m-%dT%H:%M:%SZ");
  json_["load_after"] = load_averages();
  write_file(path_, json_.dump(1) + "\n");
}

}  // namespace cliffbench
