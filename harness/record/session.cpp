#include "harness/record/session.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <nlohmann/json.hpp>

#include "harness/host/exact.hpp"
#include "harness/host/file.hpp"
#include "harness/host/machine.hpp"
#include "harness/record/record.hpp"
#include "harness/text/text.hpp"

namespace cliffbench {

using Json = nlohmann::json;

NLOHMANN_DEFINE_TYPE_NON_INTRUSIVE(Machine, cpu, arch, cores, core_kinds, caches, memory_bytes, os,
                                   kernel, virtualised, emulated)

namespace {

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

std::string machine_text(const Machine& machine) {
  return machine.cpu + (machine.cores > 0 ? fmt::format(", {} cores", machine.cores) : "") +
         (machine.virtualised ? ", virtualised" : "");
}

Json machine_json(const Machine& machine) {
  Json json = machine;
  json["id"] = machine_id(machine);
  return json;
}

Session::Session(const std::filesystem::path& folder, const Plan& plan,
                 const std::string& command) {
  const std::filesystem::path sessions = make_subfolder(folder, "sessions");
  number_ = plan.shard.index - plan.shard.count;
  do {
    number_ += plan.shard.count;
    path_ = sessions / fmt::format("{}.{}.json", plan.run, number_);
  } while (is_there(path_));
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
  write_record(path_, json_);
}

void Session::end() {
  json_["ended"] = utc_now("%Y-%m-%dT%H:%M:%SZ");
  json_["load_after"] = load_averages();
  write_record(path_, json_);
}

namespace {

/// Of our own machine.hpp; `synthetic` marks one that was made for a test.
Machine parse_machine(const Json& json) {
  (void)whole_number<int>(json.at("cores"));  // the library converts any number, also 1e30
  (void)whole_number<std::int64_t>(json.at("memory_bytes"));
  const Machine machine = json;
  Json again = machine;
  again["id"] = json.at("id").get<std::string>();
  if (json.contains("synthetic")) again["synthetic"] = json["synthetic"].get<bool>();
  require_exact(json, again);
  return machine;
}

/// "2026-11-21T20:44:34Z" -> "2026-11-21".
std::string date_of(const Json& time) {
  constexpr std::string_view kForm = "0000-00-00T00:00:00Z";
  const auto& text = time.get_ref<const std::string&>();
  const auto fits = [](char given, char form) {
    return form == '0' ? '0' <= given && given <= '9' : given == form;
  };
  require(std::ranges::equal(text, kForm, fits), time.dump() + " is no time");
  return text.substr(0, 10);
}

/// The load of the last 1, 5 and 15 minutes, where the system says it.
void require_loads(const Json& loads) {
  require(loads.is_array() && loads.size() <= 3, "malformed loads");
  for (const Json& load : loads) {
    require(load.is_number() && load.get<double>() >= 0, "malformed loads");
  }
}

}  // namespace

SessionRecord parse_session(const Json& json) {
  SessionRecord session{.run = json.at("run"),
                        .number = whole_number<int>(json.at("session")),
                        .date = date_of(json.at("started")),
                        .machine = parse_machine(json.at("machine")),
                        .machine_id = json.at("machine").at("id")};
  const Json& shard = json.at("shard");
  session.shard = {whole_number<int>(shard.at(0)), whole_number<int>(shard.at(1))};
  require(shard.size() == 2 && 1 <= session.shard.index &&
              session.shard.index <= session.shard.count && session.number >= 1,
          "a malformed shard or number");
  for (const char* text : {"command", "profile"}) (void)json.at(text).get_ref<const std::string&>();
  (void)whole_number<std::uint64_t>(json.at("seed"));
  require_loads(json.at("load_before"));
  std::size_t known = 10;  // the fields above, and the schema
  require(json.at("schema") == kSchema, "another schema");
  const auto optional = [&](const char* name) {
    known += json.contains(name);
    return json.contains(name);
  };
  if (optional("ended")) (void)date_of(json["ended"]);
  if (optional("load_after")) require_loads(json["load_after"]);
  for (const char* of_before : {"host", "imported_from"}) {
    if (optional(of_before)) (void)json[of_before].get_ref<const std::string&>();
  }
  require(json.size() == known, "an unknown field");
  return session;
}

std::map<std::string, SessionRecord> read_sessions(const std::filesystem::path& folder) {
  std::map<std::string, SessionRecord> sessions;
  for (const std::filesystem::path& path : json_files(folder / "sessions")) {
    const std::string name = path.stem().string();
    sessions[name] = parse_file(path, "a session", read_record(path), [&](const Json& json) {
      SessionRecord session = parse_session(json);
      require(name == fmt::format("{}.{}", session.run, session.number),
              "it belongs to another run or start than its name says");
      return session;
    });
  }
  return sessions;
}

void require_same_machine(const std::filesystem::path& folder) {
  const std::string here = machine_id(describe_machine());
  for (const auto& [name, session] : read_sessions(folder)) {
    const std::string& there = session.machine_id;
    if (there == here) continue;
    throw UserError(
        fmt::format("{} was begun on the machine {}, and this is {}; a run or a shard stays on one "
                    "machine: continue there, or start again in another folder",
                    folder.string(), there, here));
  }
}

}  // namespace cliffbench
