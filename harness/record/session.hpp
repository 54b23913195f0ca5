#pragma once

/// The record of one start of a run: which machine, what load, which command.

#include <filesystem>
#include <map>
#include <nlohmann/json.hpp>
#include <string>

#include "harness/host/machine.hpp"
#include "harness/plan/plan.hpp"

namespace cliffbench {

/// An identifier of the kind of machine, for people.
[[nodiscard]] std::string machine_id(const Machine& machine);

/// "AMD EPYC, 2 cores, virtualised".
[[nodiscard]] std::string machine_text(const Machine& machine);

/// The machine as it stands in files: all of machine.hpp, and an identifier.
[[nodiscard]] nlohmann::json machine_json(const Machine& machine);

/// Writes sessions/<run>.<n>.json into the run's folder at once, with the next free number n, and
/// again at the end. Shard i of N numbers its starts i, i + N, i + 2 N..., so that the sessions of
/// all shards have names of their own. Throws CannotMeasure when it cannot be written.
class Session {
 public:
  Session(const std::filesystem::path& folder, const Plan& plan, const std::string& command);
  void end();
  [[nodiscard]] int number() const { return number_; }

 private:
  int number_ = 0;
  std::filesystem::path path_;
  nlohmann::json json_;
};

/// What a session's file says, as far as this program uses it.
struct SessionRecord {
  std::string run;
  int number = 0;
  std::string date;  ///< of its start, UTC: "2026-11-21"
  Shard shard;
  Machine machine;
  std::string machine_id;
};

/// Throws nlohmann::json::exception or std::runtime_error when it is not what Session writes.
[[nodiscard]] SessionRecord parse_session(const nlohmann::json& json);

/// The sessions/<run>.<n>.json of a run folder, by "<run>.<n>". Throws CannotMeasure when one of
/// them is damaged or is not what its name says.
[[nodiscard]] std::map<std::string, SessionRecord> read_sessions(
    const std::filesystem::path& folder);

/// Throws UserError when the folder's sessions were on a machine of another fingerprint.
void require_same_machine(const std::filesystem::path& folder);

}  // namespace cliffbench
