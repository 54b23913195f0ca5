#pragma once

/// The record of one start of a run: which machine, what load, which command. Reading, writing and
/// results/session.schema.json come from two tables of fields in session.cpp.

#include <cstdint>
#include <filesystem>
#include <map>
#include <nlohmann/json_fwd.hpp>
#include <optional>
#include <stdexcept>
#include <string>
#include <vector>

#include "harness/core/host/machine.hpp"
#include "harness/core/text/text.hpp"

namespace cliffbench {

/// An identifier of the kind of machine, for people.
[[nodiscard]] std::string machine_id(const Machine& machine);

/// "AMD EPYC, 2 cores, virtualised".
[[nodiscard]] std::string machine_text(const Machine& machine);

/// The machine as JSON, as files keep it.
[[nodiscard]] nlohmann::json machine_json(const Machine& machine);

/// One of `count` parts of a plan, from 1.
struct Shard {
  int index = 1;
  int count = 1;
  friend bool operator==(const Shard&, const Shard&) = default;
};
/// As JSON: [index, count].
template <typename Json>
void to_json(Json& json, const Shard& shard) {
  json = {shard.index, shard.count};
}
template <typename Json>
void from_json(const Json& json, Shard& shard) {
  if (json.size() != 2) throw std::runtime_error("an invalid shard");
  shard = {whole_number<int>(json.at(0)), whole_number<int>(json.at(1))};
  if (shard.index < 1 || shard.index > shard.count) throw std::runtime_error("an invalid shard");
}

struct SessionRecord {
  std::string run;
  int number = 0;
  std::string command, profile;
  std::uint64_t seed = 0;
  Shard shard;
  std::string started;               ///< UTC: "2026-11-21T20:44:34Z"
  std::optional<std::string> ended;  ///< absent when it was killed
  Machine machine;
  std::vector<double> load_before;  ///< empty where the system does not say
  std::optional<std::vector<double>> load_after;

  [[nodiscard]] std::string date() const { return started.substr(0, 10); }
  [[nodiscard]] std::optional<double> load() const {  ///< of the minute before its start
    return load_before.empty() ? std::nullopt : std::optional(load_before.front());
  }
};

/// Throws CannotMeasure when the JSON is not what Session writes; the caller puts the subject
/// before its sentence.
[[nodiscard]] SessionRecord parse_session(const nlohmann::json& json);
[[nodiscard]] nlohmann::json session_json(const SessionRecord& session);
[[nodiscard]] nlohmann::ordered_json session_schema();

/// Writes sessions/<run>.<n>.json into the run's folder at once, with the next free number n, and
/// again at the end. Shard i of N numbers its starts i, i + N, i + 2 N..., so that the sessions of
/// all shards have names of their own. Throws CannotMeasure when it cannot be written.
class Session {
 public:
  /// `begun` has run, command, profile, seed and shard.
  Session(const std::filesystem::path& folder, SessionRecord begun);
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

/// Throws UserError when the folder's sessions were measured on another kind of machine.
void require_same_machine(const std::filesystem::path& folder);

}  // namespace cliffbench
