#include "harness/record/row.hpp"

#include <fmt/format.h>

#include <cmath>
#include <nlohmann/json.hpp>
#include <stdexcept>

#include "harness/case/describe.hpp"
#include "harness/host/exact.hpp"

#define XXH_INLINE_ALL
#include <xxhash.h>

namespace cliffbench {

using Json = nlohmann::ordered_json;

template <>
inline constexpr auto kWords<Status> = std::to_array<Word<Status>>({{Status::ok, "ok"},
                                                                    {Status::timeout, "timeout"},
                                                                    {Status::oom, "oom"},
                                                                    {Status::crash, "crash"},
                                                                    {Status::failed, "failed"},
                                                                    {Status::skipped, "skipped"}});

std::string word(Status status) { return word_of(status); }

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
void read_value(T& value, Json& json) {
  if constexpr (std::integral<T>) {
    value = whole_number<T>(json);
  } else if constexpr (std::same_as<T, std::string>) {
    value = std::move(json.get_ref<std::string&>());
  } else {
    value = json.get<T>();
  }
}
template <typename T>
void read_value(std::optional<T>& value, Json& json) {
  value.reset();
  if (!json.is_null()) read_value(value.emplace(), json);
}
template <auto member>
constexpr Field field(std::string_view name, std::string_view type, std::string_view unit,
                      std::string_view meaning) {
  return {name,
          type,
          unit,
          meaning,
          [](const Row& row, Json& json) { write_value(row.*member, json); },
          [](Row& row, Json&& json) { read_value(row.*member, json); }};
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
      field<&Row::round>("round", "integer", "", "trials of one round and params ran back to back"),
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

std::string impossible(const Row& row) {
  const auto is_time = [](double seconds) { return std::isfinite(seconds) && seconds >= 0; };
  const bool ok = row.status == Status::ok;
  if (ok && !row.wall_s) return "has status ok, but no wall_s";
  if (ok && !row.cpu_s) return "has status ok, but no cpu_s";
  if (!ok && row.wall_s) return "has a wall_s, but not the status ok";
  if (!is_time(row.wall_s.value_or(0))) return "has a wall_s that is no time";
  if (!is_time(row.cpu_s.value_or(0))) return "has a cpu_s that is no time";
  if (!is_time(row.process_s)) return "has a process_s that is no time";
  if (!is_time(row.limit_s)) return "has a limit_s that is no time";
  for (const auto& [stage, seconds] : row.stages) {
    if (!is_time(seconds)) return fmt::format("has a stage {} that is no time", stage);
  }
  if (row.rss_bytes.value_or(0) < 0 || row.process_rss_bytes < 0) return "has a negative memory";
  if (row.iterations < 0) return "has negative iterations";
  if (row.session < 1) return "has a session below 1";
  if (row.round < 1 || row.round > kMostRounds) return "has a round that is not 1 to 100000";
  if (row.position < 0) return "has a position below 0";
  if (!is_file_name(row.run)) return "has a run's name that cannot be a file's";
  return "";
}

std::string row_line(const Row& row) {
  Json json{{"schema", kSchema}};
  for (const Field& field : row_fields()) field.write(row, json[std::string(field.name)]);
  std::string line = json.dump(-1, ' ', false, Json::error_handler_t::replace);
  line.pop_back();  // the brace
  return with_check(std::move(line));
}

std::string with_check(std::string start) { return start.append(check_of(start)); }

namespace {

/// Reads a line into a row, field by field, without a tree of the whole: there may be millions.
class RowReader : public nlohmann::json_sax<Json> {
 public:
  Row row;
  Json schema;
  std::string wrong;       ///< what is wrong with the first field that cannot be read
  std::vector<bool> seen;  ///< of row_fields()
  int others = 0;          ///< fields that are none of ours

  RowReader() : seen(row_fields().size()) {}
  bool null() override { return value(nullptr); }
  bool boolean(bool given) override { return value(given); }
  bool number_integer(number_integer_t given) override { return value(given); }
  bool number_unsigned(number_unsigned_t given) override { return value(given); }
  bool number_float(number_float_t given, const string_t&) override { return value(given); }
  bool string(string_t& given) override { return value(std::move(given)); }
  bool binary(binary_t&) override { return false; }
  bool start_object(std::size_t) override { return open(Json::object()); }
  bool start_array(std::size_t) override { return depth_ > 0 && open(Json::array()); }
  bool end_object() override { return close(); }
  bool end_array() override { return close(); }
  bool key(string_t& name) override {
    if (depth_ <= 2) (depth_ == 1 ? key_ : inner_key_) = name;
    return true;
  }
  bool parse_error(std::size_t, const std::string&, const nlohmann::detail::exception&) override {
    return false;
  }

 private:
  bool open(Json empty) {
    if (depth_ == 1) inner_ = std::move(empty);
    if (depth_ == 2) inner_ = nullptr;  // nothing of ours is nested so deep
    ++depth_;
    return true;
  }
  bool close() {
    if (--depth_ == 1) take(std::move(inner_));
    return true;
  }
  bool value(Json given) {
    if (depth_ == 1) {
      take(std::move(given));
    } else if (depth_ == 2 && inner_.is_object()) {
      Json& place = inner_[inner_key_];
      if (!place.is_null() && wrong.empty()) wrong = fmt::format("has '{}' twice", inner_key_);
      place = std::move(given);
    }
    return depth_ > 0;
  }
  void take(Json given) {
    if (key_ == "schema") {
      schema = std::move(given);
      return;
    }
    const auto& fields = row_fields();
    if (next_ >= fields.size() || fields[next_].name != key_) {  // not in our order
      next_ = 0;
      while (next_ < fields.size() && fields[next_].name != key_) ++next_;
    }
    if (next_ == fields.size()) {
      ++others;
      return;
    }
    const Field& field = fields[next_];
    if (seen[next_] && wrong.empty()) wrong = fmt::format("has the field '{}' twice", field.name);
    seen[next_++] = true;
    try {
      field.read(row, std::move(given));
    } catch (const std::exception&) {
      if (!wrong.empty()) return;
      wrong = fmt::format("has {} in field '{}', which should be: {} ({})", given.dump(),
                          field.name, field.type, field.meaning);
    }
  }

  int depth_ = 0;
  size_t next_ = 0;  // most likely the next field
  std::string key_, inner_key_;
  Json inner_;
};

}  // namespace

Row parse_row(std::string_view line) {
  const size_t checked = line.rfind(kCheck);
  const bool has_check = checked != line.npos;
  if (has_check && line.substr(checked) != check_of(line.substr(0, checked))) {
    throw DamagedRow("is not what its checksum was taken of");
  }
  RowReader reader;
  if (!Json::sax_parse(line, &reader)) throw DamagedRow("is not a JSON object");
  if (reader.schema != kSchema) {
    throw CannotMeasure(
        fmt::format("has schema {}, this program reads schema {}", reader.schema.dump(), kSchema));
  }
  for (size_t i = 0; i < reader.seen.size(); ++i) {
    if (reader.seen[i]) continue;
    throw CannotMeasure(fmt::format("has no field '{}'", row_fields()[i].name));
  }
  if (!has_check && reader.others > 0) {
    throw DamagedRow("has no checksum, and a field that rows without one never had");
  }
  if (!reader.wrong.empty()) throw CannotMeasure(reader.wrong);
  if (const std::string what = impossible(reader.row); !what.empty()) throw CannotMeasure(what);
  return std::move(reader.row);
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
