#include "harness/core/record/row.hpp"

#include <fmt/format.h>

#include <cmath>
#include <nlohmann/json.hpp>
#include <stdexcept>

#include "harness/core/host/exact.hpp"
#include "harness/core/record/fields.hpp"

#define XXH_INLINE_ALL
#include <xxhash.h>

namespace cliffbench {

template <>
inline constexpr auto kWords<Status> = std::to_array<Word<Status>>({{Status::ok, "ok"},
                                                                    {Status::timeout, "timeout"},
                                                                    {Status::oom, "oom"},
                                                                    {Status::crash, "crash"},
                                                                    {Status::failed, "failed"},
                                                                    {Status::wrong, "wrong"},
                                                                    {Status::skipped, "skipped"}});

std::string word(Status status) { return word_of(status); }

namespace {

constexpr std::string_view kCheckMeaning =
    "XXH3 (64 bits, hexadecimal) of the line up to the comma before this field";
constexpr std::string_view kRowChecksum = ",\"check\":\"";

/// The end of a line that begins with `start`: its check.
std::string row_checksum(std::string_view start) {
  return fmt::format("{}{:016x}\"}}", kRowChecksum, XXH3_64bits(start.data(), start.size()));
}

}  // namespace

const std::vector<Field<Row>>& row_fields() {
  static const std::vector<Field<Row>> fields = {
      needed<&Row::run>("run", "string", "the run this trial belongs to"),
      needed<&Row::session>("session", "integer",
                            "which start of that run: a resumed run has several; see sessions/"),
      needed<&Row::program>("program", "string", "the case program: `<case>@<subject>`"),
      field<&Row::case_name>("case", "string", "", "the reproduced cliff"),
      field<&Row::subject>("subject", "string", "", "the program under study, with its version"),
      needed<&Row::name>("name", "string", "the benchmark's name in that program"),
      needed<&Row::variant>("variant", "string", "`baseline`, or the patches in it"),
      needed<&Row::params>("params", "object", "one value for each axis"),
      needed<&Row::round>("round", "integer", "trials of one round and params ran back to back"),
      needed<&Row::position>("position", "integer", "place in the run's order, from 0"),
      needed<&Row::status>("status", "string",
                           "`ok`, `timeout`, `oom`, `crash`, `failed`, `wrong` (the output, by the "
                           "case's own check) or `skipped`"),
      field<&Row::reason>("reason", "string", "", "why the status is not ok, in one sentence"),
      field<&Row::limit_s>("limit_s", "number", "s",
                           "limit of the timed region; a timeout means `wall_s >= limit_s`"),
      field<&Row::iterations>("iterations", "integer", "",
                              "of the loop, as the program reports; in a gate, of one batch"),
      field<&Row::wall_s>("wall_s", "number or null", "s",
                          "wall time of the timed region, per iteration; null unless ok"),
      field<&Row::cpu_s>(
          "cpu_s", "number or null", "s",
          "CPU time (user + system, all threads) of the timed region, per iteration"),
      field<&Row::mean_wall_s>("mean_wall_s", "number or null", "s",
                               "in a gate, where `wall_s` is that of the fastest of several "
                               "batches: the mean of all but the first, which warms up"),
      field<&Row::mean_cpu_s>("mean_cpu_s", "number or null", "s", "the same for `cpu_s`"),
      field<&Row::rss_bytes>("rss_bytes", "integer or null", "bytes",
                             "highest resident memory up to the end of the timed region"),
      field<&Row::page_faults>("page_faults", "number or null", "",
                               "page faults of the timed region, per iteration"),
      field<&Row::process_s>("process_s", "number", "s",
                             "wall time of the whole process, with loading, set-up and checks"),
      field<&Row::process_cpu_s>("process_cpu_s", "number", "s", "CPU time of the whole process"),
      field<&Row::blocked_s>("blocked_s", "number or null", "s",
                             "wall time in which the process's main thread neither ran nor was "
                             "ready to; null where the system does not tell"),
      field<&Row::process_rss_bytes>("process_rss_bytes", "integer", "bytes",
                                     "highest resident memory of the whole process"),
      field<&Row::stages>("stages", "object", "s", "time of each named stage, per iteration"),
      field<&Row::counters>("counters", "object", "",
                            "in a gate: the counters that decide, as the program reports them"),
      needed<&Row::digest>("digest", "string",
                           "of the output; variants that promise equal results have equal digests. "
                           "In a gate of other programs the benchmark's label"),
  };
  return fields;
}

std::string impossible(const Row& row) {
  const auto is_time = [](double seconds) { return std::isfinite(seconds) && seconds >= 0; };
  const bool ok = row.status == Status::ok;
  if (ok && !row.wall_s) return "has status ok, but no wall_s";
  if (!ok && row.wall_s) return "has a wall_s, but not the status ok";
  const std::initializer_list<std::pair<const char*, std::optional<double>>> times = {
      {"wall_s", row.wall_s},           {"cpu_s", row.cpu_s},
      {"mean_wall_s", row.mean_wall_s}, {"mean_cpu_s", row.mean_cpu_s},
      {"process_s", row.process_s},     {"process_cpu_s", row.process_cpu_s},
      {"blocked_s", row.blocked_s},     {"limit_s", row.limit_s}};
  for (const auto& [name, seconds] : times) {
    if (!is_time(seconds.value_or(0))) return fmt::format("has a {} that is not a time", name);
  }
  for (const auto& [stage, seconds] : row.stages) {
    if (!is_time(seconds)) return fmt::format("has a stage {} that is not a time", stage);
  }
  for (const auto& [counter, value] : row.counters) {
    if (!std::isfinite(value)) return fmt::format("has a counter {} that is not a number", counter);
  }
  if (row.rss_bytes.value_or(0) < 0 || row.process_rss_bytes < 0) return "has a negative memory";
  const double faults = row.page_faults.value_or(0);
  if (!std::isfinite(faults) || faults < 0) return "has a page_faults that is not a count";
  if (row.iterations < 0) return "has negative iterations";
  if (row.session < 1) return "has a session below 1";
  if (row.round < 1 || row.round > kMostRounds) return "has a round that is not 1 to 100000";
  if (row.position < 0) return "has a position below 0";
  if (!is_file_name(row.run)) return "has a run name that cannot be a file name";
  return "";
}

std::string row_line(const Row& row) {
  OrderedJson json{{"schema", kSchema}};
  write_fields(row_fields(), row, json);
  std::string line = json.dump(-1, ' ', false, OrderedJson::error_handler_t::replace);
  line.pop_back();  // the brace
  return with_checksum(std::move(line));
}

std::string with_checksum(std::string start) { return start.append(row_checksum(start)); }

namespace {

/// The JSON object of a line, in which no field is twice.
OrderedJson object_of(std::string_view line) {
  size_t keys = 0;
  const auto look = [&](int depth, OrderedJson::parse_event_t event, const OrderedJson&) {
    if (depth > 2) throw DamagedRow("is nested too deeply");
    keys += event == OrderedJson::parse_event_t::key;
    return true;
  };
  OrderedJson json = OrderedJson::parse(line, look, false);
  if (!json.is_object()) throw DamagedRow("is not a JSON object");
  size_t fields = json.size();
  for (const OrderedJson& value : json) fields += value.is_object() ? value.size() : 0;
  if (fields != keys) throw CannotMeasure("has a field twice");
  return json;
}

}  // namespace

Row parse_row(std::string_view line) {
  const size_t start = line.rfind(kRowChecksum);
  if (start == line.npos) throw DamagedRow("has no checksum");
  if (line.substr(start) != row_checksum(line.substr(0, start))) {
    throw DamagedRow("does not match its checksum");
  }
  const OrderedJson json = object_of(line);
  const OrderedJson schema = json.value("schema", OrderedJson());
  if (schema != kSchema) {
    throw CannotMeasure(
        fmt::format("has schema {}, this program reads schema {}", schema.dump(), kSchema));
  }
  Row row;
  read_fields(row_fields(), json, row);
  if (const std::string what = impossible(row); !what.empty()) throw CannotMeasure(what);
  return row;
}

OrderedJson row_schema() { return sealed_schema("cliffbench row", row_fields(), kCheckMeaning); }

}  // namespace cliffbench
