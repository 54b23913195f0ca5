#pragma once

/// The record of one start of a run: which machine, what load, which command. Reading, writing and
/// results/session.schema.json come from two tables of fields in session.cpp.

#include <cstdint>
#include <filesystem>
#include <map>
#include <nlohmann/json_fwd.hpp>
#include <optional>
#include <string>
#include <vector>

#include "harness/host/machine.hpp"
#include "harness/plan/plan.hpp"

namespace cliffbench {

/// An identifier of the kind of machine, for people.
[[nodiscard]] std::string machine_id(const Machine& machine);

/// "AMD EPYC, 2 cores, virtualised".
[[nodiscard]] std::string machine_text(const Machine& machine);

/// The machine as it stands in files.
[[nodiscard]] nlohmann::json machine_json(const Machine& machine);

struct SessionRecord {
  std::string run;
  int number = 0;
  std::string command, profile;
  std::uint64_t seed = 0;
  Shard shard;
  std::string started;               ///< UTC: "2026-11-21T20:44:34Z"
  std::optional<std::string> ended;  ///< of one that was not killed
  Machine machine;
  std::vector<double> load_before;  ///< empty where the system does not say
  std::optional<std::vector<double>> load_after;

  [[nodiscard]] std::string date() const { return started.substr(0, 10); }
  [[nodiscard]] std::optional<double> load() const {  ///< of the minute before its start
    return load_before.empty() ? std::nullopt : std::optional(load_before.front());
  }
};

/// Throws CannotMeasure, whose sentence lacks its subject, when it is not what Session writes.
[[nodiscard]] SessionRecord parse_session(const nlohmann::json& json);
[[nodiscard]] nlohmann::json session_json(const SessionRecord& session);
[[nodiscard]] nlohmann::ordered_json session_schema();

/// Writes sessions/<run>.<n>.json into the run's folder at once, with the next free number n, and
/// again at the end. Shard i of N numbers its starts i, i + N, i + 2 N..., so that the sessions of
/// all shards have names of their own. Throws CannotMeasure when it cannot be written.
class Session {
 public:
  Session(const std::filesystem::path& folder, const Plan& plan, const std::string& command);
  void end();
  [[nodiscard]] int number() const { return record_.number; }

 private:
  std::filesystem::path path_;
  SessionRecord record_;
};

/// The sessions/<run>.<n>.json of a run folder, by "<run>.<n>". Throws CannotMeasure when one of
/// them is damaged or is not what its name says.
[[nodiscard]] std::map<std::string, SessionRecord> read_sessions(
    const std::filesystem::path& folder);

/// Throws UserError when the folder's sessions were on a machine of another fingerprint.
void require_same_machine(const std::filesystem::path& folder);

}  // namespace cliffbench
