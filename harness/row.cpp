#include "harness/row.hpp"

#include <fmt/format.h>

#include <stdexcept>

#include "harness/describe.hpp"

#define XXH_INLINE_ALL
#include <xxhash.h>

namespace cliffbench {

using Json = nlohmann::ordered_json;

NLOHMANN_JSON_SERIALIZE_ENUM(Status, {{Status::ok, "ok"},
                                      {Status::timeout, "timeout"},
                                      {Status::oom, "oom"},
                                      {Status::crash, "crash"},
                                      {Status::failed, "failed"},
                                      {Status::skipped, "skipped"}})

std::string word(Status status) { return Json(status); }

namespace {

template <typename T>
void write_value(const T& value, Json& json) {
  json = value;
}
template <typename T>
void write_value(const std::optional<T>& value, Json& json) {
  if (value) {
    json = *value;
  } else {
    json = nullptr;
  }
}

template <typename T>
void read_value(T& value, const Json& json) {
  value = json.get<T>();
}
template <typename T>
void read_value(std::optional<T>& value, const Json& json) {
  value = json.is_null() ? std::nullopt : std::optional<T>(json.get<T>());
}
void read_value(Status& value, const Json& json) {
  value = json.get<Status>();
  // An unknown word reads as the first enumerator: a row that is not ok must never become one.
  if (word(value) != json.get<std::string>()) {
    throw std::runtime_error("status " + json.dump() + " is none of ours");
  }
}

template <auto member>
constexpr Field field(std::string_view name, std::string_view type, std::string_view unit,
                      std::string_view meaning) {
  return {name,
          type,
          unit,
          meaning,
          [](const Row& row, Json& json) { write_value(row.*member, json); },
          [](Row& row, const Json& json) { read_value(row.*member, json); }};
}

constexpr std::string_view kCheckMeaning =
    "XXH3 (64 bits, hexadecimal) of the line up to the comma before this field; rows of before "
    "2026-11 have none";
constexpr std::string_view kCheck = ",\"check\":\"";

/// The end of a line that starts like this.
std::string check_of(std::string_view start) {
  return fmt::format("{}{:016x}\"}}", kCheck, XXH3_64bits(start.data(), start.size()));
}

}  // namespace

const std::vector<Field>& row_fields() {
  static const std::vector<Field> fields = {
      field<&Row::run>("run", "string", "", "the run this trial belongs to"),
      field<&Row::session>("session", "integer", "",
                           "which start of that run: a resumed run has several; see sessions/"),
      field<&Row::program>("program", "string", "", "the case program: `<case>@<subject>`"),
      field<&Row::case_name>("case", "string", "", "what is reproduced"),
      field<&Row::subject>("subject", "string", "", "the program under study, with its version"),
      field<&Row::name>("name", "string", "", "the benchmark's name in that program"),
      field<&Row::variant>("variant", "string", "", "`baseline`, or the patches in it"),
      field<&Row::params>("params", "object", "", "one value for each axis"),
      field<&Row::round>("round", "integer", "", "trials of one round and params are neighbours"),
      field<&Row::position>("position", "integer", "", "place in the run's order, from 0"),
      field<&Row::status>("status", "string", "",
                          "`ok`, `timeout`, `oom`, `crash`, `failed` or `skipped`"),
      field<&Row::reason>("reason", "string", "", "why it is not ok, in one sentence"),
      field<&Row::limit_s>("limit_s", "number", "s",
                           "limit of the timed region; a timeout means `wall_s >= limit_s`"),
      field<&Row::iterations>("iterations", "integer", "", "of the loop, as the program reports"),
      field<&Row::wall_s>("wall_s", "number or null", "s",
                          "wall time of the timed region, per iteration; null unless ok"),
      field<&Row::cpu_s>(
          "cpu_s", "number or null", "s",
          "CPU time (user + system, all threads) of the timed region, per iteration"),
      field<&Row::rss_bytes>("rss_bytes", "integer or null", "bytes",
                             "highest resident memory up to the end of the timed region"),
      field<&Row::process_s>("process_s", "number", "s",
                             "wall time of the whole process, with loading, set-up and checks"),
      field<&Row::process_rss_bytes>("process_rss_bytes", "integer", "bytes",
                                     "highest resident memory of the whole process"),
      field<&Row::stages>("stages", "object", "s", "time of each named stage, per iteration"),
      field<&Row::digest>("digest", "string", "",
                          "of the output; variants that promise equal results have equal digests"),
  };
  return fields;
}

std::string row_line(const Row& row) {
  Json json{{"schema", kSchema}};
  for (const Field& field : row_fields()) field.write(row, json[std::string(field.name)]);
  std::string line = json.dump(-1, ' ', false, Json::error_handler_t::replace);
  line.pop_back();
  return line + check_of(line);
}

Row parse_row(std::string_view line) {
  const Json json = Json::parse(line, nullptr, false);
  if (json.is_discarded() || !json.is_object()) throw DamagedRow("is not a JSON object");
  const Json schema = json.value("schema", Json());
  const size_t checked = line.rfind(kCheck);
  const bool has_check = checked != line.npos;
  if (has_check && line.substr(checked) != check_of(line.substr(0, checked))) {
    throw DamagedRow("is not what its checksum was taken of");
  }
  if (schema != kSchema) {
    throw CannotMeasure(
        fmt::format("has schema {}, this program reads schema {}", schema.dump(), kSchema));
  }
  Row row;
  for (const Field& field : row_fields()) {
    const auto found = json.find(field.name);
    if (found == json.end()) throw CannotMeasure(fmt::format("has no field '{}'", field.name));
    try {
      field.read(row, *found);
    } catch (const std::exception&) {
      throw CannotMeasure(fmt::format("has {} in field '{}', which should be: {} ({})",
                                      found->dump(), field.name, field.type, field.meaning));
    }
  }
  if (!has_check && json.size() != row_fields().size() + 1) {
    throw DamagedRow("has no checksum, and a field that rows without one never had");
  }
  return row;
}

Json row_schema() {
  Json properties{{"schema", {{"const", kSchema}}}};
  Json required = {"schema"};
  for (const Field& field : row_fields()) {
    const std::string name(field.name);
    const std::string_view type = field.type.substr(0, field.type.find(' '));
    Json& property = properties[name];
    property["type"] = type == field.type ? Json(type) : Json{type, "null"};
    if (!field.unit.empty()) property["unit"] = field.unit;
    property["description"] = field.meaning;
    required.push_back(name);
  }
  properties["check"] = {{"type", "string"}, {"description", kCheckMeaning}};
  return Json{{"$schema", "https://json-schema.org/draft/2020-12/schema"},
              {"title", "cliffbench row"},
              {"type", "object"},
              {"properties", properties},
              {"required", required}};
}

std::string row_table() {
  std::string table = fmt::format(
      "| field | type | unit | meaning |\n|---|---|---|---|\n"
      "| `schema` | integer | | {}; another number is refused |\n",
      kSchema);
  for (const Field& field : row_fields()) {
    table +=
        fmt::format("| `{}` | {} | {} | {} |\n", field.name, field.type, field.unit, field.meaning);
  }
  return table + fmt::format("| `check` | string |  | {} |\n", kCheckMeaning);
}

}  // namespace cliffbench
