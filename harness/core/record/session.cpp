#include "harness/core/record/session.hpp"

#include <fmt/format.h>

#include <algorithm>

#include "harness/core/host/file.hpp"
#include "harness/core/record/fields.hpp"
#include "harness/core/record/record.hpp"
#include "harness/core/text/text.hpp"

#define XXH_INLINE_ALL
#include <xxhash.h>

namespace cliffbench {
namespace {

const std::vector<Field<Machine>>& machine_fields() {
  static const std::vector<Field<Machine>> fields = {
      needed<&Machine::id>("id", "string",
                           "a hash of the fields below, which identifies the kind of machine"),
      needed<&Machine::cpu>("cpu", "string", "the model, as the system names it"),
      needed<&Machine::arch>("arch", "string", "`x86_64`, `arm64`"),
      needed<&Machine::cores>("cores", "integer", "logical processors that the run may use"),
      needed<&Machine::core_kinds>("core_kinds", "string",
                                   "`4 performance, 4 efficiency`; empty when they are alike"),
      needed<&Machine::caches>("caches", "string", "empty when unknown"),
      needed<&Machine::memory_bytes>("memory_bytes", "integer", "of the whole machine"),
      needed<&Machine::os>("os", "string", "the system, with its version"),
      needed<&Machine::kernel>("kernel", "string", "with its version"),
      needed<&Machine::virtualised>("virtualised", "boolean", "a virtual machine"),
      needed<&Machine::emulated>("emulated", "boolean",
                                 "the processor is emulated, so times are meaningless"),
  };
  return fields;
}

const std::vector<Field<SessionRecord>>& session_fields() {
  using Session = SessionRecord;
  static const std::vector<Field<Session>> fields = {
      needed<&Session::run>("run", "string", "the run that was started"),
      needed<&Session::number>("session", "integer", "which start of that run, from 1"),
      needed<&Session::command>("command", "string", "as typed"),
      needed<&Session::profile>("profile", "string", "the profile; empty if flags chose the cells"),
      needed<&Session::seed>("seed", "integer", "seed of the random order"),
      needed<&Session::shard>("shard", "array", "[i, N]: the i-th of N parts of the plan"),
      needed<&Session::started>("started", "string", "UTC: `2026-11-21T20:44:34Z`"),
      field<&Session::ended>("ended", "string", "", "when it ended; absent if it was killed"),
      needed<&Session::machine>("machine", "object", "what it ran on"),
      needed<&Session::load_before>("load_before", "array",
                                    "load averages over 1, 5 and 15 minutes at the start"),
      field<&Session::load_after>("load_after", "array", "", "load averages at the end"),
  };
  return fields;
}

std::string time_now() { return utc_now("%Y-%m-%dT%H:%M:%SZ"); }

bool is_time(const std::string& text) {
  constexpr std::string_view kForm = "0000-00-00T00:00:00Z";
  return std::ranges::equal(text, kForm, [](char given, char form) {
    return form == '0' ? '0' <= given && given <= '9' : given == form;
  });
}

bool are_loads(const std::vector<double>& loads) {
  return loads.size() <= 3 && std::ranges::all_of(loads, [](double load) { return load >= 0; });
}

std::vector<double> loads_now() {
  const auto loads = load_averages();
  return {loads.begin(), loads.end()};
}

/// Says why no session can be like this; "" when one can.
std::string impossible(const SessionRecord& session) {
  if (session.number < 1) return "has a session below 1";
  if (!is_time(session.started)) return "has a field 'started' that is not a time";
  if (session.ended && !is_time(*session.ended)) return "has a field 'ended' that is not a time";
  if (!are_loads(session.load_before)) return "has malformed loads in field 'load_before'";
  if (!are_loads(session.load_after.value_or(std::vector<double>{})))
    return "has malformed loads in field 'load_after'";
  return "";
}

}  // namespace

// The JSON library finds these by name.
void from_json(const OrderedJson& json, Machine& machine) {
  read_exactly(machine_fields(), json, machine);
}
void to_json(OrderedJson& json, const Machine& machine) {
  write_fields(machine_fields(), machine, json);
}

std::string machine_id(const Machine& machine) {
  // A virtual machine may shorten the model's name: two "AMD EPYC", one twice as fast, had other
  // caches.
  const std::string text = machine.cpu + machine.caches + machine.arch +
                           std::to_string(machine.cores) +
                           std::to_string(machine.memory_bytes >> 30) + machine.os + machine.kernel;
  return fmt::format("{:08x}", XXH3_64bits(text.data(), text.size()) >> 32);
}

std::string machine_text(const Machine& machine) {
  return machine.cpu + (machine.cores > 0 ? fmt::format(", {} cores", machine.cores) : "") +
         (machine.virtualised ? ", virtualised" : "");
}

nlohmann::json machine_json(const Machine& machine) {
  Machine named = machine;
  named.id = machine_id(machine);
  return OrderedJson(named);
}

SessionRecord parse_session(const nlohmann::json& json) {
  OrderedJson fields = json;
  if (!fields.is_object() || fields.value("schema", OrderedJson()) != kSchema) {
    throw CannotMeasure(fmt::format("has no field 'schema' of {}", kSchema));
  }
  fields.erase("schema");
  SessionRecord session;
  read_exactly(session_fields(), fields, session);
  if (const std::string what = impossible(session); !what.empty()) throw CannotMeasure(what);
  return session;
}

nlohmann::json session_json(const SessionRecord& session) {
  OrderedJson json{{"schema", kSchema}};
  write_fields(session_fields(), session, json);
  for (const char* at_the_end : {"ended", "load_after"}) {
    if (json[at_the_end].is_null()) json.erase(at_the_end);
  }
  return json;
}

nlohmann::ordered_json session_schema() {
  OrderedJson schema = sealed_schema("cliffbench session", session_fields(),
                                     "XXH64 (hexadecimal) of everything before it");
  OrderedJson& machine = schema["properties"]["machine"];
  machine.update(fields_schema(machine_fields()));
  for (OrderedJson* object : {&machine, &schema}) (*object)["additionalProperties"] = false;
  return schema;
}

Session::Session(const std::filesystem::path& folder, SessionRecord begun)
    : record_(std::move(begun)) {
  const Shard& shard = record_.shard;
  record_.started = time_now();
  record_.machine = describe_machine();
  record_.machine.id = machine_id(record_.machine);
  record_.load_before = loads_now();
  const std::filesystem::path sessions = make_subfolder(folder, "sessions");
  record_.number = shard.index - shard.count;
  do {
    record_.number += shard.count;
    path_ = sessions / fmt::format("{}.{}.json", record_.run, record_.number);
  } while (is_there(path_));
  write_record(path_, session_json(record_));
}

void Session::end() {
  record_.ended = time_now();
  record_.load_after = loads_now();
  write_record(path_, session_json(record_));
}

std::map<std::string, SessionRecord> read_sessions(const std::filesystem::path& folder) {
  std::map<std::string, SessionRecord> sessions;
  for (const std::filesystem::path& path : json_files(folder / "sessions")) {
    const std::string name = path.stem().string();
    const nlohmann::json json = read_record(path);
    try {
      const SessionRecord& session = sessions[name] = parse_session(json);
      if (name == fmt::format("{}.{}", session.run, session.number)) continue;
    } catch (const CannotMeasure& error) {
      throw CannotMeasure(path.string() + " " + error.what());
    }
    throw CannotMeasure(path.string() + " does not belong to the run and start in its name");
  }
  return sessions;
}

void require_same_machine(const std::filesystem::path& folder) {
  const std::string here = machine_id(describe_machine());
  for (const auto& [name, session] : read_sessions(folder)) {
    const std::string& there = session.machine.id;
    if (there == here) continue;
    throw UserError(
        fmt::format("{} was begun on the machine {}, and this is {}; a run or a shard stays on one "
                    "machine: continue there, or start again in another folder",
                    folder.string(), there, here));
  }
}

}  // namespace cliffbench
